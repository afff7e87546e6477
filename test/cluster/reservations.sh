#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reservations, beside stock Slurm's: of cores and of whole nodes, of licences, MAINT,
# OVERLAP, FLEX, repeating, floating and magnetic ones, and such as lend their nodes;
# random jobs in them and outside, whose limits do or do not run into them. What stock
# starts, mode act starts, and nothing else.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

RANDOM=${SEED:=$(date +%s)}
requests=${REQUESTS:-16}
[ -z "${FULL:-}" ] || requests=${REQUESTS:-200}

site="bf_interval=1,sched_interval=2"
echo 'PartitionName=half Nodes=n[2-6]' >"$WORK/half"
conf=(--set PriorityType=priority/basic --nodes 6 --conf "$WORK/half"
	--set Licenses=tool:2
	# or --signal=R is refused
	--set PreemptType=preempt/partition_prio --set PreemptMode=CANCEL)
cluster --stock --name stock --params "$site" "${conf[@]}"
cluster --name act --more "$site,cosched_order=slurm" "${conf[@]}"

both() { # both COMMAND...: in each cluster
	use stock && "$@" && use act && "$@"
}
reserve() { # reserve NAME KEY=VALUE...
	scontrol create reservation reservationname="$1" users=root "${@:2}" >/dev/null 2>"$WORK/err" ||
		{
			bad "reservation $1 is made" "$(cat "$WORK/err")"
			return 1
		}
}
unreserve() {
	local r

	for r; do scontrol delete reservationname="$r" >/dev/null; done
}
# reserved NAME: "n1 0" lines, its nodes and CPUs
reserved() {
	scontrol show reservation "$1" | awk '
	/NodeName=.* CoreIDs=/ {
		node = $1; sub("NodeName=", "", node)
		ids = $2; sub("CoreIDs=", "", ids)
		n = split(ids, part, ",")
		for (i = 1; i <= n; i++) {
			if (split(part[i], ab, "-") < 2) ab[2] = ab[1]
			for (k = ab[1] + 0; k <= ab[2] + 0; k++) print node, k
		}
	}'
}
# submit OPTION...: into $id; a job that nobody can hold has none
submit() {
	id=$(LIMIT='' SLEEP=600 sbatch --parsable -o /dev/null "$@" --wrap "sleep 600" \
		</dev/null 2>"$WORK/err") || id=
}
runs() { [ -n "$1" ] && is_state "$1" RUNNING; }

# --- one at a time, on a machine that is empty but for reservations

# shellcheck disable=SC2329
world() {
	reserve core starttime=now duration=300 nodes=n1 corecnt=2
	reserve later starttime=now+12minutes duration=300 nodes=n2 corecnt=3
	reserve whole starttime=now duration=300 nodes=n3
	reserve lap starttime=now duration=300 nodes=n3 flags=overlap
	reserve maint starttime=now+25minutes duration=300 nodes=n3,n4 flags=maint,overlap
	reserve flex starttime=now+12minutes duration=300 nodes=n4 flags=flex
	reserve float starttime=now+12minutes duration=300 nodes=n5 flags=time_float
	reserve daily starttime=now+25minutes duration=60 nodes=n6 flags=daily
}
worlds=(core later whole lap maint flex float daily)
both world

some() { # some WORD...: one of them
	local all=("$@")
	printf '%s\n' "${all[RANDOM % ${#all[@]}]}"
}
request() { # into $how
	local n=$((1 + RANDOM % $(some 2 4 8 14)))

	how=(-t "$(some 5 10 15 20 30 60)" -n "$n" --mem-per-cpu="$(some 10 100)")
	[ "$n" -gt 4 ] || [ $((RANDOM % 4)) -ne 0 ] || how+=(-N1)
	[ $((RANDOM % 6)) -ne 0 ] || how+=(--exclusive)
	# one that the tasks fill: what else -w means is not ours to try here
	[ "$n" -gt 4 ] || [ $((RANDOM % 4)) -ne 0 ] || how+=(-N1 -w "$(some n1 n2 n3 n4 n5)")
	[ $((RANDOM % 2)) -ne 0 ] ||
		how+=(--reservation="$(some core later whole lap maint flex float daily)")
}
differ=0 started=0 waiting=0 touched=
one() {
	local want a b

	use stock
	submit "${how[@]}"
	a=$id
	want=no
	[ -z "$a" ] || ! wait_for 2 runs "$a" || want=yes
	[ -z "$a" ] || scancel "$a"
	use act
	submit "${how[@]}"
	b=$id
	if [ -z "$a" ] || [ -z "$b" ]; then
		[ -z "$a$b" ] || bad "both take it: ${how[*]} (seed $SEED)" "$(cat "$WORK/err")"
		[ -z "$b" ] || scancel "$b"
		return
	fi
	if [ "$want" = yes ]; then
		started=$((started + 1))
		wait_for 3 runs "$b" || {
			differ=$((differ + 1))
			bad "stock starts it, act leaves it: ${how[*]}" \
				"$(squeue -h -j "$b" -o '%r %T'; "$COSCHED" explain "$b")"
		}
	else
		waiting=$((waiting + 1))
		sleep 1
		! runs "$b" || {
			differ=$((differ + 1))
			bad "stock leaves it, act starts it: ${how[*]}" "$(cores "$b")"
		}
	fi
	if [ "${how[*]}" = "${how[*]/--reservation/}" ]; then
		touched+=$(holdings | awk '{ print $2, $3 }' | grep -Fxf "$WORK/cores")
	fi
	scancel "$b"
	wait_for 10 queue_empty || bad "jobs end" "$(squeue)"
	use stock
	wait_for 10 queue_empty || bad "jobs end" "$(squeue)"
}
use act
reserved core >"$WORK/cores"
is "the cores that are reserved" "$(wc -l <"$WORK/cores")" 2
for ((i = 0; i < requests; i++)); do
	request
	one
done
is "stock and act agree on $started that start and $waiting that wait (seed $SEED)" "$differ" 0
isnt "some start" "$started" 0
is "nobody from outside is on reserved cores" "$touched" ""

# --- all at once: whoever starts, reserved cores stay free

use act
for ((i = 0; i < 12; i++)); do
	how=(-t "$(some 5 30)" -n "$((1 + RANDOM % 8))")
	submit "${how[@]}"
done
sleep 3
is "a queue leaves reserved cores alone" \
	"$(holdings | awk '{ print $2, $3 }' | grep -Fxf "$WORK/cores")" ""
submit -t 5 -n2 --reservation=core
ok "and a job of the reservation has them" running "$id"
is "just them" "$(holdings | awk -v j="$id" '$1 == j { print $2, $3 }' | sort)" \
	"$(sort "$WORK/cores")"

# --- what waits inside is promised a start; --start shows it

submit -t 5 -n2 --reservation=core
second=$id
ok "one that waits inside is promised a start" \
	wait_for 5 sh -c "squeue -h --start -j $second -o %S | grep -q T"
begin=$(date -d "$(scontrol show reservation daily | grep -o 'StartTime=[^ ]*' | cut -d= -f2)" +%s)
submit -t 5 -n2 --reservation=daily
promised() { # JOB: its start as squeue has it, in seconds
	date -d "$(squeue -h --start -j "$1" -o %S)" +%s
}
at_begin() {
	local t

	t=$(promised "$id") && [ "$t" -ge "$begin" ] && [ "$t" -le $((begin + 1)) ]
}
ok "one whose reservation is to come is promised its begin" wait_for 5 at_begin
is "Slurm's reason stays" "$(reason "$id")" Reservation
clear_jobs

# --- jobs inside share

unreserve "${worlds[@]}"
use stock
unreserve "${worlds[@]}"
use act
reserve share starttime=now duration=60 nodes=n1,n2
a=$(profiled cg --reservation=share -N2 -n4)
b=$(profiled io --reservation=share -N2 -n4)
ok "two kinds that suit each other run in it" running "$a" "$b"
ok "on the same nodes" beside "$a" "$b"
like "as a group" "$(cat "$LOG")" '"group":[1-9]'
unreserve share 2>/dev/null
clear_jobs

# --- when it begins

unreserve share 2>/dev/null
reserve soon starttime=now+8 duration=60 nodes=n1 corecnt=2
a=$(job -t 5 -n2 --reservation=soon)
b=$(job -t 1 -N1 -n4 -w n1)
sleep 1
ok "before it begins its job waits" waits "$a"
ok "and what would meet it" waits "$b"
ok "it starts when it begins" wait_for 15 runs "$a"
clear_jobs
unreserve soon

# --- magnetic: it attracts, and keeps nobody from other nodes

# shellcheck disable=SC2329
magnet() {
	reserve magnet starttime=now duration=60 nodes=n2 flags=magnetic
}
both magnet
for c in stock act; do
	use $c
	a=$(job -t 5 -N1 -n4)
	ok "$c: a job runs" running "$a"
	ours && is "$c: in the magnetic reservation" "$(nodes_of "$a")" n2
	submit -t 5 -n20
	ok "$c: where the magnet is too small others have room" wait_for 5 runs "$id"
	unlike "$c: outside it" "$(nodes_of "$id")" n2
	clear_jobs
	unreserve magnet
done

# Only the last of so many has nodes of the partition.
# shellcheck disable=SC2329
magnets() {
	local i

	for i in {1..64}; do
		reserve "m$i" starttime=now duration=60 nodes=n1 flags=magnetic,overlap
	done
	reserve m65 starttime=now duration=60 nodes=n[2-6] flags=magnetic,overlap
}
both magnets
for c in stock act; do
	use $c
	submit -t 5 -p half -n2
	ok "$c: of many magnetic reservations one is taken whose nodes do" \
		wait_for 10 runs "$id"
	clear_jobs
	unreserve m{1..65}
done

# --- of licences: its nodes are no matter, it keeps its jobs until it begins

use act
reserve tools starttime=now+15 duration=60 nodes=n1 flags=any_nodes licenses=tool:1
begin=$(date -d "$(scontrol show reservation tools | grep -o 'StartTime=[^ ]*' | cut -d= -f2)" +%s)
submit -t 5 -N1 -n2 -w n2 --reservation=tools
ok "a job in a reservation of licences starts where it wants" wait_for 60 runs "$id"
is "nobody asked for it before the begin" \
	"$(grep "\"ev\":\"refuse\",\"job\":$id," "$LOG")" ""
late=$(($(date -d "$(field "$id" StartTime)" +%s) - begin))
ok "it starts as that begins" test "$late" -ge 0 -a "$late" -le 3
clear_jobs
unreserve tools

# --- lent: to what goes soon enough, and is sent away

# shellcheck disable=SC2329
lending() {
	reserve own starttime=now duration=300 nodes=n6
	reserve lent starttime=now duration=300 nodes=ALL flags=overlap maxstartdelay=5:00
}
both lending
for c in stock act; do
	use $c
	submit -t 1-0 -N5 --exclusive --signal=R:USR1@2
	ok "$c: what goes at 2 s' notice borrows nodes" wait_for 10 runs "$id"
	guest=$id
	submit -t 5 -N6 --exclusive --reservation=lent
	ok "$c: a job of theirs has them back" wait_for 30 runs "$id"
	ok "$c: the other is gone" gone "$guest"
	clear_jobs
	submit -t 1-0 -n2 --signal=R:USR1@300
	ok "$c: 300 s are soon enough" wait_for 10 runs "$id"
	clear_jobs
	submit -t 1-0 -n2 --signal=R:USR1@301
	ok "$c: 301 s are not" keeps_waiting "$id"
	submit -t 1-0 -n2 --signal=USR1@10
	ok "$c: nor is a signal for other ends" keeps_waiting "$id"
	submit -t 1-0 -N1 -n2 --signal=R:USR1@10 --reservation=own
	ok "$c: nor what is in another reservation" keeps_waiting "$id"
	clear_jobs
done

use act
same "all of it replays the same"
log_is_clean

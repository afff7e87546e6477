#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a job may ask of Slurm besides nodes, in mode act: arrays, dependencies,
# holds, begin times, requeue, cancel, heterogeneous jobs, reservations, features,
# memory, time limits.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# After a requeue a job waits until its old credential is void (cred_expire).  A slack
# with which a running job may be slowed by 1.2.
cluster --more cosched_slack=2 --node 'n1,n2 Feature=big' --node 'n3,n4 Feature=small' \
	--set MaxNodeCount=9 \
	--set "AuthInfo=socket=$WORK/cluster/munge/socket,cred_expire=5"
: >"$RUNS"
[ -z "${FULL:-}" ] || over=$(job -t 1 -w n4 -n1)

# Most runs at a time of the jobs that match $1.
most_at_once() {
	grep -E " $1 " "$RUNS" | sort -k3,3 |
		awk '{ n += $1 == "start" ? 1 : -1; if (n > most) most = n } END { print most + 0 }'
}
# A pair that shares, at a slowdown of 1.2 each: sets a, b
pair() {
	a=$(profiled cg -N2 -n4 "$@") b=$(profiled net -N2 -n4 "$@")
	running "$a" "$b" || bad "a pair starts" "$(squeue)"
	! ours || ok "a pair shares${1:+ ($*)}" wait_for 5 beside "$a" "$b"
}
# JOB has nobody beside it any more, and got a limit of its own again (10 minutes
# and what sharing cost it, in full minutes).
alone_again() {
	[ "$(field "$1" TimeLimit)" = 00:11:00 ] &&
		scontrol show job "$1" | grep -q 'SystemComment=cosched: shared its nodes' &&
		! "$COSCHED" groups | awk -v j="$1" '$3 == j { found = 1 } END { exit !found }'
}

# --- which may start, and when; a blocked head of the queue is passed ---------------

head=$(traced 1 -H -N4 --exclusive)
held=$(traced 1 -H -n1)
array=$(traced 1 --array=1-6%2 -n1)
failing=$(sbatch --parsable -o /dev/null -n1 -t 1 --wrap 'exit 1')
anyway=$(traced 1 -n1 -d "afterany:$failing")
never=$(traced 1 -n1 -d "afterok:$failing")
single1=$(traced 2 -n1 -J only -d singleton)
single2=$(traced 1 -n1 -J only -d singleton)
first=$(traced 4 -n1)
after=$(traced 1 -n1 -d "afterok:$first")
t0=$(date +%s)
later=$(traced 1 -n1 --begin=now+6)
running "$first"
is "a job waits for its dependency" "$(reason "$after")" Dependency
is "a job waits for its begin time" "$(reason "$later")" BeginTime
is "a held job waits" "$(reason "$held")" JobHeldUser
scontrol release "$held"
ok "a released job runs" wait_for 8 ended "$held"
ok "jobs behind a held head run" wait_for 10 ended "$first"
ok "every task of an array runs" wait_for 25 ended "$array"_{1,2,3,4,5,6}
is "an array keeps to its throttle and uses it" "$(most_at_once "${array}_[0-9]+")" 2
ok "afterok: runs" wait_for 10 ended "$after"
ok "afterok: after the end of the other" before "$(when end "$first")" "$(when start "$after")"
ok "afterany: runs after a failure" wait_for 10 ended "$anyway"
never_starts() {
	[ "$(reason "$never")" = DependencyNeverSatisfied ]
}
ok "afterok: never after a failure" wait_for 5 never_starts
ok "singleton: both run" wait_for 10 ended "$single1" "$single2"
is "singleton: one at a time" "$(most_at_once "($single1|$single2)")" 1
ok "begin time: runs" wait_for 10 ended "$later"
ok "begin time: not before" before $((t0 + 5)) "$(when start "$later")"
ok "begin time: soon behind it" before "$(when start "$later")" $((t0 + 20))
ok "the held head still waits" waits "$head"
[ -n "${FULL:-}" ] || {
	scontrol release "$head"
	ok "the released head runs" wait_for 10 ended "$head"
}
[ -z "${FULL:-}" ] || {
	sleep 50
	ok "a job over its time limit is ended" wait_for 50 gone "$over"
}
clear_jobs

# --- as many nodes as there are, or as few ------------------------------------------

took() { # took NODES [sbatch option]...
	local n=$1 j
	shift
	j=$(job "$@")
	running "$j"
	is "${*} takes $n nodes" "$(field "$j" NumNodes)" "$n"
	scancel "$j"
	wait_for 10 gone "$j"
}
took 4 -n4 --spread-job
took 3 -n3 --spread-job
took 4 -N1-4
took 4 -n4 -N2-4
took 2 -n4 -N2-4 --use-min-nodes
took 1 -n2 -N1-4 --use-min-nodes
clear_jobs

# --- a deadline is the limit of a job that asked for none -------------------------------

scontrol create PartitionName=endless Nodes=ALL MaxTime=-1 DefaultTime=-1
# 24.11 refuses it: its limit would be behind the deadline
if one=$(sbatch --parsable -o /dev/null -p endless --deadline=now+1hour --wrap 'sleep 60'); then
	some=$(sbatch --parsable -o /dev/null -p endless --array=1-2%1 \
		--deadline=now+1hour --wrap 'sleep 60')
	running "$one" "${some}_1"
	until_then='^(00:59|01:00):..$'
	like "a job of no limit ends at its deadline" "$(field "$one" TimeLimit)" "$until_then"
	like "so does an array's task" "$(field "${some}_1" TimeLimit)" "$until_then"
	! ours || is "the next one has no limit yet" "$(squeue -h -j "${some}_2" -o %l)" UNLIMITED
	clear_jobs
else
	omit "a job of no limit ends at its deadline" "this release takes none"
fi
scontrol delete PartitionName=endless

# --- array tasks share; one task is cancelled ---------------------------------------

one=$(profiled cg --array=1-2 -n4) other=$(profiled io --array=1-2 -n4)
ok "array tasks with a profile all run" running "$one"_{1,2} "$other"_{1,2}
! ours || is "array tasks share nodes" "$(holdings | awk '{ print $1, $2 }' | sort -u |
	awk '{ n[$2]++ } END { for (i in n) if (n[i] == 2) k++; print k }')" 4
is "no core is held twice" "$(holdings | held_twice)" ""
waiting=$(job --array=1-3 -N4 --exclusive)
scancel "${waiting}_2"
is "of a waiting array one task can be cancelled" \
	"$(squeue -h -r -j "$waiting" -o %K | sort | paste -sd,)" 1,3
clear_jobs

# --- requeue and cancel: the group is no more ---------------------------------------

pair
! ours || ok "the limits of jobs that share are raised" wait_for 5 eval \
	'[ "$(field "$a" TimeLimit) $(field "$b" TimeLimit)" = "00:12:00 00:12:00" ]'
next=$(job -N4 --exclusive)
scancel "$next"
ok "a waiting job is cancelled" wait_for 5 gone "$next"
scontrol requeue "$b"
ok "a requeued job waits" wait_for 10 is_state "$b" PENDING
ok "a requeued job has its own limit again" wait_for 4 eval \
	'[ "$(field "$b" TimeLimit)" = 00:10:00 ]'
! ours || ok "requeue: the group is disbanded" wait_for 8 alone_again "$a"
ok "a requeued job runs again" running "$b"
is "a requeued job has been restarted once" "$(field "$b" Restarts)" 1
is "the other one has run on" "$(state "$a") $(field "$a" Restarts)" "RUNNING 0"
! ours || ok "a requeued job shares again" beside "$a" "$b"
scancel "$a"
ok "a running member is cancelled" wait_for 10 gone "$a"
! ours || ok "cancel: the group is disbanded" wait_for 8 alone_again "$b"
is "cancel: the other one runs on" "$(state "$b")" RUNNING
clear_jobs

# --- a limit that an administrator gave to a job whose limit was raised --------------

pair
scontrol update jobid="$b" timelimit=60
sleep 2.2
scontrol requeue "$b"
scontrol update jobid="$a" timelimit=30
scontrol requeue "$a"
ok "both wait again" wait_for 10 waits "$a" "$b"
sleep 2.2
is "an administrator's limit outlives a requeue" "$(field "$b" TimeLimit)" 01:00:00
is "also one of just before it" "$(field "$a" TimeLimit)" 00:30:00
ok "they run again" running "$a" "$b"
clear_jobs

# --- heterogeneous jobs ----------------------------------------------------------------

het_states() {
	squeue -h -j "$1" -o %T | sort | uniq -c | awk '{ print $1 $2 }' | paste -sd' '
}
for n in n1 n2 n3; do job -w $n --exclusive >/dev/null; done
wait_for 10 eval '[ "$(squeue -h -t R | wc -l)" = 3 ]'
het=$(sbatch --parsable -o /dev/null -t 10 -N1 --exclusive : -N1 --exclusive \
	--wrap 'sleep 60' </dev/null)
sleep 2.5
is "a heterogeneous job waits as a whole" "$(het_states "$het")" 2PENDING
scancel "$(squeue -h -t R -o %i | head -n 1)"
seen=
for ((i = 0; i < 100; i++)); do
	now=$(het_states "$het")
	[[ $seen = *"$now" ]] || seen="$seen $now"
	[ "$now" != 2RUNNING ] || break
	sleep 0.1
done
is "its components start together" "$seen" " 2PENDING 2RUNNING"
is "at one time" "$(scontrol show job "$het" | grep -o 'StartTime=[^ ]*' | sort -u | wc -l)" 1
is "no core is held twice beside it" "$(holdings | held_twice)" ""
clear_jobs
het=$(sbatch --parsable -o /dev/null -t 10 -n2 : -n4 --wrap 'sleep 60' </dev/null)
wait_for 10 eval '[ "$(het_states "$het")" = 2RUNNING ]'
is "a small heterogeneous job runs" "$(het_states "$het")" 2RUNNING
scancel "$het"
ok "its components are cancelled together" wait_for 10 eval '[ -z "$(squeue -h -j "$het" -o %T)" ]'
clear_jobs
scontrol create PartitionName=aux Nodes=n1,n2 State=UP >/dev/null
alone=$(profiled cg -w n1,n2 -N2 -n4)
running "$alone"
het=$(sbatch --parsable -o /dev/null -t 10 -p main -N1 : -p aux -N1 --wrap 'sleep 60' </dev/null)
sleep 2.5
! ours || is "no component of another partition comes beside a job that shares with nobody unasked" \
	"$(het_states "$het")" 2PENDING
scancel "$alone"
ok "it starts when its nodes are free" wait_for 10 eval '[ "$(het_states "$het")" = 2RUNNING ]'
is "each component in its partition" "$(squeue -h -j "$het" -o %P | sort | paste -sd' ')" "aux main"
clear_jobs
scontrol delete PartitionName=aux

# --- reservations ------------------------------------------------------------------------

scontrol create reservation reservationname=r1 starttime=now duration=30 \
	users=root nodes=n4 >/dev/null
for i in 1 2 3 4 5; do out[i]=$(job -N1 --exclusive); done
in=$(job -N1 --exclusive --reservation=r1)
ok "a job in a reservation runs" running "$in"
is "it runs on the reservation's node" "$(nodes_of "$in")" n4
wait_for 5 running "${out[@]:1:3}"
is "others are kept off it" "$(squeue -h -t R -o '%i %N' | grep -v "^$in " |
	awk '{ print $2 }' | sort | paste -sd' ')" "n1 n2 n3"
ok "and wait" waits "${out[4]}" "${out[5]}"
scancel "$in"
wait_for 10 gone "$in"
sleep 1.5
ok "a free reserved node stays free" waits "${out[4]}" "${out[5]}"
scontrol delete reservationname=r1
ok "without the reservation they start there" running "${out[4]}"
clear_jobs
# A limit of 2 minutes ends before it, one that is raised to 3 does not.
scontrol create reservation reservationname=r2 starttime=now+165 duration=10 \
	flags=maint users=root nodes=ALL >/dev/null
long=$(job -n1) short=$(job -n1 -t 1)
ok "a job that ends before a maintenance runs" running "$short"
scancel "$short"
a=$(profiled cg -N2 -n4 -t 2) b=$(profiled net -N2 -n4 -t 2)
running "$a" "$b"
before_maint() {
	local start end
	start=$(date -d "$(scontrol show reservation r2 | grep -o 'StartTime=[^ ]*' | cut -d= -f2)" +%s)
	end=$(date -d "$(field "$1" EndTime)" +%s)
	[ "$end" -le "$start" ]
}
sleep 1
ok "no limit is raised into a maintenance" before_maint "$a"
ok "nor for the other one" before_maint "$b"
ok "a job that does not waits" waits "$long"
like "and says so" "$(reason "$long")" 'ReqNodeNotAvail|Reserved|[Mm]aintenance|reserv'
scontrol delete reservationname=r2
scancel "$a" "$b"
ok "without the maintenance it runs" running "$long"
clear_jobs

# --- features -----------------------------------------------------------------------------

nok "a feature that no node has is refused" job -C none
small=$(job -N1 --exclusive -C small)
big=$(job -N2 --exclusive -C big)
ok "jobs with features run" running "$small" "$big"
is "on nodes that have it" "$(nodes_of "$big")" "n1 n2"
like "each" "$(nodes_of "$small")" '^n[34]$'
either=$(job -N2 --exclusive -C '[big|small]')
sleep 2
ok "[big|small] waits for two of a kind" waits "$either"
scancel "$small"
ok "and runs then" running "$either"
is "on nodes of one kind" "$(nodes_of "$either")" "n3 n4"
clear_jobs
pair -C small
! ours || is "with their feature" "$(nodes_of "$a")" "n3 n4"
clear_jobs

# --- memory (2000 MB a node) -----------------------------------------------------------

for i in 1 2 3 4 5; do mem[i]=$(job -n1 --mem=1200); done
ok "as many jobs run as memory holds" running "${mem[@]:1:4}"
sleep 1.5
ok "one more waits, though cores are free" waits "${mem[5]}"
is "each on a node of its own" "$(squeue -h -t R -o %N | sort | paste -sd' ')" "n1 n2 n3 n4"
scancel "${mem[2]}"
ok "and runs when memory is free" running "${mem[5]}"
clear_jobs
a=$(profiled cg -n4 --mem=1500) b=$(profiled io -n4 --mem=1500)
ok "two jobs whose memory does not fit beside each other run" running "$a" "$b"
is "on other nodes" "$(comm -12 <(nodes_of "$a" | tr ' ' '\n' | sort) \
	<(nodes_of "$b" | tr ' ' '\n' | sort))" ""
clear_jobs
per=$(job -n4 --mem-per-cpu=900) per2=$(job -n2 --mem-per-cpu=900)
all=$(job -n1 --mem=0)
ok "memory by CPU spreads a job" running "$per" "$per2" "$all"
is "over two nodes" "$(field "$per" NumNodes)" 2
is "no more jobs beside it" "$(holdings | awk -v j="$all" '
	$1 == j { n = $2 } { on[$2] = on[$2] $1 " " } END { print on[n] == j " " }')" 1
clear_jobs

# --- suspended and resumed by an administrator ------------------------------------------

first=$(job -w n1,n2 -N2 -n8 --mem=100)
running "$first"
scontrol suspend "$first"
other=$(job -w n2 -n4 --mem=100)
ok "a job takes the cores of a suspended one" running "$other"
! ours || {
	nok "what would share a core is not resumed" scontrol resume "$first"
	is "it stays suspended" "$(state "$first")" SUSPENDED
	is "no CPU is held twice" "$(holdings | held_twice)" ""
}
scancel "$other"
wait_for 10 gone "$other"
ok "it goes on when they are free" wait_for 10 scontrol resume "$first"
ok "and runs" running "$first"
clear_jobs

# A suspended job whose cores one with a lower number has is known to a slurmctld that starts anew.
counted() { # RUNNING SUSPENDED
	"$COSCHED" status --json | tr -d ' \n' | grep -q "\"running\":$1,\"suspended\":$2,"
}
for how in reconfigure restart; do
	low=$(job -H -w n1 -n4 --mem=100)
	high=$(job -w n1 -n4 --mem=100)
	running "$high"
	scontrol suspend "$high"
	scontrol release "$low"
	ok "$how: a job with a lower number takes the cores of a suspended one" running "$low"
	! ours || ok "$how: both are counted" wait_for 5 counted 1 1
	if [ "$how" = restart ]; then
		vc restart-ctld && vc wait-up >/dev/null
	else
		scontrol reconfigure
		sleep 2
	fi
	! ours || {
		ok "$how: and are so behind it" wait_for 15 counted 1 1
		unlike "$how: the suspended one is explained" "$("$COSCHED" explain "$high" 2>&1)" \
			"no such job|left to Slurm"
	}
	scancel "$low"
	wait_for 10 gone "$low"
	ok "$how: the other goes on" wait_for 10 scontrol resume "$high"
	running "$high"
	! ours || ok "$how: and is counted" wait_for 5 counted 1 0
	third=$(job -N1 -n4 --mem=100)
	ok "$how: a third job starts at once" wait_for 5 is_state "$third" RUNNING
	isnt "$how: elsewhere" "$(nodes_of "$third")" n1
	clear_jobs
done
! ours || nok "Slurm left nothing to itself" log_has 'cosched: job .* left to Slurm'
! ours || same "the log, suspended jobs and all, is decided again"
log_is_clean

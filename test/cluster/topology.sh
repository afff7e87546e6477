#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Topology: what stock Slurm starts on an idle cluster mode act starts within 3 s, on
# no more leaf switches (blocks) than stock uses; no job is put on parts that nothing
# joins; nodes come from the smallest group that holds the job; --switches=N@T waits
# for N switches, but not longer than T; a topology that changes is noticed.
#
# Two clusters stand side by side, stock and act, and are asked the same. FULL=1: 60
# random requests a topology instead of 10; SEED=N: other ones.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

requests=10
[ -z "${FULL:-}" ] || requests=60
RANDOM=${SEED:=$(date +%s)}
echo "SEED=$SEED"
blocks=
! slurmctld -V | grep -qE ' (2[4-9]|[3-9][0-9])\.' || blocks=1

parts=$WORK/parts.conf tree=$WORK/tree.conf block=$WORK/block.conf
cat >"$parts" <<'CONF'
SwitchName=s1 Nodes=n[1-2]
SwitchName=s2 Nodes=n[3-6]
CONF
cat >"$tree" <<'CONF'
SwitchName=l1 Nodes=n[1-3]
SwitchName=l2 Nodes=n4
SwitchName=l3 Nodes=n[5-6]
SwitchName=l4 Nodes=n[7-8]
SwitchName=m1 Switches=l[1-2]
SwitchName=m2 Switches=l[3-4]
SwitchName=top Switches=m[1-2]
CONF
cat >"$block" <<'CONF'
BlockName=b1 Nodes=n[1-2]
BlockName=b2 Nodes=n[3-4]
BlockName=b3 Nodes=n[5-6]
BlockName=b4 Nodes=n[7-8]
BlockSizes=2,4
CONF

# both NODES CONF: the two clusters; act is the one in use
both() {
	conf=$2
	rm -f "$LOG"
	cluster --stock --name stock --nodes "$1" --topology "$conf" --params bf_interval=1
	cluster --name act --nodes "$1" --topology "$conf" --more bf_interval=1
}
both_end() {
	log_is_clean act
	ok "replay decides the same" replays
	use stock
	cluster_down
	use act
	cluster_down
}
replays() {
	"$COSCHED" replay "$LOG" | grep '^same:'
}

# leaves NODE...: leaf switches, or blocks, that these nodes are of
leaves() {
	local n names

	while read -r _ names; do
		names=$(scontrol show hostnames "${names#Nodes=}")
		for n; do
			grep -qx "$n" <<<"$names" && echo 1 && break
		done
	done < <(grep ' Nodes=' "$conf") | wc -l
}
where() { # the nodes of job $1
	scontrol show hostnames "$(squeue -h -j "$1" -o %N)" | paste -sd' '
}
# starts JOB: within 3 s
starts() {
	wait_for 3 is_state "$1" RUNNING
}
ends() {
	scancel --quiet "$1"
	clear_jobs >/dev/null
	vc wait-idle >/dev/null 2>&1
}

request() {
	local n=$((1 + RANDOM % $1)) k

	k=$((n + RANDOM % (2 * n)))
	case $((RANDOM % 7)) in
	0) echo "-n$((1 + RANDOM % (4 * $1)))" ;;
	1) echo "-N$n" ;;
	2) echo "-N$n -n$k" ;;
	3) echo "-n$k --exclusive" ;;
	4) echo "-N$n --ntasks-per-node=2" ;;
	5) echo "-n$k" ;;
	6) echo "-N$n-$n -n$((2 * n)) --exclusive" ;;
	esac
}

# compare OPTION...: put to both; what stock starts act starts, on as few leaves
compare() {
	local s a at_stock at_act

	use stock
	s=$(job "$@" 2>/dev/null) || s=
	use act
	a=$(job "$@" 2>/dev/null) || a=
	if [ -z "$s" ] || [ -z "$a" ]; then
		is "$*: refused by both or by none" "${a:+taken}" "${s:+taken}"
	elif use stock && ! starts "$s"; then
		good "$*: stock does not start it" # whatever act does
	else
		at_stock=$(where "$s")
		use act
		# both were asked at once: its 3 s began before
		if starts "$a"; then
			at_act=$(where "$a")
			# shellcheck disable=SC2086 # names of nodes
			if [ "$(leaves $at_act)" -le "$(leaves $at_stock)" ]; then
				good "$*: on $at_act, stock on $at_stock"
			else
				bad "$*: no more leaves than stock's" \
					"on $at_act, stock on $at_stock"
			fi
		else
			bad "$*: starts as under stock" \
				"$("$COSCHED" explain "$a"; squeue -j "$a")"
		fi
	fi
	use stock
	[ -z "$s" ] || ends "$s"
	use act
	[ -z "$a" ] || ends "$a"
}

# random NODES
random() {
	local i r

	for ((i = 0; i < requests; i++)); do
		r=$(request "$1")
		# shellcheck disable=SC2086 # several options
		compare $r
	done
}

# on "NODES" OPTION...: such a job with nodes of its own gets exactly these
on() {
	local want=$1 j

	shift
	j=$(job --exclusive "$@")
	starts "$j"
	is "$*: where it belongs" "$(where "$j")" "$want"
	last=$j
}

# --- two switches that nothing joins

both 6 "$parts"
# requests that once were refused for ever
compare -n7
compare -n5 -N4
compare -n12
compare -n5 --exclusive
random 6
on "n1 n2" -N2
on "n3 n4 n5" -N3
waits=$(job --exclusive -N2)
ok "a job that only fits across the parts waits" wait_for 3 is_state "$waits" PENDING
sleep 2
ok "... and goes on waiting" is_state "$waits" PENDING
one=$(job --exclusive -N1)
ok "... but not what fits on what is left" starts "$one"
unlike "Slurm has refused no start" "$(grep 'cosched:' "$CTLD_LOG")" 'refused'
scancel "$one" "$last"
ok "when its part is free it starts" wait_for 10 is_state "$waits" RUNNING
clear_jobs
vc wait-idle >/dev/null 2>&1
contiguous=$(job -N3 --contiguous)
ok "--contiguous looks at no topology, as under stock" wait_for 5 is_state "$contiguous" RUNNING
clear_jobs
nok "no part holds five nodes" job -N5
echo 'SwitchName=top Switches=s[1-2]' >>"$COSCHED_VCLUSTER/topology.conf"
scontrol reconfigure
wait_for 20 in_act
five() {
	last=$(job -N5) && wait_for 5 is_state "$last" RUNNING
}
ok "after a reconfigure a third switch joins them" wait_for 20 five
clear_jobs
both_end

# --- a tree of three levels

both 8 "$tree"
random 8
on "n4" -N1
on "n5 n6" -N2
on "n7 n8" -N2
on "n1 n2 n3" -N3
clear_jobs
vc wait-idle >/dev/null 2>&1
on "n1 n2 n3 n4" -N4
on "n5 n6 n7" -N3
clear_jobs
vc wait-idle >/dev/null 2>&1
on "n1 n2 n3 n5 n6" -N5
clear_jobs
vc wait-idle >/dev/null 2>&1

# one node is left of each leaf
for n in n1 n2 n5 n7; do
	j=$(job -N1 --exclusive -w "$n")
	running "$j"
done
began=$SECONDS
j=$(job --exclusive -N2 --switches=1@0:08)
sleep 4
ok "--switches=1@0:08 waits for one switch" is_state "$j" PENDING
ok "... but not for ever" wait_for 30 is_state "$j" RUNNING
if [ $((SECONDS - began)) -ge 7 ]; then
	good "... and not less than it says"
else
	bad "... and not less than it says" "$((SECONDS - began)) s"
fi
scancel "$j"
wait_for 10 gone "$j"
j=$(job --exclusive -N2 --switches=1@10:00)
sleep 2
ok "--switches=1@10:00 waits" is_state "$j" PENDING
scancel "$(squeue -h -w n1 -o %i)"
ok "... until one switch has the nodes" wait_for 20 is_state "$j" RUNNING
# shellcheck disable=SC2046 # names of nodes
is "... and gets them from one" "$(leaves $(where "$j"))" 1
clear_jobs
both_end

# --- blocks

if [ -z "$blocks" ]; then
	omit "blocks" "this release has no topology/block that tells its sizes"
	exit
fi
both 8 "$block"
random 8
compare -N3
compare -N5
compare -n9
on "n1 n2" -N2
on "n3" -N1
on "n4" -N1
on "n5 n6 n7" -N3
waits=$(job --exclusive -N2)
sleep 2
ok "two nodes of two blocks do not do for a job of one block" is_state "$waits" PENDING
both_end

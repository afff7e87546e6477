#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# PreemptMode=SUSPEND,GANG, mode act beside stock Slurm: a job of a higher PriorityTier
# starts on the cores of one below, which the gang scheduler suspends and resumes when
# the other has ended. Meanwhile its cores are for nobody of its own tier, and such jobs
# start where room is.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$WORK/partitions" <<'END'
PartitionName=low Nodes=ALL PriorityTier=2 OverSubscribe=FORCE:1 Default=YES MaxTime=60
PartitionName=high Nodes=ALL PriorityTier=10 OverSubscribe=FORCE:1 MaxTime=60
END
gang=(--nodes 3 --set PartitionName= --conf "$WORK/partitions" --select-params CR_Core
	--set PreemptType=preempt/partition_prio --set PreemptMode="SUSPEND,GANG")
cluster --stock --name stock "${gang[@]}" --params bf_interval=2
cluster --name act --more cosched_order=slurm "${gang[@]}"
: >"$RUNS"

soon() { # JOB: as soon as stock Slurm starts it, where a cycle of ours may lie between
	wait_for 4 is_state "$1" RUNNING
}
suspended() {
	wait_for 4 is_state "$1" SUSPENDED
}

on_held_cores() { # of the cluster in use, $1
	local low other held high late

	low=$(job -p low -w n1 -N1 -n4)
	other=$(job -p low -w n2 -N1 -n4)
	running "$low" "$other"
	held=$(cores "$low")
	high=$(job -p high -w n1 -N1 -n1)
	ok "$1: a job of the higher tier starts on the cores of a lower one" soon "$high"
	ok "$1: which is suspended" suspended "$low"
	ok "$1: a job of the lower tier starts where there is room" soon "$(job -p low -N1 -n2)"
	late=$(job -p low -w n1 -N1 -n2)
	ok "$1: one that may only use the node of the suspended one waits" keeps_waiting "$late"
	ok "$1: one of the higher tier does not" soon "$(job -p high -w n1 -N1 -n2)"
	vc restart-ctld && vc wait-up >/dev/null
	! ours || wait_for 15 in_act
	ok "$1: a restart of slurmctld leaves it suspended" suspended "$low"
	ok "$1: and its cores to nobody of its tier" keeps_waiting "$late"
	ok "$1: a job starts where there is room" soon "$(job -p low -N1 -n2)"
	scancel --partition=high --state=RUNNING
	ok "$1: it goes on when those of the higher tier have gone" soon "$low"
	is "$1: on its cores" "$(cores "$low")" "$held"
	is "$1: no core is held twice" "$(holdings | held_twice)" ""
	ok "$1: what waits for them waits on" keeps_waiting "$late"
	scancel "$low"
	ok "$1: until it has ended" soon "$late"
	is "$1: nobody has disturbed the others" "$(state "$other")" RUNNING
	clear_jobs
}

# The head of the queue needs the nodes of a suspended job: what else starts meanwhile.
declare -A passed=()
behind_suspended() { # of the cluster in use, $1
	local low high wide short long

	low=$(job -p low -w n1 -N1 -n4 -t 30)
	running "$low"
	high=$(job -p high -w n1 -N1 -n4 -t 40)
	ok "$1: the head's node has a suspended job" suspended "$low"
	wide=$(job -p low -N3 --exclusive -t 30)
	sleep 3
	short=$(job -p low -N1 -n1 -t 5)
	ok "$1: a short job starts beside the head" soon "$short"
	long=$(job -p low -N1 -n1 -t 60)
	sleep 6
	passed[$1]=$(state "$long")
	is "$1: the head waits" "$(state "$wide")" PENDING
	scancel "$high" "$short" "$long"
	ok "$1: the suspended job goes on" soon "$low"
	scancel "$low"
	ok "$1: the head starts when it has gone" soon "$wide"
	clear_jobs
}

use stock
on_held_cores stock
behind_suspended stock
use act
on_held_cores act
behind_suspended act
is "a long job beside the head as under stock" "${passed[act]}" "${passed[stock]}"
same "what was decided beside held cores is decided again"
log_is_clean

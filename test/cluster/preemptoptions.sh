#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Preemption by a job that may start in several ways: in one of several partitions, in
# one of several reservations, in a magnetic reservation or outside it. The way that
# comes first may be closed: the others are tried, in mode act as by stock Slurm beside
# it. (Several QOS: preemptqos.sh.)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$WORK/partitions" <<'END'
PartitionName=low Nodes=ALL PriorityTier=2 PreemptMode=REQUEUE
PartitionName=down Nodes=ALL PriorityTier=20 State=DOWN
PartitionName=brief Nodes=ALL PriorityTier=20 MaxTime=2
PartitionName=high Nodes=ALL PriorityTier=10
PartitionName=half Nodes=n1 PriorityTier=10
PartitionName=closed Nodes=ALL PriorityTier=1 State=DOWN
END
site="bf_interval=1,sched_interval=2"
conf=(--nodes 2 --conf "$WORK/partitions" --set PriorityType=priority/basic
	--set PreemptType=preempt/partition_prio --set PreemptMode=REQUEUE
	--set PreemptExemptTime=00:00:00)
cluster --stock --name stock --params "$site" "${conf[@]}"
cluster --name act --more "$site,cosched_order=slurm" "${conf[@]}"

reserve() { # reserve NAME USER KEY=VALUE...
	scontrol create reservation reservationname="$1" users="$2" "${@:3}" \
		>/dev/null 2>"$WORK/err" || bad "reservation $1 is made" "$(cat "$WORK/err")"
}
unreserve() {
	local r

	for r; do scontrol delete reservationname="$r" >/dev/null; done
}
has_start() { # JOB: does squeue --start show one?
	squeue -h --start -j "$1" -o %S | grep -q '^20'
}
requeued() { # JOB: once
	[ "$(state "$1") $(field "$1" Restarts)" = "PENDING 1" ]
}
fill() { # [sbatch option]...: both nodes, by two jobs of partition low: into $one, $two
	one=$(job -p low -N1 --exclusive "$@")
	two=$(job -p low -N1 --exclusive "$@")
	running "$one" "$two" || bad "$c: the machine is full" "$(squeue)"
}
# preempts TEXT [sbatch option]...: such a job runs in the place of one of the two
preempts() {
	local text="$c: $1" high
	shift
	high=$(job -N1 --exclusive "$@")
	ok "$text: the job runs by a preemption" wait_for 20 is_state "$high" RUNNING
	is "$text: of one job, once" \
		"$(for j in "$one" "$two"; do requeued "$j" && echo requeued; done)" requeued
	is "$text: no core is held twice" "$(holdings | held_twice)" ""
	clear_jobs
}

for c in stock act; do
	use $c

	# --- a magnetic reservation
	reserve theirs sys starttime=now+3600 duration=60 nodes=ALL flags=magnetic
	fill
	preempts "another user's magnetic reservation, later" -p high
	unreserve theirs
	reserve mine root starttime=now+3600 duration=60 nodes=ALL flags=magnetic
	fill
	preempts "its user's own, later" -p high
	unreserve mine
	reserve mine root starttime=now duration=60 nodes=n1 flags=magnetic
	reserve theirs sys starttime=now+3600 duration=60 nodes=n2 flags=magnetic
	fill
	preempts "its user's own, now, and another user's, later" -p high
	unreserve mine theirs

	# --- partitions
	fill
	preempts "the first partition may not preempt" -p low,high
	fill
	preempts "the first partition is down" -p down,high
	fill
	preempts "the first partition's limit is too short" -p brief,high
	fill
	preempts "the first partition is too small" -p half,high -w n2

	# what is shown of a job that may start in one of its partitions
	for id in 1 2 3; do
		last=$(job -p "$([ "$id" = 3 ] && echo high,closed || echo high)" -N2 --exclusive)
	done
	ok "$c: the last partition is down: the job has an expected start" \
		wait_for 20 has_start "$last"
	! ours || like "$c: by its plan in the other, as explain has it" \
		"$("$COSCHED" explain "$last")" "^job $last .*waits: planned on 2 nodes"
	clear_jobs

	# --- a list of reservations
	reserve later root starttime=now+3600 duration=60 nodes=n1
	reserve now root starttime=now duration=60 nodes=n[1-2] flags=overlap
	fill --reservation=now
	preempts "the first reservation begins later" -p high --reservation=later,now
	unreserve later now
done

# What a user may not use is no way of his job, however many there are.
use act
for i in {1..70}; do
	reserve "r$i" sys starttime=now duration=60 nodes=n1 flags=magnetic,overlap
done
reserve mine root starttime=now duration=60 nodes=n1 flags=magnetic,overlap
id=$(job -p high -N1 --exclusive)
ok "behind 70 magnetic reservations of another user a job runs in its own" running "$id"
is "there" "$(nodes_of "$id")" n1
clear_jobs
# As many ways as a job can have.
unreserve r{1..70} mine
for i in {1..70}; do
	reserve "m$i" root starttime=now+3600 duration=60 nodes=n1 flags=magnetic,overlap
done
fill
preempts "70 of its user's own magnetic reservations, later" -p high
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Heterogeneous jobs beside stock Slurm in the same run: each that stock starts on an
# idle cluster starts as soon, and a queue of them and of plain jobs ends no later.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Schedulers that look once a second; stock's looks of backfill are 30 s apart.
site=bf_interval=1,batch_sched_delay=1
cat >"$WORK/partitions" <<'CONF'
PartitionName=left Nodes=n[1-3] State=UP
PartitionName=right Nodes=n[3-6] State=UP
PartitionName=one Nodes=n2 State=UP
PartitionName=whole Nodes=n[4-6] State=UP OverSubscribe=EXCLUSIVE
CONF
shape=(--nodes 6 --cores 2 --conf "$WORK/partitions")
cluster --stock --name stock "${shape[@]}" --params "$site"
cluster --name act "${shape[@]}" --params "$site,cosched_mode=act,cosched_log=$LOG"

# how many components of job $1 run
run_of() {
	squeue -h -t R -j "$1" -o %i 2>/dev/null | wc -l
}
all_run() { # JOB COMPONENTS
	[ "$(run_of "$1")" = "$2" ]
}

# starts COMPONENTS OPTIONS...: on the idle cluster, under stock and under act
starts() {
	local n=$1 id
	shift

	use stock
	id=$(job "$@")
	ok "$*: stock starts it" wait_for 8 all_run "$id" "$n"
	clear_jobs
	use act
	id=$(job "$@")
	ok "$*: and so does act" wait_for 5 all_run "$id" "$n"
	is "$*: no core is held twice" "$(holdings | held_twice)" ""
	clear_jobs
}

starts 2 -n2 : -n3 -w n1,n2
starts 2 -w n1,n3 : -n2 -w n2
starts 3 -N3 : -w n1 : -N2
starts 2 -p one -n2 : -p left,right -n14
starts 2 -p left -N1 : -p one -n4
starts 2 -p one -n2 -c2 : -p right -n16
starts 2 -p whole -N1 : -p right -N3 -n12

# Components leave nodes alone that are promised to another, where there are others:
# the first job waits for all of left, Slurm by itself would take n2 and n3.
use act
before=$(LIMIT=1 SLEEP=9 job -w n1 -n4)
wait_for 5 running "$before"
first=$(job -p left -N3 --exclusive)
sleep 1.5
het=$(job -n1 : -n1)
ok "components start beside a promise" wait_for 5 all_run "$het" 2
is "and take none of its nodes" "$(squeue -h -j "$het" -o %N | sort -u | paste -sd' ')" "n4 n5"
ok "who was promised them gets them" wait_for 15 all_run "$first" 1
clear_jobs

# Its component may use a half of a node though the leader takes whole ones.
half=$(job -n2 -w n3)
wait_for 5 running "$half"
het=$(job -p right -N3 --exclusive : -p left -n8)
ok "a component goes beside others where its leader would not" wait_for 5 all_run "$het" 2
clear_jobs

# makespan: 60 at most (stock may stand still behind components that wait for others);
# of a mixed queue, from the first submit to the end of the last job, in s
makespan() {
	local from=$SECONDS i
	local het=("-n3 : -n5" "-p left -n4 : -p right -n6" "-p one -n2 : -n4 -w n1,n3"
		"-p right -N2 --exclusive : -p left -n2" "-n8 : -p one -n1 : -p right -n3")

	for ((i = 0; i < 10; i++)); do
		# shellcheck disable=SC2086 # words
		LIMIT=1 SLEEP=2 job ${het[i % 5]} >/dev/null
		LIMIT=1 SLEEP=$((1 + i % 3)) job -n $((1 + i * 5 % 9)) >/dev/null
	done
	wait_for 60 queue_empty
	echo $((SECONDS - from))
}
as_soon() {
	[ "$act" -lt 60 ] && [ "$act" -le $((stock + stock / 4 + 1)) ]
}
use stock
stock=$(makespan)
clear_jobs
use act
act=$(makespan)
ok "a queue of 10 heterogeneous and 10 plain jobs ends as soon: $act s, stock's $stock" \
	as_soon

log_is_clean act
same "the decisions are made again"

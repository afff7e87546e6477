#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Preemption while small jobs keep coming, beside stock Slurm in the same run: what a
# preempting job waits for, idle cores too, is its own until it starts, through GraceTime;
# by CANCEL, REQUEUE and SUSPEND, of one and of several jobs. No small job of the preempted
# partition starts meanwhile, and it starts no later than under stock.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

site="bf_interval=1,sched_interval=2"
GRACE=${GRACE:-12}
# preempts NAME LOW-KEYS PREEMPTMODE OPTIONS-OF-HIGH COUNT SIZE: in stock and act, COUNT
# jobs of SIZE cores of partition low run, a job of high preempts them, small ones come
preempts() {
	local name=$1 c i

	echo "PartitionName=low Nodes=ALL PriorityTier=1 $2
PartitionName=high Nodes=ALL PriorityTier=10" >"$WORK/$name"
	for c in stock act; do
		if [ $c = stock ]; then
			cluster --stock --name "$c-$name" --params "$site" --nodes 2 \
				--conf "$WORK/$name" --set PreemptType=preempt/partition_prio \
				--set "PreemptMode=$3" --set PreemptExemptTime=00:00:00
		else
			cluster --name "$c-$name" --more "$site" --nodes 2 \
				--conf "$WORK/$name" --set PreemptType=preempt/partition_prio \
				--set "PreemptMode=$3" --set PreemptExemptTime=00:00:00
		fi
		one "$4" "$5" "$6"
		took[$c]=$waited small[$c]=$others
		clear_jobs
		cluster_down
	done
	ok "$name: (stock's job starts: ${took[stock]} s)" test "${took[stock]}" -lt 120
	# a look of each scheduler, and a busy machine's noise
	ok "$name: the job starts no later than under stock: ${took[act]} s, stock ${took[stock]} s" \
		test "${took[act]}" -le $((${took[stock]} + 5))
	ok "$name: no more small jobs start meanwhile: ${small[act]}, stock ${small[stock]}" \
		test "${small[act]}" -le "${small[stock]}"
}
declare -A took=() small=()
one() { # one OPTIONS COUNT SIZE: into $waited, $others
	local victims=() high i from ids=()

	for ((i = 0; i < $2; i++)); do
		victims+=("$(SLEEP=600 job -p low -N1 -n "$3" -t 60)")
	done
	running "${victims[@]}" || bad "$NAME: the jobs of low run" "$(squeue)"
	# shellcheck disable=SC2086
	high=$(SLEEP=600 job -p high $1 -t 60)
	from=$(date +%s)
	for ((i = 0; i < 240; i++)); do
		[ $((i % 4)) -gt 0 ] || [ ${#ids[@]} -gt 11 ] ||
			ids+=("$(SLEEP=600 job -p low -n1 -t 30)")
		is_state "$high" RUNNING && break
		sleep 0.5
	done
	waited=$(($(date +%s) - from))
	others=$(squeue -h -t R -j "$(IFS=,; echo "${ids[*]}")" -o %i | wc -l)
}

# 2 nodes of 4 cores: node 1 full, 3 of node 2 (the fourth is idle)
preempts cancel "PreemptMode=CANCEL GraceTime=$GRACE" CANCEL "-N2 -n8" 2 3
preempts requeue "PreemptMode=REQUEUE GraceTime=$GRACE" REQUEUE "-N2 -n8" 2 3
preempts one "PreemptMode=CANCEL GraceTime=$GRACE" CANCEL "-N2 -n8" 1 3
preempts suspend "PreemptMode=SUSPEND OverSubscribe=FORCE:1" SUSPEND,GANG "-N2 -n8" 2 3

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a preempting job keeps until the preempted jobs have ended (GraceTime), beside stock
# Slurm in the same run, where a count of cores would say too early that it is enough: by
# processes that fit only on a part of a node's cores, by hardware threads that it does not
# use (by memory: test_gather). Small jobs that come meanwhile take nothing of it; idle nodes that
# are of no use to it stay free for them.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

site="bf_interval=1,sched_interval=2"
GRACE=${GRACE:-8}
echo "PartitionName=low Nodes=ALL PriorityTier=1 PreemptMode=CANCEL GraceTime=$GRACE
PartitionName=high Nodes=ALL PriorityTier=10" >"$WORK/partitions"
# pair NAME "OPTIONS OF HIGH" [vcluster option]...: in stock and act, what $busy says runs
# ("PARTITION OPTIONS"); a job of high preempts, small ones come
pair() {
	local name=$1 c

	for c in stock act; do
		if [ "$c" = stock ]; then
			cluster --stock --name "$c-$name" --params "$site" "${common[@]}" "${@:3}"
		else
			cluster --name "$c-$name" --more "$site" "${common[@]}" "${@:3}"
		fi
		one "$2"
		took[$c]=$waited small[$c]=$others
		clear_jobs
		! ours || log_is_clean
		cluster_down
	done
	ok "$name: (stock's job starts: ${took[stock]} s)" test "${took[stock]}" -lt 60
	ok "$name: the job starts no later than under stock: ${took[act]} s, stock ${took[stock]} s" \
		test "${took[act]}" -le $((${took[stock]} + 2))
	ok "$name: no more small jobs start meanwhile: ${small[act]}, stock ${small[stock]}" \
		test "${small[act]}" -le "${small[stock]}"
}
common=(--conf "$WORK/partitions" --set PreemptType=preempt/partition_prio
	--set PreemptMode=CANCEL --set PreemptExemptTime=00:00:00)
declare -A took=() small=()
one() { # one OPTIONS: into $waited, $others
	local before=() high i from ids=() row

	for row in "${busy[@]}"; do
		# shellcheck disable=SC2086
		before+=("$(SLEEP=600 job -t 60 -p $row)")
	done
	running "${before[@]}" || bad "the first jobs run" "$(squeue)"
	# shellcheck disable=SC2086
	high=$(SLEEP=600 job -p high $1 -t 60)
	from=$(date +%s)
	for ((i = 0; i < 120; i++)); do
		[ $((i % 4)) -gt 0 ] || [ ${#ids[@]} -gt 7 ] ||
			ids+=("$(SLEEP=600 job -p low -N1 -n1 -t 30)")
		is_state "$high" RUNNING && break
		sleep 0.5
	done
	waited=$(($(date +%s) - from))
	others=$(squeue -h -t R -j "$(IFS=,; echo "${ids[*]}")" -o %i | wc -l)
}

# 3 cores on two nodes hold one process of 2 each: it needs the 2 idle ones of the third
busy=("high -n1 -w n1" "high -n1 -w n2" "high -n2 -w n3" "low -n3 -w n1" "low -n3 -w n2")
pair fragments "-n3 -c2" --nodes 3
# one process a core: the 4 of a node are not 8
busy=("low -N1 -n8 -w n1")
pair threads "-n8 --hint=nomultithread" --nodes 2 --threads 2
# the idle core of n2 holds none: it stays free, the 2 of n3 do not
busy=("low -n4 -w n1" "high -n3 -w n2" "high -n2 -w n3")
pair useless "-n3 -c2" --nodes 3
ok "useless: as many small jobs start as under stock: ${small[act]}, stock ${small[stock]}" \
	test "${small[act]}" -ge "${small[stock]}"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Preemption while small jobs keep coming, beside stock Slurm in the same run: what a
# preempting job waits for, idle cores too, is its own until it starts, through GraceTime;
# by CANCEL, REQUEUE and SUSPEND, of one and of several jobs. No small job of the preempted
# partition starts meanwhile, and it starts no later than under stock.
#
# And its own from the moment that it is first seen: a small job that comes with it takes
# none of the idle cores, which would cost one job more. By partition and by QOS. QOS need
# slurmdbd and MariaDB: without them that variant is left out.
#
# And no longer: a small job that was refused for its sake starts as soon as it has.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=dbd.inc
. "$(dirname "$0")/dbd.inc"

site="bf_interval=1,sched_interval=2"
GRACE=${GRACE:-12}
TRIES=${TRIES:-2}
# pair NAME OPTION...: of stock or act ($c), a cluster of 2 nodes of 4 cores
pair() {
	local name=$1
	shift
	if [ "$c" = stock ]; then
		cluster --stock --name "$c-$name" --params "$site" --nodes 2 "$@"
	else
		cluster --name "$c-$name" --more "$site" --nodes 2 "$@"
	fi
}
# by_partition NAME LOW-KEYS PREEMPTMODE: such a cluster with the partitions low and high
by_partition() {
	echo "PartitionName=low Nodes=ALL PriorityTier=1 $2
PartitionName=high Nodes=ALL PriorityTier=10" >"$WORK/$1"
	pair "$1" --conf "$WORK/$1" --set PreemptType=preempt/partition_prio \
		--set "PreemptMode=$3" --set PreemptExemptTime=00:00:00
}
# preempts NAME LOW-KEYS PREEMPTMODE OPTIONS-OF-HIGH COUNT SIZE: in stock and act, COUNT
# jobs of SIZE cores of partition low run, a job of high preempts them, small ones come
preempts() {
	local name=$1 c i

	for c in stock act; do
		by_partition "$name" "$2" "$3"
		one "$4" "$5" "$6"
		took[$c]=$waited small[$c]=$others
		clear_jobs
		cluster_down
	done
	ok "$name: (stock's job starts: ${took[stock]} s)" test "${took[stock]}" -lt 120
	ok "$name: the job starts no later than under stock: ${took[act]} s, stock ${took[stock]} s" \
		test "${took[act]}" -le $((took[stock] + 2))
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

# spares NAME SETUP...: in stock and act, on a cluster by SETUP, $TRIES times: three jobs
# of 2 cores run, options $low; with a job of 6 cores, options $high, comes one of 1 core,
# options $low, of more priority. Two cores are idle: two of the three make room.
spares() {
	local name=$1 c i
	shift

	for c in stock act; do
		"$1" "$name" "${@:2}"
		lost[$c]=
		for ((i = 0; i < TRIES; i++)); do
			both
			lost[$c]+=" $gone"
			clear_jobs
		done
		! ours || log_is_clean
		! ours || same "$name: the log is decided again"
		cluster_down
	done
	unlike "$name: two of the three make room under stock:${lost[stock]}" \
		"${lost[stock]}" '[^ 2]'
	is "$name: no more of them do in act" "${lost[act]}" "${lost[stock]}"
}
declare -A lost=()
partitions_are() { # up or down: all of the cluster's, ahead the one that preempts
	sinfo -h -o %R | sort | sed "s/.*/update partitionname=& state=$1/" | scontrol >/dev/null
}
both() { # into $gone: how many of the three run no more once the job of 6 does
	local three=() six i

	for i in 1 2 3; do
		three+=("$(SLEEP=600 job "${low[@]}" -N1 -n2 -t 60)")
	done
	running "${three[@]}" || bad "$NAME: three jobs run" "$(squeue)"
	partitions_are down # until both jobs are there
	six=$(SLEEP=600 job "${high[@]}" --priority=100 -n6 -t 60)
	SLEEP=600 job "${low[@]}" --priority=200 -n1 -t 30 >/dev/null
	partitions_are up
	running "$six" || bad "$NAME: the job of 6 cores runs" "$(squeue)"
	gone=$((3 - $(squeue -h -t R -j "$(IFS=,; echo "${three[*]}")" -o %i | wc -l)))
}

accounts() {
	local line

	wait_for 10 sacctmgr -n show tres || return 1
	# each by itself: it reads the list of QOS once
	while read -r line; do
		# shellcheck disable=SC2086
		sacctmgr -i $line </dev/null || return
	done <<-END
		add cluster vcluster
		add qos low set PreemptMode=cancel GraceTime=3
		add qos high set Preempt=low
		add account free cluster=vcluster
		add user root account=free cluster=vcluster set qos=low,high defaultqos=low
	END
}
by_qos() { # by_qos NAME: with the QOS low and high
	pair "$1" --set PreemptType=preempt/qos --set PreemptMode=CANCEL
	with_accounting "$((port += 1))" "$mariadb_port"
}

# 2 nodes of 4 cores: node 1 full, 3 of node 2 (the fourth is idle)
preempts cancel "PreemptMode=CANCEL GraceTime=$GRACE" CANCEL "-N2 -n8" 2 3
preempts requeue "PreemptMode=REQUEUE GraceTime=$GRACE" REQUEUE "-N2 -n8" 2 3
preempts one "PreemptMode=CANCEL GraceTime=$GRACE" CANCEL "-N2 -n8" 1 3
preempts suspend "PreemptMode=SUSPEND OverSubscribe=FORCE:1" SUSPEND,GANG "-N2 -n8" 2 3

# behind NAME: in stock and act, two jobs preempt some of four, and end after 4 s; a small
# job that comes with them starts then
behind() {
	local c i small since

	for c in stock act; do
		echo "PartitionName=low Nodes=ALL PriorityTier=1
PartitionName=high Nodes=ALL PriorityTier=10" >"$WORK/$1"
		pair "$1" --conf "$WORK/$1" --set PreemptType=preempt/partition_prio \
			--set PreemptMode=REQUEUE --set PreemptExemptTime=00:00:00 --nodes 6
		for i in 1 2 3 4; do
			SLEEP=20 job -p low -n6 -t3 --requeue >/dev/null
		done
		wait_for 20 four_run || bad "$1: four jobs run" "$(squeue)"
		SLEEP=4 job -p high -N2 --exclusive -t1 >/dev/null
		SLEEP=4 job -p high -n6 -t1 >/dev/null
		small=$(SLEEP=600 job -p low -n2 -t1)
		since=$(date +%s)
		running "$small" || bad "$1: the small job starts" "$(squeue)"
		took[$c]=$(($(date +%s) - since))
		clear_jobs
		cluster_down
	done
	ok "$1: a small job starts as soon as under stock: ${took[act]} s, stock ${took[stock]} s" \
		test "${took[act]}" -le $((took[stock] + 2))
}
four_run() {
	[ "$(squeue -h -t R -o %i | wc -l)" -eq 4 ]
}
behind behind

low=(-p low) high=(-p high)
spares spares-cancel by_partition "PreemptMode=CANCEL GraceTime=3" CANCEL
spares spares-requeue by_partition "PreemptMode=REQUEUE GraceTime=3" REQUEUE
if have_dbd; then
	need_mariadb 3
	mariadb_port=$port
	low=(-A free -q low) high=(-A free -q high)
	spares spares-qos by_qos
else
	omit "by QOS" "mariadbd or slurmdbd is not installed here"
fi

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A large array comes upon empty nodes: its first tasks start while others are still to be
# decided, mode act outlasts it, and our thread ends at once with slurmctld, whose end is
# told beside stock Slurm's.
#
# The nodes have no slurmd (stop.sh tells why that is enough).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

JOBS=2000 NODES=64
cat >"$WORK/nodes" <<END
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=3600
ResumeTimeout=3600
NodeName=c[1-$NODES] NodeHostname=c[1-$NODES] NodeAddr=127.0.0.1 Sockets=2 CoresPerSocket=16 RealMemory=64000 State=CLOUD
PartitionName=cloud Nodes=c[1-$NODES] MaxTime=INFINITE
END
# a decide of all tasks needs more than this budget
cluster --params "cosched_mode=act,cosched_budget_ms=300,cosched_log=$LOG" \
	--set MaxArraySize=$((JOBS + 1)) --set MaxJobCount=50000 --set MinJobAge=2 --conf "$WORK/nodes"
cluster --stock --name stock --params bf_interval=1,bf_max_job_start=0 \
	--set MaxArraySize=$((JOBS + 1)) --set MaxJobCount=50000 --set MinJobAge=2 --conf "$WORK/nodes"

started() {
	squeue -h -r -t R,CF -o %i | wc -l
}
all_run() {
	[ "$(started)" -eq $JOBS ]
}
any_runs() {
	[ "$(started)" -gt 0 ]
}
ms() {
	echo $(($(date +%s%N) / 1000000))
}
# afresh: slurmctld without jobs. A cancelled one would leave it messages to nodes that
# do not answer, which delay its end.
afresh() {
	vc kill-ctld 2>/dev/null # it may have ended
	rm -rf "$COSCHED_VCLUSTER"/state/*
	vc start-ctld 2>"$WORK/start.err" || bad "slurmctld starts" "$(cat "$WORK/start.err")"
	vc wait-idle >/dev/null 2>&1 || bad "the nodes get idle" "$(sinfo)"
	! ours || wait_for 30 in_act || bad "mode act is on" "$(tail "$CTLD_LOG")"
}
# Does the scheduling thread of slurmctld $pid run?
thread_runs() {
	grep -qx cosched "/proc/$pid"/task/*/comm 2>/dev/null
}
# term AFTER: an array comes, and AFTER seconds later slurmctld is to end; in $took and
# $thread: how many milliseconds that takes, and how many of them our thread ran.
term() {
	local from a

	afresh
	a=$(job -p cloud -n1 --mem=1 -H --array=1-$JOBS)
	pid=$(ctld_pid)
	scontrol release "$a"
	sleep "$1"
	from=$(ms)
	kill -TERM "$pid"
	while thread_runs && [ $(($(ms) - from)) -lt 120000 ]; do
		sleep 0.02
	done
	thread=$(($(ms) - from))
	while kill -0 "$pid" 2>/dev/null && [ $(($(ms) - from)) -lt 120000 ]; do
		sleep 0.02
	done
	took=$(($(ms) - from))
}

use cluster
a=$(job -p cloud -n1 --mem=1 -H --array=1-$JOBS)
from=$(ms)
scontrol release "$a"
wait_for 60 any_runs || bad "a task starts" "$(tail "$CTLD_LOG")"
first=$(($(ms) - from))
wait_for 240 all_run || bad "all tasks start" "$(started) do; $(tail "$CTLD_LOG")"
all=$(($(ms) - from))
good "all $JOBS tasks start: the first is seen after $first ms, the last after $all ms"
ok "mode act is still on" in_act
unlike "the watchdog never ended it" "$(cat "$CTLD_LOG")" 'mode act ends'
first=$(grep -m1 '"ev":"decide","actions":[1-9]' "$LOG")
like "the first starts did not wait for the last decision" "$first" '"steps":[0-9]+'
"$COSCHED" status >"$WORK/status" 2>&1
like "cosched status says how fast the batch was, and the share of time under locks" \
	"$(cat "$WORK/status")" '^batch .* [0-9]+ starts in .* a second; .* held [0-9]+ %'
echo "# $(grep '^batch' "$WORK/status")"
ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
same "a batch in parts"

for after in 0.2 1 3; do
	use stock
	term "$after"
	stock=$took
	use cluster
	term "$after"
	echo "# SIGTERM $after s after an array of $JOBS tasks: stock ends after $stock ms, ours after $took ms, its thread after $thread ms"
	# what comes behind is Slurm's agent, which waits for launches: the more have started
	if [ "$thread" -le 1000 ]; then
		good "SIGTERM $after s later: our thread ends within 1 s"
	else
		bad "SIGTERM $after s later: our thread ends within 1 s" \
			"$thread ms: $(grep -B3 -A12 'Terminate signal' "$CTLD_LOG" | tail -16)"
	fi
done
afresh
log_is_clean

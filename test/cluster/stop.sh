#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is ended while a batch of starts is under way, in the middle of a long step:
# nothing starts any more, what is left of the batch is given back, nothing is decided,
# and all of it runs behind the restart.
#
# The batch is long, its starts are slow (slowstart.c), and its nodes have no slurmd: Slurm
# takes them for powered down, so that a job that is started stays CONFIGURING. A node that
# Slurm has begun to wake when it ends is not available behind the restart (it never
# answers): there is one node more than the jobs need.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

JOBS=4000
cat >"$WORK/nodes" <<END
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=3600
ResumeTimeout=3600
NodeName=c[1-9] NodeHostname=c[1-9] NodeAddr=127.0.0.1 Sockets=2 CoresPerSocket=256 RealMemory=64000 State=CLOUD
PartitionName=cloud Nodes=c[1-9] MaxTime=INFINITE
END
cluster --params "cosched_mode=act,cosched_policy=pack,cosched_lock_ms=5000,cosched_log=$LOG" \
	--set MaxArraySize=$((JOBS + 1)) --conf "$WORK/nodes"
gcc -shared -fPIC -Wall -Wextra -o "$WORK/slow.so" "$TREE/test/cluster/slowstart.c" -ldl ||
	exit 1
export COSCHED_SLOW=$WORK/slow
LD_PRELOAD=$WORK/slow.so vc restart-ctld && vc wait-up >/dev/null
wait_for 15 in_act || bad "mode act is on" "$(tail "$CTLD_LOG")"

started() {
	grep -c 'cosched: started' "$CTLD_LOG"
}
all_run() {
	[ "$(squeue -h -r -t R,CF -o %i | wc -l)" -eq $JOBS ]
}
ended() {
	! kill -0 "$pid"
}

echo 5000 >"$COSCHED_SLOW"
a=$(job -p cloud -n1 --mem=1 -H --array=1-$JOBS)
pid=$(ctld_pid)
scontrol release "$a"
for ((i = 0; i < 3000; i++)); do # not wait_for: the batch must not be over
	[ "$(started)" = 0 ] || break
	sleep 0.01
done
isnt "the batch has begun" "$(started)" 0
kill -TERM "$pid"
wait_for 30 ended || bad "slurmctld ends" "$(vc status)"
n=$(started)
rm "$COSCHED_SLOW"
is "nothing starts once slurmctld ends, of $n starts in all" "$(late_starts "$CTLD_LOG")" "2 0"
if [ "$n" -lt $JOBS ]; then
	like "what was left of the batch is given back" "$(grep '"ev":"refuse"' "$LOG")" 'scheduling is halted'
else
	omit "what was left of the batch is given back" "all $n had been started"
fi
unlike "nothing went wrong meanwhile" "$(cat "$CTLD_LOG")" \
	'cosched: (watchdog|.*cannot decide|engine and Slurm differ)'
vc start-ctld 2>"$WORK/start.err" || bad "slurmctld starts" "$(cat "$WORK/start.err")"
wait_for 15 in_act || bad "mode act is on" "$(tail "$CTLD_LOG")"
wait_for 180 all_run && good "all of it runs" || bad "all of it runs" \
	"$(squeue -h -r -o '%T %r' | sort | uniq -c; tail -20 "$CTLD_LOG"; tail -3 "$LOG")"
ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
same "with the end in it"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is killed, and its last records are lost: the next one thinks that a job is
# stopped which runs, or does not know of it. No two jobs run on its cores: the one that is to
# go on waits until the node has registered and Slurm has ended what it does not know, and
# the one that should be stopped stands still. The accounting, which counts suspended time from one message of
# a stop or resume to the next, hears of both in turn.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cycle=60 short=13 overhead=12
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

both_run() {
	runs "$first" && runs "$second" && runs "$first"
}
# looks SECONDS: how often both run, of ten looks a second
looks() {
	local until=$((SECONDS + $1)) n=0

	while [ "$SECONDS" -lt "$until" ]; do
		! both_run || n=$((n + 1))
		sleep 0.1
	done
	echo "$n"
}
# reborn RECORDS [MODE]: slurmctld, which was killed, starts with these job records
reborn() {
	cp "$1" "$COSCHED_VCLUSTER/state/job_state"
	LD_PRELOAD=$WORK/note.so vc start-ctld
	wait_for 15 in_mode "${2:-act}" || bad "mode ${2:-act} is on" "$(tail "$CTLD_LOG")"
}

gcc -shared -fPIC -Wall -Wextra -o "$WORK/note.so" "$TREE/test/cluster/slicesnote.c" -ldl ||
	exit 1
export COSCHED_NOTE=$WORK/note
# in_turn JOB: an even number of messages if it runs, an odd one if it is suspended
in_turn() {
	local n

	n=$(grep -cx "$1" "$COSCHED_NOTE")
	[ $((n % 2)) -eq "$(is_state "$1" SUSPENDED && echo 1 || echo 0)" ] ||
		{ echo "$n messages, $(state "$1")"; return 1; }
}

# a stop is saved within six seconds, and nobody starts for eleven
cluster --nodes 1 --params "cosched_mode=act,$pect,cosched_slice_stop=all,cosched_slice_guard_s=11"
LD_PRELOAD=$WORK/note.so vc restart-ctld && vc wait-up >/dev/null
wait_for 15 in_act || bad "mode act is on" "$(tail "$CTLD_LOG")"
export TRAPS=1 # it runs on for two seconds after a stop
first=$(counting long --exclusive)
wait_for $((2 * cycle)) is_state "$first" RUNNING
second=$(counting medium --exclusive)
ok "one job is stopped for another" wait_for $((2 * cycle)) is_state "$first" SUSPENDED
sleep 8
cp "$COSCHED_VCLUSTER/state/job_state" "$WORK/alone"
is "... which starts later" "$(state "$second")" PENDING
ok "... on the same cores" wait_for "$cycle" runs "$second"
sed -i 's/cosched_slice_guard_s=11/cosched_slice_guard_s=3/' "$COSCHED_VCLUSTER/slurm.conf"

# --- the records know of the stop, not of the start; in mode off, too, what is stopped goes on

vc kill-ctld
sed -i 's/cosched_mode=act/cosched_mode=off/' "$COSCHED_VCLUSTER/slurm.conf"
slurmd=$(cat "$COSCHED_VCLUSTER/run/slurmd.n1.pid")
kill -STOP "$slurmd"
began=$SECONDS
reborn "$WORK/alone" off
is "a start is lost" "$(state "$first") $(state "$second")" "SUSPENDED PENDING"
scontrol hold "$second" # nobody but the first waits for the cores
until [ $((SECONDS - began)) -ge 8 ]; do sleep 0.2; done
is "the node has not registered: the first does not go on" "$(state "$first")" SUSPENDED
ok "... the other still runs" runs "$second"
kill -CONT "$slurmd"
is "it registers: at no moment do both run" "$(looks 8)" 0
ok "... the first goes on" wait_for 20 runs "$first"
nok "... the other has been ended" runs "$second"

# --- the records have the first running and the second stopped, and it is the other way

sed -i 's/cosched_mode=off/cosched_mode=act/' "$COSCHED_VCLUSTER/slurm.conf"
scontrol reconfigure
wait_for 15 in_act || bad "mode act is on" "$(tail "$CTLD_LOG")"
scontrol release "$second"
ok "the second starts in its turn" wait_for $((2 * cycle)) is_state "$second" RUNNING
ok "... and the first has its own" wait_for "$cycle" is_state "$second" SUSPENDED
ok "... in which it runs" wait_for "$cycle" runs "$first"
sleep 7
cp "$COSCHED_VCLUSTER/state/job_state" "$WORK/first"
is "... for which the second is stopped" "$(state "$first") $(state "$second")" "RUNNING SUSPENDED"
ok "the second again" wait_for "$cycle" is_state "$first" SUSPENDED
ok "... runs" wait_for "$cycle" runs "$second"
end=$("$COSCHED" slices --json | sed -n 's/.*"end_s": *\([0-9]*\).*/\1/p' | head -n 1)
vc kill-ctld
sleep "$(awk -v e="${end:-0}" -v t="$(date +%s.%N)" 'BEGIN { s = e - t + 0.2; print (s > 0 ? s : 0) }')"
reborn "$WORK/first"
is "at the first's turn its records are back: at no moment do both run" "$(looks 8)" 0
ok "... the first goes on" wait_for "$cycle" runs "$first"
nok "... the second stands still" runs "$second"
if slurmctld -V | grep -q ' 22\.'; then
	ok "the accounting has heard of stops and resumes in turn, of the first" in_turn "$first"
	ok "... of the second" in_turn "$second"
else
	omit "the accounting has heard of stops and resumes in turn" \
		"without a slurmdbd this Slurm repeats stops at its start: slicesaccounts.sh"
fi
like "the log holds" "$("$COSCHED" check "$LOG")" ': ok, '

# --- the same, and slices are over: mode off

ok "the second again" wait_for $((2 * cycle)) is_state "$first" SUSPENDED
ok "... runs" wait_for "$cycle" runs "$second"
vc kill-ctld
sed -i 's/cosched_mode=act/cosched_mode=off/' "$COSCHED_VCLUSTER/slurm.conf"
reborn "$WORK/first" off
is "its records have the second stopped: at no moment do both run" "$(looks 8)" 0
ok "... the first, which they have running, goes on" wait_for 30 runs "$first"
nok "... the second stands still" runs "$second"
scancel "$first"
ok "the first ends: the second goes on" wait_for 45 runs "$second"

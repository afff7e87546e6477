#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is killed, and its last records are lost: the next one has a job SUSPENDED that
# goes on, and another RUNNING that stands still. Another node is slow to register, for
# which the plan waits. The first stands still all the same, within the guard time: what
# squeue says of it is so. Then each has its turn again.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cycle=60 short=13 overhead=12
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

is_so() { # JOB: what squeue says
	case $(state "$1") in
	SUSPENDED)	! runs "$1" ;;
	RUNNING)	runs "$1" ;;
	*)		false ;;
	esac
}

cluster --nodes 2 --params "cosched_mode=act,$pect,cosched_slice_stop=all"
first=$(counting long --exclusive -w n1)
wait_for $((2 * cycle)) is_state "$first" RUNNING
second=$(counting medium --exclusive -w n1)
ok "one job is stopped for another" wait_for $((2 * cycle)) is_state "$first" SUSPENDED
ok "... which runs" wait_for "$cycle" runs "$second"
saved() {
	wait_for "$cycle" runs "$second"
	sleep 6 # slurmctld saves each 5 s
	is_state "$second" RUNNING
}
saved || saved # it began in the last seconds of its slice
cp "$COSCHED_VCLUSTER/state/job_state" "$WORK/second"
is "... and is written down" "$(state "$first") $(state "$second")" "SUSPENDED RUNNING"
ok "the first has its turn" wait_for "$cycle" is_state "$first" RUNNING
ok "... and runs" wait_for 5 runs "$first"

vc kill-ctld
slurmd=$(cat "$COSCHED_VCLUSTER/run/slurmd.n2.pid")
kill -STOP "$slurmd"
cp "$WORK/second" "$COSCHED_VCLUSTER/state/job_state"
vc start-ctld
began=${EPOCHREALTIME/[.,]}
is "these records are back" "$(state "$first") $(state "$second")" "SUSPENDED RUNNING"
ok "the first stands still" wait_for 20 is_so "$first"
took=$(((${EPOCHREALTIME/[.,]} - began) / 1000))
ok "... within the guard time, 3 s: after $took ms" test "$took" -le 3000
kill -CONT "$slurmd"
ok "the first has its turn again" wait_for $((2 * cycle)) is_state "$first" RUNNING
ok "... and runs" wait_for 5 is_so "$first"
ok "the second has its turn again" wait_for $((2 * cycle)) is_state "$second" RUNNING
ok "... and runs" wait_for 5 is_so "$second"
is "... the first stands still" "$(is_so "$first" && state "$first")" SUSPENDED
log_is_clean
same "the log"

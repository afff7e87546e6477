#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld ends, as by kill -9, inside the calls by which time slices stop jobs and let
# them go on (sliceskill.c): before Slurm has noted anything, between two jobs, and when
# the last is noted but not saved. It strands nobody: watched from outside, as in
# slices.sh; and each job ends by itself, when it has run all its seconds.
#
# FULL=1: at eight places instead of two.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
short_min=5 medium_min=10 # no job reaches its limit
# Of a class that a kill has cost its slice a job waits for an interval, less its slice, and
# for what nodes take to register, and the guard: with FULL=1 a slice is longer than that.
[ -z "${FULL:-}" ] || cycle=60 short=16 still_s=60
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

gcc -shared -fPIC -Wall -Wextra -o "$WORK/kill.so" "$TREE/test/cluster/sliceskill.c" -ldl ||
	exit 1
export COSCHED_KILL=$WORK/kill
with_shim() {
	LD_PRELOAD=$WORK/kill.so vc "$1" && vc wait-up >/dev/null
}

began=$SECONDS
cluster --nodes 3 --params "cosched_mode=act,$pect,cosched_slice_stop=all"
with_shim restart-ctld
wait_for 15 in_act || bad "mode act is on" "$(tail "$CTLD_LOG")"
# what each class's slices of so many intervals hold, so that nobody ends before the last kill
intervals=7 watch_s=$((cycle + 10))
[ -z "${FULL:-}" ] || intervals=20
of_rest=$((cycle - short))
to_s=([short]=$((intervals * (short - overhead)))
	[medium]=$((intervals * (of_rest * 4 / 10 - overhead)))
	[long]=$((intervals * (of_rest * 6 / 10 - overhead))))
one_of_each
wait_for $((2 * cycle)) has_counted

ctld_gone() {
	! kill -0 "$1" 2>/dev/null
}
# ends CALL WHEN NTH: it ends there, and is started again
ends() {
	local pid

	pid=$(ctld_pid)
	echo "$1 $2 $3" >"$WORK/kill.new"
	mv "$WORK/kill.new" "$COSCHED_KILL"
	ok "$1, $2 number $3: slurmctld ends there" wait_for $((cycle + 10)) ctld_gone "$pid"
	rm -f "$COSCHED_KILL"
	with_shim start-ctld
}

places=(
	"select_g_job_suspend after 2" # one is stopped, the next half
	"select_g_job_resume before 2"
)
[ -z "${FULL:-}" ] || places+=(
	"jobacct_storage_g_job_suspend after 3" # all are, nothing is saved
	"select_g_job_suspend before 1"
	"select_g_job_suspend before 3"
	"jobacct_storage_g_job_suspend before 1"
	"select_g_job_resume after 1"
	"jobacct_storage_g_job_suspend after 6" # the next ones go on
)
for place in "${places[@]}"; do
	read -r call when nth <<<"$place"
	killed "$call, $when number $nth" ends "$call" "$when" "$nth"
done
is "Slurm's cores are as it thinks" "$(grep -c 'overflow' "$CTLD_LOG")" 0

# --- every job ends, by itself

# a kill may cost a class one slice
of=$((intervals + ${#places[@]} + 3))
ok "every job ends, within $of intervals" wait_for $((of * cycle - (SECONDS - began))) queue_empty
# of Slurm's own records: one line a job, its last state
unfinished() {
	local j class

	for j in $all; do
		class=$(cat "$JOBS/class.$j")
		grep "^JobId=$j " "$(dirname "$CTLD_LOG")/jobcomp.log" | tail -n 1 |
			grep -q ' JobState=COMPLETED ' &&
			[ "$(counted "$j")" -ge $((to_s[$class] * 1000)) ] ||
			echo "$j, $class: $(counted "$j") ms, $(scontrol show job "$j" | grep -o 'JobState=[A-Z]*')"
	done
}
is "... COMPLETED, and has run all its seconds" "$(unfinished)" ""
like "the log holds" "$("$COSCHED" check "$LOG")" ': ok, '
same "the log"

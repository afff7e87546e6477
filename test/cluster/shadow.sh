#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mode shadow and what it says: random jobs under Slurm's own scheduler, the report of
# the log that they leave, its times against Slurm's own record, its sums against an
# obvious second computation. SEED=N: another run.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our log"

jobs=40
RANDOM=${SEED:=$(date +%s)}
cluster --nodes 4 --params "cosched_mode=shadow,$SHARED,bf_interval=1"
wait_for 10 in_mode shadow || bad "mode shadow is on" "$("$COSCHED" status 2>&1)"

submit() {
	local all=(cg io net mem none) p how

	p=${all[RANDOM % ${#all[@]}]}
	case $((RANDOM % 5)) in
	0)	how="-N2 -n$((2 + RANDOM % 5))" ;;
	1)	how="-N1 -n$((1 + RANDOM % 4)) --exclusive" ;;
	2)	how="-N$((3 + RANDOM % 2)) -n8" ;;
	*)	how="-n$((1 + RANDOM % 8))" ;;
	esac
	[ "$p" = none ] || how="$how --comment=cosched:profile=$p"
	# shellcheck disable=SC2086
	SLEEP=$((2 + RANDOM % 2)).$((RANDOM % 10)) LIMIT=$((1 + RANDOM % 3)) job $how
}

explains() { # explains JOB REGEX
	"$COSCHED" explain "$1" 2>&1 | grep -qE -- "$2"
}

# what is really there
neighbours() {
	local a b c

	a=$(profiled cg -w n1 -n2)
	b=$(profiled mem -w n1 -n1)
	c=$(profiled io -w n2 -n1)
	running "$a" "$b" "$c"
	ok "explain of a job that runs says first who decides" wait_for 5 explains "$a" \
		"^mode shadow: Slurm decides"
	is "in its first line" "$("$COSCHED" explain "$a" | sed 's/;.*//; q')" \
		"mode shadow: Slurm decides"
	ok "and what is really beside it" wait_for 5 explains "$a" "beside it: job $b \(mem\)"
	unlike "and nobody else" "$("$COSCHED" explain "$a")" "job $c\b"
	clear_jobs
}

workload() {
	local i

	for ((i = 0; i < jobs; i++)); do
		submit >/dev/null || bad "job $i is accepted"
		[ $((RANDOM % 6)) -ne 0 ] || sleep 0.3
	done
	ok "the queue drains (seed $SEED)" wait_for 120 queue_empty
	sleep 2.2 # two rounds of the thread
}

# JOB START END of those that ran to their end, in Slurm's own record
recorded() {
	sed -n 's/^JobId=\([0-9]*\) .* StartTime=\([^ ]*\) EndTime=\([^ ]*\) NodeList=.*/\1 \2 \3/p' \
		"$COSCHED_VCLUSTER/log/jobcomp.log" | while read -r job start end; do
		printf '%s %s %s\n' "$job" "$(date -d "$start" +%s)" "$(date -d "$end" +%s)"
	done
}

report() {
	local out

	cp "$LOG" "$WORK/log"
	ok "the report is made" "$COSCHED" shadow-report --html "$WORK/page.html" "$WORK/log"
	"$COSCHED" shadow-report --json "$WORK/log" >"$WORK/report.json" 2>"$WORK/err"
	is "without a complaint" "$(cat "$WORK/err")" ""
	recorded >"$WORK/recorded"
	out=$(python3 "$TREE/test/shadow_sums.py" "$WORK/log" "$WORK/report.json" "$WORK/recorded" 2>&1)
	like "its times are Slurm's, its sums what the log and its jobs have" "$out" "^all [1-9]"
	like "jobs did wait, and would have begun before" "$out" "[1-9][0-9]* before"
	like "all jobs are in the schedule" "$out" "^all [1-9].* $(wc -l <"$WORK/recorded") recorded"
}

neighbours
workload
report
log_is_clean shadow

# --- time slices, which shadow decides without: the report has them

set_params "cosched_mode=shadow,cosched_policy=pect,cosched_class_short_s=60,cosched_log=$LOG"
wait_for 10 in_mode shadow
head=$(grep '"ev":"header"' "$LOG" | tail -n 1)
like "the log says which slices act would have" "$head" '"act_slice":"pect"'
like "... and that shadow has none" "$head" '"slice":"none"'
short=$(SLEEP=1 LIMIT=1 job)
ok "a short job ends" wait_for 20 gone "$short"
reports_slices() {
	"$COSCHED" shadow-report "$LOG" 2>&1 |
		grep -qE '^Time slices \(slice=pect\), which mode act would have'
}
ok "the report has them" wait_for 10 reports_slices

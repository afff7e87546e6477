#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A night's queue arrives on an empty machine: one large array of one-core tasks, then mixed
# jobs, on stock Slurm and in mode act by turns, of the same seed. How soon the first starts,
# how fast all do, whether the watchdog ends mode act, how long the locks are held, and how
# long slurmctld takes to end in the midst of it.
#
# Forms: the short one compares counts and ratios. FULL=1: the middle one, of more nodes and
# all policies. SCALE_FORM=whole: the rounds of contrib/scale, which compares seconds; it
# sets what follows, too.
#	MORNING_NODES, MORNING_TASKS, MORNING_MIXED	nodes of 32 cores, tasks of the array,
#			mixed jobs (0: none)
#	MORNING_POLICIES="default cover"
#	MORNING_STOPS=N	so many ends of slurmctld on each, at moments drawn from SEED
#	SCALE_ROUND=N, SCALE_ROWS=FILE, SEED=N
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=scale.inc
. "$(dirname "$0")/scale.inc"

form=${SCALE_FORM:-$([ -n "${FULL:-}" ] && echo middle || echo short)}
case $form in
short)	nodes=40 tasks=1200 mixed=200 policies="default cover" stops=1 ;;
*)	nodes=200 tasks=6000 mixed=1500 policies="default cover easy glts ostrich" stops=3 ;;
esac
nodes=${MORNING_NODES:-$nodes} tasks=${MORNING_TASKS:-$tasks} mixed=${MORNING_MIXED:-$mixed}
policies=${MORNING_POLICIES:-$policies} stops=${MORNING_STOPS:-$stops}
round=${SCALE_ROUND:-1}
quiet=${MORNING_QUIET:-$([ "$form" = short ] && echo 10 || echo 120)} # then no more starts come
many_nodes "$nodes" 32
printf '# seed %s, %s nodes, %s tasks, %s mixed jobs\n' "$SEED" "$nodes" "$tasks" "$mixed"
scale_py mixed "$SEED" "$mixed" "$nodes" 32 >"$WORK/mixed"

# set_of POLICY: its SchedulerParameters. Stock Slurm looks at 100 tasks a round unless told
# otherwise; as here it starts as many as it can.
set_of() {
	case $1 in
	default) ;;
	stock)	echo "default_queue_depth=100000,bf_max_job_test=100000,bf_interval=5" ;;
	*)	echo "cosched_policy=$1" ;;
	esac
}
array() {
	echo "night 1 0 600 0 1-$tasks" | "$LOAD" submit >/dev/null
}
# night KIND POLICY LOAD COUNT: of an empty state
night() {
	FRESH=1 as "$1" "$(set_of "$2")"
	case $3 in
	array)	array ;;
	mixed)	"$LOAD" submit <"$WORK/mixed" >/dev/null ;;
	esac || bad "$1: $3 is submitted"
	started "$4" "$quiet"
	row what=morning form="$form" load="$3" kind="$1" policy="$2" nodes="$nodes" jobs="$4" \
		round="$round"
	! ours || ok "$2, $3: cosched check passes on the event log" "$COSCHED" check "$LOG"
}
# stop KIND POLICY AFTER-MS: slurmctld is told to end so long after the array came
stop() {
	local ms pid

	FRESH=1 as "$1" "$(set_of "$2")"
	pid=$(ctld_pid)
	array || bad "$1: the array is submitted"
	sleep "$(printf '%d.%03d' $(($3 / 1000)) $(($3 % 1000)))"
	ms=$(ends "$pid")
	row what=stop form="$form" load=array kind="$1" policy="$2" nodes="$nodes" jobs="$tasks" \
		round="$round" after_ms="$3" end_ms="${ms:--1}"
	vc start-ctld 2>/dev/null || bad "slurmctld starts again" "$(tail "$CTLD_LOG")"
}

for policy in stock $policies; do
	kind=act
	[ "$policy" != stock ] || kind=stock
	night $kind "$policy" array "$tasks"
	[ "$mixed" -eq 0 ] || { [ "$form" = short ] && [ "$policy" = cover ]; } ||
		night $kind "$policy" mixed "$mixed"
done
RANDOM=$((SEED % 32768))
for ((i = 0; i < stops; i++)); do
	after=$((RANDOM % 10000))
	[ "$form" != short ] || after=$((RANDOM % 1500))
	stop stock stock $after
	stop act "$(tr ' ' '\n' <<<"$policies" | sed -n "$((i % $(wc -w <<<"$policies") + 1))p")" $after
done
judged "$form"

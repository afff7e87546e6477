#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Planned starts that keep nothing, beside stock Slurm in the same run: a start beyond
# bf_window (jobs without a time limit), a job below bf_min_prio_reserve or younger than
# bf_min_age_reserve; and jobs that run beyond their limit (OverTimeLimit, KillWait): what
# waits behind them keeps nodes as under stock.  FULL=1: both of Slurm's other keys, too.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

site="bf_interval=1,sched_interval=2"
pair() { # pair NAME "MORE KEYS" [vcluster option]...
	local name=$1 keys=$site${2:+,$2}

	cluster --stock --name "stock-$name" --params "$keys" --nodes 2 "${@:3}"
	cluster --name "act-$name" --more "$keys" --nodes 2 "${@:3}"
}
both() { # both NAME COMMAND...: in each cluster
	local c

	for c in "stock-$1" "act-$1"; do
		use "$c"
		"${@:2}"
	done
}
drop() {
	local c

	for c in "stock-$1" "act-$1"; do
		use "$c"
		cluster_down
	done
}
# nolimit SLEEP OPTION...
nolimit() {
	sbatch --parsable -o /dev/null "${@:2}" --wrap "sleep $1" </dev/null
}

# --- without limits: one job runs, a job of both nodes waits, a small one comes
behind_no_limit() {
	local small

	first=$(nolimit 600 -N1 -n4)
	ok "$c: the first job runs" running "$first"
	wide=$(nolimit 600 -N2 -n8)
	sleep 3
	small=$(nolimit 600 -n1)
	ok "$c: a small job starts beside a head that can start in a year only" \
		wait_for 40 is_state "$small" RUNNING
	is "$c: (the head waits)" "$(state "$wide")" PENDING
	ours || return 0
	like "$c: the head's start is an estimate" "$("$COSCHED" explain "$wide")" \
		'no nodes are kept for it yet'
	scancel "$first" "$small"
	ok "$c: the head starts once it fits" wait_for 30 is_state "$wide" RUNNING
}
pair nolimit ""
both nolimit behind_no_limit
# --- with limits within a day nodes are kept, as ever
within_a_day() {
	local small

	clear_jobs
	first=$(nolimit 600 -N1 -n4 -t 60)
	ok "$c: the first job runs" running "$first"
	wide=$(nolimit 600 -N2 -n8 -t 60)
	sleep 3
	small=$(nolimit 600 -n1 -t 120)
	sleep 6
	is "$c: nodes are kept for a start within the window" "$(state "$small")" PENDING
}
both nolimit within_a_day
drop nolimit

# --- a head that keeps nothing: beyond a window of half an hour, too young, of too little
# priority
# passed WHY
passed() {
	local small

	first=$(nolimit 600 -N1 -n4 -t 60)
	ok "$c: the first job runs" running "$first"
	wide=$(nolimit 600 -N2 -n8 -t 60)
	sleep 3
	small=$(nolimit 600 -n1 -t 120)
	ok "$c: $1: the head keeps nothing" wait_for 40 is_state "$small" RUNNING
}
pair window "bf_window=30"
both window passed "bf_window=30, a start in an hour"
drop window

if [ -n "${FULL:-}" ]; then
	pair age "bf_min_age_reserve=3600"
	both age passed bf_min_age_reserve=3600
	drop age
	pair prio "bf_min_prio_reserve=4294000000" --set PriorityType=priority/multifactor
	both prio passed "bf_min_prio_reserve, above all priorities"
	drop prio
fi

# --- a job beyond its limit, by OverTimeLimit. The backfill scheduler of 24.11 (not of
# 22.05) counts such a job as gone, and keeps all nodes for what waits for it, for up to 30
# minutes: act does not follow.
overrun() {
	local small

	first=$(nolimit 600 -N1 -n4 -t 1)
	ok "$c: the first job runs" running "$first"
	wide=$(nolimit 600 -N2 -n8 -t 60)
	sleep 66
	is "$c: (it runs beyond its limit)" "$(state "$first")" RUNNING
	small=$(nolimit 600 -n1 -t 5)
	if ours || [[ $(slurmctld -V) == *\ 22.05* ]]; then
		ok "$c: a job of 5 minutes starts beside one that may run 30 more" \
			wait_for 40 is_state "$small" RUNNING
	else
		sleep 20
		is "$c: (stock keeps all nodes for the head)" "$(state "$wide") $(state "$small")" \
			"PENDING PENDING"
	fi
}
pair over "" --set OverTimeLimit=30
both over overrun
drop over

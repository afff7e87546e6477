#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Planned starts that keep nothing, beside stock Slurm in the same run: a start beyond
# bf_window (jobs without a time limit), a job below bf_min_prio_reserve or younger than
# bf_min_age_reserve; and jobs that run beyond their limit (OverTimeLimit, KillWait): what
# waits behind them keeps nodes as under stock, and what starts, starts within 2 s of when it
# does there.

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

# Jobs of each cluster. Its `small` job, or whichever is `timed`, was given to it at `asked`
# and ran at `began`, seconds both.
declare -A first wide small timed asked began
fills() { # OPTION...: the first job
	first[$c]=$(nolimit 600 -N1 -n4 "$@")
	ok "$c: the first job runs" running "${first[$c]}"
}
waits_for_both() { # OPTION...
	wide[$c]=$(nolimit 600 -N2 -n8 "$@")
}
comes() { # OPTION...
	asked[$c]=$EPOCHREALTIME
	small[$c]=$(nolimit 600 -n1 "$@")
	timed[$c]=${small[$c]}
}
looks() {
	[ -n "${began[$c]:-}" ] || ! is_state "${timed[$c]}" RUNNING || began[$c]=$EPOCHREALTIME
}
both_began() {
	both "$1" looks
	[ ${#began[@]} -eq 2 ]
}
# starts NAME TEXT: what is timed in both clusters starts, in act at most 2 s later than in stock
starts() {
	local c late

	began=()
	wait_for 40 both_began "$1"
	for c in "stock-$1" "act-$1"; do
		if [ -n "${began[$c]:-}" ]; then good "$c: $2"; else bad "$c: $2"; fi
	done
	[ ${#began[@]} -eq 2 ] || return 0
	late=$(awk '{ printf "%.1f", ($1 - $2) - ($3 - $4) }' \
		<<<"${began[act-$1]} ${asked[act-$1]} ${began[stock-$1]} ${asked[stock-$1]}")
	if awk -v l="$late" 'BEGIN { exit !(l <= 2) }'; then
		good "$1: at most 2 s later than under stock ($late s)"
	else
		bad "$1: at most 2 s later than under stock" "$late s"
	fi
}

# --- without limits: one job runs, a job of both nodes waits, a small one comes
pair nolimit ""
both nolimit fills
both nolimit waits_for_both
sleep 3
both nolimit comes
starts nolimit "a small job starts beside a head that can start in a year only"
head_waits() {
	is "$c: (the head waits)" "$(state "${wide[$c]}")" PENDING
}
both nolimit head_waits
use act-nolimit
like "act-nolimit: the head's start is an estimate" "$("$COSCHED" explain "${wide[act-nolimit]}")" \
	'no nodes are kept for it yet'
makes_room() {
	timed[$c]=${wide[$c]} asked[$c]=$EPOCHREALTIME
	scancel "${first[$c]}" "${small[$c]}"
}
both nolimit makes_room
starts nolimit "the head starts once it fits"
# --- with limits within a day nodes are kept, as ever
both nolimit clear_jobs
both nolimit fills -t 60
both nolimit waits_for_both -t 60
sleep 3
both nolimit comes -t 120
sleep 6
kept() {
	is "$c: nodes are kept for a start within the window" "$(state "${small[$c]}")" PENDING
}
both nolimit kept
drop nolimit

# --- a head that keeps nothing: beyond a window of half an hour, too young, of too little
# priority
passed() { # NAME WHY
	both "$1" fills -t 60
	both "$1" waits_for_both -t 60
	sleep 3
	both "$1" comes -t 120
	starts "$1" "$2: the head keeps nothing"
}
pair window "bf_window=30"
passed window "bf_window=30, a start in an hour"
drop window

pair age "bf_min_age_reserve=3600"
passed age bf_min_age_reserve=3600
drop age
pair prio "bf_min_prio_reserve=4294000000" --set PriorityType=priority/multifactor
passed prio "bf_min_prio_reserve, above all priorities"
drop prio

# --- a job beyond its limit, by OverTimeLimit. The backfill scheduler of 24.11 (not of
# 22.05) counts such a job as gone, and keeps all nodes for what waits for it, for up to 30
# minutes: act does not follow.
pair over "" --set OverTimeLimit=30
both over fills -t 1
both over waits_for_both -t 60
sleep 66
runs_on() {
	is "$c: (it runs beyond its limit)" "$(state "${first[$c]}")" RUNNING
}
both over runs_on
both over comes -t 5
beside="a job of 5 minutes starts beside one that may run 30 more"
if [[ $(slurmctld -V) == *\ 22.05* ]]; then
	starts over "$beside"
else
	use act-over
	ok "act-over: $beside" wait_for 40 is_state "${small[act-over]}" RUNNING
	sleep 20
	use stock-over
	is "stock-over: (it keeps all nodes for the head)" \
		"$(state "${wide[stock-over]}") $(state "${small[stock-over]}")" "PENDING PENDING"
fi
drop over

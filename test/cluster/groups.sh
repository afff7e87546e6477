#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Groups (cosched_policy=glts): one primary job with two matched ones, on which cores,
# what users see of them, and what becomes of them; the event log decides the same
# again, and says what other settings would have decided.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our policy"
cluster --params "cosched_mode=act,${SHARED/cst/glts}"

# group_of JOB: "GROUP ROLE" in cosched groups
group_of() {
	"$COSCHED" groups 2>/dev/null | awk -v j="$1" '$3 == j { print $1, $2 }'
}
# members JOB JOB...: are they all of them, in one group, the first its primary job?
members() {
	local id j want=primary

	read -r id _ <<<"$(group_of "$1")"
	[ -n "$id" ] && [ "$("$COSCHED" groups | awk -v g="$id" '$1 == g' | wc -l)" = $# ] ||
		return 1
	for j; do
		[ "$(group_of "$j")" = "$id $want" ] || return 1
		want=matched
	done
}
comment_of() {
	scontrol show job "$1" | sed -n 's/^ *SystemComment=//p'
}
says_partner() { # JOB PARTNER
	[[ $(comment_of "$1") =~ group\ [0-9]+,.*with\ job\ $2, ]]
}

# All wait for one that has the machine for a minute: $wide, for every node; $last, for
# every node, with nobody; and two that fit beside $wide, each on a half of them.
submit() {
	block=$(LIMIT=1 job -N4 --exclusive)
	running "$block"
	wide=$(profiled cg -N4 -n8)
	last=$(profiled mem -N4 -n8)
	half1=$(profiled io -N2 -n4)
	half2=$(profiled io -N2 -n4)
	keeps_waiting "$wide" "$half1" "$half2" "$last"
}

formed() {
	submit
	scancel "$block"
	running "$wide" "$half1" "$half2"
	ok "one primary job and two matched ones are a group" \
		wait_for 5 members "$wide" "$half1" "$half2"
	ok "what suits none waits" waits "$last"
	is "the primary job has a core of each socket of four nodes" \
		"$(cores "$wide")" "n1:0,2 n2:0,2 n3:0,2 n4:0,2"
	is "a matched one the other cores of two of them" \
		"$(cores "$half1" | tr ' ' '\n' | cut -d: -f2 | paste -sd' ')" "1,3 1,3"
	is "the second those of the other two" \
		"$({ nodes_of "$half1"; nodes_of "$half2"; } | tr ' ' '\n' | sort | paste -sd' ')" \
		"n1 n2 n3 n4"
	is "sixteen CPUs are held" "$(holdings | wc -l)" 16
	is "none of them twice" "$(holdings | held_twice)" ""
}

seen() {
	local out

	out=$("$COSCHED" explain "$wide" 2>&1)
	like "explain names the group and the role" "$out" "group [0-9]+, primary"
	like "and the first partner" "$out" "shares with job $half1 \(io\)"
	like "and the second" "$out" "shares with job $half2 \(io\)"
	like "and what that costs" "$out" "slowdown by sharing 1.05"
	out=$("$COSCHED" explain "$half2" 2>&1)
	like "explain of a matched job says so" "$out" "group [0-9]+, matched"
	like "with what it suffers" "$out" "slowdown by sharing 1.10"
	like "explain of one that waits says when it starts" "$("$COSCHED" explain "$last" 2>&1)" \
		"waits: first in the queue.*starts in 0:1[01]:[0-9]+ at the latest"
	for j in "$half1" "$half2"; do
		ok "system_comment says with which ($j)" wait_for 5 says_partner "$j" "$wide"
	done
	ok "system_comment of the primary job names a partner" \
		wait_for 5 says_partner "$wide" "($half1|$half2)"
}

replayed() {
	local out s

	same "a group of three"
	# with slack=1 a group may not delay the one that is promised to come next
	for s in slack=1 min_util_gain=9 matched_max=1 jobs_per_node=1; do
		out=$("$COSCHED" replay --set "$s" "$WORK/copy" 2>&1)
		is "another setting is asked ($s)" "$?" 0
		like "which would have waited ($s)" "$out" \
			"^job $half2:  then [-0-9T:]+ on [^ ]+  now not"
		if [ "$s" = matched_max=1 ]; then
			unlike "the first partner would have come ($s)" "$out" "^job $half1:"
		else
			like "and which too ($s)" "$out" \
				"^job $half1:  then [-0-9T:]+ on [^ ]+  now not"
		fi
		like "the others are counted ($s)" "$out" "^[0-9]+ starts: [1-9][0-9]* the same"
	done
}

# What is left of a group when one after the other ends.
ends() {
	scancel "$half1"
	wait_for 10 gone "$half1"
	ok "a group lives on without one of its matched jobs" \
		wait_for 5 members "$wide" "$half2"
	scancel "$wide"
	ok "it ends with its primary job" wait_for 10 eval '[ -z "$(group_of "$half2")" ]'
	is "the other one runs on" "$(state "$half2")" RUNNING
	like "and is told what sharing cost" "$(comment_of "$half2")" \
		"shared its nodes, which cost it [0-9]+ s"
	scancel "$half2"
	ok "what waited starts" running "$last"
	clear_jobs
	same "and its end"
}

# A member that is cancelled or held before the group is formed is not missed.
without() {
	submit
	scontrol hold "$half1"
	scancel "$block"
	running "$wide" "$half2"
	ok "without the one that is held it is a group of two" \
		wait_for 5 members "$wide" "$half2"
	ok "the held one waits" waits "$half1"
	scontrol release "$half1"
	ok "released it waits for its turn: nobody joins a group" keeps_waiting "$half1"
	is "no CPU is held twice" "$(holdings | held_twice)" ""
	clear_jobs
	same "with a hold"
}

formed
seen
replayed
ends
without
log_is_clean

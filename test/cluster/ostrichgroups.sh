#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OStrich with groups (cosched_policy=ostrich-paper with place=group and backfill, and glts with
# cosched_order=ostrich): the primary job is the first of the campaigns' order, those
# matched with it come from behind it, whosever they are.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=campaigns.inc
. "$(dirname "$0")/campaigns.inc"
[ -z "$STOCK" ] || skip "the order is ours"

policy="cosched_mode=act,cosched_profiles=$PROFILES,cosched_log=$LOG"
cluster --params "$policy,cosched_policy=ostrich-paper,cosched_place=group,cosched_backfill=conservative"

# role JOB: "GROUP ROLE" in cosched groups
role() {
	"$COSCHED" groups 2>/dev/null | awk -v j="$1" '$3 == j { print $1, $2 }'
}
grouped() { # grouped PRIMARY MATCHED...
	local j id

	id=$(role "$1")
	[[ $id = *primary ]] || return 1
	shift
	for j; do
		[ "$(role "$j")" = "${id% *} matched" ] || return 1
	done
}
of() { # of USER PROFILE [sbatch option]...
	local user=$1 profile=$2
	shift 2
	by "$user" --comment="cosched:profile=$profile" "$@"
}

forms() { # forms TEXT
	local blocker large small half1 half2

	blocker=$(LIMIT=1 job -N4 --exclusive)
	running "$blocker" || bad "the blocker runs" "$(squeue)"
	# first come, but its campaign is the largest
	large=$(LIMIT=30 of news mem -N4 -n8)
	half1=$(LIMIT=10 of games io -N2 -n4)
	half2=$(LIMIT=10 of bin io -N2 -n4)
	small=$(LIMIT=4 of mail cg -N4 -n8)
	ok "$1: the campaigns' order" wait_for 5 in_order "$small" "$half1" "$half2" "$large"
	scancel "$blocker"
	ok "$1: three users' jobs start together" running "$small" "$half1" "$half2"
	ok "$1: they are a group, its primary job the first of the order" \
		wait_for 5 grouped "$small" "$half1" "$half2"
	ok "$1: what suits none waits" waits "$large"
	is "$1: no core is held twice" "$(holdings | held_twice)" ""
	is "$1: sixteen are held" "$(holdings | wc -l)" 16
	scancel "$small" "$half1" "$half2"
	ok "$1: and comes then" running "$large"
	clear_jobs
}

forms "place=group"
set_params "$policy,cosched_policy=glts,cosched_order=ostrich"
forms "glts"
same "all of this replays"
log_is_clean

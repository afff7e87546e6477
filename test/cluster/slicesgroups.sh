#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time slices of groups (place=group with order=ostrich): short, medium and long jobs, of
# each class a primary job on four nodes and two matched ones on two of them each. Those
# that share nodes are stopped and go on together, in the slice of their class; one of each
# group ignores SIGTSTP. Watched from outside, as in slices.sh.
#
# FULL=1: 20 slices instead of 6; then the same of pairs (place=pair-best, order=fcfs).

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cycle=40 short=10 overhead=3 # no slice is shorter than 10 s
short_min=10 medium_min=40   # no job reaches its limit
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

of_groups="$pect,cosched_slice=pect,cosched_slice_stop=all,cosched_profiles=$PROFILES"
of_groups="cosched_mode=act,${of_groups/policy=pect/policy=glts}"
cluster --nodes 4 --params "$of_groups,cosched_order=ostrich"

member() { # CLASS USER PROFILE NODES MINUTES
	counts "$1" 0.1 "" -D / --uid="$2" -t "$5" --mem=300 -N"$4" -n$(($4 * 2)) \
		--ntasks-per-node=2 --comment="cosched:profile=$3"
}
# All come while nobody may run, in the overhead of the first slice that there is.
when_an_interval_begins() {
	sleep "$(awk -v t="$(date +%s.%N)" -v c="$cycle" 'BEGIN { print c - t % c + 0.2 }')"
}
role() { # JOB: "GROUP ROLE" by its comment
	scontrol show job "$1" |
		sed -nE 's/.*SystemComment=cosched: group ([0-9]+), ([a-z]+), with .*/\1 \2/p'
}
grouped() { # PRIMARY MATCHED...
	local j id

	id=$(role "$1")
	[[ $id = *" primary" ]] || return 1
	for j in "${@:2}"; do
		[ "$(role "$j")" = "${id% *} matched" ] || return 1
	done
}
# As far as each other, within a second; guard time is not counted.
together() { # JOB JOB...
	local j

	for j; do counted "$j"; done | sort -n | awk '
		{ printf "%s ms ", $1 }
		NR == 1 { least = $1 }
		END { exit !(least > 0 && $1 - least <= 1000) }'
}
# The medium jobs' and long ones' parts of what the short slice leaves.
of_rest=$((cycle - short))
medium_s=$((of_rest * 4 / 10 - overhead)) long_s=$((of_rest * 6 / 10 - overhead))
intervals=2
[ -z "${FULL:-}" ] || intervals=7

# in_turn TEXT: the jobs in ${members[CLASS]}, the primary one first, which have just come
declare -A members
in_turn() {
	local text=$1 class

	all="${members[*]}"
	ok "$text: all have run within an interval and a half" wait_for $((cycle * 3 / 2)) has_counted
	for class in short medium long; do
		# shellcheck disable=SC2086
		ok "$text: the $class jobs are a group" grouped ${members[$class]}
	done
	boundary
	watch $((intervals * cycle - 1)) # not into the next one
	watched "$text"
	is "$text: the classes take turns" "$(figure turns)" $((3 * intervals - 1))
	ratio "$text: medium jobs have had their share of long ones' time" medium long $medium_s $long_s
	ratio "$text: short jobs have had theirs" short long $((short - overhead)) $long_s
	for class in short medium long; do
		# shellcheck disable=SC2086
		ok "$text: the $class jobs have come as far as each other" together ${members[$class]}
		like "$text: a job's comment has its group, how often it stood still and how long" \
			"$(scontrol show job "${members[$class]%% *}")" \
			'SystemComment=cosched: group [0-9]+, primary, with job [0-9]+, .*; stopped [0-9]+ times by time slices, [1-9][0-9]* s in all'
	done
	like "$text: cosched check accepts the log" "$("$COSCHED" check "$LOG")" ': ok, '
	same "$text"
}

# The matched ones come first; the primary ones' campaigns end first.
when_an_interval_begins
matched=() primary=()
for class in "short games news 6" "medium bin sys 20" "long lp uucp 70"; do
	read -r class one other minutes <<<"$class"
	matched+=("$(TRAPS=1 member "$class" "$one" io 2 "$minutes")" "$(member "$class" "$other" io 2 "$minutes")")
done
for class in "short mail 5" "medium man 15" "long proxy 60"; do
	read -r class one minutes <<<"$class"
	primary+=("$(member "$class" "$one" cg 4 "$minutes")")
done
members=([short]="${primary[0]} ${matched[*]:0:2}" [medium]="${primary[1]} ${matched[*]:2:2}"
	[long]="${primary[2]} ${matched[*]:4:2}")
in_turn "groups"

[ -n "${FULL:-}" ] || exit 0
fresh
set_params "$of_groups,cosched_place=pair-best,cosched_order=fcfs"
when_an_interval_begins
members=()
for class in "short 5" "medium 20" "long 60"; do
	read -r class minutes <<<"$class"
	members[$class]="$(member "$class" root cg 4 "$minutes") $(TRAPS=1 member "$class" root io 4 "$minutes")"
done
in_turn "pairs"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time slices of groups (cst with slice=pect): jobs that share nodes are stopped and go on
# together, in the slice of their class. Watched from outside, as in slices.sh.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cycle=60 short=15 overhead=4
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

slices="cosched_slice=pect,cosched_class_short_s=30,cosched_class_medium_s=300"
slices+=",cosched_slice_cycle_s=$cycle,cosched_slice_overhead_s=$overhead,cosched_slice_short_s=0"
slices+=",cosched_slice_medium=0.4,cosched_slice_stop=all"
cluster --nodes 2 --more "cosched_backfill=conservative,$slices"

member() { # CLASS MINUTES PROFILE
	counts "$1" 0.1 "" -t "$2" --mem=300 -N2 -n4 --ntasks-per-node=2 --comment="cosched:profile=$3"
}

m1=$(member medium 5 cg) m2=$(member medium 5 io)
l1=$(member long 60 cg) l2=$(member long 60 io)
all="$m1 $m2 $l1 $l2"
have_run() {
	local j
	for j in $all; do [ -s "$JOBS/count.$j" ] || return 1; done
}
ok "all have run within two intervals" wait_for $((2 * cycle + 10)) have_run
group_of() {
	scontrol show job "$1" | sed -n 's/.*SystemComment=cosched: group \([0-9]*\),.*/\1/p'
}
is "the medium ones are a group" "$(group_of "$m1")" "$(group_of "$m2")"
is "the long ones are another" "$(group_of "$l1")" "$(group_of "$l2")"
like "... both of them" "$(group_of "$m1") $(group_of "$l1")" '^[0-9]+ [0-9]+$'
boundary
watch $((2 * cycle))
watched "groups"
is "the classes take turns" "$(figure turns)" 3
ok "each class has its share" ratio medium long $((cycle * 4 / 10 - overhead)) $((cycle * 6 / 10 - overhead))
together() { # A B: as far as each other, within a second
	local a b

	a=$(counted "$1") b=$(counted "$2")
	echo "$a and $b ms"
	[ $((a > b ? a - b : b - a)) -le 1000 ]
}
ok "the members of a group have come as far as each other" together "$l1" "$l2"
same "the log"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sites beside time slices (multisite-adaptive's rule with slice=pect): a job is weighed
# among those of its class.  A long job that finds one site taken for an hour is split; a
# short one has that site in its own slice.  All watched from outside, by what they count.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cycle=40 short=12 overhead=3
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

tree=$WORK/tree.conf
cat >"$tree" <<'CONF'
SwitchName=l1 Nodes=n[1-4]
SwitchName=l2 Nodes=n[5-7]
SwitchName=l3 Nodes=n8
SwitchName=top Switches=l[1-3]
CONF
cluster --nodes 8 --topology "$tree" --params "cosched_mode=act,$pect,cosched_site_rule=adaptive,cosched_sites=topology,cosched_across=0.5"

has_run() {
	[ "$(counted "$1")" -gt 5 ]
}
one=$(counting long -N4 --exclusive)
ok "a long job has the site of four in its slice" wait_for $((2 * cycle)) has_run "$one"
is "... alone" "$(nodes_of "$one")" "n1 n2 n3 n4"
split=$(counting long -N4 --exclusive)
ok "another, for which that is free in half an hour, is split" wait_for $((2 * cycle)) has_run "$split"
is "... over the other two" "$(nodes_of "$split")" "n5 n6 n7 n8"
like "... cosched sites says so" "$("$COSCHED" sites)" "$split +2 +4 +1\\.500"
is "... with a limit that covers it" "$(field "$split" TimeLimit)" 00:45:00
small=$(counts short 0.1 60 --mem=300 -t1 -N4 --exclusive)
ok "a short one is weighed among short ones: it starts in its slice" wait_for $((2 * cycle)) has_run "$small"
is "... on one site" "$(nodes_of "$small")" "n1 n2 n3 n4"
is "... with the limit that it asked for" "$(field "$small" TimeLimit)" 00:01:00
ok "... and ends" wait_for $((3 * cycle)) gone "$small"
ok "the long ones get on: the one" counts_on "$one"
ok "... and the one that is split" counts_on "$split"

# Eight nodes for a short job: the long ones, also the one that is split, stop before.
boundary
small=$(counting short -N8 --exclusive)
watch $((2 * cycle))
watched "a short job of eight nodes beside them"
clear_jobs
log_is_clean act

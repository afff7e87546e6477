#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What goes wrong under time slices strands nobody: slurmctld is killed as jobs are being
# stopped, reconfigured, messages to the nodes are lost (sliceslose.c), a node is lost, mode
# act ends. Watched from outside, as in slices.sh.
#
# FULL=1: a restart and a kill as the next slice's jobs go on, too; ten messages are lost
# instead of two.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

cluster --nodes 3 --params "cosched_mode=act,$pect,cosched_slice_stop=all"

# --- slurmctld ends in the midst

one_of_each
# at_turn [SECONDS]: the moment at which a slice ends, and so much later
at_turn() {
	local end

	end=$("$COSCHED" slices --json | sed -n 's/.*"end_s": *\([0-9]*\).*/\1/p' | head -n 1)
	sleep "$(awk -v e="${end:-0}" -v t="$(date +%s.%N)" -v d="${1:-0.02}" \
		'BEGIN { s = e - t + d; print (s > 0 ? s : 0) }')"
}
restarted() {
	vc restart-ctld && vc wait-up >/dev/null
}
shot() { # kill -9 as a slice ends: jobs are being stopped
	at_turn
	vc kill-ctld
	sleep 1
	vc start-ctld && vc wait-up >/dev/null
}
shot_later() { # ... as the next one's go on
	at_turn
	sleep "$overhead"
	vc kill-ctld
	sleep 1
	vc start-ctld && vc wait-up >/dev/null
}
shot_before() { # it is not there as a slice ends and the next one begins
	at_turn -1
	vc kill-ctld
	sleep $((1 + overhead))
	vc start-ctld && vc wait-up >/dev/null
}
wait_for $((2 * cycle)) has_counted
killed "kill -9 at a stop" shot
killed "slurmctld is down as a slice ends" shot_before
killed "a reconfigure" scontrol reconfigure
if [ -n "${FULL:-}" ]; then
	killed "a restart" restarted
	killed "kill -9 at a resume" shot_later
fi

# --- the nodes do not hear of a stop, for a second

gcc -shared -fPIC -Wall -Wextra -o "$WORK/lose.so" "$TREE/test/cluster/sliceslose.c" -ldl ||
	exit 1
export COSCHED_LOSE=$WORK/lose
LD_PRELOAD=$WORK/lose.so vc restart-ctld && vc wait-up >/dev/null
wait_for 15 in_act || bad "mode act is on" "$(tail "$CTLD_LOG")"
# by now the short jobs may have been ended by their limit
fresh
one_of_each
wait_for $((2 * cycle)) has_counted
times=2
[ -z "${FULL:-}" ] || times=10
lost() {
	local i

	for ((i = 0; i < times; i++)); do
		at_turn -0.2
		touch "$COSCHED_LOSE"
		sleep 1
		rm -f "$COSCHED_LOSE"
		sleep 3
	done
}
remember
watch $((times * cycle / 2 + 10)) &
watching=$!
lost
wait "$watching"
late_of=10 watched "messages that are lost"
ok "... all get on" wait_for $((2 * cycle)) all_count_on
is "Slurm's cores are as it thinks" "$(grep -c 'overflow' "$CTLD_LOG")" 0

# --- a node that is lost, and mode off

fresh
a=$(counting long --exclusive -w n1)
b=$(counting medium --exclusive -w n1 --requeue)
c=$(counting long --exclusive -w n2)
d=$(counting medium --exclusive -w n2)
all="$a $b $c $d"
wait_for $((2 * cycle)) has_counted
gone_or_waits() {
	local j
	for j; do gone "$j" || is_state "$j" PENDING || return 1; done
}
scontrol update nodename=n1 state=down reason=test
ok "what was on a node that is lost is not there any more" wait_for 15 gone_or_waits "$a" "$b"
scontrol update nodename=n1 state=resume 2>/dev/null
ok "the others go on" counts_on "$c"
nothing_left() {
	status_has 'mode off' && ! status_has 'a time slice'
}
both_there() {
	is_state "$c" SUSPENDED && is_state "$d" RUNNING
}
ok "a job runs on the cores of one that is stopped" wait_for $((2 * cycle)) both_there
set_params "cosched_mode=off,$pect"
late=$(counting medium --exclusive -w n2)
sleep 3
is "mode off: no job that runs is disturbed" "$(state "$d") $(state "$c")" "RUNNING SUSPENDED"
ok "... status says that one stands still, and when it goes on" wait_for 5 status_has \
	'^1 job that a time slice had stopped stands still: each goes on by itself as soon as its cores are free'
scancel "$d"
ok "the one that was stopped goes on when its cores are free" wait_for 15 is_state "$c" RUNNING
ok "... and counts" counts_on "$c"
ok "... status says no more of it" wait_for 5 nothing_left
is "a job that came later waits for it" "$(state "$late")" PENDING
is "no core is held twice" "$(holdings | held_twice)" ""
scancel "$c"
ok "... and starts when it has gone" wait_for 15 is_state "$late" RUNNING
like "the log holds through all of it" "$("$COSCHED" check "$LOG")" ': ok, '
same "the log of all of it"

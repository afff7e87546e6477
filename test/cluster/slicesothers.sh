#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time slices, and what others do to the jobs: a hold does nothing to who runs, in turns or
# not; who an administrator stops stays stopped, until he gives him back; who is placed by Slurm's own test is not put on the cores of a stopped job; nobody is
# carried into a maintenance.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

cluster --nodes 3 --params "cosched_mode=act,$pect,cosched_slice_stop=all"

# --- who an administrator stops

long=$(counting long --exclusive -w n1)
wait_for "$cycle" is_state "$long" RUNNING
medium=$(counting medium --exclusive -w n1)
wait_for "$cycle" is_state "$medium" RUNNING
ok "a medium job runs in its slice, the long one is stopped" is_state "$long" SUSPENDED
priority_0() {
	[ "$(field "$1" Priority)" = 0 ]
}
scontrol hold "$long"
scontrol uhold "$medium"
ok "both are held" wait_for 5 eval "priority_0 $long && priority_0 $medium"
ok "... the stopped one goes on in its turn" counts_on "$long"
ok "... and is stopped for the other, which runs" wait_for $((cycle * 3 / 2)) is_state "$medium" RUNNING
is "... in turn" "$(state "$long")" SUSPENDED
ok "... both still held" eval "priority_0 $long && priority_0 $medium"
scontrol release "$long"
scontrol suspend "$long,$medium"
ok "the administrator suspends the stopped one" wait_for 5 priority_0 "$long"
ok "... and the one that runs, held" wait_for 5 is_state "$medium" SUSPENDED
scontrol hold "$long" # he says so once more
was=$(counted "$long") was_medium=$(counted "$medium")
sleep $((cycle + 5))
is "no slice lets it go on" "$(counted "$long")" "$was"
is "... nor the other" "$(($(counted "$medium") - was_medium < 2500))" 1
is "... their processes stand still" "$(state "$long") $(state "$medium")" "SUSPENDED SUSPENDED"
resumed() {
	scontrol resume "$medium" 2>/dev/null
}
ok "the one is let go on when its cores are free" wait_for "$cycle" resumed
ok "... and counts" counts_on "$medium"
scontrol release "$long"
ok "the other, released, in its turn" counts_on "$long"
ok "... in turn with the first" counts_on "$medium"

# --- a job that Slurm's own test places (it takes as many nodes as there are)

fresh
wide=$(counting long -N2 -n4 --ntasks-per-node=2 -w n1,n2)
wait_for $((cycle * 3 / 2)) is_state "$wide" RUNNING
medium=$(counting medium --exclusive -w n1)
displaced() {
	is_state "$medium" RUNNING && is_state "$wide" SUSPENDED
}
ok "a wide long job is stopped for a medium one on one of its nodes" wait_for $((cycle * 3 / 2)) displaced
own=$(counting long -N1-2 -n2 -w n2)
ok "Slurm's test starts one of its class on the other node" wait_for 5 is_state "$own" RUNNING
ok "... not on the cores of the stopped one: that goes on in its slice" wait_for $((cycle * 3 / 2)) is_state "$wide" RUNNING
is "... beside it" "$(holdings | held_twice)" ""
# --- a maintenance that a job of 2 minutes would end before if it ran without a stop

fresh
long=$(counting long --exclusive -w n2)
scontrol create reservation reservationname=works starttime=now+150 duration=60 \
	nodes=n1 flags=maint users=root >/dev/null
carried=$(counting medium --exclusive -w n1)
sleep $((cycle + 5))
is "whom its slices would carry into a maintenance waits" "$(state "$carried")" PENDING
is "... the other node works" "$(is_state "$long" PENDING && echo waits)" ""
scontrol delete reservationname=works
ok "... without the maintenance it starts" wait_for $((2 * cycle)) is_state "$carried" RUNNING

like "the log holds through all of it" "$("$COSCHED" check "$LOG")" ': ok, '
same "the log of all of it"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time slices, and what others do to the jobs: a hold does nothing to a job that has started,
# in turns or not; one that an administrator suspends stays so until it is given back; one
# that Slurm's own test places does not get the cores of a stopped job; none is carried into
# a maintenance.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

in_slices="cosched_mode=act,$pect,cosched_slice_stop=all"
cluster --nodes 3 --params "$in_slices"
anew() { # a reconfigure: another adapter
	set_params "$in_slices"
}

# --- what an administrator stops

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
anew # what is held and stopped is still ours
ok "... the stopped one goes on in its turn" counts_on "$long"
ok "... and is stopped for the other, which runs" wait_for $((cycle * 3 / 2)) is_state "$medium" RUNNING
is "... in turn" "$(state "$long")" SUSPENDED
ok "... both still held" eval "priority_0 $long && priority_0 $medium"
scontrol release "$long"
scontrol suspend "$long,$medium"
ok "the administrator suspends the stopped one" wait_for 5 priority_0 "$long"
ok "... and the one that runs, held" wait_for 5 is_state "$medium" SUSPENDED
scontrol hold "$long,$medium" # he says so once more
anew
stands_still() { # its processes: a slurmd may take seconds to stop them
	local was

	was=$(counted "$1")
	sleep 1
	[ "$(counted "$1")" = "$was" ]
}
ok "both stand still" wait_for 10 eval "stands_still $long && stands_still $medium"
was=$(counted "$long") was_medium=$(counted "$medium")
sleep $((cycle + 5))
is "no slice lets it go on" "$(counted "$long")" "$was"
is "... nor the other" "$(counted "$medium")" "$was_medium"
is "... their processes stand still" "$(state "$long") $(state "$medium")" "SUSPENDED SUSPENDED"
set_params "cosched_mode=off"
sleep 5
is "nor do they go on when slices are switched off" "$(state "$long") $(state "$medium")" "SUSPENDED SUSPENDED"
vc restart-ctld && vc wait-up >/dev/null
sleep 15
is "... or slurmctld is restarted" "$(state "$long") $(state "$medium")" "SUSPENDED SUSPENDED"
set_params "$in_slices"
is "... or they are switched on" "$(state "$long") $(state "$medium")" "SUSPENDED SUSPENDED"
resumed() {
	scontrol resume "$medium" 2>/dev/null
}
ok "the one is let go on when its cores are free" wait_for "$cycle" resumed
ok "... and counts" counts_on "$medium"
scontrol release "$long"
ok "the other, released, in its turn" counts_on "$long"
ok "... in turn with the first" counts_on "$medium"

# --- one that is given back, and a job of its class has its cores

wait_for $((3 * cycle / 2)) is_state "$medium" RUNNING
scontrol suspend "$medium"
ok "a job is suspended in its slice" wait_for 5 is_state "$medium" SUSPENDED
taker=$(counting medium --exclusive -w n1)
ok "... another of its class gets its cores" wait_for $((3 * cycle / 2)) is_state "$taker" RUNNING
scontrol release "$medium"
waits_for_cores() { # JOB CLASS
	"$COSCHED" explain "$1" | grep -q '^  goes on in its time slices as soon as its cores are free: jobs of its class have them$' &&
		"$COSCHED" slices | grep -qE "^ *$1 +$2 +1 +[0-9]+ +once free$"
}
ok "... given back, it waits for these: explain and slices say so" wait_for 5 waits_for_cores "$medium" medium
scancel "$taker"
ok "... it goes on when they are free" counts_on "$medium"

# --- the limits of the classes change: both are of one, on the same cores

wait_for "$cycle" is_state "$long" SUSPENDED
wait_for "$cycle" is_state "$medium" RUNNING
set_params "${in_slices/class_medium_s=$((medium_min * 60))/class_medium_s=3600}"
ok "limits that put both into one class: the stopped one waits for the one that runs" wait_for 15 waits_for_cores "$long" medium
ok "... that gets on" counts_on "$medium"
is "... the other stands still" "$(state "$long")" SUSPENDED
is "... neither is left to Slurm" "$(grep -c 'left to Slurm' "$CTLD_LOG")" 0
set_params "$in_slices"
ok "limits that part them again: the one goes on in its turn" counts_on "$long"
ok "... and so does the other" counts_on "$medium"

# --- held just after a requeue

scontrol suspend "$medium"
wait_for 5 is_state "$medium" SUSPENDED
scontrol requeue "$medium"
says_held() {
	"$COSCHED" explain "$medium" | sed q | grep -qE 'waits: held back by Slurm: it is held \(scontrol release lets it go\)'
}
ok "requeued while suspended a job is held, and explain says that first" wait_for 5 says_held
scontrol release "$medium"
scancel "$medium"
medium=$(counting medium --exclusive -w n1)
wait_for $((3 * cycle / 2)) is_state "$medium" RUNNING

# --- a node that is drained: what is there goes on in turn, nothing comes

wait_for "$cycle" is_state "$long" SUSPENDED
scontrol update nodename=n1 state=drain reason=test
later=$(counting medium --exclusive -w n1)
ok "on a node that is drained a stopped job goes on in its slice" counts_on "$long"
ok "... and the other in its own" counts_on "$medium"
ok "... no other starts" is_state "$later" PENDING
scancel "$medium"
scontrol update nodename=n1 state=resume
ok "when the node is back it does" wait_for $((2 * cycle)) is_state "$later" RUNNING

# --- the memory of what is stopped

fresh
long=$(counts long 0.1 '' -t30 -n1 --mem=1500 -w n1)
wait_for $((cycle * 3 / 2)) is_state "$long" RUNNING
large=$(counts medium 0.1 '' -t2 -n1 --mem=1500 -w n1)
small=$(counts medium 0.1 '' -t2 -n1 --mem=300 -w n1)
beside_it() { # the small one runs, and the long one stands still
	is_state "$small" RUNNING && is_state "$long" SUSPENDED
}
ok "what fits beside the memory of a stopped job runs in its slice" wait_for $((cycle * 3 / 2)) beside_it
ok "what does not waits, though that has no core" is_state "$large" PENDING
refusals() { # of JOB, by Slurm
	grep -c "\"ev\":\"refuse\",\"job\":$1," "$LOG"
}
is "it was not tried" "$(refusals "$large")" 0
set_params "cosched_mode=act,$pect,cosched_slice_stop=all,cosched_swap=yes"
sleep "$cycle"
isnt "swap=yes: it is tried" "$(refusals "$large")" 0
is "... Slurm keeps the memory for what is stopped, so it waits as well" "$(state "$large")" PENDING
ok "the two that are there get on" counts_on "$long"
scancel "$long"
ok "... and starts when the memory is free" wait_for $((2 * cycle)) is_state "$large" RUNNING
set_params "cosched_mode=act,$pect,cosched_slice_stop=all"

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
is "a job that its slices would carry into a maintenance waits" "$(state "$carried")" PENDING
like "... explain says so" "$("$COSCHED" explain "$carried")" \
	'a reservation that is not its own keeps nodes that it could use \(scontrol show reservation\)'
is "... the other node works" "$(is_state "$long" PENDING && echo waits)" ""
scontrol delete reservationname=works
ok "... without the maintenance it starts" wait_for $((2 * cycle)) is_state "$carried" RUNNING

clear_jobs
no_slice() {
	"$COSCHED" slices | grep -q '^no slice now: no job has needed one since'
}
ok "without jobs there is no slice" wait_for $((cycle + 5)) no_slice

like "the log holds through all of it" "$("$COSCHED" check "$LOG")" ': ok, '
same "the log of all of it"

# --- what Slurm would do against it

# A job may run longer after a stop than others wait; nodes read the key from 23.11 on.
grace=suspend_grace_time=5
if slurmctld -V | grep -q ' 22\.'; then
	omit "$grace is refused" "this Slurm does not know it"
else
	echo "PreemptParameters=$grace" >>"$SLURM_CONF"
	scontrol reconfigure
	ok "$grace: mode act is refused, for that" wait_for 20 status_has "$grace, in which a stopped job may still run"
	isnt "... and not in force" "$(in_act && echo act)" act
	sed -i '/^PreemptParameters=/d' "$SLURM_CONF"
	scontrol reconfigure
	ok "... without it, it is" wait_for 20 in_act
fi

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time slices (policy=pect, scaled to a minute): short, medium and long jobs have the
# nodes in turn; some ignore SIGTSTP. Watched from outside, five times a second
# (slices.py): no core has two running jobs, nobody comes back on other cores, each class
# gets its share of the time. Who an administrator stops stays stopped; a killed
# slurmctld, a reconfigure and a node that is lost strand nobody; mode off lets all go.
#
# FULL=1: 20 slices instead of 6, a restart and a kill at a resume, too.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

short=15 overhead=4
pect="cosched_policy=pect,cosched_class_short_s=60,cosched_class_medium_s=120"
pect+=",cosched_slice_cycle_s=$cycle,cosched_slice_overhead_s=$overhead"
pect+=",cosched_slice_short_s=$short,cosched_slice_medium=0.4,cosched_log=$LOG"
cluster --nodes 3 --params "cosched_mode=act,$pect,cosched_slice_stop=all"

# counting CLASS [sbatch option]...: a job of that class that counts, ten a second
counting() {
	local class=$1
	shift
	case $class in
	short) set -- -t1 "$@" ;;
	medium) set -- -t2 "$@" ;;
	*) set -- -t30 "$@" ;;
	esac
	counts "$class" 0.1 "" --mem=300 "$@"
}
counts_on() { # JOB: does it get on, within an interval and a half?
	local was

	was=$(counted "$1")
	wait_for $((cycle * 3 / 2)) more_than "$was" "$1"
}
more_than() {
	[ "$(counted "$2")" -gt "$1" ]
}
fresh() {
	clear_jobs
	rm -f "$JOBS"/*
}

# --- three classes, each with all nodes

for class in short medium long; do
	for node in 1 2 3; do
		TRAPS=$([ $node = 3 ] && echo 1) counting $class --exclusive -w n$node >/dev/null
	done
done
boundary
boundary
intervals=2
[ -z "${FULL:-}" ] || intervals=7
watch $((intervals * cycle))
watched "three classes"
is "the classes take turns" "$(figure turns)" $((3 * intervals - 1))
of_rest=$((cycle - short))
medium_s=$((of_rest * 4 / 10 - overhead)) long_s=$((of_rest * 6 / 10 - overhead))
ok "medium jobs have had their share of long ones' time" ratio medium long $medium_s $long_s
ok "short jobs have had theirs" ratio short long $((short - overhead)) $long_s

slices=$("$COSCHED" slices)
like "cosched slices shows whose turn it is" "$slices" '^(short|medium|long) slice, serves from [0-9:]{8} until [0-9:]{8}$'
like "... and who is stopped, until when" "$slices" ' +[0-9]+ +(short|medium|long) +1 +[0-9]+ +[0-9:]{8}'
stopped=$(squeue -h -t S -o %i | head -n 1)
like "a stopped job's comment says how often it stood still" "$(scontrol show job "$stopped")" 'SystemComment=cosched: stopped [0-9]+ times? by time slices, [0-9]+ s in all'
like "explain says that it is stopped" "$("$COSCHED" explain "$stopped")" 'is stopped between its time slices'
waits=$(counting long --exclusive -w n1)
says_slice() {
	reason "$waits" | grep -qE 'cosched: long slice at [0-9]{2}:[0-9]{2}; '
}
ok "squeue says which slice a job waits for" wait_for $cycle says_slice
same "slices"
like "the log holds" "$("$COSCHED" check "$LOG")" ': ok, '

# --- who an administrator stops

fresh
long=$(counting long --exclusive -w n1)
medium=$(counting medium --exclusive -w n1)
wait_for $cycle is_state "$medium" RUNNING
ok "a medium job runs in its slice, the long one is stopped" is_state "$long" SUSPENDED
scontrol suspend "$long"
priority_0() {
	[ "$(field "$1" Priority)" = 0 ]
}
ok "the administrator suspends the stopped one" wait_for 5 priority_0 "$long"
was=$(counted "$long")
sleep $((cycle + 5))
is "no slice lets it go on" "$(counted "$long")" "$was"
ok "... its processes stand still" is_state "$long" SUSPENDED
resumed() {
	scontrol resume "$long" 2>/dev/null
}
ok "it is let go on when its cores are free" wait_for $cycle resumed
ok "... and counts" counts_on "$long"
ok "... in turn with the other" counts_on "$medium"

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

# --- slurmctld ends in the midst

fresh
: >"$CTLD_LOG"
for node in 1 2 3; do
	for class in short medium long; do
		counting $class --exclusive -w n$node >/dev/null
	done
done
all=$(squeue -h -o %i)
all_count_on() {
	local j
	for j in $all; do
		[ "$(counted "$j")" -gt "${had[$j]:-0}" ] || return 1
	done
}
declare -A had
remember() {
	local j
	for j in $all; do had[$j]=$(counted "$j"); done
}
killed() { # TEXT COMMAND...: it strands nobody
	local text=$1
	shift
	remember
	"$@"
	wait_for 15 in_act || bad "$text: mode act is on again" "$(tail "$CTLD_LOG")"
	watch $((cycle + 10))
	watched "$text"
	ok "$text: all get on within an interval" wait_for 20 all_count_on
}
# at_turn: the moment at which a slice ends
at_turn() {
	local end

	end=$("$COSCHED" slices --json | sed -n 's/.*"end_s": *\([0-9]*\).*/\1/p' | head -n 1)
	sleep "$(awk -v e="${end:-0}" -v t="$(date +%s.%N)" 'BEGIN { s = e - t + 0.02; print (s > 0 ? s : 0) }')"
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
	sleep $overhead
	vc kill-ctld
	sleep 1
	vc start-ctld && vc wait-up >/dev/null
}
has_counted() {
	local j
	for j in $all; do [ "$(counted "$j")" -gt 0 ] || return 1; done
}
wait_for $((2 * cycle)) has_counted
killed "kill -9 at a stop" shot
killed "a reconfigure" scontrol reconfigure
if [ -n "${FULL:-}" ]; then
	killed "a restart" restarted
	killed "kill -9 at a resume" shot_later
fi
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
ok "who was on a node that is lost is not there any more" wait_for 15 gone_or_waits "$a" "$b"
scontrol update nodename=n1 state=resume 2>/dev/null
ok "the others go on" counts_on "$c"
both_there() {
	is_state "$c" SUSPENDED && is_state "$d" RUNNING
}
ok "a job runs on the cores of one that is stopped" wait_for $((2 * cycle)) both_there
set_params "cosched_mode=off,$pect"
late=$(counting medium --exclusive -w n2)
sleep 3
is "mode off: nobody who runs is disturbed" "$(state "$d") $(state "$c")" "RUNNING SUSPENDED"
scancel "$d"
ok "the one that was stopped goes on when its cores are free" wait_for 15 is_state "$c" RUNNING
ok "... and counts" counts_on "$c"
is "who came later waits for it" "$(state "$late")" PENDING
is "no core is held twice" "$(holdings | held_twice)" ""
scancel "$c"
ok "... and starts when it has gone" wait_for 15 is_state "$late" RUNNING
like "the log holds through all of it" "$("$COSCHED" check "$LOG")" ': ok, '
same "the log of all of it"

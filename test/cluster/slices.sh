#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time slices (policy=pect, scaled to a minute): short, medium and long jobs have
# the nodes in turn; some ignore SIGTSTP. Watched from outside, five times a second
# (slices.py): no core has two running jobs, nobody comes back on other cores, each class
# gets its share of the time.
#
# FULL=1: 20 slices instead of 6.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cycle=60 short=15 overhead=4 # no slice is shorter than 10 s
short_min=5 medium_min=10    # no job reaches its limit
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

cluster --nodes 3 --params "cosched_mode=act,$pect,cosched_slice_stop=all"

# --- three classes, each with all nodes

for class in short medium long; do
	for node in 1 2 3; do
		TRAPS=$([ $node = 3 ] && echo 1) counting "$class" --exclusive -w n$node >/dev/null
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
ratio "medium jobs have had their share of long ones' time" medium long $medium_s $long_s
ratio "short jobs have had theirs" short long $((short - overhead)) $long_s

# the time that a job ran: Slurm counts whole seconds, at each stop, and from before the script
run_times() {
	local job min s stops ran guard

	for job in $(squeue -h -t R,S -o %i); do
		IFS=: read -r min s <<<"$(squeue -h -j "$job" -o %M)"
		s=$((10#$min * 60 + 10#$s))
		stops=$(scontrol show job "$job" | sed -nE 's/.*stopped ([0-9]+) times? by.*/\1/p')
		read -r ran guard <"$JOBS/count.$job"
		echo "job $job: $s s in squeue, ${stops:=0} stops, counted $ran ms, guard time $guard ms"
		[ $((s + stops + 1)) -ge $((ran / 1000)) ] &&
			[ "$s" -le $(((ran + guard) / 1000 + stops + 2)) ] || return 1
	done
}
ok "squeue's TIME is the time that a job ran" run_times

slices=$("$COSCHED" slices)
like "cosched slices shows whose turn it is" "$slices" '^(short|medium|long) slice, serves from [0-9:]{8} until [0-9:]{8}$'
like "... and which jobs are stopped, until when" "$slices" ' +[0-9]+ +(short|medium|long) +1 +[0-9]+ +[0-9:]{8}'
stopped=$(squeue -h -t S -o %i | sort -n | tail -n 1) # no short one, which may be ending
like "a stopped job's comment says how often it stood still" "$(scontrol show job "$stopped")" 'SystemComment=cosched: stopped [0-9]+ times? by time slices, [0-9]+ s in all'
says=$("$COSCHED" explain "$stopped")
like "explain says that it is stopped" "$says" 'is stopped between its time slices'
like "... and when it goes on" "$says" '^  goes on (at [0-9:]{8}, in 0:0[0-9:]+: the next (short|medium|long) slice|as soon as)'
like "... and when it ends, stopped now and then" "$says" '^  ends in .*, in its own time slices alone$'
# the cores that top counts, and those of squeue's running jobs, if some run
counts_cores() {
	local got want

	got=$("$COSCHED" top --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
print(o["cores_used"], sum(n[1] for n in o["nodes"]), sum(n[2] for n in o["nodes"]))')
	want=$(squeue -h -t R -o '%C' | awk '{ n += $1 } END { print n + 0, n + 0, NR }')
	echo "top: $got, squeue: $want"
	[ "${got%% *}" != 0 ] && [ "$got" = "$want" ]
}
ok "top counts the cores and jobs of those that run, in whose slice it may be" wait_for 30 counts_cores
# top has the slice that cosched slices has, if none ends meanwhile
top_tells_it() {
	local o

	o=$("$COSCHED" slices --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
print(o["slice"], o["end_s"], len(o["stopped"]))')
	read -r class end stopped <<<"$o"
	o=$("$COSCHED" top -b | sed -n 2p)
	echo "slices: $class $end $stopped, top: $o"
	grep -qE "^$class slice until $(date -d "@$end" +%T), $stopped jobs? stopped$" <<<"$o" &&
		[ "$stopped" -gt 0 ] && "$COSCHED" top --json | python3 -c 'import json, sys
s = json.load(sys.stdin)["slice"]
assert s["class"] in ("short", "medium", "long") and s["end_s"] > 0 and s["stopped"] > 0'
}
ok "top shows the slice, its end and how many are stopped" wait_for "$cycle" top_tells_it
waits=$(counting long --exclusive -w n1)
# explain, with the time that top has, and a start not before it
says_the_same() {
	local at line

	line=$("$COSCHED" explain "$waits" | head -n 1)
	at=$(sed -n 's/.*waits: long slice at \([0-9:]*\), .*/\1/p' <<<"$line")
	echo "explain: $line"
	[ -n "$at" ] && "$COSCHED" top -b | grep -qE "^ *$waits .*long slice at $at; " &&
		grep -qE "waits: long slice at $at, in 0:0[0-9:]+; .*starts in [0-9:-]+ at the latest" <<<"$line"
}
ok "explain and top say the same" wait_for "$cycle" says_the_same
same "slices"
like "the log holds" "$("$COSCHED" check "$LOG")" ': ok, '

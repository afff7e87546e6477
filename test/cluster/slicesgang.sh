#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Gang scheduling live (slice=gang, slots of 30 s): a job on all four nodes, and three on
# two each, one of which finds its nodes idle in two slots of three. Watched from outside,
# five times a second (slices.py): no core has two running jobs, nobody comes back on
# other cores, each gets on as it has slots; also when slurmctld is killed. What does not
# fit into the memory beside those that are stopped waits, and explain says why; so it
# does of a node that is drained, and of a maintenance. After a kill of slurmctld no job is
# stopped for longer than doc/admin/slices.md says. In the end all end.
#
# FULL=1: four rounds instead of one, three kills.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cycle=30 # a slot
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

cluster --nodes 4 \
	--params "cosched_mode=act,cosched_policy=${POLICY:-brmms+},cosched_slot_s=$cycle,cosched_log=$LOG"

rounds=1
[ -z "${FULL:-}" ] || rounds=4
turns() { # so far, as the log has them
	grep -c '"ev":"slice","slot":' "$LOG"
}

wide=$(counting wide --exclusive -N4)
left=$(counting left --exclusive -w 'n[1-2]' -N2)
right=$(TRAPS=1 counting right --exclusive -w 'n[3-4]' -N2)
third=$(counting third --exclusive -w 'n[1-2]' -N2)
all="$wide $left $right $third"
ok "a job on all nodes runs at once" wait_for 5 is_state "$wide" RUNNING
is "another one on its nodes does not" "$(state "$left")" PENDING
like "explain says when it starts" "$("$COSCHED" explain "$left")" 'it has a time slot, on 2 nodes; (its turn comes at [0-9:]{8}, in 0:00:[0-9]{2}|it has its turn)'
large=$(counting large -N1 -n1 --mem=1500)

boundary
watch $((3 * rounds * cycle)) &
watching=$!
sleep $((cycle * 3 / 2))
is "what the memory of those that are stopped leaves no room for waits" "$(state "$large")" PENDING
like "... for that" "$("$COSCHED" explain "$large")" 'no time slot has room for it: jobs that are stopped or have a slot leave it too little memory'
like "cosched slices shows the slots" "$("$COSCHED" slices)" '^slot [1-3] of 3, until [0-9:]{8}$'
like "... with jobs and nodes" "$("$COSCHED" slices)" '^ +[1-3] +[0-9:]{8} +[12] +4$'
in_time() { # are the slots in the order of their turns?
	"$COSCHED" slices | awk '$2 ~ /:/ && NF == 4 { # a jump back is midnight
		if ($2 < was && (substr(was, 1, 2) != 23 || substr($2, 1, 2) != 0)) bad = 1
		was = $2; n++ }
		END { exit bad || n != 3 }'
}
ok "... in the order of their turns" wait_for 3 in_time
like "... and which jobs are stopped, until when" "$("$COSCHED" slices)" '^ +[0-9]+ +[24] +[0-9]+ +[0-9:]{8}$'
stopped=$(squeue -h -t S -o %i | head -n 1)
says=$("$COSCHED" explain "$stopped")
like "explain says that a job is stopped" "$says" 'is stopped between its time slices'
like "... and when it goes on" "$says" '^  goes on (at [0-9:]{8}, in 0:0[0-9:]+: the turn of its slot|as soon as)'
wait "$watching"
watched "a round"
# of 30 s the guard of 3 s after a stop is nobody's
ratio "two jobs with one slot of three get on alike" wide left 1 1
ratio "... and the third" third left 1 1
ratio "one with two slots of three, one behind the other, gets on twice as much" right left 57 27
is "the slots have their turns" "$([ "$(figure turns)" -ge $((3 * rounds)) ] && echo yes)" yes

# why a job waits, beside a node that is drained and before a maintenance
explained() { # REGEX
	"$COSCHED" explain "$waits" | grep -qE "waits: $1"
}
scontrol update nodename=n4 state=drain reason=test
waits=$(counting waits --exclusive -N4)
ok "beside a drained node explain names that" wait_for 5 explained 'no set of nodes that are up can hold it'
scontrol update nodename=n4 state=resume
ok "... when it is back, the job before it that waits for memory" wait_for 5 explained \
	'a job before it, which may use the same nodes, has no time slot yet'
scontrol create reservation reservationname=works starttime=now+300 duration=60 nodes=n4 \
	flags=maint,ignore_jobs users=root >/dev/null
ok "before a maintenance it names that" wait_for 5 explained 'no set of nodes is free of reservations for as long as it may run'
scontrol delete reservationname=works
scancel "$waits"

kills=1
[ -z "${FULL:-}" ] || kills=3 kill_within=20
kill_it() { # watched as it happens
	watch $((${kill_within:-6} + 10)) &
	watching=$!
	# well before the turn ends: else it lasts until the one after
	sleep $((RANDOM % ${kill_within:-6}))
	vc kill-ctld
	vc start-ctld && vc wait-up >/dev/null
	restart=$(date +%s.%N)
	wait "$watching"
	watched "kill -9, as it happens"
}
# the turn that goes on may last half a slot longer; one other slot; guard time before each,
# and the nodes register first
still_s=$((cycle * 3 / 2 + cycle + 2 * 4 + 3)) watch_s=$((7 * cycle / 2))
for ((i = 0; i < kills; i++)); do
	killed "kill -9" kill_it
done
six_turns() {
	echo "$(turns) turns"
	[ "$(turns)" -ge 6 ]
}
ok "the slots have had six turns or more" wait_for 30 six_turns
had_turns=$(turns)
# 30 s each; one more at a start or two, and nobody has ended
is "... and no more than there was time for" \
	"$([ "$had_turns" -le $((SECONDS / cycle + 2 + 2 * kills)) ] && echo yes)" yes
for id in $all; do
	like "job $id was stopped by slots alone" "$(scontrol show job "$id")" \
		'SystemComment=cosched: stopped [0-9]+ times? by time slices'
done

touch "$JOBS/enough"
ok "all end, each in its turn, and what waited for memory starts" wait_for 40 queue_empty
log_is_clean
same "slots"

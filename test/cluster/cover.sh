#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# place=cover in a real slurmctld: jobs that gain by each other start together, others
# take what is free beside them, and what gains nothing is alone on full nodes.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# a and b gain by each other, a and c nothing, d harms a
cat >"$WORK/cover.json" <<'JSON'
{"version":1,
 "profiles":{"a":{"self":{"1":1,"2":1,"4":1.2}}, "b":{"self":{"1":1,"2":1,"4":1.2}},
             "c":{"self":{"1":1,"2":1,"4":1.2}}, "d":{"self":{"1":1,"2":1,"4":1.2}}},
 "pairs":[{"of":"a","beside":"b","slowdown":1.05}, {"of":"b","beside":"a","slowdown":1.05},
          {"of":"a","beside":"c","slowdown":1.2}, {"of":"c","beside":"a","slowdown":1.2},
          {"of":"a","beside":"d","slowdown":1.4}, {"of":"d","beside":"a","slowdown":1.01}]}
JSON
cluster --nodes 4
set_params "cosched_mode=act,cosched_policy=cover,cosched_spare=1,cosched_profiles=$WORK/cover.json,cosched_log=$LOG"
ok "policy cover is in force" in_act

# Jobs that wait together: the nodes are down until all are there.
together() { # together FIRST SECOND...: submit them at once; their ids
	local id ids=()

	scontrol update PartitionName=main State=DOWN
	for args in "$@"; do
		# shellcheck disable=SC2086
		id=$(LIMIT=100 profiled $args)
		ids+=("$id")
	done
	scontrol update PartitionName=main State=UP
	echo "${ids[@]}"
}

read -r a b c <<<"$(together "a -n8" "b -n4" "b -n4")"
ok "a job and two that cover it run" running "$a" "$b" "$c"
is "the job has two cores of each node" "$(cores "$a")" "n1:0,2 n2:0,2 n3:0,2 n4:0,2"
is "the two have the others" "$(cores "$b") $(cores "$c")" "n1:1,3 n2:1,3 n3:1,3 n4:1,3"
is "no CPU is held twice" "$(holdings | held_twice)" ""
like "groups lists them" "$("$COSCHED" groups 2>&1)" "\b$c\b"

d=$(LIMIT=100 profiled d -n4)
ok "what would harm waits" keeps_waiting "$d"
e=$(LIMIT=5 profiled b -n4)
ok "what suits waits, too: no part is free" keeps_waiting "$e"
scancel "$b"
ok "what suits has the free part" running "$e"
is "on the same nodes" "$(cores "$e")" "n1:1,3 n2:1,3"
ok "what would harm still waits" keeps_waiting "$d"
like "explain says what it waits for" "$("$COSCHED" explain "$d" 2>&1)" "$d"
clear_jobs

read -r a c <<<"$(together "a -n8" "c -n8")"
ok "two that gain nothing run" running "$a" "$c"
is "each is alone on full nodes" "$(cores "$a") $(cores "$c")" \
	"n1:0-3 n2:0-3 n3:0-3 n4:0-3"
clear_jobs

read -r a b <<<"$(together "a -n8" "b -n8")"
ok "two that gain run" running "$a" "$b"
vc restart-ctld >"$WORK/restart.out" 2>&1
ok "after a restart of slurmctld, too" running "$a" "$b"
is "with the same cores" "$(cores "$a")" "n1:0,2 n2:0,2 n3:0,2 n4:0,2"
clear_jobs
same "groups that earn their nodes"

# Preset cover+: a job of a minute passes jobs of an hour that came before it, though
# Slurm's priority has them first.
first_in_queue() {
	"$COSCHED" explain "$1" | grep -q ' 1 of 2 in the queue, by .* (order=expansion)'
}
set_params "cosched_mode=act,cosched_policy=cover+,cosched_profiles=$WORK/cover.json,cosched_log=$LOG"
ok "policy cover+ is in force" in_act
all=$(LIMIT=100 profiled d -n16)
ok "a job has all nodes" running "$all"
long=$(LIMIT=60 profiled d -n16)
sleep 3
short=$(LIMIT=1 profiled d -n16)
ok "Slurm puts the long one first" test \
	"$(squeue -h -j "$long" -o %Q)" -ge "$(squeue -h -j "$short" -o %Q)"
ok "the short one is first in our queue" wait_for 20 first_in_queue "$short"
scancel "$all"
ok "the short one starts" running "$short"
ok "the long one waits" waits "$long"
clear_jobs
same "the largest expansion factor first"
log_is_clean

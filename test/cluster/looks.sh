#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a look at Slurm's jobs costs: jobs that have not changed are taken over from the
# look before, there is no look while nothing changes, and what scontrol changes of a
# job or of a partition is seen, whatever it is.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our looks"

JOBS=${JOBS:-40}
cluster --nodes 2 --more cosched_lock_ms=1
figure() {
	"$COSCHED" status --json | python3 -c "
import json, sys
o = json.load(sys.stdin)
for key in sys.argv[1:]:
    o = o[key]
print(o)" "$@"
}
quiet() { # no look for two seconds
	local n

	n=$(figure cycles)
	sleep 2.2
	[ "$(figure cycles)" = "$n" ]
}

full=$(SLEEP=900 LIMIT=20 job -N2 --exclusive)
ok "a job has all nodes" running "$full"
ids=$(job -n1 --array=1-"$JOBS")
for ((i = 0; i < JOBS; i++)); do last=$(job -n1); done
ok "others wait, and nothing happens" wait_for 60 quiet

# --- what has not changed is not described again
# some are described anew after their time, in each second others
ok "it is quiet again" wait_for 60 quiet
looked() { [ "$(figure engine looks kept)" -gt "$kept" ]; }
kept=$(figure engine looks kept)
scontrol update jobid="$last" comment=one
ok "a look" wait_for 20 looked
most_kept() { # TEXT COMMAND...: at the look after the command
	local text=$1 described

	shift
	kept=$(figure engine looks kept) described=$(figure engine looks described)
	"$@"
	ok "another look" wait_for 20 looked
	kept=$(($(figure engine looks kept) - kept)) described=$(($(figure engine looks described) - described))
	if [ "$kept" -gt "$described" ]; then good "$text: most jobs are taken over as they were"; else
		bad "$text: most jobs are taken over as they were" "$kept taken over, $described described"
	fi
}
weigh() { # the look after the next is the first without the change
	scontrol update nodename=n2 weight="$1"
	scontrol update jobid="$last" comment="$1"
}
most_kept "a comment" scontrol update jobid="$last" comment=two
# as Slurm has it of a node that it wakes, or puts down
most_kept "a node of another weight" weigh 7
most_kept "and again" weigh 9

# --- each change of a waiting job is seen: the job's last description in the log
described() { # JOB PATTERN
	grep "\"job\":$1[,}]\|\"id\":$1[,}]" "$LOG" | tail -n 1 | grep -qE -- "$2"
}
changes() { # TEXT PATTERN KEY=VALUE
	scontrol update jobid="$last" "$3"
	ok "a change of $1 is seen" wait_for 20 described "$last" "$2"
}
changes "its time limit" '"estimate":420' timelimit=7
changes "its name" '"name":"abcd"' name=abcd
changes "its name, by one of the same length" '"name":"efgh"' name=efgh
changes "its comment" '"profile":"cg"' comment=cosched:profile=cg
changes "its comment, by one of the same length" '"profile":"io"' comment=cosched:profile=io
changes "its tasks" '"procs":3' numtasks=3
lines() { grep -c "\"job\":${last}[,}]\|\"id\":${last}[,}]" "$LOG"; }
told() { [ "$(lines)" -gt "$before" ]; }
for n in n1 n2; do
	before=$(lines)
	scontrol update jobid="$last" excnodelist="$n"
	ok "a change of its nodes is seen: not $n" wait_for 20 told
done
scontrol hold "$last"
explained() { "$COSCHED" explain "$last" | grep -qi "$1"; }
not_explained() { ! explained "$1"; }
ok "a hold is seen" wait_for 20 explained held
scontrol release "$last"
ok "its release is seen" wait_for 20 not_explained held
blocked() { [ "$(figure engine blocked)" -ge "$JOBS" ]; }
scontrol update partitionname=main state=down
ok "a partition that goes down blocks its jobs" wait_for 20 blocked
scontrol update partitionname=main state=up
not_blocked() { ! blocked; }
ok "it is up again" wait_for 20 not_blocked

# --- many jobs: a look has several steps, each as long as lock_ms, or one batch of jobs
if has_libslurm; then
	builds_submit "$WORK/submit"
	ok "2000 more jobs" "$WORK/submit" 2000 3 60000
	steps() { [ "$(figure engine last look_step_us)" -lt "$(figure engine last look_us)" ]; }
	all() { [ "$(figure engine waiting)" -gt 2000 ]; }
	ok "all are looked at" wait_for 60 all
	ok "the locks are released during a look" wait_for 20 steps
	scancel --quiet -n submit
else
	omit "a look has several steps" "no libslurm to link with"
fi

scancel "$full"
ok "and then they start" running "${ids}_1"
clear_jobs

# --- the least rest between two cycles, whatever happens
full=$(SLEEP=900 LIMIT=20 job -N2 --exclusive)
ok "a job has all nodes again" running "$full"
set_params "cosched_mode=act,$SHARED,cosched_rest_ms=5000"
ok "mode act is on again" wait_for 20 in_act
last=$(job -n1)
before=$(figure cycles) from=$SECONDS
for ((i = 0; i < 30; i++)); do
	scontrol update jobid="$last" nice=$((i + 1))
	sleep 0.3
done
n=$(($(figure cycles) - before)) most=$(((SECONDS - from) / 5 + 2))
if [ "$n" -le "$most" ]; then good "cosched_rest_ms is kept"; else
	bad "cosched_rest_ms is kept" "$n cycles in $((SECONDS - from)) s"
fi

scancel "$full"
ok "and the other starts" running "$last"
clear_jobs
log_is_clean

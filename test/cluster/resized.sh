#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A running job whose size changes is the same run: scontrol takes a node off it, a node of
# a --no-kill job fails, another job gives it a node. What it gives back is used, its group
# lasts as long as two of it share a node, and the limits follow.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=pairs.inc
. "$(dirname "$0")/pairs.inc"
cd "$WORK" || exit 1 # scontrol writes a script per resize

cluster --nodes 4
LIMIT=60 SLEEP=600

# allocate NAME [salloc option]...: an allocation without a script or a step; any of its
# nodes may go
allocate() {
	local name=$1
	shift
	salloc --no-shell -t 60 -J "$name" "$@" </dev/null >"$WORK/salloc.$name" 2>&1 &
	wait_for 30 allocated "$name"
}
allocated() {
	[ "$(squeue -h -n "$1" -o %T)" = RUNNING ]
}

# --- a job gives a node back ----------------------------------------------------------------------

a=$(job -w n3,n4 -N2 -n8)
ok "smaller: a job has two nodes" running "$a"
b=$(job -w n4 -n4)
ok "smaller: another one waits for the second" keeps_waiting "$b"
scontrol update jobid="$a" numnodes=1 >/dev/null
ok "smaller: it has only the first" wait_for 10 on_nodes "$a" n3
ok "smaller: the other one runs" running "$b"
is "smaller: in one run" "$(state "$a") $(field "$a" Restarts) $(minutes "$a")" "RUNNING 0 60"
is "smaller: no core is held twice" "$(holdings | held_twice)" ""
! ours || ok "smaller: the event log has it" has_event "$a" resize
clear_jobs

# --- and shares no node with its partner any more ---------------------------------------------------

if ours; then
	a=$(profiled cg -w n1,n2 -N2 -n4)
	allocate partner -w n1,n2 -N2 -n4 --comment=cosched:profile=io
	b=$(squeue -h -n partner -o %i)
	ok "apart: an allocation" running "$b"
	ok "apart: beside a job" running "$a"
	ok "apart: the limits were raised" wait_for 10 limit "$a" -gt 60
	before=$(limits)
	scontrol update jobid="$a" numnodes=1 >/dev/null
	ok "apart: the job keeps its first node" wait_for 10 on_nodes "$a" n1
	ok "apart: the event log has it" wait_for 10 has_event "$a" resize
	sleep 2.2 # two looks
	ok "apart: they share that one: a group" grouped
	is "apart: with the same limits" "$(limits)" "$before"
	scontrol update jobid="$b" nodelist=n2 >/dev/null
	ok "apart: the allocation keeps the other node" wait_for 10 on_nodes "$b" n2
	ok "apart: no group" wait_for 10 no_group
	ok "apart: what sharing cost is left of the limits" wait_for 10 both_at_most 62
	unlike "apart: the comments say so" "$(comment "$a") $(comment "$b")" "with job"
	is "apart: neither was requeued" "$(events "$a" requeue) $(events "$b" requeue)" "0 0"
	ok "apart: the job has no less than it asked for" limit "$a" -ge 60
	ok "apart: nor has the allocation" limit "$b" -ge 60
	is "apart: both run" "$(state "$a") $(state "$b")" "RUNNING RUNNING"
	vc restart-ctld && vc wait-up >/dev/null
	ok "apart: mode act after a restart" wait_for 30 in_act
	sleep 2.2
	ok "apart: no group then" no_group
	like "apart: nor other limits" "$(limits)" '^6[0-2] 6[0-2]$'
	is "apart: no core is held twice" "$(holdings | held_twice)" ""
	clear_jobs
fi

# --- a node of a --no-kill job fails ------------------------------------------------------------------

a=$(profiled cg -w n1,n2 -N2 -n4 --no-kill)
ok "a failed node: a job runs" running "$a"
if ours; then
	b=$(profiled io -w n1,n2 -N2 -n4)
	ok "a failed node: a partner" running "$b"
	ok "a failed node: the limits were raised" wait_for 10 limit "$a" -gt 60
fi
scontrol update nodename=n2 state=down reason=test
ok "a failed node: the job loses it" wait_for 10 on_nodes "$a" n1
is "a failed node: it runs on" "$(state "$a") $(field "$a" Restarts)" "RUNNING 0"
if ours; then
	ok "a failed node: the event log has it" wait_for 10 has_event "$a" resize
	ok "a failed node: the partner is requeued" wait_for 10 waits "$b"
	ok "a failed node: with its own limit" wait_for 10 limit "$b" -eq 60
	ok "a failed node: the job's limit follows" wait_for 10 limit "$a" -le 62
fi
ok "a failed node: it has no less than it asked for" limit "$a" -ge 60
scontrol update nodename=n2 state=resume 2>/dev/null # if it is not back by itself
clear_jobs

# --- a job gets another's node -------------------------------------------------------------------

if ours; then
	set_params "cosched_mode=act,$SHARED,permit_job_expansion"
	ok "larger: mode act" wait_for 30 in_act
else
	sed -i 's/^SchedulerParameters=.*/&,permit_job_expansion/' "$SLURM_CONF"
	scontrol reconfigure
fi
a=$(job -w n3 -n4)
ok "larger: a job runs" running "$a"
allocate more -w n4 -n4 --dependency=expand:"$a"
b=$(squeue -h -n more -o %i)
ok "larger: another one for it" running "$b"
scontrol update jobid="$b" numnodes=0 >/dev/null
ok "larger: it has both nodes" wait_for 10 on_nodes "$a" "n3 n4"
is "larger: in one run" "$(state "$a") $(field "$a" Restarts) $(minutes "$a")" "RUNNING 0 60"
! ours || ok "larger: the event log has it" wait_for 10 has_event "$a" resize
# Slurm's map of cores keeps those of the first node only: both look the same to others
! ours || like "larger: the engine has it" "$("$COSCHED" status)" '^cores +4 of '
clear_jobs
! ours || same "with jobs of other sizes"
log_is_clean

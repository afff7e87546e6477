#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What slurmctld's side decided, pairs above all, follows from its own event log;
# and the log says what another setting would have decided.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our log"
cluster --nodes 4

# pairs, groups that end, limits that go up and down, one that has to wait
sharing() {
	local a b m

	a=$(profiled cg -n4)
	running "$a"
	b=$(LIMIT=20 profiled io -n4)
	running "$b"
	ok "two jobs share" beside "$a" "$b"
	m=$(profiled mem -N4 -n8)
	ok "one has to wait" keeps_waiting "$m"
	scontrol update jobid="$b" timelimit=30
	sleep 1.5
	scancel "$a"
	wait_for 10 gone "$a" || bad "a partner is cancelled" "$(squeue)"
	a=$(profiled cg -n4)
	running "$a" || bad "another runs" "$(squeue)"
	same "with pairs, and what waits"
	scancel "$a" "$b"
	ok "it runs when they are gone" running "$m"
	clear_jobs
}

# arrays, holds, nodes, and jobs that run again
events() {
	local a h

	a=$(SLEEP=1 profiled io -n2 --array=1-6)
	h=$(SLEEP=3 profiled cg -n2 --hold)
	scontrol update nodename=n4 state=drain reason=test
	sleep 1.5
	scontrol release "$h"
	running "$h" || bad "a released job runs" "$(squeue)"
	scontrol update nodename=n4 state=resume
	scontrol requeue "$h" 2>/dev/null
	scontrol create reservation reservationname=r nodes=n3 starttime=now+2 \
		duration=1 users=root flags=ignore_jobs >/dev/null
	SLEEP=1 job -N1 -n1 >/dev/null
	wait_for 60 gone "$a" || bad "an array ends" "$(squeue)"
	scontrol delete reservationname=r
	same "with an array, a hold, a drained node, a requeue, a reservation"
	clear_jobs
}

# the engine is new, the jobs are not
anew() {
	local a b

	a=$(profiled cg -n4)
	running "$a"
	b=$(profiled io -n4)
	running "$b" || bad "a pair runs" "$(squeue)"
	set_params "cosched_mode=act,$SHARED,cosched_max_slowdown=1.24"
	profiled cg -n2 >/dev/null
	profiled net -n4 >/dev/null
	sleep 2.5
	scancel "$b"
	sleep 2.5
	same "over a new engine with running groups"
	vc kill-ctld
	vc start-ctld
	vc wait-up >/dev/null
	wait_for 20 in_act || bad "mode act is on again" "$("$COSCHED" status 2>&1)"
	profiled io -n2 >/dev/null
	sleep 3
	same "over a kill of slurmctld"
	clear_jobs
}

policies() {
	local p

	for p in easy conservative glts; do
		set_params "cosched_mode=act,${SHARED/cst/$p}"
		SLEEP=2 profiled cg -n4 >/dev/null
		SLEEP=1 profiled io -N2 -n4 >/dev/null
		SLEEP=1 profiled mem -N4 -n8 >/dev/null
		SLEEP=1 profiled net -N1 -n2 >/dev/null
		SLEEP=1 job -n3 >/dev/null
		wait_for 60 queue_empty || bad "jobs end by $p" "$(squeue)"
		same "policy $p"
	done
}

shadow() {
	set_params "cosched_mode=shadow,$SHARED"
	SLEEP=4 profiled cg -n8 >/dev/null
	SLEEP=3 profiled io -N2 -n4 >/dev/null
	SLEEP=2 profiled mem -N4 -n8 >/dev/null
	wait_for 60 queue_empty || bad "jobs end in mode shadow" "$(squeue)"
	ok "mode shadow says what it would do" grep -q '"ev":"would"' "$LOG"
	same "mode shadow"
}

others() {
	local out

	cp "$LOG" "$WORK/copy"
	out=$("$COSCHED" replay --set max_slowdown=1.01 "$WORK/copy" 2>&1)
	is "another setting is asked" "$?" 0
	like "it would not have shared" "$out" '^job [0-9]+:  then [-0-9T:]+ on .*now '
	like "there is a sum" "$out" '^[0-9]+ starts: [0-9]+ the same'
	sed '0,/"case":[0-9]/s//"case":9/' "$LOG" >"$WORK/copy"
	out=$("$COSCHED" replay "$WORK/copy" 2>&1)
	is "a doctored log is not the same" "$?" 1
	like "where, is said" "$out" 'copy:[0-9]+: they differ'
}

sharing
events
others
anew
policies
shadow
log_is_clean shadow

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A cycle that works too long ends mode act for a while: it comes back by itself, later
# each time. A restart and a reconfigure in the pause keep it, other settings end it. The
# thread works where stalls.c makes it.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the watchdog is ours"
command -v gcc >/dev/null || skip "no gcc"

# shellcheck source-path=SCRIPTDIR source=stalls.inc
. "$(dirname "$0")/stalls.inc"

cluster --more "$site,cosched_return_s=2" --set SlurmdTimeout=300
ok "slurmctld starts with the stalls" ctld restart-ctld
ok "(mode act is on)" wait_for 15 said_is state ready

a=$(SLEEP=600 profiled cg -N4 -n8)
ok "(a job runs)" running "$a"
waiting=$(profiled mem -N1 -n2)
ok "(in mode act the plan keeps an incompatible job back)" keeps_waiting "$waiting"
scancel "$waiting"

overruns() { # a cycle works too long
	local before

	before=$(log_counts "$fell")
	stalls "work 900"
	ok "a cycle that works too long ends mode act" wait_for 60 log_counts_more "$fell" "$before"
}
falls() { # PAUSE ROW
	overruns
	like "the log says how long for" "$(grep 'cosched: watchdog:' "$CTLD_LOG" | tail -1)" \
		"error: cosched: watchdog: a cycle worked [0-9]+ ms, expected at most cosched_budget_ms=500: mode act ends, stock scheduling goes on; after a pause of $1 s, at 20[-0-9]*T[:0-9]*, mode act is tried again \(fall-back $2 in a row\)$"
}
returns() { # PAUSE SECONDS: by itself
	ok "mode act comes back by itself" wait_for "$2" in_act
	ok "the log says so" log_has "\] cosched: watchdog: the pause of $1 s is over, mode act is tried again$"
}

falls 2 1
returns 2 20
ok "the policy is in force again" log_has 'cosched: mode act, policy '
waiting=$(profiled mem -N1 -n2)
ok "and so is the gate" keeps_waiting "$waiting"
is "status counts it" "$(says fallbacks.total) $(says fallbacks.in_a_row)" "1 1"
set_params "cosched_mode=act,$SHARED,$site,cosched_return_s=20"
ok "(after a reconfigure mode act is on)" wait_for 15 said_is state ready
is "a reconfigure forgets none" "$(says fallbacks.in_a_row)" 1
is "(the job still waits)" "$(state "$waiting")" PENDING
scancel "$waiting" # a start at the instant of the kill would be lost, as under stock

falls 40 2 # so long that a restart is over before
ok "slurmctld restarts in the pause" eval "vc kill-ctld; ctld start-ctld"
ok "it answers" wait_for 15 answers
is "the pause goes on" "$(says mode) $(says mode_set) $(says state) $(says fallbacks.until) $(says fallbacks.in_a_row)" \
	"off act paused pause 2"
at=$(says fallbacks.return_at)
is "the gate is open, stock's scheduler runs" "$(says gate) $(says stock_backfill)" "off True"
like "status says why, and when mode act is tried again" "$("$COSCHED" status)" \
	'^WARNING: mode act is set: watchdog: a cycle worked [0-9]+ ms, .*; after a pause of 40 s, at 20[-0-9]*T[:0-9]*, mode act is tried again \(fall-back 2 in a row\): [0-9]+ s are left$'
page=$("$COSCHED" exporter --once)
for line in 'cosched_degraded 1' 'cosched_state{state="paused"} 1' \
	'cosched_fallbacks_total 2' 'cosched_fallbacks_in_a_row 2'; do
	ok "the exporter has $line" grep -qxF "$line" <<<"$page"
done
like "and the rest of the pause" "$page" '^cosched_return_seconds ([1-9]|[123][0-9]|40)$'
waiting=$(profiled mem -N1 -n2)
ok "stock starts what the plan would keep back" running "$waiting"
is "(the pause is not over)" "$(says state)" paused
scontrol reconfigure
sleep 3 # from Slurm 23.11 on another process reads the settings, after 2 s
ok "a reconfigure goes on with it" wait_for 10 said_is fallbacks.until pause
is "its end is as before" "$(says mode) $(says state) $(says fallbacks.return_at)" "off paused $at"
returns 40 60
now=$(date +%s)
ok "not before the pause is over" [ "$now" -ge "$at" ]
like "the exporter has all as it should be" "$("$COSCHED" exporter --once)" '^cosched_degraded 0$'

falls 80 3
set_params "cosched_mode=act,$SHARED,$site,cosched_return_s=9"
ok "other settings end the pause" wait_for 15 said_is state ready
is "its row goes on" "$(says fallbacks.in_a_row)" 3

# --- without a return

set_params "cosched_mode=act,$SHARED,$site,cosched_return_s=0"
ok "(after a reconfigure mode act is on)" wait_for 15 said_is state ready
clear_jobs
limits() { # of JOB...
	local j

	for j; do field "$j" TimeLimit; done | xargs
}
comments() { # of JOB...: do they name a group?
	local j

	for j; do
		scontrol show job "$j" | sed -n 's/^ *SystemComment=\(cosched: group\).*/\1/p'
	done | xargs
}
limit_is() { # JOB LIMIT
	[ "$(limits "$1")" = "$2" ]
}
reason_is() { # JOB REASON
	[ "$(reason "$1")" = "$2" ]
}
# pair_overruns: a cycle starts $b beside $a, with a raised limit, and works too long
pair_overruns() {
	local before

	before=$(log_counts "$fell")
	a=$(SLEEP=600 profiled cg -N4 -n8)
	ok "(a job runs alone)" running "$a"
	is "(by its own limit)" "$(limits "$a")" 00:10:00
	sleep 1.2 # it is saved
	echo "work 900 1" >"$COSCHED_STALL.new"
	mv "$COSCHED_STALL.new" "$COSCHED_STALL"
	b=$(SLEEP=600 profiled io -N4 -n8)
	ok "a cycle that starts a job works too long, and ends mode act" \
		wait_for 60 log_counts_more "$fell" "$before"
	running "$b"
	is "(that job has a raised limit)" "$(limits "$b")" 00:11:00
}
# again TEXT JOB: it is requeued in mode off
again() {
	scontrol requeue "$2"
	ok "$1: it waits again" wait_for 10 waits "$2"
	ok "$1: with its own limit" wait_for 4 limit_is "$2" 00:10:00
	is "$1: without our comment" "$(comments "$2")" ""
	scontrol update PartitionName=main MaxTime=5
	let_go
	ok "$1: without an administrator's mark, as under stock" \
		wait_for 10 reason_is "$2" PartitionTimeLimit
	scontrol update PartitionName=main MaxTime=INFINITE
	scancel "$2"
}
pair_overruns
like "for good" "$(grep 'cosched: watchdog:' "$CTLD_LOG" | tail -1)" \
	'mode act ends, stock scheduling goes on; it stays so until scontrol reconfigure: find the cause first'
ok "its neighbour, which the next cycle would have given one, has it, too" \
	wait_for 5 limit_is "$a" 00:11:00
raised=$(limits "$a" "$b")
sleep 1.2
is "no limit has changed since" "$(limits "$a" "$b")" "$raised"
is "both name their group" "$(comments "$a" "$b")" "cosched: group cosched: group"
again "requeued in mode off" "$b"
is "its neighbour keeps its limit and its comment" "$(limits "$a") $(comments "$a")" \
	"${raised% *} cosched: group"
ok "slurmctld restarts" ctld restart-ctld
ok "it answers" wait_for 15 answers
is "that is kept" "$(says mode) $(says state) $(says fallbacks.until)" "off stopped reconfigure"
scontrol reconfigure
ok "until a reconfigure" wait_for 20 in_act
scontrol requeuehold "$a"
ok "requeued then, its neighbour has its own limit" wait_for 10 limit_is "$a" 00:10:00
is "and no comment" "$(comments "$a")" ""
is "status has counted four" "$(says fallbacks.total)" 4

# --- a file that answers late is no reconfigure

clear_jobs
gcc -shared -fPIC -Wall -Wextra -o "$WORK/slowfile.so" "$TREE/test/cluster/slowfile.c" \
	-ldl || exit 1
mkdir "$WORK/profiles"
file=$WORK/profiles/ours.json
cp "$PROFILES" "$file"
params="cosched_mode=act,${SHARED/$PROFILES/$file},$site,cosched_return_s=0"
set_params "$params"
LD_PRELOAD="$WORK/stalls.so $WORK/slowfile.so" COSCHED_SLOW=$WORK/hang \
	COSCHED_SLOW_PATHS=$WORK/profiles/ vc restart-ctld && vc wait-up >/dev/null
ok "(mode act is on)" wait_for 20 said_is state ready
: >"$WORK/hang"
scontrol reconfigure
hangs() {
	{ "$COSCHED" status || :; } | grep -q 'it does not answer, and is read again when it does'
}
ok "the profile file hangs at a reconfigure" wait_for 20 hangs
ok "(mode act is on, with the last good one)" wait_for 10 said_is state ready
overruns
is "mode act has ended for good" "$(says state) $(says fallbacks.until)" "stopped reconfigure"
rm "$WORK/hang"
ok "the file answers" wait_for 10 eval '! hangs'
sleep 2
is "that is no reconfigure" "$(says mode) $(says state) $(says fallbacks.until)" \
	"off stopped reconfigure"
scontrol reconfigure
ok "one goes to mode act" wait_for 20 said_is state ready

clear_jobs
ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
unlike "slurmctld's log has no overflow, no crash" "$(cat "$CTLD_LOG")" \
	'job overflow|[Ss]egmentation|core dumped|cosched: engine and Slurm differ'

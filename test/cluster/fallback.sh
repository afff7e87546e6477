#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A cycle that works too long ends mode act for a while: it comes back by itself, later
# each time. A restart in the pause keeps it, a reconfigure tries at once. The thread works
# where stalls.c makes it.

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
set_params "cosched_mode=act,$SHARED,$site,cosched_return_s=10"
ok "(after a reconfigure mode act is on)" wait_for 15 said_is state ready
is "a reconfigure forgets none" "$(says fallbacks.in_a_row)" 1
is "(the job still waits)" "$(state "$waiting")" PENDING
scancel "$waiting" # a start at the instant of the kill would be lost, as under stock

falls 20 2 # so long that a restart is over before
ok "slurmctld restarts in the pause" eval "vc kill-ctld; ctld start-ctld"
ok "it answers" wait_for 15 answers
is "the pause goes on" "$(says mode) $(says mode_set) $(says state) $(says fallbacks.until) $(says fallbacks.in_a_row)" \
	"off act paused pause 2"
at=$(says fallbacks.return_at)
is "the gate is open, stock's scheduler runs" "$(says gate) $(says stock_backfill)" "off True"
like "status says why, and when mode act is tried again" "$("$COSCHED" status)" \
	'^WARNING: mode act is set: watchdog: a cycle worked [0-9]+ ms, .*; after a pause of 20 s, at 20[-0-9]*T[:0-9]*, mode act is tried again \(fall-back 2 in a row\): [0-9]+ s are left$'
page=$("$COSCHED" exporter --once)
for line in 'cosched_degraded 1' 'cosched_state{state="paused"} 1' \
	'cosched_fallbacks_total 2' 'cosched_fallbacks_in_a_row 2'; do
	ok "the exporter has $line" grep -qxF "$line" <<<"$page"
done
like "and the rest of the pause" "$page" '^cosched_return_seconds ([1-9]|1[0-9]|20)$'
waiting=$(profiled mem -N1 -n2)
ok "stock starts what the plan would keep back" running "$waiting"
is "(the pause is not over)" "$(says state)" paused
returns 20 40
now=$(date +%s)
ok "not before the pause is over" [ "$now" -ge "$at" ]
like "the exporter has all as it should be" "$("$COSCHED" exporter --once)" '^cosched_degraded 0$'

# --- without a return

set_params "cosched_mode=act,$SHARED,$site,cosched_return_s=0"
ok "(after a reconfigure mode act is on)" wait_for 15 said_is state ready
overruns
like "for good" "$(grep 'cosched: watchdog:' "$CTLD_LOG" | tail -1)" \
	'mode act ends, stock scheduling goes on; it stays so until scontrol reconfigure: find the cause first'
ok "slurmctld restarts" ctld restart-ctld
ok "it answers" wait_for 15 answers
is "that is kept" "$(says mode) $(says state) $(says fallbacks.until)" "off stopped reconfigure"
scontrol reconfigure
ok "until a reconfigure" wait_for 20 in_act
is "status has counted three" "$(says fallbacks.total)" 3

clear_jobs
ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
unlike "slurmctld's log has no overflow, no crash" "$(cat "$CTLD_LOG")" \
	'job overflow|[Ss]egmentation|core dumped|cosched: engine and Slurm differ'

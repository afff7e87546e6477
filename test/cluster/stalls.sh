#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Weather. Time that the thread waits, or that slurmctld stands still, is no work: the
# gate may lapse, and mode act goes on. The thread stalls where stalls.c makes it. And
# what cosched status says before the thread has looked at anything.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the watchdog is ours"
command -v gcc >/dev/null || skip "no gcc"

# shellcheck source-path=SCRIPTDIR source=stalls.inc
. "$(dirname "$0")/stalls.inc"

cluster --more "$site" --set SlurmdTimeout=300 # a node is down later than that
stands_still() {
	grep -q '^State:.*T' "/proc/$(ctld_pid)/status"
}

# --- nothing is known yet

# The first look waits for the nodes; this one does not come.
vc kill-slurmd n4
ok "slurmctld restarts" ctld restart-ctld
ok "before the first look the plugin answers" wait_for 8 answers
first=$("$COSCHED" status 2>/dev/null)
states=$(says state)
like "status says that it is still to come" "$first" \
	"^starting: the first look at Slurm's jobs is still to come"
unlike "and shows no figures of jobs and cores" "$first" '^(jobs|cores) '
is "the JSON answer has a state of its own" "$states" starting
vc start-node n4
ok "then it has looked" wait_for 20 said_is state ready
like "and shows the cores" "$("$COSCHED" status)" '^cores +0 of 16 used'
ok "(mode act is on)" wait_for 10 in_act

# --- stalls

a=$(SLEEP=600 profiled cg -N4 -n8)
ok "(a job runs)" running "$a"
waiting=$(profiled mem -N1 -n2)
ok "(in mode act the plan keeps an incompatible job back)" keeps_waiting "$waiting"

took_s() { # SECONDS: has a cycle?
	[ "$(says cycle_max_us)" -ge "${1}000000" ]
}
no_fallback() {
	ok "it is seen" wait_for 30 took_s "$1"
	like "and is no work" "$(says cycle_work_max_us)" '^[0-9]{1,6}$'
	is "no fall-back: mode act goes on" \
		"$(says mode) $(says state) $(says gate) $(says fallbacks.total) $(log_counts "$fell")" \
		"act ready on 0 0"
	new=$(profiled mem -N1 -n2)
	ok "the gate keeps a new job back" keeps_waiting "$new"
	is "what ran runs on" "$(state "$a") $(field "$a" Restarts)" "RUNNING 0"
}

stalls stop
pid=$(ctld_pid)
ok "slurmctld stands still" wait_for 10 stands_still
sleep 7 # longer than cosched_hang_s
kill -CONT "$pid"
ok "slurmctld goes on" wait_for 30 answers
no_fallback 7

open='no sign of life from the scheduling thread for cosched_hang_s: the gate is open'
closed='cosched: the gate had lapsed while the thread waited .*: it is closed again'
opened_n=$(log_counts "$open") closed_n=$(log_counts "$closed")
stalls "wait 14"
lapses() { # Slurm tries each new job at once
	SLEEP=1 job -n1 >/dev/null
	log_counts_more "$open" "$opened_n"
}
ok "the gate lapses while the thread waits for a file" wait_for 13 lapses
ok "the gate closes again" wait_for 30 log_counts_more "$closed" "$closed_n"
no_fallback 14

clear_jobs
ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
unlike "slurmctld's log has no overflow, no crash" "$(cat "$CTLD_LOG")" \
	'job overflow|[Ss]egmentation|core dumped|cosched: engine and Slurm differ'

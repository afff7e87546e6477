#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The event log of a slurmctld at work is rotated by size, and what stands in it can be
# read on from file to file. A megabyte that is nearly full is there before: a
# simulation whose log ended in the middle of a line. A log that the site's own logrotate
# renames or removes is opened anew, by itself and by scontrol reconfigure.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our log"

"$COSCHED" workload w1 --jobs 3000 --seed 7 >"$WORK/w1.swf"
"$COSCHED" sim --machine 128x2x2 --policy cst --set slowdowns=table4 --events - \
	"$WORK/w1.swf" 2>/dev/null | head -c 1045000 >"$LOG"
is "a log of 1,045,000 bytes is there" "$(wc -c <"$LOG")" 1045000
cluster --more cosched_log_mb=1,cosched_log_keep=2

# pairs that run to their end, and jobs that come and go in the queue
round() {
	local ids

	ids=$(SLEEP=2 profiled cg -n4 --array=1-3)
	SLEEP=2 profiled io -n4 --array=1-3 >/dev/null
	job --hold -n1 >/dev/null
	wait_for 20 gone "$ids"
	scancel --state=PENDING --quiet
}
rotated() {
	[ -e "$LOG.1" ]
}
lines_of() {
	grep -c "\"ev\":\"$1\"" "$2"
}

first=$(profiled cg -N2 -n4) second=$(profiled io -N2 -n4)
ok "a pair runs" running "$first" "$second"
for ((i = 0; i < 10; i++)); do
	! rotated || break
	round
done
ok "the log is rotated" rotated
is "at its size" "$(($(wc -c <"$LOG.1") >> 20)) $(($(wc -c <"$LOG") >> 20))" "1 0"
like "the new one goes on" "$(head -n 1 "$LOG")" '"after":"rotation"'
ok "the pair runs on" beside "$first" "$second"
is "no file more" "$(ls "$LOG".* | wc -l)" 1
round
scancel "$first"
wait_for 10 gone "$first"
starts=$(lines_of start "$LOG")
ok "the new one has starts of its own" test "$starts" -gt 0
ok "cosched check passes on both, the oldest first" "$COSCHED" check "$LOG.1" "$LOG"
like "both are decided again" "$("$COSCHED" replay "$LOG.1" "$LOG" 2>&1)" \
	'^same: [0-9]+ decides, [1-9][0-9]* actions$'
clear_jobs
vc restart-ctld
vc wait-up >/dev/null
wait_for 20 in_act
third=$(profiled cg -N1 -n2)
ok "after a restart a job runs" running "$third"
is "the log goes on where it was" "$(lines_of header "$LOG")" 2
ok "both can still be read" "$COSCHED" check "$LOG.1" "$LOG"
clear_jobs

# --- the site's own logrotate

there() { # is there a log with job $1 in it, behind a header?
	[ -e "$LOG" ] && head -n 1 "$LOG" | grep -q '"ev":"header"' &&
		grep -q "\"job\":$1[,}]" "$LOG"
}
mv "$LOG" "$WORK/old.log"
job --hold -n1 >/dev/null # a change, so that a cycle follows
sleep 1.5
fourth=$(profiled cg -N1 -n2)
ok "a job runs after the log was renamed" running "$fourth"
ok "there is a new one" wait_for 10 there "$fourth"
like "it goes on" "$(head -n 1 "$LOG")" '"after":"rotation"'
ok "cosched check passes on both, the oldest first" "$COSCHED" check "$WORK/old.log" "$LOG"
rm "$LOG"
job --hold -n1 >/dev/null
sleep 1.5
fifth=$(profiled cg -N1 -n2)
ok "there is a new one after it was removed" wait_for 10 there "$fifth"
ok "it has what ran before" there "$fourth"
ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
mv "$LOG" "$WORK/old.log"
: >"$LOG" # as logrotate's create does
set_params "cosched_mode=act,$SHARED,cosched_log_mb=1,cosched_log_keep=2"
ok "a reconfigure goes to the new one" wait_for 10 there "$fifth"
clear_jobs
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OStrich when the clock is set back an hour, and right again: the order stays, virtual
# time does not run back, over a restart neither, and jobs go on to start.
#
# The test, its cluster and its jobs see a clock of their own (faketime), whose offset
# stands in a file; the host's stays as it is.
# shellcheck source-path=SCRIPTDIR source=clock.inc
. "$(dirname "$0")/clock.inc"
own_clock
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=campaigns.inc
. "$(dirname "$0")/campaigns.inc"
[ -z "$STOCK" ] || skip "the order is ours"
[ -n "${COSCHED_CLOCK:-}" ] || skip "no faketime here"

at_end() {
	rm -f "$COSCHED_CLOCK"
}
# begins_with JOB LINE: is JOB, an array's task perhaps, the first that we start behind
# that line of the log?
begins_with() {
	tail -n "+$(($2 + 1))" "$LOG" | grep '"ev":"start"' | grep -v '"by":"host"' |
		head -n 1 | grep -qE "\"(job|array)\":${1%%_*},"
}
cluster --nodes 3 --sockets 1 --cores 2 --select-params CR_Core \
	--params "cosched_mode=act,cosched_policy=ostrich-paper,cosched_log=$LOG"
ctld=$(ctld_pid)
queue_of_three
before=$(virtual_left)
set_clock -3600
sleep 3
keeps_order "the clock set back an hour changes no order"
after=$(virtual_left)
ok "virtual time goes on ($before to $after core seconds left)" \
	test "$after" -lt "$before" -a "$after" -gt $((before - 300))
# Slurm has noted when a job could first start, an hour ahead now: what came before
# waits for that, with us and without (BeginTime).
first=${jobs%% *}
scancel "$(squeue -h -t R -r -o %i | head -n 1)"
new=$(SLEEP=600 LIMIT=20 by bin)
ok "a job that comes now starts" running "$new"
ok "what came before waits for Slurm's own clock" waits "$first"
is "slurmctld lives" "$(ctld_pid)" "$ctld"
order_now
before=$(virtual_left)
sleep 5 # nothing happens that were a reason to save
before=$(virtual_left)
vc restart-ctld && vc wait-up >/dev/null
keeps_order "a restart at the earlier time changes no order"
after=$(virtual_left)
ok "virtual time has not run back ($before to $after core seconds left)" \
	test "$after" -le "$before" -a "$after" -gt $((before - 600))
ctld=$(ctld_pid)
mark=$(log_lines)
set_clock +0
scancel "$new"
ok "the clock set right: the first of the order starts" \
	wait_for 30 begins_with "$first" "$mark"
ok "the clock set right: and runs" running "$first"
is "the clock set right: slurmctld lives" "$(ctld_pid)" "$ctld"
ok "the clock set right: mode act" in_act
clear_jobs
same "all of this replays"
log_is_clean

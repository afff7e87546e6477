#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An operator changes the limits of jobs between a look at them and what is done by it: they
# stay, that of a job which starts then beside another, and that of the other. The thread
# stands still in between where stalls.c makes it.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the raised limits are ours"
command -v gcc >/dev/null || skip "no gcc"

# shellcheck source-path=SCRIPTDIR source=stalls.inc
. "$(dirname "$0")/stalls.inc"

cluster --more "$site"
ok "slurmctld starts with the stalls" ctld restart-ctld
ok "(mode act is on)" wait_for 15 said_is state ready

limits() { # of both
	echo "$(field "$a" TimeLimit) $(field "$b" TimeLimit)"
}
a=$(SLEEP=600 profiled cg -N4 -n8)
ok "(a job runs)" running "$a"
sleep 2.2 # two looks
echo "wait 4" >"$COSCHED_STALL.new"
mv "$COSCHED_STALL.new" "$COSCHED_STALL"
b=$(SLEEP=600 profiled io -N4 -n8)
ok "(a look has seen another)" wait_for 10 [ ! -e "$COSCHED_STALL" ]
scontrol update jobid="$a" timelimit=600
scontrol update jobid="$b" timelimit=500
is "(it still waits)" "$(state "$b")" PENDING
ok "it starts beside the first" running "$b"
is "both have the limits that they were given" "$(limits)" "10:00:00 08:20:00"
sleep 2.2
is "and so they have two looks later" "$(limits)" "10:00:00 08:20:00"
scontrol requeuehold "$b"
ok "one that waits again" wait_for 20 is_state "$b" PENDING
sleep 1.2
is "has it, too" "$(limits)" "10:00:00 08:20:00"
clear_jobs
log_is_clean
same "all of this replays"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Promised starts, as the exporter counts them: one that comes before its time is kept,
# one that comes more than a minute after it is broken, a job that started at once was
# promised nothing. Learning is off.
# shellcheck source-path=SCRIPTDIR source=clock.inc
. "$(dirname "$0")/clock.inc"
hurry 4
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the promises are ours"

cluster --nodes 2

figure() { # figure SAMPLE: its value on the exporter's page
	"$COSCHED" exporter --once 2>/dev/null | awk -v sample="$1" '$1 == sample { print $2 }'
}
counts() { # kept and broken
	echo "$(figure cosched_promises_kept_total) $(figure 'cosched_promises_broken_total{promise="start"}')"
}
counted() {
	[ "$(counts)" = "$1" ]
}
promised() { # so many jobs
	[ "$(figure cosched_promised_jobs)" = "$1" ]
}

is "at first there are none, and they are shown" "$(counts)" "0 0"
first=$(LIMIT=1 SLEEP=600 job -N2 --exclusive)
ok "a job runs" running "$first"
second=$(LIMIT=1 SLEEP=600 job -N2 --exclusive)
ok "the next is promised a start" wait_for 20 promised 1
is "a job that started at once was promised nothing" "$(counts)" "0 0"
scancel "$first"
ok "it starts before that" running "$second"
ok "which keeps the promise" wait_for 10 counted "1 0"

third=$(LIMIT=1 SLEEP=600 job -N2 --exclusive)
ok "another is promised a start" wait_for 20 promised 1
from=$(date -d "$(field "$second" StartTime)" +%s)
scontrol update JobId="$second" TimeLimit=20
ok "the limit of the job before it is raised" test "$(field "$second" TimeLimit)" = 00:20:00
# promised for 60 s after the start of the one before, and a minute later it is broken
while [ "$(date +%s)" -lt $((from + 135)) ]; do sleep 1; done
is "while it waits nothing is counted" "$(counts)" "1 0"
scancel "$second"
ok "it starts" running "$third"
ok "which breaks the promise" wait_for 10 counted "1 1"
like "cosched status -v has both" "$("$COSCHED" status -v | tr -s ' ')" 'promises late:? 1'
ctld=$(ctld_pid)
scontrol reconfigure
ok "mode act after a reconfigure" wait_for 20 in_act
# from 23.11 on that is a new process, whose counters begin at 0
[ "$(ctld_pid)" = "$ctld" ] && ok "a reconfigure takes none away" wait_for 10 counted "1 1"
clear_jobs
log_is_clean

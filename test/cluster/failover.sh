#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A backup slurmctld takes over and gives back: the virtual schedule and its order
# survive, and jobs go on to start in it.
#
# Six cores. Every slurmctld has the one StateSaveLocation; the jobs outlast the test.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=campaigns.inc
. "$(dirname "$0")/campaigns.inc"
[ -z "$STOCK" ] || skip "the order is ours"
unshare --uts true 2>/dev/null || skip "no right to a host name of its own (unshare --uts)"

cluster --backup --nodes 3 --sockets 1 --cores 2 --select-params CR_Core \
	--set SlurmctldTimeout=8 --set SlurmctldDebug=debug3 \
	--params "cosched_mode=act,cosched_policy=ostrich-paper,cosched_log=$LOG"

controls() {
	in_act && "$COSCHED" users >/dev/null 2>&1
}
# survives TEXT: the order is as before, and virtual time went on and not back
survives() {
	local left

	ok "$1: cosched is in mode act there" wait_for 40 controls
	keeps_order "$1: the order is unchanged" 20
	left=$(virtual_left)
	ok "$1: virtual time has gone on ($before to $left core seconds left)" \
		test "$left" -lt "$before" -a "$left" -gt $((before / 2))
	before=$left
	is "$1: the same six jobs run" "$(running_jobs)" "$run"
}
running_jobs() {
	squeue -h -t R -r -o %i | sort | paste -sd' '
}
# next_starts TEXT: a job that ends makes room for the first of the order
next_starts() {
	local first=${jobs%% *}

	scancel "${run%% *}"
	ok "$1: the first of the order starts next" running "$first"
	order_now
	run=$(running_jobs)
}

# A start is written down within some seconds; one that is not is lost.
started_at() { # HOST: the time of the last start there
	sed -n 's/^\[\([^]]*\)\] cosched: started .*/\1/p' "$(vc log "$1")" | tail -n 1
}
saved() {
	[ "$COSCHED_VCLUSTER/state/job_state" -nt "$WORK/started" ]
}

# saves_once TEXT [backup]: it has handed over, and the state is another slurmctld's by now
saves_once() {
	is "$1: the state is saved at its end, and not again" "$(tac "$(vc log ${2:+"$2"})" |
		sed '/Saving all slurm state/q' | grep -c 'header record of job_state')" 1
}

queue_of_three
run=$(running_jobs) before=$(virtual_left)

vc kill-ctld
like "the primary is down" "$(scontrol ping)" 'primary.* DOWN'
survives "kill -9 of the primary"
next_starts "under the backup"
touch -d "$(started_at backup)" "$WORK/started"
ok "the start is written down" wait_for 10 saved
vc start-ctld || bad "the primary comes back"
survives "the primary is back"
saves_once "the backup gives back" backup
next_starts "under the primary"
sleep 1
ok "scontrol takeover" scontrol takeover
like "the primary is down again" "$(scontrol ping)" 'primary.* DOWN'
survives "takeover"
saves_once "the primary hands over"
next_starts "under the backup again"
first_is() {
	[[ "$(by_priority) " = "$1 "* ]]
}
late=$(LIMIT=1 by bin)
ok "a new user's small campaign is the first there" wait_for 5 first_is "$late"
unlike "the backup's log has no overflow, no crash, no fallback" "$(cat "$(vc log backup)")" \
	'job overflow|[Ss]egmentation|core dumped|cosched: (watchdog:|engine and Slurm differ|state|bad state)'
same "all of this replays"
log_is_clean

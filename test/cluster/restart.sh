#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Restarts under load in mode act: no job is started outside the plan, by Slurm's main
# loop, before the scheduling thread is there; so none comes beside a job that shares
# with nobody. Every second restart is as by scontrol reconfigure from 23.11 on, where the
# thread waits for two seconds.
#
# Slurm tries a batch job first when its main loop comes by, which may be later than
# that, but an allocation as it is submitted, if its node has registered. So in each
# round the nodes register at once, and allocations of the highest priority ask for the
# node of the job that shares with nobody.
#
# FULL=1: 20 restarts instead of 4.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=4
[ -z "${FULL:-}" ] || ROUNDS=20
cluster
new_process=$(slurmctld -V | awk '{ split($2, v, "."); print (v[1] * 100 + v[2] >= 2311) }')

# Those that neither the plan nor its preemption started.
outside() {
	grep -E 'sched: Allocate JobId|backfill.*[Ss]tarted JobId' "$CTLD_LOG"
}
loaded() {
	[ "$(squeue -h -t R -o %i | wc -l)" -gt 4 ]
}
# How many run beside $alone?
beside_it() {
	squeue -h -t R -w "$node" -o %i 2>/dev/null | grep -vcx "$alone"
}
watch() { # watch FILE: for ever
	while :; do
		[ "$(beside_it)" = 0 ] || squeue -h -t R -w "$node" >>"$1" 2>/dev/null
		sleep 0.1
	done
}
by_restart() {
	vc restart-ctld
}
# What a reconfigure does to us; before 23.11 it makes no new process.
by_reconfigure() {
	if [ "$new_process" = 1 ]; then
		scontrol reconfigure
	else
		vc stop-ctld && SLURMCTLD_RECONF=1 vc start-ctld
	fi
}
register() {
	xargs kill -HUP <<<"$(cat "$(dirname "$SLURM_CONF")"/run/slurmd.*.pid)"
}
# beside the lone job, if they could
push_in() {
	local i

	for i in 1 2 3; do
		timeout 60 salloc --no-shell -J pushed -n1 -w "$node" -t 5 \
			--priority=429495000"$i" >/dev/null 2>&1 &
		sleep 0.2
	done
}
pushed() {
	squeue -h -n pushed -o %T | sort | uniq -c | awk '{ print $1 $2 }' | paste -sd' '
}
none_pushed() {
	[ -z "$(pushed)" ]
}
closed() {
	grep -c 'the gate is closed from the start' "$CTLD_LOG"
}

alone=$(LIMIT=60 SLEEP=900 job -N1 -n1 --comment=cosched:share=no)
running "$alone"
node=$(nodes_of "$alone")
for _ in 1 2 3; do
	SLEEP=1 LIMIT=5 job -n1 --array=1-300 >>"$WORK/load"
done
wait_for 20 loaded
watch "$WORK/seen" &
watcher=$!
for ((i = 1; i <= ROUNDS; i++)); do
	how=by_restart
	[ $((i % 2)) -eq 1 ] || how=by_reconfigure
	n=$(closed)
	"$how" >"$WORK/restart.out" 2>&1 || bad "round $i, $how" "$(cat "$WORK/restart.out")"
	register
	push_in
	urgent=()
	for _ in 1 2 3 4 5 6; do
		urgent+=("$(SLEEP=20 job -n1 --priority=4294940000)")
		sleep 0.2
	done
	wait_for 30 in_act || bad "round $i, $how: mode act is on" "$(tail "$CTLD_LOG")"
	[ "$(closed)" -gt "$n" ] || bad "round $i, $how: the gate is closed from the start"
	running "${urgent[@]}" || bad "round $i, $how: the first of the queue run" "$(squeue | head)"
	for j in "${urgent[@]}"; do
		[ "$(field "$j" Scheduler)" = Backfill ] || echo "$how: job $j" >>"$WORK/outside"
	done
	[ "$(pushed)" = 3PENDING ] || echo "$how: allocations: $(pushed)" >>"$WORK/outside"
	scancel "${urgent[@]}"
	scancel -n pushed
	wait_for 10 none_pushed || bad "round $i, $how: the allocations are gone"
done
kill "$watcher"
wait "$watcher" 2>/dev/null
is "$ROUNDS restarts: no job was started outside the plan" "$(outside; cat "$WORK/outside" 2>/dev/null)" ""
is "nothing ran beside the job that shares with nobody" "$(cat "$WORK/seen" 2>/dev/null)" ""
ok "the load goes on" wait_for 20 loaded
log_is_clean

# The administrator's word comes first.
mode() {
	sed -i "s/cosched_mode=[a-z]*/cosched_mode=$1/" "$SLURM_CONF"
}
for m in off shadow; do
	vc stop-ctld
	mode "$m"
	n=$(closed)
	vc start-ctld 2>"$WORK/start.err" || bad "slurmctld starts" "$(cat "$WORK/start.err")"
	is "mode $m set while slurmctld was down: the gate is open from the start" "$(closed)" "$n"
	ok "that mode comes" wait_for 15 in_mode "$m"
	ok "Slurm starts jobs" wait_for 30 outside
	vc stop-ctld
	mode act
	n=$(closed)
	vc start-ctld 2>"$WORK/start.err" || bad "slurmctld starts" "$(cat "$WORK/start.err")"
	wait_for 15 in_act || bad "mode act is on again" "$(tail "$CTLD_LOG")"
	is "act behind $m: there is nothing to keep" "$(closed)" "$n"
	: >"$CTLD_LOG"
done
scancel "$alone"
clear_jobs

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time slices under churn: random jobs of all classes come, are cancelled, held (waiting,
# running or stopped), suspended by an administrator and let go on, nodes are lost,
# slurmctld is reconfigured. Watched from outside, five times a second: no core ever has two
# running jobs, no job changes its cores; in the end every job that was submitted has ended,
# by Slurm's own record of each, one that COMPLETED has run all its seconds, and slurmctld has
# not grown.
#
# SEED=N: another run; FULL=1: 20 minutes instead of one; SLICE=gang: time slots of
# thirty seconds, nodes whole, at least two minutes. From 23.11 on a reconfigure makes a
# new slurmctld: there is none after the first quarter then, so that the growth is of one
# process, and not that of its first minutes.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=slices.inc
. "$(dirname "$0")/slices.inc"

renewed= # by a reconfigure
slurmctld -V | grep -q ' 22\.' || renewed=1
seconds=60
[ -z "${FULL:-}" ] || seconds=1200
RANDOM=${SEED:=$(date +%s)}
case ${SLICE:-pect} in
gang)	slices="cosched_policy=${POLICY:-brmms+},cosched_slot_s=30,cosched_log=$LOG"
	[ -n "${FULL:-}" ] || seconds=120 ;;
*)	slices="$pect,cosched_place=pack" ;;
esac
cluster --nodes 4 --params "cosched_mode=act,$slices"

some() { # of the jobs in state $1
	squeue -h -t "$1" -o %i | shuf -n 1 --random-source=<(yes "$RANDOM")
}
submit() {
	local limit=$((1 + RANDOM % 3)) to=$((4 + RANDOM % 20)) how id

	case $((RANDOM % 4)) in
	0)	how="-N1 --exclusive" ;;
	1)	how="-N2 -n$((2 + RANDOM % 4))" ;;
	*)	how="-n$((1 + RANDOM % 6))" ;;
	esac
	# shellcheck disable=SC2086
	id=$(counts $limit 0.2 $to --no-requeue -t $limit \
		--mem=$((100 + RANDOM % 500)) $how) && echo "$id $to" >>"$WORK/submitted"
}
stopped() { # by us: one that an administrator suspended is not held as well
	squeue -h -t S -o '%i %Q' | awk '$2 { print $1 }'
}
hold() {
	scontrol hold "$1" && held=$((held + 1))
}
suspend() {
	scontrol suspend "$1" && echo "$1" >>"$WORK/suspended"
}
held=0
: >"$WORK/suspended"
disturb() {
	local node=n$((1 + RANDOM % 4)) job

	case $((RANDOM % 14)) in
	0)	job=$(some PD); [ -z "$job" ] || scancel "$job" ;;
	1)	job=$(some R,S); [ -z "$job" ] || scancel "$job" ;;
	2)	job=$(some PD); [ -z "$job" ] || scontrol hold "$job" ;;
	3)	job=$(some S); [ -z "$job" ] || suspend "$job" ;;
	4)	job=$(some R); [ -z "$job" ] || suspend "$job" ;;
	5|6)	job=$(some S); [ -z "$job" ] || scontrol resume "$job" ;;
	7)	[ $((RANDOM % 4)) -gt 0 ] || scontrol update nodename=$node state=down reason=test ;;
	8|9)	scontrol update nodename="n[1-4]" state=resume ;;
	10)	{ [ -n "$renewed" ] && [ "$SECONDS" -ge "$settles" ]; } ||
		[ $((RANDOM % 6)) -gt 0 ] || scontrol reconfigure ;;
	11)	job=$(some R); [ -z "$job" ] || hold "$job" ;;
	12)	job=$(stopped | shuf -n 1 --random-source=<(yes "$RANDOM")); [ -z "$job" ] || hold "$job" ;;
	*)	job=$(some PD,R,S); [ -z "$job" ] || scontrol release "$job" ;;
	esac >/dev/null 2>&1
	return 0
}
rss_kb() {
	awk '/^VmRSS/ { print $2 }' "/proc/$(ctld_pid)/status"
}

watch "$seconds" &
watch_pid=$!
until=$((SECONDS + seconds)) half=$((SECONDS + seconds / 2)) first='' half_pid=''
settles=$((SECONDS + seconds / 4))
while [ "$SECONDS" -lt "$until" ]; do
	[ "$(squeue -h | wc -l)" -gt 25 ] || submit
	[ $((RANDOM % 3)) -gt 0 ] || disturb
	# one at least is held, if chance has not done it
	[ "$held" -gt 0 ] || [ "$SECONDS" -lt "$half" ] || hold "$(some R)" 2>/dev/null
	[ -n "$first" ] || [ "$SECONDS" -lt "$half" ] ||
		{ first=$(rss_kb) half_pid=$(ctld_pid); }
	sleep "0.$((2 + RANDOM % 7))"
done
wait "$watch_pid"
watched "churn (seed $SEED)"
ok "the plugin is in mode act" in_act
is "engine and Slurm have not differed" "$(grep -c 'cosched: engine and Slurm differ' "$CTLD_LOG")" 0
is "no core is booked twice" "$(grep -c overflow "$CTLD_LOG")" 0
second=$(rss_kb)
grown="slurmctld has not grown by a tenth since half time ($first kB, $second kB)"
if [ -z "${FULL:-}" ]; then
	omit "$grown" "a minute says nothing of it: FULL=1"
else
	is "slurmctld is the same process since half time" "$(ctld_pid)" "$half_pid"
	ok "$grown" test "$second" -lt $((first * 11 / 10 + 2000))
fi

# every job that is left ends: one that was suspended by an administrator once it is resumed,
# one that was only held after its start by itself
scontrol update nodename="n[1-4]" state=resume >/dev/null 2>&1
squeue -h -t PD -o %i | xargs -r -n 1 scontrol release >/dev/null 2>&1
nobody_held() {
	local j

	for j in $(squeue -h -t S -o '%i %Q' | awk '$2 == 0 { print $1 }'); do
		grep -qx "$j" "$WORK/suspended" && scontrol resume "$j" >/dev/null 2>&1
	done
	queue_empty
}
ok "every job ends" wait_for 420 nobody_held
# which have no record, another end, or too few seconds
lost() {
	local id to state

	while read -r id to; do
		state=$(sed -n "s/^JobId=$id .* JobState=\([A-Z_]*\) .*/\1/p" \
			"$(dirname "$CTLD_LOG")/jobcomp.log" | tail -n 1)
		case $state in
		COMPLETED) [ "$(counted "$id")" -ge $((to * 1000)) ] && continue ;;
		CANCELLED | NODE_FAIL) continue ;;
		esac
		echo "job $id: ${state:-no record}, $(counted "$id") ms of $to s"
	done <"$WORK/submitted"
}
ok "jobs were submitted, $(wc -l <"$WORK/submitted")" test -s "$WORK/submitted"
ok "... and held after their start, $held" test "$held" -gt 0
is "no job is lost" "$(lost)" ""
like "the log holds" "$("$COSCHED" check "$LOG")" ': ok, '
same "the log"

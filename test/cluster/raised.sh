#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is killed (-9) within seconds of a start whose limit was raised for a partner.
# Whatever Slurm and we had saved by then: when both run side by side again, the limit has
# been raised once, by as much as before, and it stays so.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the raised limits are ours"

cluster --nodes 2

limits() { # of both: "00:11:00 00:11:00"
	echo "$(field "$a" TimeLimit) $(field "$b" TimeLimit)"
}
# The nodes end a job whose start Slurm has forgotten, and a nurse lets it start again.
nurse() {
	let_go
	sinfo -h -N -t drain,down -o %N | xargs -rI{} scontrol update nodename={} state=resume
} 2>/dev/null
together() {
	nurse
	is_state "$a" RUNNING && is_state "$b" RUNNING && beside "$a" "$b"
}
cycles() {
	"$COSCHED" status -v 2>/dev/null | sed -n 's/^cycles  *//p'
}
three_more() { # cycles than $1
	local n

	n=$(cycles)
	[ -n "$n" ] && [ "$n" -ge $(($1 + 3)) ]
}

raised() {
	[ "$(limits)" = "$want" ]
}
# kept TEXT: as $want, and it stays so
kept() {
	local n

	ok "$1: they run side by side" wait_for 60 together
	wait_for 10 raised
	is "$1: the limits were raised once" "$(limits)" "$want"
	n=$(cycles)
	for _ in 1 2 3; do
		scontrol update NodeName=n1 Weight=$((RANDOM % 100 + 1)) # something to look at
		sleep 1.1
	done
	ok "$1: three cycles later" wait_for 20 three_more "${n:-0}"
	is "$1: and are so after three cycles" "$(limits)" "$want"
}

# pair TEXT: $a and $b, of 15 minutes, which Slurm has saved before they may start
pair() {
	a=$(profiled cg -N2 -n4 -H) b=$(profiled io -N2 -n4 -H)
	touch "$WORK/submitted"
	sleep 0.1
	wait_for 20 test "$COSCHED_VCLUSTER/state/job_state" -nt "$WORK/submitted"
	scontrol release "$a,$b"
	ok "$1: a pair starts" wait_for 30 together
}
LIMIT=15 SLEEP=300

pair "undisturbed"
want='00:16:00 00:17:00' # 15 * 1.05 and 15 * 1.10, in full minutes
kept "undisturbed"
clear_jobs
for pause in 0 0.5 1 2 3; do
	pair "killed after $pause s"
	sleep "$pause"
	vc kill-ctld && vc start-ctld && vc wait-up >/dev/null
	ok "killed after $pause s: mode act" wait_for 30 in_act
	kept "killed after $pause s"
	clear_jobs
done
# Slurm had saved the starts, and we had not: our state is from before.
pair "saved by Slurm alone"
wait_for 10 raised
like "saved by Slurm alone: the comment has the limit from before" \
	"$(scontrol show job "$a")" 'SystemComment=cosched: .*; limit raised from 15 to 16 min'
touch "$WORK/started"
sleep 0.1
job -H >/dev/null # something to save
wait_for 20 test "$COSCHED_VCLUSTER/state/job_state" -nt "$WORK/started"
vc kill-ctld
sed -i "/^job \($a\|$b\) /d" "$COSCHED_VCLUSTER/state/cosched_state"
vc start-ctld && vc wait-up >/dev/null
ok "saved by Slurm alone: mode act" wait_for 30 in_act
kept "saved by Slurm alone"
scontrol requeuehold "$a"
ok "saved by Slurm alone: one that waits again has its own limit" wait_for 20 eval \
	'is_state "$a" PENDING && [ "$(field "$a" TimeLimit)" = 00:15:00 ]'
is "saved by Slurm alone: and no comment of ours" "$(scontrol show job "$a" |
	grep -c 'SystemComment=.*cosched:')" 0
clear_jobs
# Components of a heterogeneous job are looked at one by one only while they run.
a=$(sbatch --parsable -o /dev/null -t "$LIMIT" --comment=cosched:profile=cg -w n1 -N1 -n2 : \
	--comment=cosched:profile=cg -w n2 -N1 -n2 --wrap "sleep 300" </dev/null)
het_limits() { # 15 16
	scontrol show job "$a" | sed -n 's/.* TimeLimit=00:\([0-9]*\):00 .*/\1/p' | paste -sd' '
}
het_limits_are() {
	[ "$(het_limits)" = "$1" ]
}
ok "components: they run" wait_for 30 is_state "$a" RUNNING
profiled io -w n1 -N1 -n2 >/dev/null
profiled io -w n2 -N1 -n2 >/dev/null
ok "components: others come beside the second, whose limit is raised" wait_for 20 het_limits_are "15 16"
scontrol requeuehold "$a"
ok "components: the job waits again" wait_for 20 is_state "$a" PENDING
wait_for 20 het_limits_are "15 15"
is "components: with their own limits" "$(het_limits)" "15 15"
is "components: and no comments" "$(scontrol show job "$a" | grep -c 'SystemComment=.*cosched:')" 0
clear_jobs
# A job whose user wants it to have ended by then has no use for more.
a=$(profiled cg -N2 -n4 --deadline=now+930seconds) b=$(profiled io -N2 -n4)
ok "a deadline: they run side by side" wait_for 60 together
ok "a deadline: the other's limit is raised" wait_for 10 eval '[ "$(field "$b" TimeLimit)" = 00:17:00 ]'
is "a deadline: no raise goes beyond it" "$(field "$a" TimeLimit)" 00:15:00
clear_jobs
# The next slurmctld reads its configuration again before it has looked at any job: what it
# was left must not be replaced by what it knows, which is nothing.
pair "restarted, then reconfigured"
wait_for 10 raised
vc restart-ctld
scontrol reconfigure
ok "restarted, then reconfigured: mode act" wait_for 30 in_act
kept "restarted, then reconfigured"
clear_jobs
log_is_clean
cluster_down

# Packed by core, one after the other: both limits at once, those that a restart finds.
cluster --name packed --params \
	"cosched_mode=act,cosched_policy=adaptive,cosched_profiles=$PROFILES,cosched_log=$LOG" --nodes 1
want="00:16:00 00:17:00"
a=$(profiled cg -n2)
ok "packed: the first runs" wait_for 30 is_state "$a" RUNNING
b=$(profiled io -n2)
kept "packed"
vc restart-ctld
ok "packed, restarted: mode act" wait_for 30 in_act
kept "packed, restarted"
clear_jobs
log_is_clean

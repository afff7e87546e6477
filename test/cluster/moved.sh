#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A started job whose node boots, or whose PrologSlurmctld takes a while, is the same run:
# its group stays, also over a restart meanwhile, and no raise ends it before it would end
# under stock. A requeue gives it back its own limit.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=pairs.inc
. "$(dirname "$0")/pairs.inc"

# Power saving as in nodes.sh; a boot takes as long as $WORK/boot says. It is not the
# script that waits: it would end with slurmctld. Nor is it done before its children have
# their own sessions: slurmctld ends what is left of its process group.
mkdir "$WORK/power"
cat >"$WORK/power/suspend" <<END
#!/bin/bash
for n in \$(SLURM_CONF=$WORK/cluster/slurm.conf scontrol show hostnames "\$1"); do
	$TREE/contrib/vcluster --dir $WORK/cluster kill-slurmd "\$n" >>$WORK/power/log 2>&1
done
END
cat >"$WORK/power/resume" <<END
#!/bin/bash
for n in \$(SLURM_CONF=$WORK/cluster/slurm.conf scontrol show hostnames "\$1"); do
	setsid env -i PATH="$PATH:/usr/sbin" bash -c "sleep \$(cat $WORK/boot); exec \\
		slurmd -b -N \$n -f $WORK/cluster/slurm.conf" </dev/null >>$WORK/power/log 2>&1 &
done
sleep 1
END
# As long as $WORK/takes says.
cat >"$WORK/prolog" <<END
#!/bin/bash
sleep \$(cat $WORK/takes)
END
chmod 755 "$WORK/power"/* "$WORK/prolog"
echo 3 >"$WORK/boot"
echo 0 >"$WORK/takes"
cluster --nodes 4 --set PrologSlurmctld="$WORK/prolog" \
	--set SuspendProgram="$WORK/power/suspend" --set ResumeProgram="$WORK/power/resume" \
	--set SuspendTime=3600 --set SuspendTimeout=3 --set ResumeTimeout=60
LIMIT=60 SLEEP=600

node_is() { # NODE STATE
	sinfo -h -N -n "$1" -o %T | grep -qx "$2"
}
second() { # of a job: StartTime, EndTime
	date -d "$(field "$1" "$2")" +%s
}
begun() { # a job runs, and its limit counts from its start
	is_state "$1" RUNNING &&
		[ $(($(second "$1" EndTime) - $(second "$1" StartTime))) -eq \
			$(($(minutes "$1") * 60)) ]
}

# --- a node of a group boots ------------------------------------------------------------------

# boots TEXT: n4 is powered down, then a pair has it and n3
boots() {
	scontrol update nodename=n4 state=power_down_asap
	ok "$1: a node is powered down" wait_for 25 node_is n4 'idle~'
	pair n3 n4
	ok "$1: a job has it" wait_for 20 on_nodes "$a" "n3 n4"
	ours || return 0
	ok "$1: another one, too" wait_for 20 on_nodes "$b" "n3 n4"
	ok "$1: the limits were raised" wait_for 10 limits_are "$(raised)"
}
# runs TEXT: the pair does, stock's first job alone
runs() {
	ok "$1: it runs" wait_for 60 is_state "$a" RUNNING
	ok "$1: its limit counts from then" wait_for 20 begun "$a"
	! ours || ok "$1: both run" wait_for 30 is_state "$b" RUNNING
	sleep 2.2 # two looks
	as_one "$1"
}
boots "boot"
runs "boot"
! ours || ok "boot: the event log has it" has_event "$a" begin
clear_jobs
echo 8 >"$WORK/boot"
boots "boot and restart"
vc restart-ctld && vc wait-up >/dev/null
! ours || ok "boot and restart: mode act" wait_for 30 in_act
runs "boot and restart"

# --- a requeue gives back the limit -------------------------------------------------------------

scontrol requeuehold "$a"
ok "requeue: it waits" wait_for 20 waits "$a"
ok "requeue: with its own limit" wait_for 10 limit "$a" -eq 60
if ours; then
	ok "requeue: and without our comment" wait_for 5 uncommented "$a"
	ok "requeue: its partner's limit follows" wait_for 10 limit "$b" -le 62
	a=$(profiled cg -w n3,n4 -N2 -n4)
	ok "requeue: another partner" running "$a"
	ok "requeue: both limits are raised" wait_for 10 limits_are "63 66"
	set_params "cosched_mode=off" # nothing of ours sees the requeue
	scontrol requeuehold "$a"
	ok "requeue in mode off: it waits" wait_for 20 waits "$a"
	set_params "cosched_mode=act,$SHARED"
	ok "requeue in mode off: act again" wait_for 30 in_act
	ok "requeue in mode off: with its own limit then" wait_for 10 limit "$a" -eq 60
	ok "requeue in mode off: the partner's limit follows" wait_for 10 limit "$b" -le 62
fi
clear_jobs

# --- PrologSlurmctld takes 8 s ------------------------------------------------------------------

# The end less the start and the limit: what Slurm gives for the prolog.
more() {
	echo $(($(second "$a" EndTime) - $(second "$a" StartTime) - $(minutes "$a") * 60))
}
echo 8 >"$WORK/takes"
a=$(profiled cg -w n1,n2 -N2 -n4)
ok "prolog: a job runs" running "$a"
given=$(more)
ok "prolog: Slurm counts its limit from the prolog's end" test "$given" -ge 7
if ours; then
	ok "prolog: and so do we" wait_for 10 has_event "$a" begin
	b=$(profiled io -w n1,n2 -N2 -n4)
	ok "prolog: another one comes" running "$b"
else
	scontrol update jobid="$a" timelimit=63
fi
ok "prolog: the limit is raised" wait_for 10 limit "$a" -gt 60
is "prolog: the end moved by as much" "$(more)" "$given"
if ours; then
	scancel "$b"
else
	scontrol update jobid="$a" timelimit=61
fi
ok "prolog: the limit is lowered" wait_for 20 limit "$a" -le 61
is "prolog: the end moved back by as much" "$(more)" "$given"
ok "prolog: it has no less than it asked for" limit "$a" -ge 60
clear_jobs
if ours; then # both in it together
	pair n1 n2
	ok "prolog of a pair: they run" running "$a" "$b"
	sleep 2.2
	as_one "prolog of a pair"
	ok "prolog of a pair: the limits count from its end" test "$(more)" -ge 7
	clear_jobs
	same "with boots and prologs"
fi
log_is_clean

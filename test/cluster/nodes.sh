#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nodes that come and go, in mode act: drained, down under a group, powered down,
# back again; nodes of different sizes.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Power saving as a site has it: slurmctld runs these with a list of nodes. -b: the
# node reports that it was booted; without that its registration is too old. setsid:
# slurmctld ends what a script leaves in its process group.
mkdir "$WORK/power"
cat >"$WORK/power/suspend" <<END
#!/bin/bash
echo "suspend \$1" >>$WORK/power/log
for n in \$(SLURM_CONF=$WORK/cluster/slurm.conf scontrol show hostnames "\$1"); do
	$TREE/contrib/vcluster --dir $WORK/cluster kill-slurmd "\$n" >>$WORK/power/log 2>&1
done
END
# A slurmd that says (-b) to have booted in an earlier second than it was asked to is not
# believed, and the node is down at ResumeTimeout.
cat >"$WORK/power/resume" <<END
#!/bin/bash
echo "resume \$1" >>$WORK/power/log
sleep 2
for n in \$(SLURM_CONF=$WORK/cluster/slurm.conf scontrol show hostnames "\$1"); do
	setsid env -i PATH="$PATH:/usr/sbin" \\
		slurmd -b -N "\$n" -f $WORK/cluster/slurm.conf </dev/null >>$WORK/power/log 2>&1
done
END
chmod 755 "$WORK/power"/*
: >"$WORK/power/log"
# An epilog that hangs on n1 when told so.
cat >"$WORK/epilog" <<END
#!/bin/bash
[ "\$SLURMD_NODENAME" = n1 ] || exit 0
while [ -e $WORK/hang ]; do sleep 0.2; done
END
chmod 755 "$WORK/epilog"
cluster --nodes 6 --set Epilog="$WORK/epilog" --node 'n5 CoresPerSocket=4 RealMemory=4000' \
	--node 'n6 Sockets=1 RealMemory=1000' \
	--set SuspendProgram="$WORK/power/suspend" --set ResumeProgram="$WORK/power/resume" \
	--set SuspendTime=3600 --set SuspendTimeout=3 --set ResumeTimeout=30 \
	--set "AuthInfo=socket=$WORK/cluster/munge/socket,cred_expire=5"
: >"$RUNS"

# Of all nodes: asked for a single one slurmctld tells its cores in use as they were
# when it was last asked for all, and sinfo makes "mixed" of a node that is down.
node_state() {
	sinfo -h -N -o '%N %T' | awk -v n="$1" '$1 == n { print $2; exit }'
}
node_is() { # NODE REGEX
	node_state "$1" | grep -qE "^($2)\$"
}
on() { # JOB NODE
	[[ " $(nodes_of "$1") " = *" $2 "* ]]
}
set_node() {
	scontrol update nodename="$1" state="$2" reason=test
}

# --- nodes of different sizes (4, 4, 4, 4, 8 and 2 cores) -----------------------------

eight=$(job -N1 -n8) two=$(job -w n6 -n2)
ok "a job for the large node runs" running "$eight"
is "on it" "$(nodes_of "$eight")" n5
ok "a job for the small node runs" running "$two"
wide=$(job -N5 --ntasks-per-node=2 --mem=500)
sleep 1.5
ok "a job for five nodes with room waits" waits "$wide"
scancel "$eight"
ok "and runs then" running "$wide"
is "on these" "$(nodes_of "$wide")" "n1 n2 n3 n4 n5"
ok "--mem of the large node alone" running "$(job -n1 --mem=2500)"
nok "more than any node has is refused" job -N1 -n9
clear_jobs
all=$(job -n26 --mem-per-cpu=100)
ok "a job for all cores runs" running "$all"
is "on all of them" "$(holdings | wc -l)" 26
clear_jobs
a=$(profiled cg -w n5,n6 -N2 --ntasks-per-node=1 --mem-per-cpu=400)
b=$(profiled io -w n5,n6 -N2 --ntasks-per-node=1 --mem-per-cpu=400)
ok "jobs on nodes of different sizes run" running "$a" "$b"
! ours || ok "and share them" beside "$a" "$b"
is "no core is held twice" "$(holdings | held_twice)" ""
clear_jobs

# --- drain ------------------------------------------------------------------------------

a=$(profiled cg -w n1,n2 -N2 -n4)
running "$a"
set_node n1 drain
ok "a node drains under a job" wait_for 5 node_is n1 'draining|drained'
b=$(profiled io -N2 -n4)
ok "another job runs" running "$b"
nok "not on the draining node" on "$b" n1
ok "the job there runs on" is_state "$a" RUNNING
need=$(job -w n1 -n1) wide=$(job -N6 -n6)
sleep 2
ok "jobs that need it wait" waits "$need" "$wide"
like "and say so" "$(reason "$need")" 'ReqNodeNotAvail|Resources|Drain|DRAIN'
free=$(traced 1 -n1)
ok "they do not stop others" wait_for 10 ended "$free"
scancel "$a" "$b"
wait_for 10 gone "$a"
ok "the node is drained" wait_for 5 node_is n1 drained
ok "and stays empty" waits "$need" "$wide"
set_node n1 resume
ok "undrained: they run" running "$need" "$wide"
clear_jobs

# --- a node goes down under a group, and comes back ---------------------------------------

a=$(profiled cg -w n1,n2 -N2 -n4) b=$(profiled io -w n1,n2 -N2 -n4)
c=$(profiled cg -w n3,n4 -N2 -n4)
running "$a" "$b" "$c"
! ours || ok "a pair shares" beside "$a" "$b"
vc kill-node n2 # a power cut; we tell slurmctld before it finds out
sleep 1 # what n2 has said last has come in: a registration would bring it back
set_node n2 down
ok "node down: both members are requeued" wait_for 10 waits "$a" "$b"
is "a job on other nodes runs on" "$(state "$c") $(field "$c" Restarts)" "RUNNING 0"
! ours || like "the group is gone" "$("$COSCHED" groups)" "^no groups at the moment"
scontrol update jobid="$b" reqnodelist=n3,n4 excnodelist= >/dev/null
ok "one runs elsewhere" running "$b"
! ours || ok "beside the job there" beside "$b" "$c"
ok "the other waits for the node" keeps_waiting "$a"
vc start-node n2
ok "the node is back and so is the job" running "$a"
is "on its nodes" "$(nodes_of "$a")" "n1 n2"
is "no core is held twice then" "$(holdings | held_twice)" ""
clear_jobs

# --- a node that is completing for long ------------------------------------------------

touch "$WORK/hang"
a=$(job -w n1 -n1)
running "$a"
scancel "$a"
b=$(traced 1 -n2) # would go to n1's other cores
c=$(traced 1 -N5 --ntasks-per-node=1 --mem=500)
ok "a job goes elsewhere while an epilog hangs" wait_for 12 ended "$b"
ok "a job that needs five other nodes too" wait_for 12 ended "$c"
is "the epilog hangs still" "$(squeue -h -j "$a" -o %T)" COMPLETING
rm "$WORK/hang"
wait_for 25 queue_empty || bad "an epilog ends" "$(squeue)"
# Of a job's nodes those that are done are free at once.
touch "$WORK/hang"
a=$(job -N6 --exclusive)
running "$a"
scancel "$a"
b=$(traced 1 -N5 --ntasks-per-node=2 --mem=500)
c=$(traced 1 -n1)
ok "of six nodes one hangs: a job gets the five others" wait_for 8 ended "$b"
ok "and then another one" wait_for 8 ended "$c"
is "the sixth hangs still" "$(squeue -h -j "$a" -o '%T %N')" 'COMPLETING n1'
rm "$WORK/hang"
wait_for 25 queue_empty || bad "an epilog ends" "$(squeue)"

# slurmd alone dies and comes back: its job lives on.
a=$(traced 6 -w n3 -n1)
running "$a"
vc kill-slurmd n3
sleep 0.5
vc start-node n3
ok "a job outlives its slurmd" wait_for 20 ended "$a"
is "in one run" "$(grep -c " $a " "$RUNS")" 2
if [ -n "${FULL:-}" ]; then
	# A power cut: slurmctld finds out by SlurmdTimeout.
	a=$(profiled cg -w n1,n2 -N2 -n4) b=$(profiled io -w n1,n2 -N2 -n4)
	running "$a" "$b"
	vc kill-node n2
	ok "power cut: the node is found down" wait_for 90 node_is n2 'down\*?'
	ok "power cut: both members are requeued" wait_for 20 waits "$a" "$b"
	vc start-node n2
	ok "power cut: the node comes back" wait_for 20 node_is n2 idle
	ok "power cut: both run again" running "$a" "$b"
	clear_jobs
fi

# --- power saving ---------------------------------------------------------------------------

scontrol update nodename=n4 state=power_down_asap
ok "a node is powered down" wait_for 25 node_is n4 'idle~'
ok "its slurmd is stopped" grep -q 'suspend n4' "$WORK/power/log"
elsewhere=$(job -n4)
ok "a job that has room elsewhere runs there" running "$elsewhere"
nok "not on the sleeping node" on "$elsewhere" n4
a=$(profiled cg -w n3,n4 -N2 -n4) b=$(profiled io -w n3,n4 -N2 -n4)
t=$(traced 1 -w n4 -n1)
configures() {
	[[ $(state "$1") =~ CONFIGURING|RUNNING ]]
}
ok "a job that needs it gets it" wait_for 10 configures "$a"
# 24.11 looks again after 10 s where a job comes in the second of its last look
ok "the node is resumed" wait_for 20 grep -q 'resume n4' "$WORK/power/log"
ok "the job runs" wait_for 40 is_state "$a" RUNNING
ok "another one too" wait_for 30 is_state "$b" RUNNING
! ours || ok "beside it" beside "$a" "$b"
scancel "$a" "$b"
ok "and a third one ends on it" wait_for 20 ended "$t"
is "no core is held twice there" "$(holdings | held_twice)" ""
clear_jobs
log_is_clean

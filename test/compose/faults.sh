#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Faults of containers: ctl killed and started again in the middle of a workload, a
# node that stands still for some seconds, and one that does so for too long. No job
# is lost, none runs twice at a time.
#
# Slurm saves its state lazily: what it had not saved of starts and ends it learns
# from the nodes, about two minutes later or not at all, and some jobs come back held or
# with a begin time, some nodes drained, under stock as well (COSCHED_STOCK=1). So an
# administrator is played here who releases, resumes, and requeues what has long ended.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

n_jobs=24
profiles=(compute memory network io)
cluster
# each job notes its start and end in the folder that all see
RUNS=$JOBS/runs
docker exec -i "$CTL" sh -c "cat >$JOBS/traced && chmod 755 $JOBS/traced" <"$WORK/traced"
submit() {
	local profile=$1 seconds=$2
	shift 2
	sbatch --parsable -o /dev/null -t 10 --comment="cosched:profile=$profile" "$@" \
		"$JOBS/traced" "$seconds" "$RUNS"
}
runs() {
	in_ctl cat "$RUNS" 2>/dev/null
}
mend() {
	local id what

	while read -r id what; do
		case $what in
		BeginTime)	scontrol update JobId="$id" StartTime=now ;;
		*held* | JobHeld*)	scontrol release "$id" ;;
		esac
	done < <(squeue -h -t PD -o '%i %r')
	# none takes more than some ten seconds
	squeue -h -t R -o '%i %M' | awk '$2 !~ /^[0-2]:/ { print $1 }' |
		while read -r id; do
			scontrol requeue "$id"
		done
	sinfo -h -N -o '%n %T' | awk '$2 ~ /^drain/ { print $1 }' | while read -r id; do
		scontrol update NodeName="$id" State=RESUME
	done
}
mended_empty() {
	mend
	queue_empty
}
# Of all nodes: see test/cluster/nodes.sh.
node_state() {
	sinfo -h -N -o '%N %T' | awk -v n="$1" '$1 == n { print $2; exit }'
}
answers() {
	in_ctl timeout 5 scontrol ping | grep -q UP
}

# --- ctl

# All jobs wait, held, until Slurm has saved them: what a kill may do to a submission
# is not our matter.
for ((i = 0; i < n_jobs; i++)); do
	submit "${profiles[i % 4]}" $((3 + i * 7 % 6)) -n$((1 + i * 5 % 8)) -H \
		>>"$WORK/ids" || bad "job $i is accepted"
done
sleep 7
scontrol release "$(paste -sd, "$WORK/ids")"
wait_for 30 eval "[ \"\$(squeue -h -t R | wc -l)\" -ge 2 ]"
sleep 4
ok "docker kill of ctl" docker kill "$CTL"
sleep 2
ok "docker start of ctl" docker start "$CTL"
ok "slurmctld answers again" wait_for 60 answers
! ours || ok "mode act is on again" wait_for 30 in_act
somebody_runs() { # sets seen
	seen=$(holdings)
	[ -n "$seen" ]
}
wait_for 60 somebody_runs || bad "jobs run behind it" "$(squeue)"
is "no core is held twice" "$(held_twice <<<"$seen")" ""

# --- a node that stands still for less than SlurmdTimeout

wait_for 30 eval "[ -n \"\$(squeue -h -w n3 -t R)\" ]"
N3=$(container n3)
# the freezer of cgroups may need a second attempt
ok "docker pause of n3" wait_for 10 docker pause "$N3"
sleep 5
ok "docker unpause of n3" docker unpause "$N3"
ok "the queue drains" wait_for 300 mended_empty
once_completed "sacct shows each job COMPLETED, and once" $n_jobs
is "each wrote its end" "$(runs | awk '$1 == "end" { print $2 }' | sort -u | wc -l)" $n_jobs
is "none ran twice at a time" "$(runs | grep '^double')" ""

# --- a node that stands still for longer

job=$(submit memory 8 -N1 -n4 -w n3 --requeue)
ok "a job runs on n3" running "$job"
wait_for 10 docker pause "$N3"
ok "n3 goes down" wait_for 90 eval "node_state n3 | grep -q down"
ok "its job is back in the queue" wait_for 20 waits "$job"
other=$(submit compute 2 -N3 -n6)
ok "jobs on the other nodes run meanwhile" wait_for 20 gone "$other"
docker unpause "$N3" >/dev/null
ok "n3 comes back" wait_for 180 eval "node_state n3 | grep -qE '^(idle|mixed|allocated)\$'"
ok "its job ends" wait_for 120 eval 'mend; gone "$job"'
once_completed "sacct shows these, too" $((n_jobs + 2))
log_is_clean

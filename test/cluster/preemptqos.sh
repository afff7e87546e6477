#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Preemption by QOS, mode act beside stock Slurm: of jobs whose QOS another one names,
# and with PreemptMode=WITHIN of jobs of the same QOS with less priority.
#
# Needs slurmdbd and MariaDB: without them there are no QOS.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=dbd.inc
. "$(dirname "$0")/dbd.inc"

accounts() {
	wait_for 10 sacctmgr -n show tres || return 1
	{
		echo "add cluster vcluster"
		echo "add qos urgent set Preempt=normal"
		echo "add qos inside set PreemptMode=requeue,within"
		echo "add account free cluster=vcluster"
		echo "add user root account=free cluster=vcluster set qos=normal,urgent,inside"
	} | sacctmgr -i
}

runs() {
	wait_for 10 is_state "$1" RUNNING
}

requeued() {
	[ "$(state "$1") $(field "$1" Restarts)" = "PENDING 1" ]
}

several_qos() { # may a job name several? From 24.11 on
	slurmctld -V | awk '{ split($2, v, "."); exit !(v[1] * 100 + v[2] >= 2411) }'
}

preempts() { # of the cluster in use, $1
	local a b c

	a=$(job -A free -q normal -N2 --exclusive --priority=100)
	runs "$a" || bad "$1: a job runs" "$(squeue)"
	b=$(job -A free -q normal -N1 --exclusive --priority=200)
	ok "$1: of the same QOS more priority is no reason" keeps_waiting "$b"
	scancel "$b"
	b=$(job -A free -q urgent -N1 --exclusive --priority=50)
	ok "$1: a QOS that names the other is" runs "$b"
	ok "$1: the other is requeued" wait_for 5 requeued "$a"
	clear_jobs
	if several_qos; then
		a=$(job -A free -q normal -N2 --exclusive --priority=100)
		runs "$a" || bad "$1: a job runs" "$(squeue)"
		b=$(job -A free -q normal,urgent -N1 --exclusive --priority=50)
		ok "$1: of several QOS one that names the other is" runs "$b"
		ok "$1: the other is requeued" wait_for 5 requeued "$a"
		clear_jobs
	fi
	a=$(job -A free -q inside -N2 --exclusive --priority=100)
	runs "$a" || bad "$1: a job runs" "$(squeue)"
	b=$(job -A free -q inside -N1 --exclusive --priority=100)
	ok "$1: WITHIN: the same priority is no reason" keeps_waiting "$b"
	c=$(job -A free -q inside -N2 --exclusive --priority=200)
	ok "$1: more priority is" runs "$c"
	ok "$1: the other is requeued" wait_for 5 requeued "$a"
	ok "$1: neither comes back before it has ended" keeps_waiting "$a" "$b"
	clear_jobs
}

need_mariadb 3
qos=(--nodes 2 --set PreemptType=preempt/qos --set PreemptMode=REQUEUE)
cluster --stock --name stock "${qos[@]}" --params bf_interval=2
with_accounting $((port + 1)) "$port"
cluster --name act --more cosched_order=slurm "${qos[@]}"
with_accounting $((port + 2)) "$port"
for of in stock act; do
	use "$of"
	preempts "$of"
done
log_is_clean

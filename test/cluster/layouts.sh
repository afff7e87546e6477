#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a job asks of cores, threads and nodes: mode act gives it what stock gives.
# The answers are stock's (COSCHED_STOCK=1 runs the same on it): nodes of 4 cores, and two
# of 4 cores with 2 threads.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cluster --more cosched_layout=dense --nodes 6 --memory 4000 --set DefMemPerCPU=100 \
	--set 'PartitionName=main Nodes=ALL Default=YES State=UP' \
	--set 'PartitionName=few Nodes=n[2-6] State=UP' \
	--node 'n[1-4] Feature=small' --node 'n[5-6] ThreadsPerCore=2 Feature=big'

# holds JOB: its CPUs, memory and nodes, by what Slurm booked
holds() {
	field "$1" '\(Alloc\)\?TRES' | sed 's/,billing.*//' # 24.11: AllocTRES, ReqTRES
}
nodes_idle() {
	! sinfo -h -o %T | grep -qv idle
}
# gets ANSWER OPTION...: what a job with these options holds on an idle cluster
gets() {
	local answer=$1 id
	shift
	wait_for 20 nodes_idle
	id=$(job "$@")
	wait_for 4 is_state "$id" RUNNING
	is "$*" "$(holds "$id")" "$answer"
	scancel "$id"
	wait_for 20 gone "$id"
}

# as many CPUs on each node, be its tasks fewer
if slurmctld -V | grep -qE ' (2[4-9]|[3-9][0-9])\.'; then # no more than the tasks fill
	gets cpu=2,mem=200M,node=1 -n2 --mincpus=3
	gets cpu=2,mem=200M,node=2 -n2 -N2 --mincpus=3
	gets cpu=6,mem=600M,node=2 -n6 --ntasks-per-node=5
	gets cpu=6,mem=600M,node=2 -n3 --ntasks-per-node=2 -c2
else
	gets cpu=3,mem=300M,node=1 -n2 --mincpus=3
	gets cpu=6,mem=600M,node=2 -n2 -N2 --mincpus=3
	gets cpu=12,mem=1200M,node=2 -n6 --ntasks-per-node=5
	gets cpu=8,mem=800M,node=2 -n3 --ntasks-per-node=2 -c2
fi
gets cpu=1,mem=100M,node=1 -n1 --ntasks-per-node=3
gets cpu=1,mem=100M,node=1 -n1 --ntasks-per-core=2 -C small

# one task, or one thread, a core
gets cpu=8,mem=800M,node=1 -n4 --ntasks-per-core=1 -w n5
gets cpu=8,mem=400M,node=1 -n4 --hint=nomultithread -w n5
gets cpu=8,mem=400M,node=1 -n4 --threads-per-core=1 -w n5
gets cpu=4,mem=400M,node=1 -n2 --ntasks-per-core=1 -c2 -w n5
gets cpu=12,mem=600M,node=2 -n2 --hint=nomultithread -c3 -C big
gets cpu=14,mem=700M,node=2 -n7 --hint=nomultithread -C big
gets cpu=6,mem=4500M,node=2 -n3 --mem-per-cpu=1500 --hint=nomultithread -C big

# nodes of several sizes
gets cpu=8,mem=800M,node=1 -n8 -N1
gets cpu=32,mem=3200M,node=6 -n8 -c4
gets cpu=12,mem=1200M,node=2 -n12 -N2 -x n6
gets cpu=24,mem=2400M,node=6 -n24 --ntasks-per-node=4

# nodes that it must have, and memory
gets cpu=6,mem=600M,node=2 -n6 -w n1
gets cpu=6,mem=600M,node=3 -n6 -w n1 -N3
gets cpu=3,mem=300M,node=1 -n3 -w n1 -p few,main
gets cpu=1,mem=4000M,node=1 -n1 --mem=0
gets cpu=2,mem=200M,node=1 -n2 --sockets-per-node=2

# a core has threads of one job only
a=$(job -N1 -n3 -w n5)
b=$(job -N1 -n5 -w n5)
c=$(LIMIT=2 job -N1 -n4 -w n5)
ok "threads of two cores are left to another job" running "$a" "$c"
ok "but not the second thread of a core that is taken" waits "$b"
is "no core is held twice" "$(holdings | held_twice)" ""
clear_jobs

if ours; then
	one="-n4 -N2 --hint=nomultithread -C big"
	# shellcheck disable=SC2086 # words
	a=$(profiled cg $one) b=$(profiled io $one)
	ok "jobs of one thread a core share nodes" running "$a" "$b"
	ok "(they stand beside each other)" beside "$a" "$b"
	is "(on cores of their own)" "$(holdings | held_twice)" ""
	clear_jobs
fi
log_is_clean

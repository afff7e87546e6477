#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a job asks of cores, threads and nodes: mode act gives it what stock Slurm gives in
# the same run, on a cluster of its own: nodes of 4 cores, and two of 4 cores with 2 threads.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

shape=(--nodes 6 --memory 4000 --set DefMemPerCPU=100
	--set 'PartitionName=main Nodes=ALL Default=YES State=UP'
	--set 'PartitionName=few Nodes=n[2-6] State=UP'
	--node 'n[1-4] Feature=small' --node 'n[5-6] ThreadsPerCore=2 Feature=big')
# stock looks each second, as act does
cluster --stock --name stock --params batch_sched_delay=0,bf_interval=1 "${shape[@]}"
cluster --name act --more cosched_layout=dense "${shape[@]}"

# holds JOB: its CPUs, memory and nodes, by what Slurm booked
holds() {
	field "$1" '\(Alloc\)\?TRES' | sed 's/,billing.*//' # 24.11: AllocTRES, ReqTRES
}
nodes_idle() {
	! sinfo -h -o %T | grep -qv idle
}
# gets OPTION...: a job with these options holds on the idle cluster what it holds on
# stock's; or waits there, too
started=0
gets() {
	local of
	local -A id holds

	for of in stock act; do
		use $of
		wait_for 20 nodes_idle
		id[$of]=$(job "$@")
	done
	for of in stock act; do
		use $of
		wait_for 6 is_state "${id[$of]}" RUNNING
		holds[$of]="$(state "${id[$of]}") $(holds "${id[$of]}")"
	done
	is "$*" "${holds[act]}" "${holds[stock]}"
	[ "${holds[stock]#RUNNING cpu=}" = "${holds[stock]}" ] || started=$((started + 1))
	for of in stock act; do
		use $of
		scancel "${id[$of]}"
		wait_for 20 gone "${id[$of]}"
	done
}

# as many CPUs on each node, be its tasks fewer
gets -n2 --mincpus=3
gets -n2 -N2 --mincpus=3
gets -n6 --ntasks-per-node=5
gets -n3 --ntasks-per-node=2 -c2
gets -n1 --ntasks-per-node=3
gets -n1 --ntasks-per-core=2 -C small

# one task, or one thread, a core
gets -n4 --ntasks-per-core=1 -w n5
gets -n4 --hint=nomultithread -w n5
gets -n4 --threads-per-core=1 -w n5
gets -n2 --ntasks-per-core=1 -c2 -w n5
gets -n2 --hint=nomultithread -c3 -C big
gets -n7 --hint=nomultithread -C big
gets -n3 --mem-per-cpu=1500 --hint=nomultithread -C big

# nodes of several sizes
gets -n8 -N1
gets -n8 -c4
gets -n12 -N2 -x n6
gets -n24 --ntasks-per-node=4

# nodes that it must have, and memory
gets -n6 -w n1
gets -n6 -w n1 -N3
gets -n3 -w n1 -p few,main
gets -n1 --mem=0
gets -n2 --sockets-per-node=2

ok "stock starts most of them, $started of 22" test "$started" -ge 18

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

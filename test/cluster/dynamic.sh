#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Dynamic nodes, in mode act and beside it under stock Slurm: many are created and deleted
# while jobs start; real ones join by `slurmd -Z`, go, and come back in another shape.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# create NAME SOCKETS CORES: a node that no slurmd serves; FUTURE: no job is sent there
create() {
	scontrol create nodename="$1" state=FUTURE Sockets="$2" CoresPerSocket="$3" \
		RealMemory=2000
}
delete() {
	scontrol delete nodename="$1"
}
# join NAME OPTION...: a slurmd registers as a new node
join() {
	local n=$1

	shift
	mkdir -p "$COSCHED_VCLUSTER/spool.$n"
	env -u COSCHED_VCLUSTER slurmd -Z -N "$n" -f "$SLURM_CONF" --conf "$*" </dev/null
}
# part NAME: it is emptied, ends, and is deleted
part() {
	scontrol update nodename="$1" state=drain reason=test
	squeue -h -w "$1" -o %A | xargs -r scancel
	wait_for 20 empty "$1" || bad "$1 is empty" "$(squeue -w "$1")"
	kill "$(cat "$COSCHED_VCLUSTER/run/slurmd.$1.pid")"
	scontrol update nodename="$1" state=down reason=test
	delete "$1"
}
empty() {
	[ "$(sinfo -h -N -n "$1" -o %t)" = drain ] && [ -z "$(squeue -h -w "$1")" ]
}
jobs_on() {
	squeue -h -t R -w "$1" -o %A | wc -l
}
jobs_on_is() {
	[ "$(jobs_on "$1")" = "$2" ]
}
# How many jobs have ended
ended_jobs() {
	wc -l <"$COSCHED_VCLUSTER/log/jobcomp.log"
}
rebuilds() {
	grep -c 'the engine is built anew' "$CTLD_LOG"
}

# storm N FAST: N nodes of ten shapes come, the first FAST as fast as scontrol can; each is
# deleted when ten more have come.
storm() {
	local i

	for ((i = 1; i <= $1; i++)); do
		create "nf$i" $((i % 2 + 1)) $((i % 5 + 1)) || return 1
		[ "$i" -le 10 ] || delete "nf$((i - 10))" || return 1
		[ "$i" -le "$2" ] || sleep 0.1
	done
	for ((i = $1 - 9; i <= $1; i++)); do
		delete "nf$i" || return 1
	done
}

# NAME SOCKETS CORES: it joins, and all its cores get jobs. Sets TOOK: seconds until the
# first.
joins() {
	local from=${EPOCHREALTIME/./}

	ok "$1 joins" join "$1" "Sockets=$2 CoresPerSocket=$3 RealMemory=4000"
	ok "jobs run there" wait_for 20 jobs_on_is "$1" $(($2 * $3))
	TOOK=$(((${EPOCHREALTIME/./} - from) / 100000))
}

# Sets DONE, the jobs that ended in the storm, and JOINED, tenths of seconds.
whole() {
	local from

	job -n1 --array=1-600 -t 5 >/dev/null
	wait_for 20 jobs_on_is n1 4
	from=$(ended_jobs)
	ok "160 nodes come and go" storm 160 100
	DONE=$(($(ended_jobs) - from))
	joins nd1 1 3
	JOINED=$TOOK
	ok "it leaves" part nd1
	# another node in its place
	joins nd2 2 3
	! ours || is "no core is held twice" "$(holdings | held_twice)" ""
	ok "it leaves, too" part nd2
	joins nd1 1 2
	ok "it leaves again" part nd1
}

# Of the log since line $from: lines of EVENT; are there at least N?
lines() {
	tail -n +$((from + 1)) "$LOG" | grep -c "\"ev\":\"$1\""
}
logged() {
	[ "$(lines "$1")" -ge "$2" ]
}

SLEEP=1
if [ -z "${COSCHED_STOCK:-}" ]; then
	cluster --stock --name stock --nodes 2 --set MaxNodeCount=300
	whole
	stock_done=$DONE stock_joined=$JOINED
	cluster_down
fi
cluster --nodes 2 --set MaxNodeCount=300
whole
if ours; then
	echo "# jobs ended in the storm: $DONE, stock $stock_done; a new node was full after" \
		"$JOINED tenths of a second, stock $stock_joined"
	ok "jobs start while nodes come and go: $DONE, stock $stock_done" \
		test $((DONE * 2)) -ge "$stock_done"
	is "without a new engine" "$(rebuilds)" 0
fi
clear_jobs
if ours && ! large=$(job -n100 2>/dev/null); then
	omit "a job larger than the present nodes" "this release accepts none"
elif ours; then
	explain() {
		"$COSCHED" explain "$large"
	}
	ok "a job larger than the present nodes may run later" wait_for 10 eval 'explain | grep -q "more may register"'
	unlike "... it is not said that it never can" "$(explain)" 'can never run|no set of nodes'
	unlike "... nor in the log" "$(cat "$CTLD_LOG")" "job $large waits: no set of nodes"
	scancel "$large"
fi
# A node that comes to a partition, or leaves it, is one line for all jobs that wait there.
if ours; then
	from=$(wc -l <"$LOG")
	for ((i = 0; i < 40; i++)); do
		SLEEP=300 job -n4
	done >/dev/null
	ok "40 jobs wait for two or run" wait_for 30 logged submit 40
	ok "a node comes" join nd3 "Sockets=1 CoresPerSocket=1 RealMemory=4000"
	ok "the log has the new set" wait_for 20 logged nodeset 1
	part nd3
	ok "and that of before, when it has gone" wait_for 20 logged nodeset 2
	ok "and hardly a line for each job: $(lines change)" test "$(lines change)" -lt 20
	clear_jobs
fi
log_is_clean act
! ours || same "replay decides the same"

# Where nodes have sites each change needs a new engine: changes are taken together.
if ours; then
	cluster_down
	rm "$LOG"
	cluster --nodes 2 --set MaxNodeCount=300 --params \
		"cosched_mode=act,cosched_policy=multisite-adaptive,cosched_sites=main,cosched_log=$LOG"
	job -n1 --array=1-300 -t 5 >/dev/null
	wait_for 20 jobs_on_is n1 4
	from=$(ended_jobs)
	ok "with sites: 100 nodes come and go" storm 100 50
	DONE=$(($(ended_jobs) - from))
	echo "# with sites: jobs ended in the storm: $DONE; $(rebuilds) builds"
	ok "some builds take all changes: $(rebuilds)" \
		test "$(rebuilds)" -ge 1 -a "$(rebuilds)" -le 20
	ok "jobs start between them: $DONE" test "$DONE" -ge 8
	clear_jobs
	log_is_clean act
	same "replay decides the same"
fi

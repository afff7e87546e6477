#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How much faster a job array is than one machine (--sbatch): 1,000 simulations on four nodes,
# each confined to a quarter of this host's cores, are done at 3.5 times the rate at least of
# -j on one such node; what a task costs beyond its simulations is printed.
#
# Ten minutes on two idle cores: with FULL=1 only. PERCENT=12 confines each node to 12 % of the
# host's cores, for a host that has other work; SIMULATIONS=400: fewer.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

[ -n "${FULL:-}" ] || skip "10 minutes: FULL=1"
PERCENT=${PERCENT:-25} SIMULATIONS=${SIMULATIONS:-1000}
NODES=4 TIMES=3.5 PERIOD=100000
quota=$(($(nproc) * PERIOD * PERCENT / 100))
cores=$(((quota + PERIOD - 1) / PERIOD))

# --- groups of processes with a part of the host

if [ -w /sys/fs/cgroup/cpu/cgroup.procs ]; then # version 1
	groups=/sys/fs/cgroup/cpu/cosched-test.$$
elif grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
	groups=/sys/fs/cgroup/cosched-test.$$
else
	skip "no control group to confine nodes with"
fi
confine() { # NAME: make the group
	local at=$groups/$1

	mkdir "$at" || return 1
	if [ -e "$at/cpu.max" ]; then
		echo "$quota $PERIOD" >"$at/cpu.max"
	else
		echo "$PERIOD" >"$at/cpu.cfs_period_us" && echo "$quota" >"$at/cpu.cfs_quota_us"
	fi
}
at_end() { # the daemons end later
	local pid

	cat "$groups"/n?/cgroup.procs 2>/dev/null | while read -r pid; do
		echo "$pid" >"$groups/../cgroup.procs"
	done
	rmdir "$groups"/n? "$groups"
}
mkdir "$groups" || skip "no right to make a control group"
[ ! -e "$groups/cgroup.subtree_control" ] || echo +cpu >"$groups/cgroup.subtree_control"

cluster --nodes $NODES --sockets 1 --cores "$cores" --params "cosched_mode=act,cosched_log=$LOG"
for n in n1 n2 n3 n4; do
	confine $n || skip "no right to confine a node"
	pgrep -f -- "slurmd -N $n -f $COSCHED_VCLUSTER/slurm.conf" >"$WORK/pids"
	while read -r pid; do
		echo "$pid" >"$groups/$n/cgroup.procs"
	done <"$WORK/pids"
	like "$n: its slurmd is confined" "$(cat "$groups/$n/cgroup.procs")" '^[0-9]+$'
done

# --- one node, then four

mkdir "$WORK/sweep" && cd "$WORK/sweep" || exit 1
# seconds SIMULATIONS [OPTION]...: of two policies
seconds() {
	local from n=$1

	shift
	from=$(date +%s%N)
	"$COSCHED" compare --machine 64x2x4 --workload lublin --jobs 12000 --policies pack,cover \
		--replicas $((n / 2)) "$@" >"$WORK/got" 2>"$WORK/err" || bad "$*" "$(cat "$WORK/err")"
	awk -v ns=$(($(date +%s%N) - from)) 'BEGIN { printf "%.2f\n", ns / 1e9 }'
}
few=$((SIMULATIONS / 10 / 2 * 2))
one=$(
	echo $BASHPID >"$groups/n1/cgroup.procs"
	seconds "$few" -j "$cores"
)
four=$(seconds "$SIMULATIONS" --sbatch)
tasks=$(sed -n 's/^.* simulations, \([0-9]*\) tasks of job array.*/\1/p' "$WORK/err" | head -n 1)
is "no task was lost" "$(grep -c 'tasks of job array' "$WORK/err")" 1
read -r times overhead < <(awk -v n="$SIMULATIONS" -v few="$few" -v one="$one" -v four="$four" \
	-v nodes=$NODES -v tasks="$tasks" 'BEGIN {
		printf "%.2f %.2f\n", n / four / (few / one), (nodes * four - n * one / few) / tasks }')
printf '# %s: a node is %s %% of %s cores; -j %s there: %s simulations in %s s; %s nodes: %s in %s s, %s times the rate; a task of %s takes %s s of its node beyond its simulations\n' \
	"$NAME" "$PERCENT" "$(nproc)" "$cores" "$few" "$one" "$NODES" "$SIMULATIONS" "$four" "$times" \
	"$tasks" "$overhead"
ok "four nodes do at least $TIMES times what one does" \
	awk -v x="$times" -v least=$TIMES 'BEGIN { exit !(x >= least) }'
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mode act leaves slurmctld to its requests as stock Slurm's schedulers do: no start while
# max_rpc_cnt requests are in work, and soon behind; with defer, changes are looked at
# together, each batch_sched_delay; sched_min_interval is the least rest between two cycles.
# What starts in a storm of requests beside stock: waiting.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

has_libslurm || skip "no libslurm to link with"
LOAD=$WORK/load
gcc -Wall -Wextra -Werror -rdynamic -o "$LOAD" "$TREE/test/cluster/load.c" -lslurm || bad "load.c builds"
REQUESTS=40 MOST=30
site=max_rpc_cnt=$MOST,batch_sched_delay=1,sched_interval=5,bf_interval=2

# A script of which the kernel buffers less than the whole on the way to who asks for it.
buffered=$(awk '{ sum += FILENAME ~ /wmem/ ? $3 : $2 } END { print sum }' /proc/sys/net/ipv4/tcp_[rw]mem)
size=$((buffered + 1000000))
printf '#!/bin/sh\n# %0*d\n' "$size" 0 >"$WORK/long"
site+=,max_script_size=$((size + 100))

pending() {
	sdiag | sed -n 's/^Server thread count: *//p'
}
in_work() { # so many at least
	[ "$(pending)" -ge "$1" ]
}
figure() { # of status: KEY...
	"$COSCHED" status --json | python3 -c "
import json, sys
o = json.load(sys.stdin)
for key in sys.argv[1:]:
    o = o[key]
print(int(o))" "$@"
}

cluster --stock --name stock --nodes 2 --set MessageTimeout=60 --params "$site"
cluster --name act --nodes 2 --set MessageTimeout=60 --more "$site,cosched_order=slurm"
for c in stock act; do
	use "$c"
	full=$(SLEEP=900 LIMIT=20 job -w n1 --exclusive)
	running "$full" || bad "$c: a node is full" "$(squeue)"
	long=$(sbatch --parsable -o /dev/null -H "$WORK/long") || bad "$c: a long script is submitted"
	j=$(LIMIT=1 SLEEP=50 job -n1 -H)
	"$LOAD" deaf "$long" $REQUESTS 15 2>"$WORK/$c.deaf" &
	deaf=$!
	ok "$c: $REQUESTS requests are in work" wait_for 10 in_work $REQUESTS
	scontrol release "$j"
	scontrol update jobid="$j" priority=4294901760 # before all others
	sleep 6
	ok "$c: meanwhile a job that may start waits" waits "$j"
	in_work $REQUESTS || bad "$c: the requests are still in work" "$(pending)"
	if ours; then
		is "act: status says so" "$(figure rpcs over)" 1
		is "act: how many there may be, too" "$(figure rpcs most)" $MOST
		ok "act: in words" grep -q "^rpcs .*max_rpc_cnt=$MOST .*now, too" <("$COSCHED" status)
		is "act: it is no fault" "$(figure fallbacks total)" 0
	fi
	wait "$deaf" || bad "$c: they are answered" "$(cat "$WORK/$c.deaf")"
	wait_for 10 is_state "$j" RUNNING && good "$c: it starts when they are answered" ||
		bad "$c: it starts when they are answered" "$(scontrol show job "$j"; sinfo; sdiag | head -60)"
	ours || cluster_down
done

# --- cycles that changes call for: together under defer, and never sooner than they may

# calm SECONDS PARAMETERS [SECONDS]: at most a cycle in so long, while a job changes all the
# time; and more than one in so long
calm() {
	local seconds=$1 before from n most least i

	set_params "cosched_mode=act,$SHARED,cosched_order=slurm,$2"
	ok "$2: mode act is on again" wait_for 20 in_act
	sleep 2
	before=$(figure cycles) from=$SECONDS
	for ((i = 0; i < 30; i++)); do
		scontrol update jobid="$last" nice=$((i + 1))
		sleep 0.3
	done
	n=$(($(figure cycles) - before)) most=$(((SECONDS - from) / seconds + 2))
	if [ "$n" -le "$most" ]; then good "$2: cycles have that much rest"; else
		bad "$2: cycles have that much rest" "$n cycles in $((SECONDS - from)) s"
	fi
	least=$(((SECONDS - from) / ${3:-1000} + 2))
	[ -z "${3:-}" ] ||
		ok "$2: but more than with ${3} s of rest ($n)" test "$n" -gt "$least"
	j=$(LIMIT=1 SLEEP=1 job -n1 --nice=-1000)
	ok "$2: and a job starts" wait_for $((seconds + 10)) begun "$j"
}
begun() {
	is_state "$1" RUNNING || gone "$1"
}
scancel -t PD -u root
last=$(job -N2 --exclusive)
calm 3 defer
calm 5 defer,batch_sched_delay=5
calm 1 defer,bf_interval=1 3
calm 4 sched_min_interval=4000000
scancel "$full" "$last"
clear_jobs
log_is_clean

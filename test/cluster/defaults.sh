#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a site gets that turns act on: the defaults, beside stock Slurm in the same run.
# Whatever stock starts at once starts at once; a queue ends no later.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# pairs are known, of self slowdowns nothing is
cat >"$PROFILES" <<'JSON'
{"version":1,
 "profiles":{"compute":{}, "memory":{}, "network":{}, "io":{}},
 "pairs":[{"of":"compute","beside":"memory","slowdown":1.04},
          {"of":"memory","beside":"compute","slowdown":1.05},
          {"of":"compute","beside":"io","slowdown":1.01},
          {"of":"io","beside":"compute","slowdown":1.03},
          {"of":"memory","beside":"memory","slowdown":1.55},
          {"of":"network","beside":"network","slowdown":1.35},
          {"of":"memory","beside":"network","slowdown":1.12},
          {"of":"network","beside":"memory","slowdown":1.14},
          {"of":"io","beside":"io","slowdown":1.28}]}
JSON
kinds=(compute memory network io)
defaults="cosched_mode=act,cosched_profiles=$PROFILES,cosched_log=$LOG"

# Schedulers that look once a second; stock's looks of backfill are 30 s apart.
site=bf_interval=1,batch_sched_delay=1
cluster --stock --name stock --nodes 4 --cores 4 --params "$site"
cluster --name act --nodes 4 --cores 4 --params "$site,$defaults"

# queue PROCS...: jobs of so many processes, the kinds by turns, that sleep $SLEEP s
queue() {
	local i=0 n

	for n; do
		profiled "${kinds[i++ % 4]}" -n "$n" >/dev/null
	done
}
run_now() {
	squeue -h -t R -o %i | wc -l
}
cores_now() {
	squeue -h -t R -o %C | awk '{ s += $1 } END { print s + 0 }'
}
at_least() { # COMMAND N
	[ "$("$1")" -ge "$2" ]
}
# is_full: do as many jobs run as when it was last asked, 3 s ago?
full_of=0
is_full() {
	local was=$full_of

	full_of=$(run_now)
	if [ "$full_of" = 0 ] || [ "$full_of" != "$was" ]; then
		sleep 3
		return 1
	fi
}

# as_many TEXT PROCS...: does act have as many jobs and cores at work as stock?
as_many() {
	local text=$1 jobs cores
	shift

	use stock
	queue "$@"
	full_of=0
	wait_for 30 is_full
	jobs=$(run_now) cores=$(cores_now)
	use act
	queue "$@"
	wait_for 10 at_least run_now "$jobs"
	is "$text: stock runs $jobs jobs, and so does act" "$(run_now)" "$jobs"
	is "$text: on $cores cores" "$(cores_now)" "$cores"
	is "$text: no core is held twice" "$(holdings | held_twice)" ""
	clear_jobs
	use stock
	clear_jobs
}

# the jobs of the four kinds that were left waiting with 28 of 32 cores idle
as_many "ten small jobs" 4 2 3 4 2 4 3 4 2 4
# shellcheck disable=SC2046 # forty of them
as_many "serial jobs" $(printf '1 %.0s' {1..40})
as_many "jobs of half a node, of one and of more" 4 8 2 12 6

# makespan: from the first submit to the end of the last job, in s
makespan() {
	local from=$SECONDS
	SLEEP=3 queue 4 8 2 6 1 4 8 3 12 2 4 6 8 1 4 2 16 4
	wait_for 120 queue_empty || bad "the queue ends" "$(squeue)"
	echo $((SECONDS - from))
}
use stock
stock=$(makespan)
use act
act=$(makespan)
ok "a queue ends as soon: $act s, stock's $stock" [ "$act" -le $((stock + stock / 4)) ]

# without a profile file: stock's packing
set_params "$site,cosched_mode=act,cosched_log=$LOG"
as_many "jobs of which nothing is known" 4 2 3 4 2 4 3 4 2 4

use act
log_is_clean act
same "the decisions are made again"

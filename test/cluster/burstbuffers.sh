#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Burst buffers (burst_buffer/lua), mode act beside stock Slurm: of jobs that wait all
# are filled ahead of their start, however many, in order of their starts where there is
# room for one only; a job starts when its own is full, not before.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

[ -n "$(find -L "$slurm_in/lib" "$slurm_in/lib64" -name burst_buffer_lua.so -print -quit 2>/dev/null)" ] ||
	skip "this Slurm has no burst_buffer/lua"

# with_buffers NAME: the cluster in use has them; a job's line "#BB_LUA S [POOL]" says for
# how many seconds its data comes in, and whether into a pool with room for one job; "in
# JOB" and "full JOB" in $WORK/NAME.said say when.
with_buffers() {
	local dir
	dir=$(dirname "$SLURM_CONF")
	: >"$WORK/$1.said"
	cat >"$dir/burst_buffer.lua" <<-END
		local function say(what, job)
		 local f = io.open("$WORK/$1.said", "a")
		 f:write(what .. " " .. job .. "\n")
		 f:close()
		end
		function slurm_bb_job_process(script) return slurm.SUCCESS end
		function slurm_bb_pools()
		 return slurm.SUCCESS,
		  '{"pools":[{"id":"one","quantity":1,"granularity":1}]}'
		end
		function slurm_bb_job_teardown(job, script, hurry) return slurm.SUCCESS end
		function slurm_bb_setup(job, uid, gid, pool, size, script) return slurm.SUCCESS end
		function slurm_bb_data_in(job, script)
		 local s, f = 0, io.open(script) -- none of an array's task
		 for line in f and f:lines() or string.gmatch("", ".") do
		  s = tonumber(string.match(line, "^#BB_LUA (%d+)")) or s
		 end
		 say("in", job)
		 os.execute("sleep " .. s)
		 say("full", job)
		 return slurm.SUCCESS
		end
		function slurm_bb_test_data_in(job, script) return slurm.SUCCESS end
		function slurm_bb_real_size(job) return slurm.SUCCESS end
		function slurm_bb_paths(job, script, file) return slurm.SUCCESS end
		function slurm_bb_pre_run(job, script) return slurm.SUCCESS end
		function slurm_bb_post_run(job, script) return slurm.SUCCESS end
		function slurm_bb_data_out(job, script) return slurm.SUCCESS end
		function slurm_bb_test_data_out(job, script) return slurm.SUCCESS end
		function slurm_bb_get_status(...) return slurm.SUCCESS, "" end
	END
	: >"$dir/burst_buffer.conf"
	printf 'BurstBufferType=burst_buffer/lua\n' >>"$SLURM_CONF"
	vc restart-ctld && vc wait-up >/dev/null && vc wait-idle >/dev/null
	! ours || wait_for 15 in_act || bad "$1: mode act is on" "$("$COSCHED" status)"
}
# buffered SECONDS [sbatch option]...: a job whose data comes in for so long; root may
# have no burst buffer
buffered() {
	local s=$1
	shift
	printf '#!/bin/sh\n#BB_LUA %s\nsleep 60\n' "$s" >"$WORK/script"
	vc run --user nobody sbatch --parsable -D / -o /dev/null -t 10 "$@" "$WORK/script"
}
said() { # NAME WHAT JOB...: of all of them
	local name=$1 what=$2 j
	shift 2
	for j; do grep -qx "$what $j" "$WORK/$name.said" || return 1; done
}
planned() { # JOB...: in one look, their expected starts are about ten minutes apart
	local list at before=0 n=0
	list=$(IFS=,; echo "$*")
	while read -r _ at; do
		at=$(date -d "$at" +%s) && [ "$at" -ge $((before + 500)) ] || return 1
		before=$at n=$((n + 1))
	done < <(squeue -h -t PD -j "$list" -o '%i %S' | sort -n)
	[ "$n" = $# ]
}
for_buffer() { # JOB: does it wait for that?
	reason "$1" | grep -q ^BurstBuffer
}
one_runs() { # ARRAY: one task
	[ "$(squeue -h -t R -j "$1" -o %i | wc -l)" = 1 ]
}
number() { # NAME WHAT N
	[ "$(grep -c "^$2 " "$WORK/$1.said")" -ge "$3" ]
}

# tried NAME JOB: how often Slurm is to fill the next buffers, while a job changes all the
# time; each second by backfill's interval, and its main loop does so, too
tried() {
	local from=$SECONDS before i n most

	scontrol setdebug verbose
	scontrol setdebugflags +burstbuffer
	before=$(tries)
	for ((i = 0; i < 40; i++)); do
		scontrol update jobid="$2" nice=$((i % 2 + 1))
		sleep 0.25
	done
	n=$(($(tries) - before)) most=$((2 * (SECONDS - from) + 3))
	scontrol setdebugflags -burstbuffer
	scontrol setdebug info
	scontrol update jobid="$2" nice=0
	if [ "$n" -gt 0 ] && [ "$n" -le "$most" ]; then
		good "$1: buffers are tried at Slurm's interval"
	else
		bad "$1: buffers are tried at Slurm's interval" "$n times, at most $most expected"
	fi
	echo "# $1: $n tries in $((SECONDS - from)) s"
}
tries() {
	grep -c 'bb_p_job_try_stage_in: BURST_BUF: Mutex locked' "$CTLD_LOG"
}

site="bf_interval=1,sched_interval=2"
cluster --stock --name stock --nodes 1 --params "$site"
with_buffers stock
cluster --name act --nodes 1 --more "$site,cosched_order=slurm"
with_buffers act
for c in stock act; do
	use "$c"
	# an empty machine: the job waits for its data alone
	a=$(buffered 12 -N1)
	ok "$c: the data of a job comes in" wait_for 40 said "$c" in "$a"
	ok "$c: meanwhile it waits" waits "$a"
	ok "$c: for its buffer" wait_for 5 for_buffer "$a"
	b=$(job -N1 -n1)
	ok "$c: another job passes it" running "$b"
	wait_for 40 said "$c" full "$a"
	ok "$c: it runs when its buffer is full" wait_for 9 is_state "$a" RUNNING
	ok "$c: not before" said "$c" full "$a"
	clear_jobs

	# a full one: many wait, and none for its data when its turn comes
	a=$(job -N1 --exclusive)
	running "$a" || bad "$c: the machine is full" "$(squeue)"
	b=()
	for ((i = 0; i < 14; i++)); do b+=("$(buffered 0 -N1 --exclusive)"); done
	ok "$c: the data of 14 jobs that wait comes in" wait_for 60 said "$c" full "${b[@]}"
	ok "$c: all wait" waits "${b[@]}"
	tried "$c" "${b[13]}"
	ok "$c: each is expected to start behind the one before it" wait_for 20 planned "${b[@]}"
	scancel "$a"
	ok "$c: then the first runs" running "${b[0]}"
	ok "$c: alone" waits "${b[@]:1}"
	scancel "${b[0]}"
	ok "$c: then the second" running "${b[1]}"
	clear_jobs

	# room for one buffer: it is filled for the job that starts next, not for one
	# that was submitted before it
	a=$(job -N1 --exclusive)
	running "$a" || bad "$c: the machine is full" "$(squeue)"
	b=()
	for ((i = 0; i < 3; i++)); do b+=("$(buffered "0 capacity=1 pool=one" -N1 --exclusive)"); done
	ok "$c: the pool is filled for the first" wait_for 30 said "$c" full "${b[0]}"
	b+=("$(buffered "0 capacity=1 pool=one" -N1 --exclusive)")
	scontrol update jobid="${b[3]}" priority=4294901000
	scontrol update jobid="${b[1]}" priority=1000
	scontrol update jobid="${b[2]}" priority=1000
	sleep 3 # the plan is made anew
	scancel "${b[0]}"
	ok "$c: then for the one that has become the next" wait_for 30 said "$c" full "${b[3]}"
	nok "$c: not for those before it" said "$c" in "${b[1]}"
	clear_jobs

	# tasks of an array, each with a buffer of its own
	a=$(job -N1 --exclusive)
	running "$a"
	: >"$WORK/$c.said"
	array=$(buffered 0 -N1 --exclusive --array=1-3)
	ok "$c: the data of tasks of an array comes in" wait_for 60 number "$c" full 3
	scancel "$a"
	ok "$c: one of them runs" wait_for 30 one_runs "$array"
	clear_jobs
done

# Under easy backfilling only the first job has a predicted start.
set_params "cosched_mode=act,cosched_policy=easy,cosched_order=slurm,$site"
a=$(job -N1 --exclusive)
running "$a" || bad "easy: the machine is full" "$(squeue)"
b=()
for ((i = 0; i < 12; i++)); do b+=("$(buffered 0 -N1 --exclusive)"); done
ok "easy: the data of 12 jobs that wait comes in" wait_for 60 said act full "${b[@]}"
clear_jobs
unlike "slurmctld's log has no crash, no fallback" "$(cat "$CTLD_LOG")" \
	'[Ss]egmentation|core dumped|cosched: (watchdog:|engine and Slurm differ)'

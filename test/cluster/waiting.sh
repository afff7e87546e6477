#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A crowd waits: jobs in partitions that are full, beside reservations and limits of
# associations, the same queue on stock Slurm and in mode act by turns. What a steady cycle
# works and how long it holds the locks, how fast squeue and scontrol show job are answered,
# how soon a job of an idle partition starts that stands last; and what starts while running
# jobs end faster than max_rpc_cnt bears.
#
# Forms, as of morning.sh, but in no short run: short, FULL=1, SCALE_FORM=whole (contrib/scale). It may be told
#	WAITING_JOBS, WAITING_NODES	(of 32 cores; an eighth for each partition)
#	WAITING_RESERVATIONS, WAITING_STORM	(jobs that end)
#	WAITING_ROUNDS=N, SCALE_ROWS=FILE, SEED=N
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=dbd.inc
. "$(dirname "$0")/dbd.inc"
# shellcheck source-path=SCRIPTDIR source=scale.inc
. "$(dirname "$0")/scale.inc"

[ -n "${FULL:-}${SCALE_FORM:-}${WAITING_JOBS:-}" ] ||
	skip "the long variants only: FULL=1, or contrib/scale"
form=${SCALE_FORM:-$([ -n "${FULL:-}" ] && echo middle || echo short)}
case $form in
short)	jobs=600 nodes=80 reservations=10 storm=160 asks=30 idle=1 limits='' ;;
*)	jobs=10000 nodes=1000 reservations=50 storm=1000 asks=200 idle=3 limits=1 ;;
esac
jobs=${WAITING_JOBS:-$jobs} nodes=${WAITING_NODES:-$nodes} storm=${WAITING_STORM:-$storm}
reservations=${WAITING_RESERVATIONS:-$reservations}
each=$((nodes / 8)) behind=$(((storm + 31) / 32)) rounds=${WAITING_ROUNDS:-1}
partitions=()
for ((i = 1; i <= 8; i++)); do
	partitions+=("PartitionName=p$i Nodes=c[$((each * (i - 1) + 1))-$((each * i))] MaxTime=INFINITE")
done
# A node that Slurm has begun to wake when it ends is not available behind the restart (it
# never answers): each storm has nodes of its own.
for ((i = 0; i < 2 * rounds; i++)); do
	first=$((8 * each + i * behind + 1))
	partitions+=("PartitionName=storm$((i + 1)) Nodes=c[$first-$((first + behind - 1))] MaxTime=INFINITE PriorityTier=2")
done
[ -z "$limits" ] || need_mariadb 2
many_nodes $((8 * each + 2 * rounds * behind)) 32 "${partitions[@]}"
[ "$FAILED" -eq 0 ] || exit 1
printf '# seed %s, %s jobs, %s nodes, %s reservations\n' "$SEED" "$jobs" "$nodes" "$reservations"

# Users of the system, each in an account of its own; both have limits, which some reach.
users=(daemon bin sys games man lp mail news)
accounts() {
	wait_for 10 sacctmgr -n show tres || return 1
	{
		echo "add cluster vcluster"
		echo "add account all cluster=vcluster"
		echo "add user root account=all cluster=vcluster"
		for u in daemon bin sys games man lp mail news; do
			echo "add account a$u cluster=vcluster set grptres=cpu=20000 grpjobs=2000"
			echo "add user $u account=a$u cluster=vcluster set maxjobs=500 maxtres=cpu=4096"
		done
	} | sacctmgr -i
}
uids=$(id -u "${users[0]}")
for u in "${users[@]:1}"; do uids+=,$(id -u "$u"); done

# --- the queue, once ----------------------------------------------------------------------

if [ -n "$limits" ]; then
	# with_accounting knows `port`
	# shellcheck disable=SC2154
	with_accounting $((port + 1)) "$port"
fi
FRESH=1 as stock default_queue_depth=1000
for ((i = 1; i < 8; i++)); do
	echo "p$i $each -$each 1000 0" # the partition is full until the reservations begin
done | "$LOAD" submit >/dev/null || bad "the partitions are filled"
started 7 60
is "seven of eight partitions are full" "$(starts)" 7
for ((i = 0; i < reservations; i++)); do
	first=$((RANDOM % (8 * each - each / 2) + 1))
	scontrol create reservation reservationname="r$i" starttime="now+$((i % 20 + 1))days" \
		duration=600 users=root nodes="c[$first-$((first + each / 4))]" >/dev/null
done 2>"$WORK/reserve.err"
# nobody schedules meanwhile
as stock defer,sched_interval=-1,bf_interval=10000
scale_py crowd "$SEED" "$jobs" 7 "$each" "$uids" | "$LOAD" submit >"$WORK/last" ||
	bad "the jobs are submitted"
waiting() {
	squeue -h -r -t PD -o %i | wc -l
}
read -r _ last <"$WORK/last"
is "all of them wait" "$(waiting)" "$jobs"

# --- rounds -------------------------------------------------------------------------------

us_p95() { # of the numbers on standard input, in milliseconds
	sort -n | awk '{ a[NR] = $1 } END { print a[int(NR * .95 + .999)] / 1000 }'
}
status_of() { # KEY
	"$COSCHED" status --json | sed -n "s/^ *\"$1\": *\([0-9]*\),*$/\1/p" | head -n 1
}
clock() {
	date +%s.%N
}
array_of() { # JOBS PARTITION: an array of one-core tasks; its number
	echo "$2 1 0 600 0 1-$1" | "$LOAD" submit | cut -d ' ' -f 2
}
task_started() { # JOB
	is_state "$1" RUNNING || is_state "$1" CONFIGURING
}
# seconds_of JOB: the seconds from its submission to its start, by slurmctld's log
seconds_of() {
	awk -v j="$1" 'function s(stamp, t) { split(stamp, t, /[T:\]]/); return t[2] * 3600 + t[3] * 60 + t[4] }
		$0 ~ "_submit_batch_job: JobId=" j " " { came = s($1) }
		/cosched: started|sched: Allocate|_start_job: Started/ && $0 ~ "JobId=" j "[ ,:]" {
			print s($1) - came; exit }' "$CTLD_LOG"
}

# steady KIND: what the waiting crowd costs
steady() {
	local from held0 held1 t0 t1 i j idle_s=0 s squeue_ms job_ms more=()

	from=$(clock)
	! ours || { held0=$(status_of locked_us); t0=$(clock); }
	squeue_ms=$("$LOAD" ask squeue $((asks / 5)) 200 | us_p95)
	job_ms=$("$LOAD" ask "$last" "$asks" 50 | us_p95)
	for ((i = 0; i < idle; i++)); do
		j=$(echo "p8 1 0 10 0" | "$LOAD" submit | cut -d ' ' -f 2)
		wait_for 60 task_started "$j" || bad "$1: the job of the idle partition starts" \
			"$(squeue -j "$j")"
		s=$(seconds_of "$j")
		idle_s=$(printf '%s\n' "$idle_s" "${s:-999}" | sort -g | tail -n 1)
		scancel "$j"
	done
	if ours; then
		held1=$(status_of locked_us) t1=$(clock)
		more=(work_ms="$(($(status_of cycle_work_last_us) / 1000))" locked="$(awk -v a="$held0" \
			-v b="$held1" -v s="$t0" -v t="$t1" 'BEGIN { printf "%.4f", (b - a) / 1e6 / (t - s) }')")
	fi
	row what=waiting form="$form" load=crowd kind="$1" policy="$1" nodes="$nodes" jobs="$jobs" \
		round="$round" from="$from" to="$(clock)" squeue_p95_ms="$squeue_ms" \
		job_p95_ms="$job_ms" idle_s="$idle_s" ${more[@]+"${more[@]}"} \
		mb="$(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$(ctld_pid)/status")"
}

# where slurmctld_config has the number of requests that pend
count_at() {
	# shellcheck disable=SC2046,SC2031 # several flags; as it was
	(
		cd "${COSCHED_BUILD:-$(dirname "$COSCHED_PREFIX")}" || exit
		echo '#include "src/slurmctld/slurmctld.h"
			int main(void) { return !printf("%zu", offsetof(slurmctld_config_t, server_thread_count)); }' |
			gcc -x c $(sed -n 's/^SLURM_CPPFLAGS = //p' Makefile) -o "$WORK/count_at" - && "$WORK/count_at"
	)
}

# strike KIND PARTITION: its jobs end; as many wait behind them
strike() {
	local first second from to before watch counted=()

	before=$(starts)
	first=$(array_of "$storm" "$2")
	started $((before + storm)) 60
	ok "$1: they run" test "$(starts)" -ge $((before + storm))
	second=$(array_of "$storm" "$2")
	(exec python3 -B "$TREE/test/cluster/scale.py" watch "$(ctld_pid)" "$(count_at)" "$WORK/pends") &
	watch=$!
	sleep 2
	from=$(clock)
	"$LOAD" end "$first" $((first + storm - 1)) 240 2>"$WORK/end.err" ||
		bad "$1: the jobs are ended" "$(tail -n 3 "$WORK/end.err")"
	to=$(clock)
	ok "$1: slurmctld's requests are counted" kill $watch
	[ ! -s "$WORK/pends" ] || counted=(pends="$WORK/pends" most="$RPCS")
	row what=storm form="$form" load=scancel kind="$1" policy="$1" nodes="$nodes" jobs="$jobs" \
		round="$round" from="$from" to="$to" \
		${counted[@]+"${counted[@]}"} storm_s="$(awk -v a="$from" -v b="$to" 'BEGIN { printf "%.1f", b - a }')"
	scancel "$first" "$second"
}

strikes=0 RPCS=150
for ((round = 1; round <= rounds; round++)); do
	for kind in stock act; do
		set=max_rpc_cnt=$RPCS
		[ $kind = act ] || set=$set,default_queue_depth=100000,bf_max_job_test=100000,bf_interval=5
		as $kind "$set"
		sleep $((2 + jobs / 2000)) # the first cycle is no steady one
		steady $kind
		[ "$storm" -eq 0 ] || strike $kind "storm$((strikes += 1))"
		! ours || ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
	done
done
is "the crowd still waits" "$(waiting)" "$jobs"
judged "$form"

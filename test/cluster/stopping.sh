#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmctld is restarted, is reconfigured and hands over to its backup while a burst of
# starts is under way, on stock Slurm and with us, at the same rate of starts
# (slowstart.c). Nothing of ours starts once slurmctld ends, and no more jobs stand RUNNING
# without a process than on stock Slurm, which completes its round of starts first and
# loses the launches that it has not sent.
#
# FULL=1: 12 times, instead of four, and for each way of ending by itself. contrib/stopping
# runs it 13 times, and sums up; STOPPING_ROW=FILE: what it counted, for that.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

BURST=60 # jobs
ends=(restart takeover "give back" reconfigure)
backup=(--backup --set SlurmctldTimeout=8)
if ! unshare --uts true 2>/dev/null; then
	omit "takeover" "no right to a host name of its own (unshare --uts)"
	ends=(restart reconfigure) backup=()
fi
rounds=${#ends[@]}
[ -z "${FULL:-}" ] || rounds=$((3 * ${#ends[@]}))
gcc -shared -fPIC -Wall -Wextra -o "$WORK/slow.so" "$TREE/test/cluster/slowstart.c" -ldl ||
	exit 1
export COSCHED_SLOW=$WORK/slow
cat >"$WORK/marks" <<'SH'
#!/bin/sh
: >"$1/$SLURM_JOB_ID"
exec sleep 600
SH
chmod 755 "$WORK/marks"
marks=$WORK/ran

# slow CLUSTER...: one where starts are slow while there is $COSCHED_SLOW
slow() {
	LD_PRELOAD=$WORK/slow.so cluster "$@" --nodes 4 --sockets 2 --cores 16 \
		${backup[@]+"${backup[@]}"}
}
# the log of the slurmctld in control
log_now() {
	vc log ${by_backup:+backup}
}
starts() {
	grep -cE 'cosched: started|sched: Allocate|_start_job: Started' "$(log_now)"
}
more_starts_than() {
	[ "$(starts)" -gt "$1" ]
}
is_up() {
	scontrol ping | grep -q UP
}
dead() {
	! kill -0 "$pid"
}
# ended HOW: slurmctld ends so, and another is in control
ended() {
	case $1 in
	restart)	kill "$pid" && wait_for 30 dead && LD_PRELOAD=$WORK/slow.so vc start-ctld ;;
	reconfigure)	scontrol reconfigure || wait_for 30 is_up ;; # it may time out
	takeover)	scontrol takeover && by_backup=1 ;;
	"give back")	LD_PRELOAD=$WORK/slow.so vc start-ctld && by_backup='' ;;
	esac
}
# Jobs that are RUNNING, and whose script has not begun
without_process() {
	local j

	squeue -h -t R -o %A | while read -r j; do
		[ -e "$marks/$j" ] || echo "$j"
	done
}
# settled: the same jobs in 25 looks, one in 0.2 s
settled() {
	local now

	now=$(without_process) || return 1
	[ "$now" = "${was-none}" ] || looks=0
	was=$now
	[ -z "$now" ] || [ $((looks += 1)) -ge 25 ]
}
# but those whose launch has failed, which Slurm starts again some minutes later
all_run() {
	local waiting

	waiting=$(squeue -h -r -t PD -o %r) && ! grep -qv BeginTime <<<"${waiting:-BeginTime}"
}
# burst HOW: slurmctld ends in the midst of it; lost: so many jobs have no process then
burst() {
	local first a i

	rm -rf "$marks"
	mkdir -m 777 "$marks"
	first=$(starts)
	a=$(sbatch --parsable -H -o /dev/null -t 20 -n 1 --mem 1 --array "1-$BURST" \
		"$WORK/marks" "$marks" </dev/null)
	slow_us=40000
	[ "$1" != "give back" ] || slow_us=100000 # a slurmctld has to start until then
	echo "$slow_us" >"$COSCHED_SLOW"
	pid=$(ctld_pid)
	scontrol release "$a"
	for ((i = 0; i < 3000; i++)); do # not wait_for: the burst must not be over
		! more_starts_than "$((first + 4))" || break
		sleep 0.01
	done
	ended "$1" || bad "$1: slurmctld is there again" "$(tail "$(log_now)")"
	rm -f "$COSCHED_SLOW"
	wait_for 60 all_run || bad "$1: all jobs run" "$(squeue -r -t PD)"
	unset was
	looks=0
	wait_for 60 settled || bad "$1: jobs come to rest" "$(without_process)"
	lost=$(without_process | wc -l)
	clear_jobs
	# a backup of 22.05 that gives back a second time joins its first scheduler's thread
	[ "$1" != "give back" ] ||
		{ vc kill-backup && LD_PRELOAD=$WORK/slow.so vc start-backup; } ||
		bad "$1: the backup stands by again"
}
declare -A lost_of=() late_of=() # by cluster and way, and by cluster
slow --stock --name stock
slow --name act --more cosched_lock_ms=2000
by_backup=''
for ((r = 0; r < rounds; r++)); do
	how=${ends[r % ${#ends[@]}]}
	before=$by_backup
	for c in stock act; do
		use $c
		by_backup=$before
		burst "$how"
		lost_of[$c]=$((${lost_of[$c]:-0} + lost))
		lost_of[$c $how]=$((${lost_of[$c $how]:-0} + lost))
		printf '# %s, %s: %d of %d without a process\n' "$how" $c "$lost" $BURST
	done
done

use stock
read -r n_ends n < <(late_starts "$(vc log)" ${backup:+"$(vc log backup)"})
printf '# stock: %d ends, %d starts behind them\n' "$n_ends" "$n"
late_of[stock]=$n
use act
read -r n_ends n < <(late_starts "$(vc log)" ${backup:+"$(vc log backup)"})
late_of[act]=$n
ok "slurmctld was told to end, $n_ends times" test "$n_ends" -ge $((rounds / 2))
is "none of ours starts then" "$n" 0
# no_more_lost KEY TEXT
no_more_lost() {
	ok "no more jobs without a process, ${lost_of[act$1]}, than on stock Slurm, ${lost_of[stock$1]}$2" \
		test "${lost_of[act$1]}" -le "${lost_of[stock$1]}"
}
no_more_lost "" ""
for how in "${ends[@]}"; do # one burst of each in the short form: that is chance
	[ -z "${FULL:-}" ] || no_more_lost " $how" ": $how"
done
# shellcheck disable=SC2119
log_is_clean
[ -z "${STOPPING_ROW:-}" ] || {
	printf '{"late": [%d, %d], "ends": {' "${late_of[act]}" "${late_of[stock]}"
	for how in "${ends[@]}"; do
		printf '%s"%s": [%d, %d]' "${comma:-}" "$how" "${lost_of[act $how]}" \
			"${lost_of[stock $how]}"
		comma=', '
	done
	printf '}, "jobs": %d, "failed": %d}\n' "$BURST" "$FAILED"
} >"$STOPPING_ROW"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What accounting says of jobs that time slices stopped (slurmdbd, sacct): the time that
# they ran is Elapsed, that they stood still Suspended, as by the jobs' own clocks; also of
# two whose stop and resume slurmctld's records lost when it was killed.
#
# Needs slurmdbd and MariaDB.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=dbd.inc
. "$(dirname "$0")/dbd.inc"
# shellcheck source=slices.inc
. "$(dirname "$0")/slices.inc"

need_mariadb 2
cluster --nodes 2 --params "cosched_mode=act,$pect,cosched_slice_stop=all"
with_accounting $((port + 1)) "$port"

# more than a slice each: 9 s and 15 s where no short job waits
to_s=([medium]=14 [long]=20)
begin=$SECONDS
medium=$(counting medium --exclusive -w n1)
long=$(counting long --exclusive -w n1)
stopped() {
	[ "$(sacct -nPX -j "$1" -o State)" = SUSPENDED ]
}
ok "sacct says that a job is stopped" wait_for $((2 * cycle)) stopped "$long"
ok "both end" wait_for $((5 * cycle)) queue_empty
took=$((SECONDS - begin))

# Slurm counts whole seconds, at each stop.
accounted() { # JOB
	local state ran still stops

	IFS='|' read -r state ran still <<<"$(sacct -nPX -j "$1" -o State,ElapsedRaw,Suspended)"
	still=$(awk -F : '{ print ($1 * 60 + $2) * 60 + $3 }' <<<"$still")
	stops=$(grep '"ev":"suspend"' "$LOG" | grep -c "\"job\":$1[,}]")
	echo "$state: ran $ran s and stood still for $still s in $stops stops; counted $(counted "$1") ms"
	[ "$state" = COMPLETED ] && [ "$stops" -gt 0 ] && [ "$still" -ge $((stops * 5)) ] &&
		[ $((ran + still)) -le $((took + 1)) ] &&
		[ $((ran * 1000)) -ge $(($(counted "$1") - (stops + 1) * 1000)) ] &&
		[ $((ran * 1000)) -le $(($(counted "$1") + (stops + 2) * 1000)) ]
}
ended_in_sacct() {
	[ "$(sacct -nPX -j "$1" -o State)" = COMPLETED ]
}
for job in "$medium" "$long"; do
	wait_for 10 ended_in_sacct "$job"
	ok "job $job: sacct has the time that it ran, and apart that it stood still" accounted "$job"
done

# --- slurmctld is killed, and its records have neither a stop nor a resume that slurmdbd has

fresh
to_s=([medium]=20 [long]=40)
begin=$SECONDS
medium=$(counting medium --exclusive -w n1)
long=$(counting long --exclusive -w n1)
in_turn() { # RUNNING-JOB STOPPED-JOB
	is_state "$1" RUNNING && is_state "$2" SUSPENDED
}
ok "the medium job is stopped for the long one" wait_for $((3 * cycle)) in_turn "$long" "$medium"
sleep 8 # records are saved within six seconds
cp "$COSCHED_VCLUSTER/state/job_state" "$WORK/job_state"
ok "... and the long one for the medium one" wait_for "$cycle" in_turn "$medium" "$long"
vc kill-ctld
cp "$WORK/job_state" "$COSCHED_VCLUSTER/state/job_state"
vc start-ctld && vc wait-up >/dev/null
is "slurmctld is killed, and its records have it as before" "$(state "$long") $(state "$medium")" "RUNNING SUSPENDED"
ok "both end" wait_for $((6 * cycle)) queue_empty
took=$((SECONDS - begin))
# What ran while slurmctld was away, or until it had told slurmdbd, is counted one way or the
# other.
about_accounted() { # JOB
	local state ran still

	IFS='|' read -r state ran still <<<"$(sacct -nPX -j "$1" -o State,ElapsedRaw,Suspended)"
	echo "$state: ran $ran s and stood still for $still; counted $(counted "$1") ms of $took s"
	[[ $still != *-* ]] || return 1
	still=$(awk -F : '{ print ($1 * 60 + $2) * 60 + $3 }' <<<"$still")
	[ "$state" = COMPLETED ] && [ "$still" -ge 5 ] && [ $((ran + still)) -le $((took + 1)) ] &&
		[ $((ran * 1000)) -ge $(($(counted "$1") - 6000)) ] &&
		[ $((ran * 1000)) -le $(($(counted "$1") + 6000)) ]
}
for job in "$medium" "$long"; do
	wait_for 10 ended_in_sacct "$job"
	ok "job $job: sacct has what it ran and stood still, within seconds" about_accounted "$job"
	about_accounted "$job" | sed 's/^/# /'
done
log_is_clean
same "the log"

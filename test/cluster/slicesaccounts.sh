#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What accounting says of jobs that time slices stopped (slurmdbd, sacct): the time that
# they ran is Elapsed, that they stood still Suspended, as by the jobs' own clocks.
#
# Needs slurmdbd and MariaDB.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=dbd.inc
. "$(dirname "$0")/dbd.inc"
# shellcheck source=slices.inc
. "$(dirname "$0")/slices.inc"

if ! have_dbd; then
	skip "mariadbd or slurmdbd is not installed here"
fi
accounts() {
	wait_for 10 sacctmgr -n show tres || return 1
	{
		echo "add cluster vcluster"
		echo "add account free cluster=vcluster"
		echo "add user root account=free cluster=vcluster"
		echo "modify user root set defaultaccount=free"
	} | sacctmgr -i
}
port=$(free_ports 2)
start_mariadb "$port" || {
	bad "MariaDB starts" "$(tail -n 20 "$WORK"/db/*log)"
	exit 1
}
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
log_is_clean
same "the log"

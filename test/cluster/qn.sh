#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which nodes and cores jobs get by choice of the site, beside stock Slurm in the same
# run: powered down nodes last, those that are to reboot later, those outside a FLEX
# reservation later, those of a higher weight later; the least loaded nodes (CR_LLN,
# LLN=YES), serial jobs at the end (pack_serial_at_end); cores by --distribution, --hint,
# on nodes with specialized cores, too, and, with FULL=1, CR_CORE_DEFAULT_DIST_BLOCK.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

site="bf_interval=1,sched_interval=2"
declare -A SEEN=()
# pair NAME FUNCTION "MORE KEYS" [vcluster option]...: run FUNCTION in stock and in act,
# in clusters of their own; what it notes in $seen must be the same
pair() {
	local name=$1 what=$2 keys=$site${3:+,$3} c

	for c in stock act; do
		if [ $c = stock ]; then
			cluster --stock --name "$c-$name" --params "$keys" "${@:4}"
		else
			cluster --name "$c-$name" --more "$keys" "${@:4}"
		fi
		seen=
		"$what"
		SEEN[$c]=$seen
		clear_jobs
		cluster_down
	done
	isnt "$name: stock starts the jobs" "${SEEN[stock]}" ""
	is "$name: the same nodes and cores" "${SEEN[act]}" "${SEEN[stock]}"
}
# place OPTION...: submit, wait for the start, note where
place() {
	local j

	j=$(job "$@")
	wait_for 40 has_nodes "$j"
	seen+="$* $(nodes_of "$j"); "
}
has_nodes() {
	[ -n "$(nodes_of "$1")" ]
}
# the same with its cores; the job is ended
place_cores() {
	local j

	j=$(job "$@")
	wait_for 40 is_state "$j" RUNNING
	seen+="$* $(cores "$j"); "
	scancel "$j"
	wait_for 30 gone "$j"
	sleep 1.5 # its nodes complete
}

# --- powered down nodes: the site's programs do nothing but say so
printf '#!/bin/bash\nexit 0\n' >"$WORK/power"
chmod 755 "$WORK/power"
powered_down() {
	scontrol update nodename=n1,n2 state=power_down
	wait_for 60 asleep || bad "two nodes are powered down" "$(sinfo -N)"
	place -n1
	place -n1
	place -n5
	seen+="asleep: $(sinfo -h -N -o '%N %t' | awk '/~/ { printf "%s ", $1 }')"
	place -n4 # what is left, and of one that is asleep
	place -n5
}
asleep_weighed() {
	scontrol update nodename=n1,n2,n3 state=power_down
	wait_for 60 asleep n3 || bad "three nodes are powered down" "$(sinfo -N)"
	place -N1 -n1 # awake
	place -N1 -n4
	place -N1 -n4
	place -N1 -n4
}
asleep() {
	[ "$(sinfo -h -N -n "n1,n2${1:+,$1}" -o %t | sort -u)" = "idle~" ]
}
power=(--set "SuspendProgram=$WORK/power" --set "ResumeProgram=$WORK/power"
	--set SuspendTime=3600 --set SuspendTimeout=3 --set ResumeTimeout=300)
# one beside which a job does not suit is used before one that sleeps
suits_none() {
	scontrol update nodename=n1,n2 state=power_down
	wait_for 60 asleep || bad "two nodes are powered down" "$(sinfo -N)"
	place --comment=cosched:profile=cg -N2 --ntasks-per-node=2
	place --comment=cosched:profile=mem -N1 -n1
	place --comment=cosched:profile=mem -N1 -n1
}
SHARED=${SHARED/cosched_policy=cst/cosched_policy=adaptive} pair powersave-suits suits_none "" \
	--nodes 4 "${power[@]}"

# --- a node that is to reboot when its job is over: the wide job is planned on it, and
# all inside are powered down
flexible_asleep() {
	scontrol create reservation reservationname=fx users=root nodes=n1,n2 flags=FLEX \
		starttime=now duration=60 >/dev/null
	scontrol update nodename=n1,n2 state=power_down
	wait_for 60 asleep || bad "two nodes are powered down" "$(sinfo -N)"
	sleep 1.5
	place -N1 -n3 --reservation=fx
	place -N1 -n3 --reservation=fx
	place -N1 -n3 --reservation=fx
	clear_jobs
	scontrol delete reservationname=fx
}
pair flex-asleep flexible_asleep "" --nodes 4 "${power[@]}"

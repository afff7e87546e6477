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
pair powersave powered_down "" --nodes 4 "${power[@]}"
pair powersave-weights asleep_weighed "" --nodes 4 "${power[@]}" --node 'n1 Weight=30' \
	--node 'n2 Weight=20' --node 'n4 Weight=40'

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
# what comes behind that one waits
to_reboot() {
	local wide behind=() wanted

	place -N1 -n2 -w n1
	scontrol reboot nextstate=RESUME n1
	wait_for 10 rebooting || bad "a node is to reboot" "$(sinfo -N)"
	place -n1
	wide=$(job -N4 --exclusive)
	wait_for 20 is_planned
	for wanted in "-N1 -n2 -w n2" -n1 -n2; do
		# shellcheck disable=SC2086
		behind+=("$(job $wanted)")
	done
	wait_for 20 waits_for Priority "${behind[2]}"
	sleep 3
	seen+="$(state "$wide"); "
	for wanted in "${behind[@]}"; do
		seen+="behind it $(state "$wanted"); "
	done
	seen+="planned: $(sinfo -h -N -o '%N %t' | awk '/plnd/ { printf "%s ", $1 }')"
}
rebooting() {
	sinfo -h -N -n n1 -o %t | grep -q '@'
}
is_planned() {
	sinfo -h -N -o %t | grep -q plnd
}
waits_for() {
	[ "$(reason "$2")" = "$1" ]
}
pair reboot to_reboot "" --nodes 4 --set "RebootProgram=$WORK/power" --set ResumeTimeout=300

# --- a FLEX reservation
flexible() {
	scontrol create reservation reservationname=fx users=root nodes=n3,n4 flags=FLEX \
		starttime=now duration=60 >/dev/null
	sleep 1.5
	place -N1 -n4 --reservation=fx
	place -n2 --reservation=fx
	place -n2 --reservation=fx
	place -N1 -n3 --reservation=fx
	place -n1
	clear_jobs
	place -N1 -n1 -w n3 --reservation=fx
	place -n9 --reservation=fx
	scontrol show reservation fx >/dev/null && clear_jobs
	scontrol delete reservationname=fx
}
pair flex flexible "" --nodes 4
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

# --- weights: all nodes of a weight before any of a higher one; if the number of nodes is
# bounded, as far as the last one can hold the rest
weighed() {
	local wanted n

	for n in n1 n2 n4; do
		SLEEP=600 place -n1 -w $n
	done
	for wanted in "${weighed[@]}"; do
		# shellcheck disable=SC2086
		place_cores $wanted
	done
}
weighed=(-n9 -n10 -n4 "-n4 -c2" "-N2 -n7" "-N3 -n11" "-N2-3 -n9" "--exclusive -n8")
[ -z "${FULL:-}" ] ||
	weighed+=(-n8 -n14 "-n3 -c3" "-N2 -n6" "-N1-2 -n8" "-N1-4 -n12" "-n8 --ntasks-per-node=2")
pair weights weighed "" --nodes 5 --node 'n[3,5] Weight=10'
[ -z "${FULL:-}" ] || pair weights-sizes weighed "" --nodes 5 --node 'n[2-3] Weight=10' \
	--node 'n1 CoresPerSocket=4' --node 'n5 CoresPerSocket=4 Weight=20'

# --- least loaded nodes, and the last ones
spread() {
	place -n1
	place -n1
	place -n2
	place -n1
	place -N2 -n2
	place -n3
	place -n1 -c2
}
pair lln spread "" --nodes 4 --select-params CR_Core_Memory,CR_LLN --memory 4000
echo 'PartitionName=wide Nodes=ALL LLN=YES' >"$WORK/wide"
spread_in() {
	local wanted

	for wanted in "-p wide" "-p wide" "-p wide" "" "-p wide" ""; do
		# shellcheck disable=SC2086
		place -n1 $wanted
	done
}
pair lln-partition spread_in "" --nodes 4 --conf "$WORK/wide"
serial() {
	place -n1
	place -n1
	place -n2
	place -n1 -c2
	place -N1 -n1
	place -n1
}
pair serial serial pack_serial_at_end --nodes 4

# --- cores of a node of four sockets
distribution() {
	place_cores -N1 -n4
	place_cores -N1 -n4 --hint=memory_bound
	place_cores -N1 -n4 -m block:cyclic
	place_cores -N1 -n4 -m block:block
	place_cores -N1 -n6 -m cyclic:fcyclic
	place_cores -N1 -n2 -c2
	place_cores -N1 -n2 -c3
	place_cores -n5
	place_cores -N2 -n10 -m plane=5
	place_cores -N1 -n1 -c3
	place_cores -N1 --ntasks-per-node=4
	place_cores -N1 --ntasks-per-node=4 -m block:block
	# beside others
	place -N1 -n3 -w n1
	place_cores -N1 -n4 -w n1
	place_cores -N1 -n3 -w n1 -m block:block
	place_cores -N1 -n2 -c2 -w n1
	place_cores -N1 -n1 -c3 -w n1
	place_cores -N1 -n1 -c2 -w n1 -m block:block
	place_cores -N1 --ntasks-per-node=3 -w n1
}
shape=(--nodes 2 --sockets 4 --cores 2 --memory 4000)
pair cores distribution "" "${shape[@]}"
[ -z "${FULL:-}" ] || pair cores-block distribution "" "${shape[@]}" \
	--select-params CR_Core,CR_CORE_DEFAULT_DIST_BLOCK

# --- specialized cores: sockets then differ, by CoreSpecCount and by CPUSpecList
spec_cores() {
	place_cores -N1 -n3 -w n1
	place_cores -N1 -n4 -w n2
	place_cores -N1 -n2 -w n1 -m block:block
	place_cores -N1 -n3 -w n2 -m block:block
	place -N1 -n2 -w n2
	place_cores -N1 -n3 -w n2
	place_cores -N1 -n1 -c3 -w n1
}
pair cores-specialized spec_cores "" --nodes 2 --sockets 2 --cores 4 --memory 4000 \
	--node 'n1 CoreSpecCount=1' --node 'n2 CPUSpecList=0,1,4'

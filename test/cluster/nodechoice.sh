#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which nodes jobs get by choice of the site, beside stock Slurm in the same run: those that
# are to reboot later, those outside a FLEX reservation later, those of a higher weight
# later; the least loaded nodes (CR_LLN, LLN=YES), serial jobs at the end
# (pack_serial_at_end). Powered down nodes: sleeping.sh; cores: sockets.sh.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=nodechoice.inc
. "$(dirname "$0")/nodechoice.inc"

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

# --- least loaded nodes, and the last ones. From 26.05.0 on stock has a path of its own for
# jobs of at most one node, which looks at the nodes' weights alone.
spread() {
	place -n1
	place -n1
	place -n2
	place -n1
	place -N2 -n2
	place -n3
	place -n1 -c2
}
rule="-n1 n1; -n1 n2; -n2 n3; -n1 n4; -N2 -n2 n1 n2; -n3 n4; -n1 -c2 n1; " \
	pair lln spread "" --nodes 4 --select-params CR_Core_Memory,CR_LLN --memory 4000
echo 'PartitionName=wide Nodes=ALL LLN=YES' >"$WORK/wide"
spread_in() {
	local wanted

	for wanted in "-p wide" "-p wide" "-p wide" "" "-p wide" ""; do
		# shellcheck disable=SC2086
		place -n1 $wanted
	done
}
rule="-n1 -p wide n1; -n1 -p wide n2; -n1 -p wide n3; -n1 n1; -n1 -p wide n4; -n1 n1; " \
	pair lln-partition spread_in "" --nodes 4 --conf "$WORK/wide"
serial() {
	place -n1
	place -n1
	place -n2
	place -n1 -c2
	place -N1 -n1
	place -n1
}
rule="-n1 n4; -n1 n4; -n2 n4; -n1 -c2 n1; -N1 -n1 n3; -n1 n3; " \
	pair serial serial pack_serial_at_end --nodes 4

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Powered down nodes are used last, beside stock Slurm in the same run: by their weights, by
# their place in a FLEX reservation, and rather than one beside whose jobs a job does not
# suit.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=nodechoice.inc
. "$(dirname "$0")/nodechoice.inc"

powered_down() {
	scontrol update nodename=n1,n2 state=power_down
	wait_for 60 asleep || bad "two nodes are powered down" "$(sinfo -N)"
	! ours || ok "the metric has the cores of both" wait_for 5 powered_down_cores 8
	place -n1
	place -n1
	place -n5
	seen+="asleep: $(sinfo -h -N -o '%N %t' | awk '/~/ { printf "%s ", $1 }')"
	place -n4 # what is left, and of one that is asleep
	place -n5
}
powered_down_cores() {
	[ "$("$COSCHED" exporter --once 2>/dev/null | sed -n 's/^cosched_cores_powered_down //p')" = "$1" ]
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

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job of several partitions: what Slurm makes of its wishes for one of them (CPUs by
# MaxMemPerCPU) is no wish in the others.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$WORK/partitions" <<END
PartitionName=own Nodes=ALL OverSubscribe=EXCLUSIVE MaxTime=30
PartitionName=thin Nodes=ALL MaxCPUsPerNode=2 MaxTime=30 DefMemPerCPU=100 MaxMemPerCPU=400
END
cluster --nodes 4 --memory 2000 --params "cosched_mode=act,cosched_log=$LOG" \
	--select-params CR_Core_Memory --conf "$WORK/partitions"

a=$(SLEEP=8 job -p own -N4 -n4)
ok "all nodes are taken" wait_for 10 running "$a"
b=$(job -n6 -p own,thin --mem-per-cpu=0)
least() {
	[ "$(field "$b" MinCPUsNode)" = 5 ]
}
made="Slurm has made of it what the second partition wants"
if wait_for 6 least; then good "$made"; else omit "$made" "this release does not"; fi
ok "it starts in the first when these are free" wait_for 30 running "$b"
is "on whole nodes" "$(field "$b" NumNodes) $(field "$b" NumCPUs)" "2 8"
clear_jobs
log_is_clean

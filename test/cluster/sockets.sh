#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which cores of a node jobs get by --distribution and --hint, beside stock Slurm in the same
# run: on nodes of four sockets, with hardware threads, with specialized cores, beside other
# jobs; with FULL=1 by CR_CORE_DEFAULT_DIST_BLOCK, too.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=nodechoice.inc
. "$(dirname "$0")/nodechoice.inc"

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
pair spec-cores spec_cores "" --nodes 2 --sockets 2 --cores 4 --memory 4000 \
	--node 'n1 CoreSpecCount=1' --node 'n2 CPUSpecList=0,1,4'
spec_threads() {
	place_cores -N1 -n3 -w n1
	place_cores -N1 -n5 -w n2
	place_cores -N1 -n2 -c2 -w n1
	place_cores -N1 -n3 -w n2 --hint=nomultithread
	place_cores -N1 -n4 -w n2 -m block:block
}
pair spec-threads spec_threads "" --nodes 2 --sockets 2 --cores 4 --threads 2 \
	--memory 4000 --node 'n1 CoreSpecCount=1' --node 'n2 CPUSpecList=0,2,8'

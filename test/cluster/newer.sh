#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What Slurm has had since 25.05 and 26.05, beside stock: a topology.yaml, whose
# TopologyPlugin is topology/flat, partitions with a topology of their own, alternative
# licences, and jobs into whose records Slurm writes a maximum of nodes.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

slurmctld -V | grep -qE ' (25|26|2[7-9]|[3-9][0-9])\.' ||
	skip "this release has no topology.yaml"

cat >"$WORK/topology.yaml" <<'YAML'
---
- topology: switches
  cluster_default: true
  tree:
    switches:
      - switch: s1
        nodes: n[1-2]
      - switch: s2
        nodes: n[3-4]
      - switch: top
        children: s[1-2]
- topology: plain
  cluster_default: false
  flat: true
YAML
cat >"$WORK/partitions" <<'CONF'
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=own Nodes=ALL MaxTime=INFINITE State=UP Topology=plain
CONF
shape=(--nodes 4 --select-params CR_Core --file "$WORK/topology.yaml"
	--set PartitionName= --conf "$WORK/partitions" --set 'Licenses=a:1,b:1')
cluster --stock --name stock "${shape[@]}"
cluster --name act "${shape[@]}"

# It may pack: both end on the same nodes.
for NOW in stock act; do
	use "$NOW"
	is "$NOW: Slurm says of topology.yaml" \
		"$(scontrol show config | sed -n 's/^TopologyPlugin *= //p')" topology/flat

	a=$(job -w n2 -n4)
	ok "$NOW: a job has a node of the first switch" running "$a"
	b=$(job -N2 -n8)
	ok "$NOW: a job of two nodes runs" running "$b"
	is "$NOW: below one switch" "$(nodes_of "$b")" "n3 n4"
	clear_jobs

	a=$(job -p own -w n2 -n4)
	ok "$NOW: a job in a partition with its own topology" running "$a"
	b=$(job -p own -N3 -n12)
	ok "$NOW: one of three nodes there" running "$b"
	clear_jobs

	a=$(job -n1 -L a:1)
	b=$(job -n1 -L 'a:1|b:1')
	ok "$NOW: a licence, and either of two" running "$a" "$b"
	c=$(job -n1 -L 'a:1|b:1')
	d=$(job -n1)
	ok "$NOW: a job without licences passes one that lacks both" running "$d"
	ok "$NOW: which waits" keeps_waiting "$c"
	scancel "$a"
	ok "$NOW: until one is free" running "$c"
	clear_jobs

	a=$(job -n6)
	ok "$NOW: tasks without a number of nodes" running "$a"
	if [ "$NOW" != stock ]; then
		line=$(grep "\"ev\":\"submit\",\"job\":$a," "$LOG")
		isnt "act: the log has the job" "$line" ''
		unlike "act: it is the engine's" "$line" '"host"'
	fi
	clear_jobs
done
log_is_clean act

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tools around Slurm find under mode act what they find under stock: the same queue on two
# clusters, and five parsers written from what public tools expect (tools.py). Reasons
# are Slurm's words, nodes of planned starts are PLANNED, metrics count as squeue -r does,
# and what else there is to say of a job stands in cosched explain.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "its comparison with stock is in the test"
command -v python3 >/dev/null || skip "no python3"

cat >"$WORK/partitions" <<'CONF'
PartitionName=short Nodes=n[1-2] MaxTime=60 State=UP
PartitionName=dyn State=UP
CONF
site=bf_interval=1,bf_resolution=1,sched_interval=2,batch_sched_delay=1
shape=(--nodes 5 --conf "$WORK/partitions" --set Licenses=lic:1
	--set PriorityType=priority/multifactor --set PriorityWeightAge=1000)
cluster --stock --name stock "${shape[@]}" --params "$site"
cluster --name act "${shape[@]}" --params "cosched_mode=act,cosched_policy=adaptive,$site"

# --- a queue of every kind

# wait_job NAME OPTION...: too long to pass the first
wait_job() {
	local name=$1

	shift
	LIMIT=60 job -J "$name" "$@" >/dev/null
}
queue() {
	local first

	scontrol update nodename=n5 state=drain reason="bad fan"
	first=$(LIMIT=30 SLEEP=900 job -J runs -w 'n[1-2]' -N2 -n8 -L lic:1)
	running "$first"
	wait_job head -x n5 -N4 --exclusive
	for i in 1 2 3; do wait_job "behind$i" -n$((i * 4)); done
	wait_job array --array=1-50 -n1 --exclusive
	wait_job some --array=1-50%3 -n1 --exclusive
	wait_job held -H --array=1-50 -n1
	wait_job after -d "afterok:$first" --array=1-50 -n1
	wait_job later --begin=now+1hour -n1
	wait_job lacks -n1 -L lic:1
	wait_job away -w n5 -n1
	wait_job short -p short -n4
	sbatch --parsable -o /dev/null -t 60 -J het -N1 -n4 : -N1 -n4 : -N1 -n4 --wrap "sleep 60" >/dev/null
}
tool() {
	python3 "$TREE/test/cluster/tools.py" "$1"
}
for c in stock act; do
	use "$c"
	queue
done
planned() {
	sinfo -h -N -o %T | grep -q '^planned'
}
for c in stock act; do
	use "$c"
	ok "$c: idle nodes of the first job are planned" wait_for 15 planned
done
both() { # both TOOL: does it read the same of both?
	use stock
	tool "$1" >"$WORK/$1.stock" || return 1
	use act
	tool "$1" >"$WORK/$1.act" && diff "$WORK/$1.stock" "$WORK/$1.act"
}
for t in autoscaler exporter portal mail timeline; do
	use stock
	ok "stock: the $t reads all" tool "$t"
	use act
	ok "act: the $t reads all" tool "$t"
	if wait_for 15 both "$t"; then
		good "the $t finds the same under both, in $(wc -l <"$WORK/$t.act") lines"
	else
		bad "the $t finds the same under both" "$(both "$t")"
	fi
done

# --- metrics, as squeue -r

use act
lines() { # of squeue -r
	squeue -r -h -t PD -o %A | wc -l
}
metric() { # metric NAME
	"$COSCHED" exporter --once 2>/dev/null | sed -n "s/^$1 //p"
}
sum() { # sum REGEX: of rows of the queue
	"$COSCHED" exporter --once 2>/dev/null | grep '^cosched_queue_jobs{' | grep -E "$1" |
		awk '{ n += $NF } END { print n + 0 }'
}
waiting_is() {
	[ "$(metric cosched_jobs_waiting)" = "$(lines)" ]
}
ok "cosched_jobs_waiting is squeue -r's lines ($(lines))" wait_for 10 waiting_is
is "the rows of the queue add up to it" "$(sum .)" "$(lines)"
is "a part of it is blocked: held, dependent, not begun, of a drained node" \
	"$([ "$(metric cosched_jobs_blocked)" -ge 101 ] &&
		[ "$(metric cosched_jobs_blocked)" -lt "$(lines)" ] && echo yes)" yes
for r in JobHeldUser Dependency BeginTime Priority; do
	same_count() {
		[ "$(sum "partition=\"main\",user=\"$(id -un)\",reason=\"$r\"")" = \
			"$(squeue -r -h -t PD -p main -u "$(id -un)" -o %r | grep -cx "$r")" ]
	}
	ok "... by reason $r" wait_for 5 same_count
done
like "cosched status says the same" "$("$COSCHED" status)" "$(lines) wait: "
is "no node is powered down" "$(metric cosched_cores_powered_down)" 0

# --- what explain says

explain() {
	"$COSCHED" explain "$1" 2>&1
}
explains() { # explains JOB REGEX
	grep -qE -- "$2" <<<"$(explain "$1")"
}
named() {
	squeue -h -n "$1" -o %A | head -n 1
}
ok "which node of -w is drained" wait_for 5 explains "$(named away)" 'asks \(-w\) for nodes that take no job: n5 \(drained: bad fan\)'
id=$(job -x n5 -N4 --exclusive --deadline=now+25minutes)
ok "the deadline that cancels it, before its planned start" wait_for 5 explains "$id" \
	"its deadline is 20[-0-9T:]+: Slurm cancels it if it has not started by 20[-0-9T:]+, which is before its planned start"
scancel "$id"
id=$(sbatch --parsable -o /dev/null -t 5 -n4 --exclusive --deadline=now+50minutes : -t 9 -n4 \
	--exclusive --deadline=now+20minutes -w n5 --wrap 'sleep 60')
ok "of a heterogeneous job which node of any component" wait_for 5 explains "$id" \
	'asks \(-w\) for nodes that take no job: n5 \(drained: bad fan\)'
like "and the component that has to start first" "$(explain "$id" | sed -n 's/.*its deadline is //p')" \
	"^$(date -d "$(field "$((id + 1))" Deadline)" +%FT%T): .* started by $(date -d "$(field "$((id + 1))" Deadline) 9 minutes ago" +%FT%T)"
scancel "$id"
id=$(sbatch --parsable -o /dev/null -n1 --exclusive --wrap 'sleep 60')
ok "that there is no time limit, and what that costs" wait_for 5 explains "$id" \
	'it has no time limit, nor has its partition: it counts as a year'
scancel "$id"
if id=$(job -p dyn -n1 2>/dev/null) && [ -n "$id" ]; then
	ok "a partition of dynamic nodes has none yet" wait_for 5 explains "$id" 'its partition has no nodes yet'
	unlike "... it is not said that the job can never run" "$(explain "$id")" 'can never run|no set of nodes'
	unlike "... nor in the log" "$(cat "$CTLD_LOG")" "job $id waits: no set of nodes"
	scancel "$id"
else
	omit "a partition of dynamic nodes" "this release accepts no job there"
fi
clear_jobs
log_of_act=$(cat "$CTLD_LOG")
unlike "slurmctld's log has no crash, no fallback" "$log_of_act" \
	'[Ss]egmentation|core dumped|cosched: (watchdog:|engine and Slurm differ|the gate had lapsed)'

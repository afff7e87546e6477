#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Heterogeneous jobs beside stock Slurm in the same run: each that stock starts on an
# idle cluster starts as soon, and a queue of them and of plain jobs ends no later. Those
# with TimeMin get more than that, and all their orders do not take one hold of the locks.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Schedulers that look once a second; stock's looks of backfill are 30 s apart.
site=bf_interval=1,batch_sched_delay=1
cat >"$WORK/partitions" <<'CONF'
PartitionName=left Nodes=n[1-3] State=UP
PartitionName=right Nodes=n[3-6] State=UP
PartitionName=one Nodes=n2 State=UP
PartitionName=whole Nodes=n[4-6] State=UP OverSubscribe=EXCLUSIVE
CONF
for i in {1..8}; do
	echo "PartitionName=four$i Nodes=n[1-4] State=UP"
done >>"$WORK/partitions"
four=$(printf '%s,' four{1..8})
shape=(--nodes 6 --cores 2 --conf "$WORK/partitions")
requeues() { # a requeued job of cluster $1 waits until its old credential is void
	printf 'AuthInfo=socket=%s/munge/socket,cred_expire=5' "$WORK/$1"
}
cluster --stock --name stock "${shape[@]}" --set "$(requeues stock)" --params "$site"
cluster --name act "${shape[@]}" --set "$(requeues act)" \
	--params "$site,cosched_mode=act,cosched_policy=adaptive,cosched_log=$LOG"

# how many components of job $1 run
run_of() {
	squeue -h -t R -j "$1" -o %i 2>/dev/null | wc -l
}
all_run() { # JOB COMPONENTS
	[ "$(run_of "$1")" = "$2" ]
}

# starts COMPONENTS OPTIONS...: on the idle cluster, under stock and under act
starts() {
	local n=$1 id
	shift

	use stock
	id=$(job "$@")
	ok "$*: stock starts it" wait_for 8 all_run "$id" "$n"
	clear_jobs
	use act
	id=$(job "$@")
	ok "$*: and so does act" wait_for 5 all_run "$id" "$n"
	is "$*: no core is held twice" "$(holdings | held_twice)" ""
	clear_jobs
}

starts 2 -n2 : -n3 -w n1,n2
starts 2 -w n1,n3 : -n2 -w n2
starts 3 -N3 : -w n1 : -N2
starts 2 -p one -n2 : -p left,right -n14
starts 2 -p left -N1 : -p one -n4
starts 2 -p one -n2 -c2 : -p right -n16
starts 2 -p whole -N1 : -p right -N3 -n12

# Components leave nodes alone that are promised to another, where there are others:
# the first job waits for all of left, Slurm by itself would take n2 and n3.
use act
before=$(LIMIT=1 SLEEP=9 job -w n1 -n4)
wait_for 5 running "$before"
first=$(job -p left -N3 --exclusive)
sleep 1.5
het=$(job -n1 : -n1)
ok "components start beside a promise" wait_for 5 all_run "$het" 2
is "and take none of its nodes" "$(squeue -h -j "$het" -o %N | sort -u | paste -sd' ')" "n4 n5"
ok "what was promised them gets them" wait_for 15 all_run "$first" 1
clear_jobs

# Its component may use a half of a node though the leader takes whole ones.
half=$(job -n2 -w n3)
wait_for 5 running "$half"
het=$(job -p right -N3 --exclusive : -p left -n8)
ok "a component goes beside others where its leader would not" wait_for 5 all_run "$het" 2
clear_jobs

# A node fails: Slurm requeues the leader alone, which starts again beside the rest.
alone() {
	is_state "$het" PENDING && [ "$(run_of "$het")" = 1 ]
}
for c in stock act; do
	use "$c"
	het=$(SLEEP=30 job --requeue -N1 --exclusive : -n1)
	wait_for 8 all_run "$het" 2 || bad "$c: it starts" "$(squeue)"
	node=$(field "$het" NodeList)
	vc kill-node "$node"
	scontrol update nodename="$node" state=down reason=test
	ok "$c: the leader waits again, the other component runs on" wait_for 5 alone
	ok "$c: it starts again beside it" wait_for 40 all_run "$het" 2
	is "$c: which has no reason to wait" "$(field $((het + 1)) Reason)" None
	clear_jobs
	vc start-node "$node"
	scontrol update nodename="$node" state=resume 2>/dev/null # may be back by itself
done

# limits JOB: of its components
limits() {
	squeue -h -j "$1" -o %l | sort | paste -sd' '
}
# get LIMITS OPTIONS...: on the idle cluster
get() {
	local limits=$1 id
	shift

	id=$(job "$@")
	wait_for 8 all_run "$id" 2
	like "$*: limits" "$(limits "$id")" "^$limits\$"
	clear_jobs
}
use stock # leaves them at what they have to have
LIMIT=8:00:00 get "10:00 10:00" --time-min=10 -n1 : -n1
# that of the other component, or its own: 26.05 gives each what is left to it
LIMIT=8:00:00 get "(10|20):00 (20:00|8:00:00)" --time-min=10 -n1 : -t 8:00:00 --time-min=20 -n1
use act
LIMIT=8:00:00 get "8:00:00 8:00:00" --time-min=10 -n1 : -n1
LIMIT=8:00:00 get "5:00:00 8:00:00" --time-min=10 -n1 : -t 5:00:00 --time-min=20 -n1
before=$(LIMIT=20 job -w n1 -n4)
wait_for 5 running "$before"
job -N6 --exclusive >/dev/null
sleep 1.5
het=$(LIMIT=8:00:00 job --time-min=10 -n1 : -n1)
wait_for 5 all_run "$het" 2
like "a component is not given what another is promised" "$(limits "$het")" \
	'^(1[89]|20):00 (1[89]|20):00$'
clear_jobs

# refusals JOB CLASS: so many in the event log
refusals() {
	grep -c "\"ev\":\"refuse\",\"job\":$1,.*\"class\":\"$2\"" "$LOG"
}
# One node for two of three: each is tried first, once, and in the forecast.
tests() { # of them found room
	grep -c "cr_dist/fini JobId=$1+" "$CTLD_LOG"
}
scontrol setdebugflags +SelectType
het=$(job -p one -n1 : -p one -n1 : -p left -n1)
wait_for 8 refusals "$het" place
is "no order is tried twice" "$(tests "$het")" 3
scontrol setdebugflags -SelectType
clear_jobs

# makespan: 60 at most (stock may stand still behind components that wait for others);
# of a mixed queue, from the first submit to the end of the last job, in s
makespan() {
	local from=$SECONDS i
	local kinds=("-n3 : -n5" "-p left -n4 : -p right -n6" "-p one -n2 : -n4 -w n1,n3"
		"-p right -N2 --exclusive : -p left -n2" "-n8 : -p one -n1 : -p right -n3")

	for ((i = 0; i < 10; i++)); do
		# shellcheck disable=SC2086 # words
		LIMIT=1 SLEEP=2 job ${kinds[i % 5]} >/dev/null
		LIMIT=1 SLEEP=$((1 + i % 3)) job -n $((1 + i * 5 % 9)) >/dev/null
	done
	wait_for 60 queue_empty
	echo $((SECONDS - from))
}
as_soon() {
	[ "$act" -lt 60 ] && [ "$act" -le $((stock + stock / 4 + 1)) ]
}
use stock
stock=$(makespan)
clear_jobs
use act
act=$(makespan)
ok "a queue of 10 heterogeneous and 10 plain jobs ends as soon: $act s, stock's $stock" \
	as_soon

# An order takes longer than the locks may be held (much is written to the log): the
# next one has a hold of its own.
set_params "$site,cosched_mode=act,cosched_policy=adaptive,cosched_log=$LOG,cosched_lock_ms=1"
wait_for 10 in_act || bad "mode act is on again" "$(tail "$CTLD_LOG")"
scontrol setdebugflags +SelectType
scontrol setdebug debug3
het=$(job -p right -N1 : -p right -N1 : -p "${four%,}" -n16)
ok "the order that fits is tried in another hold" wait_for 8 all_run "$het" 3
# in_holds TEXT PATTERN: what a job was refused until then (groups, places); a machine
# may be faster than the lock
in_holds() {
	local got

	got="$(refusals "$het" group) $(refusals "$het" place)"
	if [[ $got == 0\ * ]]; then
		omit "$1" "an order takes less than 1 ms here"
	else
		like "$1" "$got" "$2"
	fi
}
in_holds "(behind one that did not)" '^1 0$'
clear_jobs
ones=$(printf -- '-p left -n1 : %.0s' {1..12}) # an order takes long enough, wherever it fails
# shellcheck disable=SC2086 # words
het=$(job $ones -p "${four%,}" -n8)
wait_for 8 refusals "$het" place
# three in a round at most; a slow machine is in the next one when this is read
in_holds "so are all where none fits, and the forecast" '^([1-3] 1|[4-6] [12])$'
is "and the job is refused once" "$(refusals "$het" place)" 1
clear_jobs

log_is_clean act
same "the decisions are made again"

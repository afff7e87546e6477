#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What stock Slurm starts on an idle cluster, mode act starts as soon. Random sbatch
# requests and those of requests.list (all that failed once), each on two idle
# clusters, stock and act, that stand side by side; then a mixed queue on both
# (requests.py has the rules, the shapes of the clusters and the drawing). act has
# what `cosched conf` writes, and profiles a to d with pairs, without self values.
#
# Environment (FULL=1: 1,000 requests instead of 40; all shapes in any case):
#	REQUESTS=N           so many requests, of all shapes together; 0: none
#	REQUESTS_SEED=S      drawn from this seed (default: the time; printed)
#	REQUESTS_SHAPES="A B"  only these shapes
#	REQUESTS_PARAMS=P    these parameters for act, too, for example cosched_place=pack,
#	                     cosched_backfill=conservative,cosched_slice=pect
#	REQUESTS_MIXED=N     jobs of the mixed queue of each shape; 0: none
#	REQUESTS_FROM=FILE   the requests of FILE first: [SHAPE] OPTIONS [# text]; and
#	                     nothing else but what REQUESTS, REQUESTS_LIST and
#	                     REQUESTS_MIXED ask for
#	REQUESTS_LIST=FILE   instead of requests.list; empty: none
#	REQUESTS_SAVE=FILE   failed requests are appended there, in the same form
#	REQUESTS_LANES=N     so many shapes at once (3; FULL=1: 4)
#	REQUESTS_VERBOSE=1   a line for each request
# For example, one request by hand:
#	echo 'gpus -n4 --gpus=2' >/tmp/one
#	REQUESTS_FROM=/tmp/one REQUESTS_SHAPES=gpus REQUESTS_VERBOSE=1 bash test/cluster/requests.sh

set -u
here=$(cd "$(dirname "$0")" && pwd)
drawing() {
	python3 -B "$here/requests.py" "$@"
}
release() {
	PATH=$PATH:/usr/sbin slurmctld -V 2>/dev/null | awk '{ print $2 }'
}

# --- all shapes: this script again for each -------------------------------------------------

all_shapes() {
	local count mixed list shapes shape share n=0 results

	python3 -c 'import argparse, concurrent.futures, shlex' 2>/dev/null || {
		echo "skip - requests: python3 is not installed here, or not all of it"
		exit 77
	}
	if [ -n "${REQUESTS_FROM:-}" ]; then
		count=0 mixed=0 list=
	elif [ -n "${FULL:-}" ]; then
		count=1000 mixed=60 list=$here/requests.list
	else
		count=40 mixed=16 list=$here/requests.list
	fi
	count=${REQUESTS:-$count}
	: "${REQUESTS_LANES:=$([ -n "${FULL:-}" ] && echo 4 || echo 3)}"
	export REQUESTS_SEED=${REQUESTS_SEED:-$(date +%s)}
	export REQUESTS_MIXED=${REQUESTS_MIXED:-$mixed} REQUESTS_LIST=${REQUESTS_LIST-$list}
	shapes=${REQUESTS_SHAPES:-$(drawing shapes "$(release)")}
	# shellcheck disable=SC2086 # words
	set -- $shapes
	printf '# seed %s, %d requests, shapes: %s\n' "$REQUESTS_SEED" "$count" "$*"
	results=$(mktemp -d "${TMPDIR:-/tmp}/requests.XXXXXX") || exit 2
	# shellcheck disable=SC2064 # now
	trap "rm -rf '$results'" EXIT
	trap 'jobs -pr | xargs -r kill 2>/dev/null; wait; exit 130' INT TERM
	for shape; do
		share=$((count * (n + 1) / $# - count * n / $#)) n=$((n + 1))
		while [ "$(jobs -pr | wc -l)" -ge "$REQUESTS_LANES" ]; do
			wait -n
		done
		(
			trap 'kill $!; wait; exit 130' INT TERM
			REQUESTS_SHAPE=$shape REQUESTS=$share bash "$here/requests.sh" &
			wait $!
			echo $? >"$results/$shape"
		) &
	done
	wait
	for shape; do # a shape may be left out, not be missing
		grep -qxE '0|77' "$results/$shape" || exit 1
	done
	exit 0
}
[ -n "${REQUESTS_SHAPE:-}" ] || all_shapes

# --- one shape ------------------------------------------------------------------------------

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
# shellcheck source-path=SCRIPTDIR source=dbd.inc
. "$here/dbd.inc"
unset COSCHED_STOCK
shape=$REQUESTS_SHAPE
drawing shapes "$(release)" | grep -x -- "$shape" >/dev/null ||
	skip "$shape: no shape of requests.py that Slurm $(release) can hold"

cat >"$PROFILES" <<'JSON'
{"version":1,
 "profiles":{"a":{},"b":{},"c":{},"d":{}},
 "pairs":[{"of":"a","beside":"b","slowdown":1.05},
          {"of":"b","beside":"a","slowdown":1.10},
          {"of":"a","beside":"c","slowdown":1.20},
          {"of":"c","beside":"a","slowdown":1.20},
          {"of":"c","beside":"d","slowdown":1.02},
          {"of":"d","beside":"c","slowdown":1.02},
          {"of":"b","beside":"d","slowdown":1.8},
          {"of":"d","beside":"b","slowdown":1.8}]}
JSON
accounts() {
	timeout 60 bash -c "$(declare -f wait_for); wait_for 20 sacctmgr -n show tres"
	{
		echo "add cluster vcluster"
		drawing sql "$shape" | sed 's/{cluster}/vcluster/'
	} | timeout 60 sacctmgr -i
	# before slurmdbd knows it slurmctld 26.05 does not start
	drawing qos "$shape" | while read -r part qos; do
		sed -i "s/^PartitionName=$part .*/& QOS=$qos/" "$SLURM_CONF"
	done
}
sql=$(drawing sql "$shape")
if [ -n "$sql" ] && ! have_dbd; then
	skip "$shape: mariadbd or slurmdbd is not installed here"
fi
mapfile -t options < <(drawing conf "$shape" "$WORK")
# stock decides at once and each second, as act does
cluster --stock --name stock --params batch_sched_delay=0,bf_interval=1 "${options[@]}"
stock_conf=$SLURM_CONF
case ,${REQUESTS_PARAMS:-}, in
*,cosched_order=* | *,cosched_policy=cover+,*) order= ;;
*) order=,cosched_order=slurm ;;
esac
cluster --name act --params \
	"cosched_mode=act$order,cosched_profiles=$PROFILES,cosched_log=$LOG${REQUESTS_PARAMS:+,$REQUESTS_PARAMS}" \
	"${options[@]}"
if [ -n "$sql" ]; then
	port=$(free_ports 3)
	start_mariadb "$port" || bad "MariaDB starts" "$(tail -n 5 "$WORK"/db/*log)"
	n=0
	for c in stock act; do
		use $c
		n=$((n + 1))
		start_slurmdbd $((port + n)) "$port" ||
			bad "slurmdbd starts" "$(tail -n 5 "$WORK"/dbd.*/log)"
		use_slurmdbd $((port + n)) accounts ||
			bad "slurmctld starts with slurmdbd" "$(cat "$WORK/restart.err")"
	done
	wait_for 10 in_act || bad "mode act is on with slurmdbd" "$(tail "$CTLD_LOG")"
fi
[ "$FAILED" -eq 0 ] || exit 1

case ,${REQUESTS_PARAMS:-}, in # to which jobs the policy gives whole nodes
*slice=gang,* | *policy=b[cr]*) whole=all ;;
*=cover,* | *=cover+,* | *policy=balanced,*) whole=profile ;;
*policy=* | *place=* | *slice=*) whole= ;;
*) whole=profile ;; # the default, balanced, is cover with an order of its own
esac
drawing compare "$shape" --stock "$stock_conf" --act "$SLURM_CONF" \
	--prefix "$COSCHED_PREFIX" --work "$WORK" --seed "$REQUESTS_SEED" --count "$REQUESTS" \
	--mixed "$REQUESTS_MIXED" --list "$REQUESTS_LIST" --file "${REQUESTS_FROM:-}" \
	--save "${REQUESTS_SAVE:-}" --verbose "${REQUESTS_VERBOSE:-}" --whole "$whole" | tee "$WORK/compared"
rc=${PIPESTATUS[0]}
CHECKS=$((CHECKS + $(grep -c '^ok - ' "$WORK/compared")))
FAILED=$((FAILED + $(grep -c '^not ok - ' "$WORK/compared")))
is "$shape: the comparison came to its end" "$rc" 0
log_is_clean

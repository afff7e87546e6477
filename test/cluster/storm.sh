#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Storms: a load of random jobs, and random faults over it, at the same moments on two
# clusters, stock Slurm and mode act. Judged by what really ran: no job lost, doubled,
# RUNNING without a process or ended before its limit beyond what stock has, and act is
# on at the end. storm.py has the kinds of faults and the plan, storm_judge.py what is
# counted and the rule that compares.
#
# Environment:
#	SEED=N               this plan (default: the time; printed)
#	STORM_KINDS=A,B      faults of these kinds in one storm; a blank begins another storm
#	                     (default: one of all kinds; with FULL=1 four, of a few kinds each)
#	STORM_SECONDS=N      how long faults fall (75; FULL=1: 300); then the queue drains
#	STORM_RATE=N         jobs a minute (40)
#	STORM_LANES=N        so many storms side by side (2)
#	STORM_ROW=FILE       each storm's figures are appended there, a line of JSON each
# contrib/storms runs 30 minutes of each kind, and writes doc/results/storms.md.

set -u
here=$(cd "$(dirname "$0")" && pwd)
storm_py() {
	python3 -B "$here/storm.py" "$@"
}

# --- all storms: this script again for each ---------------------------------------------

all_storms() {
	local all kinds i=0 results

	python3 -c 'import argparse, concurrent.futures' 2>/dev/null || {
		echo "skip - storm: python3 is not installed here, or not all of it"
		exit 77
	}
	all=$(storm_py kinds | cut -f 1 | paste -sd,)
	if [ -z "${STORM_KINDS:-}" ]; then
		STORM_KINDS=$all
		[ -z "${FULL:-}" ] || STORM_KINDS=$(storm_py groups)
	fi
	export SEED=${SEED:-$(date +%s)}
	export STORM_SECONDS=${STORM_SECONDS:-$([ -n "${FULL:-}" ] && echo 300 || echo 75)}
	printf '# seed %s, %s s of: %s\n' "$SEED" "$STORM_SECONDS" "$STORM_KINDS"
	results=$(mktemp -d "${TMPDIR:-/tmp}/storms.XXXXXX") || exit 2
	# shellcheck disable=SC2064 # now
	trap "rm -rf '$results'" EXIT
	trap 'jobs -pr | xargs -r kill 2>/dev/null; wait; exit 130' INT TERM
	for kinds in $STORM_KINDS; do
		while [ "$(jobs -pr | wc -l)" -ge "${STORM_LANES:-2}" ]; do
			wait -n
		done
		i=$((i + 1))
		(
			trap 'kill $!; wait; exit 130' INT TERM
			STORM=$kinds bash "$here/storm.sh" &
			wait $!
			echo $? >"$results/$i"
		) &
	done
	wait
	for ((; i > 0; i--)); do
		grep -qxE '0|77' "$results/$i" || exit 1
	done
	exit 0
}
[ -n "${STORM:-}" ] || all_storms

# --- one storm ----------------------------------------------------------------------------

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
unset COSCHED_STOCK
kinds=,$STORM,

leave_out() { # KIND REASON
	[[ $kinds = *,$1,* ]] || return 0
	omit "$1" "$2"
	kinds=${kinds/,$1,/,}
}
unshare --uts true 2>/dev/null ||
	leave_out failover "no right to a host name of its own (unshare --uts)"
WRAPPER=$(find /usr/lib /usr/lib64 -name libnss_wrapper.so -print -quit 2>/dev/null)
export WRAPPER
[ -n "$WRAPPER" ] || for k in users files; do leave_out $k "no libnss_wrapper"; done
for f in crash nss_slow slowfile; do
	gcc -shared -fPIC -Wall -o "$WORK/$f.so" "$here/$f.c" || bad "$f.c builds"
done
kinds=${kinds#,} kinds=${kinds%,}
[ -n "$kinds" ] || skip "no kind of $STORM is possible here"

mapfile -t options < <(storm_py conf "$kinds" "$WORK" stock)
# stock decides at once and each second, as act does
cluster --stock --name stock --params batch_sched_delay=0,bf_interval=1 "${options[@]}"
mapfile -t options < <(storm_py conf "$kinds" "$WORK" act)
# the event log is on the file system that may hang
LOG=$WORK/act/state/events.log
params=cosched_mode=act,cosched_policy=cst,cosched_profiles=$PROFILES,cosched_log=$LOG
! "$COSCHED" params | grep -q '^cosched_return_s=' || params=$params,cosched_return_s=5
cluster --name act --params "$params" "${options[@]}"
[ "$FAILED" -eq 0 ] || exit 1

storm_py run --kinds "$kinds" --work "$WORK" --prefix "$COSCHED_PREFIX" --seed "$SEED" \
	--seconds "$STORM_SECONDS" --rate "${STORM_RATE:-40}" --row "${STORM_ROW:-}" \
	--release "$(slurmctld -V | awk '{ print $2 }')" |
	tee "$WORK/judged"
rc=${PIPESTATUS[0]}
CHECKS=$((CHECKS + $(grep -c '^ok - ' "$WORK/judged")))
FAILED=$((FAILED + $(grep -c '^not ok - ' "$WORK/judged")))
is "$kinds: the storm came to its end" "$rc" 0
ok "$kinds: cosched check passes on the event log" "$COSCHED" check "$LOG"
for c in "$CTLD_LOG" "$WORK/act/log/slurmctld.backup.log"; do
	[ ! -e "$c" ] || unlike "$kinds: no overflow, no crash in ${c##*/}" "$(cat "$c")" \
		'job overflow|[Ss]egmentation|core dumped|cosched: engine and Slurm differ'
done

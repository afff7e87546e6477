#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random slurm.conf, each with some of Slurm's keys that bear on scheduling and odd values,
# and random requests, on a stock and an act cluster side by side: as stock, within the
# bounds of requests.sh, or `cosched doctor` has named a key that mode act does not honour,
# and without the keys so named the same requests are as stock (settings.py has the keys and
# the drawing, requests.py the requests and the bounds).
#
# Environment (FULL=1: 30 configurations instead of 6):
#	SETTINGS=N           so many configurations
#	SETTINGS_FROM=N      from this number on (0)
#	SETTINGS_SEED=S      drawn from this seed (default: the time; printed)
#	SETTINGS_REQUESTS=N  requests of each, one at a time (5)
#	SETTINGS_MIXED=N     jobs of the mixed queue of each (8)
#	SETTINGS_LANES=N     so many configurations at once (2)
#	SETTINGS_ROWS=FILE   a row for each is kept there, and those that are there, and
#	                     drawn the same, are not run again (contrib/settings);
#	                     SETTINGS_COMMIT is in them
#	REQUESTS_VERBOSE=1   a line for each request
# For example, one configuration again:
#	SETTINGS_SEED=1764384000 SETTINGS_FROM=3 SETTINGS=1 bash test/cluster/settings.sh

set -u
here=$(cd "$(dirname "$0")" && pwd)
release=$(PATH=$PATH:/usr/sbin slurmctld -V 2>/dev/null | awk '{ print $2 }')

# --- all: this script again for each ---------------------------------------------------------

all() {
	local i from=${SETTINGS_FROM:-0} n=${SETTINGS:-$([ -n "${FULL:-}" ] && echo 30 || echo 6)}
	local results

	python3 -c 'import argparse, concurrent.futures, shlex' 2>/dev/null || {
		echo "skip - settings: python3 is not installed here, or not all of it"
		exit 77
	}
	export SETTINGS_SEED=${SETTINGS_SEED:-$(date +%s)}
	printf '# seed %s, configurations %d to %d\n' "$SETTINGS_SEED" "$from" $((from + n - 1))
	results=$(mktemp -d "${TMPDIR:-/tmp}/settings.XXXXXX") || exit 2
	# shellcheck disable=SC2064 # now
	trap "rm -rf '$results'" EXIT
	trap 'jobs -pr | xargs -r kill 2>/dev/null; wait; exit 130' INT TERM
	for ((i = from; i < from + n; i++)); do
		if [ -n "${SETTINGS_ROWS:-}" ] && python3 -B "$here/settings.py" kept \
			"$SETTINGS_ROWS" "$SETTINGS_SEED" "$i" "$release"; then
			echo 0 >"$results/$i"
			continue
		fi
		while [ "$(jobs -pr | wc -l)" -ge "${SETTINGS_LANES:-2}" ]; do
			wait -n
		done
		(
			trap 'kill $!; wait; exit 130' INT TERM
			SETTINGS_NUMBER=$i bash "$here/settings.sh" &
			wait $!
			echo $? >"$results/$i"
		) &
	done
	wait
	for ((i = from; i < from + n; i++)); do
		grep -qx 0 "$results/$i" || exit 1
	done
	exit 0
}
[ -n "${SETTINGS_NUMBER:-}" ] || all

# --- one -------------------------------------------------------------------------------------

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
unset COSCHED_STOCK
number=$SETTINGS_NUMBER
drawn() { # WHAT [WORD...]
	python3 -B "$here/settings.py" "$1" "$SETTINGS_SEED" "$number" "$release" "${@:2}"
}
printf '# %d of seed %s: %s\n' "$number" "$SETTINGS_SEED" "$(drawn show)"

cat >"$PROFILES" <<'JSON'
{"version":1,
 "profiles":{"a":{},"b":{},"c":{},"d":{}},
 "pairs":[{"of":"a","beside":"b","slowdown":1.05},
          {"of":"b","beside":"a","slowdown":1.10},
          {"of":"c","beside":"d","slowdown":1.02},
          {"of":"d","beside":"c","slowdown":1.02}]}
JSON
# pair NAME [--honoured]: a stock and an act cluster as drawn, the latter in use; --honoured:
# without the keys that mode act does not honour
pair() {
	local options params

	mapfile -t options < <(drawn conf "$WORK" "${@:2}")
	params=$(drawn conf "$WORK" --params "${@:2}")
	# stock decides at once and each second, as act does, unless that is drawn: the first counts
	params=${params:+$params,}batch_sched_delay=0,bf_interval=1
	LOG=$WORK/$1.log
	cluster --stock --name "stock-$1" --params "$params" "${options[@]}"
	stock_conf=$SLURM_CONF
	cluster --name "act-$1" --params \
		"cosched_mode=act,cosched_order=slurm,cosched_profiles=$PROFILES,cosched_log=$LOG,$params" \
		"${options[@]}"
	[ "$FAILED" -eq 0 ] || exit 1
}
# compare NAME: the requests on that pair; $differs has what act does otherwise, a line each
compare() {
	local words rc c

	mapfile -t words < <(drawn resv | xargs -rn 1)
	for c in stock act; do
		use "$c-$1"
		[ ${#words[@]} -eq 0 ] || scontrol "${words[@]}" >"$WORK/resv.$c" 2>&1
	done
	[ ${#words[@]} -eq 0 ] ||
		is "$number: the reservation is as under stock" "$(cat "$WORK/resv.act")" "$(cat "$WORK/resv.stock")"
	drawn compare --stock "$stock_conf" --act "$SLURM_CONF" --prefix "$COSCHED_PREFIX" \
		--work "$WORK" --seed "$SETTINGS_SEED.$number" --count "${SETTINGS_REQUESTS:-5}" \
		--mixed "${SETTINGS_MIXED:-8}" --verbose "${REQUESTS_VERBOSE:-}" >"$WORK/compared"
	rc=$?
	differs=$(grep '^not ok - ' "$WORK/compared")
	is "$number: the comparison came to its end" "$rc" 0
	# shellcheck disable=SC2119
	log_is_clean
	[ "$rc" -eq 0 ] || exit 1
}
# what it printed, and its checks
print_compared() {
	cat "$WORK/compared"
	CHECKS=$((CHECKS + $(grep -c '^\(not \)\?ok - ' "$WORK/compared")))
	FAILED=$((FAILED + $(grep -c '^not ok - ' "$WORK/compared")))
}

pair drawn
before=$FAILED
# what is not honoured is named beforehand
"$COSCHED" doctor >"$WORK/doctor"
named=0
for key in $(drawn named); do
	like "$number: doctor names $key" "$(cat "$WORK/doctor")" "^warn +settings .*\b$key\b"
	like "$number: so does slurmctld's log" "$(cat "$CTLD_LOG")" "cosched: [A-Za-z]+: .*\b$key\b"
	named=$((named + 1))
done
is "$number: doctor names nothing else" "$(grep -c '^warn *settings' "$WORK/doctor")" "$named"

! drawn whole || like "$number: doctor warns that Slurm's own test places all" \
	"$(cat "$WORK/doctor")" "^warn +cores .*Slurm's own test places all jobs"

compare drawn
verdict='as stock'
if [ -n "$differs" ] && [ "$named" -gt 0 ]; then
	keys=$(drawn named | paste -sd' ')
	sed 's/^not ok - /# it differs: /' "$WORK/compared"
	excused=$differs
	for c in stock-drawn act-drawn; do
		use "$c"
		cluster_down
	done
	printf '# the same without %s\n' "$keys"
	pair honoured --honoured
	compare honoured
	if [ -z "$differs" ]; then
		verdict=named differs=$excused
		printf '%s\n' "${excused//not ok - /# excused by $keys: }"
		good "$number: as stock without $keys, as doctor has named"
	fi
fi
if [ "$verdict" != named ]; then
	[ -z "$differs" ] || verdict=worse
	print_compared
fi
[ "$FAILED" -eq "$before" ] || [ "$verdict" = worse ] || verdict='not clean'
[ -z "${SETTINGS_ROWS:-}" ] ||
	drawn row "$SETTINGS_ROWS" "$verdict" "${SETTINGS_COMMIT:-}" "$differs"

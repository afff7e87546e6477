#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `cosched procsim`: what it prints, what it refuses, and that it repeats.
set -u
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

no() {
	echo "not ok: $*" >&2
	failed=1
}

# refused TEXT ARGUMENT...: one line with TEXT, nothing else, status 2
refused() {
	text=$1
	shift
	got=$(./cosched procsim "$@" 2>&1 >"$tmp/out")
	[ $? -eq 2 ] || no "$*: status"
	[ "$got" = "cosched: procsim: $text" ] || no "$*: '$got'"
	[ ! -s "$tmp/out" ] || no "$*: something on stdout"
}

refused 'no --scheme, expected one'
refused "scheme 'XB', expected LOCAL, DCS, PB, SB, IB, HYBRID, PROC-S, PROC-B, GS, BATCH, FIFO or RANDOM" \
	--scheme XB
refused "workload 'lu', expected one of wl1, wl2, wl3, wl4, wl5, bt, mg, ft, is, cg, mix" \
	--scheme IB --workload lu
refused "load 'high', expected light, medium or heavy" --scheme IB --load high
refused "no key 'nothing', expected one of those that --keys lists" --scheme IB --set nothing=1
refused "mpl is '0', expected a whole number from 1 to 64" --scheme IB --set mpl=0
refused "skew is 'nan', expected a number from 0 to 100" --scheme IB --set skew=nan
refused 'size_max is 33, expected nodes, 32, or less' --scheme IB --set size_max=33
refused "--seed is '-1', expected a whole number from 0 to 9223372036854775807" \
	--scheme IB --seed -1
refused "'x', expected only options" --scheme IB x
refused "--events is empty, expected a file or -" --scheme IB --events ''
refused "--summary is empty, expected a file or -" --scheme IB --summary ''
refused "--summary and --events are both -, expected one of them" \
	--scheme IB --summary - --events -
refused "several of --scheme, --check and --keys, expected one" --scheme IB --keys
refused "cannot open '$tmp/gone': No such file or directory" --check "$tmp/gone"

# The same seed: the same bytes, but for two members; and every rule is kept.
small='--set time_scale=0.00001 --set jobs=6'
for scheme in local DCS PB SB IB HYBRID PROC-S PROC-B GS BATCH FIFO RANDOM; do
	for run in 1 2; do
		# shellcheck disable=SC2086  # options are words
		./cosched procsim --scheme $scheme $small --seed 3 --summary "$tmp/s$run" \
			--events "$tmp/e$run" >"$tmp/out" || no "$scheme: status"
		[ ! -s "$tmp/out" ] || no "$scheme: something on stdout"
		sed '/"wall_seconds"/d; /"events_per_second"/d' "$tmp/s$run" >"$tmp/t$run"
	done
	cmp -s "$tmp/t1" "$tmp/t2" || no "$scheme: another summary"
	cmp -s "$tmp/e1" "$tmp/e2" || no "$scheme: other events"
	./cosched procsim --check "$tmp/e1" >"$tmp/out" || no "$scheme: a rule is broken"
done
for key in response_mean throughput bcr fdr switches idle spin blocked compute \
	wall_seconds events_per_second; do
	grep -q "\"$key\":" "$tmp/s1" || no "no $key in the summary"
done

# A broken file: status 1, and the line.
sed '20d' "$tmp/e1" >"$tmp/broken"
got=$(./cosched procsim --check "$tmp/broken" 2>&1)
[ $? -eq 1 ] || no "broken: status"
case $got in
"cosched: procsim: '$tmp/broken': line "*) ;;
*) no "broken: '$got'" ;;
esac

# shellcheck disable=SC2086  # options are words
./cosched procsim --scheme LOCAL $small --set horizon=1 --set arrivals=zero >"$tmp/out" ||
	no "capped: status"
grep -q '^note: capped at .* lower bounds$' "$tmp/out" || no "a capped run does not say so"
./cosched procsim --keys | grep -q '^switch_us=50 us$' || no "--keys"
exit $failed

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The search of contrib/reproduce/starve.c, small: bounds B1 to B3 of order=shifted hold in
# all streams that it tries, and the same seed finds the same.
#
# Usage: check_starve.sh, where ./cosched-starve is; CS_TEST_SEED=N: another seed
seed=${CS_TEST_SEED:-1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

no() {
	echo "not ok: CS_TEST_SEED=$seed: $*" >&2
	exit 1
}
echo "CS_TEST_SEED=$seed"
for i in 1 2; do
	./cosched-starve --jobs 300 --tries 4 --seed "$seed" >"$tmp/$i" 2>"$tmp/said" ||
		no "$(cat "$tmp/said")"
done
cmp -s "$tmp/1" "$tmp/2" || no "not the same again"
[ "$(wc -l <"$tmp/1")" -eq 8 ] || no "$(wc -l <"$tmp/1") streams, expected 8"
[ "$(grep -c '"broken":\[0,0,0,0\]' "$tmp/1")" -eq 8 ] || no "$(cat "$tmp/1")"
# jobs have been pinned, so that B2 has been tested
grep -q '"pinned":[1-9]' "$tmp/1" || no "no job was pinned"

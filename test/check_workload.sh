#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `cosched workload`: what it prints and what it refuses.
set -u
failed=0
out=check_workload.out
trap 'rm -f $out' EXIT

no() {
	echo "not ok: $*" >&2
	failed=1
}

# refused TEXT ARGUMENT...: one line with TEXT, nothing else, status 2
refused() {
	text=$1
	shift
	got=$(./cosched workload "$@" 2>&1 >$out)
	[ $? -eq 2 ] || no "$*: status"
	[ "$got" = "cosched: workload: $text" ] || no "$*: '$got'"
	[ ! -s $out ] || no "$*: something on stdout"
}

refused 'no model, expected one of lublin, uniform-log, w1, w2'
refused 'more than one model, expected one of lublin, uniform-log, w1, w2' w1 w2
refused "'w3' is no model, expected lublin, uniform-log, w1 or w2" w3
refused "--nodes is '0', expected a whole number from 1 to 1048576" w1 --nodes 0
refused "--jobs is '1e3', expected a whole number from 1 to 100000000" \
	w1 --jobs 1e3
refused "--seed is '-1', expected a whole number from 0 to 9007199254740992" \
	w1 --seed -1
refused "--alpha is '99', expected a number from 0.1 to 25" w1 --alpha 99
refused "--alpha is 'nan', expected a number from 0.1 to 25" w1 --alpha nan
refused "--types is 'yes', expected on or off" lublin --types yes
refused "--resize is 'x', expected plain or pow2" w1 --resize x
refused '--resize without --modify on, expected both' lublin --resize plain
refused "--load is for uniform-log, expected --alpha with 'w1'" w1 --load 1
refused "--types is for lublin, w1 and w2, expected none with 'uniform-log'" \
	uniform-log --types on
refused "--slot-s is for uniform-log, expected none with 'w1'" w1 --slot-s 5
refused "--slot-s is '0', expected a whole number from 1 to 86400" \
	uniform-log --slot-s 0
refused "option '--nodes' needs a value" w1 --nodes
refused "unknown option '--node-count', see cosched workload --help" \
	w1 --node-count 3

# 18 fields a line, as many lines as asked for, the options in the header.
for model in lublin uniform-log w1 w2; do
	./cosched workload $model --jobs 500 --seed 3 >$out || no "$model"
	[ "$(grep -vc '^;' $out)" -eq 500 ] || no "$model: lines"
	[ -z "$(grep -v '^;' $out | awk 'NF != 18')" ] || no "$model: fields"
	grep -q "^; Note: cosched workload $model --nodes 128 --jobs 500 .*--seed 3\$" \
		$out || no "$model: header"
	again=$(./cosched workload $model --seed 3 --jobs 500 | cksum)
	[ "$again" = "$(cksum <$out)" ] || no "$model: not the same again"
done

# w1 is a row of options.
./cosched workload w1 --jobs 50 | grep -v '^;' >$out
[ "$(./cosched workload lublin --modify on --alpha 10.33 --jobs 50 |
	grep -v '^;' | cksum)" = "$(cksum <$out)" ] || no 'w1 is not lublin'

# With slots the header says so, and runtimes are multiples of them.
./cosched workload uniform-log --slot-s 7 --jobs 300 --load .9 >$out || no slots
grep -q '^; Note: cosched workload uniform-log .*--load 0.9 --slot-s 7 ' $out ||
	no "slots: header"
[ "$(awk '!/^;/ && $4 % 7 == 0 && $4 > 0 && $4 < 840' $out | wc -l)" -eq 300 ] ||
	no "slots: runtimes"
exit $failed

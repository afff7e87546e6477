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

refused 'no model, expected one of lublin, uniform-log, w1, w2, or resample TRACE'
refused 'more than one model, expected one of lublin, uniform-log, w1, w2, or resample TRACE' w1 w2
refused "'w3' is no model, expected lublin, uniform-log, w1 or w2, or resample TRACE" w3
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

refused 'resample without a trace, expected one of lublin, uniform-log, w1, w2, or resample TRACE' \
	resample
refused "--nodes with resample, expected --jobs, --load or --seed" \
	resample $out --nodes 5

# resample: jobs of the log and no others, twice the rate is half the time.
./cosched workload uniform-log --nodes 64 --jobs 800 --seed 5 >log.$out
trap 'rm -f $out log.$out' EXIT
./cosched workload resample log.$out --jobs 3000 --seed 2 >$out || no "resample"
[ "$(grep -vc '^;' $out)" -eq 3000 ] || no "resample: lines"
awk '/^;/ { next } NR == FNR { log_has[$4 " " $8]; next }
	!(($4 " " $8) in log_has) { bad = 1 } { seen[$4 " " $8] }
	END { exit bad || length(seen) < 600 }' log.$out $out ||
	no "resample: jobs that the log has not, or few of them"
[ "$(./cosched workload resample log.$out --jobs 3000 --seed 2 | cksum)" = \
	"$(cksum <$out)" ] || no "resample: not the same again"
[ "$(./cosched workload resample log.$out --jobs 3000 --seed 3 | cksum)" != \
	"$(cksum <$out)" ] || no "resample: another seed, the same"
last=$(tail -1 $out | cut -d' ' -f2)
half=$(./cosched workload resample log.$out --jobs 3000 --seed 2 --load 2 |
	tail -1 | cut -d' ' -f2)
[ "$half" -eq $((last / 2)) ] || no "resample: --load 2 ends at $half of $last"

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

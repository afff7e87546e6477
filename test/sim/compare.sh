#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cosched compare as a user runs it: its tables byte for byte, that its figures are
# those of cosched sim, however many run at a time, and that whatever is wrong gets
# one line, status 2 and leaves no file.
set -u
src=${srcdir:-.}/test/sim
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
status=0
cp "$src/small.swf" "$tmp/small.swf"
mkdir "$tmp/files"

fail() {
	echo "FAILED: $*"
	status=1
}

ok() { # words of cosched compare
	./cosched compare "$@" > "$tmp/out" 2> "$tmp/err" || {
		cat "$tmp/err"
		fail "cosched compare $*"
	}
	# two lines of small.swf are no jobs of this machine, which is the only thing told
	grep -vE ': skipped [12] of 6 lines: 1 without a run time(, 1 larger than the machine)?$' \
		"$tmp/err" > "$tmp/more" && fail "cosched compare $*: $(cat "$tmp/more")"
	:
}

bad() { # part of the message, words of cosched compare
	want=$1
	shift
	./cosched compare "$@" > "$tmp/out" 2> "$tmp/err"
	[ $? = 2 ] || fail "cosched compare $*: status is not 2"
	[ "$(wc -l < "$tmp/err")" = 1 ] || fail "cosched compare $*: not one line"
	grep -qF -e "$want" "$tmp/err" ||
		fail "cosched compare $*: '$(cat "$tmp/err")', expected '$want'"
	[ ! -s "$tmp/out" ] || fail "cosched compare $*: something on stdout"
	[ -z "$(ls -A "$tmp/files")" ] ||
		fail "cosched compare $*: left $(ls -A "$tmp/files")"
}

# ---- tables

ok --machine 4x1x1 --policies fcfs,easy,conservative "$tmp/small.swf"
sed "s|$tmp/||" "$tmp/out" > "$tmp/got"
diff -u - "$tmp/got" << 'END' || fail "the tables"
small.swf on 4x1x1

By mean response easy and conservative are best, and equal: 101 s, 18.2 % less
than fcfs.
By mean bounded slowdown easy and conservative are best, and equal: 4.48, 20.1 %
less than fcfs.
easy against fcfs, 2 users: no user's mean response is longer; that of 1 is
shorter.
conservative against fcfs, 2 users: no user's mean response is longer; that of 1
is shorter.

policy          wait  response  slowdown  relative  in use  makespan
fcfs          78.8 s     124 s      5.60      1.00  72.0 %  2.67 min
easy          56.2 s     101 s      4.48      1.00  72.0 %  2.67 min
conservative  56.2 s     101 s      4.48      1.00  72.0 %  2.67 min

relative: response over the runtime alone, as if no job ran less than 10 minutes
(rr_bound_s); in use: cores with a process, of all.

Against fcfs, in %

policy         wait  response  slowdown  relative  in use  makespan
easy          -28.6     -18.2     -20.1      +0.0    +0.0      +0.0
conservative  -28.6     -18.2     -20.1      +0.0    +0.0      +0.0
END

# two cases, so errors; the second one is the first again
ok --machine 4x1x1 --policies fcfs,easy "$tmp/small.swf" - < "$tmp/small.swf"
grep -q '^Means over 2 cases, .*small.swf to -, on 4x1x1$' "$tmp/out" ||
	fail "two cases: $(cat "$tmp/out")"
grep -q '^easy    -28.6~0.0 ' "$tmp/out" || fail "errors: $(cat "$tmp/out")"

# ---- a truth that is not believed

cat > "$tmp/truth" << 'END'
{"version":1,"default":"a","profiles":{"a":{"self":{"1":3}}}}
END
ok --machine 4x1x1 --policies fcfs,easy --truth "$tmp/truth" --truth-noise 1 \
	--summary - "$tmp/small.swf"
grep -q '"shared_jobs":0' "$tmp/out" || fail "the truth is not used"
./cosched sim --machine 4x1x1 --policy easy --truth "$tmp/truth" --truth-noise 1 \
	--summary - "$tmp/small.swf" > "$tmp/one"
response=$(sed -n 's/.*"mean_response":\(.*\),/\1/p' "$tmp/one")
grep -q "\"mean_response\":$response," "$tmp/out" || fail "not what sim says"
bad "expected both" --machine 4x1x1 --policies easy --truth-noise 2 "$tmp/small.swf"

# ---- settings, and the figures of cosched sim

set -- --machine 16x2x2 --policies ssp,glts:block_size=4:cases=145,glts \
	--set slice=pect --set block_size=7 --set slowdowns=table4 \
	--workload w1 --jobs 150 --replicas 3 --seed 4
ok "$@" --summary "$tmp/one" -j 1
ok "$@" --summary "$tmp/four" -j4
grep -v wall_seconds "$tmp/one" > "$tmp/one.part"
grep -v wall_seconds "$tmp/four" > "$tmp/four.part"
cmp "$tmp/one.part" "$tmp/four.part" || fail "-j changes the figures"
[ "$(grep -c '"block_size":4,' "$tmp/one")" = 1 ] || fail "a policy's setting"
[ "$(grep -c '"block_size":7,' "$tmp/one")" = 2 ] || fail "--set"
./cosched workload w1 --nodes 16 --jobs 150 --seed 6 > "$tmp/w1.swf"
./cosched sim --machine 16x2x2 --policy glts --set slice=pect \
	--set block_size=4 --set cases=145 --set slowdowns=table4 --seed 6 \
	--summary "$tmp/sim" "$tmp/w1.swf" > /dev/null
for key in mean_wait rr_all rr_long jobs_grouped; do
	want=$(grep -F "\"$key\":" "$tmp/sim" | tr -d ' ,')
	tr -d ' ,' < "$tmp/one" | grep -qxF "$want" || fail "no $want"
done

# ---- slurmctld's defaults, and a note of jobs that are spread for nobody

set -- --machine 8x2x2 --policies cst,cst:layout=dense --workload w1 \
	--jobs 200 --summary "$tmp/summary"
ok "$@"
[ "$(grep -c '^note: ' "$tmp/out")" = 1 ] || fail "notes: $(cat "$tmp/out")"
tail -n 1 "$tmp/out" | grep -q '^note: cst: in high load .* could share; see' ||
	fail "the note: $(tail -n 1 "$tmp/out")"
[ "$(grep -c '"unprofiled":"model"' "$tmp/summary")" = 2 ] || fail "unprofiled=model"
ok "$@" --live-defaults
[ "$(grep -c '"unprofiled":"pack"' "$tmp/summary")" = 2 ] || fail "--live-defaults"
grep -q '^note: ' "$tmp/out" && fail "a note: $(cat "$tmp/out")"

# ---- what is wrong

set -- --summary "$tmp/files/summary"
sed -n '/^ 2 /p' "$tmp/small.swf" | sed 's/  2 -1 -1 2/  3 -1 -1 3/' > "$tmp/wide.swf"
bad 'no --machine, expected' --policies easy "$tmp/small.swf" "$@"
bad 'no --policies, expected' --machine 4x1x1 "$tmp/small.swf" "$@"
bad 'no trace, expected traces or --workload' --machine 4x1x1 --policies easy
set -- "$@" --machine 4x1x1
bad 'both a trace and --workload' --policies easy --workload w1 x.swf "$@"
bad '--replicas without --workload, expected both' --policies easy \
	--replicas 2 "$tmp/small.swf" "$@"
bad "--replicas is '0', expected a whole number from 1 to" --policies easy \
	--workload w1 --replicas 0 "$@"
bad "--workload is 'w9', expected lublin, uniform-log, w1 or w2" \
	--policies easy --workload w9 "$@"
bad "machine '2x1x1' holds none of the jobs of '$tmp/wide.swf', expected a" \
	--policies easy "$tmp/wide.swf" "$@" --machine 2x1x1
bad "'mode=off' says whether slurmctld asks" --policies easy --set mode=off \
	"$tmp/small.swf" "$@"
bad '--window without --html, expected both' --policies easy --window 1-2 \
	"$tmp/small.swf" "$@"
for window in 2-1 1 x 1-2-3 -1-2 1- 3e1-4; do
	bad "--window is '$window', expected hours since the first submit" \
		--policies easy --window=$window --html "$tmp/files/page" \
		"$tmp/small.swf" "$@"
done
bad "/nowhere/page" --policies easy --html /nowhere/page "$tmp/small.swf" "$@"
bad "-j is 'x', expected a whole number from 1 to 1024" --policies easy -j x \
	"$tmp/small.swf" "$@"
bad "--estimates is 'x', expected trace or exact" --policies easy \
	--estimates x "$tmp/small.swf" "$@"
bad "policy 'easy' is given twice" --policies easy,easy "$tmp/small.swf" "$@"
bad "--policies 'easy,': an empty name" --policies easy, "$tmp/small.swf" "$@"
bad "easyy: " --policies fcfs,easyy "$tmp/small.swf" "$@"
bad "easy:slack=x: " --policies easy:slack=x "$tmp/small.swf" "$@"
bad "--set 'slack', expected key=value" --policies easy --set slack \
	"$tmp/small.swf" "$@"
bad "$tmp/none.swf: No such file" --policies easy "$tmp/small.swf" "$tmp/none.swf" "$@"
bad "unknown option '--nothing'" --policies easy --nothing "$tmp/small.swf" "$@"
bad "option '-j' needs a value" --policies easy "$tmp/small.swf" "$@" -j
exit $status

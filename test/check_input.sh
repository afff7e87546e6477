#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whatever is wrong with a trace, a log or a disk gets one line and status 2, and no
# output is there in part, from every command that reads or writes one.
set -u
src=${srcdir:-.}/test/sim
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
status=0
mkdir "$tmp/files"
f=$tmp/files

fail() {
	echo "FAILED: $*"
	status=1
}

# judge STATUS TEXT WORD...: what the command with these words said in $tmp/err
judge() {
	got=$1 want=$2
	shift 2
	[ "$got" = 2 ] || fail "$*: status $got"
	[ "$(wc -l < "$tmp/err")" = 1 ] || fail "$*: not one line: $(cat "$tmp/err")"
	grep -qF -e "$want" "$tmp/err" ||
		fail "$*: '$(cat "$tmp/err")', expected '$want'"
	[ -z "$(ls -A "$f")" ] || fail "$*: left $(ls -A "$f")"
}

bad() { # part of the message, words of cosched ...
	want=$1
	shift
	./cosched "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	judge $? "$want" "$@"
	[ ! -s "$tmp/out" ] || fail "$*: something on stdout"
}

# trace NAME TEXT [OPTION]: the trace $tmp/NAME is refused by all who read one
trace() {
	bad "$1$2" sim ${3:+"$3"} --machine 4x1x1 --events "$f/e" --jobs "$f/j" \
		--summary "$f/s" "$tmp/$1"
	bad "$1$2" compare ${3:+"$3"} --machine 4x1x1 --policies fcfs,easy \
		--summary "$f/s" --html "$f/h" "$tmp/good" "$tmp/$1"
}

# left NAME JOBS TEXT: the trace $tmp/NAME has JOBS jobs, and the one line TEXT tells what
# it has besides; with --strict it is refused
left() {
	./cosched sim --machine 4x1x1 --jobs - "$tmp/$1" > "$tmp/out" 2> "$tmp/err" ||
		fail "$1: $(cat "$tmp/err")"
	[ "$(grep -c '^[0-9]' "$tmp/out")" = "$2" ] || fail "$1: $(cat "$tmp/out")"
	[ "$(cat "$tmp/err")" = "cosched: sim: $tmp/$1: $3" ] ||
		fail "$1 says: $(cat "$tmp/err")"
	./cosched compare --machine 4x1x1 --policies fcfs,easy "$tmp/$1" > "$tmp/out" \
		2> "$tmp/err" || fail "compare $1: $(cat "$tmp/err")"
	[ "$(cat "$tmp/err")" = "cosched: compare: $tmp/$1: $3" ] ||
		fail "compare $1 says: $(cat "$tmp/err")"
	./cosched workload resample "$tmp/$1" --jobs 5 > "$tmp/out" 2> "$tmp/err" ||
		fail "resample $1: $(cat "$tmp/err")"
	grep -q "cosched: workload: $tmp/$1: skipped" "$tmp/err" ||
		fail "resample $1 says: $(cat "$tmp/err")"
}

# ---- traces

t=$src/small.swf
sed '/^ [46]/d' "$t" > "$tmp/good"
echo '1 2 3' > "$tmp/short"
sed 's/^ 1 .*/& 5/' "$t" > "$tmp/long"
awk '!/^;/ && !n++ { $4 = "ten" } 1' "$t" > "$tmp/letters"
awk '!/^;/ && !n++ { $2 = -5 } 1' "$t" > "$tmp/negative"
: > "$tmp/empty"
echo '; nothing' > "$tmp/comment"
printf '\0\0\n' > "$tmp/zeros"
mkdir "$tmp/folder"
trace short ":1: field 4 (run time) is missing, expected 18 fields"
trace long ":3: field 19 is '5', expected 18 fields" --strict
trace letters ":3: field 4 (run time) is 'ten', expected a number" --strict
trace negative ":3: field 2 (submit time) is '-5', expected 0 to" --strict
more="1 without a run time, 1 larger than the machine"
left long 3 "skipped 3 of 6 lines: 1 with another number of fields, $more"
left letters 3 "skipped 3 of 6 lines: 1 unreadable, $more"
left negative 3 "skipped 3 of 6 lines: 1 without a submit time, $more"
trace empty ": the file is empty, expected jobs in SWF"
trace comment ": no line of a job, expected jobs in SWF"
trace zeros ": no line of a job, expected jobs in SWF"
trace folder ": Is a directory"
trace nowhere ": No such file"
for kind in gz xz zst; do
	head -c 100 "${srcdir:-.}/test/fuzz/traces/packed.swf.$kind" > "$tmp/cut.$kind"
	# or: this build has no library for it
	trace "cut.$kind" ": packed "
done

# ---- logs

for words in 'replay' 'replay --set policy=fcfs'; do
	# shellcheck disable=SC2086 # words
	bad "line 1: the line is no JSON" $words "$t"
	# shellcheck disable=SC2086
	bad "the log is empty, expected a header" $words "$tmp/empty"
done
for words in check replay; do
	bad "Is a directory" $words "$tmp/folder"
	bad "No such file" $words "$tmp/nowhere"
	bad "no log, expected a file or -" $words
	bad "unknown option '--nothing'" $words --nothing "$t"
done

# ---- a full disk

full() { # words of cosched ...
	./cosched "$@" > /dev/full 2> "$tmp/err"
	judge $? "No space left on device" "$@"
}

./cosched sim --machine 4x1x1 --events "$tmp/log" "$tmp/good" > "$tmp/out" || fail log
if [ -w /dev/full ]; then
	set -- --machine 4x1x1 --policies fcfs,easy "$tmp/good"
	full compare "$@"
	full compare --summary - "$@"
	full compare --html - "$@"
	bad "No space left" compare --summary /dev/full --html "$f/h" "$@"
	bad "No space left" compare --summary "$f/s" --html /dev/full "$@"
	full sim --machine 4x1x1 "$tmp/good"
	for out in events jobs summary; do
		full sim --machine 4x1x1 --$out - "$tmp/good"
		bad "sim: '/dev/full': " sim --machine 4x1x1 --$out /dev/full "$tmp/good"
	done
	# more than fits a buffer: the disk is full while jobs run
	./cosched workload lublin --jobs 1000 > "$tmp/some"
	bad "sim: '/dev/full': event log: No space left" \
		sim --machine 128x1x1 --events /dev/full "$tmp/some"
	full workload lublin --jobs 10
	full workload lublin --jobs 10000
	full check "$tmp/log"
	full replay "$tmp/log"
	full params
	full --help
fi

# ---- a disk that fills on the way: no file may be longer than two blocks

short() { # words of cosched ...
	(
		ulimit -f 2
		exec ./cosched "$@" > /dev/null 2> "$tmp/err"
	)
	judge $? "File too large" "$@"
}

./cosched workload lublin --jobs 300 > "$tmp/300.swf"
for out in events jobs summary; do
	short sim --machine 128x1x1 --$out "$f/o" "$tmp/300.swf"
done
short sim --machine 128x1x1 --jobs "$f/j" --events "$f/e" "$tmp/300.swf"
set -- --machine 128x1x1 --policies fcfs,easy "$tmp/300.swf"
short compare --summary "$f/s" "$@"
short compare --summary "$f/s" --html "$f/h" "$@"
# ---- nothing to simulate

echo '1 0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1' > "$tmp/wide.swf"
bad "machine '1x1x1' holds none of the jobs" sim --machine 1x1x1 --jobs "$f/j" \
	"$tmp/wide.swf"

# ---- an output takes the place of no input, nor of another output

cp "$t" "$tmp/only.swf"
ln -s only.swf "$tmp/link.swf"
for out in "$tmp/only.swf" "$tmp/link.swf"; do
	bad "'$out' is the trace, expected another file" sim --machine 4x1x1 \
		--jobs "$out" "$tmp/only.swf"
	bad "is a trace, expected another file" compare --machine 4x1x1 \
		--policies fcfs,easy --html "$out" "$t" "$tmp/only.swf"
done
cmp -s "$t" "$tmp/only.swf" || fail "a trace was written over"
bad "'$f/o' is given for two outputs" sim --machine 4x1x1 --jobs "$f/o" \
	--summary "$f/o" "$t"
bad "'$f/o' is given for two outputs" compare --machine 4x1x1 \
	--policies fcfs,easy --html "$f/o" --summary "$f/o" "$t"
exit $status

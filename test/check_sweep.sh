#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --sbatch of compare and whatif with an sbatch, squeue and scancel of the test's own, which
# run the tasks here: the answer is that of -j, a lost task is done once again, what fails
# twice is said in one line, and options reach sbatch as words. On a real slurmctld:
# test/cluster/sweep.sh. `make check` runs this in the build folder.
set -u -o pipefail
export LC_ALL=C
cosched=$(realpath ./cosched) || exit 1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cosched-sweep.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
no() {
	echo "not ok - $*" >&2
	failed=1
}
mkdir "$tmp/bin" "$tmp/at" "$tmp/said"

# sbatch OPTION... SCRIPT ARGUMENT...: tasks at once, in the background; their states in said/.
# The first task to run is killed if said/kill is there, each if said/killall is.
cat >"$tmp/bin/sbatch" <<'END'
#!/bin/bash
said=$(dirname "$0")/../said
printf '%s\n' "$@" >"$said/words"
[ ! -e "$said/refuse" ] || { echo "sbatch: error: no such luck" >&2; exit 1; }
while [[ $1 == -* ]]; do
	case $1 in
	--array=*) list=${1#*=} ;;
	-p) shift ;;
	esac
	shift
done
job=$(($(cat "$said/job" 2>/dev/null || echo 40) + 1))
echo "$job" >"$said/job"
echo "sbatch: warning: slow today" >&2
for i in ${list//,/ }; do
	echo "$job $i PENDING" >"$said/task.$job.$i"
done
export list said job
setsid bash -c '
	for i in ${list//,/ }; do
		echo "$job $i RUNNING n1" >"$said/task.$job.$i"
		end=COMPLETED
		if [ -e "$said/killall" ] || rm "$said/kill" 2>/dev/null; then
			echo "the last words of a task" >>"$4/log.$i"
			end=FAILED
		elif [ -e "$said/unseen" ]; then
			end=FAILED
		else
			SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_ON_NODE=1 sh "$@" || end=FAILED
		fi
		echo "$job $i $end n1" >"$said/task.$job.$i"
		[ ! -e "$said/slow" ] || sleep 1
	done
' sbatch "$@" </dev/null >/dev/null 2>&1 &
echo $! >"$said/pid"
echo "$job"
END
cat >"$tmp/bin/squeue" <<'END'
#!/bin/bash
cat "$(dirname "$0")"/../said/task.* 2>/dev/null
exit 0
END
cat >"$tmp/bin/scancel" <<'END'
#!/bin/bash
said=$(dirname "$0")/../said
# the task that runs, too; SIGTERM is blocked where sbatch is called
kill -KILL -- "-$(cat "$said/pid")" 2>/dev/null
for f in "$said"/task.*; do
	[ ! -e "$f" ] || sed -i 's/PENDING\|RUNNING/CANCELLED/' "$f"
done
echo "$*" >>"$said/cancelled"
END
chmod 755 "$tmp"/bin/*
export PATH=$tmp/bin:$PATH
cd "$tmp/at" || exit 1

what=(compare --machine 8x1x2 --workload lublin --jobs 60 --replicas 3 --policies "easy,pack")
"$cosched" "${what[@]}" -j 2 >../want || no "-j 2"

# sweep STATUS TEXT [OPTION]...: with nothing of an earlier one
sweep() {
	local status=$1 text=$2 rc
	shift 2
	rm -f ../said/task.* ../said/cancelled
	"$cosched" "${what[@]}" "$@" >../got 2>../err
	rc=$?
	[ "$rc" -eq "$status" ] || no "$text: exit status $rc, expected $status: $(cat ../err)"
	[ "$status" -ne 0 ] || cmp -s ../want ../got || no "$text: another answer than with -j"
	[ "$status" -ne 0 ] || [ -z "$(ls)" ] || no "$text: left behind: $(ls)"
}
says() { # TEXT REGEX: the last line of what was said
	tail -n 1 ../err | grep -qE -- "$2" || no "$1: no /$2/ in: $(cat ../err)"
}

sweep 0 "plain" --sbatch
says "plain" '^cosched: compare: 6 simulations, 6 tasks of job array 41$'
sweep 0 "options" --sbatch="-p short  --comment='two words' --x=\"a 'b'\" --y=c\\ d" --sbatch-folder .
grep -qxF -- "--comment=two words" ../said/words || no "options: a quoted word: $(cat ../said/words)"
grep -qxF -- "--x=a 'b'" ../said/words || no "options: quotes in quotes: $(cat ../said/words)"
grep -qxF -- "--y=c d" ../said/words || no "options: a blank behind a backslash: $(cat ../said/words)"
rm -rf ./*

touch ../said/kill
sweep 0 "a lost task" --sbatch
says "a lost task" '^cosched: compare: 1 simulations, 1 tasks of job array [0-9]+$'
touch ../said/killall
sweep 2 "lost twice" --sbatch
says "lost twice" "^cosched: compare: task 0 failed twice: the last words of a task$"
[ -s ../said/cancelled ] || no "lost twice: nothing was cancelled"
rm ../said/killall
sweep 0 "lost twice, then well" --sbatch

touch ../said/refuse
sweep 2 "sbatch fails" --sbatch
says "sbatch fails" '^cosched: compare: sbatch failed: sbatch: error: no such luck$'
rm -r ../said/refuse ./*

# a signal: what is done stays, and is not done again
touch ../said/slow
for signal in INT TERM HUP; do
	rm -f ../said/task.* ../said/cancelled
	# what is ignored here, an interrupt in the background and a hangup under nohup, is so
	# there
	python3 -c 'import os, signal, sys
for s in signal.SIGINT, signal.SIGHUP, signal.SIGTERM:
    signal.signal(s, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$cosched" "${what[@]}" --sbatch >../got 2>../err &
	pid=$!
	for _ in $(seq 100); do
		[ "$(find . -path '*/run/[0-9]*' ! -name '*.new' | wc -l)" -lt 2 ] || break
		sleep .1
	done
	kill -s $signal $pid
	wait $pid
	rc=$?
	[ "$rc" -eq $((128 + $(kill -l $signal))) ] || no "$signal: exit status $rc"
	says "$signal" '^cosched: compare: interrupted: [2-5] of 6 simulations are kept in .*, and the same command goes on$'
	grep -qE '^--quiet --name=cosched-sweep-[0-9a-f]{16}$' ../said/cancelled || no "$signal: not cancelled"
	kept=$(find . -path '*/run/[0-9]*' ! -name '*.new' | wc -l)
	one=$(find . -path '*/run/[0-9]*' ! -name '*.new' | head -n 1)
	truncate -s -1 "$one"
	sweep 0 "$signal, again" --sbatch
	says "$signal, again" "^cosched: compare: $((6 - kept + 1)) simulations"
done
rm ../said/slow

touch ../said/unseen
sweep 2 "not shared" --sbatch
says "not shared" "^cosched: compare: node 'n1' does not see '.*', or cannot write there, expected a folder that all nodes share$"
rm -r ../said/unseen ./*

# bad options: one line, and sbatch is not called
rm ../said/words
for bad in "--sbatch='-p" "--sbatch=--array=1" "--sbatch=-M other" "--sbatch=--wait" "--sbatch-folder=." \
	"--sbatch -j 2" "--sbatch --sbatch-folder=/nowhere"; do
	read -ra words <<<"$bad"
	[ "${bad#*other}" = "$bad" ] || words=("$bad")
	"$cosched" "${what[@]}" "${words[@]}" >../got 2>../err
	[ $? -eq 2 ] || no "$bad: exit status"
	{ [ "$(wc -l <../err)" -eq 1 ] && grep -qE '^cosched: compare: .*(expected|No such file)' ../err; } ||
		no "$bad: $(cat ../err)"
done
"$cosched" compare --machine 8x1x2 --policies easy --sbatch - </dev/null >../got 2>../err &&
	no "standard input: no error"
[ ! -e ../said/words ] || no "sbatch was called with bad options"

# whatif, whose traces are of its own making
"$cosched" workload lublin --nodes 16 --jobs 80 >../log.swf
what=(whatif --machine 8x1x2 --replicas 1 ../log.swf)
"$cosched" "${what[@]}" >../want 2>../err || no "whatif: $(cat ../err)"
sweep 0 "whatif" --sbatch

# a task outside an array, and one of another build
"$cosched" compare --sbatch-task . >../got 2>../err && no "a task outside an array: no error"
says "a task outside an array" '^cosched: compare: SLURM_ARRAY_TASK_ID is not set, expected'
printf '1\0002\0001\0001\000' >work
SLURM_ARRAY_TASK_ID=0 "$cosched" compare --sbatch-task . >../got 2>../err && no "another build: no error"
says "another build" '^cosched: compare: the command of this node is not that which began the sweep'

[ "$failed" -eq 0 ] || exit 1
echo "ok - sweeps"

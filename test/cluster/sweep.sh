#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Simulations as tasks of a job array (--sbatch): the answer of compare and of whatif is
# that of -j, byte for byte, whatever happens on the way: a task that is killed, a node that
# is lost, an interrupt, kill -9 of the command, a damaged result, a folder that the nodes
# do not see. After an interrupt no task is left.
#
# Two nodes of one core, so that two tasks run at a time.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cluster --nodes 2 --sockets 1 --cores 1 --set ReturnToService=2 \
	--params "cosched_mode=act,cosched_log=$LOG"
folder=$WORK/sweep
mkdir "$folder" && cd "$folder" || exit 1
export TMPDIR=$WORK

runs=12 # of these
what=(compare --machine 64x2x4 --workload lublin --jobs 60000 --replicas 6 --policies "pack,cover")

# sweep [OPTION]...: in the background, to $WORK/got and $WORK/err; a shell without job
# control has it ignore interrupts
sweep() {
	env --default-signal=INT "$COSCHED" "${what[@]}" "$@" >"$WORK/got" 2>"$WORK/err" &
	command=$!
}
ends() { # STATUS TEXT
	local rc

	wait "$command"
	rc=$?
	is "$2: exit status" "$rc" "$1"
	[ "$rc" -eq "$1" ] || tail -n 3 "$WORK/err"
}
same_answer() {
	ok "$1: the answer is that of -j" cmp "$WORK/want" "$WORK/got"
}
nothing_left() {
	is "$1: squeue is empty" "$(squeue -h)" ""
}
no_folder() {
	is "$1: the folder is gone" "$(ls "$folder")" ""
}
results() {
	find "$folder" -path '*/run/*' -name '[0-9]*' ! -name '*.new' | wc -l
}
some_results() { # of a few runs at least
	[ "$(results)" -ge 3 ]
}
# The process of a running task, which is older than those that simulate for it.
task_pid() {
	pgrep -o -f -- "--sbatch-task $folder/"
}
kill_task() {
	local _ pid

	for _ in $(seq 100); do
		! pid=$(task_pid) || break
		sleep .01
	done
	[ -n "$pid" ] && kill -9 "$pid"
}
states() {
	squeue -h -r -t all -o %T | sort | uniq -c | paste -sd' '
}
on_n2() {
	squeue -h -t R -w n2 -o %i | grep -q .
}
settled() {
	! squeue -h -o %T | grep -q .
}

"$COSCHED" "${what[@]}" -j 2 >"$WORK/want" 2>"$WORK/err" || bad "-j 2" "$(cat "$WORK/err")"

# --- nothing happens

sweep --sbatch
ends 0 "undisturbed"
same_answer "undisturbed"
no_folder "undisturbed"
like "undisturbed: one line says what runs" "$(cat "$WORK/err")" \
	"^cosched: compare: $runs simulations, $runs tasks of job array [0-9]+\$"
ok "undisturbed: the last task ends with the command" wait_for 10 settled

# of pages and JSON; wall_seconds is how long a simulation took
"$COSCHED" workload lublin --nodes 512 --jobs 1500 --seed 3 >"$WORK/log.swf"
page() {
	local name=$1
	shift
	"$COSCHED" compare --machine 64x2x4 --policies easy,cover --html "$WORK/$name.html" \
		--summary "$WORK/$name.json" "$@" "$WORK/log.swf" >"$WORK/$name.text" 2>"$WORK/err" ||
		bad "a page with $*" "$(cat "$WORK/err")"
	sed -i 's/"wall_seconds":[^,}]*/"wall_seconds":0/' "$WORK/$name.json"
}
page here -j 2
page array --sbatch='-t 10 --comment "two words"' --sbatch-folder "$WORK"
for part in html json text; do
	ok "a trace: $part is that of -j" cmp "$WORK/here.$part" "$WORK/array.$part"
done
is "options reach sbatch, quoted ones too" "$(scontrol show job | grep -c 'Comment=two words')" 2

whatif() {
	"$COSCHED" whatif --machine 64x2x4 --replicas 2 "$@" "$WORK/log.swf" 2>"$WORK/err" ||
		bad "whatif $*" "$(cat "$WORK/err")"
}
is "whatif: the answer is that without --sbatch" "$(whatif --sbatch)" "$(whatif)"
no_folder "whatif"

# --- a task is killed, and done once again

sweep --sbatch
ok "a task is killed as soon as it runs" wait_for 30 kill_task
ends 0 "killed task"
same_answer "killed task"
like "killed task: it had failed" "$(states)" FAILED
is "killed task: it alone was submitted again" \
	"$(grep -c '^cosched: compare: 1 simulations, 1 tasks of job array' "$WORK/err")" 1

# --- a node is lost

sweep --sbatch
ok "tasks run on n2" wait_for 30 on_n2
vc kill-node n2
ok "n2 is down" scontrol update nodename=n2 state=down reason=test
ends 0 "lost node"
same_answer "lost node"
vc start-node n2
scontrol update nodename=n2 state=resume 2>/dev/null
vc wait-idle >/dev/null 2>&1 || bad "n2 comes back" "$(sinfo)"

# --- interrupts; the same command goes on

for signal in INT TERM; do
	sweep --sbatch
	ok "$signal: some runs are done" wait_for 60 some_results
	kill -s $signal "$command"
	wait "$command"
	is "$signal: exit status" $? $((128 + $(kill -l $signal)))
	nothing_left "$signal"
	like "$signal: one line says what is kept" "$(tail -n 1 "$WORK/err")" \
		"interrupted: [0-9]+ of $runs simulations are kept in '$folder/cosched-sweep-[0-9a-f]{16}', and the same command goes on"
	kept=$(results)
	# a result that a full disk cut short
	one=$(find "$folder" -path '*/run/*' -name '[0-9]*' | head -n 1)
	truncate -s -1 "$one"
	sweep --sbatch
	ends 0 "$signal, again"
	same_answer "$signal, again"
	like "$signal, again: only the others are done" "$(cat "$WORK/err")" \
		"^cosched: compare: $((runs - kept + 1)) simulations"
	no_folder "$signal, again"
done

# --- the command is killed: its tasks go on, and the next command waits for them

sweep --sbatch
ok "kill -9: some runs are done" wait_for 60 some_results
kill -9 "$command"
wait "$command" 2>/dev/null
isnt "kill -9: its tasks are there" "$(squeue -h -o %i)" ""
sweep --sbatch
ends 0 "kill -9, again"
same_answer "kill -9, again"
is "kill -9, again: no second array" "$(cat "$WORK/err")" ""

# --- two commands at a time

sweep --sbatch
ok "two commands: some runs are done" wait_for 60 some_results
second=$("$COSCHED" "${what[@]}" --sbatch 2>&1)
like "two commands: the second is refused in one line" "$second" \
	'^cosched: compare: another command waits for the sweep in [^ ]*$'
ends 0 "two commands"
same_answer "two commands"

# --- what cannot be done

second=$("$COSCHED" "${what[@]}" --sbatch='-p nowhere' 2>&1)
is "no such partition: exit status" $? 2
like "no such partition: sbatch's words" "$second" '^cosched: compare: sbatch failed: .*[Ii]nvalid partition'
rm -rf "${folder:?}"/*
if unshare --mount true 2>/dev/null; then
	# shellcheck disable=SC2016
	second=$(unshare --mount sh -c 'mount -t tmpfs none "$1" && cd "$1" && shift && exec "$@"' sh \
		"$folder" "$COSCHED" "${what[@]}" --sbatch 2>"$WORK/err")
	is "not shared: exit status" $? 2
	is "not shared: no answer" "$second" ""
	like "not shared: one line says so" "$(tail -n 1 "$WORK/err")" \
		"^cosched: compare: node 'n[12]' does not see '$folder/.*', or cannot write there, expected a folder that all nodes share\$"
	nothing_left "not shared"
else
	omit "a folder that is not shared" "no right to mount"
fi

# --- contrib/reproduce

# page OPTION...: a small page of slices', without what it says of live runs
reproduce() {
	env --default-signal=INT "$TREE/contrib/reproduce/slices" --cosched "$COSCHED" --jobs 40 --seeds 1 \
		--out "$WORK/out" "$@" >"$WORK/err" 2>&1 &
	command=$!
}
some_pages() {
	[ "$(find "$folder/there" -name '*.json' | wc -l)" -ge 3 ]
}
reproduce --work "$folder/here" -j 2
ends 0 "reproduce: with -j"
cp "$WORK/out/slices.md" "$WORK/want"
reproduce --work "$folder/there" --sbatch
ok "reproduce: some runs are done" wait_for 60 some_pages
kill -INT "$command"
wait "$command"
isnt "reproduce: an interrupt ends it" $? 0
nothing_left "reproduce: interrupted"
reproduce --work "$folder/there" --sbatch='-t 5'
ends 0 "reproduce: the same command goes on"
like "reproduce: only the others are done" "$(cat "$WORK/err")" ' runs, [0-9]+ tasks of job array '
ok "reproduce: the page is that of -j" cmp "$WORK/want" "$WORK/out/slices.md"
is "reproduce: nothing of the array is left" "$(find "$folder/there" -name sweep)" ""

# --- what a task costs beyond its simulation (said, not judged)

what=(compare --machine 8x1x1 --workload lublin --jobs 10 --replicas 50 --policies "easy,pack")
seconds() {
	local from

	from=$(date +%s%N)
	"$COSCHED" "${what[@]}" "$@" >"$WORK/got" 2>"$WORK/err" || bad "$*" "$(cat "$WORK/err")"
	echo $((($(date +%s%N) - from) / 1000000))
}
printf '# 100 runs that take no time: %s ms with -j 2, %s ms in 100 tasks on two nodes of a core\n' \
	"$(seconds -j 2)" "$(seconds --sbatch)"
log_is_clean

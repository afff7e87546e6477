#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `cosched profile run` on programs whose slowdowns are known, since cosched-emulate
# makes them: what it measures, and that nothing is lost by an interrupt, a kill -9, a
# failed job, a program that fails, other jobs on the nodes, a budget that is too small.
#
# COSCHED_INTERVALS=N (200 take an hour), or FULL=1 (60): also so many intervals, of which
# 90 to 99 % must hold what was planted, and none be off by more than twice its width.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
build=${COSCHED_BUILD:-$COSCHED_PREFIX/..}
[ -x "$build/cosched-emulate" ] || skip "no cosched-emulate in '$build': set COSCHED_BUILD"

cat >"$WORK/partitions" <<'END'
PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE
PartitionName=few Nodes=n1
PartitionName=short Nodes=ALL MaxTime=4
END

# --- programs ---------------------------------------------------------------------------

# Full nodes over spread ones: 1.25, 1.5 and 1.
cat >"$WORK/truth" <<'JSON'
{"version":1,
 "profiles":{"a":{"self":{"1":1,"2":1,"4":1.25}},
             "b":{"self":{"1":1,"2":1,"4":1.5}},
             "c":{"self":{"1":1,"2":1,"4":1.0}}},
 "pairs":[{"of":"a","beside":"a","slowdown":1.1},
          {"of":"a","beside":"b","slowdown":1.4},
          {"of":"b","beside":"a","slowdown":1.2},
          {"of":"b","beside":"b","slowdown":1.8},
          {"of":"a","beside":"c","slowdown":1.05},
          {"of":"c","beside":"a","slowdown":1.3},
          {"of":"b","beside":"c","slowdown":1.15},
          {"of":"c","beside":"b","slowdown":1.6},
          {"of":"c","beside":"c","slowdown":1.0}]}
JSON

# noise NAME: how long the runs of a program are, one after the other: they scatter by
# 2 %, or by SCATTER
SEED=${CS_TEST_SEED:-1}
echo "CS_TEST_SEED=$SEED"
noise() {
	python3 - "$SEED" "$1" "${SCATTER:-.02}" >"$WORK/emulated/noise.$1" <<-'PY'
		import random, sys
		draw = random.Random(sys.argv[1] + sys.argv[2])
		for i in range(20000):
		    print("%.5f" % draw.lognormvariate(0, float(sys.argv[3])))
	PY
	: >"$WORK/emulated/count.$1"
}
mkdir "$WORK/emulated"

# program NAME: a batch script; its own options must not matter. Before the emulated
# program it does as little as it can, since that is not slowed.
program() {
	noise "$1"
	cat >"$WORK/$1.sh" <<-END
		#!/bin/bash
		#SBATCH -N 3 --exclusive --output=nowhere
		#SBATCH --mem-per-cpu=10 # too little for anything
		cd "$WORK/emulated" || exit 9
		mapfile -t n <count.$1
		echo >>count.$1
		mapfile -t -s \${#n[@]} -n 1 x <noise.$1
		x=\$((10#\${x/./} * ${MILLISECONDS:-1200} / 100000))
		printf -v s %d.%03d \$((x / 1000)) \$((x % 1000))
		exec "$build/cosched-emulate" job --run . --profiles ../truth --profile $1 \
			--node "\${EMULATED_NODE:-2x2}" --seconds "\$s"
	END
}
program a
program b
program c
printf '#!/bin/sh\nsleep 1\nexit 3\n' >"$WORK/fails.sh"

# --- the command ------------------------------------------------------------------------

# run FOLDER [OPTION]... SCRIPT...: with its two streams in FOLDER.out; its status
run() {
	local folder=$1
	shift
	(cd "$WORK" && exec "$COSCHED" profile run --unconstrained --folder "$folder" "$@") \
		>"$WORK/$folder.out" 2>&1
}
# refused TEXT REGEX [OPTION]...: exit status 2, one line, no job
refused() {
	local text=$1 regex=$2 rc
	shift 2
	(cd "$WORK" && "$COSCHED" profile run "$@") >"$WORK/out" 2>&1
	rc=$?
	is "$text: exit status 2" "$rc" 2
	is "$text: one line" "$(wc -l <"$WORK/out")" 1
	like "$text: it says why" "$(cat "$WORK/out")" "^cosched: profile: .*$regex.*, expected "
	is "$text: no job" "$(squeue -h -t all -o %j | grep -c cosched-profile)" 0
}
ours_left() {
	squeue -h -o '%j %i %T' | grep cosched-profile
}
no_job_left() {
	! ours_left
}
# runs FOLDER: how many are recorded
runs() {
	cat "$WORK/$1"/job.[0-9]* 2>/dev/null | grep -c '^run '
}
has_runs() { # FOLDER NUMBER
	[ "$(runs "$1")" -ge "$2" ]
}
# pair_runs FOLDER: does a partner run?
pair_runs() {
	grep -lsE '^job [0-9]+ [0-9]+ b' "$WORK/$1"/job.[0-9]* | xargs -r grep -qs '^start '
}

# planted FOLDER: its intervals as "WHAT OF BESIDE VALUE HALF PLANTED", but the ratios
planted() {
	python3 - "$WORK/truth" "$WORK/$1/intervals.csv" <<-'PY'
		import csv, json, sys
		truth = json.load(open(sys.argv[1]))
		full = {k: p["self"]["4"] / p["self"]["2"] for k, p in truth["profiles"].items()}
		pair = {(p["of"], p["beside"]): p["slowdown"] for p in truth["pairs"]}
		for row in csv.DictReader(open(sys.argv[2])):
		    of, beside = row["of"], row["beside"]
		    if row["what"] != "ratio":
		        print(row["what"], of, beside or "-", row["value"], row["half"],
		              pair[of, beside] if beside else full[of])
	PY
}

# --- what is refused -----------------------------------------------------------------------

cluster --nodes 8 --conf "$WORK/partitions"
refused "no budget" "no --budget" --folder r a.sh
refused "no script" "'nobody.sh': No such file" --budget 1 --folder r nobody.sh
refused "no batch script" "does not begin with #!" --budget 1 --folder r truth
refused "an exclusive partition" "whole nodes" --budget 1 --folder r --unconstrained \
	--sbatch '-p whole' a.sh
refused "too few nodes" "1 usable nodes" --budget 1 --folder r --unconstrained \
	--sbatch '--partition=few' a.sh
refused "nodes for more" "8 usable nodes" --budget 1 --folder r --unconstrained --nodes 5 a.sh
refused "jobs that are not bound" "not bound to their cores" --budget 1 --folder r a.sh
refused "processes that do not halve" "no room for whole processes" --budget 1 --folder r \
	--unconstrained --cpus-per-task 2 a.sh
refused "options that it sets itself" "sets itself" --budget 1 --folder r --unconstrained \
	--sbatch '-A x --exclusive' a.sh
refused "two programs of one name" "called 'a'" --budget 1 --folder r --unconstrained a.sh ./a.sh
printf '#!/bin/sh\n#SBATCH -a 1-3\n' >"$WORK/array.sh"
refused "a job array" "#SBATCH has '-a'" --budget 1 --folder r --unconstrained array.sh

mkdir "$WORK/own" && cp "$WORK/a.sh" "$WORK/own/job.sh"
refused "a folder with a job.sh of the user's" "other files \('job.sh'\)" --budget 1 \
	--folder own --unconstrained own/job.sh
ok "it is as it was" cmp "$WORK/a.sh" "$WORK/own/job.sh"

# --- interrupted, killed, taken up ---------------------------------------------------------

ab=(--budget 2 --at-once 4 --half-width 6 a.sh b.sh)
run m "${ab[@]}" &
pid=$!
ok "programs run alone" wait_for 60 has_runs m 4
stop() { # SIGNAL: to the command that $pid runs
	kill -"$1" "$(pgrep -P $pid cosched || echo $pid)"
}
stop INT
wait $pid
is "interrupted: it ends by SIGINT" "$?" 130
like "and says what is kept" "$(tail -n 1 "$WORK/m.out")" \
	"interrupted: [0-9]+ of 7 experiments are measured.*the same command continues"
ok "none of its jobs is left" wait_for 5 no_job_left
before=$(runs m)

run m "${ab[@]}" &
pid=$!
ok "pairs run" wait_for 90 pair_runs m
sleep 2
stop KILL
wait $pid 2>/dev/null
isnt "kill -9: its jobs run on" "$(ours_left)" ""
left=$(ours_left | cut -d ' ' -f 2)
ok "more runs are recorded" test "$(runs m)" -gt "$before"
refused_lock() { # a second command on the same folder
	(flock -n 8 || exit 1; run m "${ab[@]}") 8>>"$WORK/m/lock"
}
nok "two commands do not measure in one folder" refused_lock
like "the second says so" "$(cat "$WORK/m.out")" "another command measures in "
start=$SECONDS
run m "${ab[@]}"
is "taken up again it measures the rest" "$? $(tail -n 1 "$WORK/m.out" | cut -d ' ' -f 1-4)" \
	"0 7 experiments are measured,"
echo "# it took $((SECONDS - start)) s"
for j in $left; do
	isnt "job $j of the command that was killed has ended" "$(state "$j")" RUNNING
done
is "no job is left" "$(ours_left)" ""
# of each job the last run may have been spoiled or not looked after
full=$(grep -lE '^job [0-9]+ [01] ' "$WORK"/m/job.[0-9]*)
# shellcheck disable=SC2086
recorded=$(cat $full | grep -c '^run ')
counted=$(awk '!/^#/ { n += $4 } END { print n }' "$WORK/m/alone")
ok "runs alone of all three count ($counted of $recorded)" \
	test "$counted" -ge $((recorded - $(wc -w <<<"$full")))
! ours || is "no core was held twice" "$(grep -c 'held twice' "$CTLD_LOG")" 0

# --- what it measured -----------------------------------------------------------------------

planted m >"$WORK/slowdowns"
sed 's/^/# /' "$WORK/slowdowns"
is "all slowdowns are there" "$(wc -l <"$WORK/slowdowns")" 6
is "each within 8 % of what was planted" "$(awk '{ e = $4 / $6 - 1 } e > .08 || e < -.08' \
	"$WORK/slowdowns")" ""
is "with an interval of 6 % at most" "$(awk '$5 > .0605 * $4' "$WORK/slowdowns")" ""
ok "the profile file is well formed" "$COSCHED" profile check "$WORK/m/profiles.json"
like "its rules match nobody yet" "$(cat "$WORK/m/profiles.json")" '"user":"FILL-IN-A-USER"'
like "the page says which pairs may share" "$(cat "$WORK/m/index.html")" \
	'[0-9] of 3 measured pairs slow each other by at most 1.25'
ok "from-corun reads the tables" "$COSCHED" profile from-corun "$WORK/m/table" "$WORK/m/alone"
is "its table has both directions of all pairs" "$(grep -vc '^#' "$WORK/m/table")" 4
run m "${ab[@]}"
is "once more: nothing is left to do" "$? $(wc -l <"$WORK/m.out")" "0 1"
echo >>"$WORK/a.sh"
run m "${ab[@]}"
is "a program that has changed is refused" "$? $(cat "$WORK/m.out")" \
	"2 cosched: profile: '$WORK/m' has a measurement with programs that have changed since, expected the same or another --folder"
program a

# --- ends of the command at other moments -------------------------------------------------------

# the signals that end it, when a job has just been submitted, and when a pair runs
submitted() {
	grep -qs '"job":' "$WORK/$1/state"
}
few=(--budget 1 --at-once 2 --half-width 20 a.sh)
for signal in TERM HUP; do
	run "e$signal" "${few[@]}" &
	pid=$!
	ok "SIG$signal: a job is submitted" wait_for 20 submitted "e$signal"
	stop $signal
	wait $pid
	is "SIG$signal: it ends by it" "$(kill -l $?)" $signal
	is "SIG$signal: one line" "$(wc -l <"$WORK/e$signal.out")" 1
	ok "SIG$signal: none of its jobs is left" wait_for 5 no_job_left
done
run eHUP "${few[@]}" &
pid=$!
ok "SIGHUP: a pair runs" wait_for 60 pair_runs eHUP
stop HUP
wait $pid
is "SIGHUP beside: it ends by it" "$?" 129
ok "SIGHUP beside: none of its jobs is left" wait_for 5 no_job_left

# a partition whose time limit is below that of --limit: jobs of an hour would wait for ever
run q --sbatch '-p short' "${few[@]}" &
pid=$!
ended() {
	! kill -0 "$pid" 2>/dev/null
}
ok "a partition of four minutes: it measures in time" wait_for 90 ended
ended || stop INT
wait $pid
is "a partition of four minutes: it measures" "$?" 0

# who reads its messages ends before it
(cd "$WORK" && exec "$COSCHED" profile run --unconstrained --folder eTERM "${few[@]}" \
	2> >(exec true) >"$WORK/eTERM.out")
is "nobody reads its messages: it measures" "$? $(cut -d ' ' -f 1-4 "$WORK/eTERM.out")" \
	"0 3 experiments are measured,"

# kill -9 while it submits: before sbatch has asked for the job, or before the number is
# written anywhere. The job must not stay beside those of the next command.
mkdir "$WORK/early" "$WORK/late"
real=$(command -v sbatch)
# shellcheck disable=SC2016
printf '#!/bin/sh\nkill -9 $PPID\nsleep 4\nexec %s "$@"\n' "$real" >"$WORK/early/sbatch"
# shellcheck disable=SC2016
printf '#!/bin/sh\n%s "$@"\nkill -9 $PPID\n' "$real" >"$WORK/late/sbatch"
chmod +x "$WORK/early/sbatch" "$WORK/late/sbatch"
for when in late early; do
	PATH=$WORK/$when:$PATH run "k$when" "${few[@]}"
	is "killed, $when: by kill -9" "$?" 137
	[ $when = early ] || isnt "killed, $when: the job is there" "$(ours_left)" ""
	run "k$when" "${few[@]}"
	is "killed, $when: taken up it measures" "$? $(tail -n 1 "$WORK/k$when.out" | cut -d ' ' -f 1-4)" \
		"0 3 experiments are measured,"
	is "killed, $when: no job is left" "$(ours_left)" ""
	is "killed, $when: nothing failed" "$(grep -c 'no run counts' "$WORK/k$when.out")" 0
done

# the state cannot be written, as on a full disk
run d "${few[@]}" &
pid=$!
ok "disk full: runs are recorded" wait_for 30 has_runs d 1
mkdir "$WORK/d/state.$(hostname).$(pgrep -P $pid cosched || echo $pid).new"
start=$SECONDS
wait $pid
is "disk full: exit status 2" "$?" 2
ok "disk full: soon" test $((SECONDS - start)) -lt 20
is "disk full: one line" "$(wc -l <"$WORK/d.out")" 1
like "disk full: it says what" "$(cat "$WORK/d.out")" "^cosched: profile: '$WORK/d/state.*: Is a directory"
is "disk full: no job is left" "$(ours_left)" ""
had=$(runs d)
rmdir "$WORK"/d/state.*.new
run d "${few[@]}"
is "disk full: with room it continues" "$? $(tail -n 1 "$WORK/d.out" | cut -d ' ' -f 1-4)" \
	"0 3 experiments are measured,"
ok "disk full: what was recorded is there" test "$(runs d)" -gt "$had"

# a state that is not ours
for text in '' '{' '{"version":1}' '[]' "$(head -c 300 "$WORK/d/state")"; do
	printf %s "$text" >"$WORK/d/state"
	run d "${few[@]}"
	is "state '${text:0:15}': exit status 2, one line" "$? $(wc -l <"$WORK/d.out")" "2 1"
	like "state '${text:0:15}': it says which" "$(cat "$WORK/d.out")" "'$WORK/d/state'.*, expected the state of a measurement"
	is "state '${text:0:15}': it is as it was" "$(cat "$WORK/d/state")" "$text"
done
truncate -s 1T "$WORK/d/state"
run d "${few[@]}"
like "a huge state" "$? $(cat "$WORK/d.out")" "^2 .*has 1099511627776 bytes, expected the state"

# suspended: what the clock shows then is not the program's
run u "${few[@]}" &
pid=$!
ok "suspended: runs are recorded" wait_for 30 has_runs u 1
on=$(squeue -h -t R -o %i | head -n 1)
scontrol suspend "$on" && sleep 3 && scontrol resume "$on"
wait $pid
is "suspended: it measures" "$?" 0
is "suspended: a run is marked" "$(cat "$WORK/u"/job.[0-9]* | grep -c '^run .* 0 suspended')" 1
is "suspended: it does not count" "$(planted u |
	awk '{ e = $4 / $6 - 1; n++ } e > .2 || e < -.2; END { if (n != 2) print n, "lines" }')" ""

# --- what fails --------------------------------------------------------------------------------

run f --budget 1 --at-once 4 --half-width 20 a.sh fails.sh
is "a program that fails: exit status 1" "$?" 1
like "it says which, and with what" "$(tail -n 1 "$WORK/f.out")" \
	"3 of 7 experiments are measured: 'fails alone on full nodes': the program ended with status 3"
is "the other is measured" "$(grep -vc '^#' "$WORK/f/table")" 1

# a job that somebody cancels: another one takes its place. Strangers who share with nobody
# are left alone.
for i in 1 2 3 4; do
	vc run --user nobody sbatch --parsable -D /tmp -o /dev/null -t 10 -w n$i -N1 -n1 --mem=10 \
		--comment=cosched:share=no --wrap 'sleep 600' </dev/null >/dev/null
done
strangers_run() {
	[ "$(squeue -h -t R -u nobody -o %i | wc -l)" = 4 ]
}
ok "strangers run on half of the nodes" wait_for 20 strangers_run
run k --budget 1 --half-width 20 a.sh &
pid=$!
wait_for 30 has_runs k 1
scancel "$(squeue -h -t R -n "$(squeue -h -o %j | grep cosched-profile | head -n 1)" -o %i | head -n 1)"
wait $pid
is "a job that was cancelled: it measures all the same" "$?" 0
is "on nodes without strangers" "$(sed -n 's/^cores Nodes=\([^ ]*\) .*/\1/p' "$WORK/k"/job.[0-9]* |
	while read -r nodes; do scontrol show hostnames "$nodes"; done | grep -c '^n[1-4]$')" 0
clear_jobs

# other jobs of the same user come to the nodes: no run counts
spread_runs() {
	grep -lsE '^job [0-9]+ 1 a' "$WORK/s"/job.[0-9]* >"$WORK/spread" &&
		xargs grep -q '^start ' <"$WORK/spread"
}
program a
run s --budget 1 --half-width 20 --sbatch '-w n1,n2' --nodes 1 a.sh
is "nodes are its own to choose" "$?" 2
run s --budget 1 --half-width 20 a.sh &
pid=$!
ok "the program runs on spread nodes" wait_for 30 spread_runs
on=$(squeue -h -t R -j "$(sed 's/.*\.//' "$WORK/spread")" -o %N)
third=$(job -w "$on" -N2 --ntasks-per-node=1 --mem=10 --exclusive=user)
running "$third" || bad "a third job runs there" "$(squeue)"
ok "no run counts then" wait_for 30 grep -q \
	"a alone on spread nodes: no run counts: job $third was on its nodes" "$WORK/s.out"
scancel "$third"
wait $pid
is "without it they do" "$?" 0

# --- budget ---------------------------------------------------------------------------------------

run p --budget .0001 a.sh b.sh
is "a budget of nothing: exit status 1" "$?" 1
is "one line" "$(wc -l <"$WORK/p.out")" 1
like "that says so" "$(cat "$WORK/p.out")" "0 of 7 .* 0 of 0.0001 node-hours .*, expected a larger --budget"
is "no job" "$(find "$WORK/p" -name 'job.[0-9]*')" ""
run p --budget .05 --at-once 2 a.sh b.sh
is "a small budget: exit status 1" "$?" 1
like "it says what is spent" "$(tail -n 1 "$WORK/p.out")" "of 7 .* of 0.05 node-hours are spent"
ok "not much more than that" awk "$(sed -n 's/.*: \([0-9.]*\) of 0.05 node-hours.*/BEGIN { exit !(\1 <= .0505) }/p' "$WORK/p.out")"
had=$(runs p)
run p --budget 1 --at-once 4 --half-width 20 a.sh b.sh
is "with more it continues" "$?" 0
ok "and keeps what it had" test "$(runs p)" -gt "$had"

log_is_clean

# --- other nodes, stock Slurm ---------------------------------------------------------------------

cluster_down
export EMULATED_NODE=1x4 # one socket, two threads a core
cluster --stock --name threads --nodes 4 --sockets 1 --cores 4 --threads 2
run t --budget 1 --at-once 2 --half-width 20 a.sh
is "one socket, two threads a core: it measures" "$? $(tail -n 1 "$WORK/t.out" | cut -d ' ' -f 1-4)" \
	"0 3 experiments are measured,"
is "within 12 % of what was planted" "$(planted t |
	awk '{ e = $4 / $6 - 1; n++ } e > .12 || e < -.12; END { if (n != 2) print n, "lines" }')" ""
cluster_down

# --- how many intervals hold what was planted -----------------------------------------------------

want=${COSCHED_INTERVALS:-$([ -n "${FULL:-}" ] && echo 60 || echo 0)}
[ "$want" -gt 0 ] || exit 0
export EMULATED_NODE=2x2 MILLISECONDS=4000 SCATTER=.03
cluster --nodes 8
: >"$WORK/all"
for ((i = 1; $(wc -l <"$WORK/all") < want; i++)); do
	SEED=$((${CS_TEST_SEED:-1} * 1000 + i))
	for name in a b c; do program $name; done
	run "i$i" --budget 20 --at-once 4 a.sh b.sh c.sh
	is "measurement $i: all 12 experiments" "$? $(tail -n 1 "$WORK/i$i.out" | cut -d ' ' -f 1)" "0 12"
	planted "i$i" | tee -a "$WORK/all" | sed 's/^/# /'
	[ "$(wc -l <"$WORK/all")" -ge $((12 * i)) ] || break
done
counts=$(awk '{ e = $4 - $6; e = e < 0 ? -e : e; hold += e <= $5; far += e > 4 * $5; n++ }
	END { printf "%d %d %.3f %d", n, hold, hold / n, far }' "$WORK/all")
echo "# intervals, of which hold, share, off by more than twice the width: $counts"
ok "90 to 99 % of the intervals hold what was planted" \
	awk "BEGIN { split(\"$counts\", c, \" \"); exit !(c[3] >= .90 && c[3] <= .99) }"
is "none is off by more than twice its width" "${counts##* }" 0
log_is_clean

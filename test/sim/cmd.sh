#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cosched sim as a user runs it: its files byte for byte, that its logs keep the
# rules, and that whatever is wrong gets one line, status 2 and leaves no file.
set -u
src=${srcdir:-.}/test/sim
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

same() { # file, as it should be
	diff -u "$2" "$1" || fail "$1 is not $2"
}

# The header and the parameters change with every release.
without_params() {
	sed '/"wall_seconds"/d; /"params":{/,/}/d; /"version"/d' "$1"
}

ok() { # words of cosched ...
	./cosched "$@" > "$tmp/out" 2> "$tmp/err" || {
		cat "$tmp/err"
		fail "cosched $*"
	}
	# two lines of small.swf are no jobs of this machine, which is the only thing told
	grep -vE ': skipped [12] of 6 lines: 1 without a run time(, 1 larger than the machine)?$' \
		"$tmp/err" > "$tmp/more" && fail "cosched $*: $(cat "$tmp/more")"
	:
}

mkdir "$tmp/files"
bad() { # part of the message, words of cosched sim ...
	want=$1
	shift
	./cosched sim "$@" > "$tmp/out" 2> "$tmp/err"
	[ $? = 2 ] || fail "cosched sim $*: status is not 2"
	[ "$(wc -l < "$tmp/err")" = 1 ] || fail "cosched sim $*: not one line"
	grep -qF -e "$want" "$tmp/err" ||
		fail "cosched sim $*: '$(cat "$tmp/err")', expected '$want'"
	[ ! -s "$tmp/out" ] || fail "cosched sim $*: something on stdout"
	[ -z "$(ls -A "$tmp/files")" ] ||
		fail "cosched sim $*: left $(ls -A "$tmp/files")"
}

# ---- files

ok sim --machine 4x1x1 --policy easy --events "$tmp/events" \
	--jobs "$tmp/jobs" --summary "$tmp/summary" "$src/small.swf"
grep -q '^mean wait .* 56.2  s$' "$tmp/out" || fail "no mean wait for people"
sed 1d "$tmp/events" > "$tmp/events.tail"
without_params "$tmp/summary" > "$tmp/summary.part"
same "$tmp/events.tail" "$src/small.events"
same "$tmp/jobs" "$src/small.jobs"
same "$tmp/summary.part" "$src/small.summary"
ok check "$tmp/events"
[ "$(find "$tmp" -name '*.new' | wc -l)" = 0 ] || fail "a file is left over"

ok sim --machine 4x1x1 --events - "$src/small.swf"
same "$tmp/out" "$tmp/events"
ok sim --machine 4x1x1 --jobs - - < "$src/small.swf"
same "$tmp/out" "$src/small.jobs"
ok sim --machine 4x1x1 --summary - "$src/small.swf"
without_params "$tmp/out" > "$tmp/summary.part"
same "$tmp/summary.part" "$src/small.summary"
ok sim --sites 2x4 --policy multisite "$src/small.swf"
grep -q '^weighted response  *75.9  s, by each job.s work (awrt); wait 6.2 s (awwt)$' \
	"$tmp/out" || fail "no AWRT for people"
grep -q '^over several sites  *1  jobs, over 2.00 each, for 65 node seconds$' \
	"$tmp/out" || fail "no jobs over several sites for people"
ok sim --machine 4x1x1 --estimates exact --set backfill=none --summary - \
	"$src/small.swf"
grep -q '"trace_estimates":"exact"' "$tmp/out" || fail "estimates are not exact"
grep -q '"backfill":"none"' "$tmp/out" || fail "--set does not count"

# ---- jobs that share

cat > "$tmp/profiles" << 'PROFILES'
{"version":1,
 "profiles":{"cg":{"self":{"1":1,"2":1.02,"4":1.6}},
             "io":{"self":{"1":1,"2":1.01,"4":1.5}}},
 "pairs":[{"of":"cg","beside":"io","slowdown":1.1},
          {"of":"io","beside":"cg","slowdown":1.1}],
 "rules":[{"name":"e7","profile":"cg"},{"name":"e8","profile":"io"}]}
PROFILES
awk 'BEGIN { for (i = 1; i <= 40; i++)
	print i, 100 * i, -1, 700 + 97 * i % 1000, 1 + i % 7, -1, -1, 1 + i % 7,
	      2000, -1, 1, 1 + i % 3, 1, 7 + i % 2, 1, 1, -1, -1 }' > "$tmp/swf"
for policy in pack ssp cst cstws; do
	ok sim --machine 4x2x2 --policy $policy --seed 7 \
		--profiles "$tmp/profiles" --events "$tmp/a" "$tmp/swf"
	ok check "$tmp/a"
	ok sim --machine 4x2x2 --policy $policy --seed 7 \
		--profiles "$tmp/profiles" --events "$tmp/b" "$tmp/swf"
	same "$tmp/b" "$tmp/a"
done
grep -q '"role":"matched"' "$tmp/a" || fail "nobody shares under cstws"

# ---- jobs that obey another truth

truth() { # words of cosched sim ...: the figures of a truth
	ok sim --machine 4x2x2 --policy cst --profiles "$tmp/profiles" \
		--summary - "$@" "$tmp/swf"
	without_params "$tmp/out"
}
truth > "$tmp/a"
! grep -q 'shared_jobs\|"truth' "$tmp/a" || fail "a truth that nobody gave"
truth --truth "$tmp/profiles" > "$tmp/b"
grep -q '"promise_broken":0,' "$tmp/b" || fail "a promise is broken by itself"
grep -v '"\(shared_jobs\|promise_broken\|packed_broken\|true_slowdown_.*\|predicted_slowdown_.*\|beyond_.*\|rr_all_p99\|truth.*\)":' \
	"$tmp/b" > "$tmp/c"
same "$tmp/c" "$tmp/a"
sed 's/"slowdown":1.1}/"slowdown":1.9}/' "$tmp/profiles" > "$tmp/truth"
truth --truth "$tmp/truth" --truth-noise 2.5 > "$tmp/b"
grep -q '"truth_noise":2.5' "$tmp/b" || fail "the noise is not told"
[ "$(sed -n 's/.*"shared_jobs":\(.*\),/\1/p' "$tmp/b")" = \
	"$(sed -n 's/.*"promise_broken":\(.*\),/\1/p' "$tmp/b")" ] ||
	fail "all promises should be broken: $(cat "$tmp/b")"
grep -q '"true_slowdown_p99":1.9,' "$tmp/b" || fail "no true slowdown of 1.9"
ok sim --machine 4x2x2 --policy cst --profiles "$tmp/profiles" --truth "$tmp/truth" \
	--truth-noise 2.5 --events "$tmp/a" "$tmp/swf"
grep -q '^shared .* of groups slowed by more than 1.25' "$tmp/out" ||
	fail "people are not told: $(cat "$tmp/out")"
ok check "$tmp/a"
ok replay "$tmp/a"

# ---- estimates of starts: three users, whose jobs take a tenth of their limits

awk 'BEGIN { for (i = 1; i <= 300; i++)
	print i, 100 * i + i * 7 % 40, -1, 180 + i % 3 * 60 + i % 11, 1 + i % 3, -1, -1,
	      1 + i % 3, 3600, -1, 1, 1 + i % 3, 1, 1, 1, 1, -1, -1 }' > "$tmp/swf"
estimated() { # words of cosched sim ...
	ok sim --machine 5x1x1 --policy balanced --events "$tmp/a" --jobs "$tmp/jobs" \
		--summary "$tmp/b" --set start_estimates=yes "$@" "$tmp/swf"
	cp "$tmp/out" "$tmp/said"
	ok check "$tmp/a"
}
figure() { # key
	sed -n "s/^  \"$1\":\([0-9.]*\),\$/\1/p" "$tmp/b"
}
ok sim --machine 5x1x1 --policy balanced --jobs "$tmp/c" --summary - "$tmp/swf"
! grep -q '"estimate' "$tmp/out" || fail "estimates that nobody wanted"
estimated
grep -q "^estimated starts  *$(figure estimates)  of waits of a minute or more\$" "$tmp/said" ||
	fail "people are not told: $(cat "$tmp/said")"
same "$tmp/jobs" "$tmp/c" # nothing else changes
awk -v n="$(figure estimates)" -v off="$(figure estimate_error_p50_s)" \
	-v limits="$(figure estimate_error_limits_p50_s)" -v in_90="$(figure estimate_within_90)" \
	'BEGIN { exit !(n >= 100 && off < .5 * limits && in_90 > .8 && in_90 <= 1) }' ||
	fail "estimates: $(grep '"estimate' "$tmp/b")"
[ "$(grep -c '"ev":"estimate",' "$tmp/a")" -ge "$(figure estimates)" ] ||
	fail "estimates are not in the log"
ok replay "$tmp/a"
cp "$tmp/a" "$tmp/log"
estimated --seed 2
cmp -s "$tmp/a" "$tmp/log" && fail "the seed does not count"
wrong() { # what is wrong, the estimate's line and the engine's are told
	./cosched replay "$tmp/a" > "$tmp/out" 2>&1 && fail "replay: $1"
	grep -q '"ev":"estimate' "$tmp/out" || fail "replay: $1: $(cat "$tmp/out")"
}
awk '/"ev":"estimate"/ && ++n == 20 { sub(/"high":/, "&1") } { print }' "$tmp/log" > "$tmp/a"
wrong "another estimate"
awk '/"ev":"estimate"/ { if (++n == 20) print } { print }' "$tmp/log" > "$tmp/a"
wrong "an estimate twice"
awk '!/"ev":"estimate"/ || ++n != 20' "$tmp/log" > "$tmp/a"
wrong "an estimate less"
awk '!/"ev":"estimates"/ || ++n != 20' "$tmp/log" > "$tmp/a"
wrong "a set of estimates less"
sed 's/"start_estimates":"yes"/"start_estimates":"no"/' "$tmp/log" > "$tmp/a"
wrong "estimates that the header does not name"
ok replay --set passing=queue "$tmp/log"
# job 1 needs the node that is down: its line has no times, and its set counts
timeless() { # members of the line of job 1
	printf '{"ev":"header","version":1,"machine":{"nodes":2,"sockets":1,"cores":1},'
	printf '"params":{"policy":"easy","start_estimates":"yes"},"seed":1}\n'
	printf '{"t":0.000000,"ev":"node","node":1,"up":false}\n'
	printf '{"t":1.000000,"ev":"submit","job":1,"procs":2,"estimate":9}\n'
	printf '{"t":1.000000,"ev":"decide","actions":0}\n'
	printf '{"t":1.000000,"ev":"estimates"}\n'
	printf '{"t":1.000000,"ev":"estimate","job":1%s}\n' "$1"
	printf '{"t":2.000000,"ev":"submit","job":2,"procs":2,"estimate":9}\n'
	printf '{"t":2.000000,"ev":"decide","actions":0}\n'
	printf '{"t":2.000000,"ev":"estimates"}\n'
	printf '{"t":2.000000,"ev":"estimate","job":2}\n'
}
timeless '' > "$tmp/a"
ok check "$tmp/a"
ok replay "$tmp/a"
timeless ',"start":9.000000,"low":9.000000,"high":9.000000,"limits":9.000000' > "$tmp/a"
wrong "an estimate of a job that does not start"
# slurmctld's sets take a while: job 1 ends while the one of job 2 is made
late() { # the line of job 2 up to its times
	printf '{"ev":"header","version":1,"machine":{"nodes":1,"sockets":1,"cores":1},'
	printf '"params":{"policy":"easy","start_estimates":"yes"},"seed":1}\n'
	printf '{"t":1.000000,"ev":"submit","job":1,"procs":1,"estimate":9}\n'
	printf '{"t":1.000000,"ev":"decide","actions":1}\n'
	printf '{"t":1.000000,"ev":"start","job":1,"seq":1,"ppn":1,"alloc":{"0":"0"},'
	printf '"case":5,"slowdown":1.000000,"gain":0.000000,"limit":9}\n'
	printf '{"t":2.000000,"ev":"submit","job":2,"procs":1,"estimate":9}\n'
	printf '{"t":2.000000,"ev":"decide","actions":0}\n'
	printf '{"t":2.000000,"ev":"estimates"}\n'
	printf '{"t":4.000000,"ev":"finish","job":1}\n'
	printf '{%s,"start":10,"low":10,"high":10,"limits":10}\n' "$1"
}
late '"t":4.000000,"ev":"estimate","job":2,"began":2' > "$tmp/a"
ok check "$tmp/a"
ok replay "$tmp/a"
late '"t":4.000000,"ev":"estimate","job":2' > "$tmp/a"
wrong "an estimate of a set that began later"
late '"t":2.000000,"ev":"estimate","job":2' > "$tmp/a"
./cosched check "$tmp/a" > "$tmp/out" 2>&1 && fail "check: time goes back"
bad "'start_estimates' is 'yes', expected 'no', or slice=none beside it" --machine 4x1x1 \
	--policy pect --set start_estimates=yes "$tmp/swf"
bad "'start_estimates' is 'yes', expected 'no', or learn=off or propose beside it" \
	--machine 4x1x1 --policy cover --set start_estimates=yes --set learn=use "$tmp/swf"

# ---- a log from before depth_of: the blocked job uses up the depth

blocked() { # members of the header's params: the log of two jobs, the first blocked
	printf '{"ev":"header","version":1,"machine":{"nodes":1,"sockets":1,"cores":2},'
	printf '"params":{"policy":"easy","depth":1%s},"seed":1}\n' "$1"
	printf '{"t":0.000000,"ev":"submit","job":1,"procs":1,"estimate":9,"flags":["blocked"]}\n'
	printf '{"t":0.000000,"ev":"submit","job":2,"procs":1,"estimate":9}\n'
	printf '{"t":0.000000,"ev":"decide","actions":0}\n'
	printf '{"t":1.000000,"ev":"tick"}\n{"t":1.000000,"ev":"decide","actions":0}\n'
}
blocked '' > "$tmp/a"
ok replay "$tmp/a"
blocked ',"depth_of":"queue"' > "$tmp/a"
ok replay "$tmp/a"
blocked ',"depth_of":"partition"' > "$tmp/a"
! ./cosched replay "$tmp/a" > "$tmp/out" 2>&1 || fail "job 2 does not start: $(cat "$tmp/out")"
grep -q 'start' "$tmp/out" || fail "job 2 does not start: $(cat "$tmp/out")"

# ---- a truth of measured co-runs

printf 'cg io .95 3\nio cg 1.05 3\nio io .8 1\n' > "$tmp/table"
printf '# code seconds processes runs\ncg 100 16 2\nio 50 16 2\n' > "$tmp/alone"
ok profile from-corun --node 2x4 "$tmp/table" "$tmp/alone"
cp "$tmp/out" "$tmp/truth"
grep -q '"cg":{"self":{"1":1,"4":1,"8":1.05263}}' "$tmp/truth" ||
	fail "from-corun: $(cat "$tmp/truth")"
grep -q '"of":"io","beside":"cg","slowdown":1.3125}' "$tmp/truth" ||
	fail "from-corun: $(cat "$tmp/truth")"
ok profile check "$tmp/truth"
grep -q ': ok, 2 profiles, 4 pairs, 4 rules' "$tmp/out" || fail "$(cat "$tmp/out")"
ok profile from-corun --measured "$tmp/table" "$tmp/alone"
[ "$(grep -c '"of"' "$tmp/out")" = 3 ] || fail "a pair that nobody measured"
ok sim --machine 4x2x4 --truth "$tmp/truth" "$tmp/swf"
for words in "from-corun $tmp/table" "check --measured $tmp/truth" \
	"from-corun --node 1x1 $tmp/table $tmp/alone" \
	"from-corun --node 2 $tmp/table $tmp/alone" \
	"from-corun $tmp/alone $tmp/alone" "from-corun /no $tmp/alone"; do
	# shellcheck disable=SC2086 # words
	./cosched profile $words > "$tmp/out" 2> "$tmp/err"
	[ $? = 2 ] && [ "$(wc -l < "$tmp/err")" = 1 ] && [ ! -s "$tmp/out" ] ||
		fail "profile $words: $(cat "$tmp/err" "$tmp/out")"
done

# ---- campaigns from field 14

awk '{ $14 = NR % 5 ? 100 + NR % 3 : -1; print }' "$tmp/swf" > "$tmp/campaigns"
ok sim --machine 4x2x2 --policy ostrich-paper --campaigns field14 --events "$tmp/a" \
	"$tmp/campaigns"
sed -n '/"ev":"submit"/s/.*"job":\([0-9]*\),.*"campaign":"\([^"]*\)".*/\1 \2/p' \
	"$tmp/a" > "$tmp/named"
awk '$14 >= 0 { print $1, "e" $14 }' "$tmp/campaigns" > "$tmp/wanted"
same "$tmp/named" "$tmp/wanted"
# jobs 1 and 2 are one campaign of user 5 then
ok sim --machine 4x1x1 --campaigns field14 --summary - "$src/small.swf"
grep -q '"stretch_median":1.5,' "$tmp/out" ||
	fail "the stretch is not of campaigns: $(grep stretch "$tmp/out")"

# ---- as slurmctld would

set -- --machine 4x2x2 --summary - "$tmp/swf"
params() {
	sed -n '/"params":{/,/}/s/^ *"\([a-z_0-9]*\)":"\{0,1\}\([^",]*\).*/\1 \2/p' "$tmp/out"
}
ok params --differences
sed '1,/^KEY/d' "$tmp/out" > "$tmp/differ"
grep -q '^unprofiled ' "$tmp/differ" || fail "no table: $(cat "$tmp/differ")"
ok sim --policy balanced "$@"
params > "$tmp/sim"
ok sim --live-defaults "$@"
params > "$tmp/live"
while read -r key live sim; do
	case $key in
	mode)		live=act ;; # a simulation always is
	learn)		live=off ;; # propose decides nothing
	stock_every_s)	live=30 ;; # bf_interval's default, as in slurmctld
	horizon_s)	live=86400 ;; # bf_window's
	reserve_age_s)	live=0 ;; # bf_min_age_reserve's
	esac
	grep -qxF "$key $live" "$tmp/live" || fail "--live-defaults: $key"
	grep -qxF "$key $sim" "$tmp/sim" || fail "without: $key"
done < "$tmp/differ"
grep -qxF 'policy balanced' "$tmp/live" || fail "--live-defaults: policy"
[ "$(diff "$tmp/sim" "$tmp/live" | grep -c '^>')" = \
	"$(grep -Evc '^(mode|learn|stock_every_s|reserve_age_s) ' "$tmp/differ")" ] || fail "other keys differ too"
ok sim --live-defaults --set unprofiled=model --policy easy "$@"
params | grep -qx 'unprofiled model' || fail "--set over --live-defaults"
./cosched sim --live-defaults --set small=model --policy easy "$@" > "$tmp/out" 2> "$tmp/err" ||
	fail "an old name: refused"
params | grep -qx 'unprofiled model' || fail "an old name: not taken"
grep -qx "cosched: sim: 'small' is the old name of unprofiled: the next release refuses it" \
	"$tmp/err" || fail "an old name: $(cat "$tmp/err")"
params | grep -qx 'place space' || fail "--policy over --live-defaults"

# ---- jobs spread for partners that do not come

noted() { # words of cosched sim ...: how many notes
	ok sim --machine 2x2x2 --set n_high=3 "$@" "$tmp/swf"
	grep -c '^note: in high load 100 % of the nodes were held, but 50 % of' \
		"$tmp/out"
}
awk '{ $5 = $8 = 4 } 1' "$tmp/swf" > "$tmp/wide" && mv "$tmp/wide" "$tmp/swf"
[ "$(noted --policy cst)" = 1 ] || fail "no note: $(cat "$tmp/out")"
grep -q '^note: .* no jobs could share; see' "$tmp/out" || fail "the note's cause"
for words in '--policy cst --set layout=dense' '--policy cst --set unprofiled=pack' \
	'--policy easy' '--policy ssp' --live-defaults; do
	# shellcheck disable=SC2086 # words
	[ "$(noted $words)" = 0 ] || fail "$words: $(cat "$tmp/out")"
done

# ---- what is wrong

t=$src/small.swf
bad "no --machine" "$t"
bad "machine '4x1', expected" --machine 4x1 "$t"
bad "machine '9999999x2x2' is too large, expected at most 1000000 nodes" \
	--machine 9999999x2x2 "$t"
bad "'mode=off' says whether slurmctld asks" --machine 4x1x1 --set mode=off "$t"
bad "0 traces" --machine 4x1x1
bad "2 traces" --machine 4x1x1 "$t" "$t"
bad "unknown option '--nodes'" --machine 4x1x1 --nodes 4 "$t"
bad "'--set' needs a value" --machine 4x1x1 --set
bad "a preset" --machine 4x1x1 --policy nice "$t"
bad "unknown key" --machine 4x1x1 --set nice=1 "$t"
bad "key=value" --machine 4x1x1 --set nice "$t"
bad "key=value" --machine 4x1x1 --set depth=1,retry_s=5 "$t"
bad "given twice" --machine 4x1x1 --seed 1 --set seed=2 "$t"
bad "a whole number" --machine 4x1x1 --seed 1.5 "$t"
bad "rule or field14" --machine 4x1x1 --campaigns some "$t"
bad "trace or exact" --machine 4x1x1 --estimates good "$t"
bad "expected once" --machine 4x1x1 --jobs - --events - "$t"
bad "No such file" --machine 4x1x1 --jobs "$tmp/files/j" "$tmp/no"
bad "No such file" --machine 4x1x1 --profiles "$tmp/no" "$t"
bad "No such file" --machine 4x1x1 --truth "$tmp/no" "$t"
bad "expected both" --machine 4x1x1 --truth-noise 2 "$t"
for noise in -1 nan 101 2% ''; do
	bad "expected per cent from 0 to 100" --machine 4x1x1 \
		--truth "$tmp/profiles" --truth-noise "$noise" "$t"
done
bad "No such file" --machine 4x1x1 --jobs "$tmp/files/j" \
	--events "$tmp/no/events" "$t"
bad "expected" --machine 4x1x1 --jobs "$tmp/files/j" "$src/cmd.sh"

# ---- a signal: nothing is left, and the status tells it

# At its input, at work, in a process of its own.
stopped() { # signal, its number, words of cosched ...
	signal=$1
	number=$2
	shift 2
	rm -f "$tmp/fifo"
	mkfifo "$tmp/fifo"
	env --default-signal ./cosched "$@" > "$tmp/out" 2> "$tmp/err" \
		< "$tmp/fifo" &
	pid=$!
	exec 3> "$tmp/fifo"
	i=0
	while [ -z "$(ls -A "$tmp/files")" ] && [ $i -lt 600 ]; do
		sleep .1
		i=$((i + 1))
	done
	[ $i -lt 600 ] || fail "cosched $*: no file within a minute"
	kill -s "$signal" $pid
	wait $pid
	got=$?
	exec 3>&-
	[ $got = $((128 + number)) ] ||
		fail "cosched $*: status $got after SIG$signal"
	[ -z "$(ls -A "$tmp/files")" ] ||
		fail "SIG$signal: cosched $* left $(ls -A "$tmp/files")"
}

f=$tmp/files
for signal in HUP=1 INT=2 TERM=15; do
	stopped ${signal%=*} ${signal#*=} sim --machine 4x1x1 \
		--events "$f/e" --jobs "$f/j" --summary "$f/s" -
done
./cosched workload lublin --jobs 100000 --alpha 9 > "$tmp/long.swf"
stopped INT 2 sim --machine 128x1x1 --policy conservative --events "$f/e" \
	"$tmp/long.swf"
for width in 1 2; do
	stopped INT 2 compare --machine 128x2x2 --policies glts,cst \
		--workload w1 --jobs 100000 -j $width --summary "$f/s" \
		--html "$f/h"
done

# ---- GPUs: two kinds of nodes; a job that needs none leaves the node with some, parts share
# one GPU, of jobs with whole ones the second waits, and what is too large is left out
./cosched sim --machine 1x1x4+1x1x4 --gpus 0+a100:2 --policy pack --events "$tmp/gpus.events" \
	--jobs "$tmp/gpus.jobs" --summary "$tmp/gpus.json" "$src/gpus.swf" > "$tmp/out" 2> "$tmp/err" ||
	fail "GPUs: $(cat "$tmp/err")"
grep -q '1 larger than the machine' "$tmp/err" || fail "GPUs: $(cat "$tmp/err")"
same "$tmp/gpus.jobs" "$src/gpus.jobs"
for line in '"job":1,.*"alloc":{"0":' '"job":2,.*"node_gpus":{"1":"0"}' \
	'"job":3,.*"node_gpus":{"1":"0"}' '"job":4,.*"node_gpus":{"1":"0-1"}'; do
	grep '"ev":"start"' "$tmp/gpus.events" | grep -q "$line" || fail "GPUs: no start with $line"
done
for line in '"gpus":2' '"gpu_jobs":3' '"gpu_utilization":0.75' '"gpu_longest_wait_s":10'; do
	tr -d ' ' < "$tmp/gpus.json" | grep -q "^$line,$" || fail "GPUs: no $line in the summary"
done
./cosched check "$tmp/gpus.events" > "$tmp/out" || fail "GPUs: $(cat "$tmp/out")"
./cosched replay "$tmp/gpus.events" > "$tmp/out" || fail "GPUs: $(cat "$tmp/out")"
# GPUs on fewer nodes than the job has; parts of GPUs on one node with all processes; what no
# nodes hold is left out, and nothing waits for ever
cat > "$tmp/swf" <<- 'END'
	; MoreFields: nodes gpus gpu_share gpu_type
	; GpuTypeName: 7 a100
	; GpuTypeName: 8 t4
	1 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 -1 -1 -1 -1 4 2 0 0
	2 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 -1 -1 -1 -1 0 1 500 0
	3 0 -1 10 5 -1 -1 5 20 -1 1 1 1 1 -1 -1 -1 -1 0 1 500 7
	4 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 -1 -1 -1 -1 0 1 0 8
	5 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 -1 -1 -1 -1 0 3 500 0
	6 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 -1 -1 -1 -1 5 0 0 0
	7 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 -1 -1 -1 -1 0 8 0 7
	8 0 -1 10 9 -1 -1 9 20 -1 1 1 1 1 -1 -1 -1 -1 3 5 0 7
END
for policy in pack balanced easy conservative stock; do
	./cosched sim --machine 4x1x4 --gpus a100:2 --policy $policy --events "$tmp/a" \
		--jobs "$tmp/b" "$tmp/swf" > "$tmp/out" 2> "$tmp/err" ||
		fail "GPUs, $policy: $(cat "$tmp/err")"
	grep -q 'skipped 4 of 8 lines: 4 larger than the machine' "$tmp/err" ||
		fail "GPUs, $policy: $(cat "$tmp/err")"
	[ "$(awk '!/^#/ { printf "%d:%d ", $1, $6 }' "$tmp/b")" = "1:4 2:1 7:4 8:3 " ] ||
		fail "GPUs, $policy: $(cat "$tmp/b")"
	grep -q '"job":1,.*"node_gpus":{[^}]*:""' "$tmp/a" ||
		fail "GPUs, $policy: job 1 has some on each node"
	ok check "$tmp/a"
	ok replay "$tmp/a"
done
bad "GPUs 'x', expected N or TYPE:N" --machine 4x1x1 --gpus x "$t"
bad "for each of 1 kinds of nodes" --machine 4x1x1 --gpus 1+2 "$t"
bad "for each of 3 kinds of nodes" --machine 4x1x1+1x1x1+1x1x1 --gpus 1+2 "$t"
bad "expected --machine beside --gpus" --sites 2x4 --gpus 1 "$t"
bad "--gpus with slice=gang" --machine 4x1x1 --gpus 1 --policy bc "$t"
bad "machine '4x1x1+'" --machine 4x1x1+ "$t"

# who ignores a signal goes on
(
	trap '' TERM
	exec ./cosched sim --machine 4x1x1 --jobs "$f/j" - \
		< "$tmp/fifo" > "$tmp/out"
) &
pid=$!
exec 3> "$tmp/fifo"
while [ -z "$(ls -A "$f")" ]; do sleep .1; done
kill $pid
cat "$t" >&3
exec 3>&-
wait $pid || fail "an ignored signal is not ignored"
same "$f/j" "$src/small.jobs"
exit $status

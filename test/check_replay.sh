#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cosched replay as a user runs it: logs of the simulator byte for byte, a doctored
# line found, other parameters, and one line and status 2 for whatever is wrong.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

log() { # words of cosched sim ...: to $tmp/log
	./cosched sim --machine 32x2x2 --set slowdowns=table4 \
		--events "$tmp/log" "$@" "$tmp/trace" > "$tmp/out" 2>&1 ||
		fail "cosched sim $*: $(cat "$tmp/out")"
}

says() { # status, first line (a regex), words of cosched replay ...
	want=$1 line=$2
	shift 2
	./cosched replay "$@" > "$tmp/out" 2> "$tmp/err"
	got=$?
	[ $got = "$want" ] || fail "replay $*: status $got, expected $want"
	[ ! -s "$tmp/err" ] || fail "replay $*: $(cat "$tmp/err")"
	head -n 1 "$tmp/out" | grep -qE "$line" ||
		fail "replay $*: '$(head -n 1 "$tmp/out")', expected '$line'"
}

bad() { # part of the message, words of cosched replay ...
	want=$1
	shift
	./cosched replay "$@" > "$tmp/out" 2> "$tmp/err"
	[ $? = 2 ] || fail "replay $*: status is not 2"
	[ "$(wc -l < "$tmp/err")" = 1 ] || fail "replay $*: not one line"
	grep -qF -e "$want" "$tmp/err" ||
		fail "replay $*: '$(cat "$tmp/err")', expected '$want'"
}

# ---- what was decided is decided again

for seed in 1 2; do
	./cosched workload lublin --nodes 128 --jobs 150 --alpha 9 \
		--seed $seed > "$tmp/trace"
	for policy in fcfs easy conservative pack ssp cstws cst glts nh glts+ \
		ostrich ostrich,campaign_hold=strict glts,order=ostrich; do
		for slice in none pect; do
			# shellcheck disable=SC2046
			log --policy "${policy%%,*}" --set slice=$slice \
				$(echo "$policy" | sed 's/^[^,]*//;s/,/ --set /g') \
				--seed $seed
			says 0 '^same: [0-9]+ decides, [0-9]+ actions$' \
				"$tmp/log"
			./cosched check "$tmp/log" > "$tmp/out" ||
				fail "check: $(cat "$tmp/out")"
		done
	done
done

# jobs on the same cores
echo '{"version":1,"default":"w","profiles":{"w":{"waits":0.5}}}' > "$tmp/waits"
log --policy balanced --set mpl=2 --profiles "$tmp/waits"
says 0 '^same: [0-9]+ decides, [0-9]+ actions$' --profiles "$tmp/waits" "$tmp/log"
./cosched check "$tmp/log" > "$tmp/out" || fail "check: $(cat "$tmp/out")"
sed '1s/"mpl":2/"mpl":1/' "$tmp/log" > "$tmp/doctored"
./cosched check "$tmp/doctored" > "$tmp/out" && fail "no core has two jobs with mpl=2"
grep -q 'holds, expected a free core$' "$tmp/out" || fail "check: $(cat "$tmp/out")"

# shares by time of day, of a trace that says when it began
sed 's/^/; UnixStartTime: 848491200\n/; q' "$tmp/trace" > "$tmp/dated"
sed 1d "$tmp/trace" >> "$tmp/dated"
mv "$tmp/dated" "$tmp/trace"
log --policy glts --set slice=pect --set slice_shares=08:00/0.6+20:00/0.1
says 0 '^same: [0-9]+ decides, [0-9]+ actions$' "$tmp/log"
head -n 1 "$tmp/log" | grep -q '"unix_start_s":848491[0-9]*,' ||
	fail "the header does not say when the trace began"
tail -n +2 "$tmp/log" > "$tmp/dated"
log --policy glts --set slice=pect --set slice_shares=08:00/0.6+20:00/0.1 \
	--set slice_zone_s=43200
tail -n +2 "$tmp/log" | cmp -s - "$tmp/dated" && fail "the zone changes nothing"
says 0 '^same' "$tmp/log"

# ---- what was kept over a restart is told to the engine

kept() { # line of state: $tmp/log with it behind the header, in $tmp/doctored
	sed "1{p;s/.*/{\"t\":0.000000,\"ev\":\"kept\",\"line\":\"$1\"}/}" \
		"$tmp/log" > "$tmp/doctored"
}
log --policy ostrich
kept "clock 0 0 0 0" # as in the beginning
says 0 '^same' "$tmp/doctored"
kept "clock 0 5f5e10000000000 0 7"
says 1 ": they differ" "$tmp/doctored"
grep -q 'engine: .*"campaign_number":8,"virtual_end"' "$tmp/out" ||
	fail "the engine heard nothing: $(cat "$tmp/out")"
kept "clock 0 0 0"
bad "line 2: no engine can have had this" "$tmp/doctored"

# ---- and nothing else

log --policy cst
n=$(grep -n '"ev":"start"' "$tmp/log" | sed -n 20p | cut -d: -f1)
sed "${n}s/\"gain\":[0-9]/\"gain\":7/" "$tmp/log" > "$tmp/doctored"
says 1 ":$n: they differ" "$tmp/doctored"
sed -n 2p "$tmp/out" | grep -q '"gain":7' || fail "not the log's: $(cat "$tmp/out")"
sed -n 3p "$tmp/out" | grep -q "\"t\".*\"gain\":" || fail "not the engine's"
job=$(sed -n "${n}s/.*\"job\":\([0-9]*\).*/\1/p" "$tmp/log")
sed "${n}d" "$tmp/log" > "$tmp/doctored"
says 1 ":$n: they differ" "$tmp/doctored"
grep -q "engine: .*\"job\":$job," "$tmp/out" || fail "not the start of $job"
sed "${n}{p;}" "$tmp/log" > "$tmp/doctored"
says 1 ":$((n + 1)): they differ" "$tmp/doctored"
head -n "$((n - 1))" "$tmp/log" > "$tmp/doctored" # killed meanwhile
says 0 '^same' "$tmp/doctored"
cat "$tmp/log" "$tmp/log" > "$tmp/twice"
says 0 '^same' "$tmp/twice"
says 0 '^same' "$tmp/log" "$tmp/log"

# ---- with other parameters

says 0 '^150 starts: 150 the same, 0 elsewhere, 0 earlier, 0 later$' \
	--set max_slowdown=1.25 "$tmp/log"
says 0 '^job [0-9]+:  then [0-9.]+ on [-0-9,]+  now ' --set policy=easy "$tmp/log"
tail -n 1 "$tmp/out" | grep -qE '^150 starts: .* elsewhere, [1-9]' ||
	fail "nobody would start earlier: $(tail -n 1 "$tmp/out")"
log --policy easy
says 0 '^job [0-9]+:  then ' --set policy=glts --set max_slowdown=1.5 "$tmp/log"
says 0 '^150 starts: 150 the same' --set policy=easy --set layout=dense "$tmp/log"
log --policy fcfs
./cosched replay --set backfill=easy "$tmp/log" > "$tmp/out"
grep -q 's earlier$' "$tmp/out" || fail "backfilling starts nobody earlier"
grep -q ' elsewhere, [0-9]* earlier (by [0-9.]* s on average), ' "$tmp/out" ||
	fail "no sum: $(tail -n 1 "$tmp/out")"

# what is wrong with --set is said of that, before any log is opened
got=$(./cosched replay --set max_slowdown=0.5 "$tmp/nowhere" 2>&1)
[ "$got" = "cosched: replay: --set: 'max_slowdown' is '0.5', expected a number from 1 to 100" ] ||
	fail "--set out of range: $got"

# ---- a live log: its times as Slurm's commands have them, its nodes by name

names=$(seq -f '"n%02.0f"' -s, 1 32)
sed "1s/\"machine\":{/\"boot\":0.000000,&\"names\":[$names],/" "$tmp/log" > "$tmp/live"
TZ=UTC ./cosched replay --set backfill=easy "$tmp/live" > "$tmp/out" 2> "$tmp/err"
at='1970-01-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}'
on='on n[][0-9,n-]+'
head -n 1 "$tmp/out" | grep -qE \
	"^job [0-9]+:  then $at $on  now $at $on  [0-9]+[.][0-9] s earlier$" ||
	fail "a live log: $(head -n 1 "$tmp/out")$(cat "$tmp/err")"

# ---- a log that goes on

log --policy easy
sed '1s/"machine"/"after":"rotation",&/' "$tmp/log" > "$tmp/on"
says 0 '^[0-9]+ lines left out' "$tmp/on"
n=$(grep -n '"ev":"finish"' "$tmp/log" | sed -n 50p | cut -d: -f1)
{ sed -n '1s/"machine"/"after":"rotation",&/p' "$tmp/log"
  sed -n 2p "$tmp/log"
  printf '%s,"ev":"tick"}\n' "$(sed -n "${n}s/,.*//p" "$tmp/log")"
  sed "1,$((n - 1))d" "$tmp/log"; } > "$tmp/second"
head -n $((n - 1)) "$tmp/log" > "$tmp/first"
says 0 '^same' "$tmp/first" "$tmp/second"

# ---- a profile file that is another one now

cat > "$tmp/p.json" << 'END'
{"version":1,"profiles":{"a":{"self":{"1":1,"2":1.05,"4":1.2}}},
 "pairs":[{"of":"a","beside":"a","slowdown":1.1}],"rules":[{"profile":"a"}]}
END
./cosched sim --machine 32x2x2 --policy cst --profiles "$tmp/p.json" \
	--events "$tmp/plog" "$tmp/trace" > "$tmp/out" || fail "sim with profiles"
says 0 '^same' "$tmp/plog"
tr -d '\n' < "$tmp/p.json" > "$tmp/q.json" # says the same
says 0 '^same' --profiles "$tmp/q.json" "$tmp/plog"
sed -i 's/1.05/1.06/' "$tmp/q.json"
says 0 '^job|^[0-9]+ starts' --set profiles="$tmp/q.json" "$tmp/plog"
says 0 '^job|^[0-9]+ starts' --set depth=3 --profiles "$tmp/q.json" "$tmp/plog"
cp "$tmp/q.json" "$tmp/p.json"
for words in '' '--set depth=3'; do
	# shellcheck disable=SC2086 # words
	./cosched replay $words "$tmp/plog" > "$tmp/out" 2> "$tmp/err"
	[ "$(wc -l < "$tmp/err")" = 1 ] || fail "not one line: $(cat "$tmp/err")"
	grep -q "p.json' has other profiles than the log" "$tmp/err" ||
		fail "another profile file: $(cat "$tmp/err")"
	[ -s "$tmp/out" ] || fail "nothing is replayed"
done

# ---- the mode in force counts, not the parameter

sed '1s/"mode":"act"/"mode":"shadow"/' "$tmp/log" > "$tmp/set"
sed '1s/,"seed":[0-9]*}/,"mode":"shadow"&/' "$tmp/log" > "$tmp/parts"
./cosched replay - < "$tmp/log" > "$tmp/out" 2>&1
./cosched replay - < "$tmp/set" > "$tmp/want" 2>&1
./cosched replay - < "$tmp/parts" > "$tmp/got" 2>&1
cmp -s "$tmp/out" "$tmp/want" && fail "replay: mode shadow is as act"
cmp "$tmp/want" "$tmp/got" || fail "replay: another mode than in force"

# ---- bad input

echo nonsense > "$tmp/bad"
bad "line 1: the line is no JSON" "$tmp/bad"
: > "$tmp/bad"
bad "empty" "$tmp/bad"
sed -n 2p "$tmp/log" > "$tmp/bad"
bad "expected a header first" "$tmp/bad"
{ sed -n 1p "$tmp/log"; echo '{"t":1,"ev":"finish","job":9}'; } > "$tmp/bad"
bad "line 2: no engine can have had this: job 9 is not known" "$tmp/bad"
{ sed -n 1p "$tmp/log"
  echo '{"t":1,"ev":"submit","job":9,"procs":"x","estimate":5}'; } > "$tmp/bad"
bad 'line 2: "procs"' "$tmp/bad"
sed '1s/"max_slowdown":[0-9.]*/"max_slowdown":"no"/' "$tmp/log" > "$tmp/bad"
bad "line 1: 'max_slowdown' is 'no'" "$tmp/bad"
sed '1s/"profiles":""/"profiles":"\/nowhere"/' "$tmp/log" > "$tmp/bad"
bad "'/nowhere'" "$tmp/bad"
bad "'$tmp/none'" "$tmp/none"
bad "no log" --set depth=1
bad "unknown key 'nix'" --set nix=1 "$tmp/log"
bad "key=value" --set nix "$tmp/log"
bad "time slices" --set slice=pect "$tmp/log"
for key in mode=off mode=shadow partition_modes=a:off; do
	bad "'$key' says whether slurmctld asks" --set $key "$tmp/log"
done
bad "unknown option" --nix "$tmp/log"
exit $status

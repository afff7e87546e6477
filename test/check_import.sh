#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `cosched import` and `cosched whatif`: what they refuse, sacct run by them, names
# that reach the profile rules, the site's own policy with a known error.
set -u
LC_ALL=C TZ=UTC
export LC_ALL TZ
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

no() {
	echo "not ok: $*" >&2
	failed=1
}

# refused COMMAND TEXT ARGUMENT...: one line with TEXT, nothing else, status 2
refused() {
	command=$1 text=$2
	shift 2
	got=$(./cosched "$command" "$@" 2>&1 >"$tmp/out")
	[ $? -eq 2 ] || no "$command $*: status"
	[ "$got" = "cosched: $command: $text" ] || no "$command $*: '$got'"
	[ ! -s "$tmp/out" ] || no "$command $*: something on stdout"
}

refused import 'no file, expected one FILE or --sacct'
refused import 'several files, expected one FILE or --sacct' a b
refused import 'both a file and --sacct, expected one FILE or --sacct' --sacct a
refused import "'/none': No such file or directory" /none
for since in now-0 now-3 now-1minute now-2minutes now-12hours now-1week today midnight 2020-01-01; do
	out=$(./cosched import --sacct --since $since 2>&1)
	case $out in *"--since is"*) no "--since $since: $out" ;; esac
done
refused import "--since is 'monday', expected YYYY-MM-DD, YYYY-MM-DDTHH:MM:SS, now-30days, now-2hours or today" \
	--since monday a
refused import "--threads is '0', expected a whole number from 1 to 1024" --threads 0 a
refused import '/dev/null: empty, expected the output of sacct -P' /dev/null
refused whatif 'no --machine, expected NODESxSOCKETSxCORES such as 128x2x2' a
refused whatif "--site is 'a,b', expected one policy such as stock or easy" \
	--machine 1x1x1 --site a,b a

# Two jobs of 100 s on one core, the second behind the first; a third line is bad.
cat >"$tmp/text" <<'END'
JobID|User|Account|Submit|Start|End|Elapsed|Timelimit|State|AllocCPUS|JobName
1|ann|phys|1000|1000|1100|00:01:40|00:02:00|COMPLETED|1|cfd
2|bob|bio|1000|1200|1300|00:01:40|00:02:00|COMPLETED|1|md|x
3|bob|bio|1000|soon|1300|00:01:40|00:02:00|COMPLETED|1|md
END
./cosched import "$tmp/text" >"$tmp/swf" 2>"$tmp/err" || no "import: status"
cat >"$tmp/want" <<END
cosched: import: $tmp/text:4: Start is 'soon', expected YYYY-MM-DDTHH:MM:SS or Unknown (for others: --time-format), left out
2 jobs; left out: 1 bad lines
END
cmp -s "$tmp/err" "$tmp/want" || no "import says: $(cat "$tmp/err")"
cat >"$tmp/want" <<'END'
; Version: 2.2
; UnixStartTime: 1000
; Note: cosched import of text: 2 jobs; left out: 1 bad lines
; Runtimes: packed
; UserName: 1 ann
; UserName: 2 bob
; GroupName: 1 phys
; GroupName: 2 bio
; ExecutableName: 1 cfd
; ExecutableName: 2 md|x
1 0 0 100 1 -1 -1 1 120 -1 1 1 1 1 -1 -1 -1 -1
2 0 200 100 1 -1 -1 1 120 -1 1 2 2 2 -1 -1 -1 -1
END
cmp -s "$tmp/swf" "$tmp/want" || no "import: $(cat "$tmp/swf")"
./cosched import --strict "$tmp/text" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] || no "--strict: status"
[ ! -s "$tmp/out" ] || no "--strict: a trace"

# Times in every SLURM_TIME_FORMAT, without an offset also in the hour that comes twice:
# two jobs, the second of 20 minutes over the clock change. "relative" counts from when the
# text was written, and has days only where that is long ago.
time_form() { # FORMAT [OPTION]...
	format=$1
	shift
	{
		echo 'JobID|Submit|Start|End|Elapsed|State|AllocCPUS'
		n=1
		for t in '1698530000 1698530100 01:00:00' '1698538800 1698540600 00:20:00'; do
			# shellcheck disable=SC2086 # words
			set -- $t "$@"
			end=$(($2 + 1200))
			[ "$3" != 01:00:00 ] || end=$(($2 + 3600))
			echo "$n|$(date -d "@$1" "+$format")|$(date -d "@$2" "+$format")|$(
				date -d "@$end" "+$format")|$3|COMPLETED|1"
			shift 3
			n=$((n + 1))
		done
	} >"$tmp/times"
	touch -d @1700000000 "$tmp/times"
	./cosched import "$@" "$tmp/times" 2>"$tmp/err" | awk '/^[^;]/ { print $1, $2, $3, $4 }' \
		>"$tmp/out"
	[ "$(cat "$tmp/out")" = "1 0 100 3600
2 8800 1800 1200" ] || no "times as $format: $(cat "$tmp/out" "$tmp/err")"
}
TZ=CET-1CEST,M3.5.0,M10.5.0/3
for format in %Y-%m-%dT%H:%M:%S %Y-%m-%dT%H:%M:%S%z '%F %T %:z' '%F %T%:::z' '%F %T %Z' %s; do
	time_form "$format"
done
SLURM_TIME_FORMAT='%d.%m.%Y %H:%M:%S' time_form '%d.%m.%Y %H:%M:%S' 2>"$tmp/err"
time_form '%c' --time-format '%c'
time_form '%d %b %T' --time-format '%d %b %T'
TZ=UTC
refused import "--time-format is 'iso', expected standard, relative or a format of strftime such as %F %T%z, as SLURM_TIME_FORMAT" \
	--time-format iso a
cat >"$tmp/relative" <<'END'
JobID|Submit|Start|End|Elapsed|State|AllocCPUS
1|14 Nov 2022|14 Nov 2022|14 Nov 2022|00:10:00|COMPLETED|1
2|1 Nov 10:00|1 Nov 10:05|1 Nov 11:05|01:00:00|COMPLETED|1
3|Ystday 10:00|Ystday 10:05|Ystday 11:05|01:00:00|COMPLETED|1
4|10:00:00|10:05:07|11:05:07|01:00:00|COMPLETED|1
5|10:00:01|Fri 10:00|Unknown|00:00:00|PENDING|1
6|10:00:02|Tomorr 10:00|Unknown|00:00:00|PENDING|1
END
touch -d 2023-11-14T22:00:00 "$tmp/relative"
./cosched import "$tmp/relative" >"$tmp/out" 2>"$tmp/err" || no "relative: $(cat "$tmp/err")"
[ "$(cat "$tmp/err")" = "4 jobs; left out: 2 waiting; 4 without a limit" ] || no "relative: $(cat "$tmp/err")"
grep -q '^; UnixStartTime: 1668384000$' "$tmp/out" || no "relative: $(cat "$tmp/out")"
[ "$(awk '/^[^;]/ { print $2 + 1668384000, $3 }' "$tmp/out")" = "1668384000 0
1698832800 300
1699869600 300
1699956000 307" ] || no "relative: $(cat "$tmp/out")"

# A byte order mark, line ends of another system, names of broken bytes
printf '\357\273\277JobID|User|Submit|Start|Elapsed|AllocCPUS|JobName\r\n1|a\377|1|2|00:10:00|1|b\033[2J\r\n' |
	./cosched import - >"$tmp/out" 2>"$tmp/err" || no "a mark: $(cat "$tmp/err")"
grep -q '^; UserName: 1 a?$' "$tmp/out" || no "broken bytes: $(cat "$tmp/out")"
grep -q '^; ExecutableName: 1 b?\[2J$' "$tmp/out" || no "broken bytes: $(cat "$tmp/out")"

# The names reach the engine and the rules.
cat >"$tmp/p.json" <<'END'
{"version":1,"profiles":{"fluid":{"resources":{"cpu":0.5,"memory_bandwidth":0.9,
"cache":0.5,"network":0.1,"disk":0}}},
"rules":[{"user":"ann","account":"ph*","name":"cfd","profile":"fluid"}]}
END
./cosched sim --machine 1x1x1 --profiles "$tmp/p.json" --events "$tmp/events" "$tmp/swf" \
	>"$tmp/out" || no "sim: status"
grep -q '"job":1,"user":"ann","account":"phys","name":"cfd",.*"profile":"fluid"' \
	"$tmp/events" || no "job 1 has no profile: $(head -3 "$tmp/events")"
grep '"job":2,"user":"bob"' "$tmp/events" | grep -q profile && no "job 2 has a profile"

# And back from the simulator's own log.
./cosched import "$tmp/events" >"$tmp/back" 2>"$tmp/err" || no "import of a log: status"
[ "$(cat "$tmp/err")" = "2 jobs" ] || no "import of a log: $(cat "$tmp/err")"
grep -q '^2 0 100 100 1 .* 1 2 2 2 ' "$tmp/back" || no "import of a log: $(cat "$tmp/back")"

# Days that no calendar has: one line, and --strict ends there. Times beyond a trace's in
# a log, too.
refused import "--since is '2026-02-31', expected YYYY-MM-DD, YYYY-MM-DDTHH:MM:SS, now-30days, now-2hours or today" \
	--since 2026-02-31 a
sed '4s/soon/2026-02-31T00:00:00/' "$tmp/text" >"$tmp/day"
refused import "$tmp/day:4: Start is '2026-02-31T00:00:00', expected YYYY-MM-DDTHH:MM:SS or Unknown (for others: --time-format)" \
	--strict "$tmp/day"
sed '/"ev":"finish"/s/"t":[0-9.]*/"t":30000000000/' "$tmp/events" >"$tmp/late"
n=$(grep -n '"ev":"finish"' "$tmp/late" | head -1 | cut -d: -f1)
got=$(./cosched import --strict "$tmp/late" 2>&1 >"$tmp/out")
[ $? -eq 2 ] || no "--strict and times beyond: status"
case $got in
"cosched: import: $tmp/late:$n: the times of job 1, expected some that a trace can hold") ;;
*) no "--strict and times beyond: '$got'" ;;
esac

# GPUs: of a type, of several, of none that is named, asked for only, none, and of a type whose
# name no trace can hold.
long=$(printf 'a%.0s' $(seq 64))
cat >"$tmp/gpus" <<END
JobID|Submit|Start|Elapsed|Timelimit|State|AllocCPUS|AllocTRES|ReqTRES|JobName
1|1000|1000|00:01:00|00:02:00|COMPLETED|4|billing=4,cpu=4,gres/gpu:a100=2,gres/gpu=2,node=1|cpu=1|a
2|1001|1001|00:01:00|00:02:00|COMPLETED|8|cpu=8,gres/gpu:a100=2,gres/gpu:t4=1,gres/gpu=3,node=2||b
3|1002|1002|00:01:00|00:02:00|COMPLETED|1|cpu=1,gres/gpu=1,gres/gpumem=80G,node=1|gres/gpu=9|c
4|1003|1003|00:01:00|00:02:00|COMPLETED|1||cpu=1,node=2,gres/gpu:t4=4|d
5|1004|1004|00:01:00|00:02:00|COMPLETED|1|cpu=1,mem=4G,node=3|gres/gpu=9|e
6|1005|1005|00:01:00|00:02:00|COMPLETED|1|cpu=1,gres/gpu=x|gres/gpu=9|f
7|1006|1006|00:01:00|00:02:00|COMPLETED|1|cpu=1,gres/gpu:$long=3,node=1||g
END
./cosched import --gpus "$tmp/gpus" >"$tmp/out" 2>"$tmp/err" || no "import --gpus: status"
[ "$(awk '/^[^;]/ { print $1, $19, $20, $21, $22 }' "$tmp/out")" = "1 2 1000 1 1
2 3 1000 0 2
3 1 1000 0 1
4 4 1000 2 2
5 0 1000 0 0
7 3 1000 0 1" ] || no "import --gpus: $(cat "$tmp/out")"
grep -q '^; MoreFields: gpus gpu_share gpu_type nodes$' "$tmp/out" || no "import --gpus: no header line"
grep -q ":7: AllocTRES is 'cpu=1,gres/gpu=x', expected counts such as gres/gpu=2" "$tmp/err" ||
	no "import --gpus: $(cat "$tmp/err")"
./cosched import "$tmp/gpus" 2>"$tmp/err" | grep -q MoreFields && no "import: GPUs unasked"
refused import "$tmp/text:1: no column AllocTRES, expected the output of sacct -P -o JobID,User,Account,Partition,Submit,Start,Elapsed,Timelimit,State,AllocCPUS,JobName" \
	--gpus "$tmp/text"
refused import "$tmp/events: an event log, expected sacct's text for GPUs" --gpus "$tmp/events"

# A sacct of ours: its arguments, its end, and none at all.
mkdir "$tmp/bin"
cat >"$tmp/bin/sacct" <<END
#!/bin/sh
echo "\$SLURM_TIME_FORMAT \$*" >"$tmp/args"
cat "$tmp/text"
exit \${SACCT_STATUS:-0}
END
chmod +x "$tmp/bin/sacct"
PATH="$tmp/bin:$PATH" ./cosched import --sacct --since 1970-01-01T00:10:00 2>"$tmp/err" |
	grep -v Note: >"$tmp/back"
grep -v Note: "$tmp/swf" | cmp -s - "$tmp/back" || no "--sacct: another trace"
grep -q '^%s --allusers .*--starttime=1970-01-01T00:10:00 ' "$tmp/args" ||
	no "--sacct: $(cat "$tmp/args")"
SACCT_STATUS=3 PATH="$tmp/bin:$PATH" ./cosched import --sacct >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] || no "a sacct that fails: status"
grep -q 'sacct ended with status 3, expected 0' "$tmp/err" || no "a sacct that fails"
[ ! -s "$tmp/out" ] || no "a sacct that fails: a trace"
# that says nothing: what it ended with, not that its text is empty
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/sacct"
got=$(PATH="$tmp/bin:$PATH" ./cosched import --sacct 2>&1)
[ "$got" = "cosched: import: sacct ended with status 1, expected 0; see what it said above" ] ||
	no "a sacct that fails at once: $got"
cosched=$PWD/cosched
(PATH=$tmp "$cosched" import --sacct >"$tmp/out" 2>"$tmp/err")
[ $? -eq 2 ] || no "no sacct: status"

# Simulated: waits of 0 and 100 s; recorded: 0 and 200. 200 s against 300.
TMPDIR=$tmp ./cosched whatif --machine 1x1x1 --replicas 2 --html "$tmp/page.html" \
	"$tmp/text" >"$tmp/out" 2>"$tmp/err" || no "whatif: $(cat "$tmp/err")"
# the answer first; what is simulated is 25 % off, so no gain is claimed
head -1 "$tmp/out" | grep -q '^[a-z+]* against stock: withheld, since stock itself is simulated -25.0 %' ||
	no "whatif begins: $(head -1 "$tmp/out")"
grep -q '^stock simulated, against what happened:$' "$tmp/out" || no "the site's own policy"
grep -q '^  mean wait  *50.0 s  *100 s  *-50.0 %$' "$tmp/out" || no "wait: $(cat "$tmp/out")"
grep -q '^  mean response  *2.50 min  *3.33 min  *-25.0 %$' "$tmp/out" || no "response"
grep -q '^  makespan  *3.33 min  *5.00 min  *-33.3 %$' "$tmp/out" || no "makespan"
grep -q '^Means over 3 cases, history to replica-2, ' "$tmp/out" || no "replicas: $(cat "$tmp/out")"
grep -q '^adaptive ' "$tmp/out" || no "no second policy"
grep -q '<caption>stock simulated, against what happened' "$tmp/page.html" || no "the page"
ls -d "$tmp"/cosched-* 2>"$tmp/err" && no "whatif left its folder"

# One way to a figure: whatif, compare and sim have slurmctld's defaults here, and the same
# mean wait to the digit. A workload log is a history, too, also without a header, and a policy
# may be named twice.
awk 'BEGIN {
	print "JobID|User|Submit|Start|ElapsedRaw|TimelimitRaw|State|AllocCPUS"
	for (i = 1; i <= 300; i++) {
		at = 1000 + i * 60 + i * i % 97; run = 100 + i * i * 37 % 1700
		printf "%d|u%d|%d|%d|%d|%d|COMPLETED|%d\n", i, i % 5, at, at + 300,
			run, run / 60 + 9, 1 + i * 7 % 16
	}
}' >"$tmp/load"
./cosched import "$tmp/load" >"$tmp/load.swf" 2>"$tmp/err" || no "import of a load"
# wait_of FILE POLICY [FIGURE]: of the history alone
wait_of() {
	python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
figure = (sys.argv[3:] or ["mean_wait"])[0]
print(next(r[figure] for r in o["runs"] if r["policy"] == sys.argv[2]))' "$@"
}
grep -v '^;' "$tmp/load.swf" >"$tmp/bare.swf"
for source in load load.swf bare.swf; do
	./cosched whatif --machine 4x2x4 --replicas 0 --policies stock,pack,cover,cover --json \
		"$tmp/$source" >"$tmp/$source.json" 2>"$tmp/err" || no "whatif on $source: $(cat "$tmp/err")"
done
./cosched compare --live-defaults --machine 4x2x4 --policies stock,pack,cover --json "$tmp/load.swf" \
	>"$tmp/compare.json" 2>"$tmp/err" || no "compare: $(cat "$tmp/err")"
for policy in stock pack cover; do
	got=$(./cosched sim --live-defaults --machine 4x2x4 --policy $policy --json "$tmp/load.swf" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["mean_wait"])')
	[ "$got" != 0 ] || no "nobody waits"
	for of in load.json load.swf.json bare.swf.json compare.json; do
		[ "$(wait_of "$tmp/$of" $policy)" = "$got" ] ||
			no "$policy, $of: mean wait $(wait_of "$tmp/$of" $policy), sim $got"
	done
done
[ "$(wait_of "$tmp/load.json" pack)" != "$(wait_of "$tmp/load.json" cover)" ] || no "policies differ"
got=$(python3 -c 'import json, sys
print(*(p["policy"] for p in json.load(open(sys.argv[1]))["policies"]))' "$tmp/load.json")
[ "$got" = "stock pack cover" ] || no "a policy named twice: $got"

# The same with GPUs: half of the jobs take one or two, of which each node has two. Without them
# the machine has room for all.
awk 'BEGIN {
	print "JobID|User|Submit|Start|ElapsedRaw|TimelimitRaw|State|AllocCPUS|AllocTRES|ReqTRES"
	for (i = 1; i <= 100; i++) {
		at = 1000 + i * 30; run = 100 + i * i * 37 % 700; gpus = i % 4
		printf "%d|u%d|%d|%d|%d|%d|COMPLETED|1|cpu=1,node=1%s|\n", i, i % 5, at, at + 300,
			run, run / 60 + 9, (gpus > 2 || !gpus) ? "" : ",gres/gpu:a100=" gpus ",gres/gpu=" gpus
	}
}' >"$tmp/gpuload"
./cosched import --gpus "$tmp/gpuload" >"$tmp/gpuload.swf" 2>"$tmp/err" || no "import of a load with GPUs"
for gpus in a100:2 a100:64; do
	./cosched whatif --machine 4x2x4 --gpus $gpus --replicas 0 --policies stock,pack,balanced --json \
		"$tmp/gpuload" >"$tmp/gpuload.json" 2>"$tmp/err" || no "whatif --gpus: $(cat "$tmp/err")"
	for policy in stock pack balanced; do
		./cosched sim --live-defaults --machine 4x2x4 --gpus $gpus --policy $policy --json "$tmp/gpuload.swf" \
			>"$tmp/sim.json" 2>"$tmp/err" || no "sim --gpus: $(cat "$tmp/err")"
		for figure in mean_wait gpu_mean_wait gpu_utilization; do
			got=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
				"$tmp/sim.json" $figure)
			[ "$(wait_of "$tmp/gpuload.json" $policy $figure)" = "$got" ] ||
				no "$policy, $gpus: $figure $(wait_of "$tmp/gpuload.json" $policy $figure), sim $got"
		done
		python3 -c '
import json, sys
wait = json.load(open(sys.argv[1]))["gpu_mean_wait"]
sys.exit(0 if (wait > 60) == (sys.argv[2] == "a100:2") else 1)' "$tmp/sim.json" $gpus ||
			no "$policy, $gpus: $(cat "$tmp/sim.json")"
	done
done
./cosched whatif --machine 4x2x4 --gpus a100:2 --replicas 0 "$tmp/gpuload" >"$tmp/out" 2>"$tmp/err"
grep -q 'GPU wait.*GPUs held' "$tmp/out" || no "whatif --gpus: $(cat "$tmp/out" "$tmp/err")"
./cosched whatif --machine 4x2x4 --replicas 0 "$tmp/load" >"$tmp/out" 2>"$tmp/err" || no "whatif: $(cat "$tmp/err")"
! grep GPU "$tmp/out" || no "whatif: GPUs, where are none"
refused whatif "$tmp/load:1: no column AllocTRES, expected the output of sacct -P -o JobID,User,Account,Partition,Submit,Start,Elapsed,Timelimit,State,AllocCPUS,JobName" \
	--machine 4x2x4 --gpus 2 "$tmp/load"

# Slurm's backfill as the site has set it; what --site sets stays
cat >"$tmp/slurm.conf" <<'END'
ClusterName=c
SchedulerParameters=bf_max_job_test=3,bf_interval=120,bf_resolution=600,bf_window=60,bf_window_linear=5
END
refused whatif "'/none': No such file or directory, expected a slurm.conf" --machine 1x1x1 --slurm-conf /none a
refused whatif '--slurm-conf and --simulator-defaults, expected one of them' \
	--machine 1x1x1 --slurm-conf /none --simulator-defaults a
for site in stock stock:depth=50:stock_every_s=7; do
	# policy=stock, as the site has it, and without a slurm.conf
	set -- --set depth=3 --set stock_every_s=120
	[ $site = stock ] || set -- --set depth=50 --set stock_every_s=7
	./cosched whatif --slurm-conf "$tmp/slurm.conf" --machine 4x2x4 --replicas 0 --site $site --policies pack \
		--json "$tmp/load" >"$tmp/json" 2>"$tmp/err" || no "whatif --slurm-conf: $(cat "$tmp/err")"
	got=$(./cosched sim --live-defaults --machine 4x2x4 --policy stock --set stock_resolution_s=600 --json \
		--set horizon_s=3600 --set stock_linear_s=5 "$@" "$tmp/load.swf" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["mean_wait"])')
	[ "$(wait_of "$tmp/json" $site)" = "$got" ] || no "--slurm-conf, $site: $(wait_of "$tmp/json" $site), sim $got"
	[ "$got" != "$(wait_of "$tmp/load.json" stock)" ] || no "$site: as without a slurm.conf"
done
grep -q "^Slurm's backfill as in $tmp/slurm.conf: bf_window=60 min, stock_resolution_s=600,stock_linear_s=5\$" \
	"$tmp/err" || no "what slurm.conf has: $(cat "$tmp/err")"

# A gain is told where the simulation is less off than it, and how to have it: the record is
# what stock would do.
./cosched sim --live-defaults --machine 4x2x4 --policy stock --jobs - "$tmp/load.swf" 2>"$tmp/err" |
	awk -F '[ |]' 'BEGIN { print "JobID|User|Submit|Start|ElapsedRaw|TimelimitRaw|State|AllocCPUS" }
	NR == FNR { if (!/^#/) start[$1] = $3; next }
	FNR > 1 { if (!first) first = $3; printf "%s|%s|%s|%d|%s|%s|%s|%s\n", $1, $2, $3,
		first + start[$1], $5, $6, $7, $8 }' - "$tmp/load" >"$tmp/as-stock"
./cosched whatif --machine 4x2x4 --policies cover "$tmp/as-stock" >"$tmp/out" 2>"$tmp/err" ||
	no "whatif on what stock did: $(cat "$tmp/err")"
head -1 "$tmp/out" | grep -Eq '^cover against stock: mean response [0-9.]+ % less \(give or$|^cover against stock: mean response [0-9.]+ % less ' ||
	no "a gain: $(head -3 "$tmp/out" "$tmp/as-stock")"
tail -3 "$tmp/out" | tr '\n' ' ' | grep -q 'SchedulerParameters=...,cosched_mode=act,cosched_policy=cover (`cosched conf --policy cover` ' ||
	no "how to have it: $(tail -3 "$tmp/out")"
# By default the answer tells of balanced, which is live's, and of the best two others: the
# one left out has the longest mean response, and stands in the table.
./cosched whatif --machine 4x2x4 "$tmp/as-stock" >"$tmp/out" 2>"$tmp/err" || no "whatif: $(cat "$tmp/err")"
got=$(sed -n 's/^\([a-z+]*\) against stock: .*/\1/p' "$tmp/out" | sort | tr '\n' ' ')
[ "$got" = "balanced cover cover+ " ] || no "the answer tells of: $got"
grep -q '^easy .* h$' "$tmp/out" || no "easy is in no table"
# of one user, or of none
for user in u1 ''; do
	awk -F '|' -v OFS='|' -v user="$user" 'NR > 1 { $2 = user } { print }' "$tmp/as-stock" >"$tmp/one"
	./cosched whatif --machine 4x2x4 --policies cover --replicas 1 --html "$tmp/page.html" "$tmp/one" 2>"$tmp/err" |
		tr '\n' ' ' >"$tmp/out"
	case $user in
	'')	want='cover against stock: the history names no users, so that it does not say who loses.' ;;
	*)	want='cover against stock: all jobs are of one user (u1), so that it does not say who loses.' ;;
	esac
	grep -qF "$want" "$tmp/out" || no "users '$user': $(head -c 400 "$tmp/out")"
	grep -qF "$want" "$tmp/page.html" || no "users '$user': not on the page"
done
# jobs of 16 cores have more than 5 % of the core time
./cosched whatif --machine 1x1x15 --policies cover "$tmp/as-stock" >"$tmp/out" 2>"$tmp/err"
head -3 "$tmp/out" | tr '\n' ' ' | grep -q '^cover against stock: withheld, since jobs that are left out (larger than --machine, or still running) have ' ||
	no "jobs left out: $(head -3 "$tmp/out")"
! grep -q '^By mean' "$tmp/out" || no "a verdict on what is withheld: $(grep '^By mean' "$tmp/out")"
# nor do those count that still run, 40 of them on 4 cores each for a day
{
	cat "$tmp/as-stock"
	for i in $(seq 40); do echo "$((900 + i))|u1|2000|2300|86400|90000|RUNNING|4"; done
} >"$tmp/half"
./cosched whatif --machine 4x2x4 --policies cover --json "$tmp/half" >"$tmp/json" 2>"$tmp/err"
python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
assert 40 < o["site"]["left_out_percent"] < 90, o["site"]
assert o["policies"][1]["withheld"] is True' "$tmp/json" 2>"$tmp/err" || no "jobs that run: $(cat "$tmp/err")"
# a log without waits is no log of waits of 0 s
sed 's/^\([0-9]* [0-9]*\) [0-9]*/\1 -1/' "$tmp/load.swf" >"$tmp/nowait.swf"
./cosched whatif --machine 4x2x4 --policies cover "$tmp/nowait.swf" 2>"$tmp/err" | tr '\n' ' ' |
	grep -q '^cover against stock: mean response .* The history has no waits: how far its simulation is off is not known' ||
	no "no waits recorded: $(./cosched whatif --machine 4x2x4 --policies cover "$tmp/nowait.swf" 2>&1 | head -5)"
# whole nodes: four serial jobs of 1,000 s on one node are done after 4,000 s
printf '%s\n' 'JobID|User|Submit|Start|ElapsedRaw|TimelimitRaw|State|AllocCPUS' \
	'1|ann|1000|1000|1000|30|COMPLETED|1' '2|ann|1000|2000|1000|30|COMPLETED|1' \
	'3|ann|1000|3000|1000|30|COMPLETED|1' '4|ann|1000|4000|1000|30|COMPLETED|1' >"$tmp/serial"
./cosched whatif --machine 1x2x4 --site easy --policies pack --replicas 0 "$tmp/serial" 2>"$tmp/err" |
	grep -q '^  makespan  *66.7 min  *66.7 min  *+0.0 %$' || no "whole nodes: $(cat "$tmp/err")"

# Recorded runtimes are those of the recorded layout: on nodes of 2 x 4 cores, with cores
# between jobs and with whole nodes, they are as long as they were.
cat >"$tmp/wide" <<'END'
JobID|User|Submit|Start|Elapsed|Timelimit|State|AllocCPUS
1|ann|1000|1000|00:16:40|00:20:00|COMPLETED|8
2|ann|3000|3000|00:16:40|00:20:00|COMPLETED|4
3|bob|3001|3001|00:16:40|00:20:00|COMPLETED|4
4|bob|5000|5000|00:16:40|00:20:00|COMPLETED|16
END
for site in stock pack easy; do
	./cosched whatif --machine 2x2x4 --site $site --replicas 0 "$tmp/wide" >"$tmp/out" 2>"$tmp/err"
	grep -q '^  mean response  *16.7 min  *16.7 min  *+0.0 %$' "$tmp/out" ||
		no "runtimes under $site: $(cat "$tmp/out" "$tmp/err")"
done
./cosched import "$tmp/wide" 2>"$tmp/err" | grep -v '^; Runtimes:' >"$tmp/alone"
# id submit start end; the first submit is at 0
./cosched sim --machine 2x2x4 --policy pack --jobs - "$tmp/alone" |
	awk '$1 == 1 && $4 != 1000 { exit 1 }' || no "any log's runtimes are as recorded"
./cosched sim --machine 2x2x4 --policy pack --set physics=believed --jobs - "$tmp/alone" |
	awk '$1 == 1 && $4 <= 1000 { exit 1 }' || no "as believed they are those of one process a node"

# Nor does one that is ended: 30,000 jobs, so that it is still at it.
awk 'BEGIN {
	print "JobID|Submit|Start|End|State|NCPUS|Timelimit|User"
	for (i = 1; i <= 30000; i++)
		printf "%d|2025-03-01T%02d:%02d:%02d|2025-03-01T23:00:00|2025-03-01T23:10:00|COMPLETED|1|01:00:00|u%d\n",
			i, i / 3600 % 12, i / 60 % 60, i % 60, i % 7
}' >"$tmp/long"
TMPDIR=$tmp ./cosched whatif --machine 8x1x1 --replicas 50 "$tmp/long" \
	>"$tmp/out" 2>"$tmp/err" &
whatif=$!
for _ in $(seq 100); do
	ls -d "$tmp"/cosched-*/replica-1 >"$tmp/out" 2>&1 && break
	sleep 0.1
done
ls -d "$tmp"/cosched-*/replica-1 >"$tmp/out" 2>&1 ||
	no "whatif makes no replica: $(cat "$tmp/err")"
kill "$whatif"
wait "$whatif"
[ $? -eq 143 ] || no "an ended whatif has another status"
ls -d "$tmp"/cosched-* 2>"$tmp/err" && no "an ended whatif left its folder"

[ "$failed" -ne 0 ] || echo "ok - import, whatif"
exit "$failed"

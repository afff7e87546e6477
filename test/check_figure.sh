#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One way to a figure: of one history, imported once, whatif, compare, sim, shadow-report,
# replay and the script that writes doc/results/defaults.md (contrib/dayone) have the same
# mean wait, to the digit, under Slurm's own policy, under the same with another
# bf_interval, and under cover.
set -u
LC_ALL=C TZ=UTC
export LC_ALL TZ
src=${srcdir:-.}
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

no() {
	echo "not ok: $*" >&2
	failed=1
}
machine=16x2x2 # dayone's

# --- the history: a log of mode shadow, of 200 jobs with whole seconds, as first come first
# served jobs of Slurm's ran

awk 'BEGIN {
	for (i = 1; i <= 200; i++)
		printf "%d %d -1 %d %d -1 -1 %d %d -1 1 %d 1 1 1 1 -1 -1\n", i, i * 290 + i * i * 31 % 1000,
			30 + i * i * 37 % 1700, 1 + i * 7 % 40, 1 + i * 7 % 40,
			60 * (1 + int((30 + i * i * 37 % 1700) * (1 + i % 3) / 60)), i % 5
}' >"$tmp/load.swf"
./cosched sim --live-defaults --machine $machine --policy fcfs --set unprofiled=model \
	--events "$tmp/events" "$tmp/load.swf" >"$tmp/out" || no "a history: $(cat "$tmp/out")"
python3 "$src/test/shadow_log.py" "$tmp/events" cover >"$tmp/log" || no "a history: its log"
./cosched import "$tmp/log" >"$tmp/history.swf" 2>"$tmp/err" || no "import: $(cat "$tmp/err")"
[ "$(cat "$tmp/err")" = "200 jobs" ] || no "import: $(cat "$tmp/err")"

# --- the ways; each ends with the mean wait alone

# of_run FILE POLICY: in the JSON of whatif and compare
of_run() {
	python3 -c '
import json, sys
runs = json.load(open(sys.argv[1]))["runs"]
print("%.9g" % next(r["mean_wait"] for r in runs if r["policy"] == sys.argv[2]))' "$@"
}
# of_plan FILE INDEX: in that of shadow-report; FILE -: it has none of this policy, INDEX is it
of_plan() {
	[ "$1" != - ] || { echo "$2"; return; }
	python3 -c '
import json, sys
plans = json.load(open(sys.argv[1]))["schedule"]["plans"]
print("%.9g" % plans[int(sys.argv[2])]["mean_wait"])' "$@"
}
of_whole() {
	python3 -c 'import json, sys; print("%.9g" % json.load(sys.stdin)["mean_wait"])'
}
# of_dayone KIND: of the history as one of dayone's lists, whose jobs it makes longer
of_dayone() {
	python3 -B -c '
import sys
sys.path.insert(0, sys.argv[1] + "/test/cluster")
import dayone
jobs = []
for r in (line.split() for line in open(sys.argv[2]) if line[0] != ";"):
    jobs.append((float(r[1]), int(r[7]), float(r[3]) - dayone.LONGER_S, int(r[8]) // 60))
rows = dayone.simulate("./cosched", dayone.KINDS[sys.argv[3]][1], jobs)
print("%.9g" % (sum(start - submit for submit, start, end in rows) / len(rows)))' \
		"$src" "$tmp/history.swf" "$1"
}

faster=stock:stock_every_s=1
./cosched whatif --machine $machine --replicas 0 --policies "$faster,cover,balanced" --json "$tmp/log" \
	>"$tmp/whatif" 2>"$tmp/err" || no "whatif: $(cat "$tmp/err")"
./cosched compare --live-defaults --machine $machine --policies "stock,$faster,cover,balanced" --json \
	"$tmp/history.swf" >"$tmp/compare" 2>"$tmp/err" || no "compare: $(cat "$tmp/err")"
./cosched shadow-report --json "$tmp/log" >"$tmp/report" || no "shadow-report: status"
./cosched shadow-report --json --site "$faster" "$tmp/log" >"$tmp/faster" || no "shadow-report --site: status"

# a log knows the look interval that Slurm has at the site
sed '1s/"policy": "cover"/"policy": "cover", "stock_every_s": 1/' "$tmp/log" >"$tmp/quick"
./cosched shadow-report --json "$tmp/quick" >"$tmp/json" || no "shadow-report with bf_interval=1: status"
[ "$(of_plan "$tmp/json" 1)" = "$(of_plan "$tmp/faster" 1)" ] || no "bf_interval of the log is not the site's"

# same POLICY KIND REPORT INDEX
same() {
	policy=$1
	set -- "$2" "$3" "$4" --policy "${policy%%:*}"
	[ "$policy" = "${policy#*:}" ] || set -- "$@" --set "${policy#*:}"
	kind=$1 report=$2 plan=$3
	shift 3
	want=$(./cosched sim --live-defaults --machine $machine "$@" --json --events "$tmp/events" \
		"$tmp/history.swf" | of_whole)
	case $want in
	'' | 0)	no "$policy: a mean wait of '$want'" ;;
	esac
	got="$(of_run "$tmp/whatif" "$policy") $(of_run "$tmp/compare" "$policy") $(
		of_plan "$report" "${plan:-$want}") $(./cosched replay --json "$tmp/events" | of_whole) $(
		of_dayone "$kind")"
	[ "$got" = "$want $want $want $want $want" ] ||
		no "$policy: whatif, compare, shadow-report, replay and dayone have $got, sim $want"
	all="$all $want"
}
all=''
same stock stock30 "$tmp/report" 1
same $faster stock1 "$tmp/faster" 1
same cover cover "$tmp/report" 2
same balanced act - ''
# shellcheck disable=SC2086 # words
[ "$(printf '%s\n' $all | sort -u | wc -l)" -eq 4 ] || no "the policies do not differ: $all"

[ "$failed" -ne 0 ] || echo "ok - one way to a figure:$all"
exit "$failed"

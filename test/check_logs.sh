#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Workload logs as they are: every log of COSCHED_TRACES is simulated, or one line says
# why not; damaged in each way of damage_log.py, each has the jobs that are left, one line
# counts the others, and --strict refuses the first.  The seed is printed; SEED=N repeats
# a run.  Skipped where there are no logs.
set -u
top=${srcdir:-.}
traces=${COSCHED_TRACES:-$top/../shared/traces}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
LC_ALL=C
export LC_ALL
status=0
seed=${SEED:-$(date +%s)}
lines=2000 # of a log, to be damaged
machine=512x1x1

no() {
	echo "not ok: $* (SEED=$seed)" >&2
	status=1
}

[ -n "$(find "$traces" -type f -name '*.swf*' 2>/dev/null)" ] || {
	echo "skipped: no workload log in '$traces' (set COSCHED_TRACES)"
	exit 77
}
command -v python3 >/dev/null || {
	echo "skipped: no python3, which damages the logs"
	exit 77
}
echo "seed $seed"

# simulate FILE WHAT: it has jobs, and at most one line is said; or one line and status 2
simulate() {
	./cosched sim --machine $machine --policy fcfs --json "$1" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	n=$(wc -l <"$tmp/err")
	case $rc in
	0) [ "$n" -le 1 ] || no "$2: $n lines: $(head -3 "$tmp/err")" ;;
	2) [ "$n" -eq 1 ] || no "$2: status 2 with $n lines" ;;
	*) no "$2: status $rc: $(head -3 "$tmp/err")" ;;
	esac
	jobs=$(sed -n 's/^ *"jobs":\([0-9]*\),*$/\1/p' "$tmp/out")
	jobs=${jobs:-0}
}

# damage FILE WAY: it has the jobs of $whole but for those that the way costs
damage() {
	"$top/test/damage_log.py" "$2" "$seed" <"$1" >"$tmp/damaged" 2>"$tmp/less" || {
		no "$2: damage_log.py: $(tail -1 "$tmp/less")"
		return
	}
	read -r less strict <"$tmp/less"
	simulate "$tmp/damaged" "$name, $2"
	[ "$jobs" -eq $((whole - less)) ] ||
		no "$name, $2: $jobs jobs, expected $((whole - less)): $(cat "$tmp/err")"
	[ "$less" -eq 0 ] || grep -q 'skipped [0-9]* of [0-9]* lines: ' "$tmp/err" ||
		no "$name, $2: $less jobs less, and nothing is said: $(cat "$tmp/err")"
	[ "$strict" = yes ] || return
	./cosched sim --strict --machine $machine "$tmp/damaged" >"$tmp/out" 2>"$tmp/err" &&
		no "$name, $2: not refused by --strict"
	[ "$(wc -l <"$tmp/err")" -eq 1 ] || no "$name, $2: --strict says: $(head -3 "$tmp/err")"
	grep -q 'damaged:[0-9]*: .*expected' "$tmp/err" ||
		no "$name, $2: --strict says: $(cat "$tmp/err")"
}

n_log=0 n_damaged=0
find "$traces" -type f >"$tmp/files"
while read -r file; do
	name=$(basename "$file")
	simulate "$file" "$name"
	# what is no SWF, or packed in a way that this build cannot read, was refused
	[ "$jobs" -gt 0 ] || continue
	n_log=$((n_log + 1))
	case $file in
	*.xz) xz -dc "$file" 2>/dev/null ;;
	*.gz) gzip -dc "$file" ;;
	*) cat "$file" ;;
	esac | awk -v n=$lines '/^ *;/ || n-- > 0' >"$tmp/some"
	[ -s "$tmp/some" ] || continue
	# the standard's own lines that are no jobs are taken out, so that --strict refuses
	# none but the damaged
	awk '/^ *;/ || ($2 >= 0 && $4 > 0 && ($5 > 0 || $8 > 0))' "$tmp/some" >"$tmp/good"
	simulate "$tmp/good" "$name, $lines lines"
	whole=$jobs
	for way in $("$top/test/damage_log.py"); do
		damage "$tmp/good" "$way"
		n_damaged=$((n_damaged + 1))
	done
done <"$tmp/files"

[ "$n_log" -gt 0 ] || no "none of the logs was simulated"
[ "$status" -ne 0 ] || echo "ok - $n_log logs, $n_damaged damaged"
exit "$status"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cosched sim on real workload logs gives the figures of an independent
# reference under the same trace rules, within 0.1 %.
#
# COSCHED_TRACES is the folder with the logs (KTH-SP2-1996-2.1-cln.swf.xz, ...);
# skipped where it has none of them.
set -u
traces=${COSCHED_TRACES:-${srcdir:-.}/../shared/traces}
status=77

fail() {
	echo "FAILED: $*"
	status=1
}

figure() { # name
	sed -n "s/^ *\"$1\":\\([0-9.e+-]*\\),*\$/\\1/p" summary.tmp
}

near() { # name, what it should be
	awk -v got="$(figure "$1")" -v want="$2" 'BEGIN {
		off = got - want
		exit !(got != "" && off <= .001 * want && -off <= .001 * want)
	}' || fail "$what: $1 is $(figure "$1"), expected $2"
}

trace() { # log, machine, policy, jobs, mean wait, bounded slowdown
	what="$1 under $3"
	file=$(find "$traces" -name "$1*.swf*" 2> /dev/null | head -n 1)
	[ -n "$file" ] || {
		echo "skipped: no $1*.swf in $traces (set COSCHED_TRACES)"
		return
	}
	[ $status = 1 ] || status=0
	./cosched sim --machine "$2" --policy "$3" --summary - "$file" \
		> summary.tmp || {
		fail "$what"
		return
	}
	[ "$(figure jobs)" = "$4" ] ||
		fail "$what: $(figure jobs) jobs, expected $4"
	near mean_wait "$5"
	near mean_bounded_slowdown "$6"
	echo "$what: mean wait $(figure mean_wait) s, bounded slowdown" \
		"$(figure mean_bounded_slowdown), $(figure wall_seconds) s"
}

trace KTH-SP2 100x1x1 easy 28467 6837.5 92.73
trace KTH-SP2 100x1x1 fcfs 28467 353949.9 6818.32
trace SDSC-SP2 128x1x1 easy 54034 20576.2 88.54
trace LPC-EGEE 140x1x1 easy 214322 214.1 12.127
rm -f summary.tmp
exit $status

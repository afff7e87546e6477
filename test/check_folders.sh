#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The folders of src/common, bottom up: a file includes its own folder and those
# below it. slice, order and backfill are siblings: none includes another.
#
# Usage: check_folders.sh [SRC-COMMON]
set -u -o pipefail
export LC_ALL=C
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1

order="base params gang profile learn model state job slice:order:backfill lifecycle place
engine log explain"
# Arrows up below $1, and folders that nobody has named.
arrows() {
	(cd "$1" && grep -HnoE '^#include "[^"]+"' -- */*.[ch]) |
		sed -E 's/^([^:]+):[0-9]+:#include "(.*)"$/\1 \2/' |
		awk -v order="$order" '
		BEGIN {
			n = split(order, level, /[ \n]+/)
			for (i = 1; i <= n; i++) {
				m = split(level[i], name, ":")
				for (k = 1; k <= m; k++)
					at[name[k]] = i
			}
		}
		{
			split($1, from, "/")
			split($2, to, "/")
			if (!at[from[1]] || !at[to[1]] ||
			    (from[1] != to[1] && at[to[1]] >= at[from[1]]))
				print
		}' | sort
}

fail() {
	echo "check_folders: $1" >&2
	exit 1
}

found=$(arrows "${1:-$top/src/common}") || fail "no files in '${1:-$top/src/common}'"
[ -z "$found" ] || fail "arrows up, include what is below: $found"
[ -z "${1:-}" ] || exit 0

# It catches a breach: between levels, between siblings, a folder of no level.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
breach() { # FILE INCLUDE
	rm -rf "${work:?}"/*
	mkdir -p "$work/${1%/*}" "$work/base"
	echo '#include "base/err.h"' >"$work/base/ok.c"
	"$0" "$work" 2>/dev/null || fail "it does not let a good file pass"
	echo "#include \"$2\"" >"$work/$1"
	! "$0" "$work" 2>/dev/null || fail "it does not catch $2 in $1"
}
breach state/x.c engine/engine.h
breach order/x.c slice/slices.h
breach base/x.h model/job.h
breach new/x.c base/err.h

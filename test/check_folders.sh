#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The folders of src/common, bottom up: a file includes its own folder and those
# below it. slice, order and backfill are siblings: none includes another.
#
# A stage's variants are named by params/, explain/ and the stage's own chooser: whoever
# else compares the enum would miss the next variant, and asks its table (state/stage.h).
#
# Usage: check_folders.sh [SRC-COMMON]
set -u -o pipefail
export LC_ALL=C
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1

order="base proc params gang profile learn model state job slice:order:backfill lifecycle place
engine estimate log explain"
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

# Lines of the sources in $1 that name a variant of a stage where none may.
variants() {
	local stage list

	for stage in order slice place backfill; do
		list=$(tr '\n' ' ' <"$1/common/params/params.h" |
			sed -nE "s/.*enum cs_$stage \{([^}]*)\}.*/\1/p" | tr -d ' \t' | tr ',' '|')
		[ -n "$list" ] || { echo "no enum cs_$stage in params.h"; continue; }
		(cd "$1" && grep -rnwE --include='*.[ch]' "$list" . |
			grep -vE "^\./common/(params/|explain/|$stage/$stage\.c:)")
	done
	return 0
}

fail() {
	echo "check_folders: $1" >&2
	exit 1
}

found=$(arrows "${1:-$top/src/common}") || fail "no files in '${1:-$top/src/common}'"
[ -z "$found" ] || fail "arrows up, include what is below: $found"
[ -z "${1:-}" ] || exit 0
found=$(variants "$top/src")
[ -z "$found" ] || fail "a stage's variant by name, ask its table: $found"

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

# ... and a variant's name, in another stage and outside src/common.
named() { # FILE LINE
	rm -rf "${work:?}"/*
	mkdir -p "$work/${1%/*}" "$work/common/params" "$work/common/place"
	cp "$top/src/common/params/params.h" "$work/common/params"
	cp "$top/src/common/place/place.c" "$work/common/place"
	[ -z "$(variants "$work")" ] || fail "it does not let the chooser pass"
	echo "$2" >"$work/$1"
	[ -n "$(variants "$work")" ] || fail "it does not catch '$2' in $1"
}
named common/order/x.c 'if (p->place == CS_PLACE_PAIR_BEST)'
named sim/x.c 'switch (p->slice) { case CS_SLICE_GANG:'
named plugins/sched/view/x.h 'p->order != CS_ORDER_OSTRICH'
named common/place/space.c 'p->place == CS_PLACE_COVER'

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A function's name tells where it is: behind cs_ it begins with its folder's name
# (or the singular of that), with the name of a file there, or with that of a struct
# or enum that is declared there.  What Slurm calls by its own names, and cs_plan_abi()
# (gate/gate.h: of this name for ever), is left out.
#
# Usage: check_names.sh BUILD [SRC]	BUILD holds objects of the sources in SRC
set -u -o pipefail
export LC_ALL=C
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
build=${1:?a build folder expected}
src=${2:-$top/src}

fail() {
	echo "check_names: $1" >&2
	exit 1
}

# FOLDER SYMBOL of every function and variable that other files can see.
symbols() {
	find "$1/src" -name '*.o' | while read -r object; do
		folder=${object#"$1"/src/}
		folder=${folder%/*}
		nm -g --defined-only "$object" |
			awk -v folder="${folder%/.libs}" '$3 ~ /^cs_/ { print folder, $3 }'
	done | sort -u
}

# FOLDER NAME of every beginning that a name may have.
beginnings() {
	(cd "$1" && find . -name '*.[ch]' | sed 's,^\./,,') | while read -r file; do
		folder=${file%/*}
		stem=${file##*/}
		printf '%s %s\n' "$folder" "${stem%.*}" "$folder" "${folder##*/}" "$folder" \
			"$(sed 's/s$//' <<<"${folder##*/}")"
		sed -nE "s,^(struct|enum|union) cs_([a-z0-9_]+) \{.*,$folder \2,p" "$1/$file"
	done | sort -u
}

strangers() { # BUILD SRC
	awk '
	NR == FNR { may[$1, $2]; next }
	$2 == "cs_plan_abi" { next }
	{
		n = split(substr($2, 4), word, "_")
		name = ""
		for (i = 1; i <= n; i++) {
			name = name (i > 1 ? "_" : "") word[i]
			if (($1, name) in may)
				next
		}
		print $1 ": " $2 "()"
	}' <(beginnings "$2") <(symbols "$1")
}

[ -n "$(symbols "$build" | head -n 1)" ] || fail "no objects in '$build/src'"
found=$(strangers "$build" "$src")
[ -z "$found" ] || fail "names that do not tell their folder:
$found"

# It catches a breach, and lets what is by the rule pass.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/rooms"
printf 'struct cs_door {\n\tint a;\n};\n' >"$work/src/rooms/thing.h"
for name in room_of rooms_of thing_of door_of; do
	printf 'int cs_%s(void);\nint cs_%s(void)\n{\n\treturn 0;\n}\n' $name $name \
		>"$work/src/rooms/$name.c"
	cc -c -o "$work/src/rooms/$name.o" "$work/src/rooms/$name.c" || exit 1
	rm "$work/src/rooms/$name.c"
done
[ -z "$(strangers "$work" "$work/src")" ] || fail "it does not let good names pass"
printf 'int cs_engine_of;\n' >"$work/src/rooms/x.c"
cc -c -o "$work/src/rooms/x.o" "$work/src/rooms/x.c" || exit 1
[ "$(strangers "$work" "$work/src")" = "rooms: cs_engine_of()" ] ||
	fail "it does not catch cs_engine_of() in rooms/"

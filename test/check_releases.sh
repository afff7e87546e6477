#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check_releases: do the plugins compile for these releases of Slurm, and do the texts
# name those that contrib/releases lists?
#
# Usage: test/check_releases.sh [--build DIR] [--objects] [--table] [TREE...]
#
#	TREE        source trees of Slurm, each of a release: every .c of src/plugins
#	            is compiled with its headers, warnings are errors
#	--build DIR a build folder, for cosched_build.h (default: one is made up)
#	--objects   real objects with -O2, not only the syntax: warnings of the optimiser
#	            too, and ten times the time
#	--table     write the table of contrib/releases into doc/admin/install.md
#
# CC (gcc) may be another compiler, JOBS (2) how many run at once.  One line a tree: `ok -
# 24.11.5` or `not ok - 24.11.5: FILE: first error`.  Without a TREE only the texts are
# checked.  Exit status 1 if anything is not ok.
set -u -o pipefail
tree=$(cd "$(dirname "$0")/.." && pwd) || exit 1
# shellcheck source-path=SCRIPTDIR source=../contrib/lib.sh
. "$tree/contrib/lib.sh"
build='' table='' failed=0
how=(-fsyntax-only)
while [ $# -gt 0 ]; do
	case $1 in
	--build)	build=$(realpath "${2:?--build needs a folder}"); shift ;;
	--table)	table=1 ;;
	--objects)	how=(-c -O2 -o /dev/null) ;;
	-h | --help)	cs_usage; exit 0 ;;
	-*)		cs_die "unknown option '$1': see --help" ;;
	*)		break ;;
	esac
	shift
done
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-releases.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

bad() {
	failed=1
	printf 'not ok - %s\n' "$*"
}

# --- the trees ------------------------------------------------------------------

flags=(-std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
	-Werror=implicit-function-declaration -Werror -ffp-contract=off
	-D_GNU_SOURCE -DCS_STOCK_PLUGINDIR='""' -DPACKAGE_VERSION='"0"' -DCS_WAIT_LIBRARY='""' -Isrc -Isrc/common -Isrc/plugins -I"$work")
# shellcheck disable=SC2207 # flags are words
flags+=($(pkg-config --cflags json-c 2>/dev/null))
if [ -n "$build" ]; then
	flags+=(-I"$build")
else
	echo '#define COSCHED_BUILD "unknown"' >"$work/cosched_build.h"
fi

# The sources that do not include Slurm are the same for all releases.
plugin_sources() {
	find src/plugins -name '*.c' | sort
}

# one TREE: compile all
one() {
	local headers=$work/headers release out

	rm -rf "$headers"
	release=$(sh "$tree/m4/slurm_headers.sh" "$1" "$headers" 2>"$work/why") || {
		bad "$1: $(cat "$work/why")"
		return
	}
	rm -f "$work"/failed.*
	plugin_sources | xargs -P "${JOBS:-2}" -I FILE sh -c '
		file=$1 work=$2
		shift 2
		"$@" "$file" >"$work/out.$$" 2>&1 || {
			{ echo "$file"; cat "$work/out.$$"; } >"$work/failed.$$"
		}
		rm -f "$work/out.$$"' sh FILE "$work" "${CC:-gcc}" "${how[@]}" "${flags[@]}" \
		-include "$headers/cosched_slurm.h" -isystem "$headers" -isystem "$1"
	out=$(cat "$work"/failed.* 2>/dev/null | sed -n 's/^\(src[^ ]*: \(fatal \)\?error: .*\)/\1/p' |
		head -n 1)
	if ls "$work"/failed.* >/dev/null 2>&1; then
		bad "$release: ${out:-$(cat "$work"/failed.* | head -n 2 | tr '\n' ' ')}" \
			"($(find "$work" -name 'failed.*' | wc -l) files)"
	else
		printf 'ok - %s\n' "$release"
	fi
	cs_releases | grep -qxF "$release" ||
		bad "$release is not listed in contrib/releases"
}

cd "$tree" || exit 1
for t; do
	one "$(realpath "$t")"
done

# --- the texts ------------------------------------------------------------------

# "22.05.8, 23.11.10 and .11, ...": how texts name them
compiled="compile for $(cs_releases_text)"
tested="ested with Slurm $(cs_releases_text tested packages)"
for f in doc/admin/limits.md README; do
	for text in "$tested;" "$compiled."; do
		tr -s ' \n' ' ' <"$f" | grep -qF "$text" ||
			bad "$f does not name the releases of contrib/releases: '$text' expected"
	done
done

# The table stands between a line "| Slurm | ..." and the first that is no row.
page=doc/admin/install.md
in_page() {
	awk '/^\| Slurm \|/ { inside = 1 } inside && !/^\|/ { exit } inside' $page
}
if [ -n "$table" ]; then
	cs_releases_table >"$work/table"
	awk -v table="$work/table" '
		/^\| Slurm \|/ { inside = 1; while ((getline line <table) > 0) print line }
		!/^\|/ { inside = 0 }
		!inside' $page >"$work/page" && cat "$work/page" >$page
fi
[ "$(in_page)" = "$(cs_releases_table)" ] && [ "$(in_page | wc -l)" -gt 3 ] ||
	bad "$page: its table is not that of contrib/releases: test/check_releases.sh --table"
# In a checkout with its history each commit is there.
if [ "$(git -c safe.directory="$tree" rev-parse --show-toplevel 2>/dev/null)" = "$tree" ] &&
	[ "$(git -c safe.directory="$tree" rev-parse --is-shallow-repository)" = false ]; then
	awk '!/^#/ { for (i = 3; i <= NF; i++) if ($i != "-") print $i }' contrib/releases |
		sort -u | while read -r commit; do
		git -c safe.directory="$tree" cat-file -e "$commit^{commit}" 2>/dev/null ||
			echo "$commit"
	done >"$work/unknown"
	[ ! -s "$work/unknown" ] ||
		bad "contrib/releases: no such commit: $(paste -sd' ' "$work/unknown")"
fi
[ $failed = 1 ] || echo "ok - the texts name the releases of contrib/releases"
exit $failed

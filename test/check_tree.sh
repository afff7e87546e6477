#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What contrib/ copies of a checkout in which somebody has built: its sources and what
# is new, nothing that configure or make left, with and without git.
set -u
srcdir=${srcdir:-$(dirname "$0")/..}
# shellcheck source=../contrib/lib.sh
. "$srcdir/contrib/lib.sh"
dir=$(mktemp -d "${TMPDIR:-/tmp}/check_tree.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
sources='.gitignore Makefile.am configure.ac src/a.c src/new.c test/unit/test_a.c'
products='Makefile aclocal.m4 build/src/b.c config.status configure cosched
	doc/cosched-params.5 src/.deps/a.Plo src/a.lo src/a.o test_a x.log'
failed=0

copied() {
	cs_tree_tar "$dir" | tar -t | LC_ALL=C sort | tr '\n' ' '
}

same() { # same WHAT
	local got

	got=$(copied)
	[ "${got% }" = "$sources" ] && return
	echo "not ok: $1: '$got', expected '$sources'" >&2
	failed=1
}

for f in $sources $products; do
	mkdir -p "$(dirname "$dir/$f")"
	echo >"$dir/$f"
done
cp "$srcdir/.gitignore" "$dir/.gitignore" || exit 77
same "without git"
if git -C "$dir" init -q 2>/dev/null; then
	git -C "$dir" add .gitignore src/a.c
	same "with git"
fi
exit $failed

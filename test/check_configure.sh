#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What configure says without --with-slurm, and of one that is wrong.
#
# Usage: check_configure.sh TREE (with a configure in it)
tree=$(realpath "${1:?the folder with configure expected}") || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-configure.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# refused OPTION TEXT
refused() {
	local out

	if out=$("$tree/configure" --quiet "$1" 2>&1) || ! grep -qF -- "$2" <<<"$out"; then
		failed=1
		printf 'not ok - %s: expected "%s" in:\n%s\n' "$1" "$2" "$out"
	fi
}
refused --with-slurm=/no/such "--with-slurm=/no/such: no such folder"
refused --with-slurm= "--with-slurm needs the path of a Slurm source tree"
refused --with-slurm "--with-slurm needs the path of a Slurm source tree"
refused "--with-slurm=$work" "$work is no Slurm source tree: it has no META"
"$tree/configure" 2>&1 | grep -qF "plugins left out (no --with-slurm)" || {
	failed=1
	echo "not ok - without --with-slurm: it does not say that the plugins are left out"
}
exit "$failed"

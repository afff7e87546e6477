#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What configure says without --with-slurm, of one that is wrong, and of a release that
# the plugins do not compile for.
#
# Usage: check_configure.sh TREE [SLURM] (TREE with a configure in it; Slurm's source)
tree=$(realpath "${1:?the folder with configure expected}") || exit 1
slurm=${2:+$(realpath "$2")} || exit 1
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
# The headers of one release, said to be of another.
if [ -n "$slurm" ]; then
	mkdir other
	ln -s "$slurm/slurm" "$slurm/src" other/
	sed 's/^\( *Version:[ \t]*\).*/\123.02.7/; s/^\( *Major:[ \t]*\).*/\123/; s/^\( *Minor:[ \t]*\).*/\102/' \
		"$slurm/META" >other/META
	refused "--with-slurm=$work/other" \
		"Slurm 23.02.7: the plugins do not compile with its headers (config.log says why); contrib/releases lists"
	[ "$(cd "$work" && "$tree/configure" --quiet "--with-slurm=$work/other" 2>&1 | wc -l)" = 1 ] || {
		failed=1
		echo "not ok - a release that is not known: it is not said in one line"
	}
	sed 's/^\( *Release:[ \t]*\).*/\10pre1/' "$slurm/META" >other/META
	refused "--with-slurm=$work/other" "other is no release of Slurm: META says"
	sed '/^ *Release:/d' "$slurm/META" >other/META
	refused "--with-slurm=$work/other" "other is no release of Slurm: META says"
	sed 's/^\( *Version:[ \t]*\).*/\124.11/' "$slurm/META" >other/META
	refused "--with-slurm=$work/other" "META does not give a version, but '24.11'"
	sed 's/^\( *Version:[ \t]*\).*/\121.08.8/' "$slurm/META" >other/META
	refused "--with-slurm=$work/other" "Slurm 22.05 or later is needed"
fi
"$tree/configure" 2>&1 | grep -qF "plugins left out (no --with-slurm)" || {
	failed=1
	echo "not ok - without --with-slurm: it does not say that the plugins are left out"
}
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make install` writes over no plugin that may be in use: the new file takes its name; it
# says the next step.
# `make uninstall` leaves the plugins' folder, empty, and says so: Slurm's commands die
# where one that slurm.conf names is missing, and slurmds that run may name it still. Of
# a staged installation it leaves nothing.
#
# Usage: check_uninstall.sh BUILD
build=${1:?build folder expected}
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-uninstall.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
folder=$work/lib/cosched/slurm
export SLURM_CONF=$work/slurm.conf

# installed where the build says, below a folder of ours
install() {
	make -s -C "$build" DESTDIR="$work/dest" install >"$work/said" 2>&1 || {
		failed=1
		printf 'not ok - make install:\n%s\n' "$(tail -n 5 "$work/said")"
	}
}
install
plugin=$(find "$work/dest" -name sched_backfill.so)
echo "what runs" >"$plugin"
exec 3<"$plugin"
install
[ "$(cat <&3)" = "what runs" ] ||
	{ failed=1; echo "not ok - a plugin is written over in place"; }
[ "$(head -c 4 "$plugin")" = $'\x7fELF' ] || { failed=1; echo "not ok - no new plugin"; }
[ -z "$(find "$work/dest" -name '.*.new')" ] || { failed=1; echo "not ok - a file is left over"; }
exec 3<&-
! grep -q '^Next: ' "$work/said" ||
	{ failed=1; echo "not ok - of a staged installation the next step is not ours"; }
said=$(make -s -C "$build" install-data-hook 2>&1)
grep -q '^Next: .*/cosched conf prints the lines for slurm.conf' <<<"$said" ||
	{ failed=1; printf 'not ok - make install does not say the next step: %s\n' "$said"; }

release=$(sed -n 's/^slurm_release = //p' "$build/Makefile")
# remove: uninstall what looks as if it were installed; what make said is in $said
remove() {
	mkdir -p "$folder" "$work"/{bin,sbin} "$work"/share/man/man{1,5} || exit 1
	touch "$folder"/{libcosched_plan-"$release",select_cons_tres,sched_backfill,site_factor_ostrich}.so
	said=$(make -s -C "$build" prefix="$work" uninstall 2>&1) || failed=1
}
echo "PluginDir=$folder:/usr/lib/slurm" >"$SLURM_CONF"
remove
[ -d "$folder" ] || { failed=1; echo "not ok - the folder that slurm.conf names is gone"; }
[ ! -e "$folder/sched_backfill.so" ] || { failed=1; echo "not ok - plugins are left"; }
grep -qF "$SLURM_CONF still names $folder" <<<"$said" ||
	{ failed=1; printf 'not ok - it is not said:\n%s\n' "$said"; }

echo "PluginDir=/usr/lib/slurm" >"$SLURM_CONF"
remove
[ -d "$folder" ] || { failed=1; echo "not ok - the folder that slurmds may name is gone"; }
[ -z "$(ls -A "$folder")" ] || { failed=1; echo "not ok - files are left in it"; }
grep -qF "$folder stays" <<<"$said" ||
	{ failed=1; printf 'not ok - it is not said:\n%s\n' "$said"; }
rmdir -p --ignore-fail-on-non-empty "$folder"
said=$(make -s -C "$build" prefix="$work" uninstall 2>&1) || failed=1
[ ! -e "$work/lib/cosched" ] || { failed=1; echo "not ok - it comes again"; }
make -s -C "$build" DESTDIR="$work/dest" uninstall >/dev/null 2>&1 || failed=1
[ -z "$(find "$work/dest" -name cosched)" ] ||
	{ failed=1; echo "not ok - a folder is left of a staged installation"; }
exit "$failed"

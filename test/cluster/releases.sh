#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Plugins of two releases in two folders of PluginDir, as during an upgrade of Slurm:
# slurmctld takes those of its own release, wherever their folder stands, with the table of
# that folder. With plugins of another release alone Slurm's own scheduler runs, and
# `cosched status` says why in one line. The other release's plugins are copies of ours with
# another number in plugin_version.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our installation"
command -v readelf >/dev/null || skip "no readelf (binutils)"
release=$(slurmctld -V | awk '{ print $2 }')
micro=${release##*.}
# of as many digits, since names in the files keep their lengths
other=${release%.*}.$((micro % 10 == 9 ? micro - 1 : micro + 1))
folder=$WORK/lib/cosched/slurm/$other

# renumbered FILE: the number in plugin_version of FILE becomes that of $other
renumbered() {
	local at

	at=$(readelf -sW --dyn-syms "$1" | awk '$8 == "plugin_version" { print $2; exit }')
	[ -z "$at" ] || python3 - "$1" "$at" "$release" "$other" <<-'END'
		import struct, sys

		path, at, old, new = sys.argv[1], int(sys.argv[2], 16), *sys.argv[3:]
		with open(path, "r+b") as file:
		    image = bytearray(file.read())
		    number = lambda text: struct.pack("<I", int.from_bytes(map(int, text.split(".")), "big"))
		    # read-only data lies in the file where it lies in memory
		    assert image[at : at + 4] == number(old), image[at : at + 4]
		    image[at : at + 4] = number(new)
		    file.seek(0)
		    file.write(image)
	END
}
# the other release's plugins, which need the other release's table
make_other() {
	local file

	mkdir -p "$folder"
	for file in "$PLUGINS"/*.so; do
		sed "s/libcosched_plan-$release\.so/libcosched_plan-$other.so/g" "$file" \
			>"$folder/$(basename "$file" | sed "s/-$release\.so/-$other.so/")" || return
	done
	for file in "$folder"/*_*.so; do
		renumbered "$file" || return
	done
}
ok "(plugins of Slurm $other)" make_other
[ -e "$folder/libcosched_plan-$other.so" ] || exit 1

cluster
stock=$(sed -n "s|^PluginDir=$PLUGINS:||p" "$SLURM_CONF")
isnt "(Slurm's own folder)" "$stock" ""

# with DIR:DIR: slurmctld restarts with these folders before Slurm's own
with() {
	sed -i "s|^PluginDir=.*|PluginDir=$1:$stock|" "$SLURM_CONF"
	vc restart-ctld && vc wait-up >/dev/null
}
# the files of ours that slurmctld has mapped, of those named
mapped() {
	awk '$6 ~ /(sched_backfill|libcosched_plan[^\/]*)\.so$/ { print $6 }' \
		"/proc/$(ctld_pid)/maps" | sort -u
}
doctor() {
	"$COSCHED" doctor | sed -n 's/^\([a-z]*\) *release */\1 /p'
}

runs=$(job -n2)
ok "a job runs" running "$runs"
held=$(cores "$runs")

ok "slurmctld restarts with the other release's folder before ours" with "$folder:$PLUGINS"
ok "mode act is on" wait_for 10 in_act
like "slurmctld passed over the other's" "$(cat "$CTLD_LOG")" \
	"Incompatible Slurm plugin $folder/sched_backfill.so version \($other\)"
like "it has our plugin" "$(mapped)" "^$PLUGINS/sched_backfill.so$"
like "with our table" "$(mapped)" "^$PLUGINS/libcosched_plan-$release.so$"
is "the job that ran runs on its cores" "$(state "$runs") $(cores "$runs")" "RUNNING $held"
ok "a job starts" running "$(job -n2)"
is "doctor names both, and is content" "$(doctor)" \
	"ok Slurm $release runs; of our plugins those in $folder are for $other; those in $PLUGINS are for $release. Before an upgrade of Slurm build ours for its release."

ok "slurmctld restarts with ours first" with "$PLUGINS:$folder"
ok "mode act is on" wait_for 10 in_act

# Slurm's own plugins of the other release, as both releases lie there during an upgrade
others_stock=$WORK/lib/slurm-$other
make_others_stock() {
	local file

	mkdir -p "$others_stock"
	for file in sched_backfill select_cons_tres; do
		cp "${stock%%:*}/$file.so" "$others_stock" &&
			renumbered "$others_stock/$file.so" || return
	done
}
ok "(Slurm's plugins of Slurm $other)" make_others_stock
ok "slurmctld restarts with these before its own" with "$PLUGINS:$others_stock"
ok "mode act is on: they are passed over" wait_for 10 in_act
ok "a job starts" running "$(job -n2)"

ok "slurmctld restarts with the other's alone" with "$folder"
ok "a job starts by Slurm's own scheduler" running "$(job -n2)"
is "the job that ran runs on" "$(state "$runs") $(cores "$runs")" "RUNNING $held"
is "status says in one line why nobody answers" "$("$COSCHED" status 2>&1)" \
	"cosched: status: the plugin is not loaded: Slurm $release runs, and passes over our plugins (those in $folder are for $other): Slurm's own scheduler decides. See cosched doctor"
nok "its exit status is 1" "$COSCHED" status
like "doctor says what to do" "$(doctor)" \
	"^wrong Slurm $release runs; of our plugins those in $folder are for $other\. .* Build ours for $release .* restart slurmctld\.$"

ok "slurmctld restarts with both" with "$folder:$PLUGINS"
ok "mode act is on again" wait_for 10 in_act
is "nothing is lost" "$(state "$runs") $(cores "$runs")" "RUNNING $held"
log_is_clean

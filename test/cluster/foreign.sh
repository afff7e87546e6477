#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Plugins that were built for another Slurm, or stand beside a libcosched_plan.so of another
# interface: stock scheduling, one loud line, jobs running, no gate. Another interface
# installed over a running slurmctld, and back: no job is lost.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=loads.inc
. "$(dirname "$0")/loads.inc"

our_plugins=$PLUGINS

# --- nearly right headers

# doctored DIR: a Slurm source tree whose job_record has one field more
doctored() {
	local tree f how=-a

	tree=$(slurm_tree) || return
	# links, where it is the same file system
	[ "$(stat -c %d "$tree")" != "$(stat -c %d "$WORK")" ] || how=-al
	cp "$how" "$tree" "$1" || return
	for f in src/common/job_record.h src/slurmctld/slurmctld.h; do
		grep -q '^struct job_record {\|^typedef struct job_record' "$1/$f" 2>/dev/null || continue
		# a copy of our own in place of the link
		sed 's/^\(\t*\)\(uint32_t job_state;.*\)/\1uint64_t one_field_more;\n\1\2/' \
			"$1/$f" >"$1/$f.new" && mv "$1/$f.new" "$1/$f"
		grep -q one_field_more "$1/$f" && return
	done
	return 1
}

# source_of DIR: a copy of ours, which configure can be run on
source_of() {
	mkdir "$1"
	tar -C "$TREE" --exclude=.git --exclude='*.o' --exclude='*.l[oa]' --exclude=.libs \
		--exclude=config.status --exclude=./Makefile -cf - . | tar -C "$1" -xf -
	[ -x "$1/configure" ] || (cd "$1" && ./bootstrap) >"$WORK/bootstrap.log" 2>&1
}

# plugins_of SOURCE HEADERS DIR: its plugins, built with Slurm's HEADERS, in DIR
plugins_of() {
	mkdir "$3" "$3.build"
	(cd "$3.build" && "$1/configure" --with-slurm="$2" --prefix="$3.build/inst" \
		CFLAGS=-O0 &&
		make -j"$(nproc)" src/plugins/{libcosched_plan,select_cons_tres,sched_backfill,site_factor_ostrich}.la &&
		cp src/plugins/.libs/*.so "$3/") >"$3.log" 2>&1 && return
	bad "(plugins are built in $(basename "$3"))" "$(tail -n 20 "$3.log")"
	return 1
}

nearly_right() {
	ok "(a doctored source tree)" doctored "$WORK/slurm"
	plugins_of "$WORK/src" "$WORK/slurm" "$WORK/doctored" || return
	run_with "$WORK/doctored"
	stock_rules "both on doctored headers" "built for another Slurm than the one that runs"
	cluster_down
	mkdir "$WORK/half"
	cp "$our_plugins/"*.so "$WORK/half/"
	cp "$WORK/doctored/select_cons_tres.so" "$WORK/half/"
	run_with "$WORK/half"
	stock_rules "select on doctored headers" "our select_cons_tres.so is not loaded, or built for another Slurm"
	ok "select on doctored headers: mode off" status_has "mode off,"
	ok "select on doctored headers: the log says what is wrong with it" \
		log_has "our select_cons_tres.so: built for another Slurm than the one that runs"
	cluster_down
	cp "$our_plugins/"*.so "$WORK/half/"
	cp "$WORK/doctored/sched_backfill.so" "$WORK/half/"
	run_with "$WORK/half"
	stock_rules "sched on doctored headers" "built for another Slurm than the one that runs"
	cluster_down
}

# --- another interface of libcosched_plan.so

# Of another number, and no symbol but cs_plan_abi() has the name that it has here: to
# call any other ends slurmctld.
other_interface() {
	local src=$WORK/other_src abi

	cp -a "$WORK/src" "$src"
	abi=$(sed -n 's/^#define CS_GATE_ABI //p' "$src/src/plugins/gate/gate.h")
	find "$src/src/plugins" -name '*.[ch]' -exec sed -i \
		-e "s/^#define CS_GATE_ABI .*/#define CS_GATE_ABI $((abi + 1))/" \
		-e 's/\<cs_\(gate\|users\|logfile\|state_file\)_/cs_other_\1_/g' {} +
	sed -i 's/cs_gate_\*;/cs_other_*;/' "$src/src/plugins/gate/exports.map"
	plugins_of "$src" "$(slurm_tree)" "$WORK/other"
}

# table_in DIR: clusters from now on have that folder's libcosched_plan.so, wherever the
# plugins were built
table_in() {
	export LD_LIBRARY_PATH=$1
}

# foreign_table TEXT PLUGINS TABLE: the plugins of one folder, the table of the other
foreign_table() {
	local dir

	dir=$(mktemp -d "$WORK/mixed.XXXXXX")
	cp "$2/"*.so "$dir/"
	cp "$3"/libcosched_plan-*.so "$dir/"
	rm -f "$LOG"
	PLUGINS=$dir
	table_in "$dir"
	cluster --any-mode --more bf_interval=1 --set PriorityType=priority/multifactor \
		--set PrioritySiteFactorPlugin=site_factor/ostrich
	stock_rules "$1" "libcosched_plan.so in memory is of interface"
	ok "$1: the site factor is silent, and says why" \
		log_has "error: cosched: site_factor/ostrich: libcosched_plan.so in memory is of interface"
	cluster_down
}

# put_over TEXT FROM: installed over the plugins of a running slurmctld, as install(1)
# does, one file after the other; jobs meanwhile, and after a reconfigure and a restart
put_over() {
	local text=$1 before file

	before=$(job -N1 -n1)
	running "$before"
	for file in "$2"/*.so; do
		install "$file" "$PLUGINS/"
		ok "$text: a job runs after $(basename "$file")" running "$(SLEEP=1 job -N1 -n1)"
	done
	ok "$text: reconfigured" scontrol reconfigure
	vc wait-up >/dev/null
	ok "$text: a job runs after a reconfigure" running "$(SLEEP=1 job -N1 -n1)"
	ok "$text: slurmctld restarts" vc restart-ctld
	vc wait-up >/dev/null
	ok "$text: mode act is on" wait_for 10 in_act
	ok "$text: a job runs after it" running "$(SLEEP=1 job -N1 -n1)"
	is "$text: the job of before runs on" "$(state "$before")" RUNNING
	unlike "$text: no crash" "$(cat "$CTLD_LOG")" '[Ss]egmentation|symbol lookup|fatal|job overflow'
	scancel "$before"
}

interfaces() {
	other_interface || return
	foreign_table "a table of a later interface" "$our_plugins" "$WORK/other"
	foreign_table "a table of an earlier interface" "$WORK/other" "$our_plugins"
	cp -r "$our_plugins" "$WORK/installed"
	table_in "$WORK/installed"
	run_with "$WORK/installed"
	wait_for 10 in_act
	put_over "upgrade" "$WORK/other"
	put_over "downgrade" "$our_plugins"
	cluster_down
	unset LD_LIBRARY_PATH
}

if [ ! -x "$TREE/configure" ] && ! command -v autoreconf >/dev/null; then
	printf 'skip - %s: plugins built on purpose: no autotools\n' "$NAME"
	exit 77
fi
source_of "$WORK/src"
nearly_right
interfaces

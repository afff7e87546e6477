#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A plugin that is alone, a SelectType under which we must not act, files of others under
# our settings' names: stock scheduling, one loud line, jobs running, no gate.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=loads.inc
. "$(dirname "$0")/loads.inc"

our_plugins=$PLUGINS

# --- one without the other

alone() {
	mkdir "$WORK/select" "$WORK/sched"
	cp "$our_plugins"/libcosched_plan-*.so "$our_plugins/select_cons_tres.so" "$WORK/select/"
	cp "$our_plugins"/libcosched_plan-*.so "$our_plugins/sched_backfill.so" "$WORK/sched/"
	run_with "$WORK/select"
	ok "select without sched: slurmctld's log says it before any job" \
		wait_for 15 log_has "cosched: our select_cons_tres.so is loaded without our sched_backfill.so"
	stock_rules "select without sched" "without our sched_backfill.so"
	cluster_down
	run_with "$WORK/sched"
	stock_rules "sched without select" "our select_cons_tres.so is not loaded"
	ok "sched without select: mode off" status_has "mode off,"
	ok "sched without select: cosched status says it" \
		status_has "^WARNING: mode act is set: our select_cons_tres.so is not loaded"
	cluster_down
}

# --- settings of Slurm under which we must not act

other_select() {
	local type params=CR_Core nodes=4

	case $(slurmctld -V) in
	*\ 22.05.*) type=select/cons_res ;;
	*) type=select/linear params=CR_Memory nodes=3 ;;
	esac
	rm -f "$LOG"
	PLUGINS=$our_plugins
	cluster --any-mode --set SelectType=$type --select-params $params
	stock_rules "SelectType=$type" \
		"SelectType is $type, which leaves our select_cons_tres.so out" "$nodes"
	ok "SelectType=$type: cosched status says it" status_has "SelectType is $type"
	ok "SelectType=$type: mode off" status_has "mode off,"
	cluster_down
	cluster --select-params CR_Socket_Memory
	ok "CR_Socket: the log warns" log_has "cosched: warning: SelectTypeParameters has no CR_Core: Slurm's own test places all"
	ok "CR_Socket: cosched status warns" status_has "SelectTypeParameters has no CR_Core"
	cluster_down
}

# --- files that are somebody's

others_files() {
	local port

	cluster
	echo "my notes" >"$WORK/notes"
	set_params "cosched_mode=act,$SHARED,cosched_socket=$WORK/notes"
	ok "cosched_socket of a file: refused" wait_for 8 log_has "notes.*is no socket"
	is "and the file is left alone" "$(cat "$WORK/notes")" "my notes"
	ok "cosched status is answered at the default place" status_has "mode act"
	port=$(sed -nE 's/.*NodeName=n1 .*Port=([0-9]+).*/\1/p' "$SLURM_CONF")
	set_params "cosched_mode=act,$SHARED,cosched_socket=$port"
	ok "cosched_socket of a port that slurmd has: refused" \
		wait_for 8 log_has "port $port of .* is taken"
	ok "and cosched status is answered there, too" status_has "mode act"
	set_params "cosched_mode=act,$SHARED,cosched_socket=99999"
	ok "cosched_socket=99999: cosched status answers and says it" \
		wait_for 8 status_has "WARNING: .*'99999'"
	set_params "cosched_mode=act,${SHARED/$LOG/$WORK/notes}"
	ok "cosched_log of a file: refused" wait_for 8 status_has "notes.*somebody's file"
	is "and the file is left alone, too" "$(cat "$WORK/notes")" "my notes"
	cluster_down
}

alone
other_select
others_files

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A plugin that is alone, or built for another Slurm: stock scheduling, one loud
# line, jobs running, no gate.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

our_plugins=$PLUGINS

# stock_rules TEXT CAUSE [NODES]: in the cluster that was just started; the first job
# takes so many of the four nodes, fewer where nodes are given whole. One error says
# what becomes of scheduling, and CAUSE.
stock_rules() {
	local text=$1 cause=$2 nodes=${3:-4} loud a b c

	# what differs in job records shows when there is one
	a=$(profiled cg -N"$nodes" -n$((2 * nodes)))
	ok "$text: jobs run" running "$a"
	wait_for 10 log_has 'error: cosched: .*stock scheduling goes on'
	# incompatible: a gate would keep it back
	b=$(profiled mem -N1 -n2)
	ok "$text: no gate" running "$b"
	c=$(profiled cg -N4 -n8)
	sleep 1
	ok "$text: a full machine makes jobs wait as ever" is_state "$c" PENDING
	scancel "$a" "$b"
	ok "$text: and they start when there is room" running "$c"
	loud=$(grep 'error: cosched: .*stock scheduling goes on' "$CTLD_LOG")
	is "$text: one loud line" "$(grep -c . <<<"$loud")" 1
	like "$text: it says why" "$loud" "$cause"
	unlike "$text: no crash" "$(cat "$CTLD_LOG")" '[Ss]egmentation|symbol lookup|fatal|job overflow'
	clear_jobs
}

# run_with DIR: a cluster with the plugins of DIR in mode act
run_with() {
	rm -f "$LOG"
	PLUGINS=$1
	cluster --any-mode --more bf_interval=1
}

# --- one without the other

alone() {
	mkdir "$WORK/select" "$WORK/sched"
	cp "$our_plugins/libcosched_plan.so" "$our_plugins/select_cons_tres.so" "$WORK/select/"
	cp "$our_plugins/libcosched_plan.so" "$our_plugins/sched_backfill.so" "$WORK/sched/"
	run_with "$WORK/select"
	ok "select without sched: slurmctld's log says it before any job" \
		wait_for 15 log_has "cosched: .*select shadow.*without the sched shadow"
	stock_rules "select without sched" "without the sched shadow"
	cluster_down
	run_with "$WORK/sched"
	stock_rules "sched without select" "our select_cons_tres.so is not loaded"
	ok "sched without select: mode off" status_has "mode off,"
	ok "sched without select: cosched status says it" \
		status_has "^WARNING: mode act is set: our select_cons_tres.so is not loaded"
	cluster_down
}

# --- nearly right headers

# doctored DIR: a Slurm source tree whose job_record has one field more
doctored() {
	local tree f

	tree=$("$TREE/contrib/slurm-source") || return
	# links, where it is the same file system
	cp -al "$tree" "$1" 2>/dev/null || { rm -rf "$1" && cp -a "$tree" "$1"; } || return
	for f in src/common/job_record.h src/slurmctld/slurmctld.h; do
		grep -q '^struct job_record {\|^typedef struct job_record' "$1/$f" 2>/dev/null || continue
		# a copy of our own in place of the link
		sed 's/^\(\t*\)\(uint32_t job_state;.*\)/\1uint64_t one_field_more;\n\1\2/' \
			"$1/$f" >"$1/$f.new" && mv "$1/$f.new" "$1/$f"
		grep -q one_field_more "$1/$f" && return
	done
	return 1
}

nearly_right() {
	local src=$WORK/src

	if [ ! -x "$TREE/configure" ] && ! command -v autoreconf >/dev/null; then
		printf 'skip - %s: plugins on doctored headers: no autotools\n' "$NAME"
		return
	fi
	ok "(a doctored source tree)" doctored "$WORK/slurm"
	mkdir "$src" "$WORK/build"
	tar -C "$TREE" --exclude=.git --exclude='*.o' --exclude='*.l[oa]' --exclude=.libs \
		--exclude=config.status --exclude=./Makefile -cf - . | tar -C "$src" -xf -
	[ -x "$src/configure" ] || (cd "$src" && ./bootstrap) >"$WORK/bootstrap.log" 2>&1
	if ! (cd "$WORK/build" && "$src/configure" --with-slurm="$WORK/slurm" \
		--prefix="$WORK/build/inst" && make -j"$(nproc)" src/plugins/libcosched_plan.la \
		src/plugins/select_cons_tres.la src/plugins/sched_backfill.la &&
		mkdir "$WORK/doctored" && cp src/plugins/.libs/*.so "$WORK/doctored/") \
		>"$WORK/build.log" 2>&1
	then
		bad "(plugins build on doctored headers)" "$(tail -n 20 "$WORK/build.log")"
		return
	fi
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
		log_has "select shadow: built for another Slurm than the one that runs"
	cluster_down
	cp "$our_plugins/"*.so "$WORK/half/"
	cp "$WORK/doctored/sched_backfill.so" "$WORK/half/"
	run_with "$WORK/half"
	stock_rules "sched on doctored headers" "built for another Slurm than the one that runs"
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
	ok "CR_Socket: the log warns" log_has "cosched: warning: SelectTypeParameters gives whole sockets"
	ok "CR_Socket: cosched status warns" status_has "SelectTypeParameters gives whole sockets"
	cluster_down
}

# --- files that are somebody's

others_files() {
	cluster
	echo "my notes" >"$WORK/notes"
	set_params "cosched_mode=act,$SHARED,cosched_socket=$WORK/notes"
	ok "cosched_socket of a file: refused" wait_for 8 log_has "notes.*is no socket"
	is "and the file is left alone" "$(cat "$WORK/notes")" "my notes"
	ok "cosched status is answered at the default place" status_has "mode act"
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
nearly_right

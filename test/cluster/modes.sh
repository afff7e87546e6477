#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Modes: off is stock Slurm, shadow is stock Slurm with a record of what we would
# have done, and act comes and goes with jobs running.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

site="bf_interval=1,sched_interval=5"
release=$(slurmctld -V | awk '{ print $2 }')

# --- off and shadow: the same workload under three slurmctlds side by side

# small_workload FILE: in the cluster of the environment; "JOB NODES CPUS" and, in
# seconds after the first, when each started
small_workload() {
	local id i=0 spec sleep ids=()

	# all at one moment, and later ends seconds apart: no race decides which is first
	scontrol update NodeName=ALL State=DRAIN Reason=test
	while read -r sleep spec; do
		# shellcheck disable=SC2086
		ids+=("$(SLEEP=$sleep LIMIT=1 job $spec)")
	done <<-'END'
		10 -N2 -n8 --comment=cosched:profile=cg
		3 -N1 -n4 --comment=cosched:profile=mem
		6 -N1 -n2 --comment=cosched:profile=io
		6 -n2 --comment=cosched:profile=net
		9 -N1 -n3 --comment=cosched:profile=cg
		1 -n1 --exclusive
		2 -n1
		1 -N2 -n6 --comment=cosched:profile=io
	END
	sleep 1.2
	scontrol update NodeName=ALL State=RESUME
	wait_for 60 queue_empty
	for id in "${ids[@]}"; do
		i=$((i + 1))
		printf '%s %s %s %s\n' "$i" "$(field "$id" JobState)" \
			"$(cores "$id" | tr ' ' ';')" "$(date -d "$(field "$id" StartTime)" +%s)"
	done >"$1"
}

# in_cluster NAME COMMAND...
in_cluster() {
	(
		use "$1"
		shift
		"$@"
	)
}
# Where, and in which order; and when, whole seconds apart by one at most.
where() {
	awk '{ print $1, $2, $3 }' "$1"
}
seconds_apart() {
	awk 'FNR == 1 { first = $4 }
		{ t = $4 - first }
		FNR == NR { a[$1] = t; next }
		{ d = t - a[$1]; if (d < 0) d = -d; if (d > most) most = d }
		END { print most + 0 }' "$1" "$2"
}

# Stock's backfill sleeps; our plan would start the short job behind the head.
would_start() {
	local j

	use shadow
	set_params "cosched_mode=shadow,$SHARED,bf_interval=600"
	j=$(job -N1 -n4)
	running "$j"
	job -N4 --exclusive >/dev/null
	j=$(LIMIT=1 job -n1)
	ok "shadow: the event log holds what we would have done" \
		wait_for 8 grep -q "\"ev\":\"would\".*\"job\":$j\b" "$LOG"
	is "shadow: and it is not done" "$(state "$j")" PENDING
	clear_jobs
}

# The workload in all three clusters at once. Whose turn it is when all nodes come
# back depends on which of stock's schedulers wakes first: on a busy host two runs of
# stock differ now and then. Ours would differ in every run.
run_all() {
	local d pids=()

	for d in stock off shadow; do
		in_cluster "$d" small_workload "$WORK/$d.starts" &
		pids+=($!)
	done
	wait "${pids[@]}"
}
same_starts() { # as stock; of the cluster $1
	[ "$(where "$WORK/$1.starts")" = "$(where "$WORK/stock.starts")" ] &&
		[ "$(seconds_apart "$WORK/stock.starts" "$WORK/$1.starts")" -le 2 ]
}

compare_with_stock() {
	local d apart

	cluster --stock --name stock --params "$site"
	cluster --name off --params "cosched_mode=off,$SHARED,$site"
	cluster --name shadow --params "cosched_mode=shadow,$SHARED,$site"
	for d in off shadow; do
		like "$d: cosched status says so" \
			"$(in_cluster "$d" "$COSCHED" status 2>&1)" "mode $d"
		like "$d: the site's SchedulerParameters are untouched" \
			"$(in_cluster "$d" scontrol show config |
				sed -n 's/^SchedulerParameters *= //p')" "^cosched_mode=$d,.*,$site\$"
	done
	for _ in 1 2 3; do
		run_all
		! { same_starts off && same_starts shadow; } || break
	done
	is "(the whole workload ran under stock)" "$(grep -c COMPLETED "$WORK/stock.starts")" 8
	for d in off shadow; do
		is "$d: the same nodes and cores as without us" \
			"$(where "$WORK/$d.starts")" "$(where "$WORK/stock.starts")"
		apart=$(seconds_apart "$WORK/stock.starts" "$WORK/$d.starts")
		if [ "$apart" -le 2 ]; then
			good "$d: the same starts as without us"
		else
			bad "$d: the same starts as without us" \
				"$(paste "$WORK/stock.starts" "$WORK/$d.starts")"
		fi
		unlike "$d: nothing went wrong" "$(cat "$WORK/$d/log/slurmctld.log")" \
			'cosched: (watchdog:|engine and Slurm differ|the gate had lapsed)|job overflow'
	done
	would_start
	ok "shadow: cosched check passes on the event log" "$COSCHED" check "$LOG"
	for d in stock off shadow; do
		use "$d"
		cluster_down
	done
	rm -f "$LOG"
}

# --- act, off, act

# mode MODE HOW: reconfigure or restart into MODE
mode() {
	local params="cosched_mode=$1,$SHARED,$site"

	if [ "$2" = restart ]; then
		sed -i "s|^SchedulerParameters=.*|SchedulerParameters=$params|" "$SLURM_CONF"
		vc restart-ctld
		vc wait-up >/dev/null
	else
		set_params "$params"
	fi
	wait_for 15 status_has "mode $1, " || bad "$1 by $2" "$("$COSCHED" status 2>&1 | head -n 5)"
	is "$1 by $2" "$("$COSCHED" status | sed -n '1s/.*mode \([a-z]*\),.*/\1/p')" "$1"
}
starts_of() {
	local j

	for j; do
		printf '%s %s %s\n' "$j" "$(field "$j" StartTime)" "$(field "$j" Restarts)"
	done
}
back_and_forth() {
	local how=$1 a b c d before

	a=$(profiled cg -N4 -n8)
	b=$(profiled io -N2 -n4)
	c=$(profiled mem -N1 -n2)
	running "$a" "$b"
	ok "$how: the plan keeps an incompatible job back" keeps_waiting "$c"
	before=$(starts_of "$a" "$b")
	mode off "$how"
	ok "$how: stock starts it in mode off" running "$c"
	mode act "$how"
	is "$how: the jobs have run through" "$(starts_of "$a" "$b")" "$before"
	d=$(profiled mem -N1 -n1)
	ok "$how: back in act, the next one waits again" keeps_waiting "$d"
	is "$how: no CPU is held twice" "$(holdings | held_twice)" ""
	scancel "$a" "$b" "$c"
	ok "$how: and starts by the plan" running "$d"
	clear_jobs
}

# --- a reconfigure that fails leaves scheduling as it was

alive() {
	[ -n "$(vc status | sed -n 's/^slurmctld *\([0-9].*\)/\1/p')" ]
}
# after_failure TEXT: still in act, still gating, still starting
after_failure() {
	local a b c

	ok "$1: slurmctld lives" alive
	ok "$1: mode act goes on" wait_for 10 in_act
	a=$(profiled cg -n8)
	ok "$1: jobs start" running "$a"
	b=$(profiled mem -N1 -n2)
	ok "$1: the gate holds" keeps_waiting "$b"
	c=$(LIMIT=5 profiled io -n2)
	ok "$1: jobs share" running "$c"
	clear_jobs
}
# failed_reload HOW LINE: a SIGHUP (scontrol reads slurm.conf itself, and would not
# even ask) with LINE in slurm.conf
failed_reload() {
	local n

	n=$(grep -c 'reconfigure failed' "$CTLD_LOG")
	printf '%s\n' "$2" >>"$SLURM_CONF"
	kill -HUP "$(vc status | sed -n 's/^slurmctld *//p')"
	if wait_for 10 failed_more_often "$n"; then
		good "a reconfigure with $2 $1"
	else
		bad "a reconfigure with $2 $1" "$(tail "$CTLD_LOG")"
	fi
	cp "$WORK/good.conf" "$SLURM_CONF"
	after_failure "reconfigure that $1"
}
failed_more_often() {
	[ "$(grep -c 'reconfigure failed' "$CTLD_LOG")" -gt "$1" ]
}
failing_reconfigure() {
	cp "$SLURM_CONF" "$WORK/good.conf"
	case $release in
	22.05.*)
		# refused only after everything was read
		sed -i 's|^SchedulerType=.*|SchedulerType=sched/builtin|' "$SLURM_CONF"
		nok "a reconfigure with another SchedulerType fails" scontrol reconfigure
		cp "$WORK/good.conf" "$SLURM_CONF"
		after_failure "reconfigure that fails late"
		nok "a reconfigure by a user is refused" vc run --user nobody scontrol reconfigure
		after_failure "a user's reconfigure"
		printf 'skip - %s: reconfigure that fails early: it ends a stock slurmctld of %s\n' \
			"$NAME" "$release"
		;;
	*)
		failed_reload "fails early" NoSuchKey=1
		failed_reload "fails in the new process" JobSubmitPlugins=nonexistent
		;;
	esac
}

# --- a partition that gives a core to several jobs

# explains JOB REGEX
explains() {
	"$COSCHED" explain "$1" 2>&1 | grep -qE -- "$2"
}
# Job $1, resumed on the cores of job $2, is ours again when they are its own.
left_to_slurm() {
	ok "what runs on another's cores is left to Slurm" wait_for 5 explains "$1" \
		"^job $1 is left to Slurm: .*somebody else holds a core of it"
	scancel "$2"
	ok "until that one ends" wait_for 10 explains "$1" "^job $1 \(.*\) runs"
	is "(it runs)" "$(state "$1")" RUNNING
}
# What is resumed beside another on its cores is as under stock: no fault, and none of
# the engine's.
oversubscribed() {
	local a b how

	sed -i '/^PartitionName=/s/$/ OverSubscribe=FORCE:2/' "$SLURM_CONF"
	for how in off act; do
		set_params "cosched_mode=$how,$SHARED,$site"
		a=$(job -w n1 -n4 --mem=100)
		running "$a"
		[ $how = off ] || scontrol suspend "$a"
		b=$(job -w n1 -n4 --mem=100)
		ok "$how: OverSubscribe: a second job on the same cores" running "$b"
		[ $how = act ] || scontrol suspend "$a"
		ok "$how: OverSubscribe: the first is resumed there" scontrol resume "$a"
		is "$how: OverSubscribe: both run" "$(state "$a") $(state "$b")" "RUNNING RUNNING"
		sleep 1.2 # one round of the thread
		like "$how: OverSubscribe: the mode goes on" "$("$COSCHED" status)" "mode $how,"
		[ $how = off ] || left_to_slurm "$a" "$b"
		clear_jobs
	done
	sed -i '/^PartitionName=/s/ OverSubscribe=FORCE:2$//' "$SLURM_CONF"
	set_params "cosched_mode=act,$SHARED,$site"
}

# --- partitions with a mode of their own

partitions() {
	local a b c

	sed -i '/^PartitionName=/d' "$SLURM_CONF"
	cat >>"$SLURM_CONF" <<-'END'
		PartitionName=main Nodes=n[1-2] Default=YES State=UP
		PartitionName=old Nodes=n[3-4] State=UP
		PartitionName=across Nodes=n[2-3] State=UP
	END
	set_params "cosched_mode=act,$SHARED,$site,cosched_partition_modes=across:off"
	ok "a partition in another mode on shared nodes is refused" \
		wait_for 10 status_has "WARNING: cosched_partition_modes: partition ('across' is in mode off and shares nodes with '(main|old)' in mode act|'(main|old)' is in mode act and shares nodes with 'across' in mode off): all"
	is "in one line" "$(grep -c 'cosched_partition_modes: partition' "$CTLD_LOG")" 1
	ok "(the cluster's mode goes on)" in_act
	sed -i '/^PartitionName=across/d' "$SLURM_CONF"
	set_params "cosched_mode=act,$SHARED,$site,cosched_partition_modes=old:off"
	ok "on disjoint nodes both are in force" wait_for 10 eval 'in_act && ! status_warns'
	a=$(profiled cg -n4)
	b=$(profiled cg -p old -N2 -n4)
	running "$a" "$b"
	c=$(profiled mem -p old -N1 -n2)
	ok "mode off there: stock starts what does not suit" running "$c"
	c=$(profiled mem -N1 -n2)
	ok "mode act here: the plan keeps it back" keeps_waiting "$c"
	c=$(LIMIT=5 profiled io -n2)
	ok "mode act here: complementary jobs share" running "$c"
	clear_jobs
}

compare_with_stock
cluster --more "$site"
back_and_forth reconfigure
back_and_forth restart
failing_reconfigure
oversubscribed
partitions
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The minutes that running jobs may still use, as the limits of accounts and QOS count
# them (GrpTRESRunMins): of jobs with TimeMin, whose limit is given at their start, and
# of all whose limit changes, in mode act as under stock Slurm, before, while and after
# they run. Both clusters stand here at once. Stock's backfill gives a job its TimeMin
# and no more, or (seen on 26.05.3) the time until the job that waits, which it does not
# book: so what a job gets there is not compared, and what stays booked is taken off.
#
# Needs slurmdbd and MariaDB; without them there is nothing to count.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=dbd.inc
. "$(dirname "$0")/dbd.inc"

# run_minutes: of cpus, of the account and of the QOS, but for what stock never takes back
unbooked=0
run_minutes() {
	scontrol show assoc_mgr flags=assoc,qos accounts=free users=root qos=normal |
		awk -v off="$unbooked" '/ Account=free UserName=root/ { what = "account" }
			/^ *QOS=normal/ { what = "qos" }
			what && /GrpTRESRunMins=/ { sub(/.*GrpTRESRunMins=cpu=[^(]*\(/, "")
				sub(/\).*/, ""); print what, $0 - off; what = "" }' | sort | paste -sd' '
}
# minutes_are N: as long as it takes Slurm to book them
minutes_are() {
	[ "$(run_minutes)" = "account $1 qos $1" ]
}
# The sum over running jobs of limit and cpus, in minutes.
held_minutes() {
	squeue -h -t R,S -o '%l %C' | awk '{
		n = split($1, d, "-"); k = split(d[n], t, ":")
		m = (n > 1 ? d[1] * 1440 : 0) + (k > 2 ? t[1] * 60 + t[2] : t[1])
		sum += m * $2 } END { print sum + 0 }'
}
# Is what is counted what the jobs have?
agree() {
	minutes_are "$(held_minutes)"
}
# see STAGE: a limit may be changed, and booked, only now
see() {
	if wait_for 15 agree; then
		good "$of: $1: what is counted is what the jobs have"
	else
		bad "$of: $1: what is counted is what the jobs have" \
			"counted: $(run_minutes), the jobs have: $(held_minutes)"
	fi
}
# compared STAGE: and on the record
compared() {
	see "$1"
	echo "$1: $(run_minutes), jobs have $(held_minutes)" >>"$WORK/seen.$of"
}
# Stock's backfill sets a limit before it asks for the difference, which then is none.
stock_books() {
	local text="stock: what backfill cuts from a limit is booked"

	if wait_for 15 agree; then
		good "$text"
	else
		unbooked=$(($(run_minutes | cut -d' ' -f2) - $(held_minutes)))
		omit "$text" "this stock forgets it, $unbooked minutes"
	fi
}
least() { # least [sbatch option]...: a job that may have 30 minutes, or as few as two
	LIMIT=30 job --time-min=2 "$@"
}
settle() {
	wait_for 40 is_state "$1" "$2" || bad "$of: job $1 is $2" "$(squeue)"
}

measure() { # measure CLUSTER
	local a b head full

	of=$1
	use "$of"
	compared "nobody runs"
	a=$(least -n4)
	settle "$a" RUNNING
	compared "a job with TimeMin"
	scancel "$a"
	wait_for 10 gone "$a"
	compared "behind it"

	# it ends before a job that waits would start
	full=$(LIMIT=10 job -N1 -n4 --exclusive)
	settle "$full" RUNNING
	head=$(LIMIT=10 job -N4 --exclusive)
	sleep 3
	a=$(least -n2) b=$(least -N1 -n4 --exclusive --array=1)
	settle "$a" RUNNING
	settle "$b" RUNNING
	ours || stock_books
	see "before one that waits"
	! ours || is "it ends before the start of that one" \
		"$(field "$a" TimeLimit) $(field "$b" TimeLimit)" "00:09:00 00:09:00"
	scontrol update jobid="$a" timelimit=5
	see "with a limit that was cut"
	scontrol requeue "$b"
	sleep 1
	see "one is requeued"
	scancel "$head"
	clear_jobs
	compared "behind them"

	a=$(least -n4)
	settle "$a" RUNNING
	scontrol suspend "$a"
	settle "$a" SUSPENDED
	compared "suspended"
	scontrol resume "$a"
	settle "$a" RUNNING
	compared "resumed"
	clear_jobs
	compared "at the end"
}

need_mariadb 3
cluster --stock --name stock
with_accounting $((port + 1)) "$port"
cluster --name act
with_accounting $((port + 2)) "$port"

measure stock
unbooked=0
measure act
is "the same as under stock" "$(cat "$WORK/seen.act")" "$(cat "$WORK/seen.stock")"

# Limits that we raise, since two jobs slow each other. (With a GrpTRESRunMins none is
# raised, so nobody has one here; minutes are counted all the same.)
a=$(profiled cg -N2 -n4) b=$(profiled net -N2 -n4)
ok "two jobs share" running "$a" "$b"
ok "on the same nodes" beside "$a" "$b"
isnt "with a raised limit" "$(field "$b" TimeLimit)" 00:10:00
see "raised limits"
scontrol suspend "$a"
settle "$a" SUSPENDED
see "one of them suspended"
clear_jobs
see "behind the two"
same "with TimeMin"
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The gate: in mode act nothing but the plan starts a job.
#
# One job holds half of the cores of every node; a second, incompatible one waits
# for an empty node though cores and memory are free beside the first: Slurm alone
# would start it at once, by each of the ways that are tried here.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

site="sched_interval=2,bf_interval=1,enable_user_top"
cluster --more "$site"

main_cycles() {
	sdiag | awk '/Main schedule/ { m = 1 } m && /Total cycles/ { print $3; exit }'
}
refused() {
	"$COSCHED" status | awk '/starts refused/ { gsub(/[^0-9]/, ""); print }'
}
# still_waits TEXT: in all of 2 s
still_waits() {
	local i

	for ((i = 0; i < 10; i++)); do
		is_state "$waiting" PENDING || {
			bad "$1" "$(scontrol show job "$waiting")"
			return
		}
		sleep 0.2
	done
	good "$1"
}
# "yes" when squeue says when the job will start, or how long --test-only says
expected_start() {
	squeue -h --start -j "$1" -o %S
}

holder=$(profiled cg -n8)
running "$holder"
like "the site's SchedulerParameters are as the site wrote them" \
	"$(scontrol show config | sed -n 's/^SchedulerParameters *= //p')" ",$site\$"
before=$(refused)

waiting=$(profiled mem -N1 -n2)
still_waits "the submit path does not start it"
cycles=$(main_cycles)
scontrol update JobId="$waiting" Nice=-100
still_waits "scontrol update (nice) does not"
scontrol update JobId="$waiting" TimeLimit=5
still_waits "scontrol update (time limit) does not"
scontrol hold "$waiting"
scontrol release "$waiting"
still_waits "scontrol release does not"
scontrol top "$waiting"
still_waits "scontrol top does not"
scontrol requeue "$holder" 2>/dev/null || :
scancel "$holder"
wait_for 10 gone "$holder"
ok "it starts by the plan when the machine is free" running "$waiting"
clear_jobs

holder=$(profiled cg -n8)
running "$holder"
waiting=$(profiled mem -N1 -n2)
short=$(SLEEP=1 profiled io -N1 -n1)
running "$short"
wait_for 10 gone "$short"
still_waits "the main loop, woken by the end of a job, does not"
more_cycles() {
	[ "$(main_cycles)" -gt "$cycles" ]
}
ok "(the main loop has run meanwhile)" wait_for 10 more_cycles
isnt "(the gate has refused starts meanwhile)" "$(refused)" "$before"

out=$(timeout 20 srun --immediate=2 --comment=cosched:profile=mem -N1 -n2 -t 1 true 2>&1)
isnt "srun --immediate fails" $? 0
like "srun --immediate says why" "$out" "busy|Unable to allocate|immediate"
out=$(timeout 20 salloc --immediate=2 --comment=cosched:profile=mem -N1 -n2 -t 1 true 2>&1)
isnt "salloc --immediate fails" $? 0
like "salloc --immediate says why" "$out" "busy|Unable to allocate|immediate"
out=$(timeout 20 srun --immediate=5 --comment=cosched:profile=io -n2 -t 1 hostname 2>&1)
is "srun --immediate of a job that the plan starts works" $? 0

out=$(sbatch --test-only -N1 -n2 -t 1 --comment=cosched:profile=mem --wrap true 2>&1)
is "--test-only answers" $? 0
like "--test-only says when and where" "$out" "to start at [0-9-]+T"
like "squeue --start says when" "$(expected_start "$waiting")" "^20[0-9-]+T"
still_waits "neither of them starts it"
clear_jobs

# --- the thread sleeps well and wakes at once

# started_after SECONDS-AT-MOST PARAMETERS: after more than 5 s of nothing
started_after() {
	local j from

	set_params "cosched_mode=act,$SHARED,$2"
	ok "mode act ($2)" wait_for 10 in_act
	nok "and the parameters are in force" status_has 'WARNING: SchedulerParameters'
	sleep 6
	from=$(date +%s%N)
	j=$(profiled cg -n2)
	wait_for 5 is_state "$j" RUNNING
	from=$((($(date +%s%N) - from) / 1000000))
	if [ "$from" -le $(($1 * 1000)) ]; then
		good "a sleeping thread starts a job within $1 s ($2)"
	else
		bad "a sleeping thread starts a job within $1 s ($2)" "$from ms"
	fi
	clear_jobs
}

started_after 2 "$site"
# nothing but the wake-up of a refused start, then nothing but the period
started_after 2 cosched_period_ms=3600000,cosched_hang_s=86400
started_after 2 defer,sched_interval=-1
log_is_clean

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
	"$COSCHED" status -v | awk '/starts refused/ { gsub(/[^0-9]/, ""); print }'
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
at_once() { # at_once [srun option]...: at once or never
	wait_for 10 none_completes
	timeout 20 srun --immediate -t 1 "$@" hostname
}
none_completes() { # stock refuses it on such nodes, too
	! sinfo -h -o %t | grep -q comp
}
# Slurm has refused those of less priority. While the thread decides, all fail.
thrice() {
	local i

	for i in 1 2 3; do
		"$@" && return
		sleep 0.3
	done
	return 1
}
first="--priority=4294960000"
ok "srun --immediate that ends before a promised start passes" \
	thrice at_once "$first" -N1 -n2
nok "... but not one that would stay longer" thrice at_once "$first" -t 30 -N1 -n2
nok "... nor one that shares with nobody" \
	thrice at_once "$first" --comment=cosched:share=no -N1 -n2
nok "... nor one of less priority" at_once -N1 -n2

out=$(sbatch --test-only -N1 -n2 -t 1 --comment=cosched:profile=mem --wrap true 2>&1)
is "--test-only answers" $? 0
like "--test-only says when and where" "$out" "to start at [0-9-]+T"
out=$(srun --test-only -N1 -n2 -t 1 --comment=cosched:profile=mem true 2>&1)
like "so does srun --test-only" "$out" "to start at [0-9-]+T"
like "squeue --start says when" "$(expected_start "$waiting")" "^20[0-9-]+T"
still_waits "none of them starts it"

# --- srun --immediate passes where it delays nobody

passed() {
	"$COSCHED" status -v | awk '/starts passed/ { gsub(/[^0-9]/, ""); print }'
}
look() { # until the thread has seen what is there: it looks once a second at least
	sleep 1.5
}

scancel "$waiting"
wait_for 10 gone "$waiting"
look
ok "nobody waits: it comes beside a job that shares, as under stock" at_once -t 30 -N1 -n2
clear_jobs
alone=$(job --comment=cosched:share=no -N4 -n8)
running "$alone"
look
nok "but not beside one that shares with nobody" at_once -N1 -n2
clear_jobs
look
before=$(passed)
ok "it passes on an idle cluster" at_once -n2
ok "and on all of it" at_once -n16
wait_for 10 none_completes
ok "salloc --immediate, too" timeout 20 salloc --immediate -t 1 -n2 true
ok "... of a job that shares with nobody" at_once --comment=cosched:share=no -n2
ok "... with nodes of its own" at_once --exclusive -N2
four() {
	local i pids=() rc=0

	wait_for 10 none_completes
	for i in 1 2 3 4; do
		timeout 20 srun --immediate -t 1 -N1 -n4 sleep 1 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || rc=1
	done
	return $rc
}
ok "four at the same time pass on four nodes" four
is "(all nine by the gate)" $(($(passed) - before)) 9
held=$(job -H -N4)
after=$(job -d "afterok:$held" -N4)
look
ok "it passes where others wait that may not start" at_once -n16
scancel "$held" "$after"

holder=$(profiled cg -N3 -n12)
running "$holder"
waiting=$(profiled mem -N4 -n16)
scontrol update JobId="$waiting" Priority=1
look
ok "it takes a free node before the start that a job of less priority is promised there" \
	thrice at_once --priority=1000000 -N1 -n1
out=$(at_once --priority=1000000 -t 30 -N1 -n1 2>&1)
isnt "... and not for longer" $? 0
like "... and says why" "$out" "Requested nodes are busy"
ok "... the job waits on" waits "$waiting"
clear_jobs

packed=$(job -N4 --ntasks-per-node=3)
running "$packed"
look
ok "it comes beside packed jobs" at_once -n2
nok "... but for one that says share=no" at_once --comment=cosched:share=no -n1
nok "... and not on their cores" at_once -N1 -n2
clear_jobs

# verdicts: of jobs that start at once or never, beside those that run and wait
verdicts() {
	local i holder waiting said=()

	holder=$(profiled cg -N3 -n12)
	running "$holder"
	waiting=$(profiled mem -N4 -n16)
	scontrol update JobId="$waiting" Priority=1000
	look
	local -a of=("--priority=1000 -N1 -n4" "--priority=2000 -n1" "--priority=2000 -N2 -n2"
		"--priority=999 -N1 -n1" "--priority=2000 --exclusive -N1")
	for i in "${of[@]}"; do
		# shellcheck disable=SC2086
		said+=("$(thrice at_once $i >/dev/null 2>&1 && echo "$i: yes" || echo "$i: no")")
	done
	is_state "$waiting" PENDING || said+=("the other does not wait")
	clear_jobs
	holder=$(profiled cg -N4 --ntasks-per-node=2)
	running "$holder"
	look
	of=("-N4 --ntasks-per-node=2" "-N4 -n4 -t 60" "-N1 -n3" "--exclusive -N1")
	for i in "${of[@]}"; do
		# shellcheck disable=SC2086
		said+=("$(thrice at_once $i >/dev/null 2>&1 && echo "$i: yes" || echo "$i: no")")
	done
	clear_jobs
	printf '%s\n' "${said[@]}"
}
if ours; then
	mine=$(verdicts)
	cluster --stock --name stock
	is "those that stock starts at once pass, and no others" "$mine" "$(verdicts)"
	cluster_down
	use cluster
fi

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
# under defer a change waits for batch_sched_delay, 3 s
started_after 4 defer,sched_interval=-1
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The watchdog: a cycle that works longer than cosched_budget_ms ends mode act by
# itself, loudly, and Slurm's own scheduler goes on with every job. The cycle is a
# true one: with 400 waiting jobs it needs more than a millisecond of processor time.
# With cosched_return_s=0 it does not come back before a reconfigure (fallback.sh: it does).

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the watchdog is ours"

site="bf_interval=1,sched_interval=2,cosched_return_s=0"
cluster --more "$site"
: >"$RUNS"

tripped() {
	grep -c 'cosched: watchdog: a cycle worked [0-9]* ms, expected at most cosched_budget_ms=1: mode act ends, stock scheduling goes on; it stays so until scontrol reconfigure: find the cause first, in slurmctld.s log$' "$CTLD_LOG"
}
all_ended() { # have all tasks of the array $1 written their end?
	[ "$(grep -c "^end $1_" "$RUNS")" -eq 12 ]
}
wide() { # jobs that wait for the whole machine
	squeue -h -t PD -n wide -o %i | wc -l
}

a=$(SLEEP=600 profiled cg -N4 -n8)
b=$(SLEEP=600 profiled io -N2 -n4)
running "$a" "$b"

# The exporter at a live plugin, over HTTP.
"$COSCHED" exporter --listen 127.0.0.1:0 2>"$WORK/exporter.log" &
exporter=$!
at_end() {
	[ -z "$exporter" ] || kill "$exporter" 2>/dev/null
}
ok "the exporter listens" wait_for 10 grep -q 'listens at' "$WORK/exporter.log"
port=$(sed -n 's/.*listens at 127\.0\.0\.1://p' "$WORK/exporter.log")
scrape() {
	local fd

	exec {fd}<>"/dev/tcp/127.0.0.1/$port" || return 1
	printf 'GET /metrics HTTP/1.0\r\n\r\n' >&"$fd"
	timeout 10 cat <&"$fd" | sed '1,/^\r$/d'
	exec {fd}>&-
}
page_has() { # LINE
	grep -qxF "$1" <<<"$(scrape)"
}
ok "the exporter has both jobs" wait_for 10 page_has 'cosched_jobs_running 2'
page=$(scrape)
is "its page is whole" "${page##*$'\n'}" "# EOF"
for line in 'cosched_up 1' 'cosched_degraded 0' 'cosched_mode{state="act"} 1' \
	'cosched_gate{state="on"} 1' 'cosched_engine_ready 1' 'cosched_jobs_waiting 0'; do
	ok "it has $line" grep -qxF "$line" <<<"$page"
done
for key in cores cores_used; do
	is "its $key is that of cosched status" \
		"$(sed -n "s/^cosched_$key //p" <<<"$page")" \
		"$("$COSCHED" status -v | sed -n "s/^ *${key/_/ }  *\([0-9][0-9]*\)$/\1/p")"
done
# New settings mean a new engine, in 22.05 in the same slurmctld: nothing is counted anew.
counters() { # the job counters of a page, with their names
	grep -E '^cosched_(job_starts|pairs|events|refusals)_total ' <<<"$1"
}
less() { # less BEFORE AFTER: counters that went back
	join <(counters "$1" | sort) <(counters "$2" | sort) | awk '$3 < $2'
}
if [[ $(slurmctld -V) = *' 22.'* ]]; then
	like "(jobs have started)" "$page" 'cosched_job_starts_total [1-9]'
	set_params "cosched_mode=act,$SHARED,$site,cosched_budget_ms=9000"
	sleep 1.1 # a page may be a second old
	ok "after new settings the engine is there again" \
		wait_for 10 page_has 'cosched_jobs_running 2'
	page2=$(scrape)
	is "(its counters are there)" "$(counters "$page2" | wc -l)" \
		"$(counters "$page" | wc -l)"
	is "no counter went back" "$(less "$page" "$page2")" ""
fi
kill -TERM "$exporter"
wait "$exporter"
is "SIGTERM ends it with status 0" $? 0
exporter=

waiting=$(profiled mem -N1 -n2)
array=$(LIMIT=1 traced 1 -n1 --array=1-12)
many=400 # stock backfill looks at 500
for ((i = 0; i < many; i++)); do job -J wide -N4 --exclusive; done >/dev/null
is "(many more jobs wait)" "$(wide)" $many
ok "(in mode act the plan keeps an incompatible job back)" keeps_waiting "$waiting"
is "(no cycle was too long)" "$(tripped)" 0

set_params "cosched_mode=act,$SHARED,$site,cosched_budget_ms=1"
ok "a cycle that is too long ends mode act" wait_for 15 status_has '^cosched .*: mode off,'
is "the log says so loudly, once" "$(tripped)" 1
like "as an error" "$(grep 'cosched: watchdog:' "$CTLD_LOG")" 'error: cosched: watchdog:'
like "cosched status says why" "$("$COSCHED" status)" \
	'^WARNING: mode act is set: watchdog: a cycle worked [0-9]+ ms, expected at most cosched_budget_ms=1; it stays so until scontrol reconfigure: find the cause first, in slurmctld'"'"'s log$'
like "and how long that cycle worked" "$("$COSCHED" status -v)" '^cycle work max us +[0-9]{4,}$'
like "and that it waits for a reconfigure" "$("$COSCHED" status -v)" '^state +stopped$'
like "cosched doctor names the remedy" "$("$COSCHED" doctor)" \
	'^wrong plugin .*cosched_budget_ms=1; it stays so until scontrol reconfigure'
like "cosched top says what ended it" "$("$COSCHED" top -b 2>&1)" \
	'mode off: .* ask squeue; mode act is set: watchdog: .* until scontrol reconfigure'
page=$("$COSCHED" exporter --once)
for line in 'cosched_up 1' 'cosched_degraded 1' 'cosched_mode{state="off"} 1' \
	'cosched_mode_set{state="act"} 1' 'cosched_gate{state="off"} 1' \
	'cosched_state{state="stopped"} 1' 'cosched_fallbacks_total 1' \
	'cosched_return_seconds 0'; do
	ok "its page has $line" grep -qxF "$line" <<<"$page"
done
like "the gate is open" "$("$COSCHED" status)" '^gate +off$'
like "Slurm's own backfill runs" "$("$COSCHED" status -v)" '^stock backfill +true$'

ok "stock starts what the plan kept back" running "$waiting"
after=$(SLEEP=1 LIMIT=1 profiled mem -n1)
ok "and a job that comes now" wait_for 30 gone "$after"
ok "every task of an array that waited runs" wait_for 60 all_ended "$array"
is "once" "$(grep -cE "^(start|double) ${array}_" "$RUNS")" 12
is "what ran runs on" "$(for j in "$a" "$b"; do echo "$(state "$j") $(field "$j" Restarts)"; done |
	sort -u)" "RUNNING 0"
is "no job is lost" "$(wide)" $many
is "no CPU is held twice" "$(holdings | held_twice)" ""
is "it is said once still" "$(tripped)" 1

scancel "$waiting"
wait_for 10 gone "$waiting"
set_params "cosched_mode=act,$SHARED,$site"
ok "a reconfigure brings mode act back" wait_for 15 in_act
waiting=$(LIMIT=1 profiled mem -N1 -n2)
ok "and the gate" keeps_waiting "$waiting"
clear_jobs
ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
unlike "slurmctld's log has no overflow, no crash" "$(cat "$CTLD_LOG")" \
	'job overflow|[Ss]egmentation|core dumped|cosched: (engine and Slurm differ|the gate had lapsed)'

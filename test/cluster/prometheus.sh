#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A real Prometheus scrapes cosched exporter every 5 s while jobs come, are cancelled,
# held and killed with their nodes, slurm.conf is read anew and slurmctld restarted: no
# scrape without figures and no counter that goes back but at a restart, and promtool
# finds nothing in page and configuration.
#
# What a scrape costs slurmctld: a second cluster has the same jobs at the same moments
# and is scraped in every other block of two minutes. The first, which always is, shows
# what the block was worth: the difference of both slurmctlds' CPU time, scraped blocks
# less the others, in ms a minute, with its standard error.
#
# MINUTES=60: so long; FULL=1: 12 minutes. SEED=N: another run. The figures stand in
# doc/admin/monitoring.md.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

[ -n "${MINUTES:=${FULL:+12}}" ] || skip "it takes minutes: MINUTES=60, or FULL=1"
for tool in prometheus promtool python3 curl; do
	command -v $tool >/dev/null || skip "no $tool (apt-get install prometheus python3 curl)"
done
SEED=${SEED:-$((RANDOM % 1000))}
BLOCK=${BLOCK:-120} # seconds
BLOCKS=$((MINUTES * 60 / (BLOCK + 15)))
SETTLE=12 # seconds between blocks, in which the second's target comes or goes
printf '# seed %d, %d blocks of %d s\n' "$SEED" "$BLOCKS" "$BLOCK"

# --- daemons -----------------------------------------------------------------------

declare -A PORT
daemons=()
at_end() {
	[ ${#daemons[@]} -eq 0 ] || kill "${daemons[@]}" 2>/dev/null
	wait "${daemons[@]}" 2>/dev/null
}

exporter() { # exporter CLUSTER: of the one in use
	"$COSCHED" exporter --listen 127.0.0.1:0 2>"$WORK/exporter.$1" &
	daemons+=($!)
	listens() { grep -q 'listens at' "$WORK/exporter.$1"; }
	wait_for 10 listens "$1" || bad "an exporter listens" "$(cat "$WORK/exporter.$1")"
	PORT[$1]=$(sed -n 's/.*listens at 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$WORK/exporter.$1")
}

# scraped CLUSTER...: these from now on
scraped() {
	local c text=

	for c; do
		text+=", {\"targets\": [\"127.0.0.1:${PORT[$c]}\"], \"labels\": {\"cluster\": \"$c\"}}"
	done
	printf '[%s]\n' "${text#, }" >"$WORK/targets.new"
	mv "$WORK/targets.new" "$WORK/targets.json"
}

start_prometheus() {
	cat >"$WORK/prometheus.yml" <<-END
		global: {scrape_interval: 5s, scrape_timeout: 5s}
		scrape_configs:
		  - job_name: cosched
		    file_sd_configs: [{files: ['$WORK/targets.json'], refresh_interval: 5s}]
	END
	ok "promtool check config" promtool check config "$WORK/prometheus.yml"
	port=$(python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	prometheus --config.file="$WORK/prometheus.yml" --storage.tsdb.path="$WORK/tsdb" \
		--web.listen-address="127.0.0.1:$port" >"$WORK/prometheus.log" 2>&1 &
	daemons+=($!)
	ok "Prometheus is ready" wait_for 30 curl -sf "http://127.0.0.1:$port/-/ready"
}

# --- churn ----------------------------------------------------------------------------

# churn SEED SECONDS: in the cluster in use; the same draws for the same SEED
churn() {
	local until=$((SECONDS + $2)) turn draw profiles=(cg io net mem nobody) waiting n

	RANDOM=$1
	for ((turn = 0; SECONDS < until; turn++)); do
		draw=$((RANDOM % 20)) n=$((1 + RANDOM % 2))
		waiting=$(squeue -h -t PD -o %i)
		case $draw in
		0)	pick "$waiting" | xargs -r scancel ;;
		1)	squeue -h -t R -o %i | pick_of | xargs -r scancel ;;
		2)	pick "$waiting" | xargs -r scontrol hold ;;
		3)	xargs -r scontrol release <<<"$waiting" ;;
		4)	pick "$waiting" | xargs -rI{} scontrol update jobid={} timelimit=$((1 + RANDOM % 20)) ;;
		5)	[ $((turn % 3)) -ne 0 ] || { vc kill-node n4; sleep 1; vc start-node n4; } ;;
		*)	[ "$(wc -w <<<"$waiting")" -gt 40 ] ||
				SLEEP=$((1 + RANDOM % 8)) LIMIT=$((1 + RANDOM % 5)) \
				profiled "${profiles[RANDOM % 5]}" -N$n -n$((n * (1 + RANDOM % 3))) ;;
		esac
		[ $((turn % 16)) -ne 0 ] ||
			sinfo -h -N -t drain,down -o %N | xargs -rI{} scontrol update nodename={} state=resume
		sleep 0.5
	done >/dev/null 2>&1
}
pick() { # a line of TEXT
	[ -z "$1" ] || pick_of <<<"$1"
}
pick_of() {
	local lines

	mapfile -t lines
	[ ${#lines[@]} -eq 0 ] || printf '%s\n' "${lines[RANDOM % ${#lines[@]}]}"
}

cpu_ms() { # slurmctld's CPU time so far
	sed 's/.*) //' "/proc/$(ctld_pid)/stat" | awk -v hz="$(getconf CLK_TCK)" '{ print ($12 + $13) * 1000 / hz }'
}

blow() { # restart or reconfigure, of the cluster in use; a line "WHAT FROM TO"
	printf '%s ' "$1" "$(date +%s.%N)"
	if [ "$1" = restart ]; then
		vc restart-ctld
	else
		scontrol reconfigure
	fi >/dev/null 2>&1
	wait_for 20 in_act
	date +%s.%N
}

# block CLUSTER SEED: a line "CPU FROM TO", ms and moments
block() {
	local from before

	use "$1"
	from=$(date +%s.%N) before=$(cpu_ms)
	churn "$2" "$BLOCK"
	printf '%s %s %s\n' "$(awk -v a="$(cpu_ms)" -v b="$before" 'BEGIN { print a - b }')" "$from" "$(date +%s.%N)"
}

# --- the run ----------------------------------------------------------------------------

for c in always half; do
	cluster --name $c --params "cosched_mode=act,cosched_policy=glts+,cosched_profiles=$PROFILES"
	exporter $c
done
scraped always
start_prometheus
half=off
for ((b = 0; b < BLOCKS; b++)); do
	# pairs of blocks, either of them first
	if [ $((b % 2)) -eq 0 ]; then
		RANDOM=$((SEED + b))
		half=$([ $((RANDOM % 2)) -eq 0 ] && echo on || echo off)
	else
		half=$([ "$half" = off ] && echo on || echo off)
	fi
	if [ "$half" = on ]; then scraped always half; else scraped always; fi
	what=reconfigure
	[ $((b % 8)) -ne 7 ] || what=restart
	pids=()
	for c in always half; do
		(use $c && blow $what) >>"$WORK/blows.$c" &
		pids+=($!)
	done
	sleep $SETTLE
	wait "${pids[@]}"
	pids=()
	for c in always half; do
		block $c $((SEED + b / 2)) >"$WORK/block.$c" &
		pids+=($!)
	done
	wait "${pids[@]}"
	printf '%d %s %s %s\n' "$b" "$half" "$(cat "$WORK/block.always")" "$(cat "$WORK/block.half")" >>"$WORK/blocks"
done

# --- what came of it ---------------------------------------------------------------------

use always
isnt "(jobs shared nodes)" "$("$COSCHED" status --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["engine"]["pairs"])')" 0
curl -s "http://127.0.0.1:${PORT[always]}/metrics" >"$WORK/page"
# promtool reads the older text format
sed -E '/^# (UNIT|EOF)/d; s/^# (TYPE|HELP) (cosched_build)/# \1 \2_info/; s/ info$/ gauge/' \
	"$WORK/page" >"$WORK/older"
for name in $(sed -n 's/^# TYPE \(.*\) counter$/\1/p' "$WORK/older"); do
	sed -i "s/^\(# [A-Z]* $name\) /\1_total /" "$WORK/older"
done
is "promtool check metrics finds nothing on a page of $(grep -c '^cosched' "$WORK/page") figures" \
	"$(promtool check metrics <"$WORK/older" 2>&1)" ""
python3 "$TREE/test/cluster/prometheus.py" "http://127.0.0.1:$port" "$WORK" $((MINUTES * 2)) || FAILED=$((FAILED + 1))
CHECKS=$((CHECKS + 1))
clear_jobs
unlike "slurmctld's log has no crash, no fallback" "$(cat "$CTLD_LOG")" \
	'[Ss]egmentation|core dumped|cosched: (watchdog:|engine and Slurm differ|the gate had lapsed|.*mode [a-z]* (ends|is not possible))'

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Jobs that wait for licences hold a promise: what would keep them longer does not pass,
# what ends in time does, and they start as soon as under stock.  Stock and act side by
# side.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

shape=(--select-params CR_Core --set 'Licenses=fea:4,cad:2')
cluster --stock --name stock "${shape[@]}"
cluster --name act "${shape[@]}"

for NOW in stock act; do
	use "$NOW"
	a=$(SLEEP=600 LIMIT=2 job -n1 -L fea:3)
	running "$a" || bad "$NOW: a job has three licences" "$(squeue)"
	all=$(SLEEP=8 LIMIT=1 job -n1 -L fea:4)
	sleep 1.5 # it is found to lack them
	long=$(SLEEP=600 LIMIT=30 job -n1 -L fea:1)
	other=$(SLEEP=600 LIMIT=30 job -n1 -L cad:1)
	short=$(SLEEP=2 LIMIT=1 job -n1 -L fea:1)
	plain=$(SLEEP=600 LIMIT=30 job -n1)
	ok "$NOW: other licences and none are not kept back" running "$other" "$plain"
	if [ "$NOW" = act ]; then
		ok "$NOW: what gives it back in time passes" running "$short"
		ok "$NOW: what would keep a licence longer does not pass" keeps_waiting "$long"
		has_start() {
			squeue -h --start -j "$all" -o %S | grep -q ^2
		}
		ok "$NOW: squeue --start has a time for what lacks licences" wait_for 5 has_start
		like "explain: what it waits for" "$("$COSCHED" explain "$all")" \
			"licenses that it needs are in use; planned on .*starts in 0:0[01]:[0-9]* at the latest"
		is "squeue: the reason" "$(squeue -h -j "$all" -o %r)" Licenses
		before=$("$COSCHED" status --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["engine"]["events"])')
		sleep 5
		after=$("$COSCHED" status --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["engine"]["events"])')
		few() {
			[ $((after - before)) -le 10 ]
		}
		ok "it is not told anew each second ($((after - before)) events in 5 s)" few
	else
		ok "$NOW: what would keep a licence longer passes" running "$long"
		scancel "$long"
		running "$short"
	fi
	wait_for 30 gone "$short"
	scancel "$a"
	ok "$NOW: licences that are free early are taken" \
		wait_for "$([ "$NOW" = act ] && echo 5 || echo 60)" is_state "$all" RUNNING
	if [ "$NOW" = act ]; then
		all_gone() {
			gone "$all"
		}
		wait_for 30 all_gone
		ok "$NOW: what was kept back follows" wait_for 5 is_state "$long" RUNNING
	fi
	clear_jobs
done

use act
log_is_clean
cluster_down

# Licences that come back beyond the horizon are kept for nobody, as under stock beyond
# bf_window; nor are nodes planned.
for key in bf_window=1 cosched_horizon_s=60; do
	cluster --name "${key%=*}" --more "$key" "${shape[@]}"
	a=$(SLEEP=600 LIMIT=30 job -n1 -L fea:3)
	running "$a" || bad "$key: a job has three licences" "$(squeue)"
	all=$(SLEEP=600 LIMIT=30 job -n1 -L fea:4)
	wide=$(SLEEP=600 LIMIT=30 job -N4 --exclusive)
	sleep 1.5
	long=$(SLEEP=600 LIMIT=60 job -n1 -L fea:1)
	ok "$key: what would keep a licence longer passes" wait_for 5 is_state "$long" RUNNING
	waits_for_licences() {
		[ "$(squeue -h -j "$all" -o %r)" = Licenses ]
	}
	# the reason is the main loop's, as often as batch_sched_delay allows
	ok "$key: the other waits for licences" wait_for 10 waits_for_licences
	sleep 2
	is "$key: no node is planned for what waits" \
		"$(state "$wide") $(sinfo -h -N -o %t | grep -c plnd)" "PENDING 0"
	clear_jobs
	log_is_clean
	cluster_down
	rm -f "$LOG"
done

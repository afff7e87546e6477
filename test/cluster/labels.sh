#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# MCSPlugin, and a partition's own SelectTypeParameters without CR_Core: Slurm's own test
# places the jobs, as the log, status and doctor warn, and they start as under stock.  And
# doctor warns of a time limit beyond bf_window.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$WORK/sockets" <<-END
	PartitionName=sockets Nodes=ALL SelectTypeParameters=CR_Socket MaxTime=30
	PartitionName=long Nodes=ALL MaxTime=2-12:30:00
END
cluster --conf "$WORK/sockets" --set MCSPlugin=mcs/user --set MCSParameters=ondemand
for what in "MCSPlugin is set: Slurm's own test places all jobs" \
	"SelectTypeParameters of a partition has no CR_Core"; do
	ok "the log warns: $what" log_has "cosched: warning: $what"
	ok "cosched status warns: $what" status_has "$what"
done
out=$("$COSCHED" doctor)
is "cosched doctor warns of both" "$(sed -n 's/^warn *cores *//p' <<<"$out" | cut -d: -f1)" \
	"MCSPlugin=mcs/user
SelectTypeParameters=CR_SOCKET of partition 'sockets'"
like "cosched doctor warns of a limit beyond bf_window" "$out" \
	"^warn +bf_window .*keep nodes for 1440 minutes, .*'long' lets jobs run for 3630:.*bf_window=3630"
set_params "$(sed -n 's/^SchedulerParameters=//p' "$SLURM_CONF"),bf_window=3630"
like "and not of one within it, but names one without a limit" "$("$COSCHED" doctor)" \
	"^ok +bf_window +partition '.*' has no MaxTime: .* more than 3630 minutes"
set_params "$(sed -n 's/^SchedulerParameters=//p' "$SLURM_CONF"),cosched_horizon_s=3600"
like "where cosched_horizon_s counts, doctor names that" "$("$COSCHED" doctor)" \
	"^warn +bf_window .*for 60 minutes, .*cosched_horizon_s=217800 in"
out=$("$COSCHED" conf 2>&1)
like "cosched conf warns of labels" "$out" "MCSPlugin=mcs/user: Slurm's own test places all jobs"
like "and of the partition" "$out" "SelectTypeParameters=CR_SOCKET of partition 'sockets'"

a=$(job -n1) b=$(job -n1 -p sockets)
ok "jobs start" running "$a" "$b"
is "one of the partition has whole sockets" "$(($(cores "$b" | grep -c '[-,]')))" 1
c=$(job -N1 -n1 -w "$(nodes_of "$a")" --exclusive=mcs)
ok "a job that wants nodes of its label waits" keeps_waiting "$c"
clear_jobs
log_is_clean

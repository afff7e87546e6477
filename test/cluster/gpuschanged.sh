#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# GPUs of nodes change under running jobs, in mode act: other counts and types in slurm.conf
# and gres.conf over a reconfigure, a restart, and a restart of all daemons. slurmctld lives,
# mode act goes on, no job is lost (Slurm itself requeues those whose node has another count
# after a restart), and jobs without GPUs start.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "about mode act"

for i in 0 1 2 3; do touch "$WORK/gpu$i"; done
first="NodeName=n[1-2] Name=gpu Type=a File=$WORK/gpu[0-3]"
echo "$first" >"$WORK/gres.conf"
cluster --memory 8000 --set GresTypes=gpu --node 'n[1-2] Gres=gpu:a:4' \
	--file "$WORK/gres.conf" --params "cosched_mode=act,cosched_log=$LOG"
[ "$FAILED" -eq 0 ] || exit 1
conf=$(dirname "$SLURM_CONF")

# change GRES LINE...: what n1 has, and gres.conf
change() {
	sed -i "/^NodeName=n1 /s/Gres=[^ ]*/Gres=$1/; /^NodeName=n\[1-2\] /s/Gres=[^ ]*/Gres=$1/" "$SLURM_CONF"
	shift
	printf '%s\n' "$@" >"$conf/gres.conf"
}
by_reconfigure() {
	scontrol reconfigure
}
by_restart() {
	vc restart-ctld
}
by_all() { # slurmctld and the nodes' slurmd
	local n

	for n in n1 n2; do
		vc kill-slurmd "$n"
		vc start-node "$n"
	done
	vc restart-ctld
}
there() { # there JOB...: all run, or wait again
	[ "$(squeue -h -t R,PD,CF,CG -j "$(IFS=,; echo "$*")" -o %i | sort -u | wc -l)" -eq $# ]
}
# goes_on TEXT JOB...: those are not lost, and another starts
goes_on() {
	local text=$1 other

	shift
	ok "$text: mode act goes on" wait_for 30 in_act
	ok "$text: no job is lost" wait_for 5 there "$@"
	scontrol update nodename=n1,n2 state=resume 2>/dev/null # drained for its count
	other=$(job -n1)
	ok "$text: a job without GPUs starts" running "$other"
	scancel "$other"
}
# planned TEXT: a job for a GPU starts, by the engine
planned() {
	local gpu line

	gpu=$(job -n1 --gres=gpu:a:1)
	ok "$1: a job for a GPU starts" running "$gpu"
	line=$(grep '"start"' "$LOG" | grep "\"job\":${gpu}[,}]")
	like "$1: its start is in the log" "$line" '"alloc"'
	unlike "$1: the engine has planned it" "$line" '"placed":"host"'
	scancel "$gpu"
}

a=$(SLEEP=600 job -n1 --gres=gpu:a:2 -w n1) b=$(SLEEP=600 job -n1 --gres=gpu:1 -w n2)
ok "(two jobs hold GPUs)" running "$a" "$b"
for how in by_reconfigure by_restart by_all; do
	change gpu:a:3 "NodeName=n[1-2] Name=gpu Type=a File=$WORK/gpu[0-2]"
	$how
	goes_on "$how, fewer GPUs" "$a" "$b"
	change gpu:a:2,gpu:b:2 "NodeName=n[1-2] Name=gpu Type=a File=$WORK/gpu[0-1]" \
		"NodeName=n[1-2] Name=gpu Type=b File=$WORK/gpu[2-3]"
	$how
	goes_on "$how, other types" "$a" "$b"
	change gpu:a:4 "$first"
	$how
	goes_on "$how, as before" "$a" "$b"
	planned "$how, as before"
done
ok "all nodes are there again" vc wait-up
run_again() { # Slurm has drained nodes, and lets requeued jobs begin later
	scontrol update nodename=n1,n2 state=resume 2>/dev/null
	let_go
	is_state "$a" RUNNING && is_state "$b" RUNNING
}
ok "... with their GPUs: both jobs run" wait_for 30 run_again
log_is_clean

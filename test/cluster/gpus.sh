#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Jobs with GPUs in mode act: the engine plans them by node, type and count, Slurm chooses
# the devices. Four nodes of eight cores: n[1-2] with four GPUs of type a, two at each
# socket; n3 with two of type b, then two of type a; n4 without any. No device is in two
# jobs, by scontrol show job -d; jobs start beside CPU jobs; those that run over a restart
# and a reconfigure keep their devices; a job for all GPUs of two nodes starts as planned
# while a stream of jobs for one GPU goes on.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

for i in 0 1 2 3; do touch "$WORK/gpu$i"; done
cat >"$WORK/gres.conf" <<CONF
NodeName=n[1-2] Name=gpu Type=a File=$WORK/gpu[0-1] Cores=0-3
NodeName=n[1-2] Name=gpu Type=a File=$WORK/gpu[2-3] Cores=4-7
NodeName=n3 Name=gpu Type=b File=$WORK/gpu[0-1]
NodeName=n3 Name=gpu Type=a File=$WORK/gpu[2-3]
CONF
cluster --cores 4 --memory 8000 --set GresTypes=gpu --node 'n[1-2] Gres=gpu:a:4' \
	--set 'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE' \
	--set 'PartitionName=by_gpu Nodes=n[1-3] DefCpuPerGPU=3 DefMemPerGPU=1500' \
	--set 'PartitionName=zero Nodes=n[1-3] DefMemPerGPU=0 DefMemPerCPU=150' \
	--node 'n3 Gres=gpu:b:2,gpu:a:2' --file "$WORK/gres.conf" --params "cosched_mode=act,cosched_log=$LOG"
[ "$FAILED" -eq 0 ] || exit 1

# Devices of running jobs, from scontrol, not from us: lines "JOB NODE DEVICE".
devices() {
	scontrol -d show job 2>/dev/null | awk '
	/^JobId=/	{ job = substr($1, 7); runs = 0 }
	/^ *JobState=/	{ runs = /JobState=RUNNING/ }
	runs && /^ *Nodes=[^ ]* CPU_IDs=.*GRES=gpu/ { print job, substr($1, 7), $NF }' |
		while read -r job nodes gres; do
			for n in $(scontrol show hostnames "$nodes"); do
				for idx in $(grep -o 'IDX:[0-9,-]*' <<<"$gres" | sed 's/IDX://; s/,/ /g'); do
					seq -f "$job $n %g" "${idx%-*}" "${idx#*-}"
				done
			done
		done | sort
}
# devices_of JOB: "n1:0 n1:1"
devices_of() {
	devices | awk -v j="$1" '$1 == j { print $2 ":" $3 }' | paste -sd' '
}
apart() { # apart TEXT: no device and no core in two jobs
	is "$1: no device is in two jobs" "$(devices | held_twice)" ""
	is "$1: no core is in two jobs" "$(holdings | held_twice)" ""
}

# --- forms of a request ---------------------------------------------------------------

a=$(job -n1 -c2 --gres=gpu:2 -w n1)
b=$(job -n1 --gres=gpu:b:2)
c=$(job -N2 -n2 -w n1,n2 --gpus-per-node=a:1)
d=$(job -N1 -n1 --gpus=1 -w n2)
e=$(job -N1 -n2 --gpus-per-task=a:1 -w n3)
cpu=$(job -n4 -w n1)
ok "jobs in all forms run, and one without GPUs" running "$a" "$b" "$c" "$d" "$e" "$cpu"
is "two of any type" "$(devices_of "$a" | wc -w)" 2
is "two of type b: those of n3" "$(devices_of "$b")" "n3:0 n3:1"
is "one on each of two nodes" "$(devices_of "$c" | sed 's/:[0-3]//g')" "n1 n2"
is "one in all, on one node" "$(devices_of "$d" | sed 's/:[0-3]//g')" "n2"
is "one of type a for each of two tasks" "$(devices_of "$e")" "n3:2 n3:3"
apart "all forms"
# Slurm chooses cores near the devices (rule 2 of apply_start.c)
near() { # near JOB NODE: are its cores on the sockets of its devices?
	local cores devices

	devices=$(devices | awk -v j="$1" -v n="$2" '$1 == j && $2 == n { print int($3 / 2) }' | sort -u)
	cores=$(holdings | awk -v j="$1" -v n="$2" '$1 == j && $2 == n { print int($3 / 4) }' | sort -u)
	[ -n "$cores" ] && [ "$cores" = "$devices" ]
}
ok "cores of a job are at its device's socket" near "$d" n2
f=$(job -N2 --ntasks-per-node=1 --gpus-per-task=1 -w n1,n2)
ok "one for each task, and one task on each of two nodes" running "$f"
is "... has one device of each" "$(devices_of "$f" | sed 's/:[0-3]//g')" "n1 n2"
for j in "$a" "$b" "$c" "$d" "$e" "$f"; do
	line=$(grep '"start"' "$LOG" | grep "\"job\":${j}[,}]")
	like "job $j has a line of its start" "$line" '"alloc"'
	unlike "job $j is planned by the engine, not by Slurm's own test" "$line" '"placed":"host"'
done
like "the event log has what a job asks for" "$(grep '"submit"' "$LOG" | grep "\"job\":$b,")" \
	'"gpus_node":2.*"gpu_type":"b"'

# --- one that must wait ---------------------------------------------------------------

wait_b=$(job -n1 --gres=gpu:b:1)
beside_b=$(job -n1 -w n3)
ok "a job without GPUs starts on a node whose GPUs are taken" running "$beside_b"
ok "a job for a GPU of a type that is taken waits" keeps_waiting "$wait_b"
like "explain: on which GPU" "$("$COSCHED" explain "$wait_b")" '1 GPU.* b'
scancel "$f"
ok "(one on each of two nodes ends)" wait_for 20 gone "$f"
other=$(job -n1 --gres=gpu:1 --gres-flags=enforce-binding)
ok "a form beyond the model starts by Slurm's own test" running "$other"
like "... as the event log has it" "$(grep '"start"' "$LOG" | grep "\"job\":${other}[,}]")" '"placed":"host"'
apart "with that"

# --- over a restart and a reconfigure --------------------------------------------------

kept() {
	[ "$(devices)" = "$before" ]
}
before=$(devices)
vc restart-ctld
vc wait-up >/dev/null
ok "act after a restart" wait_for 20 in_act
ok "running jobs keep their devices over a restart" kept
more=$(job -n1 --gres=gpu:a:1)
ok "another starts on a device that is left" running "$more"
apart "after a restart"
ok "the one that waits does so still" keeps_waiting "$wait_b"
before=$(devices)
scontrol reconfigure
ok "act after a reconfigure" wait_for 20 in_act
ok "running jobs keep their devices over a reconfigure" kept
scancel "$b"
ok "the device that a job leaves is taken by the one that waited" running "$wait_b"
like "... of its type" "$(devices_of "$wait_b")" '^n3:[01]$'
apart "after a reconfigure"
clear_jobs

# --- how many are held, free and stranded ------------------------------------------------

gpus() { # held, free, stranded; jobs that wait for some
	"$COSCHED" exporter --once 2>/dev/null | awk '
	/^cosched_gpus?_(held|free|stranded|jobs_waiting) / { n[$1] = $2 }
	END { print n["cosched_gpus_held"], n["cosched_gpus_free"], n["cosched_gpus_stranded"],
		n["cosched_gpu_jobs_waiting"] }'
}
gpus_are() {
	[ "$(gpus)" = "$*" ]
}
ok "12 GPUs are free" wait_for 10 gpus_are 0 12 0 0
full=$(job -n8 -w n2)
two=$(job -n2 --gres=gpu:2 -w n3)
ok "(a job on all cores of n2, one with two GPUs)" running "$full" "$two"
ok "no job waits: none is stranded" wait_for 10 gpus_are 2 10 0 0
more=$(job -n1 --gres=gpu:1 -w n2)
ok "(a job for a GPU of n2 waits)" keeps_waiting "$more"
ok "the four GPUs of n2, which has no free core, are stranded" wait_for 10 gpus_are 2 10 4 1
like "status says so" "$("$COSCHED" status)" 'gpus    2 held, 10 free: 4 stranded, .* 1 job waits for some'
like "top shows them by node" "$("$COSCHED" top -b -n1)" 'n3 .* 2/8 .* 1j  2/4g'
clear_jobs

# --- CPUs and memory that a node gives for each GPU --------------------------------------

gets() { # JOB: its CPUs, its memory on a node; as Slurm has them
	local r

	r=$(scontrol -d show job "$1")
	echo "$(grep -o 'NumCPUs=[0-9]*' <<<"$r")" \
		"$(grep -o ' Mem=[0-9]*' <<<"$r" | sort -u | paste -sd,)"
}
planned() { # JOB: not by Slurm's own test
	unlike "job $1 is planned by the engine" "$(grep '"start"' "$LOG" | grep "\"job\":${1}[,}]")" '"placed":"host"'
}
a=$(job -p by_gpu --gres=gpu:1 -w n1)
b=$(job -p by_gpu -N2 --ntasks-per-node=3 --gpus-per-node=1 -w n1,n2)
c=$(job -N1 -n2 --cpus-per-gpu=4 --mem-per-gpu=700 --gpus=1 -w n3)
d=$(job -p by_gpu -c1 --gres=gpu:1 --mem=200 -w n3)
ok "jobs with CPUs and memory by GPU run" running "$a" "$b" "$c" "$d"
is "by the partition: of one GPU" "$(gets "$a")" "NumCPUs=3  Mem=1500"
is "... of one on each of two nodes, for three tasks" "$(gets "$b")" "NumCPUs=6  Mem=1500"
is "by the job's own word" "$(gets "$c")" "NumCPUs=4  Mem=700"
is "by -c and --mem, which go before" "$(gets "$d")" "NumCPUs=1  Mem=200"
for j in "$a" "$b" "$c" "$d"; do
	planned "$j"
done
e=$(job -p by_gpu --gres=gpu:2 -w n2)
ok "a job whose six CPUs are not free waits" keeps_waiting "$e"
like "... for a planned start" "$("$COSCHED" explain "$e")" 'starts|planned'
scancel "$b"
ok "... and starts when they are" running "$e"
is "... with its CPUs" "$(gets "$e")" "NumCPUs=6  Mem=3000"
planned "$e"
g=$(job -p zero -N1 -n2 --gres=gpu:1 -w n1)
ok "(one in a partition where a GPU gives no memory)" running "$g"
is "... has that of its CPUs" "$(gets "$g")" "NumCPUs=2  Mem=300"
planned "$g"
like "... in the plan, too" "$(grep '"submit"' "$LOG" | grep "\"job\":$g,")" '"mem_per_cpu_mb":150|"mem_cpu_mb":150'
f=$(job -p by_gpu,main --gres=gpu:1 -w n3)
ok "one whose partitions differ starts" running "$f"
like "... by Slurm's own test" "$(grep '"start"' "$LOG" | grep "\"job\":${f}[,}]")" '"placed":"host"'
apart "by GPU"
clear_jobs

# --- a wide job and a stream of small ones ---------------------------------------------

eight_run() {
	[ "$(squeue -h -t R -o %i | wc -l)" -eq 8 ]
}
for i in 1 2 3 4 5 6 7 8; do
	LIMIT=1 SLEEP=$((4 + i % 4)) job -n1 --gres=gpu:1 -w "n$((i % 2 + 1))" >/dev/null
done
ok "(jobs for one GPU each run)" wait_for 20 eight_run
wide=$(LIMIT=2 SLEEP=30 job -N2 -n2 --gpus-per-node=a:4)
start_of() { # the planned start by squeue --start, as seconds
	date -d "$(squeue -h --start -j "$1" -o %S)" +%s 2>/dev/null
}
has_start() {
	[ -n "$(start_of "$wide")" ]
}
ok "the wide job has a planned start" wait_for 10 has_start
latest=$(start_of "$wide")
streamed=()
for i in $(seq 40); do
	streamed+=("$(LIMIT=1 SLEEP=5 job -n1 --gres=gpu:1)")
	sleep 0.5
	is_state "$wide" PENDING || break
done
ok "it starts while others keep coming" wait_for 60 is_state "$wide" RUNNING
began=$(date -d "$(field "$wide" StartTime)" +%s)
ok "by its first planned start ($((latest - began)) s before)" [ "$began" -le "$latest" ]
is "on all GPUs of two nodes" "$(devices_of "$wide" | wc -w)" 8
apart "with the wide job"
late=$(job -n1 --gres=gpu:1)
ok "the next of the stream runs beside it" running "$late"
is "... on n3" "$(nodes_of "$late")" n3
apart "with the next"
clear_jobs
log_is_clean
same "with GPUs"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Steps inside a coscheduled allocation: they get its cores and no more.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# What a task of a step says of itself.
cat >"$WORK/task" <<'SH'
#!/bin/sh
echo "$SLURMD_NODENAME $SLURM_PROCID $SLURM_LOCALID $SLURM_NTASKS"
SH
# Steps of a job, one after the other, each with its tasks' words in a file.
cat >"$WORK/steps" <<SH
#!/bin/bash
cd / || exit 1
out=$WORK/out.\$SLURM_JOB_ID
mkdir -p "\$out"
env | grep '^SLURM_\(NTASKS\|NPROCS\|NNODES\|JOB_NUM_NODES\|JOB_CPUS_PER_NODE\|TASKS_PER_NODE\)=' >"\$out/env"
exec 2>"\$out/err"
srun "$WORK/task" >"\$out/plain"
srun -N1 -n2 "$WORK/task" >"\$out/one-node"
srun -N2 -n2 "$WORK/task" >"\$out/two-nodes"
srun -n1 "$WORK/task" >"\$out/one-task"
srun --immediate=2 -n5 "$WORK/task" >"\$out/too-many"
echo \$? >"\$out/too-many.rc"
srun sleep 300 &
touch "\$out/ready"
wait
SH
chmod 755 "$WORK/task" "$WORK/steps"

# stepping PROFILE [sbatch option]...: submit a job of steps
stepping() {
	local p=$1
	shift
	sbatch --parsable -o /dev/null -t 10 --comment="cosched:profile=$p" "$@" "$WORK/steps" \
		</dev/null
}
ready() {
	[ -e "$WORK/out.$1/ready" ]
}
# "n1 n1 n2 n2": where the tasks of a step ran
tasks() {
	awk '{ print $1 }' "$WORK/out.$1/$2" | sort | paste -sd' '
}
step_field() { # step_field JOB.STEP KEY
	scontrol show step "$1" 2>/dev/null | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}
step_of() { # the step that is running
	squeue -h -s -j "$1" -o '%i' | grep -v '\.\(batch\|extern\)$' | head -n 1
}
has_step() {
	[ -n "$(step_of "$1")" ]
}

# check_job JOB NODE NODE TEXT
check_job() {
	local j=$1 a=$2 b=$3 text=$4 out=$WORK/out.$1 step

	like "$text: the environment names 4 tasks" "$(cat "$out/env")" "^SLURM_NTASKS=4"
	like "$text: two on each of 2 nodes" "$(cat "$out/env")" "^SLURM_TASKS_PER_NODE=2\(x2\)"
	like "$text: two CPUs on each node" "$(cat "$out/env")" "^SLURM_JOB_CPUS_PER_NODE=2\(x2\)"
	is "$text: srun without a layout fills the allocation" \
		"$(tasks "$j" plain)" "$a $a $b $b"
	is "$text: srun -N1 -n2" "$(tasks "$j" one-node)" "$a $a"
	is "$text: srun -N2 -n2" "$(tasks "$j" two-nodes)" "$a $b"
	# which of them is Slurm's choice, and differs by release
	like "$text: srun -n1 is on one of its nodes" "$(tasks "$j" one-task)" "^($a|$b)$"
	isnt "$text: a step of more tasks than cores is refused" "$(cat "$out/too-many.rc")" 0
	wait_for 10 has_step "$j"
	step=$(step_of "$j")
	is "$text: scontrol show step: nodes" \
		"$(scontrol show hostnames "$(step_field "$step" NodeList)" | paste -sd' ')" "$a $b"
	is "$text: scontrol show step: CPUs and tasks" \
		"$(step_field "$step" CPUs) $(step_field "$step" Tasks)" "4 4"
}

coscheduled() {
	local a b c

	a=$(stepping cg -n4)
	running "$a"
	b=$(stepping io -N2 -n4 --ntasks-per-node=2)
	running "$b"
	is "the two share their nodes" "$(nodes_of "$b")" "$(nodes_of "$a")"
	wait_for 30 ready "$a"
	wait_for 30 ready "$b"
	check_job "$a" n1 n2 "without explicit layout"
	check_job "$b" n1 n2 "with explicit layout"
	# interactive, as the third on the machine
	c=$(timeout 30 srun -n2 --comment=cosched:profile=cg -t 1 "$WORK/task" 2>/dev/null | wc -l)
	is "srun as a job of its own" "$c" 2
	is "no CPU is held twice" "$(holdings | held_twice)" ""
	clear_jobs
	log_is_clean
	cluster_down
}

# --- on this host's own cores, bound

# CPUs that a process of the job's step may use, out of the kernel
bound_to() {
	cat "$WORK/bound.$1" 2>/dev/null
}
# "0-2,5" to "0 1 2 5"
cpus() {
	local part out=()

	for part in ${1//,/ }; do
		mapfile -t -O ${#out[@]} out < <(seq "${part%-*}" "${part#*-}")
	done
	printf '%s\n' "${out[*]}"
}

# This host's CPUs that a job holds: Slurm counts by socket, core and thread, the
# kernel as it likes.
own_cpus() {
	local map

	mapfile -t map < <(lscpu -p=SOCKET,CORE,CPU | grep -v '^#' |
		sort -t, -k1,1n -k2,2n -k3,3n | cut -d, -f3)
	holdings | awk -v j="$1" '$1 == j { print $3 }' | while read -r cpu; do
		printf '%s\n' "${map[cpu]}"
	done | sort -n | paste -sd' '
}

# bound_pair TEXT [sbatch option]...: two jobs on this host, each a step on its own cores
bound_pair() {
	local text=$1 a b mine theirs

	shift
	a=$(sbatch --parsable -o /dev/null -t 10 --comment=cosched:profile=cg "$@" "$WORK/bind")
	b=$(sbatch --parsable -o /dev/null -t 10 --comment=cosched:profile=io "$@" "$WORK/bind")
	ok "$text: two jobs share this host" running "$a" "$b"
	wait_for 20 test -s "$WORK/bound.$a"
	wait_for 20 test -s "$WORK/bound.$b"
	mine=$(cpus "$(bound_to "$a")")
	theirs=$(cpus "$(bound_to "$b")")
	like "$text: the step of A is bound" "$mine" "^[0-9]"
	is "$text: to A's own cores" "$mine" "$(own_cpus "$a")"
	is "$text: that of B to B's" "$theirs" "$(own_cpus "$b")"
	is "$text: the steps have no core in common" \
		"$(tr ' ' '\n' <<<"$mine $theirs" | sort | uniq -d)" ""
	is "$text: no core of the allocations is held twice" "$(holdings | held_twice)" ""
	is "$text: the batch scripts are bound as their steps" \
		"$(cat "$WORK/batch.$a" "$WORK/batch.$b")" "$(bound_to "$a"; bound_to "$b")"
	clear_jobs
}

affinity() {
	local n

	n=$(nproc)
	if [ "$n" -lt 2 ]; then
		printf 'skip - %s: steps bound to real cores: %s core here\n' "$NAME" "$n"
		return
	fi
	rm -f "$LOG"
	cluster --affinity
	cat >"$WORK/bind" <<-SH
		#!/bin/bash
		cd / || exit 1
		srun bash -c 'grep -h ^Cpus_allowed_list /proc/self/status' |
			sed 's/.*:[[:space:]]*//' >"$WORK/bound.\$SLURM_JOB_ID.new"
		grep -h ^Cpus_allowed_list /proc/self/status |
			sed 's/.*:[[:space:]]*//' >"$WORK/batch.\$SLURM_JOB_ID"
		mv "$WORK/bound.\$SLURM_JOB_ID.new" "$WORK/bound.\$SLURM_JOB_ID"
		sleep 300
	SH
	bound_pair "affinity" -n1
	bound_pair "affinity, explicit layout" -N1 --ntasks-per-node=1
	log_is_clean
}

cluster --nodes 4
coscheduled
affinity

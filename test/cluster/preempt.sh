#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which goes before which and which wants nodes of its own, in mode act: preemption by
# partition (requeue and cancel), PriorityTier, --exclusive, ExclusiveUser,
# OverSubscribe=EXCLUSIVE.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$WORK/partitions" <<'END'
PartitionName=low Nodes=ALL PriorityTier=2 PreemptMode=REQUEUE
PartitionName=lowc Nodes=ALL PriorityTier=2 PreemptMode=CANCEL
PartitionName=safe Nodes=ALL PriorityTier=2 PreemptMode=OFF
PartitionName=high Nodes=ALL PriorityTier=10
PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE
PartitionName=mine Nodes=ALL ExclusiveUser=YES
END
cluster --more cosched_order=slurm --conf "$WORK/partitions" \
	--set PreemptType=preempt/partition_prio --set PreemptMode=REQUEUE \
	--set PreemptExemptTime=00:00:00 \
	--set "AuthInfo=socket=$WORK/cluster/munge/socket,cred_expire=5"
: >"$RUNS"

count_is() { # STATES NUMBER JOB...
	local states=$1 n=$2 list
	shift 2
	list=$(IFS=,; echo "$*")
	[ "$(squeue -h -t "$states" -j "$list" -o %i 2>/dev/null | wc -l)" = "$n" ]
}

seconds() { # JOB FIELD
	date -d "$(field "$1" "$2")" +%s
}

# --- preemption -----------------------------------------------------------------------

for i in 1 2 3 4; do low[i]=$(job -p low -N1 --exclusive); done
running "${low[@]}" || bad "the machine is full" "$(squeue)"
high=$(job -p high -N1 --exclusive)
ok "REQUEUE: the job of the higher partition runs" running "$high"
ok "one of the lower is requeued" wait_for 10 count_is PD 1 "${low[@]}"
ok "the others run on" count_is R 3 "${low[@]}"
is "no core is held twice" "$(holdings | held_twice)" ""
victim=$(squeue -h -t PD -p low -o %i)
is "it has been restarted" "$(field "$victim" Restarts)" 1
scancel "$high"
ok "it runs again behind the other" running "$victim"
high=$(job -p high -N4 --exclusive)
ok "a job may preempt them all" running "$high"
ok "all are requeued" wait_for 10 count_is PD 4 "${low[@]}"
scancel "$high"
ok "all run again" running "${low[@]}"
clear_jobs

for i in 1 2 3 4; do low[i]=$(job -p lowc -N1 --exclusive); done
running "${low[@]}"
high=$(job -p high -N2 --exclusive)
ok "CANCEL: the job of the higher partition runs" running "$high"
ok "two of the lower are cancelled" wait_for 10 count_is R 2 "${low[@]}"
ok "and do not come back" count_is PD 0 "${low[@]}"
is "as preempted" "$(for j in "${low[@]}"; do field "$j" JobState; done | sort | uniq -c |
	awk '{ print $1 $2 }' | paste -sd' ')" "2PREEMPTED 2RUNNING"
clear_jobs

for i in 1 2 3 4; do low[i]=$(job -p safe -N1 --exclusive); done
running "${low[@]}"
high=$(job -p high -N1 --exclusive)
sleep 3
ok "OFF: nobody is preempted" count_is R 4 "${low[@]}"
ok "the job of the higher partition waits" waits "$high"
scancel "${low[1]}"
ok "and runs when a node is free" running "$high"
clear_jobs

# Both members of a group are preempted; afterwards they run and share again.
a=$(profiled cg -p low -N4 --ntasks-per-node=2) b=$(profiled io -p low -N4 --ntasks-per-node=2)
running "$a" "$b"
! ours || ok "a pair shares in the lower partition" beside "$a" "$b"
high=$(job -p high -N4 --exclusive)
ok "a group is preempted" running "$high"
ok "both wait" wait_for 10 waits "$a" "$b"
! ours || like "the group is gone" "$("$COSCHED" groups)" "^no groups at the moment"
scancel "$high"
ok "both run again" running "$a" "$b"
! ours || ok "and share again" beside "$a" "$b"
clear_jobs

# A job that preempts takes the cores of another, never idle ones beside it: mem
# suits nobody.
a=$(profiled cg -p low -N4 --ntasks-per-node=2)
running "$a"
high=$(profiled mem -p high -N4 --ntasks-per-node=2)
ok "a job that suits nobody runs by preemption" running "$high"
! ours || ok "and not beside the one that was there" waits "$a"
clear_jobs

# One of a pair is preempted. What it held is the other job's, which suits none; not
# its own when it comes back, nor one's that waits and would suit the half that stays.
full=$(job -p safe -N2 --exclusive)
running "$full"
a=$(profiled cg -p low -N2 --ntasks-per-node=2) b=$(profiled io -p safe -N2 --ntasks-per-node=2)
running "$a" "$b"
! ours || ok "a pair shares, of which one may be preempted" beside "$a" "$b"
more=$(profiled cg -p low -N2 --ntasks-per-node=2)
ok "a third waits" keeps_waiting "$more"
high=$(profiled mem -p high -N2 --ntasks-per-node=2)
ok "a job runs by preemption of the one" running "$high"
ok "which waits, as the third does" waits "$a" "$more"
is "it was preempted once" "$(field "$a" Restarts)" 1
is "the other runs on" "$(state "$b") $(field "$b" Restarts)" "RUNNING 0"
! ours || ok "beside the job that preempted" beside "$b" "$high"
is "no core is held twice behind it" "$(holdings | held_twice)" ""
scancel "$high"
ok "when that has gone, one of them runs" wait_for 15 count_is R 1 "$a" "$more"
clear_jobs

# Two preempt at once: what is freed for one is not taken by the other, which would make
# the first preempt again. Started with their TimeMin they get the limit they asked for,
# which a slowdown of 1.5 beside what stays makes 30 minutes.
full=$(job -p safe -N2 --exclusive)
running "$full"
for i in 1 2; do
	low[i]=$(profiled cg -p low -N1 -n2)
	safe[i]=$(profiled io -p safe -N1 -n2)
done
running "${low[1]}" "${low[2]}" "${safe[@]}" || bad "two pairs share" "$(squeue)"
high=$(LIMIT=20 profiled mem -p high --array=1,2 -N1 -n2 --time-min=2)
ok "two jobs run, each by a preemption" wait_for 30 count_is R 2 "$high"
sleep 3
is "two jobs were preempted, once each, and wait" \
	"$(for i in 1 2; do echo "$(state "${low[i]}") $(field "${low[i]}" Restarts)"; done | paste -sd,)" \
	"PENDING 1,PENDING 1"
ok "the others run on" count_is R 2 "${safe[@]}"
for i in 1 2; do
	is "task $i has all of its time" \
		"$(($(seconds "${high}_$i" EndTime) - $(seconds "${high}_$i" StartTime)))" 1800
done
clear_jobs

# --- PriorityTier -----------------------------------------------------------------------

all=$(job -p high -N4 --exclusive)
running "$all"
first=$(traced 1 -N4 --exclusive) # tier 1, submitted first
second=$(traced 1 -p safe -N4 --exclusive)
third=$(traced 1 -p high -N4 --exclusive)
sleep 1.5
scancel "$all"
ok "jobs of three tiers run" wait_for 25 ended "$first" "$second" "$third"
ok "the highest first" before "$(when start "$third")" "$(when start "$second")"
ok "the lowest last" before "$(when start "$second")" "$(when start "$first")"
clear_jobs

# --- nodes of one's own -------------------------------------------------------------------

nodes_differ() {
	[ -z "$(comm -12 <(nodes_of "$1" | tr ' ' '\n' | sort) \
		<(nodes_of "$2" | tr ' ' '\n' | sort))" ]
}
a=$(profiled cg -N2 -n4 --exclusive) b=$(profiled io -N2 -n4)
ok "--exclusive: both run" running "$a" "$b"
ok "--exclusive: on other nodes" nodes_differ "$a" "$b"
is "--exclusive: all cores are its" "$(field "$a" NumCPUs)" 8
c=$(profiled io -N2 -n4 --exclusive)
sleep 1.5
ok "one more waits" waits "$c"
clear_jobs

for i in 1 2 3 4; do own[i]=$(profiled "$([ $((i % 2)) = 0 ] && echo io || echo cg)" -p whole -n1); done
ok "OverSubscribe=EXCLUSIVE: four jobs of one process run" running "${own[@]}"
is "on four nodes" "$(squeue -h -t R -o %N | sort | paste -sd' ')" "n1 n2 n3 n4"
is "with all of their cores" "$(holdings | wc -l)" 16
clear_jobs

by() { # USER COMMAND...: SLEEP and LIMIT do not go along
	local user=$1
	shift
	vc run --user "$user" "$@"
}
a=$(profiled cg -p mine -N4 --ntasks-per-node=1)
running "$a"
c=$(profiled io -p mine -N4 --ntasks-per-node=1)
ok "ExclusiveUser: a job of the same user runs beside it" running "$c"
b=$(by nobody sbatch --parsable -D /tmp -o /dev/null -t 10 -p mine -n1 \
	--comment=cosched:profile=io --wrap 'sleep 60' </dev/null)
sleep 2
ok "ExclusiveUser: one of another user waits, though cores are free" waits "$b"
scancel "$a" "$c"
ok "and runs when the nodes are free" running "$b"
c=$(job -n13)
d=$(job -n12 -t 5)
ok "jobs of other users run elsewhere" running "$d"
ok "not on his node" waits "$c"
clear_jobs

# His nodes are passing: when he goes others come, though nothing else happens.
user_job() { # SECONDS [sbatch option]...
	local s=$1
	shift
	by nobody sbatch --parsable -D /tmp -o /dev/null -t 2 --exclusive=user "$@" \
		--wrap "sleep $s" </dev/null
}
a=$(user_job 8 -N4 --ntasks-per-node=1)
running "$a"
b=$(user_job 4 -n1)
ok "--exclusive=user: a job of the same user runs beside it" running "$b"
! ours || refused=$(grep -c '"ev":"refuse"' "$LOG")
c=$(job -n1) d=$(job -N4)
sleep 2
ok "--exclusive=user: those of another wait, though cores are free" waits "$c" "$d"
if ours; then
	unlike "which are not said to be unable" "$(field "$c" Reason; field "$d" Reason
		"$COSCHED" explain "$c"; "$COSCHED" explain "$d")" 'no set of nodes|never'
	is "but promised the end of its time limit" \
		"$(($(seconds "$c" StartTime) >= $(seconds "$a" EndTime)))" 1
	is "and not tried before" "$(grep -c '"ev":"refuse"' "$LOG")" "$refused"
fi
ok "--exclusive=user: the others run when he has gone" running "$c" "$d"
clear_jobs

# Beside the same user's ordinary jobs stock starts it, and them beside it; we do not.
a=$(by nobody sbatch --parsable -D /tmp -o /dev/null -t 2 -n1 -w n1 --wrap 'sleep 60' </dev/null)
running "$a"
b=$(user_job 60 -n1 -w n1)
if ours; then
	ok "--exclusive=user: it waits beside an ordinary job of its user" keeps_waiting "$b"
	scancel "$a"
fi
ok "--exclusive=user: it runs" running "$b"
a=$(by nobody sbatch --parsable -D /tmp -o /dev/null -t 2 -n1 -w n1 --wrap 'sleep 60' </dev/null)
if ours; then
	ok "--exclusive=user: an ordinary job of its user waits beside it" keeps_waiting "$a"
	scancel "$b"
fi
ok "--exclusive=user: and runs" running "$a"
clear_jobs

a=$(user_job 8 -n1)
running "$a"
c=$(job -n12)
ok "--exclusive=user: another's job runs on other nodes" running "$c"
b=$(job -n14)
sleep 1.5
! ours || unlike "one that needs his node, too, is not said to be unable" \
	"$(field "$b" Reason)" 'no set of nodes|never'
scancel "$c"
ok "and runs when he has gone" running "$b"
clear_jobs
log_is_clean

# --- generic resources ------------------------------------------------------------------

# One job wants both sticks. Of the two that it preempts one ends 6 s after the other:
# what comes in between does not get the stick that is free by then.
cluster_down
cat >"$WORK/partitions" <<'END'
PartitionName=low Nodes=ALL PriorityTier=2 PreemptMode=REQUEUE
PartitionName=high Nodes=ALL PriorityTier=10
END
cluster --nodes 1 --more cosched_order=slurm --conf "$WORK/partitions" \
	--set PreemptType=preempt/partition_prio --set PreemptMode=REQUEUE --set KillWait=6 \
	--set "AuthInfo=socket=$WORK/cluster/munge/socket,cred_expire=5"
: >"$RUNS"
printf 'NodeName=n1 Name=stick Count=2\n' >"$(dirname "$SLURM_CONF")/gres.conf"
printf 'GresTypes=stick\n' >>"$SLURM_CONF"
sed -i '/^NodeName=n1 /s/$/ Gres=stick:2/' "$SLURM_CONF"
vc kill-slurmd n1
vc restart-ctld
vc start-node n1
vc wait-idle >/dev/null
! ours || wait_for 15 in_act
stubborn() {
	sbatch --parsable -o /dev/null -t 10 "$@" \
		--wrap "trap '' TERM CONT; for i in {1..60}; do sleep 1; done" </dev/null
}
stick=(-N1 -n1 --mem=100)
quick=$(job -p low "${stick[@]}" --gres=stick:1) last=$(stubborn -p low "${stick[@]}" --gres=stick:1)
running "$quick" "$last" || bad "two jobs with a stick each run" "$(squeue)"
high=$(traced 3 -p high "${stick[@]}" --gres=stick:2)
ok "a job that wants both preempts them" wait_for 5 is_state "$quick" PENDING
more=$(traced 1 -p low "${stick[@]}" --gres=stick:1)
ok "it runs when the last has gone" wait_for 20 ended "$high"
is "each of them was preempted once, and nobody else started" \
	"$(for j in "$quick" "$last" "$more"; do field "$j" Restarts; done | paste -sd' ')" "1 1 0"
is "but the job that preempts" "$(awk 'NR < 3 { print $1, $2 }' "$RUNS" | paste -sd' ')" \
	"start $high end $high"
clear_jobs
log_is_clean

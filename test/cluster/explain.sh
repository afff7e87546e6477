#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What users and administrators are told: cosched explain, groups. squeue's reason is
# Slurm's own word.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

params="cosched_mode=act,$SHARED"
cluster --nodes 2
sed -i '/^PartitionName=/d' "$SLURM_CONF"
cat >>"$SLURM_CONF" <<-'END'
	PartitionName=main Nodes=n[1-2] Default=YES State=UP
	PartitionName=short Nodes=n[1-2] MaxTime=5 State=UP
END
set_params "$params"
wait_for 10 in_act

explain() {
	"$COSCHED" explain "$1" 2>&1
}
explains() { # explains JOB REGEX
	explain "$1" | grep -qE -- "$2"
}

refuses() { # refuses JOB REGEX: the same of an answer that is none
	grep -qE -- "$2" <<<"$(explain "$1")"
}

partners() {
	local a b

	a=$(LIMIT=5 profiled cg -p short -N2 -n4)
	running "$a"
	b=$(LIMIT=5 profiled io -p short -N2 -n4)
	ok "a limit that cannot be raised is said" wait_for 10 explains "$b" \
		"beside job $a .*time limit cannot be raised"
	clear_jobs
	a=$(profiled cg -N2 -n8)
	running "$a"
	b=$(profiled io -N2 -n4)
	ok "no free core is said" wait_for 10 explains "$b" "beside job $a .*no room beside it"
	clear_jobs
	set_params "$params,cosched_share_partitions=short+nosuch"
	ok "a partition to share that is not there: status says it" \
		wait_for 5 status_has "no partition 'nosuch'"
	a=$(profiled cg -N2 -n4)
	running "$a"
	b=$(profiled io -N2 -n8)
	ok "share_partitions is said" wait_for 10 explains "$b" \
		"shares with no job: its partition is not among share_partitions"
	clear_jobs
	set_params "$params"
}

tasks() {
	local a b c

	a=$(profiled cg -N2 -n4)
	running "$a"
	b=$(profiled io --array=3-4 -N2 -n4)
	wait_for 10 is_state "${b}_3" RUNNING
	ok "explain takes a task that runs" wait_for 5 explains "${b}_3" "^job ${b}_3 \(io\) runs"
	like "and says with which it shares" "$(explain "${b}_3")" "shares with job $a "
	unlike "no job 0" "$(explain "${b}_3")" "job 0"
	like "explain takes a task that waits" "$(explain "${b}_4")" "^job ${b}(_4)? \(io\) waits"
	unlike "a job that is no array's is called none" "$(explain "$a")" "an array"
	like "groups name tasks" "$("$COSCHED" groups)" " ${b}_3 "
	like "nonsense is refused" "$(explain "${b}_x")" "expected a job id"
	like "so is an unknown task" "$(explain "$((b + 1000))_3")" "no such job"
	like "and one that the array never had" "$(explain "${b}_77")" \
		"no such job waits or runs: job $b has no waiting task 77"
	c=$(profiled io --array='1-5%1' -N2 -n4)
	ok "a task that waits is explained" wait_for 5 explains "${c}_5" "waits: "
	scancel "${c}_5"
	like "and when it is cancelled no more" "$(explain "${c}_5")" "no such job"
	ok "though others of its array wait" explains "${c}_4" "waits: "
	like "it says of which task that is" "$(explain "$c")" \
		"^  an array: this is of the next of its tasks that wait"
	scancel "$c"
	c=$(sbatch --parsable -o /dev/null -N2 -n8 -t 9 : -N1 -n1 --wrap "sleep 60" </dev/null)
	ok "the component of a heterogeneous job is explained as its leader" \
		wait_for 5 explains "$c+1" "^job $c .* waits: "
	scancel "$c"
	vc restart-ctld
	c=$("$COSCHED" groups 2>&1)
	unlike "after a restart nobody is said to share with nobody" "$c" "nobody shares"
	ok "explain works after it" wait_for 15 explains "$a" "shares with job ${b}_3"
	unlike "and knows no job 0" "$(explain "$a")" "job 0"
	clear_jobs
	# the last task has the array's number
	c=$(sbatch --parsable -o /dev/null -t 9 --array=1-2 -N1 -n1 \
		--wrap '[ "$SLURM_ARRAY_TASK_ID" = 2 ] || sleep 60' </dev/null)
	ok "an array whose last task has ended says how to ask" wait_for 20 refuses "$c" \
		"job $c is an array, of which 1 task is left: ask for one, as ${c}_1 \(squeue -r -j $c lists them\)"
	scancel "$c"
	clear_jobs
}

# comment COMMENT REGEX
comment() {
	local j

	j=$(job -H -N1 -n1 --comment="$1")
	ok "comment $1 is explained" wait_for 5 explains "$j" "its comment: .*$2"
	scancel "$j"
}

remarks() {
	local a b

	comment cosched:profil=mem "unknown key 'profil'"
	comment cosched:profile "has no value"
	comment cosched:share=maybe "share is 'maybe'.*taken for no"
	comment cosched:profile=cg,profile=io "given twice"
	comment cosched:profile=nosuch "no profile 'nosuch'"
	comment cosched:wait=never "wait is 'never', expected local"
	for b in waits:ib waits:proc-b spins:off; do
		a=$(job -H -N1 -n1 --comment="cosched:wait=${b#*:}")
		ok "that its ranks wait by ${b#*:} is in the event log: ${b%:*}" wait_for 5 grep -qE \
			"\"ev\":\"submit\",\"job\":$a,.*\"flags\":\[[^]]*\"${b%:*}\"" "$LOG"
		scancel "$a"
	done
	b=$(job -H -N1 -n1 --comment="cosched:campaign=$(printf 'x%.0s' {1..64}),profile=nosuch")
	ok "the longest remark is whole" wait_for 5 explains "$b" \
		"^  its comment: campaign is 'x{32}', expected .*: taken for none$"
	ok "and not the last" explains "$b" "no profile 'nosuch'"
	scancel "$b"
	a=$(profiled cg -N2 -n4)
	running "$a"
	b=$(job -N2 -n4 --comment=cosched:profile=io,share=nope)
	ok "a malformed share is taken for no" keeps_waiting "$b"
	scancel "$b"
	b=$(job -H -N1 -n1)
	ok "a held job is explained" wait_for 5 explains "$b" \
		"held back by Slurm: it is held \(scontrol release"
	scancel "$b"
	b=$(job -H -N1 -n1 --begin=now+1hour)
	ok "a hold goes before a begin time" wait_for 5 explains "$b" "its begin time has not come either, it is in 0:5[0-9]:"
	like "in its first line" "$(explain "$b" | sed q)" "waits: held back by Slurm: it is held .*; its begin time has not come"
	unlike "and that alone" "$(explain "$b")" 'Slurm says'
	scancel "$b"
	b=$(job -N1 -n1 --dependency=afterok:"$a")
	ok "a dependency is explained" wait_for 5 explains "$b" "it depends on another job"
	b=$(job -N1 -n1 --begin=now+1hour)
	ok "a begin time is explained" wait_for 5 explains "$b" "it may start in 0:5[0-9]:"
	scancel "$a"
	b=$(job -N1 -n1 --array='1-3%1')
	ok "a throttled array is explained" wait_for 15 explains "$b" \
		"held back by Slurm: as many tasks of its array run as may"
	scancel "$b"
	b=$(LIMIT=9 job -p short -N1 -n1)
	ok "a limit above the partition's is explained" wait_for 5 explains "$b" \
		"held back by Slurm: its time limit is above its partition's"
	a=$(LIMIT=9 job -H -p short -N1 -n1 --begin=now+1hour)
	ok "before a begin time and a hold, which are not all" wait_for 5 explains "$a" \
		"^job $a .* waits: held back by Slurm: its time limit is above .*; its begin time has not come"
	scontrol update JobId="$a" TimeLimit=5
	ok "and no more once it is within" wait_for 5 explains "$a" "^job $a .* waits: held back by Slurm: it is held"
	scancel "$a"
	scontrol update PartitionName=short State=DOWN
	b=$(LIMIT=1 job -p short -N1 -n1)
	ok "a partition that is down is explained" wait_for 5 explains "$b" \
		"held back by Slurm: its partition is down or inactive"
	scontrol update PartitionName=short State=UP
	scontrol create ReservationName=later StartTime=now+1hour Duration=60 Nodes=n1 Users=root \
		>/dev/null
	b=$(job --reservation=later -N1 -n1)
	ok "a reservation to come is explained" wait_for 5 explains "$b" \
		"Slurm says: its reservation is not active now"
	clear_jobs
	scontrol delete ReservationName=later
	scontrol create ReservationName=maintenance StartTime=now Duration=60 Nodes=ALL \
		Users=root flags=maint,ignore_jobs >/dev/null
	b=$(job -N1 -n1)
	ok "a maintenance is not told as the job's own" wait_for 15 explains "$b" \
		"a reservation that is not its own keeps nodes that it could use"
	scancel "$b"
	scontrol delete ReservationName=maintenance
}

is_reason() {
	[ "$(reason "$1")" = "$2" ]
}
sizes() {
	local a b

	set_params "$params,cosched_layout=dense"
	a=$(job -n3)
	running "$a"
	b=$(job -n8)
	keeps_waiting "$b"
	like "a job that is packed by core needs cores" "$(explain "$b")" \
		"waits: first in the queue for its nodes, needs 8 cores, 5 free"
	ok "squeue has Slurm's word for it" wait_for 10 is_reason "$b" Resources
	like "and has a place in the queue" "$(explain "$b")" "^  1 of 1 in the queue, by "
	scancel "$b"
	b=$(job -H -p short -t 5 -N2 -n8)
	scontrol update PartitionName=short Nodes=n1
	scontrol release "$b" 2>/dev/null # some releases say that it cannot start now
	ok "one that is larger than its partition is told so" wait_for 10 explains "$b" \
		"it can never run: it asks for 8 cores; the nodes it may use are 1, with 4 cores"
	scancel "$b"
	scontrol update PartitionName=short 'Nodes=n[1-2]'
	clear_jobs
	set_params "$params"
}

by_hand() {
	local a b c

	set_params "cosched_mode=act,cosched_policy=ostrich-paper"
	wait_for 10 in_act
	a=$(job -N2 -n8)
	running "$a"
	b=$(job -n1)
	c=$(job -n1 --nice=50)
	ok "the times of a campaign have a line each" wait_for 5 explains "$b" "^  virtual end in "
	like "the second" "$(explain "$b")" "^  projected end in .* stays the only active one"
	like "the third" "$(explain "$b")" "^  bound in "
	ok "a nice value is explained" explains "$c" "nice value 50 puts it behind"
	scontrol update JobId="$b" Priority=5
	ok "an administrator's low priority is explained" wait_for 5 explains "$b" \
		"an administrator set its priority to 5: it goes behind all campaigns"
	scontrol update JobId="$b" Priority=2000000000
	ok "and a high one" wait_for 5 explains "$b" \
		"set its priority to 2000000000: it goes before all campaigns"
	scontrol hold "$b"
	ok "and a hold of it" wait_for 5 explains "$b" "held back by Slurm: it is held"
	scontrol release "$b"
	ok "which a release undoes" wait_for 5 explains "$b" "waits: .* needs 1 core, 0 free"
	unlike "with its priority" "$(explain "$b")" "an administrator"
	clear_jobs
	set_params "$params"
	wait_for 10 in_act
}

drained() {
	local a

	scontrol update NodeName=n1,n2 State=DRAIN Reason=test
	a=$(profiled cg --array=1-9 -N2 -n8)
	sleep 3
	is "drained nodes: no line for waiting jobs" "$(grep -c 'no set of nodes' "$CTLD_LOG")" 0
	scontrol update NodeName=n1,n2 State=RESUME
	ok "one starts when they are back" wait_for 15 is_state "${a}_1" RUNNING
	ok "the reason of the others is not stale" \
		wait_for 10 eval "squeue -h -t PD -o %r | grep -qxE 'Resources|Priority'"
	clear_jobs
}

private() {
	local a b out

	printf 'PrivateData=jobs\n' >>"$SLURM_CONF"
	set_params "$params"
	a=$(profiled cg -N2 -n8)
	running "$a"
	b=$(vc run --user nobody sbatch --parsable -D / -o /dev/null -N2 -n4 -t 10 \
		--comment=cosched:profile=io --wrap "sleep 60" </dev/null)
	chmod 755 "$COSCHED_VCLUSTER/state"
	ok "a job waits beside another" wait_for 10 explains "$b" "beside job $a "
	out=$(vc run --user nobody "$COSCHED" explain "$b" 2>&1)
	like "PrivateData=jobs: others' jobs have no number" "$out" "beside a job of another user"
	unlike "nor profile" "$out" "job $a |cg"
	ok "squeue's reason is Slurm's" wait_for 10 eval 'grep -qxE "Resources|Priority" <<<"$(reason "$b")"'
	scancel "$b"
	# what waits behind the first is told so where only that one has a promise
	set_params "$params,cosched_backfill=easy"
	a=$(profiled cg -N2 -n8)
	b=$(vc run --user nobody sbatch --parsable -D / -o /dev/null -N2 -n4 -t 10 \
		--comment=cosched:profile=mem --wrap "sleep 60" </dev/null)
	keeps_waiting "$a" "$b"
	behind_nobody() {
		out=$(vc run --user nobody "$COSCHED" explain "$b" 2>&1)
		grep -q 'another user' <<<"$out" && ! grep -q "job $a" <<<"$out"
	}
	ok "behind a job it is told of a job of another user" wait_for 10 behind_nobody
	clear_jobs
}

shadow() {
	local a b

	set_params "cosched_mode=shadow,$SHARED"
	a=$(job -N2 --exclusive)
	running "$a"
	b=$(job -N2 --exclusive)
	ok "mode shadow: a job that waits is explained" wait_for 5 explains "$b" "^job $b .*waits: "
	is "below a line that says who decides" "$(explain "$b" | sed 's/;.*//; q')" \
		"mode shadow: Slurm decides"
	is "which stands above one that runs, too" "$(explain "$a" | head -n 1)" \
		"mode shadow: Slurm decides; this is what Slurm did"
	like "beside which none is" "$(explain "$a")" "^  no job is beside it$"
	clear_jobs
	set_params "$params"
	wait_for 10 in_act
}

member() { # member JOB EXPRESSION: of the object o, explain's --json
	"$COSCHED" explain --json "$1" 2>&1 |
		python3 -c 'import json, sys; o = json.load(sys.stdin); print(eval(sys.argv[1]))' "$2"
}

# Is what squeue says of a job's start still to come, or nothing?
to_come() {
	local at

	at=$(squeue -h -j "$1" -o %S)
	[ "$at" = N/A ] || [ "$(date -d "$at" +%s)" -ge "$(date +%s)" ]
}

conclusion() {
	local a b c first word

	set_params "cosched_mode=act,cosched_policy=pack,cosched_order=fcfs"
	wait_for 10 in_act
	a=$(LIMIT=10 job -n6)
	running "$a"
	b=$(LIMIT=10 job -n8)
	ok "the first is told the size that is free" wait_for 10 explains "$b" "sooner: now with -n 2"
	c=$(LIMIT=60 job -n2)
	ok "the first line says why, when and what would start it sooner" \
		wait_for 10 explains "$c" "^job $c .*waits: .*starts in 0:[0-9:]* at the latest; sooner: now with -t [0-9]+"
	first=$(explain "$c" | sed -n '1s/.*with -t \([0-9]*\).*/\1/p')
	is "--json has members" "$(member "$c" 'o["job"]')" "$c"
	is "its state" "$(member "$c" 'o["state"]')" waiting
	like "why" "$(member "$c" 'o["why"]')" '^planned on|^first in'
	like "when" "$(member "$c" 'o["start_s"] > o["now_s"]')" True
	is "its place" "$(member "$c" '(o["place"], o["of"])')" "(2, 2)"
	is "what would start it sooner" \
		"$(member "$c" '(o["sooner"][0]["change"], o["sooner"][0]["now"], o["sooner"][0]["value"])')" \
		"('limit', True, $first)"
	is "and the lines that it prints" "$(member "$c" '"\n".join(o["text"])' | sed 's/[0-9]:[0-9:]*/T/g')" \
		"$(explain "$c" | sed 's/[0-9]:[0-9:]*/T/g')"
	like "one that runs has other members" "$(member "$a" 'sorted(o)')" "end_s.*nodes.*slowdown"
	for word in "$b" "$c"; do
		ok "job $word: squeue's reason is Slurm's word" wait_for 10 eval \
			"reason $word | grep -qxE 'Resources|Priority'"
	done
	scontrol update JobId="$c" TimeLimit="$first"
	ok "with that limit it starts" wait_for 10 is_state "$c" RUNNING
	clear_jobs
	a=$(LIMIT=10 job -N2 -n2)
	running "$a"
	b=$(LIMIT=10 job -n3 --exclusive)
	ok "--exclusive behind a packed job has a start to come" \
		wait_for 10 explains "$b" "starts in 0:|running jobs end, in 0:"
	sleep 3
	unlike "and none that has come" "$(explain "$b")" "has come"
	ok "nor has squeue" to_come "$b"
	ok "it is told to go without" explains "$b" "sooner.* now without --exclusive"
	clear_jobs
	set_params "$params"
	wait_for 10 in_act
}

few() {
	local a b

	a=$(profiled cg -N2 -n8)
	running "$a"
	for _ in 1 2 3 4 5 6 7 8; do
		b=$(profiled mem -N2 -n8)
	done
	ok "five partners are shown" wait_for 10 eval \
		'[ "$(explain $b | grep -c "^  beside job")" = 5 ]'
	like "and how many more" "$(explain "$b")" "and [0-9]+ more with -v"
	is "-v shows all" "$("$COSCHED" explain -v "$b" | grep -c '^  beside job')" 8
	clear_jobs
}

# What is said of a quiet machine is of the moment, not of its last event; and after a
# start without a state, where nobody holds a job, no hold is said.
moment() {
	local a b told dir

	a=$(LIMIT=10 SLEEP=600 job -N2 -n8)
	running "$a"
	b=$(job -N2 -n8)
	ok "a job has a start to come" wait_for 10 explains "$b" "starts in 0:0[0-9]"
	for _ in 1 2 3; do # one look tells both
		sleep 3
		told=$(member "$b" '(o["start_s"] - o["now_s"], o["text"][0])')
		ok "and it is told of this moment" python3 -c '
import re, sys
left, text = eval(sys.argv[1])
h, m, s = re.search(r"starts in (\d+):(\d+):(\d+) ", text).groups()
assert abs(left - int(h) * 3600 - int(m) * 60 - int(s)) <= 1, sys.argv[1]' "$told"
	done
	dir=$(scontrol show config | sed -n 's/^StateSaveLocation *= *//p')
	vc stop-ctld
	rm "$dir/cosched_state"
	vc start-ctld
	: >"$WORK/told"
	ok "without its state it knows of the job again" wait_for 20 eval \
		'explain "$b" | sed q | tee -a "$WORK/told" | grep "first in the queue"'
	like "until then it says why it starts nothing" "$(cat "$WORK/told")" \
		"job $b .* waits: slurmctld has just started, and an earlier run of it may still have to end: it may start in 0:00:0[123]$"
	unlike "and of no hold" "$(cat "$WORK/told")" "held back"
	printf '#!/bin/sh\nsleep 4\n' >"$WORK/epilog"
	chmod 755 "$WORK/epilog"
	echo "Epilog=$WORK/epilog" >>"$SLURM_CONF"
	scontrol reconfigure
	wait_for 10 in_act
	scontrol requeue "$a"
	ok "a requeued one is told what it waits for" wait_for 4 explains "$a" \
		"^job $a .* waits: held back by Slurm: its run before has not ended on all its nodes"
	sed -i /^Epilog=/d "$SLURM_CONF"
	clear_jobs
	scontrol reconfigure
	wait_for 10 in_act
}

moment
conclusion
few
partners
tasks
remarks
sizes
by_hand
drained
private
shadow
log_is_clean

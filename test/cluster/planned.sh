#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What one scheduler leaves behind for the next. Mode act begins: no node is PLANNED by
# stock's backfill any more, those of act's own planned starts are. Act ends, by a
# reconfigure or by the watchdog, and none is: waiting jobs look as under stock Slurm, whose
# backfill has not looked yet; running ones keep a limit that was raised, and the original
# comes back when they wait again.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "its comparison with stock is in the test"

cat >"$WORK/partitions" <<'CONF'
PartitionName=ten Nodes=ALL DefaultTime=10
CONF
shape=(--conf "$WORK/partitions" --set Licenses=lic:1)
plans=bf_interval=1,bf_resolution=1,batch_sched_delay=1
rests=bf_interval=600,batch_sched_delay=1 # its backfill has not looked yet
cluster --stock --name stock "${shape[@]}" --params "$rests"
cluster --name act "${shape[@]}" --params "cosched_mode=off,$SHARED,$plans"

to() { # to MODE REST-OF-PARAMETERS
	set_params "cosched_mode=$1,$SHARED,$2"
	ok "($1)" wait_for 20 in_mode "$1"
}

# --- PLANNED

planned() { # how many nodes
	scontrol show nodes | grep -c 'State=[A-Z+]*PLANNED'
}
are_planned() {
	[ "$(planned)" -eq "$1" ]
}
# not_planned TEXT: within a moment, and it stays so
not_planned() {
	ok "$1: no node is PLANNED" wait_for 5 are_planned 0
	sleep 2.2
	is "$1: nor becomes so" "$(planned)" 0
}
use act
first=$(LIMIT=20 SLEEP=600 job -w n1 -n4)
running "$first"
head=$(job -N4 --exclusive)
ok "stock plans a job on three idle nodes" wait_for 10 are_planned 3
marked=$(sinfo -h -N -o '%N %T')
as_stock() {
	[ "$(sinfo -h -N -o '%N %T')" = "$marked" ]
}
to act "$plans"
ok "act marks the same nodes" wait_for 10 as_stock
like "squeue --start has them" "$(squeue -h --start -j "$head" -o '%S %Y')" '^20[-0-9T:]+ n\[1-4\]$'
scontrol reconfigure
sleep 1
ok "... and behind a reconfigure" wait_for 15 as_stock
to act "$plans,bf_window=10"
not_planned "a start beyond bf_window"
to act "$plans"
ok "one within it: three again" wait_for 10 as_stock
scancel "$head"
not_planned "the job is gone"
head=$(job -N4 --exclusive)
ok "the next one: three again" wait_for 10 as_stock
to off "$rests"
not_planned "act ends by a reconfigure"
to act "$rests"
ok "act again: three" wait_for 10 as_stock
to off "$plans"
ok "stock plans it again" wait_for 20 are_planned 3
if [[ $(slurmctld -V) == *\ 22.05* ]]; then # else a reconfigure clears them
	# it rests then, and would clear them in its next cycle
	set_params "cosched_mode=off,$SHARED,$rests"
	sleep 1.2
	scancel "$head"
	is "(stock leaves them planned)" "$(planned)" 3
	to act "$rests"
	not_planned "act by a reconfigure"
	head=$(job -N4 --exclusive)
	to off "$plans"
	ok "stock plans the next one" wait_for 20 are_planned 3
fi
sleep 6 # until Slurm has saved its nodes
vc kill-ctld
sed -i "s|^SchedulerParameters=.*|SchedulerParameters=cosched_mode=act,$SHARED,$rests,bf_window=10|" "$SLURM_CONF"
vc start-ctld
vc wait-up >/dev/null
ok "(act)" wait_for 20 in_act
not_planned "act by a restart"
clear_jobs
to act "$rests"

# --- waiting jobs

# queue: one job with a licence, and four that wait; by name
queue() {
	local id

	id=$(LIMIT=20 SLEEP=600 job -J runs -w n1 -n4 -L lic:1)
	running "$id"
	job -J wide -w n1 -n6 >/dev/null # Slurm's own test places it
	job -J lacks -n1 -L lic:1 >/dev/null
	job -J held -H -n1 >/dev/null
	job -J whole -N4 --exclusive >/dev/null
}
# What they show; Slurm shows a begin in the past for a start that nobody knows.
shown() {
	local id

	squeue -h -t PD -o '%j %A' | sort | while read -r _ id; do
		scontrol show job "$id" | tr ' ' '\n' |
			grep -E '^(JobName|StartTime|SchedNodeList|SystemComment)='
	done
}
predicted() { # jobs that have a start
	shown | grep -c '^StartTime=2'
}
all_predicted() {
	[ "$(predicted)" -ge 2 ] && shown | grep '^SchedNodeList=' >/dev/null
}
none_predicted() {
	[ "$(shown)" = "$stock" ] && ! squeue -h -t PD -o %r | grep -q cosched
}
# taken_back TEXT
taken_back() {
	if wait_for 5 none_predicted; then
		good "$1: waiting jobs show what they do under stock"
	else
		bad "$1: waiting jobs show what they do under stock" "$(diff <(echo "$stock") \
			<(shown; squeue -h -t PD -o %r | grep cosched))"
	fi
}
use stock
queue
sleep 2
stock=$(shown)
clear_jobs
unlike "(stock has planned nothing)" "$stock" 'StartTime=2|SchedNodeList|SystemComment'
use act
queue
ok "act predicts their starts, and nodes" wait_for 10 all_predicted
to off "$rests"
taken_back "mode off"
to act "$rests"
ok "act predicts them again" wait_for 10 all_predicted
sed -i "s|^SchedulerParameters=.*|SchedulerParameters=cosched_mode=off,$SHARED,$rests|" "$SLURM_CONF"
sleep 6 # until Slurm has saved the jobs as they are
vc kill-ctld
vc start-ctld && vc wait-up >/dev/null
ok "(mode off)" wait_for 20 in_mode off
taken_back "killed in act, started in mode off"
clear_jobs

# --- running jobs

limits() { # of JOB...
	local j

	for j; do field "$j" TimeLimit; done | xargs
}
comment() {
	field "$1" SystemComment
}
sharing() { # sharing PROFILE [OPTION]...
	local p=$1
	shift

	sbatch --parsable -o /dev/null --comment="cosched:profile=$p" -N2 -n4 "$@" --wrap "sleep 600"
}
# pair [OPTION]...: $a and $b share nodes, with limits raised from ten minutes
pair() {
	local block

	[ $# -gt 0 ] || set -- -t 10

	block=$(LIMIT=2 job -N4 --exclusive)
	running "$block"
	a=$(sharing cg "$@") b=$(sharing net "$@")
	keeps_waiting "$a" "$b"
	scancel "$block"
	running "$a" "$b"
	ok "a pair shares nodes" wait_for 5 beside "$a" "$b"
	raised=$(limits "$a" "$b")
	is "(with raised limits: $raised)" "$(xargs -n1 <<<"$raised" | grep -c 00:10:00)" 0
}
# keep TEXT: limits of running jobs
keep() {
	sleep 1.2
	is "$1: running jobs keep their limits" "$(limits "$a" "$b")" "$raised"
	is "$1: they run on" "$(state "$a") $(state "$b")" "RUNNING RUNNING"
}
limit_is() {
	[ "$(limits "$1")" = "$2" ]
}
has_no_comment() {
	[ -z "$(comment "$1")" ]
}
# requeue TEXT JOB LIMIT
requeue() {
	like "($1: its comment names its neighbour)" "$(comment "$2")" '^cosched:'
	scontrol requeue "$2"
	ok "$1: it waits again" wait_for 10 waits "$2"
	if wait_for 4 limit_is "$2" "$3"; then
		good "$1: with the limit $3"
	else
		bad "$1: with the limit $3" "$(limits "$2")"
	fi
	ok "$1: without our comment" wait_for 4 has_no_comment "$2"
}
to act "$rests"
pair
to off "$rests"
keep "mode off"
requeue "requeued in mode off" "$a" 00:10:00
scontrol update jobid="$b" timelimit=30
requeue "requeued with an administrator's limit" "$b" 00:30:00
clear_jobs

to act "$rests"
pair
to off "$rests"
vc restart-ctld && vc wait-up >/dev/null
ok "(mode off)" wait_for 20 in_mode off
keep "mode off, and a restart"
requeue "requeued then" "$a" 00:10:00
clear_jobs

# The partition's limit: Slurm takes it back by itself.
use stock
id=$(sbatch --parsable -o /dev/null -p ten -n1 --wrap 'sleep 60')
running "$id"
scontrol requeue "$id"
wait_for 10 waits "$id"
limit=$(limits "$id")
clear_jobs
use act
to act "$rests"
pair -p ten
to off "$rests"
keep "mode off, the partition's limit"
requeue "requeued with the partition's limit, as under stock" "$a" "$limit"
clear_jobs

# --- the watchdog ends act

to act "$rests"
log_is_clean act
pair
for ((i = 0; i < 400; i++)); do job -J many -N4 --exclusive; done >/dev/null
some_planned() {
	[ "$(planned)" -gt 0 ]
}
many_predicted() {
	[ "$(predicted)" -gt 0 ]
}
ok "act predicts starts" wait_for 10 many_predicted
ok "... on nodes that are PLANNED" wait_for 10 some_planned
set_params "cosched_mode=act,$SHARED,$rests,cosched_budget_ms=1,cosched_return_s=3600"
ok "the watchdog ends act" wait_for 20 in_mode off
raised=$(limits "$a" "$b")
is "(limits are raised: $raised)" "$(xargs -n1 <<<"$raised" | grep -c 00:10:00)" 0
keep "fall-back"
is "fall-back: no start is predicted" "$(predicted)" 0
is "fall-back: no node is PLANNED" "$(planned)" 0
unlike "fall-back: waiting jobs show nothing of ours" \
	"$(squeue -h -t PD -o %r; shown | sort -u)" 'SchedNodeList|cosched'
requeue "requeued then" "$a" 00:10:00
clear_jobs
is "mode act has ended once" "$(grep -c 'cosched: watchdog: .* mode act ends' "$CTLD_LOG")" 1

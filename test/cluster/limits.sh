#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Limits, in mode act: licences, partitions, holds, associations and QOS. Each keeps
# its job waiting with Slurm's own reason, never the jobs behind it. And preemption
# by QOS.
#
# Associations need slurmdbd with a MariaDB of our own: where mariadbd is not
# installed that part is left out.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=dbd.inc
. "$(dirname "$0")/dbd.inc"

cat >"$WORK/partitions" <<'END'
PartitionName=short Nodes=ALL MaxTime=5
PartitionName=ten Nodes=ALL MaxTime=10
PartitionName=one Nodes=ALL MaxNodes=1
PartitionName=single Nodes=ALL AllowAccounts=single
END
# From 26.05 on stock counts as many nodes as tasks where a job names no number of nodes.
cluster --stock --name stock --conf "$WORK/partitions"
scontrol update partitionname=main state=down
wide=$(job -p one,main -O -n6)
running "$wide"
stock_wide=$(state "$wide")
cluster_down
cluster --set Licenses=lic:2 --conf "$WORK/partitions" \
	--set "AuthInfo=socket=$WORK/cluster/munge/socket,cred_expire=5"
: >"$RUNS"

# reason_is JOB REASON: within a few seconds
reason_is() {
	reason "$1" | grep -qE "^($2)"
}
blocked() { # TEXT JOB REASON
	if wait_for 6 reason_is "$2" "$3"; then
		good "$1"
	else
		bad "$1" "$(squeue -h -j "$2" -o '%T %r')"
	fi
}

# rests: are fewer than half as many looks taken as with one a second?  Slurm's own
# changes (nodes that register, jobs that settle) may fall into a span, not into all.
looks() {
	"$COSCHED" status -v | sed -n 's/^cycles  *//p'
}
rests() {
	local n

	for _ in 1 2 3 4; do
		n=$(looks)
		sleep 8
		[ $(($(looks) - n)) -ge 4 ] || return 0
	done
	return 1
}

# --- licences -------------------------------------------------------------------------

one=$(job -n1 -L lic:2)
running "$one"
head=$(job -N4 --exclusive -L lic:1)
two=$(traced 1 -n1 -L lic:1)
# more than stays free beside a job that waits for the whole machine, and is promised it
# when the licences come free; they end before
free=$(LIMIT=1 traced 1 -n4) free2=$(LIMIT=1 traced 1 -n4) free3=$(LIMIT=1 traced 1 -n4)
blocked "a job waits for a licence" "$head" Licenses
blocked "and one more" "$two" Licenses
ok "jobs behind it run" wait_for 10 ended "$free" "$free2" "$free3"
is "the licences are used" "$(scontrol show lic lic | grep -o 'Used=[0-9]*')" Used=2
scancel "$head" "$one"
ok "it runs when the licence is free" wait_for 10 ended "$two"
is "the licences are free again" "$(wait_for 5 eval \
	'scontrol show lic lic | grep -q Used=0'; scontrol show lic lic | grep -o 'Used=[0-9]*')" Used=0
a=$(profiled cg -n4 -L lic:1) b=$(profiled io -n4 -L lic:1) c=$(job -n1 -L lic:1)
ok "as many run as there are licences" running "$a" "$b"
blocked "one more waits" "$c" Licenses
! ours || ok "the thread rests meanwhile" rests
clear_jobs

# --- partitions and holds ---------------------------------------------------------------

# several partitions: each has limits of its own
many=$(job -p one,main -n16) few=$(job -p main,one -n2)
ok "a job of two partitions runs in the one that can hold it" running "$many"
is "on all nodes that it needs" "$(field "$many" NumNodes)" 4
scancel "$many"
ok "a small one runs" running "$few"
over=$(job -O -N1 -n6)
ok "a job with more tasks than cpus (--overcommit) runs" running "$over"
scontrol update partitionname=main state=down
wide=$(job -p one,main -O -n6)
if [ "$stock_wide" != RUNNING ]; then
	ok "as under stock one without -N waits where only a partition of one node is up" \
		keeps_waiting "$wide"
	scancel "$wide"
	wide=$(job -p one,main -N1 -O -n6)
fi
ok "also where only a partition of one node is up" running "$wide"
is "in that one" "$(field "$wide" Partition) $(field "$wide" NumNodes)" "one 1"
scontrol update partitionname=main state=up
scancel "$over" "$wide"
long=$(sbatch --parsable -o /dev/null -p short,main -n1 --wrap 'sleep 60')
ok "a job without a limit of its own runs in the first of them" running "$long"
is "with that one's limit" "$(field "$long" TimeLimit)" 00:05:00
clear_jobs
over=$(job -p short -n1) wide=$(job -p one -N2)
blocked "a job over its partition's time limit waits" "$over" PartitionTimeLimit
blocked "a job over its partition's node limit waits" "$wide" PartitionNodeLimit
ok "the job behind it in that partition runs" running "$(job -p short -t 5 -n1)"
ok "and in the other" running "$(job -p one -n1)"
scontrol update partitionname=short maxtime=20
ok "it runs when the limit is raised" running "$over"
scontrol update partitionname=short maxtime=5
scontrol update partitionname=one state=down
shut=$(job -p one -n1)
blocked "a job in a partition that is down waits" "$shut" PartitionDown
scontrol update partitionname=one state=inactive
blocked "or inactive" "$shut" 'PartitionInactive|PartitionDown'
scontrol update partitionname=one state=up
ok "it runs when the partition is up" running "$shut"
clear_jobs
# Stock 22.05 gives TimeMin alone.
! ours || {
	a=$(LIMIT=30 job -p ten -n1 --time-min=2) b=$(LIMIT=UNLIMITED job -n1 --time-min=2)
	c=$(LIMIT=UNLIMITED job -p ten -n1 --time-min=2)
	ok "jobs with a least time run" running "$a" "$b" "$c"
	is "with as much as their partitions allow" "$(field "$a" TimeLimit) $(field "$b" TimeLimit) $(field "$c" TimeLimit)" "00:10:00 365-00:00:00 00:10:00"
	clear_jobs
}
# A raised limit would be over the partition's.
a=$(profiled cg -p ten -N2 -n4) b=$(profiled net -p ten -N2 -n4)
ok "jobs with all the time that their partition lets them have run" running "$a" "$b"
is "no limit is raised over the partition's" \
	"$(field "$a" TimeLimit) $(field "$b" TimeLimit)" "00:10:00 00:10:00"
! ours || nok "so they do not share" beside "$a" "$b"
clear_jobs

all=$(job -N4 --exclusive)
running "$all"
admin=$(job -N4 --exclusive) user=$(job -n1)
scontrol hold "$admin"
scontrol uhold "$user"
blocked "hold by an administrator" "$admin" JobHeldAdmin
blocked "hold by the user" "$user" JobHeldUser
third=$(traced 1 -n1)
scancel "$all"
ok "jobs behind held ones run" wait_for 10 ended "$third"
ok "held jobs wait" waits "$admin" "$user"
scontrol release "$admin"
ok "the first runs when released" running "$admin"
clear_jobs

# --- associations and QOS ------------------------------------------------------------------

accounts() {
	local a

	wait_for 10 sacctmgr -n show tres || return 1
	{
		cat <<-'END'
			add cluster vcluster
			add qos narrow set GrpTRES=node=1
			add qos byuser set MaxTRESPerUser=node=1
			add qos byaccount set MaxTRESPerAccount=node=1
			add qos ten set MaxWall=10
			add qos urgent set Preempt=ten
			add qos forty set MaxTRESMinsPerJob=cpu=40
			add qos bill set MaxTRESMinsPerJob=billing=1000
			add qos running set GrpTRESRunMins=cpu=1000
			add qos wall set GrpWall=1000
			add account small cluster=vcluster set GrpTRES=cpu=4
			add account single cluster=vcluster
			add account onenode cluster=vcluster set GrpTRES=node=1
			add account free cluster=vcluster
			add account budget cluster=vcluster set GrpTRESMins=cpu=10000
		END
		for a in small single onenode free budget; do
			echo "add user root account=$a cluster=vcluster"
			echo "modify user root where account=$a set defaultqos=normal" \
				"qos=normal,narrow,byuser,byaccount,ten,urgent,forty,bill,running,wall"
		done
		echo "modify user root where account=single set MaxJobs=1"
		echo "modify user root set defaultaccount=free"
	} | sacctmgr -i
}
associations() {
	local first second head other x

	first=$(job -A small -n4)
	ok "a job within its account's limit runs" running "$first"
	second=$(job -A small -n2)
	head=$(job -A small -N1 -n4)
	blocked "a job over GrpTRES=cpu waits" "$second" AssocGrpCpuLimit
	other=$(job -A free -N3 --exclusive)
	ok "a blocked head does not idle the machine" running "$other"
	scancel "$other"
	x=$(job -A single -n1)
	second=$(job -A single -n1)
	ok "a job within MaxJobs runs" running "$x"
	blocked "one more waits" "$second" AssocMaxJobsLimit
	ok "jobs behind it run" running "$(job -A free -n1)"
	other=$(job -p single -A free -n1)
	if [ -z "$other" ]; then
		good "AllowAccounts: another account is refused"
	else
		blocked "AllowAccounts: another account waits" "$other" '.*[Aa]ccount|PartitionConfig'
	fi
	scancel "$x"
	ok "it runs behind the first" running "$second"
	scancel "$second"
	ok "AllowAccounts: this account runs" running "$(job -p single -A single -n1)"
	scancel "$first"
	wait_for 10 gone "$first"
	ok "the account's next job runs" running "$(squeue -h -A small -o %i | sort | head -n 1)"
	ok "and no more than fits" waits "$head"
	clear_jobs
}
# together OPTION...: $a and $b, which would share, found by one look, and running
together() {
	local block

	block=$(LIMIT=1 job -A free -N4 --exclusive)
	running "$block"
	a=$(profiled cg "$@") b=$(profiled net "$@")
	keeps_waiting "$a" "$b"
	scancel "$block"
	running "$a" "$b"
}
# own_node OPTION...: the jobs together may have one node: a second one joins the first
own_node() {
	local a b

	a=$(job "$@" -n1 -w n3)
	ok "$*: a job runs on a node" running "$a"
	sleep 2
	b=$(job "$@" -n1)
	ok "$*: one that fits beside it runs at once" wait_for 10 is_state "$b" RUNNING
	is "$*: there" "$(nodes_of "$b")" n3
	clear_jobs
}
qos() {
	local a b c

	own_node -q narrow
	own_node -A onenode
	own_node -q byuser
	own_node -q byaccount
	a=$(job -q narrow -n1)
	ok "a job within its QOS's limit runs" running "$a"
	b=$(job -q narrow -N4 --exclusive)
	c=$(job -N3 --exclusive)
	blocked "a job over GrpTRES=node waits" "$b" 'QOSGrpNodeLimit|QOSMax'
	ok "jobs of other QOS run" running "$c"
	clear_jobs
	a=$(profiled cg -q ten -N2 -n4) b=$(profiled net -q ten -N2 -n4)
	ok "jobs with all the time of their QOS run" running "$a" "$b"
	is "no limit is raised over the QOS's" \
		"$(field "$a" TimeLimit) $(field "$b" TimeLimit)" "00:10:00 00:10:00"
	clear_jobs
	ours || return 0
	together -N2 -n4
	ok "with accounting jobs share" beside "$a" "$b"
	ok "accounting knows the raised limit" wait_for 10 raised_in_sacct "$a" "$b"
	clear_jobs
}
# no_raise TEXT OPTION...: two jobs that would share with higher limits
no_raise() {
	local text=$1 a b
	shift

	a=$(profiled cg "$@" -N2 -n4) b=$(profiled net "$@" -N2 -n4)
	ok "$text: two jobs run" running "$a" "$b"
	is "$text: no limit is raised" \
		"$(field "$a" TimeLimit) $(field "$b" TimeLimit)" "00:10:00 00:10:00"
	nok "$text: they do not share" beside "$a" "$b"
	clear_jobs
}
raised() { # raised JOB...: one with a limit of five minutes has more now
	local j

	for j; do
		[ "$(field "$j" TimeLimit)" != 00:05:00 ] && return
	done
	return 1
}
# Slurm ends a job that has used its minutes, and lets jobs in by what is left of those
# of all.
minutes() {
	local a b

	ours || return 0
	no_raise "MaxTRESMins of a QOS" -q forty
	no_raise "MaxTRESMins of what nobody knows before" -q bill
	no_raise "GrpTRESRunMins of a QOS" -q running
	no_raise "GrpWall of a QOS" -q wall
	no_raise "GrpTRESMins of an account" -A budget
	LIMIT=5 together -q forty -N2 -n4
	ok "jobs with minutes left share" beside "$a" "$b"
	ok "with raised limits" wait_for 5 raised "$a" "$b"
	clear_jobs
}
# The engine knows no account's limit: it proposes a group of three, and the start of
# one matched job makes slurmctld refuse the other.
refused_member() {
	local block wide one two in out

	ours || return 0
	set_params "cosched_mode=act,${SHARED/cst/glts}"
	block=$(LIMIT=1 job -A free -N4 --exclusive)
	running "$block"
	wide=$(profiled cg -A free -N4 -n8)
	one=$(profiled io -A small -N2 -n4) two=$(profiled io -A small -N2 -n4)
	keeps_waiting "$wide" "$one" "$two"
	scancel "$block"
	ok "the primary job of a group with a refused member runs" running "$wide"
	in=$one out=$two
	wait_for 10 is_state "$one" RUNNING || in=$two out=$one
	ok "so does the member that was not refused" running "$in"
	ok "the refused one waits" waits "$out"
	like "the event log has the refusal" "$(grep '"ev":"refuse"' "$LOG" | tail -n 1)" \
		"\"job\":$out,.*a limit of its association"
	is "the two are a group" \
		"$("$COSCHED" groups | awk 'NR > 1 { print $3, $2 }' | sort | paste -sd' ')" \
		"$wide primary $in matched"
	is "no CPU is held twice" "$(holdings | held_twice)" ""
	scancel "$in"
	ok "it runs when the limit lets it" wait_for 30 is_state "$out" RUNNING
	is "still no CPU is held twice" "$(holdings | held_twice)" ""
	clear_jobs
	same "with a refused member"
}
# One of a pair is preempted, the other runs on, and the pair comes back.
qos_preempts() {
	local a b full urgent

	printf 'PreemptType=preempt/qos\nPreemptMode=REQUEUE\n' >>"$SLURM_CONF"
	vc restart-ctld || bad "slurmctld starts with preempt/qos"
	vc wait-idle
	! ours || wait_for 10 in_act || bad "mode act is on with preempt/qos"
	full=$(job -N2 -n8 --exclusive)
	running "$full"
	a=$(LIMIT=5 profiled cg -q ten -N2 -n4) b=$(profiled io -N2 -n4)
	ok "a job of a QOS that may be preempted runs, and another" running "$a" "$b"
	! ours || ok "they share" beside "$a" "$b"
	urgent=$(job -q urgent -N2 -n4)
	ok "a job of the QOS that preempts it runs" running "$urgent"
	ok "the one is requeued" wait_for 10 waits "$a"
	is "the others run on" "$(state "$b") $(state "$full")" "RUNNING RUNNING"
	is "no CPU is held twice behind it" "$(holdings | held_twice)" ""
	scancel "$urgent" "$full"
	ok "the one that was preempted runs again" wait_for 60 is_state "$a" RUNNING
	clear_jobs
}
raised_in_sacct() {
	local j
	for j; do
		[ "$(sacct -n -X -P -j "$j" -o timelimit)" = "$(field "$j" TimeLimit)" ] ||
			return 1
	done
	[ "$(field "$2" TimeLimit)" != 00:10:00 ]
}

if ! have_dbd; then
	omit "association and QOS limits" "mariadbd or slurmdbd is not installed here"
else
	port=$(free_ports 2)
	if start_mariadb "$port" && start_slurmdbd $((port + 1)) "$port"; then
		if use_slurmdbd $((port + 1)) timeout 60 bash -c "$(declare -f accounts wait_for); accounts"; then
			! ours || wait_for 10 in_act || bad "mode act is on with slurmdbd"
			associations
			qos
			minutes
			refused_member
			qos_preempts
		else
			bad "slurmctld starts with slurmdbd" "$(cat "$WORK/restart.err")"
		fi
	else
		bad "slurmdbd starts" "$(tail -n 5 "$WORK"/db/*log "$WORK"/dbd.*/*)"
	fi
fi
log_is_clean

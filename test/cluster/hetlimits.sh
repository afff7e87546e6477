#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Heterogeneous jobs whose components are over a limit only together: of an association
# or a QOS, or of licences. None of them starts, as under stock Slurm in the same run; no
# limit and no count is changed; all start once the limit lets them.
#
# Needs slurmdbd and MariaDB; without them there are no such limits.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=dbd.inc
. "$(dirname "$0")/dbd.inc"

need_mariadb 3
site=bf_interval=1,batch_sched_delay=1

accounts() {
	local a

	wait_for 10 sacctmgr -n show tres || return 1
	{
		cat <<-'END'
			add cluster vcluster
			add qos user set MaxTRESPerUser=cpu=10
			add qos running set GrpTRESRunMins=cpu=100
			add qos part set GrpTRES=cpu=10
			add account free cluster=vcluster
			add account cpus cluster=vcluster set GrpTRES=cpu=10
			add account some cluster=vcluster set GrpTRES=cpu=14
			add account nodes cluster=vcluster set GrpTRES=node=1
			add account jobs cluster=vcluster set GrpJobs=1
			add account single cluster=vcluster
			add account budget cluster=vcluster set GrpTRESRunMins=cpu=100
		END
		for a in free cpus some nodes jobs single budget; do
			echo "add user root account=$a cluster=vcluster"
			echo "modify user root where account=$a set defaultqos=normal" \
				"qos=normal,user,running,part"
		done
		echo "modify user root where account=single set MaxJobs=1"
		echo "modify user root set defaultaccount=free"
	} | sacctmgr -i
}

cat >"$WORK/partitions" <<'CONF'
PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE
CONF
shape=(--nodes 6 --node 'n[1-3] Feature=a' --node 'n4 Feature=b' --conf "$WORK/partitions"
	--set Licenses=lic:3)
cluster --stock --name stock "${shape[@]}" --params "$site"
with_accounting $((port + 1)) "$port"
cluster --name act "${shape[@]}" --params "$site,cosched_mode=act,cosched_log=$LOG"
with_accounting $((port + 2)) "$port"

# From 24.11 only a leader has licences.
licences=
! job -H -n1 : -L lic:1 -n1 >/dev/null 2>&1 || licences=1
clear_jobs

run_of() { # how many components of a job run
	squeue -h -t R -j "$1" -o %i 2>/dev/null | wc -l
}
all_run() { # JOB COMPONENTS
	[ "$(run_of "$1")" = "$2" ]
}
components() { # the ids of job $1's
	squeue -h -j "$1" -o %A
}
# What slurmctld's log has of starts of job $1's components, and of their end.
started() {
	local id

	for id in $(components "$1"); do
		grep -E "(JobId=$1\+[0-9]+\($id\)|JobId=$id\>)" "$CTLD_LOG"
	done | grep -E '[Ss]tarted|[Aa]llocate|taken back|Requeuing|due to hetjob'
}
# What is in use of limits and licences. Jobs begin to accrue age meanwhile: left out.
in_use() {
	scontrol show assoc_mgr flags=assoc,qos | tr ' ' '\n' | tr ',' '\n' |
		grep -v Accrue | grep -E '^[A-Za-z/=]+=[0-9N]+\(' |
		sed 's/=[0-9N]*(/ /; s/)//' | awk '$2 > 0' | sort | uniq -c
	scontrol show lic
}
limits() { # what components have for limits, minima and the earliest begin
	scontrol -o show job "$1" | sort |
		grep -oE '\<(JobId|TimeLimit|TimeMin|Restarts|EligibleTime)=[^ ]*'
}

# together STOCK OPTIONS...: no component starts; STOCK is "same" where stock Slurm does
# the same. Each cluster gets 4 s, in which both of them look at the job several times.
together() {
	local stock=$1 of reasons clusters="stock act"
	local -A id=() limits=() used=()
	shift

	[ "$stock" = same ] || clusters=act
	for of in $clusters; do
		use "$of"
		id[$of]=$(LIMIT=10 job --time-min=8 "$@")
		limits[$of]=$(limits "${id[$of]}") used[$of]=$(in_use)
	done
	[ -n "${id[act]}" ] || { # from 26.05 on Slurm refuses some of them at once
		is "$*: refused at submit, as under stock" "${id[stock]:-}" ""
		return
	}
	sleep 4
	for of in $clusters; do
		use "$of"
		reasons=$(squeue -h -j "${id[$of]}" -o %r | sort | paste -sd';')
		is "$of: $*: no component runs ($reasons)" \
			"$(squeue -h -j "${id[$of]}" -o %T | sort | uniq -c | xargs)" "2 PENDING"
		is "$of: $*: none was started" "$(started "${id[$of]}")" ""
		is "$of: $*: its limits are as they were" "$(limits "${id[$of]}")" "${limits[$of]}"
		is "$of: $*: so is what is counted" "$(in_use)" "${used[$of]}"
		scancel "${id[$of]}"
	done
}
together same -A cpus -n6 : -A cpus -n6
together same -q user -n6 : -q user -n6
together same -A jobs -n1 : -A jobs -n1
together same -A single -n1 : -A single -n1
together same -A budget -n6 : -A budget -n7 # the TimeMin counts
together same -q running -n6 : -q running -n7
# stock counts none of these before a start
together differs -A nodes -N1 : -A nodes -N1
[ -z "$licences" ] || together differs -L lic:2 -n1 : -L lic:2 -n1
together differs -A cpus -p whole -n1 : -A cpus -p whole -N2 -n2

# What fits together starts, and as soon as it fits.
for of in stock act; do
	use "$of"
	for fits in "-A cpus -n5 : -A cpus -n5" "-A budget -n6 : -A budget -n6" \
		"-L lic:2 -n1 : -L lic:1 -n1" "-A cpus -p whole -n1 : -A cpus -n6"; do
		[ -n "$licences" ] || [ "${fits#-L}" = "$fits" ] || continue
		# stock 22.05 has a TimeMin counted as the whole limit
		[ "$of $fits" != "stock -A budget -n6 : -A budget -n6" ] || continue
		# shellcheck disable=SC2086 # words
		het=$(LIMIT=10 job --time-min=8 $fits)
		ok "$of: $fits: within the limit, all run" wait_for 10 all_run "$het" 2
		clear_jobs
	done
	first=$(SLEEP=5 LIMIT=1 job -A some -n4)
	running "$first"
	het=$(job -A some -n6 : -A some -n6)
	ok "$of: beside a job of its account it waits" keeps_waiting "$het"
	ok "$of: and starts when that has ended" wait_for 15 all_run "$het" 2
	is "$of: no component was started before" "$(started "$het" | grep -cE 'taken back|Requeuing|due to')" 0
	clear_jobs
done
# One component still fails after the other has started: there is one node with b, which
# Slurm's will-run test does not count.
taken_back() {
	grep -q "JobId=$het+0($het) is taken back: another component" "$CTLD_LOG"
}
settled() {
	squeue -h -j "$het" -o %r | grep -q BeginTime && waits "$het"
}
het=$(LIMIT=10 job --time-min=8 -A cpus -N1 -C '[b*1]' : -A cpus -N2 -C '[a*1&b*1]')
before=$(in_use)
ok "a component that starts in vain is taken back" wait_for 10 taken_back
ok "it waits again" wait_for 10 settled
is "all components have the limits that they asked for" \
	"$(limits "$het" | grep -E 'TimeLimit|TimeMin' | sort | uniq -c | xargs)" \
	"2 TimeLimit=00:10:00 2 TimeMin=00:08:00"
is "and nothing more is in use" "$(in_use)" "$before"
clear_jobs
log_is_clean act
same "the decisions are made again"

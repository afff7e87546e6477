#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Limits of associations and QOS, with slurmdbd, for three users: a head that waits
# for a limit does not idle the machine, and nobody gets more than his limit.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

echo AccountingStorageEnforce=associations,limits,qos >"$WORK/conf"
cluster --conf "$WORK/conf"

# set_up WHAT...: sacctmgr, which must have something to do
set_up() {
	sacctmgr -i "$@" >"$WORK/sacctmgr" 2>&1 || bad "sacctmgr $*" "$(cat "$WORK/sacctmgr")"
}
set_up add qos narrow set GrpTRES=node=1
set_up add qos single set MaxJobsPerUser=1
set_up add account onejob Cluster=cosched set GrpJobs=1
set_up add account fourcpu Cluster=cosched set GrpTRES=cpu=4
for account in onejob fourcpu; do
	set_up add user alice Account=$account Cluster=cosched
	set_up add user bob Account=$account Cluster=cosched
done
set_up modify user alice,bob where Cluster=cosched set qos=normal,narrow,single
# slurmctld hears of it, of one after the other
may_use() { # may_use USER ACCOUNT QOS
	AS=$1 sbatch --test-only -A "$2" -q "$3" -n1 -t 1 --wrap true
}
for user in alice bob; do
	for account in onejob fourcpu test; do
		for qos in normal narrow single; do
			wait_for 20 may_use $user $account $qos ||
				bad "$user may use $account and $qos" "$(may_use $user $account $qos 2>&1)"
		done
	done
done

# blocked TEXT JOB REASON: it waits, for that
blocked() {
	wait_for 10 reason_is "$2" "$3"
	like "$1" "$(state "$2") $(reason "$2")" "^PENDING ($3)\$"
}
reason_is() {
	grep -qxE -- "$2" <<<"$(reason "$1")"
}

# around TEXT REASON -- OPTION...: two jobs of alice's with OPTION; the second waits
# for REASON; bob's whole machine of other jobs runs meanwhile, and it runs at last.
around() {
	local text=$1 why=$2 first head other
	shift 3

	first=$(AS=alice profiled memory "$@" -N1 -n4)
	ok "$text: a job within the limit runs" running "$first"
	head=$(AS=alice profiled memory "$@" -N1 -n4)
	blocked "$text: one over it waits" "$head" "$why"
	other=$(AS=bob profiled memory -A test -N3 -n12)
	ok "$text: the blocked head does not idle the machine" running "$other"
	ok "$text: it still waits" keeps_waiting "$head"
	scancel "$first"
	ok "$text: it runs behind the first" running "$head"
	is "$text: no core is held twice" "$(holdings | held_twice)" ""
	clear_jobs
}

around "GrpJobs of an account" AssocGrpJobsLimit -- -A onejob
around "GrpTRES=cpu of an account" 'AssocGrpCpuLimit' -- -A fourcpu
around "GrpTRES=node of a QOS" 'QOSGrpNodeLimit' -- -A test -q narrow
around "MaxJobsPerUser of a QOS" 'QOSMaxJobsPerUserLimit' -- -A test -q single

# One user's limit is not another's.
first=$(AS=alice profiled memory -A test -q single -N1 -n4)
second=$(AS=bob profiled memory -A test -q single -N1 -n4)
ok "MaxJobsPerUser holds for each user by himself" running "$first" "$second"
clear_jobs

# A limit that is raised, with no job ending.
first=$(AS=alice profiled memory -A onejob -N1 -n4)
head=$(AS=alice profiled memory -A onejob -N1 -n4)
ok "a job runs" running "$first"
blocked "the next waits" "$head" AssocGrpJobsLimit
set_up modify account onejob where Cluster=cosched set GrpJobs=2
# nothing tells slurmctld's schedulers of it; ours looks again within half a minute
ok "it runs when the limit is raised" wait_for 45 is_state "$head" RUNNING
clear_jobs

# Sharing counts as any other use: 4 CPUs each, on the same two nodes.
first=$(AS=alice profiled compute -A fourcpu -N2 -n4)
second=$(AS=bob profiled io -A test -N2 -n4)
ok "complementary jobs of two users run" running "$first" "$second"
if ours; then
	ok "on the same nodes" beside "$first" "$second"
	is "on disjoint cores" "$(holdings | held_twice)" ""
	# raised_in_sacct: accounting has the limits that slurmctld has, and those are raised
	raised_in_sacct() {
		[ "$(sacct -a -n -X -P -j "$1" -o timelimit)" = "$(field "$1" TimeLimit)" ] &&
			[ "$(field "$1" TimeLimit)" != 00:10:00 ]
	}
	ok "accounting knows the raised limit" wait_for 15 raised_in_sacct "$second"
fi
head=$(AS=alice profiled compute -A fourcpu -n2)
blocked "a job over GrpTRES=cpu waits, though nodes are free" "$head" AssocGrpCpuLimit
clear_jobs

is "sacct shows every job" "$(accounted | grep -vcE ' (CANCELLED|COMPLETED)')" 0
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OverSubscribe=FORCE:2 and YES:2, mode act beside stock Slurm: where a core may have
# two jobs two are started there, as soon, and the third when one of them has ended. What
# would be in the way of one that waits for these cores does not come between.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$WORK/partitions" <<'END'
PartitionName=force Nodes=ALL OverSubscribe=FORCE:2 Default=YES MaxTime=60
PartitionName=yes Nodes=ALL OverSubscribe=YES:2 MaxTime=60
PartitionName=no Nodes=ALL OverSubscribe=NO MaxTime=60
END
rows=(--nodes 2 --set PartitionName= --conf "$WORK/partitions" --select-params CR_Core)
cluster --stock --name stock "${rows[@]}" --params bf_interval=2
cluster --name act --more cosched_order=slurm "${rows[@]}"

soon() { # JOB...: as soon as stock Slurm starts them, where cycles of ours may lie between
	local j

	for j; do wait_for 6 is_state "$j" RUNNING || return 1; done
}
running_tasks() { # N ARRAY
	[ "$(squeue -h -r -j "$2" -t RUNNING -o %K | wc -l)" = "$1" ]
}

forced() { # of the cluster in use, $1
	local a b c d e other

	a=$(job -w n1 -N1 -n4)
	b=$(job -w n2 -N1 -n4)
	ok "$1: FORCE:2: jobs start on free cores" soon "$a" "$b"
	c=$(job -N1 -n4)
	d=$(job -N1 -n4)
	ok "$1: FORCE:2: as many again on theirs" soon "$c" "$d"
	isnt "$1: (on another node each)" "$(nodes_of "$c")" "$(nodes_of "$d")"
	e=$(job -N1 -n4)
	ok "$1: FORCE:2: the next one waits" keeps_waiting "$e"
	other=$(job -p no -n1)
	ok "$1: FORCE:2: so does one of a partition that shares no core" keeps_waiting "$other"
	scancel "$other" "$c"
	ok "$1: FORCE:2: until the second of a core has ended" soon "$e"
	c=$(job -N1 -n4)
	ok "$1: (the next one waits)" keeps_waiting "$c"
	scancel "$a"
	ok "$1: FORCE:2: or the first" soon "$c"
	clear_jobs
}

array() {
	local a

	a=$(job -w n1 -n1 -a 0-8)
	ok "$1: FORCE:2: of an array two tasks a core run" wait_for 10 running_tasks 8 "$a"
	sleep 1
	ok "$1: FORCE:2: and no more" running_tasks 8 "$a"
	vc restart-ctld && vc wait-up >/dev/null
	! ours || wait_for 15 in_act
	ok "$1: FORCE:2: so after a restart of slurmctld" running_tasks 8 "$a"
	scancel "${a}_0" "${a}_7"
	ok "$1: FORCE:2: the last one starts when some have ended" wait_for 6 running_tasks 7 "$a"
	clear_jobs
}

asked_for() {
	local a b c d

	a=$(job -p yes -w n1 -N1 -n4)
	ok "$1: YES:2: a job starts" soon "$a"
	b=$(job -p yes -w n1 -N1 -n4)
	ok "$1: YES:2: the next one waits for its cores" keeps_waiting "$b"
	c=$(job -p yes -w n2 -N1 -n4 --oversubscribe)
	d=$(job -p yes -w n2 -N1 -n4 --oversubscribe)
	ok "$1: YES:2: two with --oversubscribe run on the same" soon "$c" "$d"
	is "$1: (the same)" "$(cores "$d")" "$(cores "$c")"
	ok "$1: YES:2: a third waits" keeps_waiting "$(job -p yes -w n2 -N1 -n4 --oversubscribe)"
	clear_jobs
}

in_the_way() {
	local a b head

	a=$(LIMIT=2 job -w n1 -N1 -n4)
	b=$(LIMIT=60 job -w n2 -N1 -n4)
	running "$a" "$b"
	head=$(job -p no -w n1 -N1 -n4)
	sleep 2.2
	ok "$1: beside what runs longer than a waiting job's turn is not on those cores" \
		keeps_waiting "$(LIMIT=30 job -w n1 -N1 -n4)"
	ok "$1: elsewhere one starts beside others" running "$(LIMIT=30 job -w n2 -N1 -n4)"
	ok "$1: (the job waits)" waits "$head"
	scancel "$a"
	ok "$1: it starts in its turn" running "$head"
	clear_jobs
}

for c in stock act; do
	use "$c"
	forced "$c"
	array "$c"
	asked_for "$c"
	in_the_way "$c"
done
same "what was decided where cores have several jobs is decided again"
log_is_clean

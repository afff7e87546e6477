#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a site gets that turns act on, waiting: the order of policy balanced, the default,
# under what stays on top of it, beside stock Slurm where that has an order of its own: a
# reservation, PriorityTier, nice values and priorities set by hand.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$WORK/partitions" <<END
PartitionName=high Nodes=ALL MaxTime=600 PriorityTier=9
END
ours="cosched_mode=act,cosched_log=$LOG"
# from 23.11 on the default is another
cluster --nodes 2 --conf "$WORK/partitions" --set PriorityType=priority/basic --params "$ours"
ok "the log names the default, and the one before it" \
	log_has 'cosched: mode act, policy balanced, as none is set \(before, that was cosched_policy=adaptive\)'

# place ID TEXT: is it "N of M in the queue", as explain says?
at_place() {
	"$COSCHED" explain "$1" >"$WORK/explain" 2>&1
	grep -q "^ *$2 in the queue" "$WORK/explain"
}
place() {
	if wait_for 10 at_place "$1" "$2"; then good "$3: $2"; else
		bad "$3: $2" "$(cat "$WORK/explain")"
	fi
}

full=$(LIMIT=600 SLEEP=900 job -N2 --exclusive)
running "$full"
wide=$(LIMIT=500 job -N2 --exclusive)
short=$(LIMIT=5 job -n1)
place "$short" "1 of 2" "a short, narrow job that came later"
place "$wide" "2 of 2" "a long, wide one"
like "explain says by how much" "$(cat "$WORK/explain")" \
	'it counts as having come [0-9:-]+ later, for its limit and its cores; the usual limit was [0-9:-]+ \(order=shifted\)'

tier=$(LIMIT=500 job -p high -N2 --exclusive)
place "$tier" "1 of 3" "a higher PriorityTier"
scontrol create reservation reservationname=r users=root starttime=now duration=1000 \
	nodes=n2 flags=ignore_jobs >/dev/null || bad "a reservation is made"
kept=$(LIMIT=500 job --reservation=r -w n2 -N1 --exclusive)
place "$kept" "1 of 4" "a job with a reservation"
place "$tier" "2 of 4" "a higher tier behind it"
place "$short" "3 of 4" "the rule behind both"
is "the event log has why" "$(grep -c '"precedence":1' "$LOG")" 1

scancel "$kept" "$tier"
nice=$(LIMIT=5 job -n1 --nice=1000)
place "$nice" "2 of 3" "with priority/basic a nice job is behind the one before it by Slurm's number"
scontrol top "$nice" 2>/dev/null || scontrol update jobid="$nice" priority=4294900000
place "$nice" "1 of 3" "a priority set by hand"
scancel "$nice"

set_params "$ours,cosched_unshifted_partitions=main"
place "$wide" "1 of 2" "in a partition that the site excepts a job that came first"

scontrol delete reservationname=r
clear_jobs
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The depth counts what may start, in each partition for itself: jobs that depend on
# another, and those of a full partition, keep no other from starting (depth.c). Stock
# Slurm runs the same beside it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$WORK/partitions" <<END
PartitionName=front Nodes=n[1-2] MaxTime=30
PartitionName=side Nodes=n4 MaxTime=30
END
cluster --nodes 4 --conf "$WORK/partitions" \
	--params "cosched_mode=act,cosched_depth=2,cosched_log=$LOG"
cluster --stock --name stock --nodes 4 --conf "$WORK/partitions" \
	--params "default_queue_depth=2,partition_job_depth=2,bf_max_job_test=2,bf_interval=1"

for c in cluster stock; do
	use "$c"
	held=$(job -H -n1)
	for _ in 1 2 3; do job -n1 --dependency="afterok:$held" >/dev/null; done
	plain=$(job -n1 -w n3)
	ok "$c: jobs that depend on another keep none from starting" running "$plain"
	full=$(job -p front -N2 --exclusive)
	ok "$c: a partition is full" running "$full"
	for _ in 1 2 3 4 5 6; do last=$(job -p front -N2 --exclusive); done
	aside=$(job -p side -n1)
	ok "$c: its jobs keep none of another from starting" running "$aside"
	is "$c: they wait" "$(state "$last")" PENDING
done

use cluster
deep() {
	"$COSCHED" explain "$last" >"$WORK/explain" 2>&1
	grep -q 'behind the first 2 of its partition that may start' "$WORK/explain"
}
if wait_for 10 deep; then good "explain says that one lies too deep"; else
	bad "explain says that one lies too deep" "$(cat "$WORK/explain")"
fi
# by the queue, as before depth_of existed, the plain job waits for ever
set_params "cosched_mode=act,cosched_depth=2,cosched_depth_of=queue,cosched_log=$LOG"
scancel "$plain"
ok "the plain job is gone" wait_for 10 gone "$plain"
plain=$(job -n1 -w n3)
ok "cosched_depth_of=queue: jobs that may not start use up the depth" keeps_waiting "$plain"
clear_jobs
log_is_clean
use stock
clear_jobs

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The mixed workload of contrib/quickstart on the cluster of containers: jobs share
# nodes on disjoint cores, only where their profiles allow, and accounting has all.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

n_jobs=28
cluster

emulate=$SOURCE/cosched-emulate
in_ctl "$emulate" workload --jobs $n_jobs --seed 1 >"$WORK/jobs" ||
	bad "the list of jobs is made"
docker exec -i "$CTL" tee "$JOBS/list" <"$WORK/jobs" >/dev/null
sample_begin
ok "the workload runs to its end" in_ctl "$SOURCE/contrib/demo/run" --dir "$JOBS/demo" \
	--jobs "$JOBS/list" --emulate "$emulate" --profiles "$PROFILES" --limit 300
sample_end
in_ctl cat "$JOBS/demo/submits" >"$WORK/submits"

once_completed "sacct shows each job COMPLETED, and once" $n_jobs
is "each ran on one allocation from its start to its end" \
	"$(accounted | grep -vc ' COMPLETED$')" 0

# Lines of $WORK/jobs: submit name profile ...; of submits: id name ...
awk '
FILENAME ~ /jobs$/ { if (!/^#/) kind[$2] = $3; next }
FILENAME ~ /submits$/ { if (!/^#/) profile[$1] = kind[$2]; next }
{
	samples[$1]
	if (($1, $3, $4) in by)
		print "sample " $1 ": " $3 ":" $4 " held by " by[$1, $3, $4] " and " $2
	by[$1, $3, $4] = $2
	if (($1, $3, $2) in there) next
	there[$1, $3, $2]
	n = split(jobs[$1, $3], other, " ")
	if (n > 1) print "sample " $1 ": more than two jobs on " $3
	for (i = 1; i <= n; i++) {
		a = profile[other[i]]; b = profile[$2]
		if (a == b && a != "compute")
			print "sample " $1 ": " other[i] " and " $2 " on " $3 " are both " a
		if (a != b) met[other[i] " " $2]
	}
	jobs[$1, $3] = jobs[$1, $3] " " $2
}
END {
	for (s in samples) seen++
	for (p in met) pairs++
	print seen + 0, pairs + 0 >"/dev/stderr"
}' "$WORK/jobs" "$WORK/submits" "$WORK/samples" >"$WORK/breaches" 2>"$WORK/seen"
read -r samples pairs <"$WORK/seen"
is "no core is held twice, no pair that does not go together shares a node" \
	"$(cat "$WORK/breaches")" ""
ok "the sampler looked often enough ($samples samples)" test "$samples" -ge 30
ok "complementary jobs shared nodes ($pairs pairs)" test "$pairs" -ge 4

# Two jobs, cores and all, in detail.
a=$(profiled compute -N2 -n4) b=$(profiled io -N2 -n4)
ok "two complementary jobs run" running "$a" "$b"
ok "on the same nodes" beside "$a" "$b"
is "on disjoint cores" "$(holdings | held_twice)" ""
isnt "which scontrol tells apart" "$(cores "$a")" "$(cores "$b")"
like "cosched explain names the partner" "$(cosched explain "$a")" "\b$b\b"
clear_jobs
log_is_clean

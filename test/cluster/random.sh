#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random jobs, and an independent look at which holds what.
#
# A sampler asks scontrol, again and again, which CPUs each running job holds. In no
# sample may two jobs hold one CPU, two jobs of an incompatible pair stand on one
# node, or more than two profiled jobs share one. What lies between samples is read
# from Slurm's own record of which ran when and where. FULL=1: 200 jobs instead of 60;
# SEED=N: another run; POLICY=P: under that policy.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

jobs=60
[ -z "${FULL:-}" ] || jobs=200
RANDOM=${SEED:=$(date +%s)}
cluster --nodes 4 ${POLICY:+--params "cosched_mode=act,${SHARED/policy=cst/policy=$POLICY}"}

sampler() {
	local n=0

	while [ ! -e "$WORK/enough" ]; do
		n=$((n + 1))
		holdings | sed "s/^/$n /"
		sleep 0.1
	done >"$WORK/samples"
}

# name of a profile; "none" is a job without
pick() {
	local all=(cg io net mem cg io net mem none)

	printf '%s\n' "${all[RANDOM % ${#all[@]}]}"
}

submit() {
	local p=$1 how

	case $((RANDOM % 6)) in
	0)	how="-N2 -n$((2 + RANDOM % 5))" ;;
	1)	how="-N1 -n$((1 + RANDOM % 4))" ;;
	2)	how="-n$((1 + RANDOM % 2)) -c2" ;;
	*)	how="-n$((1 + RANDOM % 8))" ;;
	esac
	[ "$p" = none ] || how="$how --comment=cosched:profile=$p"
	# shellcheck disable=SC2086
	SLEEP=$((RANDOM % 2)).$((RANDOM % 10)) job $how
}

sampler &
sampler_pid=$!
for ((i = 0; i < jobs; i++)); do
	p=$(pick)
	id=$(submit "$p") || bad "job $i is accepted"
	printf '%s %s\n' "$id" "$p" >>"$WORK/profiles"
	[ $((RANDOM % 4)) -ne 0 ] || sleep 0.2
done
ok "the queue drains (seed $SEED)" wait_for $((jobs * 2)) queue_empty
touch "$WORK/enough"
wait "$sampler_pid"

# What goes together is known here, not asked for: the pairs of lib.sh's profiles.
awk '
FNR == NR { profile[$1] = $2; next }
{
	sample = $1; node = $1 " " $3; cpu = node " " $4
	if (cpu in by) print "sample " $1 " " $3 ":" $4 " held by " by[cpu] " and " $2
	by[cpu] = $2
	if (!((node, $2) in there)) {
		there[node, $2] = 1
		n = split(jobs[node], other, " ")
		for (i = 1; i <= n; i++)
			meet(other[i], $2, node)
		jobs[node] = jobs[node] " " $2
		if (profile[$2] != "none" && ++count[node] > 2)
			print "sample " node ": " jobs[node] " on one node"
	}
	samples[sample] = 1
}
function meet(a, b, where,  p) {
	p = profile[a] < profile[b] ? profile[a] " " profile[b] : profile[b] " " profile[a]
	met[p]++
	if (p != "cg io" && p != "cg net" && p != "io net" && p != "none none")
		print "sample " where ": " a " and " b " are " p
}
END {
	for (s in samples) n++
	for (p in met) print "met " p ": " met[p] >"/dev/stderr"
	print n + 0 " samples" >"/dev/stderr"
}' "$WORK/profiles" "$WORK/samples" >"$WORK/breaches" 2>"$WORK/met"

# Which stood on a node with which, in Slurm's record: of two jobs whose times overlap.
jobcomp=$COSCHED_VCLUSTER/log/jobcomp.log
ran() { # lines "NODE JOB START END"
	local job start end list node

	sed -n 's/^JobId=\([0-9]*\) .* StartTime=\([^ ]*\) EndTime=\([^ ]*\) NodeList=\([^ ]*\) .*/\1 \2 \3 \4/p' \
		"$jobcomp" | while read -r job start end list; do
		for node in $(scontrol show hostnames "$list"); do
			printf '%s %s %s %s\n' "$node" "$job" "$start" "$end"
		done
	done
}
ran >"$WORK/ran"
awk '
FNR == NR { profile[$1] = $2; next }
{
	for (i = 1; i <= n[$1]; i++) {
		split(on[$1, i], o, " ")
		if (o[2] >= $4 || $3 >= o[3]) continue
		a = profile[o[1]]; b = profile[$2]
		p = a < b ? a " " b : b " " a
		if (p != "cg io" && p != "cg net" && p != "io net" && p != "none none")
			print $1 ": " o[1] " (" o[2] " to " o[3] ") and " $2 " (" $3 " to " $4 ") are " p
	}
	on[$1, ++n[$1]] = $2 " " $3 " " $4
}' "$WORK/profiles" "$WORK/ran" >"$WORK/overlaps"

is "no core is held twice, no incompatible pair shares a node" "$(cat "$WORK/breaches")" ""
like "jobs did share nodes" "$(cat "$WORK/met")" "met (cg io|cg net|io net): [0-9]{2}"
ok "the sampler looked often enough" test "$(sed -n 's/ samples$//p' "$WORK/met")" -ge $((jobs / 2))
is "nor do two of an incompatible pair overlap in Slurm's own record" "$(cat "$WORK/overlaps")" ""
is "which has the times of all" "$(cut -d' ' -f2 "$WORK/ran" | sort -u | wc -l)" "$jobs"
is "every job was seen to complete" "$(grep -c JobState=COMPLETED "$jobcomp")" "$jobs"
is "none of them twice" "$(grep -o '^JobId=[0-9]*' "$jobcomp" | sort | uniq -d)" ""
log_is_clean

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the tests on the cluster of containers share. A test is a script
# test/compose/NAME.sh that says
#
#	. "$(dirname "$0")/lib.sh"
#	cluster [option of contrib/docker/up]...
#	... ok "TEXT" CONDITION...
#
# with the words of test/cluster/lib.sh: the checks, job, profiled, running,
# cores, beside and the like. Slurm's commands, and cosched, run in the container
# ctl there, as $AS (root) in /home/jobs, the folder that all containers share.
#
# Environment: COSCHED_RELEASE (22.05.8, 24.11.5), COSCHED_UP (more options of
# contrib/docker/up, such as --no-build), COSCHED_KEEP_LOGS.

COSCHED_PREFIX=/opt/cosched
# shellcheck source-path=SCRIPTDIR source=../cluster/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../cluster/lib.sh"
export COSCHED_RELEASE=${COSCHED_RELEASE:-22.05.8}
export COSCHED_PROJECT=cosched-test-$NAME-${COSCHED_RELEASE//./}-$$
STOCK=${COSCHED_STOCK:-}
NAME="compose $COSCHED_RELEASE $NAME"

# As the containers see them.
JOBS=/home/jobs
SOURCE=/usr/src/cosched
COSCHED=cosched
PROFILES=$SOURCE/contrib/demo/profiles.json
LOG=/var/log/slurm/cosched.jsonl
CTLD_LOG=/var/log/slurm/slurmctld.log
SHARED="cosched_policy=cst,cosched_profiles=$PROFILES,cosched_log=$LOG"
IS_UP=

docker_do() {
	local what=$1
	shift
	"$TREE/contrib/docker/$what" "$@"
}

finish() {
	local rc=$?

	trap - EXIT INT TERM
	if [ -n "$IS_UP" ]; then
		if [ "$FAILED" -gt 0 ] && [ -n "${COSCHED_KEEP_LOGS:-}" ]; then
			mkdir -p "$COSCHED_KEEP_LOGS"
			docker cp "$CTL:/var/log/slurm" - 2>/dev/null \
				>"$COSCHED_KEEP_LOGS/${NAME// /-}.tar"
		fi
		docker_do down >"$WORK/down" 2>&1 || bad "the cluster ends" "$(cat "$WORK/down")"
	fi
	rm -rf "$WORK"
	[ "$rc" -eq 0 ] || [ "$rc" -eq 77 ] || bad "the script ended with status $rc"
	[ "$rc" -eq 77 ] || [ "$CHECKS" -gt 0 ] || exit 2
	[ "$FAILED" -eq 0 ] || exit 1
	exit 0
}

# cluster [option of contrib/docker/up]...: ours, in mode act; COSCHED_STOCK=1: not
cluster() {
	local opts=() more=()

	ours || opts=(--stock)
	! ours || opts=(--params "cosched_mode=act,$SHARED")
	read -r -a more <<<"${COSCHED_UP:-}"
	docker version >/dev/null 2>&1 || skip "Docker is missing here"
	IS_UP=1
	docker_do up "${opts[@]}" ${more[@]+"${more[@]}"} "$@" >"$WORK/up" 2>&1 || {
		bad "the cluster starts" "$(cat "$WORK/up")"
		exit 1
	}
	CTL=$(container ctl)
	! ours || wait_for 20 in_act || bad "mode act is on" "$(ctl_log | grep cosched | tail)"
}

# container SERVICE: its id
container() {
	docker_do compose ps -q "$1" 2>/dev/null
}

in_ctl() {
	docker exec -w "$JOBS" ${AS:+--user "$AS"} "$CTL" "$@"
}
for command in sbatch scancel squeue sinfo scontrol sacct sacctmgr cosched; do
	eval "$command() { in_ctl $command \"\$@\"; }"
done

clear_jobs() {
	in_ctl sh -c 'squeue -h -o %i | xargs -r scancel --quiet' 2>/dev/null
	wait_for 20 queue_empty || bad "cancelled jobs go" "$(squeue)"
}
ctl_log() {
	in_ctl cat "$CTLD_LOG"
}

# Checks that every test should end with.
log_is_clean() {
	! ours || ok "mode act to the end" wait_for 5 in_act
	! ours || ok "cosched check passes on the event log" cosched check "$LOG"
	unlike "slurmctld's log has no overflow, no crash, no fallback" "$(ctl_log)" \
		'job overflow|[Ss]egmentation|core dumped|cosched: (watchdog:|engine and Slurm differ|the gate had lapsed|.*mode [a-z]* (ends|is not possible))'
}

# sample_begin: lines "SAMPLE JOB NODE CPU" to $WORK/samples until sample_end
sample_begin() {
	in_ctl rm -f "$JOBS/enough"
	{
		declare -f holdings
		# shellcheck disable=SC2016 # for the shell in there
		printf 'while [ ! -e %s/enough ]; do %s; sleep 0.2; done\n' "$JOBS" \
			'n=$((${n:-0} + 1)); holdings | sed "s/^/$n /"'
	} | docker exec -i "$CTL" bash >"$WORK/samples" &
	SAMPLER=$!
}
sample_end() {
	in_ctl touch "$JOBS/enough"
	wait "$SAMPLER"
}

# accounted: a line "JOB STATE" for each record of each job, old runs too
accounted() {
	sacct -a -D -X -n -P -S now-2hours -o jobid,state | tr '|' ' '
}
# completed N: do N jobs stand there, each of them COMPLETED exactly once?
completed() {
	accounted | awk -v want="$1" '
	{ all[$1] }
	$2 == "COMPLETED" { done[$1]++ }
	END {
		for (j in all) { n++; if (done[j] != 1) { print "job " j ": COMPLETED " done[j] + 0 " times"; bad = 1 } }
		if (n != want) print n + 0 " jobs, expected " want
		exit bad || n != want
	}'
}
# once_completed TEXT N: the check of it; accounting may be some seconds behind
once_completed() {
	wait_for 15 completed "$2"
	ok "$1" completed "$2"
}

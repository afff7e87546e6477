# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the cluster tests share. A test is a script test/cluster/NAME.sh that says
#
#	. "$(dirname "$0")/lib.sh"
#	cluster [vcluster option]...	a cluster of its own; ended at exit
#	... ok "TEXT" CONDITION...	one line per check
#
# Environment: COSCHED_PREFIX (where the build under test is installed), TREE (the
# checkout; found by itself), COSCHED_BUILD (the build folder; that of COSCHED_PREFIX),
# FULL=1 (the long variants). COSCHED_STOCK=1 runs a test on Slurm without us, to see
# that what it expects is what stock Slurm does; checks behind `ours &&` are left out
# then. Output: `ok - TEXT`, `not ok - TEXT` (with what was seen, indented), `skip -
# TEXT: reason`. Exit status 1 if any check failed, 2 if none was made.

set -u -o pipefail
TREE=${TREE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
NAME=$(basename "$0" .sh)
PLUGINS=${COSCHED_PREFIX:?is not set: the folder that make install filled}/lib/cosched/slurm
COSCHED=$COSCHED_PREFIX/bin/cosched
WORK=$(mktemp -d "${TMPDIR:-/tmp}/cosched-test-$NAME.XXXXXX")
CHECKS=0 FAILED=0
declare -A CLUSTERS=()
export COSCHED_VCLUSTER=
STOCK=${COSCHED_STOCK:-}
chmod 755 "$WORK" # other users' commands read slurm.conf there

finish() {
	local rc=$? c

	trap - EXIT INT TERM
	if [ "$FAILED" -gt 0 ] && [ -n "${COSCHED_KEEP_LOGS:-}" ]; then
		mkdir -p "$COSCHED_KEEP_LOGS" && (cd "$WORK" && tar c --ignore-failed-read \
			--exclude munge .) 2>/dev/null >"$COSCHED_KEEP_LOGS/$NAME.tar"
	fi
	! declare -F at_end >/dev/null || at_end # a test's own daemons
	for c in "${!CLUSTERS[@]}"; do
		use "$c"
		cluster_down
	done
	rm -rf "$WORK"
	[ "$rc" -eq 0 ] || [ "$rc" -eq 77 ] || bad "$NAME ended with status $rc"
	[ "$rc" -eq 77 ] || [ "$CHECKS" -gt 0 ] || exit 2
	[ "$FAILED" -eq 0 ] || exit 1
	exit 0
}
trap finish EXIT
trap 'exit 130' INT TERM

good() {
	CHECKS=$((CHECKS + 1))
	printf 'ok - %s: %s\n' "$NAME" "$1"
}

# bad TEXT [WHAT WAS SEEN]
bad() {
	CHECKS=$((CHECKS + 1)) FAILED=$((FAILED + 1))
	printf 'not ok - %s: %s\n' "$NAME" "$1"
	[ -z "${2:-}" ] || printf '%s\n' "$2" | tail -n 30 | sed 's/^/    /'
}

skip() {
	printf 'skip - %s: %s\n' "$NAME" "$1"
	exit 77
}

# omit TEXT REASON: one check is left out, the test goes on
omit() {
	printf 'skip - %s: %s: %s\n' "$NAME" "$1" "$2"
}

# Does the cluster run with us? (COSCHED_STOCK, or cluster --stock)
ours() {
	[ -z "$STOCK" ]
}

# is TEXT GOT WANT
is() {
	if [ "$2" = "$3" ]; then good "$1"; else bad "$1" "got '$2', expected '$3'"; fi
}

# isnt TEXT GOT UNWANTED
isnt() {
	if [ "$2" != "$3" ]; then good "$1"; else bad "$1" "got '$2'"; fi
}

# like TEXT GOT REGEX; unlike TEXT GOT REGEX
like() {
	if grep -qE -- "$3" <<<"$2"; then good "$1"; else bad "$1" "no /$3/ in: $2"; fi
}
unlike() {
	if grep -qE -- "$3" <<<"$2"; then
		bad "$1" "/$3/ in: $(grep -E -- "$3" <<<"$2")"
	else
		good "$1"
	fi
}

# ok TEXT COMMAND...: the command succeeds; nok: it fails
ok() {
	local text=$1 out
	shift
	if out=$("$@" 2>&1); then good "$text"; else bad "$text" "$out"; fi
}
nok() {
	local text=$1 out
	shift
	if out=$("$@" 2>&1); then bad "$text" "$out"; else good "$text"; fi
}

# --- the cluster

PROFILES=$WORK/profiles.json
LOG=$WORK/events.log
SHARED="cosched_policy=cst,cosched_profiles=$PROFILES,cosched_log=$LOG"

# Four kinds: cg and io go together, net goes with io, mem with nobody.
cat >"$PROFILES" <<'JSON'
{"version":1,
 "profiles":{"cg":{"self":{"1":1.0,"2":1.05,"4":1.6}},
             "io":{"self":{"1":1.0,"2":1.02,"4":1.5}},
             "net":{"self":{"1":1.0,"2":1.05,"4":1.6}},
             "mem":{"self":{"1":1.0,"2":1.10,"4":1.7}}},
 "pairs":[{"of":"cg","beside":"io","slowdown":1.05},
          {"of":"io","beside":"cg","slowdown":1.10},
          {"of":"cg","beside":"net","slowdown":1.20},
          {"of":"net","beside":"cg","slowdown":1.20},
          {"of":"io","beside":"net","slowdown":1.02},
          {"of":"net","beside":"io","slowdown":1.02},
          {"of":"mem","beside":"cg","slowdown":1.5},
          {"of":"cg","beside":"mem","slowdown":1.5}]}
JSON

vc() {
	"$TREE/contrib/vcluster" "$@"
}

# cluster [--name N] [--params P | --more P] [--any-mode] [vcluster option]...: our
# plugins, mode act, SHARED parameters before P; --any-mode: act may be refused. --stock (give it first): Slurm without us.
# Several clusters may stand, each of a name of its own; `use N` turns to one.
cluster() {
	local params="cosched_mode=act,$SHARED" args=() name=cluster any=

	STOCK=${COSCHED_STOCK:-}
	while [ $# -gt 0 ]; do
		case $1 in
		--stock) STOCK=1 ;;
		--name) name=$2; shift ;;
		--any-mode) any=1 ;;
		--params) params=$2; shift ;;
		--more) params="$params,$2"; shift ;;
		*) args+=("$1") ;;
		esac
		shift
	done
	# stock leaves heterogeneous jobs and more to its backfill
	[ -z "${COSCHED_STOCK:-}" ] || params=bf_interval=1
	ours && args=(--plugins "$PLUGINS" --params "$params" "${args[@]}")
	ours || [ "$params" = "cosched_mode=act,$SHARED" ] ||
		args=(--params "$params" "${args[@]}")
	COSCHED_VCLUSTER=$(vc up --dir "$WORK/$name" --path "$COSCHED_PREFIX/bin" \
		"${args[@]}" 2>"$WORK/up.err") || {
		COSCHED_VCLUSTER=
		bad "the cluster starts" "$(cat "$WORK/up.err")"
		exit 1
	}
	CLUSTERS[$name]="$COSCHED_VCLUSTER $STOCK"
	use "$name"
	vc wait-idle >/dev/null 2>&1 || bad "the nodes get idle" "$(sinfo)"
	ours || return 0
	[ -n "$any" ] || [ "${params#*mode=act}" = "$params" ] || wait_for 10 in_act ||
		bad "mode act is on" "$(grep cosched "$CTLD_LOG" | tail)"
}

# use NAME: what follows is for this cluster
use() {
	read -r COSCHED_VCLUSTER STOCK <<<"${CLUSTERS[$1]}"
	eval "$(vc env)"
	CTLD_LOG=$(vc log)
	export CTLD_LOG
}

# Ends the cluster in use; $CTLD_LOG is gone with it.
cluster_down() {
	local left

	vc down >/dev/null 2>"$WORK/down.err" || bad "the cluster ends" "$(cat "$WORK/down.err")"
	left=$(pgrep -af -- "$COSCHED_VCLUSTER/"; ls -d "$COSCHED_VCLUSTER" 2>/dev/null)
	is "nothing is left of the cluster" "$left" ""
	unset "CLUSTERS[$(basename "$COSCHED_VCLUSTER")]"
	COSCHED_VCLUSTER=
}

ctld_pid() {
	vc status | sed -n 's/^slurmctld *//p'
}
# in_mode MODE: in force, not only set; in_act: act
in_mode() {
	{ "$COSCHED" status 2>/dev/null || :; } | sed -n 1p | grep -q ": mode $1, "
}
in_act() {
	in_mode act
}

# wait_for SECONDS COMMAND...: poll until it succeeds. On a busy host, where a poll takes
# more than a third of a second, it waits for as many polls, up to four times as long.
wait_for() {
	# of no name that a command may use, say with eval
	local wait_s=$1 wait_from=$SECONDS wait_polls=0 wait_past
	shift
	until "$@" >/dev/null 2>&1; do
		wait_past=$((SECONDS - wait_from)) wait_polls=$((wait_polls + 1))
		[ "$wait_past" -lt "$wait_s" ] ||
			[ "$wait_past" -lt $((wait_polls < 3 * wait_s ? 4 * wait_s : 0)) ] ||
			return 1
		sleep 0.2
	done
}

# job [sbatch option]...: submit a job that sleeps $SLEEP (60) seconds; prints its id
job() {
	sbatch --parsable -o /dev/null -t "${LIMIT:-10}" "$@" --wrap "sleep ${SLEEP:-60}" </dev/null
}

# profiled PROFILE [sbatch option]...: the same with a profile
profiled() {
	local p=$1
	shift
	job --comment="cosched:profile=$p" "$@"
}

# traced SECONDS [sbatch option]...: a job that writes "start JOB TIME" to $RUNS
# when it begins and "end JOB TIME" when it has slept; JOB is its number, of an
# array ARRAY_TASK. A second run beside a living one writes "double JOB TIME".
RUNS=$WORK/runs
cat >"$WORK/traced" <<'SH'
#!/bin/bash
me=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
me=${me:-$SLURM_JOB_ID}
say() { echo "$1 $me $(date +%s.%N)" >>"$2"; }
exec 8>"$2.$me"
flock -n 8 || say double "$2"
say start "$2"
sleep "$1" 8>&-
say end "$2"
SH
chmod 755 "$WORK/traced"
traced() {
	local s=$1
	shift
	sbatch --parsable -o /dev/null -t "${LIMIT:-10}" "$@" "$WORK/traced" "$s" "$RUNS" </dev/null
}
# when start|end JOB: the time of its last such line
when() {
	awk -v w="$1" -v j="$2" '$1 == w && $2 == j { t = $3 } END { print t }' "$RUNS"
}
# ended JOB...: have all of them written their end?
ended() {
	local j
	for j; do grep -q "^end $j " "$RUNS" || return 1; done
}
# A < B, of times; an empty one is no time
before() {
	[ -n "$1" ] && [ -n "$2" ] && awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

# Programs link with the libslurm of the slurmctld that runs: another's reads no slurm.conf
# whose plugins are not its own.
slurm_in=$(command -v slurmctld)
slurm_in=${slurm_in%/*/*}
case $slurm_in in
'' | /usr)	slurm_in=/usr ;;
*)	export C_INCLUDE_PATH=$slurm_in/include LIBRARY_PATH=$slurm_in/lib LD_RUN_PATH=$slurm_in/lib ;;
esac
# Is there one? builds_submit PROGRAM: of submit.c
has_libslurm() {
	[ -e "$slurm_in/include/slurm/slurm.h" ] &&
		echo 'int main(void) { return 0; }' | gcc -include slurm/slurm.h -x c \
			-o "$WORK/linked" - -lslurm 2>/dev/null
}
builds_submit() {
	ok "submit.c builds" gcc -Wall -Werror -o "$1" "$TREE/test/cluster/submit.c" -lslurm
}

# The source of the Slurm that the build under test is for, for tests that build plugins.
slurm_tree() {
	local tree

	tree=$(sed -n 's/^SLURM_CPPFLAGS = .*-isystem //p' \
		"${COSCHED_BUILD:-$(dirname "$COSCHED_PREFIX")}/Makefile" 2>/dev/null)
	if [ -f "$tree/META" ]; then printf '%s\n' "$tree"; else "$TREE/contrib/slurm-source"; fi
}

state() {
	squeue -h -j "$1" -o %T 2>/dev/null | head -n 1
}
is_state() {
	[ "$(state "$1")" = "$2" ]
}
gone() {
	local s
	s=$(state "$1")
	[ "$s" = COMPLETED ] || { [ -z "$s" ] && scontrol ping | grep -q UP; }
}
# running JOB...: wait until all of them run
running() {
	local j
	for j; do wait_for 30 is_state "$j" RUNNING || return 1; done
}

# cores JOB: "n1:0,2 n2:0,2", read from scontrol, not from us
cores() {
	scontrol -d show job "$1" | sed -n 's/.*Nodes=\([^ ]*\) CPU_IDs=\([^ ]*\) .*/\1 \2/p' |
		while read -r nodes ids; do
			scontrol show hostnames "$nodes" | while read -r n; do
				printf '%s:%s\n' "$n" "$ids"
			done
		done | sort | paste -sd' '
}

# waits JOB...: are all of them pending?
waits() {
	local j
	for j; do is_state "$j" PENDING || return 1; done
}
# keeps_waiting JOB...: for two rounds of the thread
keeps_waiting() {
	sleep 2.2
	waits "$@"
}
# beside A B: do they run on the same nodes?
beside() {
	[ -n "$(nodes_of "$1")" ] && [ "$(nodes_of "$1")" = "$(nodes_of "$2")" ]
}

reason() {
	squeue -h -j "$1" -o %r
}
field() { # field JOB KEY: one KEY=VALUE of scontrol show job
	scontrol show job "$1" | tr ' ' '\n' | sed -n "s|^$2=||p" | head -n 1
}

# Slurm holds a job whose start failed, or lets it begin later: let all go, now.
let_go() {
	local j why

	squeue -h -t PD -o '%i %r' | while read -r j why; do
		case $why in
		*held* | *Held*)	scontrol release "$j" ;;
		BeginTime)		scontrol update jobid="$j" starttime=now ;;
		esac
	done
}

clear_jobs() {
	scancel --quiet --state=PENDING,RUNNING,SUSPENDED 2>/dev/null
	squeue -h -o %i | xargs -r scancel --quiet 2>/dev/null
	wait_for 20 queue_empty
}
queue_empty() {
	local all

	all=$(squeue -h -t all -o '%i %T') || return 1
	! grep -vqE 'COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL|PREEMPTED|DEADLINE|^$' <<<"$all"
}

# What running jobs hold: lines "JOB NODE CPU", read from scontrol in one look.
holdings() {
	scontrol -d show job 2>/dev/null | awk '
	function ranges(list, out,  part, n, i, ab, k, m) {
		m = 0
		n = split(list, part, ",")
		for (i = 1; i <= n; i++) {
			if (split(part[i], ab, "-") < 2) ab[2] = ab[1]
			for (k = ab[1] + 0; k <= ab[2] + 0; k++) out[++m] = k
		}
		return m
	}
	/^JobId=/	{ job = substr($1, 7); runs = 0 }
	/^ *JobState=/	{ runs = /JobState=(RUNNING|CONFIGURING)/ }
	runs && /^ *Nodes=[^ ]* CPU_IDs=/ {
		nodes = substr($1, 7); ids = substr($2, 9); prefix = ""
		if (nodes ~ /\[/) {
			prefix = nodes; sub(/\[.*/, "", prefix)
			gsub(/.*\[|\]/, "", nodes)
		} else {
			prefix = nodes; gsub(/[0-9]+$/, "", prefix)
			sub(/^[^0-9]*/, "", nodes)
		}
		n = ranges(nodes, node); c = ranges(ids, cpu)
		for (i = 1; i <= n; i++)
			for (k = 1; k <= c; k++)
				print job, prefix node[i], cpu[k]
	}'
}
# Of holdings on stdin, which must not be empty: CPUs that two jobs hold.
held_twice() {
	awk '{ k = $2 " " $3; if (k in by) print k ": jobs " by[k] " and " $1; by[k] = $1 }
		END { if (!NR) print "nobody holds anything" }'
}
# nodes_of JOB: "n1 n2"
nodes_of() {
	scontrol show hostnames "$(squeue -h -j "$1" -o %N)" | paste -sd' '
}

# set_params STRING: SchedulerParameters from now on, read by the plugin on return
set_params() {
	local said

	said=$(modes_said)
	sed -i '/^SchedulerParameters=/d' "$SLURM_CONF"
	printf 'SchedulerParameters=%s\n' "$1" >>"$SLURM_CONF"
	scontrol reconfigure
	wait_for 30 more_modes_said "$said"
	# a new process listens a moment after it has said its mode
	wait_for 5 answers
}

answers() { # does the plugin answer?
	{ "$COSCHED" status 2>/dev/null || :; } | grep -q .
}
# Each reading of the parameters ends in a line that names the mode.
modes_said() {
	grep -cE 'cosched: .*mode (off|shadow|act)' "$CTLD_LOG"
}
more_modes_said() {
	[ "$(modes_said)" -gt "$1" ]
}
# status_has REGEX: of cosched status -v
status_has() {
	{ "$COSCHED" status -v 2>/dev/null || :; } | grep -qE -- "$1"
}
# Does cosched status warn of anything but what these clusters have, TaskPlugin=task/none?
status_warns() {
	{ "$COSCHED" status 2>/dev/null || :; } | grep '^WARNING: ' | grep -qv ' TaskPlugin has '
}
log_has() {
	grep -qE -- "$1" "$CTLD_LOG"
}

# late_starts LOG...: of slurmctld; "ENDS LATE", how often it was told to end, and the
# starts after that, but for two an end: slurmctld says so before it sets what is asked
# before each start, and one is under way
late_starts() {
	awk '/Terminate signal|Reconfigure signal .SIGHUP/ { ending = 1; ends++; starts = 0 }
		/ started on cluster |Running as primary controller/ { ending = 0 }
		/cosched: started|sched: Allocate|_start_job: Started/ && ending && ++starts > 2 { n++ }
		END { print ends + 0, n + 0 }' "$@"
}

# same TEXT: the event log so far is decided again, byte for byte
same() {
	local out

	cp "$LOG" "$WORK/copy"
	out=$("$COSCHED" replay "$WORK/copy" 2>&1)
	if grep -qE '^same: [0-9]+ decides, [1-9][0-9]* actions$' <<<"$out"; then
		good "$1: $out"
		return
	fi
	bad "$1" "$out"
	# what differs is hard to make again
	[ -z "${COSCHED_KEEP_LOGS:-}" ] ||
		cp "$WORK/copy" "$COSCHED_KEEP_LOGS/$NAME-$CHECKS.log"
}

# Checks that every test should end with, in mode act or in MODE; there is an event
# log but in mode off.
log_is_clean() { # [MODE]
	local mode=${1:-act}

	! ours || ok "mode $mode to the end" wait_for 5 in_mode "$mode"
	! ours || [ "$mode" = off ] ||
		ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
	unlike "slurmctld's log has no overflow, no crash, no fallback" "$(cat "$CTLD_LOG")" \
		'job overflow|[Ss]egmentation|core dumped|cosched: (watchdog:|engine and Slurm differ|the gate had lapsed|.*mode [a-z]* (ends|is not possible))'
}

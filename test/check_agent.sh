#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# coschedd-node under real MPI programs: the same results as without it, in each way of
# boosting; an agent that is killed, stopped or started under load; forged datagrams.
#
# Usage: check_agent.sh		in a build folder; srcdir is set
#
# Needs python3, ps and taskset; Open MPI 4.1 (openmpi-bin, libopenmpi-dev).
set -u -o pipefail
export LC_ALL=C
# Jobs of this user may have boards: root uses a /dev/shm of the test's own.
if [ -z "${WAIT_APART:-}" ] && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	WAIT_APART=1 unshare -m bash -c 'mount -t tmpfs none /dev/shm && exec bash "$0"' "$0"
	exit
fi
for tool in python3 ps taskset; do
	command -v $tool >/dev/null || {
		echo "no $tool: install python3, procps and util-linux"
		exit 77
	}
done
lib=$PWD/.libs/libcosched-wait.so
node=$PWD/coschedd-node
cosched=$PWD/cosched
failed=0
agent=
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-agent.XXXXXX") || exit 1
chmod 755 "$work"
cleanup() {
	local job

	[ -z "$agent" ] || kill -9 "$agent" 2>/dev/null
	pkill -P "$(jobs -p | paste -sd,)" 2>/dev/null # timeout ends what it runs
	for job in $(jobs -p); do
		kill "$job" 2>/dev/null
	done
	wait
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM
unset COSCHED_WAIT LD_PRELOAD OMPI_MCA_mpi_yield_when_idle
export COSCHED_WAIT_NODE=$work/node
boards=/dev/shm/cosched-wait.$(id -u)
[ ! -e "$boards" ] || {
	echo "jobs of this user have boards in $boards, which the test would read"
	exit 77
}

no() {
	echo "not ok - $*"
	failed=1
}

# agent OPTION...: starts one, and waits for its line.  The ranks here are in no job step.
agent() {
	: >"$work/agent.err"
	"$node" --dir="$work/node" --any-process "$@" 2>>"$work/agent.err" &
	agent=$!
	for ((i = 0; i < 100; i++)); do
		[ ! -s "$work/agent.err" ] || return 0
		sleep 0.05
	done
	no "agent $*: it says nothing"
}

# stop SIGNAL
stop() {
	kill "-$1" "$agent" && wait "$agent" 2>/dev/null
	agent=
}

# --- without MPI ----------------------------------------------------------------

# The unit: users' sockets and the page need its folder; systemd takes absolute paths alone.
unit=coschedd-node.service
[ "$(grep -c '^RuntimeDirectory=coschedd-node$' $unit)" = 1 ] ||
	no "$unit: $(grep RuntimeDirectory $unit)"
[ "$(grep -c '^ExecStart=/.*/coschedd-node$' $unit)" = 1 ] &&
	[ "$(grep -c '^ExecStopPost=/.*/coschedd-node --reset$' $unit)" = 1 ] ||
	no "$unit: $(grep ^Exec $unit)"

for bad in --boost=nice --quantum=0 --quantum=1x --quantum=1001 --boost-share=96 --none word; do
	said=$(timeout 10 "$node" --dir="$work/node" $bad 2>&1)
	[ $? -eq 2 ] && [ -n "$said" ] || no "$bad: $said"
done
agent
how=$(cat "$work/agent.err")
echo "$how"
[[ $how =~ ^coschedd-node:\ boost\ (fifo|idle|token)\ .*,\ quantum\ 20\ ms,\ unread\ messages\ (not\ )?seen ]] ||
	no "on start: $how"
boost=${BASH_REMATCH[1]:-none}
said=$(timeout 10 "$node" --dir="$work/node" 2>&1)
[ $? -eq 1 ] && [ "$said" = "coschedd-node: $work/node: another agent is there" ] || no "a second agent: $said"
[ "$(stat -c %a "$work/node") $(stat -c %a "$work/node/page")" = "755 644" ] ||
	no "rights: $(ls -la "$work/node")"
mkdir -m 777 "$work/open"
said=$(timeout 10 "$node" --dir="$work/open" 2>&1)
[ $? -eq 1 ] && [[ $said = *"Operation not permitted" ]] || no "a folder that others may write: $said"
said=$("$cosched" wait --dir "$work/node") || no "cosched wait: status $?"
[[ $said = "coschedd-node $agent: boost $boost, "*", 0 ranks, 0 refused" ]] || no "cosched wait: $said"
stop TERM
sleep 1.1
said=$("$cosched" wait --dir "$work/node")
[ $? -eq 1 ] && [[ $said = "coschedd-node "*" last wrote "*" s ago" ]] || no "cosched wait, no agent: $said"
said=$("$cosched" wait --dir "$work/none" 2>&1)
[ $? -eq 1 ] && [[ $said = *"no coschedd-node has run on this node"* ]] || no "cosched wait, no page: $said"

# --- with Open MPI --------------------------------------------------------------

command -v mpirun.openmpi >/dev/null && command -v mpicc.openmpi >/dev/null || {
	[ "$failed" -eq 0 ] || exit 1
	echo "no Open MPI: install openmpi-bin and libopenmpi-dev"
	exit 77
}
mpicc.openmpi -O2 -D_GNU_SOURCE -o "$work/load" "${srcdir:?}/test/wait/mpi_load.c" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

# ompi MODE ARGUMENT...: two ranks on one core
ompi() {
	local mode=$1 tmp
	shift
	tmp=$(mktemp -d "$work/tmp.XXXXXX")
	timeout 120 env LD_PRELOAD="$lib" COSCHED_WAIT="$mode" taskset -c "$core" mpirun.openmpi \
		--oversubscribe --bind-to none -np 2 --mca pml ob1 --mca btl tcp,self \
		--mca btl_tcp_if_include lo --mca orte_tmpdir_base "$tmp" "$work/load" "$@" 2>"$tmp/err" ||
		tail -n 3 "$tmp/err"
	cat "$tmp/err" >>"$work/said"
}

# three ARGUMENT...: three jobs of mode proc-b on the core
three() {
	local j

	for j in 1 2 3; do
		ompi proc-b "$@" >"$work/job.$j" &
		pids[$j]=$!
	done
}

# end_well WANT WHAT: have the three jobs ended with that checksum?
end_well() {
	local j

	wait "${pids[@]}"
	for j in 1 2 3; do
		[ "$(cut -d' ' -f 1,2 <"$work/job.$j")" = "$1" ] || no "$2: $(cat "$work/job.$j")"
	done
}

# classes: the scheduling classes of the ranks' main threads, each once
classes() {
	ps -eo cls=,args= | awk -v of="$work/load" '$2 == of { print $1 }' | sort -u | xargs
}

# within SECONDS COMMAND...: is it true by then?
within() {
	local end=$((SECONDS + $1 + 1))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}
all_ordinary() {
	[ "$(classes)" = TS ]
}
boosted() {
	[[ $(classes) = *FF* ]]
}

declare -A pids
: >"$work/said"
want=$(ompi ib ring 500 400 4096)
whole=$(cut -d' ' -f 6 <<<"$want")
want=$(cut -d' ' -f 1,2 <<<"$want")
[[ $want = "checksum "* ]] || no "without an agent: $want"
# counted PYTHON: what `cosched wait` says of the jobs that run, by an expression over o
counted() {
	"$cosched" wait --dir "$work/node" --json 2>&1 | python3 -c '
import json, sys
o = json.load(sys.stdin)
sys.exit(not eval("(%s)" % sys.argv[1]))' "$1" 2>/dev/null
}

for way in fifo idle token; do
	agent --boost=$way
	grep -q "^coschedd-node: boost $way " "$work/agent.err" || {
		echo "$way is not allowed here: $(cat "$work/agent.err")"
		stop TERM
		continue
	}
	: >"$work/said"
	three ring 500 @10 4096
	within 20 counted 'len(o["jobs"]) == 3 and all(j["mode"] == "proc-b" and j["ranks"] == 2 and
		j["turns"] > 0 and j["sleeps"] > 0 and 0 < j["blocked_s"] < j["life_s"] for j in o["jobs"]) and
		len(o["cores"]) == 1 and o["cores"][0]["ranks"] == 6 and o["cores"][0]["conflicts"] > 0 and
		o["cores"][0]["conflicts"] <= o["cores"][0]["switches"] and o["cores"][0]["ed_us"] > 0' ||
		no "boost $way: $("$cosched" wait --dir "$work/node" 2>&1)"
	"$cosched" wait --dir "$work/node"
	wait "${pids[@]}"
	three ring 500 400 4096
	end_well "$want" "boost $way"
	[ ! -s "$work/said" ] || no "boost $way, on stderr: $(cat "$work/said")"
	[ "$(wc -l <"$work/agent.err")" = 1 ] || no "boost $way: $(cat "$work/agent.err")"
	stop TERM
	[ "$(ls "$work/node")" = "lock
page" ] || no "boost $way left behind: $(ls "$work/node")"
done

# Ranks that are in no job step have turns, and no policy of the agent's.
if [ "$boost" = fifo ] && ! grep -qE '/slurm|slurmstepd' /proc/self/cgroup; then
	"$node" --dir="$work/node" 2>"$work/agent.err" &
	agent=$!
	three ring 500 @6 4096
	within 20 counted 'len(o["jobs"]) == 3 and all(j["turns"] > 0 for j in o["jobs"])' ||
		no "without a job step: $("$cosched" wait --dir "$work/node" 2>&1)"
	said=$(classes)
	[ "$said" = TS ] || no "without a job step: classes $said"
	counted 'all(c["boosts"] == 0 for c in o["cores"])' || no "without a job step: boosts"
	wait "${pids[@]}"
	[ "$(grep -c 'in no cgroup of a Slurm job step' "$work/agent.err")" = 1 ] ||
		no "without a job step: $(cat "$work/agent.err")"
	stop TERM
fi

# --- faults ---------------------------------------------------------------------

# The agent is killed, a second later no rank has a priority of real time, and all go on;
# the next one knows them again.
agent
three ring 500 @40 4096
[ "$boost" != fifo ] || within 20 boosted || no "no rank was ever boosted"
stop KILL
if [ "$boost" = fifo ]; then
	within 1 all_ordinary || no "a second after the agent was killed: $(classes)"
fi
agent
[ "$boost" != fifo ] || within 20 boosted || no "a new agent boosts no rank of jobs that run"
stop TERM
within 1 all_ordinary || no "after the agent ended: $(classes)"
agent
kill -STOP "$agent"
wait "${pids[@]}"
kill -CONT "$agent"
for j in 1 2 3; do
	grep -q '^checksum' "$work/job.$j" || no "agent killed, started, stopped: $(cat "$work/job.$j")"
done
stop TERM

# One that is stopped for good costs no more than a second each now and then.
agent --boost=token
three ring 500 400 4096
sleep 2
kill -STOP "$agent"
end_well "$want" "an agent that hangs"
awk -v whole="${whole:-0}" '$6 > 9 * whole + 9 { exit 1 }' "$work"/job.[123] ||
	no "an agent that hangs: too slow: $(cat "$work"/job.[123]), $whole s alone"
kill -CONT "$agent"
stop TERM

# Datagrams that no rank has sent: from the user's own processes, and from others.
cat >"$work/forge.py" <<'P'
import os, random, socket, struct, sys, time
path, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.setblocking(False)
sent = 0
for i in range(1000): # until the agent has made it
	try:
		s.connect(path)
		break
	except FileNotFoundError:
		time.sleep(0.01)
	except OSError as e:
		sys.exit(type(e).__name__)
for i in range(count):
	note = struct.pack("=4I", 0x4b4f5443, random.randint(0, 5), random.getrandbits(32), 0)
	if i % 3 == 1:
		note = os.urandom(random.randint(0, 64))
	try:
		sent += s.send(note) > 0
	except BlockingIOError:
		pass
	except OSError: # the jobs have ended
		break
print(sent > 100)
P
agent
three ring 500 400 4096
ompi ib ring 500 @10 4096 >"$work/job.4" & # its board keeps the socket there
pids[4]=$!
seed=$(date +%s)
echo "forged datagrams, seed $seed"
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3 # for other users, too
if [ "$(id -u)" = 0 ]; then
	got=$(setpriv --reuid 4242 --clear-groups $python "$work/forge.py" "$work/node/0" 10 1 2>&1)
	[ "$got" = PermissionError ] || no "datagrams of another user: $got"
fi
got=$($python "$work/forge.py" "$work/node/$(id -u)" 300000 "$seed")
[ "$got" = True ] || no "forged datagrams: $got"
end_well "$want" "forged datagrams"
counted 'o["refused"] > 100' || no "forged datagrams: $("$cosched" wait --dir "$work/node" 2>&1)"
kill -0 "$agent" || no "forged datagrams: the agent is gone: $(cat "$work/agent.err")"
stop TERM
[ ! -e "$boards" ] || no "left behind: $(ls -A "$boards")"
exit "$failed"

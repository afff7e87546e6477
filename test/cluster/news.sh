#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Among many waiting jobs a new one is seen and decided about by itself: where it starts
# depends on none of them, the event log says so, and a replay decides the same.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our looks"
has_libslurm || skip "no libslurm to link with"
gcc -Wall -Wextra -Werror -rdynamic -o "$WORK/load" "$TREE/test/cluster/load.c" -lslurm || bad "load.c builds"

JOBS=${JOBS:-4000}
cat >"$WORK/partitions" <<END
MaxJobCount=$((JOBS * 12))
PartitionName=front Nodes=n[1-2] MaxTime=INFINITE
PartitionName=side Nodes=n3 MaxTime=30
END
# a look at all jobs takes long enough that new ones are looked for between two
cluster --nodes 3 --conf "$WORK/partitions" --params "cosched_mode=act,cosched_log=$LOG"
full=$(SLEEP=900 LIMIT=20 job -p front -N2 --exclusive)
ok "a partition is full" running "$full"
more_jobs() { for ((i = 0; i < JOBS; i++)); do echo "front 1 0 600 0"; done | "$WORK/load" submit >/dev/null; }
more_jobs || bad "$JOBS more jobs"
all() { [ "$("$COSCHED" status --json | sed -n 's/^ *"waiting": *\([0-9]*\),*$/\1/p' | head -n 1)" -ge "$JOBS" ]; }
ok "all of them are seen" wait_for 60 all

alone() { grep -c '"ev":"decide".*"nodes":"2"' "$LOG"; }
before=$(alone || :)
# An end asks for a look at all, which comes seconds later where the host is slow, and takes a
# new job of that time with it: so once more, after a longer rest, until one came between two.
# Where the host is fast, looks are short enough until more jobs wait.
for ((tries = 0; tries < 10 && $(alone) == before; tries++)); do
	[ "$tries" -eq 0 ] || more_jobs || bad "$JOBS more jobs"
	sleep "$tries"
	side=$(job -p side -n1)
	ok "a job of another partition starts" running "$side"
	scancel "$side"
	wait_for 20 gone "$side"
done
n=$(($(alone) - before))
if [ "$n" -ge 1 ]; then good "it is decided about by itself"; else
	bad "it is decided about by itself" "$(grep '"ev":"decide"' "$LOG" | tail -n 6)"
fi
last=$(job -p front -N2 --exclusive)
ok "one behind the others waits" keeps_waiting "$last"
side=$(job -p side -n1 --hold)
sleep 2
is "a held one waits, too" "$(state "$side")" PENDING
scontrol release "$side"
ok "it starts when it is released" running "$side"

"$COSCHED" replay "$LOG" >"$WORK/replay" 2>&1 || bad "a replay decides the same" "$(cat "$WORK/replay")"
ok "a replay decides the same" grep -q '^same: ' "$WORK/replay"
scancel --quiet -p front
scancel "$full" "$side"
wait_for 60 gone "$full"
log_is_clean

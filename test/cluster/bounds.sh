#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OStrich's promise: beside a user with hundreds of jobs the campaigns of others end
# within their bounds. Three users in a closed loop, each campaign submitted some
# seconds after the one before it ended; a fourth has submitted all he has at once.
#
# Held against the time each campaign ended:
#
#	theorem 1	t + k (W' + W) / m + 2 p + p_u, of its submit, the users in all, the
#			work of the user's campaign before it and of its own, the longest
#			job and its own longest
#	shown		every bound that `cosched users` gave for it and behind which no
#			other user became active
#
# FULL=1: 500 jobs of a minute on 96 cores, and lengths that are nearly the limits,
# eight minutes at four times the clock's speed; else 60 short ones on 16.
# shellcheck source-path=SCRIPTDIR source=clock.inc
. "$(dirname "$0")/clock.inc"
[ -z "${FULL:-}" ] || hurry 4
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=campaigns.inc
. "$(dirname "$0")/campaigns.inc"
[ -z "$STOCK" ] || skip "the order is ours"

if [ -n "${FULL:-}" ]; then
	many=500 nodes=12 minute=57 think=15 most=1200 interval=2
	budget=40000 # of the hurried clock: the first 96 starts are one cycle
else
	many=60 nodes=2 minute=2 think=1 most=120 interval=0.3 budget=10000
fi
cores=$((nodes * 8))
cluster --nodes $nodes --sockets 2 --cores 4 --select-params CR_Core --set BatchStartTimeout=60 \
	--params "cosched_mode=act,cosched_policy=ostrich-paper,cosched_budget_ms=$budget,cosched_log=$LOG"

left() { # of the array $1: jobs that wait or run
	squeue -h -r -j "$1" -t PD,R,CG,CF -o %i 2>/dev/null | wc -l
}
over() {
	[ "$(left "$1")" -eq 0 ]
}
# loop USER JOBS MINUTES: one campaign after the other, until $WORK/enough is there
loop() {
	local id

	while [ ! -e "$WORK/enough" ]; do
		id=$(SLEEP=$(($3 * minute)) LIMIT=$3 by "$1" --array=1-"$2") || break
		printf '%s %s %s %s\n' "$1" "$id" "$2" "$3" >>"$WORK/campaigns"
		wait_for $most over "$id" || break
		sleep $think
	done
}
sample() {
	while [ ! -e "$WORK/enough" ]; do
		"$COSCHED" users --json 2>/dev/null | tr -d '\n'
		echo
		sleep "$interval"
	done >"$WORK/samples"
}

all=$(SLEEP=$minute LIMIT=1 by games --array=1-$many)
printf 'games %s %s 1\n' "$all" "$many" >"$WORK/campaigns"
wait_for 20 eval '[ "$(squeue -h -r -t R -o %i | wc -l)" -ge $((cores - 2)) ]'
sample &
loops=($!)
for what in "mail 8 1" "news 8 2" "bin $((cores / 4)) 1"; do
	# shellcheck disable=SC2086 # words
	loop $what &
	loops+=($!)
done
ok "the user's $many jobs end" wait_for $most over "$all"
touch "$WORK/enough"
wait "${loops[@]}"

# Of each campaign that ended: both bounds, in seconds from its submit.
cat >"$WORK/check.py" <<'PY'
import json, sys
log, campaigns, samples, cores = sys.argv[1:4] + [int(sys.argv[4])]
array, end, submit = {}, {}, {}
for line in open(log):
    e = json.loads(line)
    if e["ev"] == "submit":
        submit.setdefault(e["job"], e["t"])
    elif e["ev"] == "start":
        array[e["job"]] = e.get("array", e["job"])
    elif e["ev"] == "finish":
        a = array.get(e["job"])
        end[a] = max(end.get(a, 0), e["t"])
rows = [line.split() for line in open(campaigns)]
k = len({r[0] for r in rows})
p = max(60 * int(r[3]) for r in rows)
before, a_priori, work = {}, {}, {}
for user, a, n, minutes in rows:
    a = int(a)
    w = work[a] = 60 * int(minutes) * int(n)
    a_priori[a] = k * (before.get(user, 0) + w) / cores + 2 * p + 60 * int(minutes)
    before[user] = w
shown = {int(r[1]): [] for r in rows}
users = 0
for line in open(samples):
    if not line.strip():
        continue
    o = json.loads(line)
    if o["active_users"] > users:
        for a in shown:
            shown[a] = [s for s in shown[a] if a in end and end[a] <= o["now_s"]]
    users = o["active_users"]
    for c in o["campaigns"]:
        if "bound_s" in c and c.get("array") in shown:
            shown[c["array"]].append(c["bound_s"])
for user, a, n, minutes in rows:
    a = int(a)
    if a not in end or a not in submit:
        print("lost", user, a)
        continue
    took = end[a] - submit[a]
    least = min(shown[a]) - submit[a] if shown[a] else float("inf")
    good = took <= a_priori[a] and took <= least + 1
    print("good" if good else "bad", user, a, n, "x", minutes, "took %.0f" % took,
          "theorem %.0f" % a_priori[a], "shown %.0f" % least)
PY
python3 "$WORK/check.py" "$LOG" "$WORK/campaigns" "$WORK/samples" $cores >"$WORK/result"
of_others=$(grep -c '^good [^g]' "$WORK/result")
ok "others had $of_others campaigns meanwhile" test "$of_others" -ge 6
if grep -qvE '^good' "$WORK/result"; then
	bad "every campaign ends within theorem 1's bound, and within what cosched users showed" \
		"$(cat "$WORK/result")"
else
	good "every campaign ends within theorem 1's bound, and within what cosched users showed"
fi
[ -z "${COSCHED_VERBOSE:-}" ] || cat "$WORK/result"
same "all of this replays"
log_is_clean

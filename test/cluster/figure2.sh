#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Figure 2 of the paper (Emeras12) live, a minute for its unit of time: six cores; at 0 user
# 1 (games) submits 24 jobs of 2 and user 2 (mail) nine of 18 in all, at 2 user 3 (news)
# five of 2, at 5 four of 2. Projections and starts are those of its text, with
# campaign_hold=strict: user 3's second campaign waits until 7.
#
# FULL=1 alone, and there four times as fast as the clock (hurry); ostrich.sh has the
# order in seconds.
# shellcheck source-path=SCRIPTDIR source=clock.inc
. "$(dirname "$0")/clock.inc"
[ -z "${FULL:-}" ] || hurry 4
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=campaigns.inc
. "$(dirname "$0")/campaigns.inc"
[ -z "$STOCK" ] || skip "the order is ours"
[ -n "${FULL:-}" ] || skip "it takes minutes: FULL=1"

cluster --nodes 3 --sockets 1 --cores 2 --select-params CR_Core --set BatchStartTimeout=60 \
	--params "cosched_mode=act,cosched_policy=ostrich-paper,cosched_campaign_hold=strict,cosched_log=$LOG"

# What comes at a minute comes some seconds before the jobs that end then.
at() { # at MINUTE: an option
	echo "--begin=$(date -d "@$((t0 + ($1 > 0 ? 60 * $1 - 8 : 0)))" +%Y-%m-%dT%H:%M:%S)"
}
minutes() { # minutes USER LENGTH [sbatch option]...
	local user=$1 length=$2
	shift 2
	SLEEP=$((60 * length - 1)) LIMIT=$length by "$user" "$@" >/dev/null
}
projected() { # the campaigns' projected ends, in minutes: "16 6 "
	"$COSCHED" users --json | python3 -c '
import json, sys
for c in sorted(json.load(sys.stdin)["campaigns"], key=lambda c: (c["user"], c["campaign"])):
    if c["virtual"] != "ended":
        print(round((c["projected_s"] - int(sys.argv[1])) / 60), end=" ")' "$t0"
}
until_minute() { # until_minute M SECONDS
	local s=$((t0 + 60 * $1 + $2 - $(date +%s)))
	[ "$s" -le 0 ] || sleep "$s"
}
# starts behind line $1 of the log by the nearest minute: "m0 m0 n2"
starts_at() {
	tail -n "+$(($1 + 1))" "$LOG" | python3 -c '
import json, sys
of = {}
for line in sys.stdin:
    e = json.loads(line)
    if e["ev"] == "submit":
        of[e["job"]] = e["user"][0]
    elif e["ev"] == "start":
        print(of[e.get("array", e["job"])] + str(round((e["t"] - int(sys.argv[1])) / 60)), end=" ")' "$t0"
}

t0=$(($(date +%s) + 15)) from=$(log_lines)
for length in 2 2 2 2 3 3 2 1 1; do
	minutes mail "$length" --comment=cosched:campaign=two "$(at 0)"
done
minutes games 2 --array=1-24 "$(at 0)"
minutes news 2 --array=1-5 "$(at 2)"
minutes news 2 --array=1-4 "$(at 5)"
until_minute 0 4
is "figure 2: projections at 0" "$(projected)" "16 6 "
until_minute 2 4
is "figure 2: projections at 2" "$(projected)" "23 8 7 "
until_minute 5 4
like "figure 2: the projection of user 3's second campaign at 5" "$(projected)" ' 11 $'
until_minute 7 30
# what comes behind these does not stand in the paper's text
like "figure 2: starts" "$(starts_at "$from")" \
	"^m0 m0 m0 m0 m0 m0 n2 n2 n2 n2 n3 m3 m4 m4 g4 g4 g5 g5 g5 g5 g6 g6 n7 n7 n7 n7 "
clear_jobs
same "all of this replays"
log_is_clean

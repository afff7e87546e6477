#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OStrich with slurmdbd: users with shares of 1 and 3 in one account get service 1 to
# 3, and their campaigns are ranked so; two users alone see what PrivateData lets
# them.
#
# Sixteen cores, campaigns of four jobs of a minute: of what starts first (16) and
# when these have ended (16 more) alice has a quarter.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "the order is ours"

SHARED="cosched_policy=ostrich-paper,cosched_log=$LOG,cosched_socket=7817"
echo PrivateData=jobs >"$WORK/conf"
cluster --conf "$WORK/conf"

sacctmgr -i modify user alice where Account=test Cluster=cosched set fairshare=1 >"$WORK/sacctmgr" 2>&1 ||
	bad "alice has a share of 1" "$(cat "$WORK/sacctmgr")"
sacctmgr -i modify user bob where Account=test Cluster=cosched set fairshare=3 >"$WORK/sacctmgr" 2>&1 ||
	bad "bob has a share of 3" "$(cat "$WORK/sacctmgr")"

blocker=$(job -N4 --exclusive)
running "$blocker" || bad "the blocker runs" "$(squeue)"
# campaigns KEY: of each that waits, in their order, USER VALUE
campaigns() {
	python3 -c '
import json, sys
for c in json.load(open(sys.argv[1]))["campaigns"]:
    if c["waiting"]:
        print(c["user"], c[sys.argv[2]])' "$WORK/users.json" "$1"
}
# so many campaigns wait, of users with shares of 1 and 3
wait_with_shares() {
	cosched users --json >"$WORK/users.json"
	[ "$(campaigns rank | wc -l) $(ratio)" = "$1 3.0000" ]
}
ratio() {
	campaigns share | awk '{ s[$1] = $2 } END { printf "%.4f", s["alice"] ? s["bob"] / s["alice"] : 0 }'
}
# shares are read every 10 s: no campaign that counts has others
early="$(AS=alice job -n1) $(AS=bob job -n1)"
wait_for 30 wait_with_shares 2
# shellcheck disable=SC2086 # two numbers
scancel $early
wait_for 10 eval 'cosched users --json >"$WORK/users.json"; [ -z "$(campaigns rank)" ]' || bad "two jobs are cancelled" "$(squeue)"
for _ in 1 2 3 4 5 6 7 8; do
	SLEEP=50 LIMIT=1 AS=alice job -n1 --array=1-4 >/dev/null
	SLEEP=50 LIMIT=1 AS=bob job -n1 --array=1-4 >/dev/null
done
wait_for 30 wait_with_shares 16
is "16 campaigns wait" "$(campaigns rank | wc -l)" 16
is "their shares are 1 to 3" "$(ratio)" 3.0000
of_alice=$(campaigns rank | head -n 10 | grep -c alice)
ok "of the first 10 campaigns 2 or 3 are alice's ($of_alice)" \
	test "$of_alice" -ge 2 -a "$of_alice" -le 3
AS=alice cosched users --json >"$WORK/users.json"
is "alice reads of her own campaigns alone" \
	"$(campaigns rank | cut -d' ' -f1 | sort | uniq -c | xargs)" "8 alice"

scancel "$blocker"
starts() { # users of the starts of array tasks
	in_ctl cat "$LOG" | python3 -c '
import json, sys
of = {}
for line in sys.stdin:
    e = json.loads(line)
    if e["ev"] == "submit":
        of[e["job"]] = e.get("user")
    elif e["ev"] == "start" and "array" in e:
        print(of.get(e["array"]))'
}
enough() {
	[ "$(starts | wc -l)" -ge 32 ]
}
ok "32 jobs start" wait_for 150 enough
of_alice=$(starts | head -n 32 | grep -c alice)
ok "service is 1 to 3: $of_alice of the first 32 are alice's" \
	test "$of_alice" -ge 6 -a "$of_alice" -le 10
clear_jobs
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OStrich live: campaigns of users start in the order of the virtual schedule, and
# squeue, sprio and cosched users show it; hold, nice, top, an administrator's
# priority and PriorityTier do what the README says; the order survives a restart,
# a kill -9 and a reconfigure.
#
# Six cores. Limits are whole minutes and jobs sleep for seconds, so that what the
# virtual schedule takes for left is what has not started; in figure2.sh and bounds.sh
# lengths are what the limits say.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=campaigns.inc
. "$(dirname "$0")/campaigns.inc"
[ -z "$STOCK" ] || skip "the order is ours"

cat >"$WORK/partitions" <<'END'
PartitionName=urgent Nodes=ALL PriorityTier=10
PartitionName=other Nodes=ALL PriorityJobFactor=60000
END
ostrich="cosched_mode=act,cosched_policy=ostrich-paper,cosched_log=$LOG,enable_user_top"
cluster --nodes 3 --sockets 1 --cores 2 --select-params CR_Core \
	--params "$ostrich,cosched_campaign_hold=strict" --conf "$WORK/partitions"

no_campaign() {
	[ "$("$COSCHED" users --json | python3 -c 'import json, sys
print(len(json.load(sys.stdin)["campaigns"]))')" = 0 ]
}

# --- figure 2 of the paper -----------------------------------------------------------

# User games: 24 jobs of 2; mail: 9 jobs, 18 in all; news: 5 of 1, then 4 of 2.
block
from=$(log_lines)
SLEEP=4 LIMIT=2 by games --array=1-24 >/dev/null
SLEEP=4 LIMIT=2 by mail --array=1-9 >/dev/null
ok "the smaller campaign is first" wait_for 5 eval '[[ $(by_rank) == m:*g:* ]]'
open
mail_runs() {
	[ "$(squeue -h -u mail -t R -o %i | wc -l)" -ge 6 ]
}
wait_for 10 mail_runs
SLEEP=1 LIMIT=1 by news --array=1-5 >/dev/null
second=$(SLEEP=1 LIMIT=2 by news --array=1-4)
held() {
	"$COSCHED" explain "$1" | grep -q "has not ended in the virtual schedule"
}
ok "campaign_hold=strict: a user's second campaign waits for the first" wait_for 5 held "$second"
all_started() {
	seen=$(starts_since "$from")
	[ "$(tr -cd n <<<"$seen" | wc -c)" -ge 9 ] && [ "$(tr -cd m <<<"$seen" | wc -c)" -ge 9 ]
}
wait_for 30 all_started
like "user 2 has all cores first, then user 3 comes before the rest of both" "$seen" \
	'^r?m{6,7}n'
like "user 3's first campaign starts in one piece but for what runs" \
	"$(sed 's/^r*m*//' <<<"$seen")" '^n{5}'
like "users 2 and 3 are served before user 1's campaign is" "$seen" '^r?[mn]{14}'
clear_jobs

# --- a user with many jobs -------------------------------------------------------------

set_params "$ostrich"
SLEEP=2 LIMIT=1 by games --array=1-500 >/dev/null
wait_for 10 eval '[ "$(squeue -h -u games -t R -o %i | wc -l)" -eq 6 ]'
from=$(log_lines)
few=$(SLEEP=4 LIMIT=1 by mail --array=1-8)
ends_are_known() { # sets bound, real_end: of one answer
	read -r bound real_end < <(campaign mail bound_s real_end_s)
	[[ $bound == [1-9]* && $real_end == [1-9]* ]]
}
wait_for 15 ends_are_known
like "its bound and its real end are known" "${bound:-} ${real_end:-}" '^[1-9][0-9]* [1-9]'
ok "a campaign of 8 beside one of 500 ends" wait_for 40 gone "$few"
now=$(date +%s)
ok "within its bound ($((bound - now)) s before)" test "$now" -le "$bound"
ok "and by its real end as shown when it came ($((real_end - now)) s before)" \
	test "$now" -le "$real_end"
is "which is before the bound" "$((real_end < bound))" 1
like "and hardly anybody of the 500 started meanwhile" \
	"$(starts_since "$from" | grep -o '.*m')" '^g{0,6}m[mg]{7,9}$'
clear_jobs

# --- what is shown, and what the administrator says ---------------------------------------

# a campaign that is left is served before its user's next
ok "what has ended ends in the virtual schedule" wait_for 120 no_campaign
block
a1=$(LIMIT=4 by games) a2=$(LIMIT=4 by games)
b=$(LIMIT=2 by mail)
c=$(LIMIT=1 by news -p other,main)
named=$(LIMIT=1 by mail --comment=cosched:campaign=night)
ok "priorities follow the order, whatever the partition's own factor" \
	wait_for 5 in_order "$c" "$b" "$a1" "$a2" "$named"
like "cosched users shows it" "$("$COSCHED" users | paste -sd" ")" 'news .*mail .*games .*mail.* night'
like "with the slack of its bounds" "$("$COSCHED" users | awk '/^ *RANK/ || $2 == "news" { print $NF }' |
	paste -sd' ')" '^SLACK -?[0-9]+:[0-9]{2}:[0-9]{2}$'
is "users may ask for it" "$(vc run --user games "$COSCHED" users --json >/dev/null 2>&1; echo $?)" 0
p=$(priority_of "$a1")
scontrol hold "$b"
ok "a held job keeps priority 0" wait_for 5 eval '[ "$(priority_of "$b")" = 0 ]'
sleep 1.5
is "and the others theirs" "$(priority_of "$a1") $(priority_of "$b")" "$p 0"
scontrol release "$b"
ok "released it is where it was" wait_for 5 in_order "$c" "$b" "$a1"
scontrol update JobId="$a1" Nice=5
ok "nice puts a job behind the others of its campaign" wait_for 5 in_order "$b" "$a2" "$a1" "$named"
scontrol top "$named"
sleep 1.5 # Slurm's own numbers come first
ok "top puts it before its user's others, and nobody else's" \
	wait_for 5 in_order "$c" "$named" "$b" "$a2" "$a1"
scontrol update JobId="$a1" Priority=2000000000
ok "an administrator's priority above ours goes first" wait_for 5 in_order "$a1" "$c" "$named"
is "and stays as it is" "$(priority_of "$a1")" 2000000000
scontrol update JobId="$c" Priority=1
urgent=$(LIMIT=9 by games -p urgent)
sleep 1.5
from=$(log_lines)
open
order() {
	tail -n "+$(($1 + 1))" "$LOG" | grep '"ev":"start"' | grep -o '"job":[0-9]*' | cut -d: -f2 |
		paste -sd' '
}
wait_for 10 eval '[ "$(order "$from" | wc -w)" -ge 6 ]'
like "starts: PriorityTier, that priority, the campaigns" "$(order "$from")" \
	"^$urgent $a1 $named $b $a2 "
clear_jobs

# --- restarts, while the first campaign runs ----------------------------------------------

queue_of_three
vc restart-ctld && vc wait-up >/dev/null
keeps_order "a restart changes no order"
vc kill-ctld
vc start-ctld && vc wait-up >/dev/null
keeps_order "nor does a kill -9"
scontrol reconfigure
keeps_order "nor a reconfigure"
ok "the state knows of campaigns" grep -q '^virtual campaign' "$COSCHED_VCLUSTER/state/cosched_state"
clear_jobs

# --- mode off and back ----------------------------------------------------------------------

array_is_there() { # a campaign that is the array $1, where any are
	local list

	list=$("$COSCHED" users --json) && grep -qE "\"array\": *$1\b" <<<"$list"
}
array_is_gone() {
	[[ $(by_rank) == *m:* ]] && ! array_is_there "$1"
}
block
gone=$(LIMIT=5 by games --array=1-24)
LIMIT=9 by mail >/dev/null
ok "(an array is a campaign)" wait_for 5 array_is_there "$gone"
set_params "cosched_mode=off,enable_user_top"
scancel "$gone"
set_params "$ostrich"
ok "mode act is on again" wait_for 10 in_act
ok "a campaign whose jobs went in mode off is gone" wait_for 5 array_is_gone "$gone"
clear_jobs

same "all of this replays"
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OStrich live: campaigns of users start in the order of the virtual schedule, and
# squeue, sprio and cosched users show it; hold, nice, top, an administrator's
# priority and PriorityTier do what the README says; the order survives a restart,
# a kill -9 and a reconfigure.
#
# Six cores. Limits are whole minutes and jobs sleep for seconds, so that what the
# virtual schedule takes for left is what has not started.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the order is ours"

cat >"$WORK/partitions" <<'END'
PartitionName=urgent Nodes=ALL PriorityTier=10
PartitionName=other Nodes=ALL PriorityJobFactor=60000
END
ostrich="cosched_mode=act,cosched_policy=ostrich,cosched_log=$LOG,enable_user_top"
cluster --nodes 3 --sockets 1 --cores 2 --select-params CR_Core \
	--params "$ostrich,cosched_hold=strict" --conf "$WORK/partitions"

# by USER [sbatch option]...: a job that sleeps $SLEEP seconds
by() {
	local user=$1
	shift
	job -D / --uid="$user" "$@"
}
# Nobody starts until `open`.
block() {
	blocker=$(job -N3 --exclusive -t 1)
	running "$blocker" || bad "the blocker runs" "$(squeue)"
}
open() {
	scancel "$blocker"
}
# users of the starts behind line $1 of the log, one letter each: "mmmgg"
starts_since() {
	tail -n "+$(($1 + 1))" "$LOG" | awk '
	/"ev":"submit"/ && match($0, /"job":[0-9]+/) {
		j = substr($0, RSTART + 6, RLENGTH - 6)
		if (match($0, /"user":"[^"]*/)) of[j] = substr($0, RSTART + 8, 1)
	}
	/"ev":"start"/ && match($0, /"job":[0-9]+/) {
		j = substr($0, RSTART + 6, RLENGTH - 6)
		if (match($0, /"array":[0-9]+/)) j = substr($0, RSTART + 8, RLENGTH - 8)
		printf "%s", of[j]
	}'
}
log_lines() {
	wc -l <"$LOG"
}
# waiting jobs as squeue ranks them: "12 13 20"
by_priority() {
	squeue -h -t PD -r -S -p,i -o '%Q %i' | sort -k1,1nr -s | awk '{ print $2 }' | paste -sd' '
}
# campaigns as cosched users ranks them: user and name, array or number
by_rank() {
	"$COSCHED" users --json | python3 -c '
import json, sys
for c in json.load(sys.stdin)["campaigns"]:
    if c["waiting"]:
        print(c["user"][0] + ":" + (c["name"] or str(c.get("array", "-"))), end=" ")'
}
campaign() { # campaign USER KEY: of his first campaign with jobs; "-": not known
	"$COSCHED" users --json | python3 -c '
import json, sys
for c in json.load(sys.stdin)["campaigns"]:
    if c["user"] == sys.argv[1] and c["waiting"] + c["running"]:
        print(c.get(sys.argv[2], "-"))
        break' "$1" "$2"
}
priority_of() {
	squeue -h -j "$1" -o %Q | head -n 1
}
# ahead A B: has A the higher priority?
ahead() {
	[ "$(priority_of "$1")" -gt "$(priority_of "$2")" ]
}
in_order() { # in_order JOB...: each ahead of the next
	while [ $# -gt 1 ]; do
		ahead "$1" "$2" || return 1
		shift
	done
}

# --- figure 2 of the paper -----------------------------------------------------------

# User games: 24 jobs of 2; mail: 9 jobs, 18 in all; news: 5 of 1, then 4 of 2.
block
from=$(log_lines)
SLEEP=2 LIMIT=2 by games --array=1-24 >/dev/null
SLEEP=2 LIMIT=2 by mail --array=1-9 >/dev/null
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
ok "hold=strict: a user's second campaign waits for the first" wait_for 5 held "$second"
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
few=$(SLEEP=1 LIMIT=1 by mail --array=1-8)
ok "its real end is known" wait_for 5 eval '[[ $(campaign mail real_end_s) == [1-9]* ]]'
bound=$(campaign mail bound_s) real_end=$(campaign mail real_end_s)
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

block
for user in games mail news; do
	for n in 3 2; do
		LIMIT=$((1 + ${#user})) by "$user" --array=1-$n >/dev/null
	done
	LIMIT=3 by "$user" --comment=cosched:campaign=x-$user >/dev/null
done
LIMIT=1 by mail >/dev/null
sleep 2
open
all_cores_run() {
	[ "$(squeue -h -t R -r -o %i | wc -l)" -eq 6 ]
}
ok "the first campaigns run" wait_for 10 all_cores_run
sleep 6 # a kill of slurmctld loses what Slurm has not saved yet
ranks=$(by_rank) jobs=$(by_priority)
isnt "(campaigns wait)" "$ranks" ""
# the order of now, by both
same_order() {
	[ "$(by_rank)" = "$ranks" ] && [ "$(by_priority)" = "$jobs" ]
}
keeps_order() {
	if wait_for 15 same_order; then
		good "$1"
	else
		bad "$1" "$(printf '%s\n' "$ranks" "$(by_rank)" "$jobs" "$(by_priority)")"
	fi
}
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
	by_rank | grep -q m: && ! array_is_there "$1"
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

# --- bad input ---------------------------------------------------------------------------

# 4 kB are refused by Slurm itself
comment=cosched:campaign=$(head -c 1000 /dev/zero | tr '\0' x)
nok "Slurm takes no comment of 4 kB" by games --comment="$comment$comment$comment$comment"
long=$(LIMIT=1 by games --comment="$comment")
ok "a job with a campaign's name of 1 kB runs" running "$long"
like "and is told what is wrong with it" "$("$COSCHED" explain "$long")" 'campaign'
clear_jobs

# --- with groups -----------------------------------------------------------------------

set_params "cosched_mode=act,cosched_policy=glts,cosched_order=ostrich,cosched_profiles=$PROFILES,cosched_log=$LOG"
x=$(profiled cg -D / --uid=games -N2 -n2) y=$(profiled io -D / --uid=mail -N2 -n2)
ok "with cosched_policy=glts,cosched_order=ostrich jobs run" running "$x" "$y"
ok "and share nodes" beside "$x" "$y"
like "and are campaigns" "$("$COSCHED" users)" 'games'
clear_jobs
same "all of this replays"
log_is_clean

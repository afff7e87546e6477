#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Estimates of starts in mode act (start_estimates=yes). Jobs of two users run a quarter of
# their limits. After some of them have ended, what squeue --start shows of a waiting job is
# much nearer to its start than what limits say, which the event log has beside it; held
# and dependent jobs have no start. The history outlives a restart and a kill -9, the jobs that
# have come, too; one that is damaged, of another cluster or far too large costs one line. The
# log decides and estimates the same again.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "stock has no estimates"

SLEEP=15 LIMIT=1
cluster --params "cosched_mode=act,cosched_log=$LOG,cosched_start_estimates=yes,batch_sched_delay=1"
HISTORY=$COSCHED_VCLUSTER/state/cosched_estimates
users=(nobody daemon)

# submit N: so many jobs of half of the nodes, of the two users in turn; ids in $ids
submit() {
	ids=()
	for ((i = 0; i < $1; i++)); do
		ids+=("$(vc run --user "${users[i % 2]}" sbatch --parsable -D / -o /dev/null -N2 \
			--exclusive -t "$LIMIT" --wrap "sleep $SLEEP" </dev/null)")
	done
}
shown() { # the start that squeue shows of JOB, in s since 1970; 0: none
	local s

	s=$(squeue -h --start -j "$1" -o %S 2>/dev/null)
	if [[ $s == 20* ]]; then date -d "$s" +%s; else echo 0; fi
}
is_shown() {
	[ "$(shown "$1")" -gt 0 ]
}
estimated() {
	"$COSCHED" explain "$1" | grep -q 'it probably starts'
}
all_ended() {
	local j

	for j in "$@"; do gone "$j" || return 1; done
}

# --- learning

submit 6
ok "jobs from which to learn have ended" wait_for 120 all_ended "${ids[@]}"

# --- the estimates of the next ones

submit 8
unset first
declare -A first
for j in "${ids[@]:2}"; do # two of them run
	ok "job $j has an estimate" wait_for 20 estimated "$j"
done
sleep 2 # the next cycle shows them
for j in "${ids[@]:2}"; do
	first[$j]=$(shown "$j")
done
last=${ids[7]}
held=$(job -H -n1)
after=$(job -d "afterok:$last" -n1)
told=$("$COSCHED" explain "$last")
like "explain says when a job probably starts" "$told" \
	'probably starts at [0-9]+:[0-9]+, between [0-9]+:[0-9]+ and [0-9]+:[0-9]+ with 90 %'
like "... and when by limits" "$told" 'ran to their limits and no job came, at [0-9]+:[0-9]+$'
like "its members, too" "$("$COSCHED" explain --json "$last" | tr -d ' \n')" \
	'"estimate":\{"start_s":[0-9]+,"low_s":[0-9]+,"high_s":[0-9]+,"limits_s":[0-9]+'
sleep 3
is "a held job has no start" "$(shown "$held")" 0
is "a dependent job has none" "$(shown "$after")" 0
ok "they have ended" wait_for 180 all_ended "${ids[@]}"
scancel "$held" "$after"
for j in "${ids[@]:2}"; do
	echo "$j ${first[$j]}"
done >"$WORK/first"
if out=$(python3 - "$LOG" "$WORK/first" 2>&1 <<'PY'
import json
import statistics
import sys

by_limits, start = {}, {}
for line in map(json.loads, open(sys.argv[1])):
    if line["ev"] == "estimate":
        by_limits.setdefault(line["job"], line["limits"])
    elif line["ev"] == "start":
        start[line["job"]] = line["t"]
rows = [tuple(map(int, line.split())) for line in open(sys.argv[2])]
jobs = [(abs(s - start[j]), abs(by_limits[j] - start[j])) for j, s in rows if s and j in start]
ours, limits = (statistics.median(x) for x in zip(*jobs))
print("%d of %d: off by %.0f s, by limits %.0f s" % (len(jobs), len(rows), ours, limits))
sys.exit(len(jobs) < len(rows) or ours > 0.5 * limits)
PY
); then
	good "what is shown is nearer to the starts than limits ($out)"
else
	bad "what is shown is nearer to the starts than limits" "$out"
fi
status=$("$COSCHED" status --json | tr -d ' \n')
like "status says how good estimates were" "$status" \
	'"estimates_day":[1-9][0-9]*,"estimates_day_outside":[0-9]+,"estimate_error_p50_us":[0-9]+'
like "... in two lines" "$("$COSCHED" status | tr -s '\n ' ' ')" \
	'starts of [0-9]+ waiting jobs estimated [1-9][0-9]* of the last day: half off by at most [0-9]+ s'
judged=$(sed 's/.*"estimates_judged":\([0-9]*\).*/\1/' <<<"$status")
same "the log decides and estimates the same"
awk '/"ev":"estimate",/ && ++n == 5 { sub(/"low":/, "&1") } { print }' "$LOG" >"$WORK/other"
like "replay finds an estimate that is another" "$("$COSCHED" replay "$WORK/other" 2>&1)" \
	'log:.*"ev":"estimate",.*"low":1'

# --- restarts

history() { # how many runs are known
	awk '/^estimate group/ { n += NF - 3 } END { print n + 0 }' "$HISTORY"
}
in_first_look() { # how many jobs were submitted before slurmctld first looked at jobs
	python3 - "$LOG" <<'PY'
import json
import sys

submits = [line for line in map(json.loads, open(sys.argv[1])) if line["ev"] == "submit"]
print(sum(s["submit"] < submits[0]["t"] for s in submits))
PY
}
arrivals() { # how many jobs are known that have come
	grep -c '^estimate arrival ' "$HISTORY"
}
is_near() { # JOB SINCE: is JOB expected within 30 s of SINCE?
	local s

	s=$(shown "$1")
	[ "$s" -gt 0 ] && [ "$s" -le $(($2 + 30)) ]
}
# near TEXT: a job that waits for two that have just begun is expected when they end, not
# at their limits; a start that is planned by limits may be shown for a moment before
near() {
	local now

	submit 3
	running "${ids[0]}"
	running "${ids[1]}"
	now=$(date +%s)
	ok "$1: the start of a waiting job is that of the history" \
		wait_for 10 is_near "${ids[2]}" "$now"
	ok "... while it waits" is_state "${ids[2]}" PENDING
	scancel "${ids[@]}"
	wait_for 20 all_ended "${ids[@]}"
}
vc restart-ctld
runs=$(history)
ok "the history has been saved ($runs runs)" test "$runs" -ge 36
came=$(arrivals)
# the jobs of the first look may have been there for long, so they do not count
is "... and the jobs that have come" "$came" $((16 - $(in_first_look)))
ok "... by their users" grep -Eq '^estimate arrival .* =daemon ' "$HISTORY"
ok "mode act again" wait_for 20 in_act
near "after a restart"
scontrol reconfigure
ok "mode act after a reconfigure" wait_for 20 in_act
is "the jobs that have come are those of before, and three" "$(arrivals)" $((came + 3))
near "after a reconfigure"
runs=$(history)
came=$(arrivals)
kill -9 "$(ctld_pid)"
sleep 1
vc start-ctld
ok "mode act after kill -9" wait_for 20 in_act
ok "the history is there after kill -9" test "$(history)" -ge "$runs"
clear_jobs # Slurm may have lost that a job was cancelled, and start it again
near "after kill -9"
vc restart-ctld
ok "mode act after another restart" wait_for 20 in_act
came=$(($(arrivals) - came))
# what is not a minute old when slurmctld is killed is not saved
ok "the jobs that came before kill -9 are there ($came more)" test "$came" -ge 3
same "the log decides and estimates the same over restarts"

# --- a job that waits for longer than was expected

SLEEP=50 submit 3
ok "two jobs run far longer than any before" running "${ids[0]}" "${ids[1]}"
ok "the third has an estimate" wait_for 20 estimated "${ids[2]}"
again=$("$COSCHED" status --json | tr -d ' \n' | sed 's/.*"estimates_judged":\([0-9]*\).*/\1/')
ok "outcomes go on over restarts ($judged, $again)" test "$again" -ge "$judged"
expected=$(cut -d' ' -f 2 <<<"$("$COSCHED" explain --json "${ids[2]}" | tr -d ' \n' |
	sed 's/.*"estimate":{"start_s":\([0-9]*\).*/start \1/')")
past() {
	[ "$(date +%s)" -gt $((expected + 3)) ]
}
wait_for 45 past
ok "it waits past that ($expected)" is_state "${ids[2]}" PENDING
late=$(shown "${ids[2]}")
ok "its start is not shown as a time that has passed ($late)" test "$late" -ge "$(date +%s)"
scancel "${ids[@]}"
wait_for 20 all_ended "${ids[@]}"

# --- a damaged history

# put TEXT-FILE: a history as slurmctld writes it
put() {
	python3 - "$1" "$HISTORY" <<'PY'
import sys
import zlib

text = open(sys.argv[1], "rb").read()
with open(sys.argv[2], "wb") as f:
    f.write(b"cosched-state 1 %d %08x\n" % (len(text), zlib.crc32(text)) + text)
PY
}
without=0
# is_set_aside WHAT: slurmctld comes up, with one line about it, and estimates
is_set_aside() {
	vc start-ctld
	ok "mode act with a history $1" wait_for 20 in_act
	is "$1: one line" \
		"$(grep -c 'estimates of starts begin without a history' "$CTLD_LOG")" $((++without))
	ok "$1: it is set aside" test -e "$HISTORY.bad"
	vc stop-ctld
	rm -f "$HISTORY.bad"
}
vc stop-ctld
version=$(sed -n 1p "$HISTORY" | cut -d' ' -f 2)
is "its format has a version" "$version" 1
tail -n +2 "$HISTORY" >"$WORK/history"
sed '1s/ [^ ]*$/ another/' "$WORK/history" >"$WORK/foreign"
put "$WORK/foreign"
is_set_aside "of another cluster"
truncate -s 1200M "$HISTORY" # as of ten million jobs
is_set_aside "of ten million jobs"
{
	cat "$WORK/history"
	line=$(grep '^estimate arrival ' "$WORK/history" | tail -n 1)
	yes "$line" | head -c 15000000
	echo
} >"$WORK/many"
put "$WORK/many"
vc start-ctld
ok "mode act with a history of as many jobs as fit" wait_for 20 in_act
submit 3
ok "jobs start and wait with it" running "${ids[0]}" "${ids[1]}"
ok "... and are estimated" wait_for 20 is_shown "${ids[2]}"
scancel "${ids[@]}"
wait_for 20 all_ended "${ids[@]}"
is "the line that is cut counts alone" \
	"$(grep -c 'lines of the engine.s in the state are left out' "$CTLD_LOG")" 1
vc stop-ctld
ok "as many jobs are saved again as have room" test "$(arrivals)" -eq 16384
printf 'cosched-state 1 999999 00000000\nestimate group' >"$HISTORY"
is_set_aside "that is damaged"
vc start-ctld
ok "mode act without a history" wait_for 20 in_act
submit 3
ok "starts are estimated without it" wait_for 20 is_shown "${ids[2]}"
scancel "${ids[@]}"
same "the log decides and estimates the same without it"
log_is_clean

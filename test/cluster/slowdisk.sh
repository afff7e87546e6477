#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A file system that hangs (slowfile.c): first the folder of the event log, then what we
# write to StateSaveLocation. Jobs start all the same, mode act stays, and when it answers
# again, all is written: the log passes its check, and the state is that of the moment.
# While both hang, slurmctld ends within a bounded time, and says what is not written.
# A profile file that hangs: at a reconfigure the last good one holds, at a start Slurm
# schedules alone; when the file answers it is in force, unasked.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the files are ours"

gcc -shared -fPIC -Wall -Wextra -o "$WORK/slowfile.so" "$TREE/test/cluster/slowfile.c" \
	-ldl || exit 1
mkdir "$WORK/logs"
LOG=$WORK/logs/events.log
hang_s=13 # longer than cosched_hang_s
params="cosched_mode=act,cosched_policy=cst,cosched_profiles=$PROFILES,cosched_log=$LOG"
# slow FOLDER-OR-PREFIX COMMAND: a slurmctld of vcluster COMMAND hangs there at our will
slow() {
	COSCHED_SLOW=$WORK/hang COSCHED_SLOW_PATHS=$1 LD_PRELOAD=$WORK/slowfile.so \
		vc "$2" && vc wait-up >/dev/null
}
starts_go_on() { # WHERE: for hang_s seconds a job a second starts, each at once
	local until=$((SECONDS + hang_s)) j slowest=0 began

	while [ "$SECONDS" -lt "$until" ]; do
		began=$SECONDS
		j=$(SLEEP=1 job -n1)
		wait_for 20 started "$j" || bad "$1: job $j starts"
		[ $((SECONDS - began)) -le "$slowest" ] || slowest=$((SECONDS - began))
		sleep 0.5
	done
	ok "$1: jobs start within three seconds" test "$slowest" -le 3
	ok "$1: mode act is on" in_act
}
started() {
	case $(state "$1") in
	RUNNING | COMPLETING | COMPLETED) ;;
	'')	gone "$1" ;;
	*)	return 1 ;;
	esac
}
starts_in_log() {
	grep -c '"ev":"start"' "$LOG"
}
saved() { # saved JOB: is it in the state on disk?
	grep -q "^job $1 " "$COSCHED_VCLUSTER/state/cosched_state"
}
ctld_gone() {
	! kill -0 "$1" 2>/dev/null
}

cluster --nodes 3 --params "$params"
slow "$WORK/logs/" restart-ctld
ok "mode act is on" wait_for 15 in_act
keeper=$(SLEEP=600 job -n1)
ok "a job runs" running "$keeper"

# --- the event log ----------------------------------------------------------------------

before=$(starts_in_log)
: >"$WORK/hang"
starts_go_on "the log hangs"
is "(nothing was written)" "$(starts_in_log)" "$before"
like "cosched status says so" "$("$COSCHED" status)" \
	"^WARNING: .*event log '$LOG': it has hung for [0-9]+ s; [0-9]+ bytes wait"
rm "$WORK/hang"
ok "when it answers, what waited is written" \
	wait_for 10 eval "[ \"\$(starts_in_log)\" -gt $((before + 4)) ]"
nok "and the warning is gone" status_warns
ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
same "what was decided meanwhile is decided again"

# --- what slurmctld itself does not write to StateSaveLocation ------------------------------

slow "$COSCHED_VCLUSTER/state/cosched" restart-ctld
ok "mode act is on" wait_for 15 in_act
ok "the job is known" wait_for 10 saved "$keeper"
: >"$WORK/hang"
a=$(SLEEP=600 job -n1)
ok "a job starts" running "$a"
starts_go_on "the state hangs"
nok "(it is not in the state)" saved "$a"
like "cosched status says so" "$("$COSCHED" status)" \
	"^WARNING: .*'.*/state' has hung for [0-9]+ s"
# from 23.11 on a new process begins by reading it
if [[ $(slurmctld -V) = *' 22.'* ]]; then
	set_params "${params/cosched_policy=cst/cosched_policy=cstws}"
	ok "new settings wait for no disk" in_act
	like "and hold" "$("$COSCHED" status --json)" '"policy": ?"cstws"'
	c=$(job -n1)
	ok "and jobs start" running "$c"
	scancel "$c"
fi
rm "$WORK/hang"
ok "when it answers, the state is that of the moment" wait_for 10 saved "$a"
ok "and the warning is gone" wait_for 5 eval '! status_warns'

# --- the profile file -----------------------------------------------------------------

mkdir "$WORK/profiles"
file=$WORK/profiles/ours.json
cp "$PROFILES" "$file"
knows() { # knows NAME: is there a profile NAME in the last good ones?
	grep -q "\"$1\":" "$COSCHED_VCLUSTER/state/cosched_profiles"
}
set_params "${params/$PROFILES/$file}"
slow "$WORK/profiles/" restart-ctld
ok "mode act is on" wait_for 15 in_act
nok "(the profile is new)" knows fresh
sed -i 's/"profiles":{/&"fresh":{"self":{"1":1.0}},/' "$file"
: >"$WORK/hang"
scontrol reconfigure
ok "a reconfigure waits for no profile file" wait_for 10 status_warns
like "cosched status says so" "$("$COSCHED" status)" \
	"profile file \"$file\": it does not answer, and is read again when it does"
ok "mode act is on" in_act
c=$(job -n1)
ok "jobs start" running "$c"
nok "(the file was not read)" knows fresh
rm "$WORK/hang"
ok "when it answers, it is in force" wait_for 10 knows fresh
ok "and the warning is gone" wait_for 5 eval '! status_warns'

vc stop-ctld
: >"$WORK/hang"
slow "$WORK/profiles/" start-ctld
d=$(job -n1)
ok "slurmctld starts without it, and so do jobs" running "$d"
nok "by Slurm alone" in_act
rm "$WORK/hang"
ok "when it answers, mode act is on" wait_for 15 in_act
ok "with it" knows fresh
scancel "$c" "$d"
slow "$COSCHED_VCLUSTER/state/cosched_" restart-ctld
ok "mode act is on" wait_for 15 in_act

# --- the end ------------------------------------------------------------------------------

: >"$WORK/hang"
b=$(SLEEP=600 job -n1)
ok "while it hangs a job starts" running "$b"
sleep 1 # its state is to be saved
ctld=$(ctld_pid) began=$SECONDS
kill "$ctld"
ok "slurmctld ends" wait_for 30 ctld_gone "$ctld"
ok "within ten seconds" test $((SECONDS - began)) -le 10
ok "and says what is lost" log_has \
	"error: cosched: '.*/state' hangs: the last state is not saved"
rm "$WORK/hang"
vc start-ctld
vc wait-up >/dev/null
ok "the next one is in mode act" wait_for 15 in_act
is "all three run on" "$(state "$keeper") $(state "$a") $(state "$b")" \
	"RUNNING RUNNING RUNNING"
is "no CPU is held twice" "$(holdings | held_twice)" ""
clear_jobs
log_is_clean

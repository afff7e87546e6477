#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What fails for a while works again by itself, and what is said of it fits: state files
# that could not be written are written without a reconfigure, an event log that was
# truncated in place begins anew, cosched status waits for a plugin that is just being
# loaded, and a new job is told of no earlier run.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "the files are ours"

cp "$PROFILES" "$WORK/profiles.json"
chmod a+r "$WORK/profiles.json"
params="cosched_mode=act,cosched_policy=cst,cosched_profiles=$WORK/profiles.json,cosched_log=$LOG"
cluster --nodes 2 --params "$params"
dir=$COSCHED_VCLUSTER/state
config_answers() {
	scontrol show config >/dev/null 2>&1
}
explain() {
	"$COSCHED" explain "$@" 2>&1
}
ok "mode act is on" wait_for 15 in_act

# --- files that could not be written ---------------------------------------------------

mkdir "$dir/cosched_params.new" "$dir/cosched_profiles.new" # in their way
echo >>"$WORK/profiles.json"
set_params "$params,cosched_budget_ms=9999"
ok "cosched status says that the state cannot be written" wait_for 15 eval \
	'{ "$COSCHED" status || :; } | grep -q "^WARNING: cannot write .*/cosched_p[ar]"'
nok "(the settings are not saved)" grep -q cosched_budget_ms=9999 "$dir/cosched_params"
rmdir "$dir/cosched_params.new" "$dir/cosched_profiles.new"
ok "when it can, the warning goes without a reconfigure" wait_for 60 eval '! status_warns'
ok "the settings are saved" grep -q cosched_budget_ms=9999 "$dir/cosched_params"
is "so are the profiles" "$(tail -c 2 "$dir/cosched_profiles" | od -An -tx1)" " 0a 0a"
ok "the log says so" log_has "cosched: state is saved again"

# --- a log that was truncated in place ---------------------------------------------------

: >"$LOG"
a=$(job -n1)
ok "a job starts" running "$a"
ok "the log begins anew, with a header" wait_for 10 eval \
	'head -n 1 "$LOG" | grep -q "^{\"ev\":\"header\""'
ok "the remedy is named" log_has \
	"event log '$LOG': another program truncated it .* rotate it by rename and scontrol reconfigure"
nok "nothing is wrong" status_warns
set_params "$params"
b=$(job -n1)
ok "after a reconfigure a job starts" running "$b"
ok "and is in the log" wait_for 10 grep -q "\"ev\":\"start\",\"job\":$b," "$LOG"
nok "nothing is wrong then, either" status_warns
same "what the log has is decided again"

# --- a plugin that is just being loaded ---------------------------------------------------

scontrol reconfigure
out=$("$COSCHED" status 2>&1)
is "cosched status answers at once after a reconfigure" "$? $(head -n 1 <<<"$out" | cut -d' ' -f1)" "0 cosched"
vc stop-ctld
rm "$dir/cosched_state" # as if there had been none
vc start-ctld
ok "slurmctld begins" wait_for 20 config_answers
out=$("$COSCHED" status 2>&1)
is "cosched status answers at once after a start" "$? $(head -n 1 <<<"$out" | cut -d' ' -f1)" "0 cosched"

# --- a new job ------------------------------------------------------------------------------

sleep 1 # Slurm knows seconds: one of the second of the start may have run before it
c=$(job -N2 -n8)
: >"$WORK/told"
ok "a job that came since is told its place" wait_for 20 eval \
	'explain "$c" | sed q | tee -a "$WORK/told" | grep -q "first in the queue"'
unlike "and of no earlier run" "$(cat "$WORK/told")" "earlier run"
clear_jobs
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job whose PrologSlurmctld took a while is stopped by a time slice: that costs it none of
# its limit, which Slurm counts from the prolog's end. (Slurm's own first suspend counts the
# prolog as run time.)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=slices.inc
. "$(dirname "$0")/slices.inc"
ours || skip "stock does not stop jobs"

cat >"$WORK/prolog" <<'END'
#!/bin/sh
sleep 6
END
chmod 755 "$WORK/prolog"
cluster --nodes 1 --params "cosched_mode=act,$pect,cosched_slice_stop=all" \
	--set PrologSlurmctld="$WORK/prolog"
second() { # of a job: StartTime and others
	date -d "$(field "$1" "$2")" +%s
}

long=$(counting long --exclusive)
ok "a job runs" running "$long"
given=$(($(second "$long" EndTime) - $(second "$long" StartTime) - 30 * 60))
ok "its limit counts from the prolog's end" test "$given" -ge 5
counting medium --exclusive >/dev/null
ok "a slice stops it" wait_for $((2 * cycle + 10)) is_state "$long" SUSPENDED
is "Slurm's run time is without the prolog" \
	$(($(second "$long" SuspendTime) - $(second "$long" StartTime) - \
		$(field "$long" SecsPreSuspend))) "$given"
ok "it resumes" wait_for $((2 * cycle + 10)) is_state "$long" RUNNING
is "and has what is left of its limit" \
	$(($(second "$long" EndTime) - $(second "$long" SuspendTime))) \
	$((30 * 60 - $(field "$long" SecsPreSuspend)))
clear_jobs
log_is_clean

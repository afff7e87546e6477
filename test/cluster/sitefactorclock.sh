#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# site_factor/ostrich when the clock is set back an hour: new jobs get their places
# within seconds. Slurm notes its changes an hour before the last look then.
#
# The test, its cluster and its jobs see a clock of their own (faketime), whose offset
# stands in a file; the host's stays as it is.
# shellcheck source-path=SCRIPTDIR source=clock.inc
. "$(dirname "$0")/clock.inc"
own_clock
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the plugin is ours"
[ -n "${COSCHED_CLOCK:-}" ] || skip "no faketime here"

at_end() {
	rm -f "$COSCHED_CLOCK"
}
cluster --nodes 3 --sockets 1 --cores 2 --select-params CR_Core --any-mode \
	--params cosched_mode=off,bf_interval=1 --set PriorityType=priority/multifactor \
	--set PrioritySiteFactorPlugin=site_factor/ostrich

by() { # by USER [sbatch option]...
	local user=$1
	shift
	job -D / --uid="$user" "$@"
}
# waiting jobs, those of the highest priority first
by_priority() {
	squeue -h -t PD -o '%Q %i' | sort -k1,1nr -s | awk '{ sub(/_.*/, "", $2); print $2 }' | paste -sd' '
}
order_is() { # TEXT JOBS
	if wait_for 10 eval "[ \"\$(by_priority)\" = '$2' ]"; then
		good "$1"
	else
		bad "$1" "expected $2; $(by_priority)"
	fi
}

blocker=$(job -N3 --exclusive)
running "$blocker"
a=$(LIMIT=3 by news)
order_is "(a job waits)" "$a"
sleep 5 # it has been looked at, and is not held as a start that may be lost
set_clock -3600
sleep 3 # and the clock
b=$(LIMIT=9 by games --array=1-24) c=$(LIMIT=2 by mail)
order_is "the clock set back an hour, new jobs get their places" "$c $a $b"
set_clock +0
d=$(LIMIT=1 by sys)
order_is "and when it is right again" "$d $c $a $b"
clear_jobs
log_is_clean off

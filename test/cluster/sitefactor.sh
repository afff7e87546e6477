#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# site_factor/ostrich: Slurm's own schedulers and priority/multifactor, campaigns in
# OStrich's order by their site factors; sprio shows them; they survive a restart.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -z "$STOCK" ] || skip "the plugin is ours"

cluster --nodes 3 --sockets 1 --cores 2 --select-params CR_Core --any-mode \
	--params cosched_mode=off,bf_interval=1,enable_user_top --set PriorityType=priority/multifactor \
	--set PrioritySiteFactorPlugin=site_factor/ostrich \
	--set PrioritySiteFactorParameters=campaign_order=spt

by() { # by USER [sbatch option]...
	local user=$1
	shift
	job -D / --uid="$user" "$@"
}
# waiting jobs, those of the highest priority first
by_priority() {
	squeue -h -t PD -o '%Q %i' | sort -k1,1nr -s | awk '{ sub(/_.*/, "", $2); print $2 }' | paste -sd' '
}
# the same by sprio's SITE column
by_site() {
	sprio -h -o '%.12S %i' | sort -k1,1nr -s | awk '$1 > 0 { print $2 }' | paste -sd' '
}
shows() {
	[ "$(by_priority)" = "$1" ] && [ "$(by_site)" = "$1" ]
}
order_is() { # TEXT JOBS
	if wait_for 8 shows "$2"; then
		good "$1"
	else
		bad "$1" "expected $2; $(by_priority); $(by_site); $(sprio)"
	fi
}

blocker=$(job -N3 --exclusive)
running "$blocker"
a=$(SLEEP=1 LIMIT=2 by games --array=1-24)
b2=$(SLEEP=1 LIMIT=2 by mail)
b1=$(SLEEP=1 LIMIT=1 by mail)
c=$(SLEEP=1 LIMIT=1 by news --comment=cosched:profile=cg,shar=no)
order_is "priorities are OStrich's order" "$c $b1 $b2 $a"
unlike "of profiles and comments nothing is said" "$(cat "$CTLD_LOG")" \
	'asks for a profile|malformed comment'
like "sprio shows factors" "$(sprio -h -j "$c" -o %S)" '[1-9][0-9]{6,}'
held=$(LIMIT=1 by sys)
scontrol hold "$held"
scontrol update JobId="$b2" Priority=2000000000
sleep 2.5
is "a held job stays held, an administrator's priority stays" \
	"$(squeue -h -j "$held" -o %Q) $(squeue -h -j "$b2" -o %Q)" "0 2000000000"
scancel "$held"
first=$(squeue -h -j "$c" -o %Q)
vc restart-ctld && vc wait-up >/dev/null
order_is2() {
	[ "$(by_priority)" = "$b2 $c $b1 $a" ] && [ "$(squeue -h -j "$c" -o %Q)" = "$first" ]
}
ok "a restart changes neither order nor factors" wait_for 8 order_is2
vc kill-ctld
vc start-ctld && vc wait-up >/dev/null
ok "nor does a kill -9" wait_for 8 order_is2
ok "the state knows of campaigns" grep -q '^virtual campaign' \
	"$COSCHED_VCLUSTER/state/cosched_site_factor"
# All nodes come back at one moment: stock's schedulers let what was to have a node
# that is still completing wait, and start the next.
scontrol update NodeName=ALL State=DRAIN Reason=test
scancel "$blocker"
drained() {
	[ "$(sinfo -h -N -o %T | sort -u)" = drained ]
}
ok "(the nodes are empty)" wait_for 15 drained
mark=$(wc -l <"$CTLD_LOG")
scontrol update NodeName=ALL State=RESUME
started() { # jobs in the order of their starts
	tail -n "+$((mark + 1))" "$CTLD_LOG" |
		sed -n 's/.*\(Allocate\|Started\) JobId=\([0-9]*\).*/\2/p'
}
wait_for 15 eval '[ "$(started | wc -l)" -ge 4 ]'
is "stock backfill starts them in that order" "$(started | head -n 4 | paste -sd' ')" \
	"$b2 $c $b1 $a"
clear_jobs

# --- scontrol top: a new job has a fitting priority at once, and nice values, which
# --- `top` makes of differences of priorities, order nobody else's jobs

blocker=$(job -N3 --exclusive)
running "$blocker"
LIMIT=1 by news >/dev/null
wait_for 8 eval '[ "$(by_priority | wc -w)" -eq 1 ]'
b=$(LIMIT=2 by mail)
g1=$(LIMIT=3 by games --comment=cosched:campaign=x)
order_is "(the order)" "$(squeue -h -u news -t PD -o %i) $b $g1"
g2=$(LIMIT=3 by games --comment=cosched:campaign=x)
new=$(squeue -h -j "$g2" -o %Q)
ok "a new job's priority is near the others' ($new)" test "$new" -gt 1000000
vc run --user games scontrol top "$g2"
ok "right after top the user's other job has one, too" \
	test "$(squeue -h -j "$g1" -o %Q)" -gt 1000000
order="$(squeue -h -u news -t PD -o %i) $b $g2 $g1"
order_is_now() {
	[ "$(by_priority)" = "$order" ]
}
ok "top right after the submit puts a job before its user's others, and nobody else's" \
	wait_for 8 order_is_now
scontrol update JobId="$b" Nice=1000000000
sleep 1.5 # the order of before holds for a moment in any case
ok "nor does a nice value change the order of campaigns" wait_for 8 order_is_now
clear_jobs

# --- what is gone when it comes back has no campaign

campaigns() { # users with campaigns in the state
	sed -n 's/^virtual user =\([a-z]*\).*/\1/p' "$COSCHED_VCLUSTER/state/cosched_site_factor" |
		sort | paste -sd' '
}
blocker=$(job -N3 --exclusive)
running "$blocker"
a=$(by games --array=1-24)
b=$(by mail)
wait_for 8 eval '[ "$(campaigns)" = "games mail root" ]'
is "(the state has campaigns)" "$(campaigns)" "games mail root"
sed -i 's/^PrioritySiteFactorPlugin=/#&/' "$SLURM_CONF"
vc restart-ctld && vc wait-up >/dev/null
scancel "$a"
sed -i 's/^#\(PrioritySiteFactorPlugin=\)/\1/' "$SLURM_CONF"
vc restart-ctld && vc wait-up >/dev/null
ok "a campaign whose jobs went while the plugin was out is gone" \
	wait_for 8 eval '[ "$(campaigns)" = "mail root" ]'
clear_jobs

# --- cosched status and users

ok "cosched status says who orders jobs" status_has 'site_factor/ostrich .*orders jobs'
like "cosched users says where to look" "$("$COSCHED" users 2>&1)" 'sprio'

# --- in mode act with Slurm's priorities they are those by our factors

set_params "cosched_mode=act,cosched_policy=cst,cosched_order=slurm,cosched_log=$LOG"
ok "mode act is on with order=slurm" wait_for 10 in_act
ok "where site_factor/ostrich goes on" status_has 'site_factor/ostrich .*priorities'
blocker=$(job -N3 --exclusive)
running "$blocker"
a=$(LIMIT=9 by games --array=1-24) b=$(LIMIT=2 by mail)
order_is "and new jobs get their places" "$b $a"
clear_jobs

# --- in mode act with order=ostrich multifactor's numbers give way to ours

set_params "cosched_mode=act,cosched_policy=ostrich-paper,cosched_log=$LOG"
ok "mode act is on" wait_for 10 in_act
ok "where site_factor/ostrich stands back" status_has 'site_factor/ostrich .*stands back'
blocker=$(job -N3 --exclusive)
running "$blocker"
a=$(LIMIT=9 by games) b=$(LIMIT=2 by mail)
order_is "squeue and sprio show the order" "$b $a"
scontrol update JobId="$a" Nice=3 # multifactor computes its priority
sleep 1.5
order_is "and again when multifactor has computed another" "$b $a"
clear_jobs
set_params "cosched_mode=off,bf_interval=1"

# --- what is wrong is said

sed -i '/^PrioritySiteFactorParameters/d' "$SLURM_CONF"
echo 'PrioritySiteFactorParameters=campaign_hold=strict' >>"$SLURM_CONF"
scontrol reconfigure
ok "what cannot be is refused in one line" wait_for 10 log_has 'PrioritySiteFactorParameters: campaign_hold=strict'
sed -i 's/^\(PrioritySiteFactorParameters=\).*/\1policy=cst/' "$SLURM_CONF"
scontrol reconfigure
ok "as is a key that means nothing there, and which do is said" \
	wait_for 10 log_has "PrioritySiteFactorParameters: 'policy=cst': expected one of .*shares"
ok "and slurmctld goes on" running "$(by games)"
clear_jobs
log_is_clean off

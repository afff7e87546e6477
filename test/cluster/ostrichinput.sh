#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OStrich and bad input: names of campaigns, thousands of users of whom no host knows,
# a user deleted while his jobs wait: slurmctld lives, and jobs go on to start in the
# order.
#
# The deleted user stands in a passwd of its own (libnss-wrapper), not in the host's.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=campaigns.inc
. "$(dirname "$0")/campaigns.inc"
[ -z "$STOCK" ] || skip "the order is ours"

# The daemons run with $preload in their environment.
preload=()
vc() {
	env ${preload[@]+"${preload[@]}"} "$TREE/contrib/vcluster" "$@"
}
lives() { # lives TEXT: the same slurmctld, in mode act; a job of a real user starts
	local j

	is "$1: slurmctld lives" "$(ctld_pid)" "$ctld"
	ok "$1: mode act" wait_for 10 in_act
	j=$(LIMIT=1 by mail)
	ok "$1: jobs start" running "$j"
	scancel "$j"
}

# --- names -------------------------------------------------------------------------------

passwd=$WORK/passwd wrapper=$(find /usr/lib -name libnss_wrapper.so -print -quit)
cp /etc/passwd "$passwd" && cp /etc/group "$WORK/group"
echo "leaver:x:70001:70001::/:/bin/sh" >>"$passwd"
echo "leaver:x:70001:" >>"$WORK/group"
chmod 644 "$passwd" "$WORK/group"
[ -z "$wrapper" ] || preload=(LD_PRELOAD="$wrapper" NSS_WRAPPER_PASSWD="$passwd"
	NSS_WRAPPER_GROUP="$WORK/group")
cluster --nodes 3 --sockets 1 --cores 2 --select-params CR_Core \
	--params "cosched_mode=act,cosched_policy=ostrich-paper,cosched_log=$LOG"
ctld=$(ctld_pid)

# 4 kB are refused by Slurm itself
comment=cosched:campaign=$(head -c 1000 /dev/zero | tr '\0' x)
nok "Slurm takes no comment of 4 kB" by games --comment="$comment$comment$comment$comment"
long=$(LIMIT=1 by games --comment="$comment")
ok "a job with a campaign's name of 1 kB runs" running "$long"
like "and is told what is wrong with it" "$("$COSCHED" explain "$long")" 'campaign'
clear_jobs
block
refused() { # its job $1 has none, and is told so
	"$COSCHED" explain "$1" | grep -q "expected a name of at most 63 letters"
}
names=('%s%n%d%x' '"};[{' '../../../etc' $'\xff\xfe' 'Überläufer' "\$(reboot)"
	"$(head -c 64 /dev/zero | tr '\0' z)")
ids=()
for name in "${names[@]}"; do
	ids+=("$(SLEEP=1 LIMIT=1 by games --comment="cosched:campaign=$name")")
done
for i in "${!ids[@]}"; do
	ok "the campaign's name '${names[i]}' is taken for none, and that is said" \
		wait_for 5 refused "${ids[i]}"
done
longest=$(head -c 63 /dev/zero | tr '\0' y)
SLEEP=1 LIMIT=1 by games --comment="cosched:campaign=$longest" >/dev/null
named() {
	[ "$(campaign_names | grep -cx "$longest")" = 1 ]
}
campaign_names() {
	"$COSCHED" users --json | python3 -c '
import json, sys
for c in json.load(sys.stdin)["campaigns"]:
    print(c["name"])'
}
ok "one of 63 letters is taken" wait_for 5 named
vc restart-ctld && vc wait-up >/dev/null
ok "and is there after a restart" wait_for 15 named
ctld=$(ctld_pid)
open
lives "after names"
clear_jobs

# --- thousands of users ----------------------------------------------------------------------

submit=$WORK/submit
if has_libslurm; then
	builds_submit "$submit"
	block
	thousands=$([ -n "${FULL:-}" ] && echo 5000 || echo 1000)
	"$submit" "$thousands" "$thousands" 100000 >/dev/null
	users_waiting() {
		"$COSCHED" users --json | python3 -c '
import json, sys
print(len({c["user"] for c in json.load(sys.stdin)["campaigns"] if c["waiting"]}))'
	}
	all_users() {
		[ "$(users_waiting)" -eq "$thousands" ]
	}
	ok "$thousands users wait, whom no passwd knows" wait_for 20 all_users
	vc restart-ctld && vc wait-up >/dev/null
	ctld=$(ctld_pid)
	ok "a restart forgets none" wait_for 20 all_users
	is "the state is read whole" "$(grep -c "lines of the state's virtual schedule" "$CTLD_LOG")" 0
	# Slurm cannot start them: it puts them back, two minutes off
	squeue -h -t PD -o %i | tail -n +200 | xargs -r scancel --quiet
	open
	lives "beside users whom Slurm cannot start jobs for"
	squeue -h -o %i | xargs -r scancel --quiet
	wait_for 30 queue_empty

	# --- a user who is deleted

	block
	lost=$("$submit" 1 1 70001 1) next=$(LIMIT=5 by games)
	ok "his small campaign is the first" wait_for 5 in_order "$lost" "$next"
	known=$([ -n "$wrapper" ] && echo leaver || echo 70001)
	known_by() {
		[ "$(campaign "$known" user)" = "$known" ]
	}
	ok "(he is known as $known)" wait_for 5 known_by
	sed -i '/^leaver/d' "$passwd"
	sleep 2
	ok "a user is deleted: the order stays" in_order "$lost" "$next"
	open
	ok "the job behind his starts" running "$next"
	lives "a user is deleted"
	is "his job runs nowhere" "$(squeue -h -t R,CG,CD -j "$lost" -o %i)" ""
	vc restart-ctld && vc wait-up >/dev/null
	ctld=$(ctld_pid)
	lives "and after a restart"
	clear_jobs
else
	omit "thousands of users" "no libslurm to build with"
fi
same "all of this replays"
log_is_clean

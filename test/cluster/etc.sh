#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The fragments in etc/: slurmctld takes each as it stands, but for the two paths, and
# does what its first lines say; a profile file's rule finds the job.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our parameters"
examples=$TREE/etc
cp "$examples/profiles.json" "$WORK/profiles.json"
chmod a+r "$WORK/profiles.json"
ok "cosched profile check takes etc/profiles.json" "$COSCHED" profile check "$examples/profiles.json"
printf 'PartitionName=batch Nodes=ALL\n' >"$WORK/partitions"
cluster --nodes 2 --params cosched_mode=off --conf "$WORK/partitions"

# adopt FRAGMENT: in the place of those with the same keys
adopt() {
	local key

	sed "s|/etc/slurm/profiles.json|$WORK/profiles.json|
		s|/var/log/slurm/cosched.log|$LOG|" "$examples/$1" >"$WORK/fragment.conf"
	while IFS="=" read -r key _; do
		sed -i "/^$key=/d" "$SLURM_CONF"
	done < <(grep -v '^#' "$WORK/fragment.conf")
	sed -i '/^include /d' "$SLURM_CONF"
	printf 'include %s\n' "$WORK/fragment.conf" >>"$SLURM_CONF"
	vc restart-ctld >/dev/null && vc wait-up >/dev/null
}
for fragment in off shadow act ostrich site-factor; do
	mode=$fragment
	case $fragment in ostrich) mode=act ;; site-factor) mode=off ;; esac
	ok "etc/$fragment.conf: slurmctld starts" adopt "$fragment.conf"
	ok "etc/$fragment.conf: mode $mode" wait_for 10 in_mode "$mode"
	is "etc/$fragment.conf: nothing is refused" \
		"$(grep -c 'cosched: .*expected' "$CTLD_LOG")" 0
	case $fragment in
	act)
		id=$(job -p batch -J md-water -n1 --comment=cosched:share=no)
		ok "etc/act.conf: a job runs" wait_for 10 running "$id"
		clear_jobs ;;
	ostrich)
		like "etc/ostrich.conf: campaigns are shown" "$("$COSCHED" users --json)" campaigns ;;
	site-factor)
		like "etc/site-factor.conf: the factor is loaded" "$("$COSCHED" status)" 'site_factor|site factor' ;;
	esac
done

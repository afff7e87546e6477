#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The README's way in and out: what `cosched conf` prints goes into a slurm.conf that
# knows nothing of us, slurmctld is restarted, and that is all; the old lines put back
# and one more restart, and Slurm is as it was; `make uninstall`, and jobs are launched.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our installation"
cluster --stock --params bf_interval=7,default_queue_depth=50
cp "$SLURM_CONF" "$WORK/stock.conf"
# an installation of its own, to be removed
folder=$WORK/inst/lib/cosched/slurm
cp -a "$COSCHED_PREFIX" "$WORK/inst"

# paste_into_conf FILE: its lines in the place of those with the same keys
paste_into_conf() {
	local line

	while IFS= read -r line; do
		case $line in
		'#'* | '')	continue ;;
		esac
		sed -i "/^${line%%=*}=/Id" "$SLURM_CONF"
		printf '%s\n' "$line" >>"$SLURM_CONF"
	done <"$1"
}
nobody_answers() {
	! answers
}

before=$(job -N1 -n2)
ok "stock: a job runs" running "$before"
held=$(cores "$before")
waiting=$(job --hold -n1)
ok "stock: nobody answers cosched status" nobody_answers

ok "cosched conf prints the lines" "$COSCHED" conf --mode act --profiles "$PROFILES" --log "$LOG"
"$COSCHED" conf --mode act --profiles "$PROFILES" --log "$LOG" >"$WORK/lines" 2>"$WORK/said"
is "and warns of what is so here, and of nothing else" \
	"$(grep -ho 'WARNING: [^:]*' "$WORK/lines" "$WORK/said")" \
	"WARNING: TaskPlugin=task/none
WARNING: SchedulerParameters"
like "of the site's own parameters" "$(cat "$WORK/lines" "$WORK/said")" default_queue_depth
sed -i "s|$PLUGINS|$folder|" "$WORK/lines"
paste_into_conf "$WORK/lines"
ok "slurmctld restarts with them" vc restart-ctld
vc wait-up >/dev/null
STOCK=
ok "mode act is on" wait_for 10 in_act
is "the job that ran runs on its cores" "$(state "$before") $(cores "$before")" "RUNNING $held"
is "the site's own parameters are still there" "$(scontrol show config |
	sed -n 's/^SchedulerParameters *= //p' | tr , '\n' |
	grep -cxE 'bf_interval=7|default_queue_depth=50')" 2
like "an event log is kept" "$(head -n 1 "$LOG")" '"machine"'
a=$(profiled cg -N2 -n4) b=$(profiled io -N2 -n4)
ok "complementary jobs run" running "$a" "$b"
ok "on the same nodes" beside "$a" "$b"
is "no core is held twice" "$(holdings | held_twice)" ""
scontrol release "$waiting"
ok "a job that waited under stock Slurm runs" running "$waiting"
ok "the slurmds read the lines, too" scontrol reconfigure
vc wait-up >/dev/null
wait_for 10 in_act
log_is_clean

held=$(cores "$a")
cp "$WORK/stock.conf" "$SLURM_CONF"
ok "slurmctld restarts with the old lines" vc restart-ctld
vc wait-up >/dev/null
ok "nobody answers any more" nobody_answers
is "what ran goes on" "$(state "$a") $(cores "$a")" "RUNNING $held"
ok "a new job runs" running "$(job -N1 -n2)"
clear_jobs

# The slurmds have not read slurm.conf since: they name the folder, and from 23.11 on
# tell each slurmstepd so.
build=${COSCHED_BUILD:-$(dirname "$COSCHED_PREFIX")}
if [ -e "$build/Makefile" ]; then
	launches() {
		# A node that completes a job while the slurmds read slurm.conf anew may stay
		# COMPLETING for a minute: srun would wait for Slurm, not for our folder.
		vc wait-idle && timeout 30 srun -N4 -t 1 -o /dev/null true && vc wait-idle && return
		sinfo -N -o '%N %T %E'
		tail -n 15 "$(vc log)"
		return 1
	}
	ok "make uninstall" eval 'make -s -C "$build" prefix="$WORK/inst" uninstall >"$WORK/said" 2>&1'
	like "it says what it leaves" "$(cat "$WORK/said")" "$folder stays, empty"
	is "an empty folder" "$(ls -A "$folder")" ""
	ok "a job is launched after it, on every node" launches
	ok "scontrol reconfigure" scontrol reconfigure
	vc wait-up >/dev/null
	rmdir -p --ignore-fail-on-non-empty "$folder"
	ok "the folder is gone" test ! -e "$folder"
	ok "a job is launched without it, on every node" launches
else
	omit "make uninstall" "no build in $build: COSCHED_BUILD says where it is"
fi

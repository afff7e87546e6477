#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Slurm is upgraded under jobs that run and jobs that wait, in the order of its upgrade guide:
# slurmctld first, then one slurmd after another. The plugins for both releases lie in folders
# named by release, and `cosched conf --next` has written PluginDir. Mode act is on before and
# after, every job runs once and to its end, steps and allocations too, the history of runs
# and the partners of running jobs are kept. Where the plugins for the new release are
# missing, Slurm's own scheduler starts jobs, and status and doctor say why.
#
# COSCHED_NEXT_SLURM is the prefix of the next Slurm, COSCHED_NEXT_PREFIX that of a build of
# this checkout for it; contrib/test --next=PREFIX --next-source=DIR sets both.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our installation"
next_slurm=${COSCHED_NEXT_SLURM:-} next_prefix=${COSCHED_NEXT_PREFIX:-}
[ -n "$next_slurm" ] && [ -n "$next_prefix" ] ||
	skip "no Slurm to upgrade to: contrib/test --next=PREFIX --next-source=DIR"
release=$(slurmctld -V | awk '{ print $NF }')
next=$("$next_slurm/sbin/slurmctld" -V | awk '{ print $NF }')

# Months between the series of two releases
months_to() {
	awk -v from="$1" -v to="$2" 'BEGIN {
		split(from, a, "."); split(to, b, ".")
		print 12 * (b[1] - a[1]) + b[2] - a[2]
	}'
}
# Slurm reads the state of the three series before its own
months=$(months_to "$release" "$next")
[ "$months" -ge 0 ] && [ "$months" -le 18 ] ||
	skip "Slurm itself cannot go from $release to $next"

folder=$WORK/plugins
mkdir -p "$folder/$release" "$folder/$next"
cp "$PLUGINS"/*.so "$folder/$release"
cp "$next_prefix"/lib/cosched/slurm/*.so "$folder/$next"
PLUGINS=$folder/$release
next_stock=$(dirname "$(ls "$next_slurm"/lib{,64}/slurm/sched_backfill.so 2>/dev/null | head -n 1)")

# Commands say of each of Slurm's plugins of the other release that they pass over it.
exec 2> >(grep --line-buffered -v ': Incompatible Slurm plugin ' >&2)
cluster --nodes 5 --more cosched_start_estimates=yes
STATE=$COSCHED_VCLUSTER/state

# The site's preparation: both folders of ours. Slurm's own plugins of both releases lie in
# two folders here, where packages replace one by the other.
prepare() {
	local line

	line=$("$COSCHED" conf --plugin-dir "$folder" --next "$next" | grep '^PluginDir=')
	[ "$line" = "PluginDir=$folder/$release:$folder/$next:${line##*:}" ] || {
		echo "cosched conf: $line"
		return 1
	}
	sed -i "s|^PluginDir=.*|$line:$next_stock|" "$SLURM_CONF"
	vc restart-ctld && vc wait-up
}
history() { # of ended runs, each counted in every group that it is in
	awk '/^estimate group/ { n += NF - 3 } END { print n + 0 }' "$STATE/cosched_estimates" 2>/dev/null
}
partner() { # JOB's, as its comment names it
	scontrol show job "$1" | sed -n 's/^ *SystemComment=.*with job \([0-9]*\),.*/\1/p'
}
version_of() { # NODE's slurmd
	scontrol show node "$1" | sed -n 's/.* Version=\([0-9.]*\).*/\1/p'
}
doctor() {
	"$COSCHED" doctor | sed -n 's/^\([a-z]*\) *release */\1 /p'
}

# A job that runs until $WORK/end is there, in its batch script or in a step of it
cat >"$WORK/long" <<'SH'
#!/bin/bash
runs=$1 end=$2
echo "start $SLURM_JOB_ID 0" >>"$runs"
${3:-} bash -c 'until [ -e "$0" ]; do sleep 0.5; done' "$end" &&
	echo "end $SLURM_JOB_ID 0" >>"$runs"
SH
chmod 755 "$WORK/long"
long() { # [sbatch option]...
	sbatch --parsable -o /dev/null -t 30 "$@" "$WORK/long" "$RUNS" "$WORK/end" </dev/null
}

ok "PluginDir as cosched conf --next writes it" prepare
ok "mode act is on" wait_for 10 in_act
past=$(for _ in 1 2 3 4; do traced 1 -n1; done)
# shellcheck disable=SC2086
ok "(four jobs have ended)" wait_for 60 ended $past

# Two nodes: two jobs that share; a third: a job with a step; a fourth: an allocation
a=$(long -n4 --comment=cosched:profile=cg)
running "$a"
b=$(long -n4 --comment=cosched:profile=io)
running "$b"
stepped=$(sbatch --parsable -o /dev/null -t 30 -N1 --exclusive "$WORK/long" "$RUNS" \
	"$WORK/end" "srun -n1" </dev/null)
running "$stepped"
srun -Q -N1 -n1 --exclusive -t 30 -J interactive bash -c \
	'echo "start $SLURM_JOB_ID 0" >>"$0"; until [ -e "$1" ]; do sleep 0.5; done
	echo "end $SLURM_JOB_ID 0" >>"$0"' "$RUNS" "$WORK/end" >"$WORK/srun.out" 2>&1 &
srun=$!
wait_for 30 eval 'squeue -h -n interactive -t R -o %i | grep -q .'
interactive=$(squeue -h -n interactive -t R -o %i)
ok "jobs run: two that share, one with a step, an allocation" \
	running "$a" "$b" "$stepped" "$interactive"
is "the two share" "$(partner "$a") $(partner "$b")" "$b $a"

array=$(traced 1 -n1 --array=1-6 -w "$(nodes_of "$a" | sed 's/ .*//')")
wide=$(traced 1 -N5 --exclusive)
het=$(traced 1 -N1 -n1 : -t 10 -N2 -n2)
after=$(traced 1 -n1 -d "afterok:$a")
held=$(traced 1 -n1 -H)
ok "others wait" wait_for 5 waits "$array" "$wide" "$het" "$after" "$held"
where() {
	local j

	for j in "$a" "$b" "$stepped" "$interactive"; do
		printf '%s %s %s\n' "$j" "$(state "$j")" "$(cores "$j")"
	done
}
before=$(where)

# --- slurmctld

vc stop-ctld
known=$(history)
ok "(the history of the four is saved: $known)" test "$known" -ge 4
PATH=$next_slurm/bin:$next_slurm/sbin:$PATH
hash -r
ok "slurmctld $next starts in place of $release" vc start-ctld
is "it runs" "$(scontrol show config | sed -n 's/^SLURM_VERSION *= *//p')" "$next"
ok "mode act is on" wait_for 20 in_act
like "the other release's plugins were passed over" "$(cat "$CTLD_LOG")" \
	"Incompatible Slurm plugin $folder/$release/sched_backfill.so version \($release\)"
is "the old slurmd keep their jobs, on their cores" "$(where)" "$before"
is "the two still share" "$(partner "$a") $(partner "$b")" "$b $a"
ok "the jobs that wait are there" waits "$array" "$wide" "$het" "$after" "$held"
is "doctor names both folders, and is content" "$(doctor)" \
	"ok Slurm $next runs; of our plugins those in $PLUGINS are for $release; those in $folder/$next are for $next. Before an upgrade of Slurm build ours for its release."
ok "the nodes have registered" vc wait-up
quick=$(traced 1 -n1)
ok "a job starts on an old slurmd" wait_for 60 ended "$quick"

# --- slurmd

for n in n1 n2 n3 n4 n5; do
	ok "slurmd of $n is replaced" eval "vc kill-slurmd $n && vc start-node $n"
done
ok "the nodes have registered" vc wait-up
is "all nodes have the new slurmd" \
	"$(for n in n1 n2 n3 n4 n5; do version_of $n; done | sort -u)" "$next"
is "the jobs run on, on their cores" "$(where)" "$before"
touch "$WORK/end"
ok "they come to their ends" wait_for 60 ended "$a" "$b" "$stepped" "$interactive"
wait "$srun"
is "srun of the old release ends well" "$? $(cat "$WORK/srun.out")" "0 "
scontrol release "$held"
# shellcheck disable=SC2046
ok "all that waited has run" wait_for 120 ended "$wide" "$het" "$after" "$held" \
	$(seq -f "${array}_%.0f" 6)
ok "the queue is empty" wait_for 30 queue_empty
is "no job ran twice" "$(awk '{ print $1, $2 }' "$RUNS" | sort | uniq -d; grep double "$RUNS")" ""
same "the log decides the same again"

# --- plugins that are not built for the new release

mv "$folder/$next" "$folder/away" && mkdir "$folder/$next"
ok "slurmctld restarts without those for $next" vc restart-ctld
# without the first four it had at most the others and het's second component
all=$(grep -c '^end ' "$RUNS")
left=$(history)
ok "the history still has the first four of $all runs ($left)" test "$left" -gt $((known * (all - 3) / 4))
ok "a job starts by Slurm's own scheduler" running "$(job -n2)"
is "status says in one line why" "$("$COSCHED" status 2>&1)" \
	"cosched: status: the plugin is not loaded: Slurm $next runs, and passes over our plugins (those in $PLUGINS are for $release): Slurm's own scheduler decides. See cosched doctor"
like "doctor says what to do" "$(doctor)" \
	"^wrong Slurm $next runs; of our plugins those in $PLUGINS are for $release\. .* Build ours for $next .* restart slurmctld\.$"
rmdir "$folder/$next" && mv "$folder/away" "$folder/$next"
ok "with them it restarts" vc restart-ctld
ok "mode act is on again" wait_for 20 in_act
ok "a job starts" running "$(job -n2)"
clear_jobs
log_is_clean
omit "back to $release" "Slurm reads no state of a later series; within one it is not tried here"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sites: the leaf switches of a tree, three of unequal size, under
# policy=multisite-adaptive.  A job that one site holds soon waits for it, one that would
# wait long is split; its limit covers what crossing costs.  Slurm's --switches goes on;
# a topology that changes is noticed; bad settings are said and change nothing.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

tree=$WORK/tree.conf
cat >"$tree" <<'CONF'
SwitchName=l1 Nodes=n[1-4]
SwitchName=l2 Nodes=n[5-7]
SwitchName=l3 Nodes=n8
SwitchName=top Switches=l[1-3]
CONF
policy="cosched_mode=act,cosched_log=$LOG,cosched_policy=multisite-adaptive,cosched_sites=topology,cosched_across=0.5"
policy+=",cosched_learn_least_s=2"
SLEEP=900 # jobs end when they are told to
cluster --nodes 8 --topology "$tree" --params "$policy"

starts() {
	wait_for 5 is_state "$1" RUNNING
}
still_waits() { # JOB: in all of 3 s
	local i

	for ((i = 0; i < 15; i++)); do
		is_state "$1" PENDING || return
		sleep 0.2
	done
}
still_is() { # JOB LIMIT: in all of 3 s
	local i

	for ((i = 0; i < 15; i++)); do
		[ "$(field "$1" TimeLimit)" = "$2" ] || return
		sleep 0.2
	done
}
sites() {
	{ "$COSCHED" sites 2>/dev/null || :; } | awk '$1 != "SITE" && NF == 4 && $2 ~ /^[0-9]+$/ { print $1, $2, $3, $4 }' |
		paste -sd,
}
# whole [OPTION]...: a job with nodes of its own
whole() {
	job --exclusive "$@"
}
unfit() { # planned starts that did not fit, so far
	"$COSCHED" status --json | grep -oE '"starts_unfit": ?[0-9]+' | grep -oE '[0-9]+'
}
tidy() {
	clear_jobs
	vc wait-idle >/dev/null 2>&1
}

sites_are() {
	[ "$(sites)" = "$1" ]
}
ok "sites are the leaf switches" wait_for 10 sites_are "l1 4 4 4,l2 3 3 3,l3 1 1 1"
like "... and no job is on several" "$("$COSCHED" sites)" 'no job runs over several sites'

# --- one site, the tightest

one=$(whole -N1 -t10)
starts "$one"
is "a job of one node gets the smallest site" "$(nodes_of "$one")" n8
three=$(whole -N3 -t10)
starts "$three"
is "a job of three nodes gets the site of three" "$(nodes_of "$three")" "n5 n6 n7"
tidy

# --- it waits where a site is free soon, and says so

soon=$(whole -N4 -t2)
starts "$soon"
is "the largest site is taken" "$(nodes_of "$soon")" "n1 n2 n3 n4"
job4=$(whole -N4 -t10)
ok "a site is free in 2 minutes, crossing costs 5: the job waits" still_waits "$job4"
like "explain says what was weighed" "$("$COSCHED" explain "$job4")" \
	'no site has room for it; waits for one in 0:0[12]:.*; split over 2 now it would end in 0:1(5:00|4:5.)'
small=$(whole -N1 -t1)
ok "what ends before its promise passes" starts "$small"
scancel "$soon"
ok "its site is free: it starts" wait_for 15 is_state "$job4" RUNNING
is "... there" "$(nodes_of "$job4")" "n1 n2 n3 n4"
is "... with the limit it asked for" "$(field "$job4" TimeLimit)" 00:10:00
tidy

# --- it is split where no site is free for long

long=$(whole -N4 -t60)
starts "$long"
job4=$(whole -N4 -t10)
ok "a site is free in an hour, crossing costs 5 minutes: the job is split" starts "$job4"
is "... over the other two" "$(nodes_of "$job4")" "n5 n6 n7 n8"
is "... with a limit that covers the crossing" "$(field "$job4" TimeLimit)" 00:15:00
like "cosched sites shows it" "$("$COSCHED" sites)" "$job4 +2 +4 +1\\.500"
like "... and explain which they are" "$("$COSCHED" explain "$job4")" \
	'over 2 sites: 3 nodes of l2, 1 node of l3; counted as 1.50 times its time on one$'
like "... in JSON, too" "$("$COSCHED" explain "$job4" --json | tr -d ' \n')" \
	'"sites":\[\{"site":"l2","nodes":3\},\{"site":"l3","nodes":1\}\]'
like "... in JSON, too" "$("$COSCHED" sites --json | tr -d ' \n')" \
	"\"job\":$job4,\"id\":\"$job4\",\"sites\":2,\"nodes\":4"
scancel "$job4"
wait_for 10 gone "$job4"
vc wait-idle >/dev/null 2>&1
dear=$(whole -N4 -t10 --comment=cosched:across=7)
ok "a job that says crossing costs it 70 minutes waits" still_waits "$dear"
scancel "$dear"
cheap=$(whole -N4 -t10 --comment=cosched:across=0)
ok "one that says it costs nothing does not" starts "$cheap"
is "... and keeps its limit" "$(field "$cheap" TimeLimit)" 00:10:00
scancel "$cheap"
wait_for 10 gone "$cheap"
vc wait-idle >/dev/null 2>&1

# --- Slurm's own wish for switches

switches=$(whole -N4 -t10 --switches=1@10:00)
unfit=$(unfit)
ok "--switches=1 waits for one switch" still_waits "$switches"
like "... and explain says so" "$("$COSCHED" explain "$switches")" \
	'Slurm refused its start: it waits for as few switches as it asked for [(]--switches[)]'
is "... and it is no planned start that did not fit" "$(unfit)" "$unfit"
scancel "$switches"
wait_for 10 gone "$switches"
switches=$(whole -N4 -t10 --switches=1@0:05)
ok "--switches=1@0:05 for no longer than that" wait_for 30 is_state "$switches" RUNNING
is "... then it has two" "$(nodes_of "$switches")" "n5 n6 n7 n8"
scancel "$switches" "$long"
tidy

# --- what crossing has cost is learned, and not used

both() { # JOB: its end
	starts "$1"
	wait_for 40 gone "$1"
}
learned() { # "RUNS RUNS P" of the jobs named halo; nothing: no such line
	{ "$COSCHED" sites 2>/dev/null || :; } | awk '$1 ~ /\/halo$/ { print $3, $4, $5 }'
}
learned_is() {
	learned | awk -v a="$1" -v b="$2" -v from="$3" -v to="$4" \
		'{ found = $1 == a && $2 == b && $3 >= from && $3 <= to } END { exit !found }'
}
both "$(SLEEP=6 whole -N4 -t10 -J halo)"
both "$(SLEEP=6 whole -N4 -t10 -J halo)"
is "nothing is learned of jobs that ran on one site" "$(learned)" ""
long=$(whole -N4 -t60)
starts "$long"
split=$(SLEEP=15 whole -N4 -t10 -J halo)
both "$split"
ok "one split run of 15 s, two of 6 s on one site: p is 1.5" wait_for 10 learned_is 2 1 1.2 1.8
like "... in JSON, too" "$("$COSCHED" sites --json | tr -d ' \n')" \
	'"learned":\[\{"jobs":"[^"]*/halo","processes":4,"one_site_runs":2,"split_runs":1,"across":1\.[2-8]'
job4=$(whole -N4 -t10 -J halo)
starts "$job4"
is "... and a limit still covers what is set" "$(field "$job4" TimeLimit)" 00:15:00
tidy
scontrol reconfigure
ok "... and kept across a reconfigure" wait_for 20 learned_is 2 1 1.2 1.8
vc restart-ctld >/dev/null && vc wait-up >/dev/null
ok "... and a restart" wait_for 20 learned_is 2 1 1.2 1.8
wait_for 20 in_act
tidy

# --- looking ahead: what crossing takes counts once more for the others

look=${policy/multisite-adaptive/multisite+}
set_params "$look"
long=$(whole -N2 -w n1,n2 -t60)
starts "$long"
two=$(whole -N2 -t10)
starts "$two"
is "look: a job that fits one site is on the smallest, not where least is left" \
	"$(nodes_of "$two")" "n5 n6"
tidy
soon=$(whole -N4 -t8)
starts "$soon"
job4=$(whole -N4 -t10)
ok "look: a site is free in 8 minutes, crossing costs 5, and others 5: the job waits" \
	still_waits "$job4"
like "... explain says why, although split it would end sooner" "$("$COSCHED" explain "$job4")" \
	'waits for one in 0:0[78]:.*, ends in 0:1[78]:.*; split over 2 now it would end in 0:1(5:00|4:5.), but what crossing takes counts for others, too'
scancel "$soon"
ok "... its site is free: it starts" wait_for 15 is_state "$job4" RUNNING
is "... there" "$(nodes_of "$job4")" "n1 n2 n3 n4"
tidy
soon=$(whole -N4 -t30)
starts "$soon"
job4=$(whole -N4 -t10)
ok "look: a site is free in half an hour: the job is split" starts "$job4"
is "... over the other two" "$(nodes_of "$job4")" "n5 n6 n7 n8"
is "... with a limit that covers the crossing" "$(field "$job4" TimeLimit)" 00:15:00
tidy
set_params "$policy"

# --- larger than any site

large=$(whole -N8 -t10)
ok "a job that no site could hold is split" starts "$large"
like "... over all three" "$("$COSCHED" sites)" "$large +3 +8"
tidy

scontrol update PartitionName=main MaxTime=10
large=$(whole -N8 -t10)
ok "... also where its partition leaves no time for the crossing" starts "$large"
is "... with the limit that it may have" "$(field "$large" TimeLimit)" 00:10:00
like "... which explain says" "$("$COSCHED" explain "$large")" \
	'over 3 sites: 4 nodes of l1, 3 nodes of l2, 1 node of l3; counted as 1.50 times its time on one, which its limit does not cover'
tidy
long=$(whole -N4 -t9)
starts "$long"
job4=$(whole -N4 -t10)
ok "one that a site could hold waits for it, then" still_waits "$job4"
like "... and explain names what keeps it from being split" "$("$COSCHED" explain "$job4")" \
	'waits for one in 0:0[89]:.*; split over 2 now it would need a time limit of 0:15:00, and partition, QOS or association [(]MaxTime, MaxWall[)] allow 0:10:00'
tidy
scontrol update PartitionName=main MaxTime=UNLIMITED

# --- crossing costs less from now on: who was split before keeps the time for it

long=$(whole -N2 -w n1,n2 -t60)
starts "$long"
job4=$(whole -N4 -t10)
ok "a job is split where crossing costs a half" starts "$job4"
is "... with a limit that covers it" "$(field "$job4" TimeLimit)" 00:15:00
set_params "${policy/cosched_across=0.5/cosched_across=0.1}"
in_act
cheap=$(whole -N1 -t1)
ok "jobs start after a reconfigure by which it costs a tenth" starts "$cheap"
is "... the one that is split has its limit" "$(field "$job4" TimeLimit)" 00:15:00
like "... and explain its end" "$("$COSCHED" explain "$job4")" 'ends in 0:1(5:00|4:[0-5])'
vc restart-ctld >/dev/null && vc wait-up >/dev/null
wait_for 20 in_act
ok "... after a restart, too" still_is "$job4" 00:15:00
scontrol update JobId="$job4" TimeLimit=12
ok "... until an administrator lowers it" wait_for 10 still_is "$job4" 00:12:00
tidy
set_params "$policy"

# --- the topology changes under running jobs

long=$(whole -N4 -t60)
starts "$long"
job4=$(whole -N4 -t10)
ok "a job is split before the change" starts "$job4"
like "... over two sites" "$("$COSCHED" sites)" "$job4 +2 +4"
cat >"$COSCHED_VCLUSTER/topology.conf" <<'CONF'
SwitchName=l1 Nodes=n[1-4]
SwitchName=l2 Nodes=n[5-8]
SwitchName=top Switches=l[1-2]
CONF
scontrol reconfigure
wait_for 20 in_act
ok "after a reconfigure there are two sites" wait_for 20 sites_are "l1 4 4 0,l2 4 4 0"
ok "... and the jobs run on" is_state "$long" RUNNING
ok "... the one that is split, too" is_state "$job4" RUNNING
is "... where it was" "$(nodes_of "$job4")" "n5 n6 n7 n8"
like "... which is one site now" "$("$COSCHED" sites)" 'no job runs over several sites'
scancel "$job4"
wait_for 10 gone "$job4"
vc wait-idle >/dev/null 2>&1
dear=$(whole -N4 -t10 --comment=cosched:across=7)
ok "... a job of four nodes has one to itself" starts "$dear"
tidy

# --- a node below two switches, and a second switch over the same nodes

leaves=$COSCHED_VCLUSTER/topology.conf
cp "$leaves" "$WORK/two.conf"
cat >"$leaves" <<'CONF'
SwitchName=l1 Nodes=n[1-4]
SwitchName=l2 Nodes=n[4-8]
SwitchName=l3 Nodes=n[5-8]
SwitchName=top Switches=l[1-3]
CONF
marked=$(wc -l <"$CTLD_LOG")
scontrol reconfigure
odd="cosched_sites=topology: node 'n4' is below 'l1' and 'l2', and others are below two: such nodes count to the first; 1 switch has only such nodes, and is no site"
odd_status() {
	status_has "^WARNING: $odd"
}
ok "nodes below two switches: cosched status says so" wait_for 20 odd_status
wait_for 20 in_act
ok "... as a warning, which is exit status 0" "$COSCHED" status
is "... in site_warnings, not in site_error" "$("$COSCHED" status --json |
	python3 -c 'import json, sys; o = json.load(sys.stdin); print(*[w for w in o["site_warnings"] if "below" in w], o.get("site_error"))')" "$odd None"
is "... and the log, in one line" \
	"$(tail -n +$((marked + 1)) "$CTLD_LOG" | grep -cF "cosched: warning: $odd")" 1
ok "... and the first has them" wait_for 20 sites_are "l1 4 4 4,l2 4 4 4"
cp "$WORK/two.conf" "$leaves"
scontrol reconfigure
wait_for 20 in_act
nok "... once the switches are right nothing is said" odd_status

# --- beside conservative backfilling, with Slurm's order, packing by core

plan="${policy/multisite-adaptive/pack},cosched_site_rule=adaptive"
set_params "$plan"
soon=$(whole -N4 -t2)
other=$(whole -N2 -t60)
running "$soon" "$other"
job4=$(whole -N4 -t10)
ok "conservative: a site is free in 2 minutes: the job waits" still_waits "$job4"
like "... and is promised that" "$("$COSCHED" explain "$job4")" 'starts in 0:0[12]:'
scancel "$soon"
ok "... and starts there" wait_for 15 is_state "$job4" RUNNING
is "... on one site" "$(field "$job4" TimeLimit)" 00:10:00
tidy
long=$(whole -N2 -w n1,n2 -t60)
other=$(whole -N2 -w n5,n6 -t60)
running "$long" "$other"
job4=$(whole -N4 -t10)
ok "conservative: no site is free for an hour: the job is split" starts "$job4"
is "... over two sites" "$(nodes_of "$job4")" "n3 n4 n7 n8"
is "... with a limit that covers it" "$(field "$job4" TimeLimit)" 00:15:00
packed=$(job -n6 -t10)
ok "a job by core waits while whole nodes are taken" keeps_waiting "$packed"
tidy
packed=$(job -n6 -t10)
ok "... and starts when there are some" starts "$packed"
unlike "... on one site" "$("$COSCHED" sites)" "$packed +2"
tidy
set_params "$policy"

# --- bad settings

more=${policy/cosched_across=0.5/cosched_across=-1}
set_params "$more"
ok "p = -1 is refused in one line" wait_for 10 log_has \
	"'cosched_across' is '-1', expected a number from 0 to 100"
ok "... the last good setting goes on" wait_for 10 sites_are "l1 4 4 4,l2 4 4 4"
set_params "${policy/cosched_sites=topology/cosched_sites=nowhere}"
ok "sites that are no partitions are said" wait_for 10 log_has \
	"cosched_sites=nowhere: no partition 'nowhere', .*: going on with the last good sites"
said() {
	{ "$COSCHED" status || :; } | grep -q "^WARNING: .*no partition 'nowhere'"
}
ok "... by cosched status, too" wait_for 10 said
free=$(whole -N8 -t1)
ok "... and jobs start all the same" starts "$free"
tidy
set_params "${policy/cosched_sites=topology/cosched_sites=a++b}"
ok "an empty name in the list is refused" wait_for 10 log_has \
	"'cosched_sites' holds an empty name"

log_is_clean act
cluster_down

# --- blocks: Slurm itself has no job over two that one could hold

if ! slurmctld -V | grep -qE ' (2[4-9]|[3-9][0-9])\.'; then
	omit "blocks" "this release has no topology/block that tells its sizes"
	exit
fi
cat >"$tree" <<'CONF'
BlockName=b1 Nodes=n[1-2]
BlockName=b2 Nodes=n[3-4]
BlockName=b3 Nodes=n[5-6]
BlockName=b4 Nodes=n[7-8]
BlockSizes=2,4
CONF
rm -f "$LOG"
cluster --name blocks --nodes 8 --topology "$tree" --params "$policy"
ok "sites are the base blocks" wait_for 10 sites_are "b1 2 2 2,b2 2 2 2,b3 2 2 2,b4 2 2 2"
large=$(whole -N4 -t10)
ok "a job that no block holds is split" starts "$large"
like "... over two" "$("$COSCHED" sites)" "$large +2 +4 +1\\.500"
is "... with a limit that covers the crossing" "$(field "$large" TimeLimit)" 00:15:00
tidy
two=$(whole -N2 -t10)
ok "one that a block holds has one" starts "$two"
is "... to itself" "$(nodes_of "$two")" "n1 n2"
tidy
log_is_clean act

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sites that cannot be: a site without nodes, a node in two, an unknown node, no file.
# One line says what, where and what to do; the last good sites go on, by the names of
# their nodes, across a reconfigure and where the nodes change, too.  Partitions that
# change are noticed.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

file=$WORK/sites
put() {
	printf '%s\n' "$@" >"$file"
}
good_file=("# two racks" "r1 n[1-3]" "r2 n[4-5] # n6 is in none")
put "${good_file[@]}"
base="cosched_mode=act,cosched_log=$LOG,cosched_policy=multisite-adaptive,cosched_across=0.5"
from_file="$base,cosched_sites=$file"
cluster --nodes 6 --params "$from_file"

sites() {
	{ "$COSCHED" sites 2>/dev/null || :; } | awk '$1 != "SITE" && NF == 4 && $2 ~ /^[0-9]+$/ { print $1, $2 }' |
		paste -sd,
}
sites_are() {
	[ "$(sites)" = "$1" ]
}
mark() {
	marked=$(wc -l <"$CTLD_LOG")
}
lines() { # REGEX: how many since the mark
	tail -n +$((marked + 1)) "$CTLD_LOG" | grep -cE -- "$1"
}
said() {
	[ "$(lines "$1")" -gt 0 ]
}
read_again() {
	set_params "${1:-$from_file}"
}
unmarked() {
	! status_has "cosched_sites="
}
# refused TEXT REGEX: the sites in force are not as set; those before go on
racks="r1 3,r2 2,- 1"
refused() {
	ok "$1: the log says it" wait_for 10 said "cosched: cosched_sites=.*: $2: going on with the last good sites; mend it, then scontrol reconfigure"
	is "... in one line" "$(lines 'cosched: cosched_sites=')" 1
	ok "... and cosched status" wait_for 5 status_has "^WARNING: .*$2"
	nok "... with exit status 1" "$COSCHED" status
	ok "... the last good sites go on" wait_for 10 sites_are "$racks"
}

ok "sites are those of the file" wait_for 10 sites_are "$racks"
ok "... without a complaint" unmarked

bad_file() { # TEXT REGEX LINE...
	local text=$1 regex=$2

	shift 2
	put "$@"
	mark
	read_again
	refused "$text" "$regex"
}
bad_file "a site without nodes" "line 2: site 'r2' has no nodes, expected SITE NODES" "r1 n1" r2
bad_file "a node in two sites" "line 2: node 'n3' is in 'r1' and in 'r2', expected one of them, once" \
	"r1 n[1-3]" "r2 n[3-6]"
bad_file "a node that is none" "line 1: no node 'n7', expected nodes of slurm.conf" "r1 n[1-9]"
bad_file "several errors" "line 1: no node 'x', expected nodes of slurm.conf, and 2 more [(]cosched conf --check tells all[)]" \
	"r1 x" r2 "r3 n1,n1"
bad_file "no line" "no site, expected lines of SITE NODES"
rm "$file"
mark
read_again
refused "no file" "No such file or directory, expected a readable file"
mkdir "$file"
mark
read_again
refused "a folder" "Is a directory, expected a readable file"
rmdir "$file"
job4=$(job --exclusive -N4 -t10)
ok "what fits none of them is split" wait_for 5 is_state "$job4" RUNNING
like "... over the last good ones" "$("$COSCHED" sites)" "$job4 +2 +4"
clear_jobs

# --- a restart is an administrator's: there are no last good ones

mark
vc restart-ctld && vc wait-up >/dev/null
ok "no file at the start: no sites" wait_for 10 said "cosched_sites=.*No such file.*: sites are not looked at; mend it"
in_act
ok "... nor are there after a reconfigure" eval 'read_again; wait_for 10 status_has "sites are not looked at"'
put "${good_file[@]}"
read_again
ok "a good file brings them back" wait_for 10 sites_are "$racks"
ok "... without a complaint" wait_for 5 unmarked

# --- p

for p in -1 NaN 1e9; do
	mark
	read_again "${from_file/across=0.5/across=$p}"
	ok "across=$p: the log says it" wait_for 10 said "cosched: .*'cosched_across' is '$p', expected a number from 0 to 100.*going on with the last good setting"
	is "... in one line" "$(lines "'cosched_across' is")" 1
	ok "... the last good setting goes on" wait_for 10 sites_are "$racks"
	mark
	j=$(SLEEP=0 job -N1 --comment="cosched:across=$p")
	ok "a job's across=$p: the log says it" wait_for 5 said \
		"cosched: job $j has a malformed comment: across is '$p', expected a number from 0 to 100: taken for none"
	ok "... and the job runs" wait_for 20 gone "$j"
	is "... in one line" "$(lines "job $j has a malformed")" 1
	printf '{"version":1,"profiles":{"cg":{"across":%s}}}\n' "$p" >"$WORK/p.json"
	mark
	read_again "$from_file,cosched_profiles=$WORK/p.json"
	ok "a profile's across=$p: the log says it" wait_for 10 said "cosched: .*p.json:1: .*going on .*with the last good setting"
	is "... in one line" "$(lines "p.json:1")" 1
	ok "... the last good setting goes on" wait_for 10 sites_are "$racks"
done

# --- partitions

cat >>"$SLURM_CONF" <<'CONF'
PartitionName=p1 Nodes=n[1-2] State=UP
PartitionName=p2 Nodes=n[3-5] State=UP
CONF
read_again "$base,cosched_sites=p1+p2"
racks="p1 2,p2 3,- 1"
ok "sites are partitions" wait_for 10 sites_are "$racks"
scontrol update PartitionName=p2 Nodes=n3,n4
racks="p1 2,p2 2,- 2"
ok "a partition with other nodes is noticed" wait_for 10 sites_are "$racks"
mark
scontrol update PartitionName=p2 Nodes=n2,n3,n4
refused "a node in two partitions" "node 'n2' is in 'p1' and in 'p2', expected one of them, once"
mark
read_again "$base,cosched_sites=p1+p2,cosched_site_lower_bound=1"
ok "... at a reconfigure slurm.conf's are back" wait_for 10 sites_are "p1 2,p2 3,- 1"
racks="p1 2,p2 3,- 1"
sed -i 's/^PartitionName=p2 .*/PartitionName=p2 Nodes=n[2-5] State=UP/' "$SLURM_CONF"
mark
read_again "$base,cosched_sites=p1+p2"
refused "a node in two of slurm.conf's" "node 'n2' is in 'p1' and in 'p2', expected one of them, once"
mark
read_again "$base,cosched_sites=p1+p3"
refused "a partition that is none" "no partition 'p3', expected partitions joined by '[+]'"
mark
scontrol create PartitionName=p3 Nodes=n6
racks="p1 2,p3 1,- 3"
ok "... is noticed when it is made" wait_for 10 sites_are "$racks"
ok "... and the complaint is over" wait_for 5 unmarked
mark
read_again "$base,cosched_sites=topology"
refused "no topology" "no switches and no blocks, expected a TopologyPlugin with such, partitions joined by '[+]', or a file"

# --- no rule is a good setting

mark
read_again "${base/multisite-adaptive/pack}"
ok "without a rule there are no sites" wait_for 10 sites_are ""
ok "... and no complaint" wait_for 5 unmarked
ok "... and none are kept" wait_for 10 test ! -e "$COSCHED_VCLUSTER/state/cosched_sites"
mark
read_again "${base/multisite-adaptive/pack},cosched_sites=topology"
ok "where some are given the log says so" wait_for 10 said \
	'cosched: warning: cosched_sites=topology without a rule is not looked at: expected cosched_site_rule'
is "... in one line" "$(lines 'without a rule is not looked at')" 1
ok "... and no complaint" unmarked
read_again "$base,cosched_sites=nowhere"
ok "... and no last good ones" wait_for 10 status_has "sites are not looked at"

unlike "slurmctld's log has no crash, no fallback" "$(cat "$CTLD_LOG")" \
	'job overflow|[Ss]egmentation|core dumped|cosched: (watchdog:|the gate had lapsed|.*mode [a-z]* (ends|is not possible))'
ok "mode act to the end" in_act

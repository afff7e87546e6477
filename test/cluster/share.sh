#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which share a node, on which cores, at what limit; and what a user's
# own layout, memory, threads, weights, features and partitions make of it.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# a, b, c and d go with each other, p goes better with r than with q
cat >"$WORK/wide.json" <<'JSON'
{"version":1,
 "profiles":{"a":{"self":{"1":1.0,"2":1.05,"8":1.7}}, "b":{"self":{"1":1.0,"2":1.05,"8":1.7}},
             "c":{"self":{"1":1.0,"2":1.05,"8":1.7}}, "d":{"self":{"1":1.0,"2":1.05,"8":1.7}},
             "p":{"self":{"1":1.0,"2":1.05,"4":1.7}}, "q":{"self":{"1":1.0,"2":1.05,"4":1.7}},
             "r":{"self":{"1":1.0,"2":1.05,"4":1.7}}},
 "pairs":[{"of":"a","beside":"b","slowdown":1.02}, {"of":"b","beside":"a","slowdown":1.02},
          {"of":"a","beside":"c","slowdown":1.02}, {"of":"c","beside":"a","slowdown":1.02},
          {"of":"a","beside":"d","slowdown":1.02}, {"of":"d","beside":"a","slowdown":1.02},
          {"of":"b","beside":"c","slowdown":1.02}, {"of":"c","beside":"b","slowdown":1.02},
          {"of":"b","beside":"d","slowdown":1.02}, {"of":"d","beside":"b","slowdown":1.02},
          {"of":"c","beside":"d","slowdown":1.02}, {"of":"d","beside":"c","slowdown":1.02},
          {"of":"p","beside":"q","slowdown":1.20}, {"of":"q","beside":"p","slowdown":1.20},
          {"of":"p","beside":"r","slowdown":1.02}, {"of":"r","beside":"p","slowdown":1.02}]}
JSON
# n1-n4 as ever, n5 2 sockets of 4 cores, n6 with threads, n7 and n8 to choose from
cat >"$WORK/partitions.conf" <<'CONF'
PartitionName=main Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
PartitionName=tight Nodes=n[1-4] MaxTime=100 State=UP
PartitionName=wide Nodes=n5 MaxTime=INFINITE State=UP
PartitionName=smt Nodes=n6 MaxTime=INFINITE State=UP
PartitionName=choice Nodes=n[7-8] MaxTime=INFINITE State=UP
CONF
cluster --nodes 8 --node 'n5 CoresPerSocket=4' --node 'n6 ThreadsPerCore=2' \
	--node 'n7 Weight=9 Feature=old' --node 'n8 Weight=2 Feature=new' \
	--set PartitionName= --conf "$WORK/partitions.conf"

# params POLICY PROFILES [KEY=VALUE,...]: mode act with these, in force
params() {
	set_params "cosched_mode=act,cosched_policy=$1,cosched_profiles=$2,cosched_log=$LOG${3:+,$3}"
	if ! in_act || status_warns; then
		bad "new parameters are in force ($*)" \
			"$("$COSCHED" status 2>&1; grep cosched "$CTLD_LOG" | tail -n 5)"
	fi
}
comment_of() {
	scontrol show job "$1" | sed -n 's/^ *SystemComment=//p'
}
minutes() { # TimeLimit of a job in minutes
	squeue -h -j "$1" -o %l | awk -F'[-:]' '
		/-/	{ print ($1 * 24 + $2) * 60 + $3; next }
		NF == 3	{ print $1 * 60 + $2; next }
			{ print $1 }'
}
more_than() {
	[ "$(minutes "$1")" -gt "$2" ]
}
at_most() {
	[ "$(minutes "$1")" -le "$2" ]
}
# Cores (not CPUs) of a job that another holds too, with $1 threads a core.
cores_twice() {
	holdings | awk -v t="$1" '{ print $1, $2, int($3 / t) }' | sort -u | held_twice
}
shares_with() { # job, partner, slowdown
	[[ $(comment_of "$1") == *"with job $2, slowdown $3"* ]]
}
explains() { # explains JOB REGEX
	"$COSCHED" explain "$1" 2>&1 | grep -qE -- "$2"
}
pair_on_two_nodes() {
	local a b

	a=$(profiled cg -n4)
	running "$a"
	b=$(profiled io -n4)
	ok "A and B run" running "$a" "$b"
	is "A has a core of each socket of two nodes" "$(cores "$a")" "n1:0,2 n2:0,2"
	is "B has the other two cores of the same nodes" "$(cores "$b")" "n1:1,3 n2:1,3"
	is "no CPU is held twice" "$(holdings | held_twice)" ""
	is "eight CPUs are held" "$(holdings | wc -l)" 8
	wait_for 5 shares_with "$a" "$b" 1.05
	like "system_comment says with which (A)" "$(comment_of "$a")" "group [0-9]+.*with job $b, slowdown 1.05"
	like "system_comment says with which (B)" "$(comment_of "$b")" "group [0-9]+.*with job $a, slowdown 1.10"
	like "explain says it too" "$("$COSCHED" explain "$a" 2>&1)" "shares with job $b \(io\)"
	like "groups lists them" "$("$COSCHED" groups 2>&1)" "\b$b\b"
	clear_jobs
}

limits() {
	local a b

	a=$(LIMIT=100 profiled cg -N2 -n4)
	running "$a"
	is "a limit is the user's while the job is alone" "$(minutes "$a")" 100
	b=$(LIMIT=100 profiled io -N2 -n4)
	running "$b"
	is "B shares with A" "$(nodes_of "$b")" "$(nodes_of "$a")"
	# 1.05 and 1.10 times what was left
	ok "A's limit is raised by its slowdown" wait_for 5 more_than "$a" 103
	ok "B's limit is raised by its slowdown" wait_for 5 more_than "$b" 108
	ok "neither by more" at_most "$a" 106
	ok "neither by more (B)" at_most "$b" 111
	scancel "$b"
	ok "A's limit is taken back when B ends" wait_for 8 at_most "$a" 101
	like "what sharing cost stands in system_comment" "$(comment_of "$a")" \
		"shared its nodes, which cost it [0-9]+ s"
	clear_jobs
	# a partition's limit is kept: no sharing rather than above it
	a=$(LIMIT=100 profiled cg -p tight -N2 -n4)
	running "$a"
	b=$(LIMIT=100 profiled io -N2 -n4)
	ok "beside one whose limit cannot rise another runs" running "$b"
	isnt "on other nodes" "$(nodes_of "$b")" "$(nodes_of "$a")"
	is "its limit stays that of the partition" "$(minutes "$a")" 100
	scancel "$a" "$b"
	wait_for 10 queue_empty
	a=$(LIMIT=50 profiled cg -p tight -N2 -n4)
	running "$a"
	b=$(LIMIT=50 profiled io -N2 -n4)
	running "$b"
	is "with room below the partition's limit it is" "$(nodes_of "$b")" "$(nodes_of "$a")"
	clear_jobs
}

incompatible() {
	local a b c

	a=$(profiled cg -n8)
	running "$a"
	b=$(profiled mem -N2 -n4)
	ok "an incompatible job waits beside free cores" keeps_waiting "$b"
	ok "explain says what for" wait_for 10 explains "$b" "waits: .*needs 2 nodes"
	ok "explain names the slowdown" wait_for 10 explains "$b" \
		"beside job $a \(cg, running\): slowdown above max_slowdown"
	# short enough to end before it, slow enough alone not to hold up the first
	c=$(LIMIT=5 profiled io -n4)
	ok "a complementary one passes it" running "$c"
	is "no CPU is held twice then" "$(holdings | held_twice)" ""
	scancel "$a" "$c"
	ok "it starts when it is alone" running "$b"
	clear_jobs
}

no_sharing() {
	local a b

	a=$(profiled cg -N4 -n8)
	running "$a"
	b=$(job --comment="cosched:profile=io,share=no" -N1 -n2)
	ok "share=no waits for a node of its own" keeps_waiting "$b"
	scancel "$b"
	b=$(profiled io -N1 -n2 --exclusive)
	ok "--exclusive waits for a node of its own" keeps_waiting "$b"
	scancel "$a"
	running "$b"
	like "--exclusive has all cores of its node" "$(cores "$b")" "^n[1-4]:0-3$"
	a=$(profiled cg -N4 -n8)
	ok "nobody comes beside --exclusive" keeps_waiting "$a"
	clear_jobs
}

# Nodes, as scontrol has them, on which job $1 holds cores and another does too.
met_by() {
	local id=$1

	holdings | awk -v id="$id" '
		$1 == id	{ own[$2] = 1 }
		$1 != id	{ other[$2] = 1 }
		END		{ for (n in own) if (n in other) print n }'
}

no_sharing_without_profile() {
	local a b c i

	a=$(job --comment=cosched:share=no -n1)
	b=$(job -n1)
	c=$(job --comment=cosched:share=no -n3)
	running "$a" "$b" "$c"
	is "share=no without a profile: nobody on its node" "$(met_by "$a")" ""
	is "nor on that of another" "$(met_by "$c")" ""
	is "its processes stand on one node" "$(nodes_of "$c" | wc -w)" 1
	for ((i = 0; i < 12; i++)); do
		job -n1 >/dev/null
	done
	sleep 2
	is "whoever comes later: two nodes are left to them" \
		"$(squeue -h -t R -o %i | wc -l)" 10
	is "not beside the first" "$(met_by "$a")" ""
	is "not beside the third" "$(met_by "$c")" ""
	scontrol reconfigure
	wait_for 10 in_act
	sleep 2
	is "nor after a reconfigure" "$(met_by "$a")$(met_by "$c")" ""
	vc restart-ctld && vc wait-up >/dev/null
	wait_for 10 in_act
	sleep 2
	is "nor after a restart" "$(met_by "$a")$(met_by "$c")" ""
	scancel "$b"
	job --comment=cosched:share=no -n1 >/dev/null
	sleep 2
	is "the next of them waits for an empty node" "$(squeue -h -t R -o %i | wc -l)" 10
	clear_jobs
}

memory() {
	local a b c

	a=$(profiled cg -N2 -n4 --mem=1500)
	running "$a"
	b=$(profiled io -N2 -n4 --mem=1000)
	c=$(profiled io -N2 -n4 --mem=300)
	running "$a" "$b" "$c"
	is "a job whose memory does not fit beside another goes elsewhere" \
		"$(nodes_of "$a") $(nodes_of "$b")" "n1 n2 n3 n4"
	is "one whose memory fits goes beside it" "$(nodes_of "$c")" "n1 n2"
	clear_jobs
}

layouts() {
	local j

	j=$(profiled cg -N3 -n3)
	running "$j"
	is "-N3 -n3: three nodes, one process each" "$(cores "$j")" "n1:0 n2:0 n3:0"
	clear_jobs
	j=$(profiled cg -N1 -n4)
	running "$j"
	is "-N1 -n4: all of one node" "$(cores "$j")" "n1:0-3"
	clear_jobs
	j=$(profiled cg -n4 --ntasks-per-node=1)
	running "$j"
	is "--ntasks-per-node=1: four nodes" "$(nodes_of "$j")" "n1 n2 n3 n4"
	clear_jobs
	j=$(profiled cg -n2 -c2)
	running "$j"
	is "-n2 -c2: two processes of two CPUs" "$(field "$j" NumCPUs) $(field "$j" CPUs/Task)" "4 2"
	clear_jobs
	j=$(profiled cg -N2 -n4 -c2)
	running "$j"
	is "-N2 -n4 -c2: all of two nodes" "$(cores "$j")" "n1:0-3 n2:0-3"
	clear_jobs
}

nodes_to_choose() {
	local a b

	a=$(profiled cg -p choice -N1 -n2)
	running "$a"
	is "the node of least weight comes first" "$(nodes_of "$a")" n8
	b=$(profiled io -p choice -N1 -n2 --constraint=old)
	running "$b"
	is "a feature is asked for" "$(nodes_of "$b")" n7
	scancel "$b"
	b=$(profiled io -p choice -N1 -n2 --constraint=new)
	running "$b"
	is "a partner has the feature too" "$(nodes_of "$b")" n8
	is "no CPU is held twice there" "$(holdings | held_twice)" ""
	clear_jobs
}

threads() {
	local a b

	a=$(profiled cg -p smt -n2)
	b=$(profiled io -p smt -n2)
	running "$a" "$b"
	is "a core with two threads belongs to one job" "$(cores_twice 2)" ""
	is "both are on it" "$(nodes_of "$a") $(nodes_of "$b")" "n6 n6"
	is "each CPU of a core comes with the other" \
		"$(holdings | awk '{ print $1, int($3 / 2) }' | sort | uniq -c | awk '$1 != 2')" ""
	clear_jobs
}

users() {
	local a b c

	params cst "$PROFILES" cosched_share_scope=user
	a=$(vc run --user nobody sbatch --parsable -D / -o /dev/null -n8 -t 10 \
		--comment=cosched:profile=cg --wrap "sleep 60" </dev/null)
	running "$a"
	b=$(vc run --user daemon sbatch --parsable -D / -o /dev/null -N1 -n2 -t 10 \
		--comment=cosched:profile=io --wrap "sleep 60" </dev/null)
	ok "share_scope=user: another user's job waits" keeps_waiting "$b"
	c=$(vc run --user nobody sbatch --parsable -D / -o /dev/null -n2 -t 5 \
		--comment=cosched:profile=io --wrap "sleep 60" </dev/null)
	ok "share_scope=user: his own job shares" running "$c"
	scancel "$c" # what is in a group takes none in
	wait_for 10 gone "$c" || bad "his job is cancelled" "$(squeue)"
	params cst "$PROFILES"
	ok "without it the other user's shares, too" running "$b"
	is "no core is held twice by two users" "$(holdings | held_twice)" ""
	params cst "$PROFILES" cosched_share_scope=user
	clear_jobs
}

# user [sbatch option]...: a job of his on a core, or as many as he says
of_user() {
	local user=$1

	shift
	vc run --user "$user" sbatch --parsable -D / -o /dev/null -n1 -t 10 "$@" \
		--wrap "sleep 60" </dev/null
}

# Nodes on which jobs of two users hold cores.
of_two_users() {
	squeue -h -t R -o '%u %N' | while read -r user list; do
		scontrol show hostnames "$list" | sed "s/$/ $user/"
	done | sort -u | cut -d' ' -f1 | uniq -d
}

users_without_profile() {
	local a b i

	a=$(of_user nobody)
	b=$(of_user daemon)
	ok "share_scope=user: jobs of two users without a profile run" running "$a" "$b"
	isnt "not on one node" "$(nodes_of "$a")" "$(nodes_of "$b")"
	for ((i = 0; i < 9; i++)); do
		of_user nobody -p main >/dev/null
		of_user daemon -p main >/dev/null
	done
	ok "sixteen of twenty run, on every core" wait_for 10 sixteen_run
	is "none beside another user's" "$(of_two_users)" ""
	scancel "$a" "$b"
	sleep 3
	is "nor do they where cores are free again" "$(of_two_users)" ""
	is "each user has two nodes" "$(squeue -h -t R -o '%u %N' | sort -u |
		cut -d' ' -f1 | uniq -c | awk '{ print $1 }' | paste -sd' ')" "2 2"
	vc restart-ctld && vc wait-up >/dev/null
	wait_for 10 in_act
	sleep 2
	is "nor after a restart" "$(of_two_users)" ""
	clear_jobs
	of_user nobody -N4 -n4 >/dev/null
	wait_for 10 eval '[ "$(squeue -h -t R -o %i | wc -l)" = 1 ]'
	a=$(of_user nobody -N1 : -N1 -n1)
	b=$(of_user daemon -N1 : -N1 -n1)
	ok "a heterogeneous job of his comes beside his own" running "$a"
	ok "and another's waits" keeps_waiting "$b"
	clear_jobs
}

three_on_a_node() {
	local a b c d

	params cst "$WORK/wide.json" cosched_jobs_per_node=3
	a=$(profiled a -p wide -n2)
	b=$(profiled b -p wide -n2)
	c=$(profiled c -p wide -n2)
	ok "jobs_per_node=3: three share a node of 2 x 4 cores" running "$a" "$b" "$c"
	is "six CPUs of it are held" "$(holdings | wc -l)" 6
	is "none of them twice" "$(holdings | held_twice)" ""
	is "each job has one core of each socket" \
		"$(holdings | awk '{ print $1, int($3 / 4) }' | sort -u | wc -l)" 6
	d=$(profiled d -p wide -n2)
	ok "a fourth waits, though two cores are free" keeps_waiting "$d"
	params cst "$WORK/wide.json" cosched_jobs_per_node=4
	ok "with jobs_per_node=4 it comes" running "$d"
	clear_jobs
}

# Three wait for the same moment: p, then q, which suits it, then r, which suits it better.
partner_of_p() {
	local block p q r

	block=$(job -N4 --exclusive)
	running "$block"
	p=$(profiled p -N2 -n4)
	q=$(profiled q -N2 -n4)
	r=$(profiled r -N2 -n4)
	scancel "$block"
	running "$p" "$q" "$r"
	case $(nodes_of "$p") in
	"$(nodes_of "$q")") echo q ;;
	"$(nodes_of "$r")") echo r ;;
	*)	echo "nobody: $(squeue -h -o '%i %T %N' | paste -sd' ')" ;;
	esac
	clear_jobs
}

choice_of_partner() {
	params cstws "$WORK/wide.json"
	is "pair-first takes the first suitable partner" "$(partner_of_p)" q
	params cst "$WORK/wide.json"
	is "pair-best takes the one with the higher gain" "$(partner_of_p)" r
}

serial_ones() {
	local i n

	for ((i = 0; i < 40; i++)); do
		job -n1 -p main >/dev/null
	done
	wait_for 10 sixteen_run
	sleep 1
	n=$(squeue -h -t R -o %i | wc -l)
	is "forty serial jobs without a profile: as many run as there are cores" "$n" 16
	is "each on a core of its own" "$(holdings | sort -u -k2 | wc -l) $(holdings | held_twice)" "16 "
	clear_jobs
}
sixteen_run() {
	[ "$(squeue -h -t R -o %i | wc -l)" -ge 16 ]
}

pair_on_two_nodes
limits
incompatible
no_sharing
no_sharing_without_profile
memory
layouts
nodes_to_choose
threads
serial_ones
users
users_without_profile
choice_of_partner
three_on_a_node
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bad input: one clear line in slurmctld's log and in cosched status, scheduling
# goes on with the last good setting, slurmctld lives, no job is lost.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

good_params="cosched_mode=act,$SHARED"
cluster --nodes 4
socket=$COSCHED_VCLUSTER/state/cosched.sock
witness=$(SLEEP=300 profiled cg -N2 -n4) # runs through all of this
running "$witness"
# lives TEXT: the slurmctld that was there after the last reconfigure
lives() {
	is "$1: slurmctld lives" "$(ctld_pid)" "$ctld"
}

# mark: from here on the log is new
mark() {
	marked=$(wc -l <"$CTLD_LOG")
}
lines() { # lines REGEX: how many lines since the mark
	tail -n +$((marked + 1)) "$CTLD_LOG" | grep -cE -- "$1"
}
said() {
	[ "$(lines "$1")" -gt 0 ]
}
# works TEXT: a complementary job still starts beside the witness
works() {
	local j

	if [ "$("$COSCHED" status | sed -n '1s/.*mode \([a-z]*\),.*/\1/p')" = off ]; then
		j=$(profiled mem -N2 -n4 --nodelist=n1,n2)
		ok "$1: stock scheduling goes on" running "$j"
		scancel "$j"
		wait_for 10 gone "$j"
		return
	fi
	j=$(profiled io -N2 -n4)
	if running "$j" && [ "$(nodes_of "$j")" = "$(nodes_of "$witness")" ]; then
		good "$1: jobs start and share as before"
	else
		bad "$1: jobs start and share as before" "$(squeue; "$COSCHED" explain "$j" 2>&1)"
	fi
	scancel "$j"
	wait_for 10 gone "$j"
}

# --- parameters and profile files

# refused TEXT PARAMETERS LOG-REGEX [STATUS-REGEX]: from 23.11 on a reconfigure is a
# new process, which finds the last good setting in StateSaveLocation
refused() {
	mark
	set_params "$2"
	ok "$1: slurmctld's log says it" wait_for 8 said "cosched: .*$3"
	sleep 0.5
	is "$1: in one line" "$(lines "cosched: .*$3")" 1
	ok "$1: cosched status says it" wait_for 5 status_has "${4:-$3}"
	ok "$1: mode act goes on" status_has "mode act,"
	works "$1"
}
# switched_off TEXT PARAMETERS LOG-REGEX: off holds, whatever else is wrong
switched_off() {
	mark
	set_params "$2"
	ok "$1: mode off" wait_for 8 status_has "mode off, Slurm's own scheduler decides\$"
	ok "$1: slurmctld's log says what is wrong" said "cosched: .*$3"
	works "$1"
	cured "mode shadow"
	works "mode act again" # its engine has seen the nodes
}
cured() {
	set_params "$good_params"
	ok "$1: a good setting clears it" wait_for 8 eval '! status_warns'
}

parameters() {
	refused "unknown key" "$good_params,cosched_polcy=cst" "cosched_polcy"
	refused "malformed value" "$good_params,cosched_max_slowdown=1.2x" \
		"cosched_max_slowdown.*1\.2x"
	refused "value out of range" "$good_params,cosched_jobs_per_node=0" \
		"cosched_jobs_per_node"
	refused "key given twice" "$good_params,cosched_mode=act" "cosched_mode"
	cured "parameters"
	switched_off "cosched_mode=off beside a bad value" \
		"${good_params/mode=act/mode=off},cosched_max_slowdown=0.5" "cosched_max_slowdown"
	switched_off "cosched_mode=off at the end" "$good_params,cosched_mode=off" \
		"cosched_mode.*given twice"
	set_params "$good_params"
	ok "without it: mode act again" wait_for 10 in_act
	refused "profile file that is not there" \
		"${good_params/$PROFILES/$WORK/none.json}" "$WORK/none.json"
	printf '{"version":1,\n "profiles":{"cg":{"slef":{}}}}\n' >"$WORK/wrong.json"
	refused "profile file with an unknown key" \
		"${good_params/$PROFILES/$WORK/wrong.json}" "wrong.json.*2.*slef"
	head -c 4096 /dev/urandom >"$WORK/noise.json"
	refused "profile file of noise" \
		"${good_params/$PROFILES/$WORK/noise.json}" "noise.json"
	mkdir "$WORK/folder.json"
	refused "profile file that is a folder" \
		"${good_params/$PROFILES/$WORK/folder.json}" "folder.json"
	cured "profile files"
	same_name
	set_params "${good_params/mode=act/mode=shadow}"
	ok "mode shadow" wait_for 10 status_has "mode shadow,"
	set_params "$good_params,cosched_polcy=cst"
	ok "unknown key in mode shadow: it is said" wait_for 8 status_has "cosched_polcy"
	ok "unknown key in mode shadow: that goes on" status_has "mode shadow,"
	cured "mode shadow"
	works "mode act again" # its engine has seen the nodes
}

# The good profile file is broken where it stands. From 23.11 on, where a reconfigure is
# a new process, the profiles go on that StateSaveLocation has.
same_name() {
	cp "$PROFILES" "$WORK/profiles.good"
	printf '{"version":' >"$PROFILES"
	mark
	scontrol reconfigure
	ok "a broken profile file of the same name: the log says it" \
		wait_for 8 said "cosched: .*$PROFILES:1.*; going on in mode act with the last good setting"
	is "... in one line" "$(lines "cosched: .*$PROFILES:1")" 1
	ok "... cosched status says it" wait_for 8 status_has "^WARNING: .*$PROFILES:1.*going on"
	ok "... mode act goes on" wait_for 8 in_act
	works "... by the last good profiles"
	new_process "... a new process"
	set_params "$good_params,cosched_polcy=cst"
	ok "... and a bad line: mode act goes on" wait_for 8 in_act
	works "... and a bad line"
	set_params "$good_params"
	vc restart-ctld && vc wait-up >/dev/null
	ok "... a restart is mode off" wait_for 8 status_has "mode off,"
	ok "... which names the policy that is set" \
		status_has "mode off, Slurm's own scheduler decides \(policy cst is set, for shadow or act\)"
	new_process_has "mode off,"
	ok "... and so is a reconfigure after it: none were good since" \
		wait_for 8 status_has "mode off,"
	cp "$WORK/profiles.good" "$PROFILES"
	set_params "$good_params"
	ok "... the mended file" wait_for 8 in_act
	works "... the mended file"
	ctld=$(ctld_pid)
}
# new_process_has TEXT: what a reconfigure is from 23.11 on, on any release
new_process_has() {
	if slurmctld -V | grep -q ' 22\.'; then
		vc stop-ctld && SLURMCTLD_RECONF=1 vc start-ctld && vc wait-up >/dev/null
	else # such a start has the sockets of the process before it
		scontrol reconfigure
	fi
	wait_for 10 status_has "$1"
}
new_process() { # TEXT
	mark
	ok "$1: mode act goes on" new_process_has "mode act,"
	ok "$1: the log says why" wait_for 8 said "cosched: .*$PROFILES:1.*; going on in mode act with the last good setting"
	is "$1: in one line" "$(lines "cosched: .*$PROFILES:1")" 1
	works "$1"
}

# Nobody has asked to read the profile file again.
edited() {
	cp "$PROFILES" "$WORK/profiles.good"
	printf '{"version":' >"$PROFILES"
	mark
	scontrol update NodeName=n4 Weight=5
	ok "a profile file that is being edited: the nodes change" \
		wait_for 8 grep -q '"ev":"node",.*"weight":5' "$LOG"
	sleep 1.2 # one round of the thread
	ok "a profile file that is being edited: mode act goes on" in_act
	works "a profile file that is being edited"
	is "a profile file that is being edited: it was not read" \
		"$(lines "cosched: .*$PROFILES")" 0
	scontrol update NodeName=n4 Weight=1
	cp "$WORK/profiles.good" "$PROFILES"
}

# A line of slurm.conf that Slurm's parser dies of: conf --check must not say ok, and must
# of one that it reads.
broken_lines() {
	local line f=$WORK/broken.conf reads says

	while IFS= read -r line; do
		grep -v ^SchedulerParameters= "$SLURM_CONF" >"$f"
		printf '%b\n' "$line" >>"$f"
		reads=refuses says=refuses
		SLURM_CONF=$f scontrol show hostlist n1 >/dev/null 2>&1 && reads=takes
		"$COSCHED" conf --check "$f" >/dev/null 2>&1 && says=takes
		is "conf --check and Slurm's parser: $line" "$says" "$reads"
	done <<-'END'
		SchedulerParameters=cosched_mode=act,cosched_policy=glts +
		SchedulerParameters=cosched_mode=act, cosched_policy=glts+
		SchedulerParameters="cosched_mode=act, cosched_policy=glts+"
		SchedulerParameters="cosched_mode=act, defer
		SchedulerParameters+=cosched_mode=act
		Epilog
		Epilog=
		Epilog=/1 # and \\\nProlog
		Epilog="/a b" \t\r
		Epilog == a
		Max-JobCount=5
		MaxJobCount=100, \\  \n 2
		MaxJobCount=x
		Nonsense=1
		PartitionName=x Nodes=n1 State=
		PartitionName=x Nodes=n1 State=UP
		PartitionName=x Nonsense=1
		 Include more.conf
	END
}

# The first start has no last good setting: stock scheduling.
at_start() {
	local j

	sed -i "s|^SchedulerParameters=.*|SchedulerParameters=$good_params,cosched_mod=act|" "$SLURM_CONF"
	mark
	vc restart-ctld && vc wait-up >/dev/null
	ok "bad parameters at the start: slurmctld's log says it" wait_for 8 said "cosched_mod"
	ok "bad parameters at the start: cosched status says it" wait_for 8 status_has "cosched_mod"
	ok "bad parameters at the start: mode off" status_has "mode off"
	ok "... of no policy, ours or a default, is it said that it is in force, or set" \
		status_has "mode off, Slurm's own scheduler decides\$"
	ok "... nor in the log" said "cosched: mode off, Slurm's own scheduler decides\$"
	is "... which names none" "$(lines "cosched: mode [a-z]+, policy")" 0
	ok "bad parameters at the start: and why" \
		status_has "WARNING: SchedulerParameters: .*cosched_mod.* none were good since"
	j=$(profiled mem -N1 -n2)
	ok "bad parameters at the start: stock scheduling" running "$j"
	scancel "$j"
	sed -i "s|cosched_profiles=[^,]*|cosched_profiles=$WORK/none.json|; s|,cosched_mod=act||" "$SLURM_CONF"
	mark
	vc restart-ctld && vc wait-up >/dev/null
	ok "no profile file at the start: slurmctld's log says it" wait_for 8 said none.json
	ok "no profile file at the start: cosched status says it" wait_for 8 status_has none.json
	j=$(profiled mem -N1 -n2)
	ok "no profile file at the start: stock scheduling" running "$j"
	scancel "$j"
	mark
	scontrol reconfigure
	ok "no profile file, a reconfigure: the same" wait_for 8 said "cosched_mode=act is not possible: .*none.json"
	is "no profile file, a reconfigure: of a good setting there is no word" \
		"$(lines "last good setting")" 0
	ok "no profile file, a reconfigure: cosched status says why" \
		wait_for 8 status_has "^WARNING: mode act is set: .*none.json"
	set_params "$good_params"
	ok "then a good setting brings mode act" wait_for 10 in_act
}

# --- comments

# A malformed comment has a line, the job that it is of a place in the status.
malformed() {
	local i j text wrong

	while read -r text wrong; do
		mark
		j=$(SLEEP=0 job -N1 -n1 --comment="$text")
		ok "$text: slurmctld's log says what is wrong" \
			wait_for 5 said "cosched: job $j has a malformed comment: $wrong"
		ok "$text: cosched status counts it" \
			wait_for 3 status_has "malformed comment job:? +$j\$"
		wait_for 20 gone "$j" || bad "$text: the job ends"
		is "$text: in one line" "$(lines "job $j has a malformed")" 1
	done <<-'END'
		cosched:share=maybe share is 'maybe', expected no or yes
		cosched:{"profile":"cg" unknown key '.*', expected profile=NAME, campaign=NAME, across=P, wait=MODE or share=no
		cosched:profile 'profile' has no value, expected profile=NAME
		cosched:profile=../%n profile is '\.\.[?][?]n', expected a name
	END
	mark
	for i in {1..16}; do
		j=$(SLEEP=0 job -N1 -n1 --comment="cosched:junk=$i")
	done
	ok "many malformed comments: cosched status counts all" \
		wait_for 5 status_has 'malformed comments:? +20$'
	is "many malformed comments: eight are named in ten minutes, and that there are more" \
		"$(lines "has a malformed comment") $(lines "more jobs have malformed")" "4 1"
}

comments() {
	local j text ids=()

	ctld=$(ctld_pid)
	malformed
	while IFS= read -r -d '' text; do
		j=$(SLEEP=0 job -N1 -n1 --comment="$text") && ids+=("$j")
	done < <(
		printf 'cosched:profile=%s\0' '%n%s%n%s%n' '%999999999d' '../../etc/passwd' '' \
			$'a\nb\nc' '"}{[' 'cg,profile=io' 'CG' "$(printf 'x%.0s' {1..1000})"
		printf '%s\0' 'cosched:' 'cosched:profile' 'cosched:share=' 'cosched:{"profile":"cg"' \
			'cosched:share=no,share=yes,,,=,' $'cosched:\x01\x7f\xff\xfe' \
			"$(printf 'cosched:profile=cg,%.0s' {1..50})" "$(printf '%%n%.0s' {1..500})"
	)
	is "hostile comments: all jobs are accepted" "${#ids[@]}" 17
	for j in "${ids[@]}"; do
		wait_for 20 gone "$j" || bad "a job with a hostile comment ends" "$(scontrol show job "$j")"
	done
	is "hostile comments: all jobs have completed" "$(grep -cE "^JobId=($(
		IFS='|'
		printf '%s' "${ids[*]}"
	)) .*JobState=COMPLETED" "$COSCHED_VCLUSTER/log/jobcomp.log")" "${#ids[@]}"
	# Slurm refuses more than 1 kB at submission, but not as an update
	text="cosched:profile=$(printf 'n%%n%.0s' {1..1400})"
	SLEEP=0 job -N1 -n1 --comment="$text" >/dev/null 2>&1
	j=$(SLEEP=0 job -H -N1 -n1)
	scontrol update JobId="$j" Comment="$text" >/dev/null 2>&1
	scontrol release "$j"
	ok "a comment of 4 kB: the job ends" wait_for 20 gone "$j"
	mark
	j=$(profiled nosuch -N1 -n1)
	ok "a profile that does not exist: the log says it" \
		wait_for 5 said "job $j asks for a profile that"
	running "$j"
	is "a profile that does not exist: in one line" "$(lines "job $j asks for a profile")" 1
	ok "a profile that does not exist: cosched status counts it" \
		status_has 'unknown profiles:? +[1-9]'
	nok "a profile that does not exist: but has no text of a user's" status_has nosuch
	nok "a profile that does not exist: and is no fault of the site" status_warns
	like "a profile that does not exist: cosched explain names it" \
		"$("$COSCHED" explain "$j")" "no profile 'nosuch'"
	scancel "$j"
	lives "hostile comments"
	works "hostile comments"
}

# --- layouts that can never run

layouts() {
	local j k

	mark
	k=$(job -N9 -n9 2>/dev/null) || k= # some releases refuse it at once
	if [ -n "$k" ]; then
		ok "what no set of nodes can hold: the log says it" \
			wait_for 5 said "cosched: job $k waits: no set of nodes"
		ok "what no set of nodes can hold: cosched status says it" \
			wait_for 3 status_has "WARNING: job $k waits: no set of nodes.*1 such job"
		j=$(job -N9 -n10)
		ok "another one is named too" wait_for 5 said "cosched: job $j waits: no set of nodes"
		is "each in one line" "$(lines "waits: no set of nodes")" 2
		scancel "$j"
		wait_for 5 status_has "; 1 such job" || bad "the second is counted no more"
	fi
	scontrol update NodeName=n4 State=DRAIN Reason=test
	mark
	j=$(profiled mem -N4 -n4)
	ok "what no set of nodes can hold waits" keeps_waiting "$j" ${k:+"$k"}
	is "the log is not filled with what drained nodes keep" "$(lines "waits: no set of nodes")" 0
	like "explain says why (too few nodes are up)" "$("$COSCHED" explain "$j" 2>&1)" \
		"no set of nodes"
	[ -z "$k" ] || like "explain says why (a limit of the partition)" \
		"$("$COSCHED" explain "$k" 2>&1)" "no set of nodes|held back"
	[ -z "$k" ] || scancel "$k"
	ok "cosched status forgets it when it is gone" wait_for 5 eval '! status_has "no set of nodes"'
	k=$(profiled io -N1 -n2)
	ok "a layout that cannot run does not stop others" running "$k"
	scancel "$j" "$k"
	scontrol update NodeName=n4 State=RESUME
}

# Components whose numbers sum to nothing in 32 bits, to wait and held.
sums() {
	local hold j ids=()

	mark
	for hold in "" -H; do
		ids+=("$(sbatch --parsable $hold -o /dev/null -t 10 -n 2147483647 : \
			-n 2147483647 : -n 2 --wrap true </dev/null 2>/dev/null)")
	done
	for j in "${ids[@]}"; do # some releases refuse it at once
		[ -z "$j" ] || ok "components of 2^32 processes wait" keeps_waiting "${j%%;*}"
	done
	ok "components of 2^32 processes: mode act" status_has "mode act"
	works "components of 2^32 processes"
	is "components of 2^32 processes: the engine stays" \
		"$(lines "engine and Slurm differ")" 0
	for j in "${ids[@]}"; do
		[ -z "$j" ] || scancel "${j%%;*}"
	done
}

# --- memory without a default

owns_all() {
	"$COSCHED" status 2>/dev/null | grep -q 'owns all memory'
}
memory() {
	cp "$SLURM_CONF" "$WORK/slurm.conf.memory"
	sed -i 's/^DefMemPerCPU=/#&/' "$SLURM_CONF"
	scontrol reconfigure
	ok "no DefMemPerCPU: cosched status warns" wait_for 8 owns_all
	sed -i 's/^PartitionName=.*/& DefMemPerCPU=100/' "$SLURM_CONF"
	scontrol reconfigure
	ok "each partition has one: it does not" wait_for 8 eval '! owns_all'
	cp "$WORK/slurm.conf.memory" "$SLURM_CONF"
	scontrol reconfigure
	wait_for 8 in_act
	ctld=$(ctld_pid)
}

# --- priorities that are not used

unranked() {
	status_has '^WARNING: cosched_order .*fcfs, expansion or work: jobs do not go by the priorities that this site weighs'
}
priorities() {
	cp "$SLURM_CONF" "$WORK/slurm.conf.priorities"
	nok "no weights: no word of priorities" unranked
	sed -i '/^Priority/d' "$SLURM_CONF"
	printf 'PriorityType=priority/multifactor\nPriorityWeightAge=1000\n' >>"$SLURM_CONF"
	sed -i 's/cosched_mode=act/&,cosched_order=fcfs/' "$SLURM_CONF"
	vc restart-ctld && vc wait-up >/dev/null
	ok "weights and order=fcfs: cosched status warns" wait_for 8 unranked
	set_params "$good_params,cosched_order=slurm"
	ok "with order=slurm it does not" wait_for 8 eval 'in_act && ! unranked'
	cp "$WORK/slurm.conf.priorities" "$SLURM_CONF"
	vc restart-ctld && vc wait-up >/dev/null
	wait_for 8 in_act
	ctld=$(ctld_pid)
}

# --- jobs that nothing keeps to their cores

unbound() {
	status_has '^WARNING: TaskPlugin has neither task/affinity nor task/cgroup'
}
# cgroup ConstrainCores: a slurmctld that has task/cgroup with it
cgroup() {
	printf 'ConstrainCores=%s\n' "$1" >"$COSCHED_VCLUSTER/cgroup.conf"
	sed -i 's|^TaskPlugin=.*|TaskPlugin=task/cgroup|' "$SLURM_CONF"
	vc restart-ctld && vc wait-up >/dev/null
	wait_for 10 in_act
}
isolation() {
	ok "TaskPlugin=task/none: cosched status warns" unbound
	ok "and so does cosched doctor, as of nothing wrong" "$COSCHED" doctor
	like "in its words" "$("$COSCHED" doctor)" "^warn +TaskPlugin .*neither task/affinity nor task/cgroup"
	cp "$SLURM_CONF" "$WORK/slurm.conf.task"
	cgroup no
	ok "task/cgroup without ConstrainCores: it warns" unbound
	cgroup yes
	ok "task/cgroup with ConstrainCores: it does not" eval 'in_act && ! unbound'
	rm "$COSCHED_VCLUSTER/cgroup.conf"
	cp "$WORK/slurm.conf.task" "$SLURM_CONF"
	vc restart-ctld && vc wait-up >/dev/null
	wait_for 10 in_act
	ctld=$(ctld_pid)
}

# --- the control socket

# Send stdin to the socket, at most $1 seconds.
send() {
	# shellcheck disable=SC2016 # perl's variables
	timeout "$1" perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 1;
		$SIG{PIPE} = "IGNORE";
		binmode STDIN; local $/; my $data = <STDIN>;
		my $step = $ARGV[1] || length $data;
		for (my $i = 0; $i < length $data; $i += $step) {
			defined syswrite($s, substr($data, $i, $step)) or exit 0;
			select undef, undef, undef, 0.2 if $ARGV[1];
		}
		shutdown $s, 1 unless $ARGV[1];
		sysread $s, my $answer, 65536;
		print $answer // "";' "$socket" "${2:-0}"
}
frame() { # frame KIND LENGTH: a head
	printf 'CsW1%s\0\0\0' "$1"
	perl -e 'print pack "N", $ARGV[0]' "$2"
}

hostile_socket() {
	local i

	head -c 65536 /dev/urandom | send 3 >/dev/null
	head -c 12 /dev/zero | send 3 >/dev/null
	frame Q 4294967295 | send 3 >/dev/null
	{ frame Q 8192; head -c 8192 /dev/urandom; } | send 3 >/dev/null
	{ frame Q 0; } | send 3 >/dev/null
	{ frame A 4; echo abc; } | send 3 >/dev/null
	like "a question that is no munge credential is answered with an error" \
		"$({ frame Q 20; echo 'MUNGE:AwQFAAAAAAAAAA:'; } | send 3 | tr -d '\0')" "^CsW1E"
	ok "after garbage cosched status answers" status_has "mode act"
	# more silent and slow clients than there are places
	for ((i = 0; i < 24; i++)); do
		{ frame Q 400; head -c 400 /dev/zero; } | send 6 1 >/dev/null &
	done
	sleep 1
	ok "beside slow clients cosched status answers" status_has "mode act"
	works "beside slow clients"
	wait
	# a credential of another munge
	mkdir "$WORK/munge"
	chmod 755 "$WORK/munge"
	(umask 077 && head -c 128 /dev/urandom >"$WORK/munge/key")
	munged --force --key-file "$WORK/munge/key" --socket "$WORK/munge/socket" \
		--pid-file "$WORK/munge/pid" --log-file "$WORK/munge/log" \
		--seed-file "$WORK/munge/seed" >/dev/null 2>&1
	cred=$(echo '{"cmd":"status","nonce":"00000000000000000000000000000000"}' |
		munge -S "$WORK/munge/socket" 2>/dev/null)
	kill "$(cat "$WORK/munge/pid")"
	if [ -n "$cred" ]; then
		like "a credential of another munge is refused" \
			"$({ frame Q ${#cred}; printf '%s' "$cred"; } | send 3 | tr -d '\0')" "^CsW1E"
	else
		printf 'skip - %s: a credential of another munge: no munge command\n' "$NAME"
	fi
	ok "then cosched status answers" status_has "mode act"
	lives "hostile clients"
}

# many CREDENTIAL...: that many connections are there before the first asks; then each
# asks, and the kinds of the answers are counted: "30 A".
many() {
	# shellcheck disable=SC2016 # perl's variables
	timeout 20 perl -MIO::Socket::UNIX -e '
		my $where = shift; my (@s, %n);
		push @s, IO::Socket::UNIX->new(Peer => $where) for @ARGV;
		$SIG{PIPE} = "IGNORE";
		for my $i (0 .. $#ARGV) {
			defined $s[$i] or next;
			syswrite $s[$i], pack("a4 a4 N", "CsW1", "Q", length $ARGV[$i]) . $ARGV[$i];
		}
		for my $s (@s) {
			my $answer = "";
			sysread $s, $answer, 65536 if defined $s;
			$n{length $answer ? substr $answer, 4, 1 : "none"}++;
		}
		print join " ", map { "$n{$_} $_" } sort keys %n;' "$socket" "$@"
}

# Thirty clients that say nothing, and thirty who ask at once.
many_clients() {
	local munge i silent cred=() asked=()

	chmod 755 "$COSCHED_VCLUSTER/state" # as a site opens it to users
	# shellcheck disable=SC2016 # perl's variables
	perl -MIO::Socket::UNIX -MIO::Select -e '
		$< = $> = getpwnam "nobody";
		my @s = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) or die } 1 .. 30;
		$| = 1; print "here\n";
		print "hung up\n" for IO::Select->new(@s)->can_read(30);' "$socket" \
		>"$WORK/silent" 2>&1 &
	silent=$!
	ok "30 clients of a user connect and say nothing" wait_for 10 grep -q here "$WORK/silent"
	ok "beside them cosched status answers" status_has "mode act"
	for ((i = 0; i < 20; i++)); do
		"$COSCHED" explain "$witness" >"$WORK/asked.$i" 2>&1 &
		asked+=($!)
	done
	wait "${asked[@]}"
	is "and all of 20 explains at once" \
		"$(grep -l "^job $witness (cg) runs" "$WORK"/asked.* | wc -l)" 20
	is "none of the silent ones has lost its place" "$(cat "$WORK/silent")" here
	kill "$silent"
	wait "$silent" 2>/dev/null
	munge=$(sed -n 's/^AuthInfo=.*socket=\([^,]*\).*/\1/p' "$SLURM_CONF")
	for ((i = 0; i < 30; i++)); do
		cred+=("$(printf '{"cmd":"explain","job":%d,"nonce":"%032x"}' "$witness" "$i" |
			munge -S "$munge" 2>/dev/null)")
	done
	if [ -n "${cred[0]}" ]; then
		is "30 connections that stand before the first asks are all answered" \
			"$(many "${cred[@]}")" "30 A"
	else
		omit "30 questions on connections that stand" "no munge command"
	fi
	lives "many clients"
}

sock_ticks() { # processor time of the socket's thread, in 1/100 s
	local pid
	pid=$(ctld_pid)
	cat /proc/"$pid"/task/*/stat | awk '/\(cosched_sock\)/ { print $14 + $15 }'
}

# slurmctld with no descriptor left, and somebody who wants to be let in
no_descriptors() {
	local pid soft hard n=3 before spent

	pid=$(ctld_pid) ctld=$pid # another than before at_start
	read -r soft hard < <(prlimit --noheadings --output SOFT,HARD --nofile -p "$pid")
	while [ -e "/proc/$pid/fd/$n" ]; do n=$((n + 1)); done
	prlimit --nofile="$n:$hard" -p "$pid"
	before=$(sock_ticks)
	{ frame Q 400; head -c 400 /dev/zero; } | send 2 >/dev/null
	spent=$(($(sock_ticks) - before))
	prlimit --nofile="$soft:$hard" -p "$pid"
	ok "the log says that nobody can be let in" log_has 'control socket: accept: Too many open files'
	ok "with no descriptor left the socket's thread does not spin ($spent ticks of 200)" \
		test "$spent" -lt 20
	ok "with descriptors again cosched status answers" wait_for 5 status_has "mode act"
	is "that is said once" "$(grep -c 'control socket: accept' "$CTLD_LOG")" 1
	lives "no descriptors"
}

other_users() {
	local j out

	j=$(vc run --user nobody sbatch --parsable -D / -o /dev/null -N1 -n2 -t 10 \
		--comment=cosched:profile=io --wrap "sleep 60" </dev/null)
	running "$j"
	# the folder of the socket is the site's to open; here the socket is the question
	chmod 755 "$COSCHED_VCLUSTER/state"
	out=$(vc run --user nobody "$COSCHED" explain "$j" 2>&1)
	like "a user may ask about his own job" "$out" "job $j \(io\) runs"
	out=$(vc run --user nobody "$COSCHED" explain "$witness" 2>&1)
	isnt "but not about another's" $? 0
	like "and is told so" "$out" "not yours|permission|may not"
	vc run --user nobody "$COSCHED" groups >/dev/null 2>&1
	isnt "nor list all groups" $? 0
	vc run --user nobody "$COSCHED" status >/dev/null 2>&1
	isnt "nor see the status" $? 0
	scancel "$j"
}

parameters
edited
broken_lines
comments
layouts
sums
memory
isolation
hostile_socket
many_clients
other_users
priorities
at_start
is "the job that ran all along still does" "$(state "$witness") $(field "$witness" Restarts)" "RUNNING 0"
no_descriptors # the last: slurmctld itself spins then, and loses messages of its nodes
clear_jobs
ok "cosched check passes on the event log" "$COSCHED" check "$LOG"
unlike "no crash, no overflow" "$(cat "$CTLD_LOG")" 'job overflow|[Ss]egmentation|core dumped|watchdog'

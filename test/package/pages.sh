#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The pages for administrators, typed: every command that README and doc/admin print is
# given to a shell as it stands there, over a Slurm that runs, while jobs come: in,
# shadow, report, act, upgrade, out. A command that a page does not print fails, and so
# does one that a page prints and nobody typed. Nobody's job is lost, held or run again.
#
# Usage: pages.sh deb|make [FOLDER]
#
#	deb	packages: FOLDER/1 and, of a higher version, FOLDER/2
#	make	built here, from the checkout in this script's own tree
#
# For a container of its own (test/package/run.sh). SHADOW_S (60): how long shadow lasts;
# 600, ten minutes, is what an administrator's first trial may take.

way=${1:?deb or make expected}
# shellcheck source-path=SCRIPTDIR source=site.inc
. "$(dirname "$0")/site.inc"
# shellcheck source-path=SCRIPTDIR source=pages.inc
. "$(dirname "$0")/pages.inc"
packages=${2:-}
pages=(README doc/admin/install.md doc/admin/act.md doc/admin/profiles.md
	doc/admin/history.md doc/admin/ostrich.md doc/admin/sites.md doc/admin/slices.md
	doc/admin/monitoring.md doc/users.md)
# here there is no Docker, no systemd, no slurmdbd; test/package has other tests for it
elsewhere='^contrib/(quickstart|test|package)|^rpmbuild |^systemctl |^sacctmgr |--sacct|--from sacct|sacct -a|history\.txt|^apt-get install slurmctld$'

for page in "${pages[@]}"; do
	printed "$page"
done | sort -u >"$WORK/printed"

# typed_but REGEX PAGE COMMAND: in a container it ends with status 1, for that reason alone
typed_but() {
	local reason=$1 page=$2 rc
	shift 2

	typed_quietly "$page" "$@"
	rc=$?
	if [ $rc -eq 1 ] && grep -qE -- "$reason" <<<"$said" &&
		! grep -E '^(wrong|WARNING)' <<<"$said" | grep -qvE -- "$reason"; then
		good "$page: $1, status 1 for '$reason'"
	else
		bad "$page: $1" "status $rc: $said"
	fi
}

# lines PAGE LINE...: lines of slurm.conf, which the page prints, take the place of those
# with the same keys; "..." stands for the mode, the profile file and the log
lines() {
	local page=$1 line
	shift

	for line; do
		grep -qE "^    +${line//[.+]/.}$" <(perl -0777 -ne 's/\\\n\s*//g; print' "$TREE/$page") ||
			bad "$page: '$line'" "the page does not print it" >&2
		printf '%s\n' "${line/.../cosched_mode=act,$files}"
	done >"$WORK/lines"
	paste_into_conf "$WORK/lines"
}


# --- install.md

install=doc/admin/install.md
files=cosched_profiles=/etc/slurm/profiles.json,cosched_log=/var/log/slurm/cosched.log
log=/var/log/slurm/cosched.log
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/00yes
export DEBIAN_FRONTEND=noninteractive
begin
rm /etc/slurm/profiles.json
case $way in
deb)
	ln -s "$packages/1" /tmp/packages
	under_jobs "packages" typed $install 'apt-get install /tmp/packages/slurm-cosched_*.deb /tmp/packages/slurm-cosched-plugins_*.deb'
	cd /root || exit 1
	;;
make)
	cd "$TREE" || exit 1
	typed $install 'apt-get install autoconf automake libtool pkg-config gcc make libjson-c-dev libmunge-dev'
	typed $install './bootstrap'
	# shellcheck disable=SC2016
	typed $install './configure --with-slurm=$(contrib/slurm-source)'
	under_jobs "make" typed $install 'make && make install'
	;;
esac
case $way in
deb)	typed doc/admin/profiles.md 'cp /usr/share/doc/slurm-cosched/examples/profiles.json /etc/slurm/profiles.json' ;;
make)	typed doc/admin/profiles.md 'cp etc/profiles.json /etc/slurm/profiles.json' ;;
esac
case $way in
deb)	docs=/usr/share/doc/slurm-cosched ;;
make)	docs=$TREE ;;
esac
ok "README and pages name what is there" "$TREE/test/check_links.sh" "$docs"
typed README 'cosched conf --log /var/log/slurm/cosched.log' \
	'cosched.log=cosched.log --profiles /etc/slurm/profiles.json' &&
	cp "$WORK/said" "$WORK/lines"
paste_into_conf "$WORK/lines"
typed $install 'cosched conf --check /etc/slurm/slurm.conf'
ok "slurmctld restarts" restart_ctld
ok "mode shadow is on" wait_for 20 in_mode shadow
typed $install 'cosched doctor'
typed README 'cosched status'

# --- shadow, the report (act.md)

act=doc/admin/act.md
kinds=(compute memory io none)
for ((t = SECONDS; SECONDS < t + ${SHADOW_S:-60}; )); do # some wait at any time, not more and more
	[ "$(squeue -h -t PENDING -o %i | wc -l)" -ge 6 ] ||
		SLEEP=$((RANDOM % 6)) LIMIT=1 profiled "${kinds[RANDOM % 4]}" \
			-n$((1 + RANDOM % 2)) >>"$WORK/shadowed"
	sleep 2
done
came=$(($(wc -l <"$WORK/shadowed") + $(wc -l <"$WORK/ids")))
ok "$((SECONDS - t)) s of mode shadow, $came jobs" [ "$came" -ge $((${SHADOW_S:-60} / 3)) ]
waiting=$(SLEEP=1 job -n4)
ok "the plugin knows of a job that waits" wait_for 20 cosched explain "$waiting"
typed $act 'cosched explain JOB' "JOB=$waiting"
like "it says who decides" "$said" "^mode shadow: Slurm decides"
scancel "$waiting"
typed $act 'cosched check /var/log/slurm/cosched.log'
typed $act 'cosched shadow-report --html page.html /var/log/slurm/cosched.log'
like "it has the jobs" "$said" "^all +[1-9]"
typed README 'cosched shadow-report /var/log/slurm/cosched.log'
ok "and a page" grep -q '</html>' page.html
typed $act 'cosched shadow-report --since now-7days LOG...' "LOG...=$log"
typed $act 'cosched replay --set max_slowdown=1.15 /var/log/slurm/cosched.log'
typed $act 'cosched import /var/log/slurm/cosched.log >log.swf'
typed $act 'cosched compare --live-defaults --machine 128x2x16 --profiles /etc/slurm/profiles.json --policies easy,pack,adaptive log.swf'
like "it names the best" "$said" "adaptive"

pause_stream
resume_stream

# --- act

typed $act 'cosched conf --mode act' && cp "$WORK/said" "$WORK/lines"
paste_into_conf "$WORK/lines"
typed $act 'scontrol reconfigure'
ok "mode act is on" wait_for 20 in_act
launched "act"
typed $act 'cosched params'
typed $act 'cosched params KEY' KEY=max_slowdown

# --- upgrade (install.md)

pid=$(cat /run/slurmctld.pid)
case $way in
deb)
	cd "$packages/2" || exit 1
	under_jobs "the next packages" typed $install 'apt-get install ./slurm-cosched_*.deb ./slurm-cosched-plugins_*.deb'
	cd /root || exit 1
	;;
make)	under_jobs "the next build" typed $install 'make install' ;;
esac
is "slurmctld is as it was" "$(cat /run/slurmctld.pid)" "$pid"
ok "mode act is on" in_act
typed $install 'cosched --version'
[ "$way" != deb ] || like "status says that slurmctld has another" "$(cosched status)" \
	"has loaded build .*-1, .* build .*-2: .*restart slurmctld"
ok "slurmctld restarts with it" restart_ctld
ok "mode act is on again" wait_for 20 in_act
launched "upgrade"

# --- the other pages, with nobody beside us but the first job

pause_stream
cp "$conf" "$WORK/act.conf"
now_act() { # the parameters just set are in force, without an error
	scontrol reconfigure
	ok "$1: mode act" wait_for 20 in_act
	"$COSCHED" status >"$WORK/said" 2>&1 || :
	is "$1: no trouble" "$(grep '^WARNING' "$WORK/said" | grep -v TaskPlugin)" ""
}
lines $act 'SchedulerParameters=cosched_mode=act,cosched_policy=glts+,cosched_order=slurm,cosched_max_slowdown=1.15'
now_act glts+

profiles=doc/admin/profiles.md
cp "$WORK/act.conf" "$conf"
lines $profiles 'SchedulerParameters=cosched_mode=act,cosched_policy=cover,cosched_learn=use,cosched_learn_explore=0.05,cosched_learn_accounts=physics+chemistry'
sed -i 's/cosched_learn=use/&,cosched_learn_least_s=1/' "$conf" # not a minute here
now_act learn
taught=$(SLEEP=2 job -n3)
ok "a job ends that teaches" wait_for 30 gone "$taught"
ok "that is kept" wait_for 30 cosched profile learned /var/lib/slurm/slurmctld/cosched_learned
typed $profiles 'cosched profile learned /var/spool/slurmctld/cosched_learned' \
	/var/spool/slurmctld=/var/lib/slurm/slurmctld
typed $profiles 'cosched shadow-report --learned /var/spool/slurmctld/cosched_learned /var/log/slurm/cosched.log' \
	/var/spool/slurmctld=/var/lib/slurm/slurmctld
cp "$WORK/act.conf" "$conf"
now_act again
typed $profiles 'cosched profile check /etc/slurm/profiles.json'
typed $profiles 'sbatch --comment=cosched:profile=memory ...' "...=-o/dev/null --wrap true"
cp /etc/slurm/profiles.json truth.json
typed $profiles "cosched sim --machine 64x2x8 --live-defaults --policy cover --truth truth.json --set learn=use --set learn_explore=0.05 --set 'learn_accounts=*' log.swf"
for seed in 1 2; do # the jobs that came, as if longer and on all cores
	awk '/^;/ { print; next } { $2 *= 60; $4 *= 60; $9 *= 60; $5 = $8 = 32; print }' log.swf |
		cosched sim --machine 1x2x16 --live-defaults --seed $seed --events events.log.$seed -
done >/dev/null
mv events.log.2 events.log
typed $profiles 'cosched learn --from events.log.1 --from events.log --out learned.state'
typed $profiles 'cosched profile learned learned.state'
typed $profiles 'cosched profile learned --of anna/ocean learned.state' anna/ocean=root/wrap
typed $profiles 'cosched profile export --node 2x16 learned.state > learned.json'
cat >history <<'END'
JobID|User|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|AllocCPUS|NodeList|JobName
1|ann|main|2026-01-05T10:00:00|2026-01-05T10:00:00|2026-01-05T11:00:00|3600|90|COMPLETED|4|n[1-2]|ocean
2|bob|main|2026-01-05T10:00:00|2026-01-05T10:00:00|2026-01-05T11:00:00|3600|90|COMPLETED|4|n[1-2]|fluid
END
typed $profiles 'cosched learn --from history'
typed $profiles 'cosched compare --live-defaults --machine 128x2x16 --profiles /etc/slurm/profiles.json --policies easy,pack,adaptive log.swf'
typed $profiles 'cosched params --differences'

typed doc/admin/history.md 'cosched import /var/log/slurm/cosched.log >ours.swf'

ostrich=doc/admin/ostrich.md
lines $ostrich 'SchedulerParameters=cosched_mode=act,cosched_policy=ostrich'
now_act ostrich
ok "ostrich: jobs have been looked at" wait_for 30 cosched users
typed $ostrich 'cosched users'
waiting=$(SLEEP=1 job -n4)
typed $ostrich 'scontrol update Priority=N' "update=update JobId=$waiting" N=2000000000
scancel "$waiting"
lines $ostrich PriorityType=priority/multifactor PrioritySiteFactorPlugin=site_factor/ostrich \
	PrioritySiteFactorParameters=shares=given,campaign_order=spt
sed -i s/cosched_mode=act/cosched_mode=off/ "$conf"
ok "slurmctld restarts with the site factor" restart_ctld
ok "cosched status says that it is loaded" wait_for 20 status_has 'site_factor/ostrich'
cp "$WORK/act.conf" "$conf"
ok "slurmctld restarts without" restart_ctld

sites=doc/admin/sites.md
printf 'SwitchName=s1 Nodes=%s\n' "$(hostname)" >/etc/slurm/topology.conf
echo TopologyPlugin=topology/tree >>"$conf"
ok "slurmctld restarts with a switch" restart_ctld
typed $sites 'cosched conf --policy multisite-adaptive'
like "it takes the sites of the topology" "$(cat "$WORK/said")" 'cosched_sites=topology'
lines $sites 'SchedulerParameters=...,cosched_policy=multisite-adaptive,cosched_sites=topology'
now_act sites
typed $sites 'cosched sites'
waiting=$(SLEEP=1 job -n4)
ok "the plugin knows of it" wait_for 20 cosched explain "$waiting"
typed $sites 'cosched explain JOB' "JOB=$waiting"
scancel "$waiting"
typed $sites 'cosched sim --sites 4x64,2x32 --policy multisite-adaptive TRACE' TRACE=log.swf

slices=doc/admin/slices.md
cp "$WORK/act.conf" "$conf"
ok "slurmctld restarts without" restart_ctld
lines $slices 'SchedulerParameters=...,cosched_policy=pect,cosched_order=slurm'
now_act pect
ok "pect: jobs have been looked at" wait_for 30 cosched slices
typed $slices 'cosched slices'
typed $slices 'squeue'
typed $slices 'squeue -t S'
typed $slices 'squeue --start'
typed $slices 'cosched explain JOB' "JOB=$long"
typed $slices 'cosched sim --policy pect' 'sim=sim --machine 4x2x2' 'pect=pect log.swf'
lines $slices 'SchedulerParameters=...,cosched_policy=brmms+'
now_act gang
ok "gang: jobs have been looked at" wait_for 30 cosched slices
typed $slices 'cosched slices'
cp "$WORK/act.conf" "$conf"
now_act "at last"

users=doc/users.md
ok "the first job runs again, if it was stopped" running "$long"
waiting=$(SLEEP=1 job -n4)
ok "the plugin knows of it and says why" wait_for 20 eval 'squeue -h -o %r -j "$waiting" | grep cosched'
typed $users 'cosched explain JOB' "JOB=$waiting"
typed $users 'squeue -o "%i %r"'
like "Slurm's own word comes first" "$said" "^$waiting (Resources|Priority)"
typed $users 'scontrol update JobId=JOB TimeLimit=25' "JOB=$waiting"
typed $users 'cosched groups'
typed_but 'ostrich' $users 'cosched users'
scancel "$waiting"

monitoring=doc/admin/monitoring.md
typed $monitoring 'cosched exporter --once'
like "the plugin answers" "$said" '^cosched_up 1$'
ok "curl" apt install --no-install-recommends curl
cosched exporter 2>"$WORK/exporter" &
exporter=$!
ok "it listens" wait_for 10 grep -q 'listens at 127.0.0.1:9815' "$WORK/exporter"
typed $monitoring 'curl -s localhost:9815/metrics'
like "metrics" "$said" '^cosched_up 1$'
kill $exporter
resume_stream

# --- out (install.md)

cp "$WORK/stock.conf" "$conf"
ok "slurmctld restarts with the old lines" restart_ctld
typed $install 'scontrol reconfigure'
ok "the node takes jobs again" wait_for 30 timeout 20 srun -n1 -t1 true
case $way in
deb)	under_jobs "packages out" typed $install 'apt-get purge slurm-cosched slurm-cosched-plugins' ;;
make)	under_jobs "uninstall" typed $install 'make uninstall' ;;
esac
last=$(grep -ohE '(rm -r|rmdir -p --ignore-fail-on-non-empty) /[^[:space:]]*' "$WORK/said" |
	tr -d '\r' | head -n 1)
ok "the folder may go, as it says: $last" eval "${last:-false}"
is "nothing of ours is left" "$(find / -xdev -path /proc -prune -o -path "$TREE" -prune -o \
	-path "$WORK" -prune -o -path "$packages" -prune -o -path /root -prune -o -path '/tmp/*' -prune -o \
	-path '/var/lib/dpkg/*' -prune -o -path '/var/cache/*' -prune -o -name '*cosched*' -print | grep -vE \
	'^/var/(log/slurm/cosched\.log|lib/slurm/slurmctld/cosched(_(gate|learned|params|profiles|sites|state|site_factor)(\.(before|bad|new|[0-9a-f]+))?|\.sock))$')" ""
launched "without us"
nobody_lost

case $way in
deb)	elsewhere="$elsewhere|^make |^\./|^cp etc/|^apt-get install autoconf" ;;
make)	elsewhere="$elsewhere|slurm-cosched" ;;
esac
is "all that the pages print was typed" \
	"$(grep -vxFf "$WORK/typed" "$WORK/printed" | grep -vE "$elsewhere")" ""

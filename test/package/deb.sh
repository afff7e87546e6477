#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The packages over a Slurm that runs, in the steps of doc/admin: in, shadow, act, the
# upgrade to a rebuilt package, Slurm's own upgrade, out, while jobs come all the time.
# Nobody's job is lost, held or run again, and no command fails while apt is at work.
#
# Usage: deb.sh FOLDER, with the packages in FOLDER/1 and, of a higher version, FOLDER/2.
# For a container of its own (test/package/run.sh): it installs and configures Slurm.

COSCHED_PREFIX=/usr
# shellcheck source-path=SCRIPTDIR source=../cluster/lib.sh
. "$(dirname "$0")/../cluster/lib.sh"
packages=${1:?the folder of the packages expected}
conf=/etc/slurm/slurm.conf
CTLD_LOG=/var/log/slurm/slurmctld.log
folder=$(dpkg-deb -c "$packages"/1/slurm-cosched-plugins_*.deb |
	sed -n 's|.* \.\(/.*\)/sched_backfill\.so$|\1|p')

apt() {
	DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null
}

# --- Slurm, as a site may have it

start_ctld() {
	slurmctld && wait_for 20 eval 'scontrol ping | grep -q UP'
}
restart_ctld() { # systemctl restart slurmctld, where there is no systemd
	local pid

	pid=$(cat /run/slurmctld.pid)
	kill "$pid" && wait_for 20 eval "! kill -0 $pid" && start_ctld
}

site() {
	printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
	chmod 755 /usr/sbin/policy-rc.d
	apt update
	apt install --no-install-recommends slurmctld slurmd slurm-client munge procps \
		dpkg-dev
	cp "$PROFILES" /etc/slurm/profiles.json
	cat >"$conf" <<-END
		ClusterName=site
		SlurmctldHost=$(hostname)
		SlurmUser=slurm
		StateSaveLocation=/var/lib/slurm/slurmctld
		SlurmdSpoolDir=/var/lib/slurm/slurmd
		SlurmctldPidFile=/run/slurmctld.pid
		SlurmdPidFile=/run/slurmd.pid
		SlurmctldLogFile=$CTLD_LOG
		SlurmdLogFile=/var/log/slurm/slurmd.log
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core_Memory
		SchedulerParameters=bf_interval=5,default_queue_depth=50
		DefMemPerCPU=250
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		ReturnToService=2
		SlurmdParameters=config_overrides
		NodeName=$(hostname) Sockets=2 CoresPerSocket=2 RealMemory=2000
		PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	cp "$conf" "$WORK/stock.conf"
	mkdir -p /var/lib/slurm/slurmctld /var/lib/slurm/slurmd /var/log/slurm /run/munge
	chown slurm: /var/lib/slurm/slurmctld /var/log/slurm
	touch /run/slurmctld.pid && chown slurm: /run/slurmctld.pid
	chown munge: /run/munge
	setpriv --reuid=munge --regid=munge --clear-groups munged
	start_ctld && slurmd && wait_for 20 eval 'sinfo -h -o %T | grep -qx idle'
}

# --- jobs that come all the time

stream() {
	while [ ! -e "$WORK/stop" ]; do
		traced 1 -n1 >>"$WORK/ids" 2>>"$WORK/refused" || echo >>"$WORK/refused"
		sleep 2 # the cores keep up with it: nobody waits for long
	done
}

# under_jobs TEXT COMMAND...: it succeeds, and meanwhile nobody's sbatch or srun fails,
# what runs goes on, and a job launched afterwards runs
under_jobs() {
	local text=$1 refused
	shift
	refused=$(wc -c <"$WORK/refused")
	rm -f "$WORK/srun.stop"
	while [ ! -e "$WORK/srun.stop" ]; do
		timeout 30 srun -n1 -t1 true || echo failed
	done >"$WORK/srun" 2>&1 &
	ok "$text" "$@"
	touch "$WORK/srun.stop"
	wait $!
	is "$text: every launch succeeds" "$(grep -v 'queued and waiting\|has been allocated' "$WORK/srun")" ""
	is "$text: every sbatch succeeds" "$(tail -c +$((refused + 1)) "$WORK/refused")" ""
	is "$text: what ran goes on" "$(state "$long") $(cores "$long")" "RUNNING $held"
	launched "$text"
}
launched() {
	ok "$1: a job is launched after it" timeout 60 srun -n1 -t1 true
	ok "$1: on all cores but one" timeout 60 srun -n3 -t1 true
}

# --- steps of doc/admin

# paste_into_conf FILE: its lines in the place of those with the same keys
paste_into_conf() {
	local line

	grep -v '^#' "$1" | grep . | while IFS= read -r line; do
		sed -i "/^${line%%=*}=/Id" "$conf"
		printf '%s\n' "$line" >>"$conf"
	done
}
install_packages() {
	apt install "$packages/$1"/*.deb
}
conf_lines() {
	cosched conf --profiles /etc/slurm/profiles.json --log /var/log/slurm/cosched.log \
		>"$WORK/lines" && paste_into_conf "$WORK/lines"
}
turn_to() {
	sed -i "s/cosched_mode=[a-z]*/cosched_mode=$1/" "$conf" && scontrol reconfigure &&
		wait_for 20 in_mode "$1"
}
plugins_loaded() { # by the slurmctld that runs, from our folder
	grep -qF "$folder/sched_backfill.so" "/proc/$(cat /run/slurmctld.pid)/maps"
}

ok "Slurm of Debian runs" site
release=$(slurmctld -V | awk '{ print $2 }')
: >"$WORK/refused"
long=$(SLEEP=3000 LIMIT=60 job -n1)
ok "a job runs" running "$long"
held=$(cores "$long")
stream &
stream=$!
at_end() {
	[ "$FAILED" -eq 0 ] || tail -n 40 "$CTLD_LOG" /var/log/slurm/slurmd.log
	touch "$WORK/stop"
	kill "$(cat /run/slurmctld.pid)" "$(cat /run/slurmd.pid)" "$(pidof munged)" 2>/dev/null
}

under_jobs "apt-get install" install_packages 1
is "it depends on this release" "$(dpkg-query -W -f '${Depends}' slurm-cosched-plugins |
	grep -oE 'slurmctld \([^)]*\)' | sort -u | paste -sd' ')" \
	"slurmctld (<< ${release%.*}.$((${release##*.} + 1))~) slurmctld (>= $release)"
ok "manuals are in it" test -s /usr/share/man/man1/cosched.1.gz -a \
	-s /usr/share/man/man5/cosched-params.5.gz
ok "completion is" test -s /usr/share/bash-completion/completions/cosched
ok "the exporter's unit is" grep -q '^ExecStart=/usr/bin/cosched exporter' \
	/usr/lib/systemd/system/cosched-exporter.service /lib/systemd/system/cosched-exporter.service
ok "cosched conf prints the lines" conf_lines
ok "cosched conf --check" cosched conf --check "$conf"
ok "slurmctld restarts with them" restart_ctld
ok "mode shadow is on" wait_for 20 in_mode shadow
like "cosched doctor finds both plugins" "$(cosched doctor 2>&1)" "$folder"
launched "shadow"
ok "mode act by scontrol reconfigure" turn_to act
launched "act"
ok "the slurmctld that runs has our plugins" plugins_loaded

pid=$(cat /run/slurmctld.pid)
under_jobs "upgrade under jobs" install_packages 2
is "slurmctld is as it was" "$(cat /run/slurmctld.pid)" "$pid"
like "the new version is in" "$(dpkg-query -W -f '${Version}' slurm-cosched-plugins)" '-2$'
ok "mode act is on" in_act
ok "slurmctld restarts with it" restart_ctld
ok "mode act is on again" wait_for 20 in_act
launched "upgraded"

# --- an upgrade of Slurm, served by an archive of our own

next_slurm() {
	local next=${release%.*}.$((${release##*.} + 1))-1 deb

	mkdir -p "$WORK/archive" && cd "$WORK/archive" || return 1
	apt-get -q download slurmctld
	deb=$(echo slurmctld_*.deb)
	dpkg-deb -R "$deb" x && rm "$deb" &&
		sed -i "s/^Version: .*/Version: $next/" x/DEBIAN/control &&
		dpkg-deb -b x . && rm -r x && dpkg-scanpackages . >Packages &&
		echo "deb [trusted=yes] file:$WORK/archive ./" >/etc/apt/sources.list.d/next.list &&
		apt-get -q update
}
ok "a next Slurm is in apt's sources" next_slurm
like "apt-get upgrade holds it back" "$(apt-get -s upgrade)" 'kept back:|slurmctld$'
unlike "and does not install it" "$(apt-get -s upgrade)" '^Inst slurmctld '
like "who asks for it is told that our plugins go" \
	"$(apt-get -s install slurmctld)" '^Remv slurm-cosched-plugins '
rm /etc/apt/sources.list.d/next.list

# --- out: in haste, then as doc/admin has it

under_jobs "removal in haste" apt remove slurm-cosched slurm-cosched-plugins
is "the folder stays, without plugins" "$(ls "$folder")" ""
ok "slurmctld restarts without the plugins" restart_ctld
nok "nobody answers any more" in_act
launched "in haste"
ok "the packages come again" install_packages 2
ok "slurmctld restarts with them again" restart_ctld
ok "mode act again" wait_for 20 in_act

cp "$WORK/stock.conf" "$conf"
ok "slurmctld restarts with the old lines" restart_ctld
ok "scontrol reconfigure" scontrol reconfigure
ok "the node takes jobs again" wait_for 30 timeout 20 srun -n1 -t1 true
under_jobs "apt-get purge" apt purge slurm-cosched slurm-cosched-plugins
ok "the folder may go now" rm -r "${folder%/*}"
launched "without the folder"

touch "$WORK/stop"
wait "$stream"
mapfile -t ids <"$WORK/ids"
ok "all ${#ids[@]} jobs that came have ended" wait_for 120 ended "${ids[@]}"
is "each ran once" "$(sort "$RUNS" | awk '$1 == "start" { print $2 }' | uniq -d;
	grep '^double' "$RUNS")" ""
is "the first one still runs, where it did" "$(state "$long") $(cores "$long")" "RUNNING $held"
is "it was started once" "$(field "$long" Restarts)" 0
scancel "$long"

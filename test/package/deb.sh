#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The packages over a Slurm that runs, in the steps of doc/admin: in, shadow, act, the
# upgrade to a rebuilt package, Slurm's own upgrade, out, while jobs come all the time.
# Nobody's job is lost, held or run again, and no command fails while apt is at work.
#
# Usage: deb.sh FOLDER, with the packages in FOLDER/1 and, of a higher version, FOLDER/2.
# For a container of its own (test/package/run.sh): it installs and configures Slurm,
# Debian's, or, where there is a folder FOLDER/smd, SchedMD's from there.

# shellcheck source-path=SCRIPTDIR source=site.inc
. "$(dirname "$0")/site.inc"
packages=${1:?the folder of the packages expected}
slurm=(slurmctld)
if [ -d "$packages/smd" ]; then
	SMD=$packages/smd
	slurm=(slurm-smd-slurmctld slurm-smd-slurmd slurm-smd-client slurm-smd)
fi
folder=$(dpkg-deb -c "$packages"/1/slurm-cosched-plugins_*.deb |
	sed -n 's|.* \.\(/.*\)/sched_backfill\.so$|\1|p')

install_packages() {
	apt install "$packages/$1"/*.deb
}
conf_lines() {
	cosched conf --profiles /etc/slurm/profiles.json --log /var/log/slurm/cosched.log \
		>"$WORK/lines" && paste_into_conf "$WORK/lines"
}
plugins_loaded() { # by the slurmctld that runs, from our folder
	grep -qF "$folder/sched_backfill.so" "/proc/$(cat /run/slurmctld.pid)/maps"
}

begin
release=$(slurmctld -V | awk '{ print $2 }')

page=/usr/share/doc/slurm-cosched/doc/admin/install.md
under_jobs "apt-get install" install_packages 1
like "it says what comes next" "$(cat "$WORK/apt")" "next: cosched conf .* step 2, in $page"
ok "the page has that step" grep -q '^2\. On slurmctld' "$page"
below=${release%.*}.$((${release##*.} + 1))~
is "it depends on this release" \
	"$(dpkg-query -W -f '${Depends}' slurm-cosched-plugins | grep -o " ${slurm[0]} .*")" \
	" ${slurm[0]} (>= $release), ${slurm[0]} (<< $below)"
is "apt finds nothing amiss" "$(apt-get check 2>&1 | grep '^E:')" ""
ok "README and pages name what is there" "$TREE/test/check_links.sh" /usr/share/doc/slurm-cosched
ok "manuals are in it" test -s /usr/share/man/man1/cosched.1.gz -a \
	-s /usr/share/man/man5/cosched-params.5.gz
ok "completion is" test -s /usr/share/bash-completion/completions/cosched
ok "the agent's unit is" grep -q '^ExecStart=/usr/sbin/coschedd-node' \
	/usr/lib/systemd/system/coschedd-node.service /lib/systemd/system/coschedd-node.service
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
like "it says that slurmctld goes on" "$(cat "$WORK/apt")" 'until it is restarted'
unlike "and of no first step" "$(cat "$WORK/apt")" 'next: cosched conf'
is "slurmctld is as it was" "$(cat /run/slurmctld.pid)" "$pid"
version=$(dpkg-query -W -f '${Version}' slurm-cosched-plugins)
pattern=${version//[.+]/.}
like "the new version is in" "$version" '-2$'
is "cosched --version has it" "$(cosched --version)" "cosched $version"
ok "mode act is on" in_act
like "cosched status says that slurmctld has the old one" "$(cosched status 2>&1)" \
	"has loaded build ${pattern%2}1, .* build $pattern: .*restart slurmctld"
like "cosched doctor does" "$(cosched doctor 2>&1)" "^ok +plugin .*has loaded build ${pattern%2}1, "
ok "slurmctld restarts with it" restart_ctld
ok "mode act is on again" wait_for 20 in_act
like "cosched status has the new version" "$(cosched status 2>&1)" "^cosched $pattern in Slurm"
unlike "and no word of another" "$(cosched status 2>&1)" "has loaded build"
launched "upgraded"

# --- an upgrade of Slurm, served by an archive of our own

next_slurm() {
	local next=${release%.*}.$((${release##*.} + 1))-1 deb had name

	mkdir -p "$WORK/archive" && cd "$WORK/archive" || return 1
	if [ -n "${SMD:-}" ]; then cp "$SMD"/*.deb .; else apt-get -q download slurmctld; fi
	for deb in *.deb; do
		dpkg-deb -R "$deb" x && rm "$deb" || return 1
		had=$(sed -n 's/^Version: //p' x/DEBIAN/control)
		sed -i "s/^Version: .*/Version: $next/" x/DEBIAN/control
		for name in "${slurm[@]}"; do
			sed -i "s/\b$name (= $had)/$name (= $next)/" x/DEBIAN/control
		done
		dpkg-deb -b x . && rm -r x || return 1
	done
	dpkg-scanpackages . >Packages &&
		echo "deb [trusted=yes] file:$WORK/archive ./" >/etc/apt/sources.list.d/next.list &&
		apt-get -q update
}
had=("slurmctld=$(dpkg-query -W -f '${Version}' "${slurm[0]}")")
[ -z "${SMD:-}" ] || had=("$SMD"/*.deb)
ok "a next Slurm is in apt's sources" next_slurm
like "apt-get upgrade holds it back" "$(apt-get -s upgrade)" "(kept back:|^ .*)\b${slurm[0]}\b"
unlike "and does not install it" "$(apt-get -s upgrade)" "^Inst ${slurm[0]} "
like "who asks for it is told that our plugins go" \
	"$(apt-get -s install "${slurm[@]}")" '^Remv slurm-cosched-plugins '
under_jobs "Slurm's own upgrade, all the same" apt install "${slurm[@]}"
like "it says what to build" "$(cat "$WORK/apt")" \
	"next start on Slurm schedules .* contrib/package RELEASE: see .* $page"
ok "the page that it names is there" grep -q '^## Upgrading Slurm$' "$page"
is "our plugins went" "$(find "$folder" -name '*.so')" ""
ok "slurmctld restarts without them" restart_ctld
nok "nobody answers" in_act
like "cosched doctor says what is missing" "$(cosched doctor 2>&1)" "^wrong plugins .* lacks select_cons_tres.so"
launched "the next Slurm"
nok "our packages are refused beside it" install_packages 2
like "with the release that they need" "$(cat "$WORK/apt")" "${slurm[0]} \\(<<? $below\\)"
rm /etc/apt/sources.list.d/next.list
apt update
ok "Slurm as it was" apt install --allow-downgrades "${had[@]}"
ok "with our packages" install_packages 2
ok "slurmctld restarts with them" restart_ctld
ok "mode act is on after all that" wait_for 20 in_act
launched "back"

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

nobody_lost

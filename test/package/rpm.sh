#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rpms of contrib/package --rpm: what they have in them and depend on, in, upgraded and
# out, under rpm itself. Slurm's rpm is a stand-in of its name and version, which
# provides the libraries of this Debian too.
#
# Usage: rpm.sh FOLDER, with the packages in FOLDER/1 and, of a higher version, FOLDER/2.
# For a container of its own (test/package/run.sh): it installs into /.
set -u
packages=${1:?the folder of the packages expected}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

said() { # RESULT TEXT [WHAT CAME]
	printf '%s - %s\n' "$1" "$2"
	[ "$1" = ok ] || {
		failed=1
		printf '    %s\n' "${3:-}"
	}
}
ok() { # TEXT COMMAND...
	local text=$1
	shift
	if "$@" >"$work/out" 2>&1; then said ok "$text"; else said "not ok" "$text" "$(cat "$work/out")"; fi
}
is() { # TEXT GOT WANT
	if [ "$2" = "$3" ]; then said ok "$1"; else said "not ok" "$1" "'$2', expected '$3'"; fi
}
like() { # TEXT GOT REGEX
	if grep -qE -- "$3" <<<"$2"; then said ok "$1"; else said "not ok" "$1" "'$2' has no '$3'"; fi
}

# Debian 12's rpm wants to hear that nobody takes it for dpkg.
rpm_() {
	local mode=$1
	shift
	case $mode in
	-[iUe])	command rpm "$mode" "${force[@]}" --dbpath "$work/db" "$@" 2>&1 ;;
	*)	command rpm "$mode" --dbpath "$work/db" "$@" 2>&1 ;;
	esac
}
# slurm RELEASE: the path of a stand-in for SchedMD's slurm-slurmctld
slurm() {
	{
		printf 'Name: slurm-slurmctld\nVersion: %s\nRelease: 1\nSummary: a stand-in\n' "$1"
		printf 'License: none\nBuildArch: noarch\nProvides: /bin/sh\n'
		sed 's/^/Provides: /' "$work/libraries"
		printf '%%description\nA stand-in.\n%%files\n'
	} >"$work/slurm.spec"
	rpmbuild -bb --define "_topdir $work/slurm" "$work/slurm.spec" >"$work/log" 2>&1 ||
		{ cat "$work/log" >&2; exit 1; }
	printf '%s/slurm/RPMS/noarch/slurm-slurmctld-%s-1.noarch.rpm\n' "$work" "$1"
}
requires() { # PACKAGES...
	command rpm -qp --requires "$@"
}

export DEBIAN_FRONTEND=noninteractive
{ apt-get -q update && apt-get -q -y install --no-install-recommends rpm libjson-c5 \
	libmunge2 liblzma5 libzstd1 zlib1g; } </dev/null >"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
force=()
! command rpm --help | grep -q -- --force-debian || force=(--force-debian)
mkdir "$work/db"
rpm_ --initdb
base=("$packages"/1/slurm-cosched-[0-9]*.x86_64.rpm)
plugins=("$packages"/1/slurm-cosched-plugins-*.x86_64.rpm)
[ -e "${base[0]}" ] && [ -e "${plugins[0]}" ] || { ls -R "$packages"; exit 1; }
release=$(command rpm -qp --qf '%{version}' "${plugins[0]}" | sed 's/.*slurm//')
next=${release%.*}.$((${release##*.} + 1))
folder=$(command rpm -qlp "${plugins[0]}" | sed -n 's|/sched_backfill\.so$||p')
requires "${base[0]}" "${plugins[0]}" | grep '^lib.*\.so\|^ld-linux\|^rtld' | sort -u >"$work/libraries"

like "it depends on this release" "$(requires "${plugins[0]}")" "^slurm-slurmctld = $release\$"
is "it asks for no library of its own" "$(requires "${plugins[0]}" | grep cosched_plan)" ""
is "the source package is there" "$(find "$packages/1" -name '*.src.rpm' | wc -l)" 1
ok "for the next Slurm, too" rpmbuild -rp --nodeps --define "_topdir $work/again" \
	--define "slurm_release $next" "$packages"/1/*.src.rpm
like "without Slurm it is refused" "$(rpm_ -i "${base[0]}" "${plugins[0]}")" \
	"slurm-slurmctld = $release is needed"
ok "another Slurm goes in" rpm_ -i "$(slurm "$next")"
like "with that it is refused" "$(rpm_ -i "${base[0]}" "${plugins[0]}")" \
	"slurm-slurmctld = $release is needed"
ok "the right Slurm goes in" rpm_ -U --oldpackage "$(slurm "$release")"
like "with that they go in, and say what comes next" "$(rpm_ -i "${base[0]}" "${plugins[0]}")" \
	"next: cosched conf .* step 2, in "

is "all files are as packed" "$(rpm_ -V slurm-cosched slurm-cosched-plugins)" ""
is "the command says which build it is" "$(cosched --version 2>&1)" \
	"cosched $(rpm_ -q --qf '%{version}-%{release}' slurm-cosched)"
for file in /usr/share/man/man1/cosched.1 /usr/share/man/man5/cosched-params.5 \
	/usr/share/bash-completion/completions/cosched \
	/usr/sbin/coschedd-node /usr/lib/systemd/system/coschedd-node.service \
	/usr/lib/systemd/system/cosched-exporter.service; do
	ok "it has $file" eval "[ -s $file ] || [ -s $file.gz ]"
done
is "the plugins are in the folder" "$(find "$folder" -name '*.so' -printf '%f ' | wc -w)" \
	"$(command rpm -qlp "${plugins[0]}" | grep -c '\.so$')"
pages=$(command rpm -qlp "${base[0]}" | sed -n 's|/README$||p')
ok "it has the page that removal names" test -s "$pages/doc/admin/install.md"
ok "README and pages name what is there" "$(dirname "$0")/../check_links.sh" "$pages"
scripts=$(rpm_ -q --scripts slurm-cosched)
like "an upgrade restarts an exporter that runs" "$scripts" "try-restart cosched-exporter.service coschedd-node.service"
like "removal stops it" "$scripts" "disable --now cosched-exporter.service coschedd-node.service"
like "their libraries are found" "$(ldd "$folder/sched_backfill.so")" "libcosched_plan-[0-9.]+\.so => $folder/"

like "Slurm's own upgrade is refused" "$(rpm_ -U "$(slurm "$next")")" \
	"slurm-slurmctld = $release is needed by"
out=$(rpm_ -U "$packages"/2/slurm-cosched-[0-9]*.x86_64.rpm \
	"$packages"/2/slurm-cosched-plugins-*.x86_64.rpm)
like "the upgrade says that slurmctld goes on" "$out" 'until it is restarted'
is "and of no first step" "$(grep 'next:' <<<"$out")" ""
is "the new version is in, alone" "$(rpm_ -qa --qf '%{release} ' 'slurm-cosched*' )" "2 2 "
is "all files are as packed then" "$(rpm_ -V slurm-cosched slurm-cosched-plugins)" ""

out=$(rpm_ -e slurm-cosched-plugins slurm-cosched)
like "removal says what to do" "$out" "$folder stays, .* rm -r ${folder%/*}\$"
like "and what builds it for the next Slurm" "$out" \
	"rpmbuild --rebuild --define 'slurm_source FOLDER' .* slurm-cosched-\*.src.rpm; see .*install.md"
is "the folder stays, without plugins" "$(ls "$folder" 2>&1)" ""
nothing=$(find / -xdev -name '*cosched*' -not -path '/checkout/*' -not -path '/proc/*' \
	-not -path "$packages/*" -not -path '/tmp/*' -not -path "${folder%/*}")
is "nothing else stays" "$nothing" ""
exit $failed

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stand-ins for SchedMD's packages of Slurm, made of Debian's: its binaries under the
# names, versions, dependencies and paths of the debian folder that Slurm's source has
# from 23.11 on. There the plugins are in /usr/lib/ARCH/slurm, Debian's in slurm-wlm;
# the binaries' own default is changed with it. No package makes the user slurm.
#
# Usage: slurm_smd.sh VERSION OUT: four packages of that version, as 24.11.5-1.

set -eu -o pipefail
version=${1:?a version expected}
out=${2:?a folder expected}
multiarch=$(gcc -print-multiarch 2>/dev/null || echo "$(uname -m)-linux-gnu")
theirs=/usr/lib/$multiarch/slurm
work=$(mktemp -d)
chmod 755 "$work" # apt downloads as a user of its own
trap 'rm -rf "$work"' EXIT

unpack() { # DEBIAN'S PACKAGE NAME
	local deb

	cd "$work"
	apt-get -q download "$1" >&2
	deb=$(echo "$1"_*.deb)
	dpkg-deb -x "$deb" "$2"
	dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/^ *//' |
		grep -v '^slurm\|adduser\|^systemd\|^ucf\|^munge' >>"$work/needs" || :
	rm -f "$deb"
}
# NAME [FIELD...]: what stays are the folders that SchedMD's has
pack() {
	local name=$1 needs
	shift

	needs=$(sort -u "$work/needs" | paste -sd, | sed 's/,/, /g')
	: >"$work/needs"
	cd "$work/$name"
	rm -rf usr/share etc/init.d etc/default etc/logrotate.d usr/lib/sysusers.d usr/lib/systemd
	for f in usr/sbin/*-wlm; do
		[ ! -f "$f" ] || mv "$f" "${f%-wlm}"
	done
	[ ! -d ".$theirs-wlm" ] || mv ".$theirs-wlm" ".$theirs"
	find . -type f -exec perl -pi -e "s|\Q$theirs\E-wlm\0|$theirs\0\0\0\0\0|g" {} +
	mkdir -p DEBIAN
	{
		printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' "$name" "$version" \
			"$(dpkg --print-architecture)"
		printf 'Maintainer: a test <root@localhost>\nDescription: a stand-in\n'
		printf 'Depends: munge, %s%s\n' "$needs" "${1:-}"
		shift
		printf '%s\n' "$@"
	} >DEBIAN/control
	dpkg-deb --root-owner-group -b . "$out" >&2
}

apt-get -q update >&2
mkdir -p "$out"
out=$(cd "$out" && pwd)
unpack slurm-wlm-basic-plugins slurm-smd
pack slurm-smd "" "Conflicts: slurm-wlm, slurm-wlm-basic-plugins, slurm-wlm-plugins"
unpack slurm-client slurm-smd-client
pack slurm-smd-client ", slurm-smd (= $version), bash-completion" "Conflicts: slurm-client"
for daemon in slurmctld slurmd; do
	unpack $daemon slurm-smd-$daemon
	pack slurm-smd-$daemon ", slurm-smd (= $version)" "Conflicts: $daemon"
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In and out as an administrator does it, each in a fresh container that holds a minimal
# Debian and this checkout.
#
# Usage: test/package/run.sh RELEASE [deb|smd|rpm|make]
#
#	deb    the packages of contrib/package, built twice, the second of a higher
#	       version: deb.sh, and the pages of doc/admin by packages
#	smd    those of contrib/package --smd, beside SchedMD's Slurm, as slurm_smd.sh has
#	       it: deb.sh; only if named, and from 23.11 on
#	rpm    contrib/package --rpm, twice as well: rpm.sh
#	make   the pages by a build there
#
# SHADOW_S=600 has the pages' shadow last ten minutes.
set -u
release=${1:?release expected: one with packages in contrib/releases}
ways=${2:-deb rpm make}
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-packages.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
rc=0
bare() {
	"$tree/contrib/docker/shell" "$release" --bare --env "SHADOW_S=${SHADOW_S:-60}" "$@" ||
		rc=1
}
there() { # FOLDER COMMAND...: what it puts into /packages is there then
	mkdir -p "$1" &&
		"$tree/contrib/docker/shell" "$release" --get /packages/. "$@"
}
for way in $ways; do
	case $way in
	deb)
		"$tree/contrib/package" --out "$work/deb/1" "$release" &&
			"$tree/contrib/package" --out "$work/deb/2" --revision 2 "$release" ||
			exit 1
		bare --put "$work/deb" /packages bash test/package/deb.sh /packages
		bare --put "$work/deb" /packages bash test/package/pages.sh deb /packages
		;;
	smd)
		"$tree/contrib/package" --smd --out "$work/smd/1" "$release" &&
			"$tree/contrib/package" --smd --out "$work/smd/2" --revision 2 "$release" &&
			there "$work/smd/smd" bash test/package/slurm_smd.sh "$release-1" /packages ||
			exit 1
		bare --put "$work/smd" /packages bash test/package/deb.sh /packages
		;;
	rpm)
		"$tree/contrib/package" --rpm --out "$work/rpm/1" "$release" &&
			there "$work/rpm/2" contrib/package --rpm --here --out /packages \
				--revision 2 --source "/var/cache/build/cosched/slurm-$release" ||
			exit 1
		bare --put "$work/rpm" /packages bash test/package/rpm.sh /packages
		;;
	make)	bare bash test/package/pages.sh make ;;
	esac
done
exit $rc

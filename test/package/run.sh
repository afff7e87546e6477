#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In and out as an administrator does it, each in a fresh container that holds a minimal
# Debian and this checkout.
#
# Usage: test/package/run.sh RELEASE [deb|rpm|make]
#
#	deb    the packages of contrib/package, built twice, the second of a higher
#	       version: deb.sh, and the pages of doc/admin by packages
#	rpm    contrib/package --rpm, twice as well: rpm.sh
#	make   the pages by a build there
set -u
release=${1:?release expected: 24.11.5 or 22.05.8}
ways=${2:-deb rpm make}
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-packages.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
rc=0
bare() {
	"$tree/contrib/docker/shell" "$release" --bare "$@" || rc=1
}
for way in $ways; do
	case $way in
	deb)
		"$tree/contrib/package" --out "$work/1" "$release" &&
			"$tree/contrib/package" --out "$work/2" --revision 2 "$release" || exit 1
		bare --put "$work" /packages bash test/package/deb.sh /packages
		bare --put "$work" /packages bash test/package/pages.sh deb /packages
		;;
	rpm)
		"$tree/contrib/package" --rpm --out "$work/rpm/1" "$release" &&
			"$tree/contrib/package" --rpm --out "$work/rpm/2" --revision 2 "$release" ||
			exit 1
		bare --put "$work/rpm" /packages bash test/package/rpm.sh /packages
		;;
	make)	bare bash test/package/pages.sh make ;;
	esac
done
exit $rc

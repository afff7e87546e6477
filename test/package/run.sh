#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The packages of contrib/package: built twice, the second of a higher version, each in a
# container; then deb.sh in a fresh one, which holds a minimal Debian and them.
#
# Usage: test/package/run.sh RELEASE
set -eu
release=${1:?release expected: 24.11.5 or 22.05.8}
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-packages.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
"$tree/contrib/package" --out "$work/1" "$release"
"$tree/contrib/package" --out "$work/2" --revision 2 "$release"
"$tree/contrib/docker/shell" "$release" --bare --put "$work" /packages \
	bash test/package/deb.sh /packages

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contrib/package refuses what it cannot build, and says what would. Nothing is built.
#
# Usage: check_package.sh TREE
set -u -o pipefail
tree=$(realpath "${1:-.}") || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-package.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
refuses() { # TEXT GOT REGEX: the last line of GOT is its status
	[[ $2 =~ $3.*status\ 1$ ]] && return
	failed=1
	printf 'not ok - %s: no /%s/, or status 0, in:\n%s\n' "$1" "$3" "$2"
}

# a host without docker
mkdir "$work/bin"
for tool in bash cat dirname grep id mkdir sed; do
	ln -s "$(command -v $tool)" "$work/bin/$tool"
done
got=$(PATH=$work/bin bash "$tree/contrib/package" --out "$work" 2>&1; echo "status $?")
refuses "without docker" "$got" 'no docker here: install .*, or give --here'

# another Debian's Slurm; apt-get ends it if it is not refused
printf '#!/bin/sh\nexit 1\n' >"$work/bin/apt-get"
chmod 755 "$work/bin/apt-get"
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
read -r other carrier _ < <(awk -v here="$codename" \
	'!/^#/ && NF == 5 && $5 != "-" && $2 != here' "$tree/contrib/releases")
why=''
if [ "$(id -u)" -ne 0 ]; then
	why="it needs root"
elif [ -z "$codename" ] || ! command -v dpkg-query >/dev/null; then
	why="this is no Debian"
fi
if [ -n "$why" ]; then
	printf "skip - another Debian's Slurm is refused: %s\n" "$why"
else
	got=$(PATH=$work/bin:$PATH "$tree/contrib/package" --here --out "$work" $other 2>&1
		echo "status $?")
	refuses "another Debian's Slurm" "$got" "Slurm $other is Debian $carrier's, this is $codename"
fi
exit $failed

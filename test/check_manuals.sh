#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The manual pages: groff has nothing to say against them, each option that a
# command's --help names stands in cosched(1), and every page that they name is
# there.
set -u
doc=${srcdir:-.}/doc
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

./cosched params --man > "$tmp/cosched-params.5" || fail "params --man"
cp "$doc"/cosched*.[15] "$tmp"
cd "$tmp" || exit 1

# ---- what they name

sed 's/\\-/-/g' cosched.1 > text
cosched=$OLDPWD/cosched
for command in import whatif sim compare check replay conf doctor params profile learn \
	status explain groups users top exporter workload shadow-report procsim wait; do
	"$cosched" $command --help | grep -oE '^ +--?[a-z-]+' | tr -d ' ' > options
	while read -r option; do
		grep -qF -e "$option" text || fail "$command: $option is not in cosched(1)"
	done < options
done
for page in cosched*.[15]; do
	sed 's/\\-/-/g' "$page" | grep -oE '\.BR cosched[a-z-]* \([15]\)' |
		sed 's/\.BR \(.*\) (\(.\))/\1.\2/' | sort -u > named
	while read -r other; do
		[ -s "$other" ] || fail "$page: there is no $other"
	done < named
	grep -q '^cosched' named || fail "$page: names no other page"
done

# ---- as groff reads them

if command -v groff > found; then
	for page in cosched*.[15]; do
		groff -ww -mandoc -Tutf8 "$page" > out 2> err || fail "$page: groff"
		[ ! -s err ] || fail "$page: $(cat err)"
		[ "$(wc -l < out)" -gt 50 ] || fail "$page: nearly nothing"
	done
else
	echo "no groff: not looked at by it"
fi
exit $status

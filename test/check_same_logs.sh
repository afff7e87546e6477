#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What contrib/same-logs compares: a changed decision is found, and named by its preset; a
# word of a log's header, an explaining member of a start, a count of decides and a preset
# that only one build has are no changed decisions.
#
# Usage: check_same_logs.sh COSCHED [TREE]
set -u -o pipefail
cosched=$(realpath "${1:-./cosched}") || exit 1
[ -x "$cosched" ] || { echo "no '$cosched': build first" >&2; exit 1; }
tree=$(realpath "${2:-$(dirname "$0")/..}") || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-samelogs.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# Forty jobs, in a trace of each name that same-logs asks for
for t in KTH-SP2 SDSC-SP2 LPC-EGEE; do
	awk 'BEGIN { for (i = 1; i <= 40; i++) print i, i * 50, 0, 300 + i, 8 * (i % 5) + 4, -1, -1,
		8 * (i % 5) + 4, 600, -1, 1, i % 7, 1, 1, 1, 1, -1, -1 }' >"$work/$t.swf"
done

# Of the presets four are enough.
cat >"$work/four.sed" <<'END'
/^ +Presets:/,$ { / (order|slice)=/ { / (fcfs|easy|cover|brms) /!d } }
END

# build NAME [SED-LINE...]: a command that decides as cosched does, and whose output these
# change
build() {
	local to=$work/$1
	shift

	printf '%s\n' "$@" >"$to.sed"
	cat >"$to" <<END
#!/bin/bash
set -o pipefail
'$cosched' "\$@" | sed -E -f "\$([ "\$1" = params ] && echo '$work/four.sed' || echo /dev/null)" |
	sed -E -f '$to.sed'
END
	chmod 755 "$to"
}

# compared NAME STATUS LINE-REGEX...: same-logs of it and of the unchanged build
compared() {
	local name=$1 want=$2 got status r
	shift 2

	got=$("$tree/contrib/same-logs" --traces "$work" "$work/as_is" "$work/$name" 2>&1)
	status=$?
	for r; do
		grep -qE -- "$r" <<<"$got" || { want=different; echo "not ok - $name: no /$r/"; }
	done
	[ "$status" = "$want" ] || {
		failed=1
		printf 'not ok - %s: status %s, expected %s\n%s\n' "$name" "$status" "$want" "$got"
	}
}

build as_is
build texts 's/("ev":"header".*"release":")[^"]*"/\1of a later day","word":"new"/' \
	's/"gain":[0-9.]+/"gain":9/' '/"ev":"decide","actions":0/d' \
	's/^( +)easy( +)order=.*/&\n\1easier\2order=fcfs, slice=none/' '/^ +fcfs +order=/d'
build changed '/"policy":"easy"/,$s/("ev":"start","job":7,.*"alloc":\{")/\19/' \
	'/"policy":"cover"/,$s/("ev":"start","job":9,.*)\}/\1,"limit":5}/' \
	's/("ev":"suspend","job":)/\11/'

compared texts 0 '^texts +4 +0 +1 +1 '
compared changed 1 '^changed +2 +DIFFERS +0 +0 ' \
	'^  DIFFERS easy$' '^    was KTH-SP2 .*"job": 7,' '^    is  KTH-SP2 .*"job": 7,' \
	'^  DIFFERS cover$' '^    is .*"limit": 5' '^  DIFFERS brms$' '^    was .*"suspend"'
exit $failed

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contrib/test that is ended by a signal says so, and does not end with status 0. As
# root; nothing is built, since the signal comes first.
#
# Usage: check_interrupted.sh TREE
set -u -o pipefail
tree=$(realpath "${1:-.}") || exit 1
[ "$(id -u)" -eq 0 ] || { echo "skipped: not root"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-interrupted.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# It stops itself at the first thing that it does.
cat >"$work/mktemp" <<'END'
#!/bin/sh
kill -TERM "$PPID"
PATH=${PATH#*:} exec mktemp "$@"
END
chmod 755 "$work/mktemp"
got=$(PATH=$work:$PATH TMPDIR=$work timeout 60 "$tree/contrib/test" --only static 2>&1)
status=$?
failed=0
[ "$status" -eq 143 ] || { echo "not ok - exit status $status, expected 143"; failed=1; }
grep -qE '^interrupted by SIGTERM after 0:[0-9]{2}: ' <<<"$got" ||
	{ echo "not ok - it does not say that it was interrupted"; failed=1; }
[ "$(tail -n 1 <<<"$got")" = "0 passed, 0 failed, 0 skipped" ] ||
	{ echo "not ok - the last line has the counts"; failed=1; }
[ "$failed" -eq 0 ] || printf '%s\n' "$got"
exit $failed

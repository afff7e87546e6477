#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The code of src and test is as .clang-format lays it out. Other releases of
# clang-format break lines elsewhere: 14 is the one that counts (Debian 12).
#
# Usage: check_format.sh [--here]	--here: is that release here?
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1

for format in clang-format-14 clang-format ''; do
	[ -z "$format" ] || ! "$format" --version 2>/dev/null | grep -q 'version 14\.' || break
done
[ -n "$format" ] || { echo "no clang-format 14"; exit 77; }
[ "${1:-}" != --here ] || exit 0

# It catches a breach.
! printf 'int  a;\n' | "$format" --dry-run -Werror --assume-filename=a.c 2>/dev/null ||
	{ echo "clang-format lets everything pass"; exit 1; }

found=$(find src test -name '*.[ch]' -exec "$format" --dry-run {} + 2>&1 |
	sed -n 's/^\([^:]*:[0-9]*\):.*warning.*/\1/p' | sort -u)
[ -z "$found" ] || {
	printf '%s\n' "$found" | head -n 20
	echo "not as .clang-format has it: $(wc -l <<<"$found") lines; clang-format -i FILE mends them"
	exit 1
}

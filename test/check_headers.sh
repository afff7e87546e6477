#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check_headers: does every header compile alone, has each a guard of its own and at
# most 400 lines?
#
# Usage: test/check_headers.sh [FOLDER]		default: .
#
# Those of src/plugins may include Slurm's, so they want what configure made of
# --with-slurm in the build FOLDER; without it only those of its wire are looked at.
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "${1:-.}" || exit 1
status=0
cflags=$(pkg-config --cflags json-c)
slurm=$(sed -n 's/^SLURM_CPPFLAGS = *//p' Makefile 2>/dev/null)

compiles() { # HEADER FLAG...
	h=$1
	shift
	# shellcheck disable=SC2086  # flags are words
	gcc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -x c "$@" -I"$top/src" \
		-I"$top/src/common" -I"$top/src/cosched" -I"$top/src/plugins" $cflags "$h" || status=1
}

all=$(find "$top/src" -name '*.h')
# shellcheck disable=SC2086  # no header has a blank in its name
twice=$(sed -n 's/^#ifndef \(CS_[A-Z0-9_]*_H\)$/\1/p' $all | sort | uniq -d)
[ -z "$twice" ] || { echo "guard of two headers: $twice"; status=1; }
for h in $all; do
	n=$(wc -l <"$h")
	[ "$n" -le 400 ] || { echo "$h has $n lines, at most 400 are wanted"; status=1; }
	[ "$(grep -c '^#ifndef CS_[A-Z0-9_]*_H$' "$h")" = 1 ] || { echo "$h has no guard"; status=1; }
done
for h in "$top"/src/common/*/*.h "$top"/src/cosched/*/*.h "$top"/src/sim/*.h "$top"/src/procsim/*.h "$top"/src/wait/*.h "$top"/src/agent/*.h \
	"$top"/src/plugins/wire/*.h; do
	compiles "$h"
done
[ -n "$slurm" ] || exit $status
for h in "$top"/src/plugins/*/*.h "$top"/src/plugins/sched/*/*.h; do
	# shellcheck disable=SC2086  # flags are words
	compiles "$h" -D_GNU_SOURCE $slurm
done
exit $status

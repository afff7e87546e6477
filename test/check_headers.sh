#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every header of src/common, src/cosched, src/sim and src/plugins/wire compiles
# alone.
cd "$(dirname "$0")/.." || exit 1
status=0
cflags=$(pkg-config --cflags json-c)
for h in src/common/*.h src/cosched/*.h src/sim/*.h src/plugins/wire/*.h; do
	# shellcheck disable=SC2086  # flags are words
	gcc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -x c -Isrc -Isrc/common \
		$cflags "$h" || status=1
done
exit $status

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Run a fuzzer over its corpus: fuzz TARGET FILE...  TIMES (500) mutations of each
# file, for FUZZ_SECONDS (0: once), from SEED (a new one each time, printed). To be
# sourced.
set -eu
# shellcheck disable=SC2034 # for who sources this
src=${srcdir:-.}

fuzz() {
	target=$1
	shift
	exec "./$target" -n "${TIMES:-500}" -t "${FUZZ_SECONDS:-0}" \
		-s "${SEED:-$(date +%s)}" "$@"
}

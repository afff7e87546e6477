#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the fuzzer of event logs over its corpus: TIMES (500) mutations of each
# file, from SEED (a new one each time, printed).
set -eu
seed=${SEED:-$(date +%s)}
src=${srcdir:-.}
exec ./fuzz_log -n "${TIMES:-500}" -s "$seed" \
	"$src"/test/unit/data/check_*.jsonl "$src"/test/fuzz/corpus/*

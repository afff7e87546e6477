#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What Slurm looks for in SchedulerParameters.
#
# Usage: slurm_scheduler_keys.sh SLURM-SOURCE-TREE... >slurm_scheduler_keys
#
# Each string that the sources search sched_params for, and each key of the
# manual page that no source searches (documented only), over all trees given.

set -euo pipefail
export LC_ALL=C
[ $# -gt 0 ] || { echo "usage: $0 SLURM-SOURCE-TREE..." >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# power_cray_aries.c calls its own PowerParameters "sched_params".
for tree; do
	grep -rhoPz --include='*.[ch]' --exclude=power_cray_aries.c \
		'(?s)str(case)?str\s*\(\s*[\w.>-]*sched_params\s*,\s*"[^"]+"' \
		"$tree/src" | tr '\0' '\n' | grep -o '"[^"]*"' | tr -d '"'
done | sort -u >"$work/source"

for tree; do
	awk '/^\\fBSchedulerParameters\\fR$/ { on = 1; next }
	     on && /^\\fBScheduler[A-Za-z]*\\fR$/ { exit }
	     on && tag && /^\\fB/ { print }
	     { tag = ($0 == ".TP") }' "$tree/doc/man/man5/slurm.conf.5" |
		sed -E 's/\\fB([A-Za-z_0-9]+)(\\fR)?(=?).*/\1\3/'
done | sort -u >"$work/manual"

releases=$(for tree; do
	sed -nE 's/^\s*Version:\s*//p' "$tree/META"
done | paste -sd' ')

echo "# Slurm $releases, by slurm_scheduler_keys.sh over their source trees"
awk 'NR == FNR { k = $0; sub(/=$/, "", k); have[k] = 1; print; next }
     { k = $0; sub(/=$/, "", k) } !(k in have)' \
	"$work/source" "$work/manual" | sort -u

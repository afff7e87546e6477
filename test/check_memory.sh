#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Valgrind over the command: reads of what nobody wrote, which the sanitizers do not
# see. Small workloads under policies that use all of the engine, the outputs, a replay.
#
# Usage: check_memory.sh COSCHED
cosched=$(realpath "${1:?the command expected}") || exit 1
command -v valgrind >/dev/null || { echo "no valgrind"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0

run() {
	valgrind -q --error-exitcode=99 "$cosched" "$@" \
		>out 2>said && return
	failed=1
	printf 'not ok - cosched %s\n' "$*"
	head -n 25 said
}

run workload w1 --jobs 150 --seed 3
mv out w1.swf
awk '!/^;/ { $14 = NR % 4 ? NR % 7 : -1 } { print }' w1.swf >campaigns.swf
for policy in glts+,backfill_join=yes glts,slice=pect cst,jobs_per_node=3 ssp,unprofiled=pack \
	ostrich,campaign_order=mlpt,campaign_hold=strict easy,order=ostrich,slice=pect
do
	IFS=, read -ra set <<<"${policy#*,}"
	run sim --machine 128x2x2 --policy "${policy%%,*}" "${set[@]/#/--set=}" \
		--set slowdowns=table4 --campaigns field14 --events log --jobs - \
		campaigns.swf
	[ -s out ] || { failed=1; echo "not ok - $policy: no jobs"; }
	run check log
	run replay log
	rm -f log
done
run compare --machine 64x2x2 --policies easy,cst --live-defaults --html page.html w1.swf
run params
exit "$failed"

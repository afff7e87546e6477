#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check_symbols: do the plugins bind to what they should, and show no more than
# they must?
#
# Usage: test/check_symbols.sh [FOLDER]		default: src/plugins/.libs
#
# Slurm loads plugins lazily, so a symbol that is nowhere kills slurmctld at the
# first call, and a plain error() binds to glibc's error(3) without a word.
#
#  1. no name that slurm_xlator.h translates is undefined untranslated (it
#     leaves bit_and_not out)
#  2. every undefined symbol is in slurmctld, libslurmfull, libc, libm, libmunge,
#     json-c or libcosched_plan
#  3. only the plugin ABI is exported
#  4. binding is lazy, and libcosched_plan-RELEASE.so is looked for beside the plugin
#  5. libcosched_plan-RELEASE.so is never unmapped: threads of its own run in it
#
# Skipped (77) where the plugins or slurmctld are missing.

set -eu
dir=${1:-src/plugins/.libs}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

skip() {
	echo "skipped: $1"
	exit 77
}

fail() {
	echo "FAILED: $1"
	failed=1
}

names() { # of file $2, of the kinds nm option $1 shows, without versions
	nm -D "$1" "$2" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u
}

find_lib() {
	for d in /usr/lib/*/ /usr/lib64/ /usr/lib/ /lib/*/ /usr/lib/*/slurm-wlm/ \
		/usr/lib64/slurm/ /usr/lib/slurm/ /usr/local/lib/slurm/ \
		/opt/slurm/lib/slurm/; do
		for f in "$d$1" "$d$1".*; do
			if [ -f "$f" ]; then
				echo "$f"
				return
			fi
		done
	done
}

[ -f "$dir/sched_backfill.so" ] || skip "no plugins in $dir"
plan=$(basename "$(find "$dir" -maxdepth 1 -name 'libcosched_plan-*.so')" .so) # one release's
ctld=$(PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin:/opt/slurm/sbin command -v slurmctld) ||
	skip "no slurmctld on this host"

{
	names --defined-only "$ctld"
	names --defined-only "$dir/$plan.so"
	for lib in libslurmfull.so libc.so.6 libm.so.6 libmunge.so.2 libjson-c.so; do
		f=$(find_lib $lib)
		[ -n "$f" ] || skip "$lib not found"
		names --defined-only "$f"
	done
} | sort -u > "$tmp/there"

for p in $plan select_cons_tres sched_backfill site_factor_ostrich; do
	so=$dir/$p.so

	names --undefined-only "$so" > "$tmp/wanted"
	# weak ones of the C runtime that nobody need define
	grep -v -e '^_ITM_' -e '^__gmon_start__$' -e '^__cxa_finalize$' \
		"$tmp/wanted" > "$tmp/strong" || true
	comm -23 "$tmp/strong" "$tmp/there" > "$tmp/nowhere"
	[ ! -s "$tmp/nowhere" ] ||
		fail "$p: nowhere to be found: $(tr '\n' ' ' < "$tmp/nowhere")"

	grep -E '^(error|fatal|info|verbose|debug[0-9]*|list_.*|bit_.*|hostlist_.*|x(malloc|free|strdup|strcat|size)|log_var)$' \
		"$tmp/wanted" | grep -vx bit_and_not > "$tmp/plain" || true
	[ ! -s "$tmp/plain" ] ||
		fail "$p: not translated: $(tr '\n' ' ' < "$tmp/plain")"

	case $p in
	libcosched_plan-*) abi='^(cs_plan_abi$|cs_(gate|users|reader|logfile|state_file)_)' ;;
	select_cons_tres) abi='^(init|fini|plugin_(name|type|id|version)|select_p_.*)$' ;;
	sched_backfill) abi='^(init|fini|plugin_(name|type|version)|sched_p_reconfig)$' ;;
	site_factor_ostrich) abi='^(init|fini|plugin_(name|type|version)|site_factor_p_(reconfig|set|update))$' ;;
	esac
	names --defined-only "$so" | grep -Ev "$abi" > "$tmp/extra" || true
	[ ! -s "$tmp/extra" ] ||
		fail "$p: exports beside its ABI: $(tr '\n' ' ' < "$tmp/extra")"

	readelf -d "$so" > "$tmp/dynamic"
	if [ $p = "$plan" ]; then
		grep -q 'FLAGS_1.*NODELETE' "$tmp/dynamic" ||
			fail "$p: may be unmapped"
		continue
	fi
	! grep -qE 'BIND_NOW|\(FLAGS.*NOW' "$tmp/dynamic" ||
		fail "$p: binds at load (-z now)"
	grep -qF "[$plan.so]" "$tmp/dynamic" ||
		fail "$p: does not need $plan.so"
	# shellcheck disable=SC2016
	grep -qE 'R(UN)?PATH.*\$ORIGIN' "$tmp/dynamic" ||
		fail "$p: does not look for $plan.so beside itself"
done

[ $failed = 0 ] || exit 1
echo "symbols of the plugins in $dir: good"

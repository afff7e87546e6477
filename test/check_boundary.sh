#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# src/common stands on libc, libm and (profile, log) json-c alone: no clock, no
# environment, no file, no thread, no output, and no function of Slurm.
#
# Usage: check_boundary.sh BUILD
build=${1:?build folder expected}
allowed='^(cs_.*|json_.*|array_list_.*|mem(chr|cmp|cpy|move|set)|str(r?chr|cmp|len|dup|ndup|nlen|str|tod|tol|toll|toull|toul|pbrk|cspn|spn|ncmp|casecmp|ncasecmp|casestr)|v?snprintf|__(isoc23_.*|v?snprintf_chk|mem.*_chk|stack_chk_fail|errno_location|ctype_b_loc|assert_fail|strcpy_chk)|calloc|malloc|realloc|free|qsort|bsearch|ceil|floor|fmod|fnmatch|_GLOBAL_OFFSET_TABLE_|__popcountdi2|__u?(div|mod|divmod)ti[34]|__floatuntidf|isfinite|strtod_l|uselocale|newlocale|freelocale|reallocarray)$'
for lib in libcosched libproc; do
	lib=$build/.libs/$lib.a
	[ -e "$lib" ] || { echo "no '$lib': build first" >&2; exit 1; }
	bad=$(nm -u "$lib" | awk '$1 == "U" { print $2 }' | sort -u | grep -vE "$allowed")
	[ -z "$bad" ] || { echo "$lib reaches for: $bad" >&2; exit 1; }
done
cd "$(dirname "$0")/.." || exit 1
! grep -nE '#include.*(slurm|unistd\.h|time\.h|pthread\.h)' src/common/*/*.[ch]

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make distcheck`, without Slurm's source and with it; and nothing of the checkout
# is missing in the release. About two minutes on two cores.
#
# Usage: check_dist.sh CHECKOUT [SLURM-SOURCE]
#
# CHECKOUT is bootstrapped and clean otherwise.
checkout=$(realpath "${1:?checkout expected}") || exit 1
slurm=${2:+--with-slurm=$(realpath "$2")}
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-dist.XXXXXX") || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

in_release() {
	tar -tzf slurm-cosched-*.tar.gz | sed -n 's|^[^/]*/\(.*[^/]\)$|\1|p' | sort
}

# in_checkout: all but what is git's and CI's
in_checkout() {
	(cd "$checkout" && find . \( -name .git -o -name .ci -o \
		-name autom4te.cache \) -prune -o \
		-type f ! -name .gitignore ! -name '*~' -printf '%P\n') | sort
}

# without --with-slurm: what the plugins alone need is in the release all the same
"$checkout/configure" --quiet || exit 1
for flags in "" ${slurm:+"$slurm"}; do
	said=$(make -s -j"$(nproc)" distcheck DISTCHECK_CONFIGURE_FLAGS="$flags" 2>&1) &&
		continue
	failed=1
	printf 'not ok - make distcheck %s:\n%s\n' "$flags" \
		"$(grep -E '^FAIL|[Ee]rror:|^ERROR|\*\*\*' <<<"$said" | tail -n 20)"
done
missing=$(comm -13 <(in_release) <(in_checkout))
[ -z "$missing" ] || {
	failed=1
	printf 'not ok - not in the release: %s\n' "$(tr '\n' ' ' <<<"$missing")"
}
exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurm_headers.sh: make the headers that Slurm's own configure would make.
#
# Usage: m4/slurm_headers.sh TREE FOLDER
#
# TREE is a source tree of Slurm, configured or not.  Into FOLDER come
#
#	cosched_slurm.h		version, NDEBUG, USE_ALIAS: all that Slurm's headers
#				ask of config.h
#	config.h		empty: included by name
#	slurm/slurm_version.h	from slurm_version.h.in
#
# Prints the release, for example 22.05.8.  A tree that is no release (META of a branch
# says 0pre1 or 0rc1) is refused: record layouts change between two of them, and nothing
# tells when.  One line of text on stderr, and exit status 1, if there is no such tree.

die() {
	echo "$*" >&2
	exit 1
}

[ $# -eq 2 ] || die "TREE and FOLDER expected"
tree=$1 to=$2
for f in META slurm/slurm.h slurm/slurm_version.h.in src/common/slurm_xlator.h \
	src/slurmctld/slurmctld.h; do
	[ -f "$tree/$f" ] || die "$tree is no Slurm source tree: it has no $f"
done

# Value of a "Name: value" line of META.
meta() {
	sed -n "s/^[[:space:]]*$1:[[:space:]]*//p" "$tree/META" | sed 's/[[:space:]]*$//;q'
}

release=$(meta Version)
major=${release%%.*} minor=${release#*.}
micro=${minor#*.} minor=${minor%%.*}
case $release in
*[!0-9.]* | .* | *..* | *. | *.*.*.*)	major='' ;;
*.*.*)					;;
*)					major='' ;;
esac
[ -n "$major" ] || die "$tree/META does not give a version, but '$release'"
revision=$(meta Release)
case $revision in
'' | 0* | *[!0-9]*)
	die "$tree is no release of Slurm: META says $release-${revision:-?}; expected the tree of a release, as the tag slurm-26-05-3-1" ;;
esac
number=$(printf '0x%02x%02x%02x' "$major" "${minor#0}" "$micro")

mkdir -p "$to/slurm" || exit 1
cat >"$to/cosched_slurm.h" <<END || exit 1
/* Made by slurm_headers.sh: what Slurm's headers ask of its config.h. */
#define SLURM_VERSION_NUMBER $number
#define SLURM_VERSION_STRING "$release"
#define NDEBUG 1
#define USE_ALIAS 1
END
echo '/* Included by slurm_xlator.h: see cosched_slurm.h. */' >"$to/config.h" || exit 1
sed "s/^#undef SLURM_VERSION_NUMBER.*/#define SLURM_VERSION_NUMBER $number/" \
	"$tree/slurm/slurm_version.h.in" >"$to/slurm/slurm_version.h" || exit 1
echo "$release"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every file of doc that README and the pages name is there, where they say: below doc,
# which lies beside README, or beside the page. Files of the checkout (src, test,
# contrib) are another's to have.
#
# Usage: check_links.sh FOLDER	the checkout, or where its documentation is installed
#
# With a checkout it is tried on copies without one of the named files first, which it
# must find broken.
set -u -o pipefail
export LC_ALL=C
folder=${1:?the folder of README and doc expected}
cd "$folder" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-links.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# links FOLDER: a line "PAGE NAME FILE" each, FILE from FOLDER
links() {
	local page name

	(cd "$1" && echo README && find doc -name '*.md' -type f | sort) | while IFS= read -r page; do
		grep -ohE '\bdoc/[A-Za-z0-9_./-]*[A-Za-z0-9_]' "$1/$page" | while IFS= read -r name; do
			case $page:$name in
			*:doc/slurm-cosched*)	;; # of /usr/share/doc
			*)	printf '%s %s %s\n' "$page" "$name" "$name" ;;
			esac
		done
		perl -0777 -ne 'print "$_\n" for /\]\(([^)#\s]+)[^)]*\)/g, /<img[^>]* src="([^"]+)"/g' "$1/$page" |
			grep -v '^[a-z]*://' | while IFS= read -r name; do
			printf '%s %s %s\n' "$page" "$name" "$(dirname "$page")/$name"
		done
	done
	:
}
# broken FOLDER: those whose file is not there
broken() {
	local page name file

	links "$1" | while read -r page name file; do
		[ -e "$1/$file" ] || printf '%s names %s\n' "$page" "$name"
	done
}

links . >"$work/links"
said=$(broken .)
[ -z "$said" ] || { printf 'not ok - %s\n' "$said"; exit 1; }
for of in '^README doc/' '^doc/admin/[^ ]* doc/' '^doc/results/[^ ]* [^/ ]*\.svg '; do
	grep -q "$of" "$work/links" || { printf 'not ok - no link /%s/\n' "$of"; exit 1; }
done
if [ -e configure.ac ]; then
	for gone in doc/quickstart.svg doc/admin/limits.md doc/results/gang-fig3.svg; do
		mkdir "$work/copy" && cp -r README doc "$work/copy" && rm "$work/copy/$gone" || exit 1
		[ -n "$(broken "$work/copy")" ] || { printf 'not ok - without %s none is broken\n' "$gone"; exit 1; }
		rm -r "$work/copy"
	done
fi
printf 'ok - %d links to %d files\n' "$(wc -l <"$work/links")" "$(cut -d' ' -f3 "$work/links" | sort -u | wc -l)"

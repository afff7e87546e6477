#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What README and the pages print: every `cosched` command line has a command and options that
# the command has; every setting of doc/admin/policies-for-sites.md passes `cosched conf
# --check`; each paragraph of README with a measured figure ends with how it was measured,
# "(command; commit)", and each page of doc/results names its command; README has at most 80
# lines. Files that are named are check_links.sh's. It is tried on copies that are wrong.
#
# `make check` runs this in the build folder.
set -u -o pipefail
export LC_ALL=C
TREE=$(realpath "${srcdir:-.}") && cosched=$(realpath ./cosched) || exit 1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cosched-docs.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source-path=SCRIPTDIR source=package/pages.inc
. "$TREE/test/package/pages.inc"

# commands TREE: lines "PAGE: what is wrong"
commands() {
	local page line command option help
	local TREE=$1

	(cd "$TREE" && echo README && find doc -name '*.md' -type f | sort) | while IFS= read -r page; do
		printed "$page" | grep '^cosched ' | sort -u | while IFS= read -r line; do
			# up to a pipe, or the shell's next word
			line=${line%% | *} line=${line%% > *} line=${line%% >*} line=${line%%;*}
			read -r _ command _ <<<"$line"
			case $command in -* | JOB | [A-Z]* | '') continue ;; esac
			help=$(cat "$tmp/help/$command" 2>/dev/null) || {
				echo "$page: no command '$command': $line"
				continue
			}
			for option in $(grep -oE ' --?[a-z][a-z-]*' <<<"$line"); do
				grep -qE -- "(^|[^a-z-])$option([^a-z-]|\$)" <<<"$help" ||
					echo "$page: '$command' has no option '$option': $line"
			done
		done
	done
	:
}
# settings TREE: those of policies-for-sites.md that conf --check refuses
settings() {
	grep -oE '^\|[^|]*\| `cosched_mode=[^`]*`' "$1/doc/admin/policies-for-sites.md" |
		grep -oE 'cosched_mode=[^`]*' >"$tmp/settings"
	while IFS= read -r line; do
		printf 'PluginDir=/opt/cosched/slurm:/usr/lib/slurm\nSchedulerParameters=%s\n' \
			"${line//\/etc\/slurm/$1\/etc}" >"$tmp/slurm.conf"
		"$cosched" conf --check "$tmp/slurm.conf" >"$tmp/said" 2>&1
		[ $? -ne 1 ] && ! grep -q 'cosched_.*expected' "$tmp/said" ||
			printf 'policies-for-sites.md: %s: %s\n' "$line" "$(head -n 1 "$tmp/said")"
	done <"$tmp/settings"
}
# figures TREE: paragraphs with a figure and without a tag
figures() {
	perl -00 -ne '
		for my $p (split /\n(?=- )/) {
			$p =~ s/\s+/ /g;
			next if $p =~ /^ / or $p !~ /\d ?(?:%|s\b|times\b)/ or $p =~ /\d minutes\b(?!.*%)/;
			print "README: without (command; commit): ", substr($p, 0, 60), "\n"
				if $p !~ /\((?:make |contrib\/|test\/)[^();]+; [0-9a-f]{8}\) ?$/;
		}' <(sed '/^    /d' "$1/README")
	for page in "$1"/doc/results/*.md; do
		grep -qE '(make [a-z]|contrib/|test/)[a-z]' "$page" ||
			echo "${page#"$1"/}: names no command that made it"
	done
	[ "$(wc -l <"$1/README")" -le 80 ] || echo "README: more than 80 lines"
}
wrong() {
	commands "$1"
	settings "$1"
	figures "$1"
}

mkdir "$tmp/help"
for command in $("$cosched" --help | awk '/^  [a-z]/ { print $1 }'); do
	"$cosched" "$command" --help >"$tmp/help/$command"
done
said=$(wrong "$TREE")
[ -z "$said" ] || { printf 'not ok - %s\n' "$said"; exit 1; }
[ "$(wc -l <"$tmp/settings")" -ge 6 ] || { echo "not ok - few settings"; exit 1; }
if [ -d "$TREE/.git" ]; then
	for commit in $(grep -oE '; [0-9a-f]{8}\)' "$TREE/README" | grep -oE '[0-9a-f]{8}'); do
		git -C "$TREE" cat-file -e "$commit^{commit}" 2>/dev/null ||
			git -C "$TREE" rev-parse --is-shallow-repository | grep -q true ||
			{ echo "not ok - README: no commit $commit"; exit 1; }
	done
fi

# finds FILE EXPRESSION: sed's change is noticed
finds() {
	rm -rf "$tmp/copy"
	mkdir "$tmp/copy" && cp -r "$TREE/README" "$TREE/doc" "$TREE/etc" "$tmp/copy" || exit 1
	chmod -R u+w "$tmp/copy"
	sed -i "$2" "$tmp/copy/$1"
	! cmp -s "$TREE/$1" "$tmp/copy/$1" || { echo "not ok - $2 changes nothing in $1"; exit 1; }
	[ -n "$(wrong "$tmp/copy")" ] || { echo "not ok - $1 after $2 passes"; exit 1; }
}
finds README 's/cosched conf --mode/cosched conf --mood/'
finds README 's/^    cosched doctor/    cosched docter/'
finds README 's/ (make reproduce-orders; [0-9a-f]*)//'
finds README '$s/$/\n\nIt is 3 times as fast./'
finds doc/admin/history.md 's/whatif --machine/whatif --machines/'
finds doc/admin/policies-for-sites.md 's/cosched_policy=ostrich/cosched_policy=ostritch/'
finds doc/admin/policies-for-sites.md 's/cosched_sites=topology//'
echo "ok - $(wc -l <"$tmp/settings") settings, and what the pages print"

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2034 # contrib/test's variables
#
# Parts of contrib/test that run side by side: most tests wait for jobs most of the
# time. A lane is a background shell with counts, rows and words of its own, kept in a
# folder until all lanes have ended. To be sourced by contrib/test.

lanes=() lane_folders=()

# lane FOLDER FUNCTION ARGUMENT...
lane() {
	local folder=$1
	shift

	mkdir "$folder"
	(
		trap - EXIT
		trap 'limited_stop; lanes_stop; exit 143' INT TERM
		work=$folder passed=0 failed=0 skipped=0 rows=()
		lanes=() lane_folders=()
		"$@"
		printf '%s\n' ${rows[@]+"${rows[@]}"} >"$folder/rows"
	) &
	lanes+=($!) lane_folders+=("$folder")
}

# End lanes that still run, with what they run.
lanes_stop() {
	[ ${#lanes[@]} -eq 0 ] || {
		kill "${lanes[@]}" 2>/dev/null
		wait "${lanes[@]}"
	}
}

# Wait for all lanes; what came out of them is ours then, rows in the order of names.
lanes_end() {
	local folder told row p f s

	wait "${lanes[@]}"
	lanes=()
	for folder in "${lane_folders[@]}"; do
		for told in "$folder"/told*; do
			[ ! -e "$told" ] || cat "$told" >>"$work/${told##*/}"
		done
		[ -e "$folder/rows" ] || lane_broken
	done
	while IFS= read -r row; do
		[ -n "$row" ] || continue
		IFS=$'\t' read -r _ p f s _ <<<"$row"
		passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
		rows+=("$row")
	done < <(cat "${lane_folders[@]/%//rows}" 2>/dev/null | LC_ALL=C sort)
	lane_folders=()
}

lane_broken() {
	part_begin "a lane"
	failed=$((failed + 1))
	echo "not ok - a lane of tests ended early" | told
	part_end
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2034 # contrib/test's variables
#
# What contrib/test --full does beyond the long variants of the normal parts, and its
# report. To be sourced by contrib/test; what is below `suite` needs Docker:
#
#	host       unit tests and static checks, long variants and all
#	cluster    the cluster tests, the same
#	suite      contrib/slurm-suite: what Slurm's own tests lose under act
#	compose    the cluster of containers, test/compose/*.sh, of both releases
#	package    contrib/package of both releases, installed, upgraded and removed
#	           under running jobs, and every command of doc/admin typed, with
#	           packages and with make install; packages for SchedMD's Slurm beside
#	           it; rpms under rpm: test/package
#	other      contrib/test, long variants and all, in a container of the release
#	           that is not the host's
#	bare       both commands of the README in containers that hold nothing but a
#	           minimal Debian and the checkout
#
# Two lanes of these run side by side. The rows of a contrib/test in a container become
# ours. A part that does not fit into what is left of the FULL_MINUTES is left out and
# said to be, which is a failure where nothing else shows what it shows. So the README's
# commands in Debian 12 come before those in Debian 13, where all tests have run. At the
# end doc/results/tests.md, a section a part, each with the commit that it was run on: a
# run of some parts leaves the other sections as they are.

full_all='host cluster suite compose package other bare'
full_minutes=${FULL_MINUTES:-160} # for trials: fewer

full_check() {
	local p

	full_parts=${FULL_PARTS:-$full_all}
	full_parts=${full_parts//,/ }
	for p in $full_parts; do
		[[ " $full_all " = *" $p "* ]] ||
			cs_die "--full=$p: one of ${full_all// /, } expected"
	done
}
first=$(cs_releases packages | head -n 1) # the oldest that Debian carries
last=$(cs_releases packages | tail -n 1)
full_check
section=${full_parts%% *} # what packages are missing and the build belong to it

full_tests() {
	local release other docker=''

	release=$(slurmctld -V | awk '{ print $2 }')
	other=$(cs_releases packages | grep -vxF "$release" | tail -n 1)
	[ ${#names[@]} -gt 0 ] || ! full_wanted host || host_parts
	full_host "$release"
	! docker version >/dev/null 2>&1 || docker=1
	lane "$work/lane.1" full_lane_1 "$release" "$other"
	if [ -n "$docker" ]; then
		lane "$work/lane.2" full_lane_2 "$release" "$other"
	else
		part_begin "$other, all that needs Docker"
		skip "the cluster of containers of both releases, all tests on the other" \
			"release, the README's commands in a bare Debian: Docker is missing here"
		part_end
	fi
	lanes_end
	full_report
}

full_lane_1() {
	! full_wanted cluster || full_cluster "$1"
	! full_wanted suite || full_suite "$1"
	[ -n "$docker" ] || return 0
	! full_wanted compose || full_compose "$@"
	! full_wanted package || full_package "$@"
	! full_wanted bare || {
		full_quickstart "$first" must
		full_quickstart "$last"
	}
}

full_lane_2() {
	! full_wanted other ||
		full_inner "$2, all tests" 75 must "$2" --env FULL=1 contrib/test
	! full_wanted bare || {
		full_inner "$first, bare" 35 must "$first" --bare contrib/test
		full_inner "$last, bare" 35 may "$last" --bare contrib/test
	}
}

# The rows so far are this host's.
full_host() {
	local i

	for i in "${!rows[@]}"; do
		rows[i]="$1, this host: ${rows[i]}"
	done
}

full_cluster() {
	! wanted cluster || { cluster_lanes; lanes_end; cluster_stock; }
	full_host "$1"
}

# Is a part wanted? What comes now belongs to it then.
full_wanted() {
	[[ " $full_parts " = *" $1 "* ]] && section=$1
}

full_compose() {
	local release t

	for release; do
		for t in "$tree"/test/compose/*.sh; do
			case $t in
			*/lib.sh)	;;
			*)		full_compose_test "$release" "$(basename "$t" .sh)" ;;
			esac
		done
	done
}

# --- kinds of parts ---------------------------------------------------------------

# full_begin NAME MINUTES [must]: false when the part may not fit, with a skip; with
# `must` that is a failure
full_begin() {
	local why

	part_begin "$1"
	if [ $((SECONDS + $2 * 60)) -le $((full_minutes * 60)) ]; then
		step "$1"
		return
	fi
	why="$1: may take $2 minutes, $((full_minutes - SECONDS / 60)) are left"
	if [ "${3:-}" = must ]; then
		failed=$((failed + 1))
		printf 'not ok - %s\n' "$why" | told
	else
		skip "$why"
	fi
	part_end
	return 1
}

# full_run MINUTES COMMAND...: into $work/log, ended at the latest after that time;
# its status
full_run() {
	local minutes=$1
	shift

	limited $((minutes * 60)) "$work/log" "$@"
}

full_broken() { # full_broken NAME STATUS: a command that did not end as it should
	{
		case $2 in
		124 | 137)	printf 'not ok - %s: took too long\n' "$1" ;;
		*)		printf 'not ok - %s: ended with status %d\n' "$1" "$2" ;;
		esac
		tail -n 40 "$work/log" | sed 's/^/    /'
	} | told
	failed=$((failed + 1))
}

# full_suite RELEASE: Slurm's own tests, as many as there is time for; first those that
# once were lost
full_suite() {
	local name="$1, this host: Slurm's own tests" rc

	full_begin "$name" 14 || return 0
	full_run 20 env COSCHED_PREFIX="$built/plugins/inst" "$tree/contrib/slurm-suite" \
		--minutes 9 1.114 15.8 '15.*' '17.*' '1.*'
	rc=$?
	count "$work/log"
	[ $rc -le 1 ] || full_broken "$name" $rc
	tail -n 1 "$work/log"
	part_end
}

# full_quickstart RELEASE [must]: the README's first command; its page and the picture
# in it come out, in less than eight minutes by its own clock
full_quickstart() {
	local name="$1, bare: contrib/quickstart" page=$work/page.html rc what=''

	rm -f "$page"
	full_begin "$name" 8 "${2:-}" || return 0
	full_run 12 "$tree/contrib/docker/shell" "$1" \
		--get /checkout/cosched-quickstart.html "$page" --bare contrib/quickstart
	rc=$?
	if [ $rc -ne 0 ]; then
		full_broken "$name" $rc
		part_end
		return
	fi
	grep -q '<svg .*class="gantt"' "$page" && grep -q '</html>' "$page" ||
		what="there is no page with a Gantt picture"
	! grep -qE '(src|href)="https?:' "$page" || what="the page is not self-contained"
	full_shared "$work/log" || what="nobody shared a node"
	full_in_time "$work/log" || what="it took eight minutes or more"
	if [ -z "$what" ]; then
		passed=$((passed + 1))
		printf 'ok - %s\n' "$name"
	else
		failed=$((failed + 1))
		printf 'not ok - %s: %s\n' "$name" "$what" | told
	fi
	tail -n 25 "$work/log" | sed 's/^/    /'
	part_end
}

full_shared() { # does a log say who shared with whom?
	sed -n '/Who shared a node with whom/{n;p;q}' "$1" | grep . | grep -qv nobody
}

full_in_time() { # the last "[7/7  5:12]" of a log
	sed -nE 's|^.*\[([0-9]+)/\1 +([0-9]+):[0-9]+\].*|\2|p' "$1" | tail -n 1 |
		grep -qE '^[0-7]$'
}

# full_inner NAME MINUTES must|may ARGUMENT...: a contrib/test in a container; without
# Docker there, it says what it left out
full_inner() {
	local name=$1 minutes=$2 must=$3 rc row last
	shift 3

	full_begin "$name" "$minutes" "$must" || return 0
	full_run "$minutes" "$tree/contrib/docker/shell" "$@"
	rc=$?
	sed -nE "/^part +passed +failed/q; s/^(not ok|skip) - /&${name//\//\\/}: /; /^(not ok - |skip - |    )/p" \
		"$work/log" | told
	last=$(tail -n 1 "$work/log")
	if ! grep -qE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' <<<"$last" ||
		{ [ $rc -ne 0 ] && grep -q ', 0 failed,' <<<"$last"; }; then
		full_broken "$name" $rc
		part_end
		return
	fi
	part=''
	while IFS= read -r row; do
		rows+=("$name: $row")
	done < <(sed -nE '1,/^part +passed +failed/d
		s/^(.*[^ ]) +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+)$/\1\t\2\t\3\t\4\t\5\t'"$section"'/p' "$work/log")
	[[ " $* " != *" --bare "* ]] || {
		part_begin "$name: what it says"
		check "$name: it says what it left out" grep -qE \
			'^skip - .*the compose cluster .*which is missing' "$work/log"
		part_end
	}
	printf '%s\n' "$last"
}

# full_compose_test RELEASE NAME
full_compose_test() {
	full_script "$1, containers: $2" 10 15 \
		env COSCHED_RELEASE="$1" bash "$tree/test/compose/$2.sh"
}

full_package() {
	local release

	for release; do
		full_script "$release, packages" 12 20 \
			bash "$tree/test/package/run.sh" "$release" deb
		[ "$release" = "$first" ] || full_script "$release, SchedMD's packages" 8 15 \
			bash "$tree/test/package/run.sh" "$release" smd
		full_script "$release, rpms" 12 20 \
			bash "$tree/test/package/run.sh" "$release" rpm
		full_script "$release, make install" 8 15 \
			bash "$tree/test/package/run.sh" "$release" make
	done
}

# full_script NAME MINUTES AT-MOST COMMAND...: a test that prints a line for each check
full_script() {
	local name=$1 minutes=$2 most=$3 rc
	shift 3

	full_begin "$name" "$minutes" || return 0
	full_run "$most" "$@"
	rc=$?
	count "$work/log"
	case $rc in
	0 | 1 | 77)	;;
	*)		full_broken "$name" $rc ;;
	esac
	part_end
}

# --- the report -----------------------------------------------------------------------

full_report() {
	local out=$tree/doc/results/tests.md p

	mkdir -p "${out%/*}"
	touch "$out"
	{
		full_head
		for p in $full_all; do
			if [[ " $full_parts " = *" $p "* ]]; then
				full_section "$p"
			else
				sed -n "/^## $p\$/,/^## /p" "$out" | sed '1!{/^## /d}'
			fi
		done
		# of other releases (contrib/test --slurm), entered by hand
		awk -v all=" $full_all " '/^## / { keep = !index(all, " " $2 " ") } keep' "$out"
	} >"$out.new" && mv "$out.new" "$out"
	printf '\nreport: %s\n' "${out#"$tree/"}"
}

full_head() {
	cat <<-END
		# Tests

		Written by \`contrib/test --full\`, a section a part: contrib/test.d/full.sh says what
		each is. The commit is that of the checkout which the part ran on.

		- Cluster tests: mode act, policy cst; 4 nodes of 2 sockets x 2 cores, 2000 MB each, unless
		  a test says otherwise (\`test/cluster/lib.sh\`). \`this host\` and \`all tests\` with
		  FULL=1, the long variants. Seeds of random tests are in their output; \`SEED=N\` repeats
		  one. \`requests\`, of both releases: the default policy, 1,000 requests on clusters of 8
		  shapes (9 from 24.11 on), beside stock Slurm; \`settings\`: 30 random slurm.conf. \`storm\`: five minutes of faults of each
		  of four groups of kinds, beside stock Slurm.
		- Containers: slurmctld, slurmdbd with MariaDB, 4 nodes of 2 sockets x 2 cores; the 28
		  jobs of \`cosched-emulate workload --seed 1\`; profiles \`contrib/demo/profiles.json\`.
		- Bare: a minimal Debian that carries $first or $last, with nothing but the checkout;
		  \`contrib/quickstart\` and \`contrib/test\` with no option.

	END
}

# full_section PART: its rows, what it left out, what failed
full_section() {
	local own=$work/section

	printf '%s\n' "${rows[@]}" | awk -F '\t' -v p="$1" '$6 == p' >"$own"
	printf '## %s\n\n' "$1"
	awk -F '\t' -v of="$(full_commit), $(nproc) processors" '
		{ p += $2; f += $3; s += $4 }
		END { printf "%s: %d passed, %d failed, %d skipped.\n\n", of, p, f, s }' "$own"
	printf '| release | part | passed | failed | skipped | seconds |\n'
	printf '|---|---|---:|---:|---:|---:|\n'
	sed 's/, /\t/' "$own" | awk -F '\t' '
		{ printf "| %s | %s | %d | %d | %d | %d |\n", $1, $2, $3, $4, $5, $6 }'
	full_list "Left out" '/^skip - /' "$work/told.$1"
	full_list "Failures" '/^not ok - / { f = 1 } !/^(not ok - |    )/ { f = 0 } f' "$work/told.$1"
	printf '\n'
}

full_commit() {
	printf '%s, commit %s' "$(full_version)" \
		"$(git -C "$tree" rev-parse --short HEAD 2>/dev/null || echo unknown)"
	[ -z "$(git -C "$tree" status --porcelain --untracked-files=no 2>/dev/null)" ] ||
		printf ' and changes'
}

full_version() {
	sed -n 's/^AC_INIT(\[[^]]*\], *\[\([^]]*\)\].*/\1/p' "$tree/configure.ac"
}

# full_list TITLE AWK FILE: what was told and is chosen, as it was told
full_list() {
	local lines

	lines=$(awk "$2" "$3" 2>/dev/null)
	[ -n "$lines" ] || return 0
	printf '\n%s:\n\n```\n%s\n```\n' "$1" \
		"$(sed "s|$work|BUILD|g; s|$tree|CHECKOUT|g" <<<"$lines")"
}

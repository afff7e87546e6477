# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Helpers shared by the scripts of contrib/. To be sourced:
#
#	. "$(dirname "$0")/lib.sh"
#
# Everything here begins with cs_. Messages go to stderr, so that a script's
# stdout holds its result and nothing else. The word before the colon is the
# script's own name.
#
#	cs_say TEXT...			progress
#	cs_warn TEXT...			something is odd, going on
#	cs_die TEXT...			one line: what, where, what was expected; exit 1
#	cs_usage			print the head comment of the script as its help
#	cs_need_root WHAT		die unless root
#	cs_need_packages PKG...		apt install those that are missing (root)
#	cs_mirror			base address of the system's Debian archive
#	cs_keyring			the system's Debian archive keyring
#	cs_suite_of RELEASE		Debian suite that carries that Slurm release
#	cs_releases [STATE]...		the releases of contrib/releases, one a line; only
#					those in one of the states: packages, tested
#					(no packages), compiled (neither)
#	cs_releases_table		the same as a table of a page, with the commits
#	cs_releases_text		the same as texts name them: "24.11.0 to .7"
#	cs_free_ports COUNT		first of COUNT free consecutive TCP ports
#	cs_compose			print the compose command that works here
#	cs_cache			the cache folder, outside the tree
#	cs_tree_tar DIR			the checkout DIR as a tar stream
#	cs_commit DIR			its commit, and whether it has changes
#	cs_release_here			release of the Slurm installed here; empty: none
#	cs_build_in DIR WORK		unless COSCHED_PREFIX names a build: one of DIR in
#					WORK/inst, exported as COSCHED_PREFIX

cs_me=${0##*/}

cs_say() {
	printf '%s: %s\n' "$cs_me" "$*" >&2
}

cs_warn() {
	printf '%s: warning: %s\n' "$cs_me" "$*" >&2
}

cs_die() {
	printf '%s: error: %s\n' "$cs_me" "$*" >&2
	exit 1
}

# The head comment of the script is its manual: from the third line (after #!
# and SPDX) to the first line that is no comment.
cs_usage() {
	sed -n '3,${/^#/!q; s/^# \{0,1\}//; p}' "$0" | sed '1{/^$/d}'
}

cs_need_root() {
	[ "$(id -u)" -eq 0 ] || cs_die "$1 must run as root, not as '$(id -un)'"
}

cs_cache() {
	printf '%s/cosched\n' "${XDG_CACHE_HOME:-${HOME:-/root}/.cache}"
}

# --- packages -----------------------------------------------------------------

cs_missing_packages() {
	local p

	for p; do
		dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null |
			grep -qx installed || printf '%s\n' "$p"
	done
}

# RUNLEVEL=1 keeps invoke-rc.d from starting the services of new packages where
# there is no systemd: our clusters bring daemons of their own.
cs_apt_install() {
	RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold \
		install --no-install-recommends "$@" </dev/null
}

cs_need_packages() {
	local log missing

	mapfile -t missing < <(cs_missing_packages "$@")
	[ "${#missing[@]}" -gt 0 ] || return 0
	command -v apt-get >/dev/null ||
		cs_die "missing: ${missing[*]}; no apt-get here: install them by hand"
	cs_need_root "installing ${missing[*]}"
	cs_say "installing ${missing[*]}"
	log=$(mktemp)
	if ! cs_apt_install "${missing[@]}" >"$log" 2>&1; then
		{
			apt-get -q -o DPkg::Lock::Timeout=300 update &&
				cs_apt_install "${missing[@]}"
		} >"$log" 2>&1 </dev/null || {
			tail -n 15 "$log" >&2
			rm -f "$log"
			cs_die "apt-get could not install: ${missing[*]}"
		}
	fi
	rm -f "$log"
}

# --- the checkout ---------------------------------------------------------------

# A checkout as a tar stream: what git tracks and what is new, no build products;
# where git is missing, all but what .gitignore names.
cs_tree_tar() {
	(
		cd "$1" || exit 1
		{
			git -c safe.directory="$1" ls-files -z -co \
				--exclude-standard 2>/dev/null || cs_unignored
		} | sort -zu | cs_existing | cs_tar_of 2>/dev/null
	)
}

cs_unignored() {
	local line ignored=(-name .git)

	while read -r line; do
		case $line in
		'' | '#'* | '!'*) ;;
		/*)	ignored+=(-o -path ".${line%/}") ;;
		*)	ignored+=(-o -name "${line%/}") ;;
		esac
	done <.gitignore
	find . \( "${ignored[@]}" \) -prune -o -type f -printf '%P\0'
}

# tar's exit 1 is no failure: a file was written to while it was read.
cs_tar_of() {
	tar -c --null -T - -f - || [ $? -eq 1 ]
}

cs_commit() {
	printf '%s%s' "$(git -C "$1" rev-parse --short HEAD 2>/dev/null || echo unknown)" \
		"$([ -z "$(git -C "$1" status --porcelain -uno 2>/dev/null)" ] || echo ' and changes')"
}

cs_release_here() {
	PATH=$PATH:/usr/sbin slurmctld -V 2>/dev/null | awk '{ print $2 }'
}

cs_build_in() {
	[ -z "${COSCHED_PREFIX:-}" ] || return 0
	cs_say "building"
	# shellcheck disable=SC2015 # dies in any case
	mkdir "$2/src" "$2/build" && cs_tree_tar "$1" | tar -C "$2/src" -xf - &&
		(
			cd "$2/src" && ./bootstrap && cd "$2/build" &&
				"$2/src/configure" --quiet --prefix="$2/inst" \
					--with-slurm="$("$1/contrib/slurm-source")" &&
				make -s -j"$(nproc)" && make -s install
		) >"$2/build.log" 2>&1 || {
		tail -n 20 "$2/build.log" >&2
		cs_die "the build failed"
	}
	export COSCHED_PREFIX=$2/inst COSCHED_BUILD=$2/build
}

# A tracked file may have been deleted.
cs_existing() {
	local f

	while read -r -d '' f; do
		if [ -e "$f" ] || [ -L "$f" ]; then
			printf '%s\0' "$f"
		fi
	done
}

# --- where Debian comes from ----------------------------------------------------

# One entry a line, "BASE SUITE", in the order of the system's own sources. Apt
# itself reads them, whatever their format; nothing is downloaded.
cs_apt_entries() {
	apt-get update --print-uris 2>/dev/null |
		sed -n "s|^'\(.*[^/]\)/*/dists/\([^/']*\)/InRelease'.*|\1 \2|p"
}

cs_mirror() {
	local base suite codename

	codename=$(cs_codename)
	while read -r base suite; do
		if [ "$suite" = "$codename" ]; then
			printf '%s\n' "$base"
			return 0
		fi
	done < <(cs_apt_entries)
	cs_die "no apt source for suite '$codename' on this host: add Debian's" \
		"archive to /etc/apt/sources.list.d"
}

cs_codename() {
	local VERSION_CODENAME=

	# shellcheck source=/dev/null
	[ ! -r /etc/os-release ] || . /etc/os-release
	[ -n "$VERSION_CODENAME" ] ||
		cs_die "no VERSION_CODENAME in /etc/os-release: Debian 12 or 13 expected"
	printf '%s\n' "$VERSION_CODENAME"
}

cs_keyring() {
	local f

	for f in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		if [ -r "$f" ]; then
			printf '%s\n' "$f"
			return 0
		fi
	done
	cs_die "no /usr/share/keyrings/debian-archive-keyring.gpg:" \
		"apt-get install debian-archive-keyring"
}

cs_releases_file=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)/releases

# Which Debian carries which Slurm. A release that no suite carries is looked for in
# the suite of this host.
cs_suite_of() {
	awk -v r="$1" '$1 == r && $2 != "-" { print $2; exit }' "$cs_releases_file" | grep . ||
		cs_codename
}

cs_releases() {
	awk -v states=" $* " '
		{ state = $5 != "-" ? "packages" : $4 != "-" ? "tested" : "compiled" }
		!/^#/ && NF == 5 && (states == "  " || index(states, " " state " ")) {
			print $1
		}' "$cs_releases_file"
}

# Releases of a series with the same commits are one row.
cs_releases_table() {
	printf '| Slurm | compiled | cluster tests | packages |\n|---|---|---|---|\n'
	awk '
		function flush() {
			if (n > 1)
				first = first (n > 2 ? " to ." : " and .") micro
			if (n)
				printf "| %s | %s | %s | %s |\n", first, c, t, p
			n = 0
		}
		/^#/ || NF != 5 { next }
		{
			split($1, part, ".")
			key = part[1] "." part[2] " " $3 " " $4 " " $5
			if (key != last || part[3] != micro + 1)
				flush()
			if (!n++)
				first = $1
			last = key; micro = part[3]
			c = $3; t = $4 == "-" ? "" : $4; p = $5 == "-" ? "" : $5
		}
		END { flush() }' "$cs_releases_file"
}

# Each series as its first release, and the others as ".N"; "to" where none is left out.
cs_releases_text() {
	cs_releases "$@" | awk -F . '
		function flush(    i, text) {
			if (!n)
				return
			text = series "." micro[1]
			if (n > 2 && micro[n] - micro[1] == n - 1)
				text = text " to ." micro[n]
			else for (i = 2; i <= n; i++)
				text = text (i == n ? " and ." : ", .") micro[i]
			all = all (all ? ", " : "") text
			n = 0
		}
		$1 "." $2 != series { flush(); series = $1 "." $2 }
		{ micro[++n] = $3 }
		END { flush(); print all }'
}

# --- ports ------------------------------------------------------------------------

# TCP ports somebody listens on, one a line; /proc, since ss may be missing.
cs_listening() {
	local f hex

	for f in /proc/net/tcp /proc/net/tcp6; do
		[ -r "$f" ] || continue
		while read -r hex; do
			printf '%d\n' "0x$hex"
		done < <(awk '$4 == "0A" { sub(/.*:/, "", $2); print $2 }' "$f")
	done
}

# Ports on stdin are taken as well (reserved by somebody who does not listen
# just now). Random start below the kernel's range for outgoing connections.
cs_free_ports() {
	local count=$1 low=10000 high base port try free
	local -A taken=()

	read -r high _ </proc/sys/net/ipv4/ip_local_port_range
	[ "$high" -gt $((low + 2 * count + 1000)) ] || high=32768
	while read -r port; do
		taken[$port]=1
	done < <(cs_listening; cat)
	for ((try = 0; try < 1000; try++)); do
		base=$((low + (RANDOM * 32768 + RANDOM) % (high - low - count)))
		free=1
		for ((port = base; port < base + count; port++)); do
			if [ -n "${taken[$port]:-}" ]; then
				free=
				break
			fi
		done
		if [ -n "$free" ]; then
			printf '%s\n' "$base"
			return 0
		fi
	done
	cs_die "no $count free TCP ports in a row between $low and $high"
}

# --- docker -----------------------------------------------------------------------

cs_compose() {
	if docker compose version >/dev/null 2>&1; then
		echo "docker compose"
	elif command -v docker-compose >/dev/null; then
		echo "docker-compose"
	else
		cs_die "neither 'docker compose' nor 'docker-compose' works here:" \
			"install docker-compose"
	fi
}

cs_need_docker() {
	command -v docker >/dev/null ||
		cs_die "no docker here: install docker.io (or docker-ce)"
	docker info >/dev/null 2>&1 ||
		cs_die "the docker daemon does not answer: is it running, may '$(id -un)' use it?"
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the scripts of contrib/docker share: names of images and of the compose
# project. To be sourced. Settings, all from the environment:
#
#	COSCHED_RELEASE   Slurm release: 22.05.8 (default) or another one with packages in
#	                  contrib/releases
#	COSCHED_PROJECT   name of the compose project; default: made of the path
#	                  of this checkout and the release, so that checkouts and
#	                  releases do not meet
#	COSCHED_BASE      base image instead of our own, e.g. debian:bookworm-slim

docker_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$docker_dir/../lib.sh"
tree=$(cd "$docker_dir/../.." && pwd -P)
tree_id=$(printf '%s' "$tree" | cksum | awk '{ printf "%08x", $1 }')

# Set release, suite, and the names that follow from them.
# shellcheck disable=SC2034  # used by those who source this
use_release() {
	release=$1
	cs_releases packages | grep -qxF "$release" ||
		cs_die "COSCHED_RELEASE '$release': one of $(cs_releases_text packages) expected"
	suite=$(cs_suite_of "$release")
	base_image=${COSCHED_BASE:-cosched-base:$suite}
	# packages and Slurm's source; the same for all checkouts
	tools_image=cosched-tools:$release
	# with this checkout built and installed; or only the cluster's first process
	image=cosched-$tree_id:$release
	stock_image=cosched-$tree_id:$release-stock
	project=${COSCHED_PROJECT:-cosched-$tree_id-${release//./}}
}

have_image() {
	docker image inspect "$1" >/dev/null 2>&1
}

compose() {
	local cmd

	cmd=$(cs_compose)
	# shellcheck disable=SC2086  # one word or two
	COSCHED_IMAGE=${COSCHED_IMAGE:-$image} $cmd -p "$project" -f "$docker_dir/compose.yml" "$@"
}

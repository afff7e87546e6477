#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slicesrandom.sh for two minutes with slice=gang: FULL=1 alone.

if [ -z "${FULL:-}" ]; then
	echo "skip - slicesgangrandom: it takes five minutes: FULL=1"
	exit 77
fi
SLICE=gang FULL='' exec bash "$(dirname "$0")/slicesrandom.sh"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The pages of compare, whatif, shadow-report and of the quickstart in a real browser:
# check_browser.py. contrib/test runs it. Pictures and prints are left in FOLDER.
#
# Usage: check_browser.sh COSCHED [FOLDER]		(browser, beside COSCHED)
tree=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cosched=$(realpath "$1") && [ -x "$cosched" ] || { echo "no '$1': build first" >&2; exit 1; }
command -v chromium >/dev/null || { echo "no chromium (apt-get install chromium)"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 -B "$tree/test/check_browser.py" "$cosched" "$tree" \
	"${2:-$(dirname "$cosched")/browser}"

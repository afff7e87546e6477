#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What cosched shows on a terminal while it works: check_progress.py. `make check` runs
# it in the build folder.
python3 -c 'import pty, select' 2>/dev/null || { echo "no python3 with its library"; exit 77; }
exec python3 -B "${srcdir:-.}/test/check_progress.py" "${1:-./cosched}"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What cosched says to machines, read by python3: check_json.py. `make check` runs it
# in the build folder.
python3 -c 'import ctypes, json, socketserver' 2>/dev/null ||
	{ echo "no python3 with its library"; exit 77; }
exec python3 -B "${srcdir:-.}/test/check_json.py" "${1:-./cosched}" "${srcdir:-.}"

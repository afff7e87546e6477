#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of cosched compare and whatif, read by python3: check_page.py. `make check`
# runs it in the build folder.
python3 -c 'import html.parser, xml.dom.minidom' 2>/dev/null ||
	{ echo "no python3 with its library"; exit 77; }
exec python3 -B "${srcdir:-.}/test/check_page.py" "${1:-./cosched}" "${srcdir:-.}"

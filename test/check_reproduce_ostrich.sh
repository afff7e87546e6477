#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contrib/reproduce/ostrich, small: its model of EASY with one user is cosched's
# EASY, its figures are those of `cosched sim`, its pictures are XML, and what is
# wrong gets one line.
#
# Usage: check_reproduce_ostrich.sh [TREE], where ./cosched is
script=${1:-${srcdir:-$(dirname "$0")/..}}/contrib/reproduce/ostrich
python3 -c "import json, lzma, xml.dom.minidom" 2>/dev/null ||
	{ echo "no python3 with its library"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
status=0

no() {
	echo "not ok: $*" >&2
	status=1
}

# a log that stands for LPC-EGEE: serial jobs of five users in its first days
python3 -B - "$tmp" <<'END'
import lzma
import random
import sys

draw = random.Random(4)
begin = 1102287600 - 1091615532
with lzma.open(sys.argv[1] + "/LPC-EGEE-2004-1.2-cln.swf.xz", "wt") as f:
    f.write("; made by a test\n")
    t = begin
    for i in range(1, 2001):
        t += draw.choice((0, 0, 0, 1, 30, 300, 900))
        run = int(draw.expovariate(1 / 9000)) + 1
        f.write("%d %d %d %d 1 -1 -1 1 %d -1 1 %d 1 -1 -1 -1 -1 -1\n" %
                (i, t, draw.randrange(60), run, 2 * run, draw.randrange(5)))
END
ostrich() {
	python3 -B "$script" --work "$tmp/work" --out "$tmp/out" "$@" \
		2>"$tmp/said"
}
ostrich --traces "$tmp" --lpc-only || no "$(cat "$tmp/said")"
report=$tmp/out/ostrich.md

# the mean of the campaigns, from the report's own trace by another way
python3 -B - "$report" "$tmp"/out/*.svg "$tmp"/work/*/lpc-0.swf <<'END' ||
import subprocess
import sys
import xml.dom.minidom

report, pictures, trace = sys.argv[1], sys.argv[2:-1], sys.argv[-1]
if len(pictures) != 6:
    sys.exit("%d pictures" % len(pictures))
for f in pictures:
    xml.dom.minidom.parse(f)
out = subprocess.run(["./cosched", "sim", "--machine", "140x1x1", "--policy",
                      "fcfs", "--jobs", "-", trace], check=True, text=True,
                     stdout=subprocess.PIPE).stdout
ends = {int(w[0]): float(w[3]) for w in
        (line.split() for line in out.splitlines()) if w[0] != "#"
        and w[0].isdigit()}
of = {}
first = None
for line in open(trace):
    w = line.split()
    first = int(w[1]) if first is None else first
    of.setdefault((w[11], w[13]), []).append(
        (int(w[1]) - first, int(w[3]), ends[int(w[0])]))
values = sorted((max(e for _, _, e in c) - min(s for s, _, _ in c)) /
                max(max(r for _, r, _ in c), sum(r for _, r, _ in c) / 140)
                for c in of.values())
values = values[:len(values) - int(len(values) * .04)]
want = "| %.3f |" % (sum(values) / len(values))
row = next(line for line in open(report, encoding="utf-8")
           if line.startswith("| fcfs "))
if want not in row:
    sys.exit("%s, expected %s" % (row, want))
END
	no "figures"

# one user: fair-share is EASY
./cosched workload lublin --nodes 64 --jobs 1500 --alpha 10 --seed 3 |
	awk '/^;/ { print; next } { $12 = 1; print }' >"$tmp/one.swf"
./cosched sim --machine 64x1x1 --policy easy --jobs "$tmp/easy" \
	"$tmp/one.swf" >/dev/null
xz -c "$tmp/one.swf" >"$tmp/one.swf.xz" 2>/dev/null ||
	python3 -c "import lzma, sys
lzma.open(sys.argv[1], 'w').write(open(sys.argv[2], 'rb').read())" \
		"$tmp/one.swf.xz" "$tmp/one.swf"
python3 -B - "$script" "$tmp" <<'END' || no "the model of EASY"
import importlib.machinery
import importlib.util
import sys

loader = importlib.machinery.SourceFileLoader("ostrich", sys.argv[1])
spec = importlib.util.spec_from_loader("ostrich", loader)
ostrich = importlib.util.module_from_spec(spec)
loader.exec_module(ostrich)
jobs = ostrich.read_log(sys.argv[2] + "/one.swf.xz", 64, False)
ends = ostrich.fair_share(jobs, 64)
first = jobs[0].submit
off = 0
for line in open(sys.argv[2] + "/easy"):
    w = line.split()
    if w[0].isdigit():
        off += abs(float(w[3]) - (ends[int(w[0])] - first)) > 1e-6
if off or len(ends) < 1000:
    sys.exit("%d of %d jobs end at another time" % (off, len(ends)))
END

bad() { # text, words
	text=$1
	shift
	ostrich "$@" && no "$*: status"
	[ "$(wc -l <"$tmp/said")" = 1 ] || no "$*: $(cat "$tmp/said")"
	grep -qF -e "$text" "$tmp/said" || no "$*: $(cat "$tmp/said")"
}
bad "/nowhere/LPC" --traces /nowhere --lpc-only
bad "/nowhere" --traces "$tmp" --cosched /nowhere/cosched
exit $status

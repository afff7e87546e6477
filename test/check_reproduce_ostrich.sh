#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contrib/reproduce/ostrich, small: its model of EASY with one user is cosched's
# EASY, its figures are those of `cosched sim`, its pictures are XML, what is
# finished is not done again, and what is wrong gets one line.
#
# Usage: check_reproduce_ostrich.sh [TREE], where ./cosched is
scripts=${1:-${srcdir:-$(dirname "$0")/..}}/contrib/reproduce
python3 -c "import json, lzma, xml.dom.minidom" 2>/dev/null ||
	{ echo "no python3 with its library"; exit 77; }
unset PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
status=0

no() {
	echo "not ok: $*" >&2
	status=1
}

# a log that stands for LPC-EGEE: serial jobs of five users in its first days; the
# others are shorter and of wider jobs
python3 -B - "$tmp" <<'END'
import lzma
import random
import sys

draw = random.Random(4)
begin = 1102287600 - 1091615532
for name, jobs, wide in (("LPC-EGEE-2004-1.2-cln", 2000, 1),
                         ("KTH-SP2-1996-2.1-cln", 600, 64),
                         ("SDSC-SP2-1998-4.2-cln", 100, 64),
                         ("CTC-SP2-1996-3.1-cln", 100, 64)):
    with lzma.open("%s/%s.swf.xz" % (sys.argv[1], name), "wt") as f:
        f.write("; made by a test\n")
        t = begin
        for i in range(1, jobs + 1):
            t += draw.choice((0, 0, 0, 1, 30, 300, 900))
            run = int(draw.expovariate(1 / 9000)) + 1
            f.write("%d %d %d %d 1 -1 -1 %d %d -1 1 %d 1 -1 -1 -1 -1 -1\n" %
                    (i, t, draw.randrange(60), run, draw.randint(1, wide),
                     2 * run, draw.randrange(5)))
END
ostrich() {
	"$scripts/ostrich" --work "$tmp/work" --out "$tmp/out" -j 2 "$@" \
		2>"$tmp/said"
}
ostrich --traces "$tmp" || no "$(cat "$tmp/said")"
report=$tmp/out/ostrich.md

# means of the campaigns and of users, from the report's own traces by another way
python3 -B - "$report" "$tmp"/work/* "$tmp"/out/*.svg <<'END' || no "figures"
import subprocess
import sys
import xml.dom.minidom

report, work, pictures = sys.argv[1], sys.argv[2], sys.argv[3:]
if len(pictures) != 6:
    sys.exit("%d pictures" % len(pictures))
for f in pictures:
    xml.dom.minidom.parse(f)


def stretches(name, procs, policy, least):
    """(User, stretch) of each campaign."""
    trace = "%s/%s.swf" % (work, name)
    out = subprocess.run(
        ["./cosched", "sim", "--machine", "%dx1x1" % procs, "--policy", policy,
         "--campaigns", "field14", "--jobs", "-", trace], check=True, text=True,
        stdout=subprocess.PIPE).stdout
    ends = {int(w[0]): float(w[3]) for w in map(str.split, out.splitlines())
            if w[0].isdigit()}
    of = {}
    first = None
    for line in open(trace):
        w = [int(x) for x in line.split()]
        first = w[1] if first is None else first
        of.setdefault((w[11], w[13]), []).append(
            (w[1] - first, w[3], w[7], ends[w[0]]))
    return [(user, (max(c[3] for c in jobs) - min(c[0] for c in jobs)) /
             max(max(c[1] for c in jobs),
                 sum(c[1] * c[2] for c in jobs) / procs, least))
            for (user, _), jobs in sorted(of.items())]


def row(text, start):
    return next(line for line in text.splitlines() if line.startswith(start))


text = open(report, encoding="utf-8").read()
values = sorted(v for _, v in stretches("LPC-EGEE", 140, "fcfs", 0))
values = values[:len(values) - int(len(values) * .04)]
want = "| %.3f |" % (sum(values) / len(values))
if want not in row(text, "| fcfs on"):
    sys.exit("%s, expected %s" % (row(text, "| fcfs on"), want))

# five users: the 90th percentile is the largest
for policy, name in (("easy", "EASY"), ("ostrich-paper", "OStrich")):
    users = {}
    all_of = [(u, max(v, 1)) for u, v in stretches("KTH-SP2", 100, policy, 10)]
    for user, v in all_of:
        users.setdefault(user, []).append(v)
    means = sorted(sum(v) / len(v) for v in users.values())
    want = "| %s | %.2f | %.2f | %.2f | %.2f |" % (
        name, sum(v for _, v in all_of) / len(all_of), means[2], means[4],
        means[4])
    got = row(text[text.index("**KTH-SP2**"):], "| %s |" % name)
    if not got.startswith(want):
        sys.exit("%s, expected %s" % (got, want))
END

# again: nothing is run; one result is gone: that one is; the same report
cp "$report" "$tmp/first.md"
ostrich --traces "$tmp" || no "again: $(cat "$tmp/said")"
grep -q '^ostrich: 24 runs, 24 of them are there; nothing to do' "$tmp/said" ||
	no "again: $(cat "$tmp/said")"
rm "$tmp"/work/*/CTC-SP2-*.jobs
ostrich --traces "$tmp" || no "some more: $(cat "$tmp/said")"
grep -q '^ostrich: 24 runs, 19 of them are there' "$tmp/said" ||
	no "some more: $(cat "$tmp/said")"
cmp "$report" "$tmp/first.md" || no "not the same again"
[ -z "$(find "$tmp" -name '*.new*')" ] || no "a file is left over"
[ ! -e "$scripts/__pycache__" ] || no "a cache in the source tree"

# one user: fair-share is EASY
./cosched workload lublin --nodes 64 --jobs 1500 --alpha 10 --seed 3 |
	awk '/^;/ { print; next } { $12 = 1; print }' >"$tmp/one.swf"
./cosched sim --machine 64x1x1 --policy easy --jobs "$tmp/easy" \
	"$tmp/one.swf" >/dev/null
"$scripts/fair-share" "$tmp/one.swf" 64 >"$tmp/fair" || no "fair-share"
python3 -B - "$tmp/easy" "$tmp/fair" <<'END' || no "the model of EASY"
import sys

easy, fair = ({w[0]: float(w[3]) for w in map(str.split, open(f))
               if w[0].isdigit()} for f in sys.argv[1:])
off = sum(abs(easy[j] - fair[j]) > 1e-6 for j in easy)
if off or len(easy) < 1000 or len(easy) != len(fair):
    sys.exit("%d of %d jobs end at another time" % (off, len(easy)))
END

bad() { # text, words
	text=$1
	shift
	ostrich "$@" && no "$*: status"
	[ "$(wc -l <"$tmp/said")" = 1 ] || no "$*: $(cat "$tmp/said")"
	grep -q '^ostrich: error: ' "$tmp/said" || no "$*: $(cat "$tmp/said")"
	grep -qF -e "$text" "$tmp/said" || no "$*: $(cat "$tmp/said")"
}
bad "/nowhere/LPC" --traces /nowhere --lpc-only
bad "/nowhere" --traces "$tmp" --cosched /nowhere/cosched
echo "no xz" >"$tmp/LPC-EGEE-2004-1.2-cln.swf.xz"
bad "LPC-EGEE-2004" --traces "$tmp" --lpc-only
exit $status

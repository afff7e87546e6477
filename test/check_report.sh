#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sentences of contrib/demo/report: right words, and nothing said of differences
# that are chance.
#
# Usage: check_report.sh [TREE]
tree=${1:-${srcdir:-$(dirname "$0")/..}}
python3 -c "import html, json" 2>/dev/null || { echo "no python3 with its library"; exit 77; }
python3 -B - "$tree/contrib/demo/report" <<'END'
import importlib.machinery
import importlib.util
import sys

loader = importlib.machinery.SourceFileLoader("report", sys.argv[1])
spec = importlib.util.spec_from_loader("report", loader)
report = importlib.util.module_from_spec(spec)
loader.exec_module(report)


class Run:
    def __init__(self, title, makespan, procs, wait=2.0):
        self.title, self.makespan, self.procs, self.wait = \
            title, makespan, procs, wait

    def mean(self, what):
        return self.wait

    def share(self, what):
        return self.procs

    def reaction(self):
        return 0.0


def said(*runs):
    return " ".join(report.findings([Run(*r) for r in runs]))


def expect(text, wanted, unwanted="\0"):
    if wanted not in text or unwanted in text:
        sys.exit("not ok - expected '%s', not '%s', in: %s" %
                 (wanted, unwanted, text))


expect(said(("a", 20.0, 0.5), ("b", 16.0, 0.4)), "“b” has a 20 % shorter makespan")
expect(said(("a", 100.0, 0.5), ("b", 82.0, 0.4)), "has an 18 % shorter makespan")
expect(said(("a", 100.0, 0.5), ("b", 92.0, 0.4)), "has an 8 % shorter makespan")
expect(said(("a", 20.0, 0.5), ("b", 20.0, 0.4)), "has about the same makespan",
       "a same")
# 18.5 s against 18.7 s: nobody ends first
expect(said(("a", 18.7, 0.5), ("b", 18.5, 0.4)), "about the same makespan",
       "ends first")
expect(said(("a", 20.0, 0.5), ("b", 16.0, 0.4)), "“b” ends first")
# the third and the fourth of four, each against those before it
four = said(("a", 20.0, .5), ("b", 18.0, .5), ("c", 16.0, .5), ("d", 12.0, .5))
for new, old in (("c", "a"), ("c", "b"), ("d", "a"), ("d", "b"), ("d", "c")):
    expect(four, "Against “%s”, “%s” has" % (old, new))
expect(four, "Against", "Against “a”, “b”")
print("ok")
END

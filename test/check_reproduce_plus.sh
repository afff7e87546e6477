#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contrib/reproduce/glts-plus, small: its figures are those of `cosched sim`, and what
# is finished is not done again.
#
# Usage: check_reproduce_plus.sh [TREE], where ./cosched is
script=${1:-${srcdir:-$(dirname "$0")/..}}/contrib/reproduce/glts-plus
python3 -c "import json" 2>/dev/null ||
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

plus() {
	"$script" --work "$tmp/work" --out "$tmp/out" --jobs 200 --seeds 1 -j 2 \
		"$@" 2>"$tmp/said"
}

# on a seed of its own
plus || no "$(cat "$tmp/said")"
report=$tmp/out/glts-plus.md
./cosched workload w2 --jobs 200 --seed 101 >"$tmp/101.swf"
./cosched sim --machine 128x2x2 --policy glts+ --set slice=pect \
	--set slowdowns=table4 --seed 101 --summary "$tmp/101.json" \
	--jobs "$tmp/101.jobs" "$tmp/101.swf" >/dev/null
python3 -B - "$report" "$tmp"/101.{json,jobs,swf} <<'END' || no "figures"
import json
import sys

text = open(sys.argv[1], encoding="utf-8").read()
w2 = text[text.index("\n| W2 |"):]
run = json.load(open(sys.argv[2]))
end = {w[0]: float(w[3]) - float(w[1])
       for w in map(str.split, open(sys.argv[3])) if w[0] != "#"}
rr = sorted(max(1, end[w[0]] / max(600, float(w[3])))
            for w in map(str.split, open(sys.argv[4])) if w[0] in end)
for name, want in (("RR, all jobs, bound 600 s", "%.2f" % run["rr_all"]),
                   ("RR, all jobs, 95th percentile", "%.2f" % rr[189]),
                   ("delay factor, 95th percentile",
                    "%.3f" % run["delay_p95"])):
    row = next(line.split("|") for line in w2.splitlines()
               if line.startswith("| %s |" % name))
    if row[3].strip() != want:
        sys.exit("%s: %s, expected %s" % (name, row[3], want))
END
[ -z "$(find "$tmp" -name '*.new*')" ] || no "a file is left over"
[ ! -e "${script%/*}/__pycache__" ] || no "a cache in the source tree"

cp "$report" "$tmp/first.md"
plus || no "again: $(cat "$tmp/said")"
grep -q 'nothing to do' "$tmp/said" || no "again: $(cat "$tmp/said")"
cmp "$report" "$tmp/first.md" || no "not the same again"

plus --cosched /nowhere/cosched && no "no command: status"
grep -q '^glts-plus: error: .*/nowhere' "$tmp/said" || no "$(cat "$tmp/said")"
exit $status

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contrib/reproduce/glomarc, small: its figures are those of `cosched sim`, its
# verdicts come out of them, its pictures are XML, what is finished is not done again,
# and what is wrong gets one line.
#
# Usage: check_reproduce.sh [TREE], where ./cosched is
tree=${1:-${srcdir:-$(dirname "$0")/..}}
python3 -c "import json, xml.dom.minidom" 2>/dev/null ||
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

# glomarc WORD...: the small one
glomarc() {
	"$tree/contrib/reproduce/glomarc" --work "$tmp/work" --out "$tmp/out" --jobs 200 -j 2 \
		"$@" 2>"$tmp/said"
}

glomarc --seeds 2 --experiment 'low_load=layout # as at other times' \
	--experiment resize=plain || no "$(cat "$tmp/said")"
report=$tmp/out/glomarc.md

# a figure of the table by the command itself
for s in 1 2; do
	./cosched workload w1 --jobs 200 --seed $s >"$tmp/$s.swf"
	./cosched sim --machine 128x2x2 --policy cst --set slice=pect \
		--set slowdowns=table4 --set cases=145 --set backfill_cases=45 \
		--seed $s --summary "$tmp/$s.json" "$tmp/$s.swf" >/dev/null
done
python3 -B - "$report" "$tmp"/[12].json "$tmp"/out/*.svg <<'END' || no "figures"
import json
import sys
import xml.dom.minidom

runs = [json.load(open(f)) for f in sys.argv[2:4]]
row = next(line.split("|") for line in open(sys.argv[1], encoding="utf-8")
           if line.startswith("| CST B |"))
for column, key in ((2, "rr_medium"), (3, "rr_long"), (4, "rr_all"),
                    (5, "rr_all_60"), (6, "rr_all_10")):
    want = "%.2f" % (sum(r[key] for r in runs) / 2)
    if row[column].strip() != want:
        sys.exit("%s: %s, expected %s" % (key, row[column], want))
if len(sys.argv) != 8:
    sys.exit("%d pictures" % (len(sys.argv) - 4))
for f in sys.argv[4:]:
    xml.dom.minidom.parse(f)
END
grep -q '^| `low_load=layout`, as at other times |' "$report" || no "experiment"
[ -z "$(find "$tmp" -name '*.new')" ] || no "a file is left over"

# again: nothing is run, the same report
cp "$report" "$tmp/first.md"
glomarc --seeds 2 --experiment 'low_load=layout # as at other times' \
	--experiment resize=plain || no "again: $(cat "$tmp/said")"
grep -q 'nothing to do' "$tmp/said" || no "again: $(cat "$tmp/said")"
cmp "$report" "$tmp/first.md" || no "not the same again"

# one result is gone: that one is done, the same report
rm "$(find "$tmp/work" -name 'w2-2-ns-*.json' | sort | head -n 1)"
glomarc --seeds 2 --experiment 'low_load=layout # as at other times' \
	--experiment resize=plain || no "one more: $(cat "$tmp/said")"
grep -q '^glomarc: 90 runs, 89 of them are there' "$tmp/said" ||
	no "one more: $(cat "$tmp/said")"
cmp "$report" "$tmp/first.md" || no "not the same with one more"

# a spread to judge by, from 15 seeds on: the columns and verdicts
glomarc --work "$tmp/spread" --seeds 15 --jobs 300 || no "$(cat "$tmp/said")"
python3 -B "$tree/test/check_reproduce_verdicts.py" "$report" "$tmp"/spread/* 15 ||
	no "verdicts"
grep -q '^Of 26 quantities that can be compared' "$report" ||
	no "$(grep '^Of ' "$report")"
[ ! -e "$tree/contrib/reproduce/__pycache__" ] || no "a cache in the source tree"

# what is wrong
bad() { # text, words
	text=$1
	shift
	rm -rf "$tmp/out"
	glomarc "$@" && no "$*: status"
	[ "$(grep -c '^glomarc: error: ' "$tmp/said")" = 1 ] ||
		no "$*: $(cat "$tmp/said")"
	grep -qF -e "$text" "$tmp/said" || no "$*: $(cat "$tmp/said")"
	[ ! -e "$report" ] || no "$*: a report"
}
bad "experiment 'slack': 'slack', expected key=value" --experiment slack
bad "slaack" --seeds 1 --experiment slaack=2
bad "/nowhere" --cosched /nowhere/cosched
bad "/nowhere" --experiments /nowhere/list
exit $status

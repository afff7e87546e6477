#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The reproductions gang, slices, multisite, proc, sharing and learned-site of
# contrib/reproduce, small: figures of their pages are those of `cosched sim`, and what is finished is not done again.
#
# Usage: check_reproduce_more.sh [TREE], where ./cosched is
folder=${1:-${srcdir:-$(dirname "$0")/..}}/contrib/reproduce
python3 -c "import json, lzma" 2>/dev/null ||
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
# page NAME OPTION...: made, and then nothing is left to do
page() {
	local name=$1

	shift
	"$folder/$name" --work "$tmp/$name" --out "$tmp" -j 2 "$@" 2>"$tmp/said" ||
		no "$name: $(cat "$tmp/said")"
	cp "$tmp/$name.md" "$tmp/first"
	"$folder/$name" --work "$tmp/$name" --out "$tmp" -j 2 "$@" 2>"$tmp/said" ||
		no "$name again: $(cat "$tmp/said")"
	grep -q 'nothing to do' "$tmp/said" || no "$name again: $(cat "$tmp/said")"
	cmp -s "$tmp/$name.md" "$tmp/first" || no "$name: not the same again"
}
# sim OPTION...: "KEY VALUE" of the summary, a line each
sim() {
	./cosched sim "$@" --summary "$tmp/summary" >/dev/null || no "sim $*"
	python3 -B -c 'import json, sys
for k, v in json.load(open(sys.argv[1])).items():
    print(k, v)' "$tmp/summary" >"$tmp/figures"
}
figure() { # KEY FORMAT [DIVISOR]
	awk -v key="$1" -v form="$2" -v by="${3:-1}" '$1 == key { printf form, $2 / by }' \
		"$tmp/figures"
}
# has PAGE ROW TEXT: the row that begins so holds it
has() {
	grep -F "| $2" "$tmp/$1.md" | grep -qF -- "$3" ||
		no "$1: no '$3' in: $(grep -F "| $2" "$tmp/$1.md")"
}

page gang --jobs 100 --sets 1
./cosched workload uniform-log --nodes 128 --jobs 100 --load 0.9 --slot-s 5 --seed 1 \
	>"$tmp/swf"
sim --machine 128x1x1 --policy br --set gang_rounds=yes "$tmp/swf"
sed -n '/^## Table 2/,$p' "$tmp/gang.md" | grep -F '| BR .9' |
	grep -qF "/ $(figure turnaround_all %.2f 5) " ||
	no "gang: no $(figure turnaround_all %.2f 5) of BR .9 in table 2"

page proc --quick --jobs 6 --scale 1e-6
./cosched procsim --scheme PROC-B --workload wl3 --set jobs=6 --set time_scale=1e-6 \
	--set horizon=10 --summary "$tmp/summary" || no "procsim"
want=$(python3 -B -c 'import json, sys
s = json.load(open(sys.argv[1]))
print("50.0 / %.1f | 33.5 / %.1f" % (100 * s["bcr"], 100 * s["fdr"]))' "$tmp/summary")
sed -n '/^## Tables 3 and 4/,/^## Response/p' "$tmp/proc.md" | grep -F '| PROC-B |' |
	grep -qF "| $want |" || no "proc: no $want of PROC-B in tables 3 and 4"
for n in 9 10; do
	grep -q '^<svg' "$tmp/proc-fig$n.svg" || no "proc: no figure $n"
done

page slices --jobs 300 --seeds 1
./cosched workload w2 --jobs 300 --seed 301 >"$tmp/swf"
sim --machine 128x2x2 --policy glts+ --set slice=pect --set slowdowns=table4 \
	--set slice_shares=load --set slice_expect_short=yes --set slice_stop=needed \
	--seed 301 "$tmp/swf"
has slices 'glts+, W2: load, expected, stop needed' "$(figure rr_all %.3f) ("
has slices 'glts+, W2: load, expected, stop needed' "$(figure delay_p95 %.3f) ("

./cosched workload lublin --nodes 336 --jobs 800 --seed 4 |
	python3 -c 'import lzma, sys
sys.stdout.buffer.write(lzma.compress(sys.stdin.buffer.read()))' \
		>"$tmp/CTC-SP2-1996-3.1-cln.swf.xz"
page multisite --traces "$tmp" --jobs 100 --seeds 1
./cosched workload resample "$tmp/CTC-SP2-1996-3.1-cln.swf.xz" --jobs 100 --load 1.1 \
	--seed 1 >"$tmp/swf"
sim --sites 1x512 --policy multisite "$tmp/swf"
one=$(figure awrt %.9g)
sim --sites 8x64 --policy multisite-adaptive --set across=3 "$tmp/swf"
has multisite 'adaptive m64-8, 300 %' "| $(figure awrt %.1f "$one") |"
for n in 3 4 5 6; do
	grep -q '^<svg' "$tmp/multisite-fig$n.svg" || no "multisite: no figure $n"
done
# its verdict: within 20 % of 15
awk -v x="$(figure awrt %.9g "$one")" 'BEGIN { exit !(x >= 12 && x <= 18) }' &&
	verdict='| reached |' || verdict='| not reached: 1 |'
has multisite 'adaptive m64-8, 300 %' "$verdict"
has multisite 'm384, limited against unlimited' '| equal | +0.0 % | reached |'
sim --sites 1x512 --policy multisite "$tmp/swf"
has multisite 'm512 |' "| $(figure awrt %.1f 3600) / $(figure awwt %.1f 3600) ("

# sites whose jobs slow each other as a small table says
cat >"$tmp/corun" <<'END'
a a .8 1
a b 1.2 1
b a .9 1
b b 1 1
c a 1 1
c b 1 1
END
printf '%s 10 4 1\n' a b c >"$tmp/alone"
# site SEED DAYS: its trace and its truth
site() {
	./cosched profile from-corun --node 2x8 "$tmp/corun" "$tmp/alone" >"$tmp/truth" || no "no truth"
	python3 -B - "$folder" "$tmp/truth" "$@" >"$tmp/swf" <<'END' || no "no site"
import importlib.machinery, importlib.util, json, sys
sys.path.insert(0, sys.argv[1])
loader = importlib.machinery.SourceFileLoader("sharing", sys.argv[1] + "/sharing")
sharing = importlib.util.module_from_spec(importlib.util.spec_from_loader("sharing", loader))
loader.exec_module(sharing)
dense = [p["self"]["16"] for p in json.load(open(sys.argv[2]))["profiles"].values()]
sys.stdout.write(sharing.site("./cosched", int(sys.argv[3]), .8, dense, int(sys.argv[4])))
END
}
small=(--table "$tmp/corun" --alone "$tmp/alone" --loads .8)
live=(--machine 64x2x8 --live-defaults --set horizon_s=0 --truth "$tmp/truth")
page sharing "${small[@]}" --days 2 --seeds 3-3 --traces "$tmp/no-traces"
site 3 2
for p in easy cover+; do
	sim "${live[@]}" --profiles "$tmp/truth" --policy $p "$tmp/swf"
	figure mean_response "%.17g\n"
done >"$tmp/means"
sed -n '/^## Truth: the measured/,/^## Truth: 24/p' "$tmp/sharing.md" | grep -F '| cover+ |' |
	grep -qF "| cover+ | $(paste -s "$tmp/means" | awk '{ printf "%+.1f", 100 * ($2 / $1 - 1) }') |" ||
	no "sharing: $(cat "$tmp/means") give another figure than $(grep -m 1 -F '| cover+ |' "$tmp/sharing.md")"

page learned-site "${small[@]}" --days 16 --seeds 4-4
site 4 16
sim "${live[@]}" --truth-noise 2 --policy cover+ --set learn=use --set 'learn_accounts=*' \
	--set learn_explore=0.05 "$tmp/swf"
want="| 0.8 | $(figure learn_kinds %.0f) | $(figure learn_pairs %.0f) | $(awk '
	$1 == "shared_jobs" { n = $2 } $1 == "jobs" { m = $2 } END { printf "%.1f %%", 100 * n / m }
	' "$tmp/figures") |"
grep -qF "$want" "$tmp/learned-site.md" ||
	no "learned-site: no '$want' in $(grep -F '| 0.8 |' "$tmp/learned-site.md")"

[ -z "$(find "$tmp" -name '*.new*')" ] || no "a file is left over"
[ ! -e "$folder/__pycache__" ] || no "a cache in the source tree"
exit "$status"

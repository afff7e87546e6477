#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is learned, as a user sees it: a log of learn=use is decided again, cosched learn
# finds in the log what the engine knew at its end, the table, a kind's partners and the
# exported profile file say the same; one line for what is wrong.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
status=0

fail() {
	echo "FAILED: $*"
	status=1
}

bad() { # part of the message, words of cosched ...
	want=$1
	shift
	./cosched "$@" > "$tmp/out" 2> "$tmp/err"
	[ $? -ge 1 ] || fail "$*: status 0"
	[ "$(wc -l < "$tmp/err")" = 1 ] || fail "$*: not one line: $(cat "$tmp/err")"
	grep -qF -e "$want" "$tmp/err" || fail "$*: '$(cat "$tmp/err")', expected '$want'"
}

# Kinds a to d cost each other little, e harms all; spread they are faster.
awk 'BEGIN {
	split("a b c d e", k)
	printf "{\"version\":1,\"profiles\":{"
	for (i = 1; i <= 5; i++)
		printf "%s\"%s\":{\"self\":{\"1\":1,\"2\":1,\"4\":1.25}}", (i > 1 ? "," : ""), k[i]
	printf "},\"pairs\":["
	for (i = 1; i <= 5; i++)
		for (j = 1; j <= 5; j++)
			printf "%s{\"of\":\"%s\",\"beside\":\"%s\",\"slowdown\":%s}", \
				(i + j > 2 ? "," : ""), k[i], k[j], (j == 5 ? 1.6 : 1.02)
	printf "],\"rules\":["
	for (i = 1; i <= 5; i++)
		printf "%s{\"name\":\"e%d\",\"profile\":\"%s\"}", (i > 1 ? "," : ""), i, k[i]
	print "]}"
}' > "$tmp/truth.json"
awk 'BEGIN {
	srand(7)
	for (i = 1; i <= 1500; i++) {
		e = int(rand() * 5) + 1
		s += int(rand() * 330)
		p = rand() < .5 ? 4 : 8
		print i, s, -1, 300 + 100 * e, p, -1, -1, p, int((300 + 100 * e) * (1 + 3 * rand())), \
			-1, 1, i % 3 + 1, 1, e, 1, 1, -1, -1
	}
}' > "$tmp/swf"

./cosched sim --machine 8x2x2 --live-defaults --policy cover --set head_slack=1 \
	--set learn=use --set learn_explore=0.05 --set 'learn_accounts=*' \
	--truth "$tmp/truth.json" --truth-noise 2 --events "$tmp/log" \
	--summary "$tmp/summary" "$tmp/swf" > "$tmp/out" 2>&1 ||
	fail "sim: $(cat "$tmp/out")"
figure() {
	sed -n "s/^ *\"$1\":\([0-9.]*\),*/\1/p" "$tmp/summary"
}
[ "$(figure learn_pairs)" -gt 10 ] || fail "$(figure learn_pairs) pairs may share"
./cosched check "$tmp/log" > "$tmp/out" || fail "check: $(cat "$tmp/out")"
./cosched replay "$tmp/log" > "$tmp/out" 2>&1 || fail "replay: $(cat "$tmp/out")"
grep -q '^same: ' "$tmp/out" || fail "replay: $(cat "$tmp/out")"

./cosched learn --from "$tmp/log" --out "$tmp/state" > "$tmp/table" 2>&1 ||
	fail "learn: $(cat "$tmp/table")"
tail -n 1 "$tmp/table" |
	grep -q "^$(figure learn_kinds) kinds of [0-9]*, [0-9]* runs, [0-9]* pairs met" ||
	fail "learn: '$(tail -n 1 "$tmp/table")', the engine had $(figure learn_kinds) kinds"
./cosched profile learned "$tmp/state" > "$tmp/out" 2>&1
cmp -s "$tmp/out" "$tmp/table" || fail "profile learned is another table than learn's"
# the plugin's state file has the lines among others
{ echo "cosched 1"; echo "job 5 1 0"; sed 's/^/virtual /' "$tmp/state"; } > "$tmp/plugin"
./cosched profile learned "$tmp/plugin" > "$tmp/out" 2>&1
cmp -s "$tmp/out" "$tmp/table" || fail "profile learned of a plugin's state: $(head -n 1 "$tmp/out")"

# who may share with u1/e1 by its row, by its lines and by the exported file
./cosched profile learned --of u1/e1 "$tmp/state" > "$tmp/of" 2>&1
row=$(awk '$1 == "u1/e1" { print $7 }' "$tmp/table")
[ "${row:-0}" -gt 0 ] || fail "u1/e1 may share with nobody: $(grep u1/e1 "$tmp/table")"
[ "$(grep -c 'may share$' "$tmp/of")" = "$row" ] || fail "--of: not $row may share"
grep -qE '^beside u[123]/e[1-5]: at most [0-9.]+ with 95 % \([0-9]+ runs\), may share$' \
	"$tmp/of" || fail "--of: $(head -n 1 "$tmp/of")"
! grep -qE '^beside u[123]/e5: .*may share$' "$tmp/of" || fail "e5 may share"
./cosched profile export --node 2x2 "$tmp/state" > "$tmp/profiles.json" 2> "$tmp/err" ||
	fail "export: $(cat "$tmp/err")"
./cosched profile check "$tmp/profiles.json" > "$tmp/out" 2>&1 ||
	fail "export: $(cat "$tmp/out")"
grep -q ": ok, $(figure learn_kinds) profiles, " "$tmp/out" || fail "export: $(cat "$tmp/out")"
./cosched sim --machine 8x2x2 --live-defaults --policy cover --profiles "$tmp/profiles.json" \
	--truth "$tmp/truth.json" --summary "$tmp/summary" "$tmp/swf" > "$tmp/out" 2>&1 ||
	fail "sim with the export: $(cat "$tmp/out")"
[ "$(figure shared_jobs)" -gt 150 ] || fail "by the export $(figure shared_jobs) jobs share"
[ "$(figure promise_broken)" = 0 ] || fail "by the export $(figure promise_broken) were slowed"

# ---- what is wrong

bad "expected --from LOG" learn
bad "expected options only" learn --from "$tmp/log" more
bad "$tmp/none" learn --from "$tmp/none"
bad "nothing learned in it" profile learned "$tmp/truth.json"
sed 's/^learn run/learn runs/' "$tmp/state" > "$tmp/broken"
bad "expected a line of what was learned" profile learned "$tmp/broken"
sed '/^learn kind/d' "$tmp/state" > "$tmp/broken"
bad "is damaged" profile export "$tmp/broken"
sed 's/ [0-9]* / nan /3' "$tmp/state" > "$tmp/broken"
bad "expected" profile learned "$tmp/broken"
head -n 20 "$tmp/state" > "$tmp/broken"
bad "nothing learned in it" profile learned "$tmp/broken"
bad "no kind 'u9/e9'" profile learned --of u9/e9 "$tmp/state"
bad "expected 'check FILE'" profile export
exit $status

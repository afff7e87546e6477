#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is learned, as a user sees it: a log of learn=use is decided again, cosched learn
# finds in the log what the engine knew at its end, and in sacct's text of the same jobs;
# the table, a kind's partners and the exported profile file say the same; one line for
# what is wrong.
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
awk 'function uniform() { # the same in every awk, as its rand() is not
	state = (state * 1103515 + 12345) % 2147483648
	return state / 2147483648
}
BEGIN {
	state = 7
	for (i = 1; i <= 1500; i++) {
		e = int(uniform() * 5) + 1
		s += int(uniform() * 330)
		p = uniform() < .5 ? 4 : 8
		print i, s, -1, 300 + 100 * e, p, -1, -1, p, int((300 + 100 * e) * (1 + 3 * uniform())), \
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

kinds=$(figure learn_kinds) pairs=$(figure learn_pairs)
./cosched learn --from "$tmp/log" --out "$tmp/state" > "$tmp/table" 2>&1 ||
	fail "learn: $(cat "$tmp/table")"
tail -n 1 "$tmp/table" |
	grep -q "^$(figure learn_kinds) kinds of [0-9]*, [0-9]* runs, [0-9]* pairs met" ||
	fail "learn: '$(tail -n 1 "$tmp/table")', the engine had $(figure learn_kinds) kinds"
./cosched profile learned "$tmp/state" > "$tmp/out" 2>&1
cmp -s "$tmp/out" "$tmp/table" || fail "profile learned is another table than learn's"
# as JSON, member by member
./cosched learn --json --from "$tmp/log" > "$tmp/json" 2>&1 || fail "learn --json: $(cat "$tmp/json")"
./cosched profile learned --json "$tmp/state" > "$tmp/out" 2>&1
cmp -s "$tmp/out" "$tmp/json" || fail "profile learned --json is other than learn's"
./cosched profile learned --of u1/e1 "$tmp/state" > "$tmp/of" 2>&1
./cosched profile learned --of u1/e1 --json "$tmp/state" > "$tmp/of.json" 2>&1
python3 - "$tmp/table" "$tmp/json" "$tmp/of" "$tmp/of.json" > "$tmp/out" 2>&1 << 'END' ||
import json, sys
table, of = (open(sys.argv[i]).read().splitlines() for i in (1, 3))
all, pairs = (json.load(open(sys.argv[i])) for i in (2, 4))
rows = [" ".join(r.split()) for r in table[1:-1]]
assert rows == ["%s %d %d %.2f %d %s %d" % (
    k["kind"], k["ended"], k["runs"], k["spread"], k["partners"],
    "%.2f" % k["bound"] if "bound" in k else "-", k["admitted"]) for k in all["kinds"]], all
assert table[-1] == "%d kinds of %d, %d runs, %d pairs met%s" % (
    len(all["kinds"]), all["kinds_met"], all["runs"], all["pairs_met"],
    "" if all["bounds"] else ": too few for a bound"), table[-1]
assert pairs["kind"] == "u1/e1" and pairs["level"] == .95
assert of == ["beside %s: %s (%d runs)%s" % (
    b["kind"], "at most %.2f with 95 %%" % b["bound"] if "bound" in b else "not known",
    b["runs"], ", may share" if b["may_share"] else "") for b in pairs["beside"]], pairs
assert any("bound" in b for b in pairs["beside"])
END
	fail "JSON of what was learned: $(cat "$tmp/out")"
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

# ---- the same from sacct's text: node lists and times are enough

cat > "$tmp/sacct.awk" <<'END'
function field(name,  s) {
	if (!match($0, "\"" name "\":(\"[^\"]*\"|[0-9.]+)"))
		return ""
	s = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
	gsub(/"/, "", s)
	return s
}
function nodes(  s, n, a, i, out) {
	s = $0
	sub(/.*"alloc":\{/, "", s)
	sub(/\}.*/, "", s)
	n = split(s, a, ",\"")
	for (i = 1; i <= n; i++) {
		gsub(/"/, "", a[i])
		sub(/:.*/, "", a[i])
		out = out (i > 1 ? "," : "") "n[" a[i] "]"
	}
	return out
}
BEGIN { print "JobID|User|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|AllocCPUS|NodeList|JobName" }
{ j = field("job") }
/"ev":"submit"/ { job[j] = field("user"); name[j] = field("name"); procs[j] = field("procs"); limit[j] = field("estimate") / 60 }
/"ev":"start"/ { start[j] = int(field("t") + .5); on[j] = nodes() }
/"ev":"finish"/ { t = int(field("t") + .5)
	printf "%d|%s|%d|%d|%d|%d|%d|%s|%d|%s|%s\n", j, job[j], start[j], start[j], t, t - start[j], limit[j], (/"failed":true/ ? "FAILED" : "COMPLETED"), procs[j], on[j], name[j] }
END
awk -f "$tmp/sacct.awk" "$tmp/log" > "$tmp/text"
[ "$(wc -l < "$tmp/text")" = 1501 ] || fail "sacct's text has $(wc -l < "$tmp/text") lines"
./cosched learn --from "$tmp/text" --out "$tmp/other" > "$tmp/out" 2> "$tmp/err" ||
	fail "learn from sacct: $(cat "$tmp/err")"
[ "$(cat "$tmp/err")" = "1500 jobs
1500 runs taught" ] || fail "learn from sacct: $(cat "$tmp/err")"
# whole seconds: the same kinds and runs; whom a kind met just long enough, and whose bound
# lies at the edge, may differ by one
paste -d ' ' "$tmp/table" "$tmp/out" | sed '$d' | awk '
	function off(a, b) { return a - b > 1 || b - a > 1 }
	{ half = NF / 2 }
	$1 != $(half + 1) || $2 != $(half + 2) || $3 != $(half + 3) ||
		off($5, $(half + 5)) || off($7, $(half + 7))' > "$tmp/off"
[ ! -s "$tmp/off" ] || fail "sacct's text taught otherwise: $(cat "$tmp/off")"
./cosched profile learned "$tmp/other" > "$tmp/b" 2>&1
cmp -s "$tmp/out" "$tmp/b" || fail "profile learned of sacct's text"
mkdir "$tmp/bin"
cat > "$tmp/bin/sacct" <<'END'
#!/bin/sh
printf '%s ' "$@" > "$SACCT_SAW"
cat "$SACCT_SAYS"
END
chmod +x "$tmp/bin/sacct"
SACCT_SAW=$tmp/saw SACCT_SAYS=$tmp/text PATH="$tmp/bin:$PATH" \
	./cosched learn --from sacct --since 1970-01-01 > "$tmp/b" 2> "$tmp/err" ||
	fail "--from sacct: $(cat "$tmp/err")"
cmp -s "$tmp/out" "$tmp/b" || fail "--from sacct: another table"
grep -q ',NodeList,JobName ' "$tmp/saw" || fail "--from sacct asks for $(cat "$tmp/saw")"

# ---- histories that are hostile: one line, a status, and what is left is learned

hostile() { # expected status, part of the message; the text is $tmp/text
	./cosched learn --from "$tmp/text" > "$tmp/out" 2> "$tmp/err"
	got=$?
	[ $got = "$1" ] || fail "status $got, expected $1: $(cat "$tmp/err")"
	[ "$(wc -l < "$tmp/err")" -le 2 ] || fail "not one line: $(cat "$tmp/err")"
	grep -qF -e "$2" "$tmp/err" || fail "'$(cat "$tmp/err")', expected '$2'"
}
head='JobID|User|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|AllocCPUS|NodeList|JobName'
good='1|u|0|0|100|100|10|COMPLETED|4|n1|j
2|u|0|200|300|100|10|COMPLETED|4|n1|j
3|u|0|400|500|100|10|COMPLETED|4|n1|j'
{
	echo "$head"
	echo "$good"
	echo '4|u|-5|-5|10|15|1|COMPLETED|4|n1|negative'
	echo '5|u|500|300|10|15|1|COMPLETED|4|n1|the clock jumped'
	echo '6|u|600|600|10|100|1|COMPLETED|4|n1|and back'
	echo '7|u|9999999999|9999999999|9999999999|9999999999|1|COMPLETED|4|n1|far'
	echo '8|u|700|700|800|nan|1|COMPLETED|4|n1|nan'
	echo '9|u|700|700|800|100|1|COMPLETED|4|n[0-99999999]|wide'
	echo '10|u|700|700|800|100|1|COMPLETED|4|n[|half'
	echo '11|u|700|700|800|100|1|COMPLETED|99999999999999999999|n1|large'
	printf '12|u|900|900|1000|100|1|COMPLETED|4|n1|a|b/\033]0;x\007%%s%%n\n'
} > "$tmp/text"
hostile 0 '7 bad lines; the first bad one: '
grep -qE '^u/j +3 ' "$tmp/out" || fail "a hostile history: $(cat "$tmp/out")"
! grep -q "$(printf '\033')" "$tmp/out" "$tmp/err" || fail "a name reached the terminal"
cp "$tmp/text" "$tmp/sacct"
# a user with 100,000 job names forgets his own; the other one's is known
{
	echo "$head"
	awk 'BEGIN {
		for (i = 1; i <= 100000; i++)
			printf "%d|mallory|0|%d|%d|60|2|COMPLETED|4|n%d|j%d\n", \
				i + 9, i, i + 60, i % 100, i
	}'
	echo "$good" | sed 's/n1/n500/'
} > "$tmp/text"
hostile 0 '100003 jobs'
grep -qE '^u/j +3 ' "$tmp/out" || fail "100,000 names: $(cat "$tmp/out")"
grep -q '^1 kinds of [1-6][0-9], ' "$tmp/out" || fail "100,000 names: $(cat "$tmp/out")"
{ echo "$head"; echo '1|u|0|0|100|100|10|COMPLETED|4|None assigned|j'; } > "$tmp/text"
hostile 1 'no job has a node list, so who ran beside whom is not known'
{ echo "$head"; echo '1|u|0|0|9|9|10|COMPLETED|4|n1|j'; } > "$tmp/text"
hostile 1 'none of 1 jobs teaches anything'
echo 'JobID|Submit|Start|End|AllocCPUS' > "$tmp/text"
hostile 2 'no column NodeList, so who ran beside whom is not known'
cp "$tmp/swf" "$tmp/text"
sed -i '1i ; Version: 2.2' "$tmp/text"
hostile 2 'a trace has no node lists, so who ran beside whom is not known'
{
	printf x # else it may begin as a trace does, or as packed data
	head -c 100000 /dev/urandom | tr -d '{'
} > "$tmp/text"
hostile 2 'expected the output of sacct -P'

# ---- what learn=use would gain

# mean FILE KEY: of a summary
mean() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$@"
}
sed '1i ; Runtimes: packed' "$tmp/swf" > "$tmp/packed" # as those of a history are
# believes SUMMARY [OPTION]...: the live default, where jobs slow each other as was learned
believes() {
	to=$1
	shift
	./cosched sim --machine 8x2x2 --live-defaults --policy balanced --truth "$tmp/profiles.json" "$@" \
		--summary "$to" --jobs "$to.jobs" "$tmp/packed" > "$tmp/out" 2>&1 ||
		fail "sim: $(cat "$tmp/out")"
}
believes "$tmp/propose.json"
believes "$tmp/use.json" --profiles "$tmp/profiles.json"
./cosched whatif --machine 8x2x2 --replicas 0 --policies pack --learned "$tmp/state" "$tmp/swf" \
	> "$tmp/text" 2> "$tmp/err" || fail "whatif --learned: $(cat "$tmp/err")"
gain=$(python3 -c 'import json, sys
a, b = (json.load(open(x)) for x in sys.argv[1:])
print("mean response %+.1f %%, mean wait %+.1f %%." % tuple(
    100 * (b[k] / a[k] - 1) for k in ("mean_response", "mean_wait")))' "$tmp/propose.json" "$tmp/use.json")
tr '\n' ' ' < "$tmp/text" | grep -qF "learn=use against learn=propose, under balanced and with the slowdowns \
learned so far ($kinds kinds of jobs, $pairs pairs that may share): $gain" ||
	fail "whatif --learned: expected '$gain' of $kinds kinds, $pairs pairs in: $(head -n 12 "$tmp/text")"
./cosched whatif --machine 8x2x2 --replicas 0 --policies pack --learned "$tmp/state" --json "$tmp/swf" \
	> "$tmp/json" 2> "$tmp/err" || fail "whatif --learned --json: $(cat "$tmp/err")"
python3 - "$tmp/json" "$tmp/text" > "$tmp/out" 2>&1 << 'END' ||
import json, sys
use, text = json.load(open(sys.argv[1]))["learn_use"], open(sys.argv[2]).read()
assert use["text"] in " ".join(text.split()), text
assert not use["withheld"] and "mean response %+.1f %%" % use["mean_response_percent"] in use["text"], use
assert "(%d kinds of jobs, %d pairs" % (use["kinds"], use["pairs_that_may_share"]) in use["text"], use
END
	fail "whatif --learned --json: $(cat "$tmp/out")"
# who loses by it: users' means of the same two runs
python3 - "$tmp/packed" "$tmp/propose.json.jobs" "$tmp/use.json.jobs" "$tmp/json" "$tmp/text" > "$tmp/out" 2>&1 << 'END' ||
import json, statistics, sys
def rows(path, mark):
    return [x.split() for x in open(path) if x.strip() and x[0] != mark]
user = {r[0]: r[11] for r in rows(sys.argv[1], ";")}
def means(path):
    of = {}
    for job, submit, _, end in (r[:4] for r in rows(path, "#")):
        of.setdefault(user[job], []).append(float(end) - float(submit))
    return {u: statistics.fmean(x) for u, x in of.items()}
was, now = (means(x) for x in sys.argv[2:4])
lose = sorted(((100 * (now[u] / was[u] - 1), u) for u in was if now[u] > was[u]), reverse=True)
said = "learn=use against learn=propose, %d users: " % len(was)
if lose:
    said += "the mean response of %d is longer, by %.1f %% in the median and %.1f %% at most (user %s)" % (
        len(lose), statistics.median(x for x, _ in lose), lose[0][0], lose[0][1])
    many = sum(x > 10 for x, _ in lose)
    said += ", of %d by more than 10 %%" % many if many else ""
else:
    said += "no user's mean response is longer"
gain = sum(now[u] < was[u] for u in was)
said += "; that of %d is shorter." % gain if gain else "."
users = json.load(open(sys.argv[4]))["learn_use"]["users"]
assert users["text"] == said, (users["text"], said)
assert said in " ".join(open(sys.argv[5]).read().split()), said
assert (users["users"], users["longer"], users["shorter"]) == (len(was), len(lose), gain), users
assert not lose or abs(users["most_percent"] - lose[0][0]) < 1e-6, users
END
	fail "whatif --learned, who loses: $(cat "$tmp/out")"
./cosched whatif --machine 8x2x2 --replicas 0 --policies pack --learned "$tmp/state" --html "$tmp/page" "$tmp/swf" \
	> "$tmp/out" 2>&1 || fail "whatif --learned --html: $(cat "$tmp/out")"
for begin in 'against learn=propose, under' 'against learn=propose, [0-9]* users:'; do
	[ "$(grep -c "<p>learn=use $begin" "$tmp/page")" = 1 ] || fail "whatif --learned --html: no '$begin'"
done
# withheld FILE LEARNED WHY: the gain is, with its reason, in one sentence
withheld() {
	./cosched whatif --machine 8x2x2 --replicas 0 --policies pack --learned "$2" "$1" > "$tmp/text" 2> "$tmp/err" ||
		fail "whatif --learned: $(cat "$tmp/err")"
	tr '\n' ' ' < "$tmp/text" | grep -qE "What learn=use would gain is withheld, since $3" ||
		fail "whatif --learned: expected '$3' in: $(head -n 12 "$tmp/text")"
	! grep -q 'learn=use against' "$tmp/text" || fail "whatif --learned: a gain that is withheld"
}
awk '{ $3 = 50 * $1; print }' "$tmp/swf" > "$tmp/waited"
withheld "$tmp/waited" "$tmp/state" "the site's own policy is simulated -[0-9.]+ % off from what happened, more than it"
head -n 20 "$tmp/state" > "$tmp/broken"
withheld "$tmp/swf" "$tmp/broken" 'nothing learned in it, expected'
./cosched sim --machine 8x2x2 --live-defaults --policy easy --set learn=propose --set unprofiled=model \
	--events "$tmp/alone" "$tmp/swf" > "$tmp/out" 2>&1 || fail "sim: $(cat "$tmp/out")"
./cosched learn --from "$tmp/alone" --out "$tmp/lonely" > "$tmp/out" 2>&1 || fail "learn: $(cat "$tmp/out")"
withheld "$tmp/swf" "$tmp/lonely" 'no two of the [0-9]+ kinds of jobs are known to slow each other little enough'
# of a log of mode shadow, whose jobs ran by core in order of arrival
./cosched sim --machine 8x2x2 --live-defaults --policy pack --events "$tmp/events" "$tmp/packed" \
	> "$tmp/out" 2>&1 || fail "sim: $(cat "$tmp/out")"
python3 "${srcdir:-.}/test/shadow_log.py" "$tmp/events" balanced > "$tmp/shadow" ||
	fail "no log of mode shadow"
report() {
	./cosched shadow-report --site pack --learned "$@" "$tmp/shadow" > "$tmp/text" 2> "$tmp/err" ||
		fail "shadow-report --learned: $(cat "$tmp/err")"
}
report "$tmp/state"
tr '\n' ' ' < "$tmp/text" | grep -qE "learn=use against learn=propose, under balanced and with the slowdowns \
learned so far \($kinds kinds of jobs, $pairs pairs that may share\): mean response -[1-9][0-9.]* %, mean wait" ||
	fail "shadow-report --learned: $(head -n 12 "$tmp/text")"
report "$tmp/state" --json
python3 -c 'import json, sys
use = json.load(open(sys.argv[1]))["learn_use"]
assert not use["withheld"] and "mean response %+.1f %%" % use["mean_response_percent"] in use["text"], use' \
	"$tmp/text" 2> "$tmp/err" || fail "shadow-report --learned --json: $(tail -n 1 "$tmp/err")"
report "$tmp/lonely"
grep -q '^What learn=use would gain is withheld' "$tmp/text" || fail "shadow-report: $(head -n 12 "$tmp/text")"
bad "--learned: '$tmp/none'" shadow-report --learned "$tmp/none" "$tmp/shadow"
bad "--learned: '$tmp/none'" whatif --machine 8x2x2 --learned "$tmp/none" "$tmp/swf"

# ---- what is wrong

bad "expected --from LOG" learn
bad "expected options only" learn --from "$tmp/log" more
bad "expected sacct's text only, or event logs only" learn --from "$tmp/log" --from "$tmp/sacct"
bad "--profiles is for event logs" learn --from "$tmp/sacct" --profiles "$tmp/profiles.json"
bad "--node is '2'" learn --node 2 --from "$tmp/sacct"
bad "--threads is '0'" learn --threads 0 --from "$tmp/sacct"
bad "--since is 'x'" learn --since x --from "$tmp/sacct"
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
bad "no kind 'u9/e9'" profile learned --of u9/e9 --json "$tmp/state"
bad "expected 'run SCRIPT...', 'check FILE'" profile export
# what time slices stop teaches nothing: said of learning, not of a what-if
./cosched sim --machine 8x2x2 --policy pect --events "$tmp/sliced" "$tmp/swf" > "$tmp/out" 2>&1 ||
	fail "sim with slices: $(cat "$tmp/out")"
bad "time slices: nothing is learned from jobs that they stop and resume, expected a log with slice=none" \
	learn --from "$tmp/sliced"
exit $status

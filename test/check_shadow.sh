#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `cosched shadow-report`: a log whose answers were worked out by hand, one that a real
# slurmctld left, random ones against an obvious second computation (shadow_sums.py), and
# what is no such log.  CS_TEST_SEED=N: other random logs; CS_TEST_WORLDS: how many.
set -u
LC_ALL=C TZ=UTC COLUMNS=80
export LC_ALL TZ COLUMNS
src=${srcdir:-.}
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

no() {
	echo "not ok: $*" >&2
	failed=1
}

# refused TEXT ARGUMENT...: one line with TEXT, nothing else, status 2
refused() {
	text=$1
	shift
	got=$(./cosched shadow-report "$@" 2>&1 >"$tmp/out")
	[ $? -eq 2 ] || no "$*: status"
	[ "$got" = "cosched: shadow-report: $text" ] || no "$*: '$got'"
	[ ! -s "$tmp/out" ] || no "$*: something on stdout"
}

# --- known answers.  Two nodes of one core.  A runs from 0 to 100.  B and D need both
# nodes, D by a higher priority; C is short and could run beside A at once.
#
#		came	ran	really	   easy	      stock (by priority)
#	A	 0	100	  0-100	    0-100	0-100
#	B	10	 40	150-190	  100-140     130-170
#	D	15	 30	100-130	  140-170     100-130
#	C	20	 50	200-250	   20-70      170-220
#
# easy ends B 50 s earlier than really, C 180 s, and D 40 s later; stock nobody later;
# against stock easy ends B 30 s earlier, C 150 s, D 40 s later. Under stock the pass of
# backfill at 30 s plans D from 100 s on, which its resolution makes 60 s; the limit of C
# would be 80 s, so that C waits, and later passes have B planned.  Under pack, which plans
# exactly, C runs at 20-70.
# At 20 C would start beside nobody, on the node that A leaves; at 100 B, on both, with
# a limit of 90 instead of 60 (and again at 130: no news).  D was started before anybody
# proposed it.
cat >"$tmp/log" <<'END'
{"ev":"header","version":1,"release":"0.1.0","boot":1000.000000,"machine":{"nodes":2,"sockets":1,"cores":1},"params":{"mode":"shadow","policy":"easy"},"seed":1}
{"t":1000.000000,"ev":"submit","job":1,"user":"ann","account":"phys","partition":"main","procs":1,"base_procs":1,"estimate":100,"options":[{"priority":9,"nodes":"0-1"}]}
{"t":1000.000000,"ev":"start","job":1,"by":"host","ppn":1,"alloc":{"0":"0"}}
{"t":1010.000000,"ev":"submit","job":2,"user":"bob","account":"bio","partition":"main","procs":2,"base_procs":1,"estimate":60,"profile":"cg","options":[{"priority":3,"nodes":"0-1"}]}
{"t":1015.000000,"ev":"submit","job":4,"user":"bob","account":"bio","partition":"main","procs":2,"base_procs":1,"estimate":30,"options":[{"priority":5,"nodes":"0-1"}]}
{"t":1020.000000,"ev":"submit","job":3,"user":"ann","account":"phys","partition":"main","procs":1,"base_procs":1,"estimate":50,"flags":["host","blocked"],"options":[{"priority":1,"nodes":"0-1"}]}
{"t":1020.000000,"ev":"decide","actions":1}
{"t":1020.000000,"ev":"would","do":"start","job":3,"seq":1,"ppn":1,"alloc":{"1":"0"},"slowdown":1.000000,"gain":0.000000}
{"t":1100.000000,"ev":"finish","job":1}
{"t":1100.000000,"ev":"decide","actions":1}
{"t":1100.000000,"ev":"would","do":"start","job":2,"seq":2,"ppn":1,"alloc":{"0-1":"0"},"slowdown":1.500000,"gain":0.000000,"limit":90}
{"t":1100.000000,"ev":"start","job":4,"by":"host","ppn":1,"alloc":{"0-1":"0"}}
{"t":1130.000000,"ev":"finish","job":4}
{"t":1130.000000,"ev":"would","do":"start","job":2,"seq":3,"ppn":1,"alloc":{"0-1":"0"},"slowdown":1.000000,"gain":0.000000}
{"t":1150.000000,"ev":"start","job":2,"by":"host","ppn":1,"alloc":{"0-1":"0"}}
{"t":1190.000000,"ev":"finish","job":2}
{"t":1200.000000,"ev":"start","job":3,"by":"host","ppn":1,"alloc":{"0":"0"}}
{"t":1250.000000,"ev":"finish","job":3}
END
./cosched shadow-report --json "$tmp/log" >"$tmp/json" 2>"$tmp/err" || no "known answers: status"
[ ! -s "$tmp/err" ] || no "known answers: $(cat "$tmp/err")"
python3 - "$tmp/json" <<'END' >"$tmp/got" || no "known answers: not as JSON"
import json, sys
r = json.load(open(sys.argv[1]))
for j in r["moments"]["jobs"]:
    print("moment", j["job"], j["would_start"], j["start"], j["cores"], j["raised_s"], j["beside"])
for j in sorted(r["schedule"]["jobs"], key=lambda j: j["job"]):
    print("job", j["job"], *(j[k] - 1000 for k in ("start", "end", "start_site", "end_site",
                                                  "start_ours", "end_ours")))
for row in r["by"]["all"] + r["by"]["user"]:
    print(*(f"{k}={v:g}" if k != "name" else v for k, v in row.items()))
print("worst", r["schedule"]["worst"])
for p in r["schedule"]["plans"]:
    print(p["title"], p["mean_wait"], p["makespan"])
END
cat >"$tmp/want" <<'END'
moment 2 1100.0 1150.0 2 30.0 []
moment 3 1020.0 1200.0 1 0.0 []
job 1 0.0 100.0 0.0 100.0 0.0 100.0
job 2 150.0 190.0 130.0 170.0 100.0 140.0
job 3 200.0 250.0 170.0 220.0 20.0 70.0
job 4 100.0 130.0 100.0 130.0 140.0 170.0
all started=4 before=2 before_s=230 beside=0 grouped=0 raised=1 raised_s=30 jobs=4 wait_s=405 wait_site_s=355 wait_ours_s=215 earlier=2 earlier_s=230 later=1 later_s=40 later_site_too=0 earlier_than_site=2 earlier_than_site_s=180 later_than_site=1 later_than_site_s=40 shared=0 raised_ours=0 raised_ours_s=0
ann started=2 before=1 before_s=180 beside=0 grouped=0 raised=0 raised_s=0 jobs=2 wait_s=180 wait_site_s=150 wait_ours_s=0 earlier=1 earlier_s=180 later=0 later_s=0 later_site_too=0 earlier_than_site=1 earlier_than_site_s=150 later_than_site=0 later_than_site_s=0 shared=0 raised_ours=0 raised_ours_s=0
bob started=2 before=1 before_s=50 beside=0 grouped=0 raised=1 raised_s=30 jobs=2 wait_s=225 wait_site_s=205 wait_ours_s=215 earlier=1 earlier_s=50 later=1 later_s=40 later_site_too=0 earlier_than_site=1 earlier_than_site_s=30 later_than_site=1 later_than_site_s=40 shared=0 raised_ours=0 raised_ours_s=0
worst [4]
Slurm, as it happened 101.25 250
stock (simulated) 88.75 220
easy (simulated) 53.75 170
END
diff "$tmp/want" "$tmp/got" >&2 || no "known answers"
python3 "$src/test/shadow_sums.py" "$tmp/log" "$tmp/json" >"$tmp/out" || no "known answers: $(cat "$tmp/out")"

! grep -q '"plain"' "$tmp/json" || no "known answers: as so many processes: $(grep plain "$tmp/json")"

# the same as text, and as a page
./cosched shadow-report --html "$tmp/page" "$tmp/log" >"$tmp/text" || no "text: status"
for line in 'What policy easy would have done, from 1970-01-01T00:16:40 to 1970-01-01T00:20:50' \
	'all        4        2  115 s       0      0       1  30.0 s' \
	'  4  bob   bio      main       none     40.0 s     0 s  30.0 s'; do
	grep -qxF -- "$line" "$tmp/text" || no "text without: $line"
done
# the conclusion comes first: (405 + 220) / 4, (215 + 220) / 4 and (355 + 220) / 4
want='Under easy the mean response is 109 s, 24.3 % less than the 2.40 min under'
[ "$(sed -n 3p "$tmp/text")" = "$want" ] || no "text: line 3 is $(sed -n 3p "$tmp/text")"
# under pack (205 + 220) / 4, which is further from what happened than easy is from pack
./cosched shadow-report --site pack "$tmp/log" | sed '1,/^MOMENTS/!d' | tr '\n' ' ' >"$tmp/pack"
grep -qF 'What easy gains is withheld: pack, simulated, is -32.0 % off from the mean response of 2.60 min that it was, more than the two differ. ' \
	"$tmp/pack" || no "--site pack: $(cat "$tmp/pack")"
for line in 'stock, both simulated; stock itself is -8.0 % off from the 2.60 min that it was.' \
	'Of 4 jobs, 2 would have ended earlier than they did, by 115 s on average, and 1 later, by 40.0 s; 0 of'; do
	sed '1,/^MOMENTS/!d' "$tmp/text" | tr '\n' ' ' | grep -qF -- "$line" ||
		no "conclusion without: $line"
done
for part in '<h1>What policy easy would have done</h1>' '<h2>Moments</h2>' '<h2>Schedule</h2>' \
	'<tr><th scope="row">4</th><td>bob</td><td>bio</td><td>main</td><td>none</td><td><data value="40">40.0 s</data></td>'; do
	grep -qF -- "$part" "$tmp/page" || no "page without: $part"
done
python3 - "$tmp/page" <<'END' || no "page: its elements do not close"
import html.parser, sys
class Page(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br", "wbr", "rect", "path"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        if tag not in ("meta", "br", "wbr", "rect", "path"):
            assert self.open.pop() == tag, tag
page = Page()
page.feed(open(sys.argv[1]).read())
assert not page.open, page.open
END

# --- --since: of those that came later (C and D)
./cosched shadow-report --json --since 1970-01-01T00:16:55 "$tmp/log" >"$tmp/json" || no "--since: status"
grep -q '"before_since":2,' "$tmp/json" || no "--since: $(grep before_since "$tmp/json")"
[ "$(grep -c '"would_start":' "$tmp/json")" -eq 1 ] || no "--since: moments"

# --- known answers: a pair.  One node of 2 x 2 cores; Slurm ran A, then B, 100 s each.
# cst lays them out with a core of each socket, and has both begin at 0: A takes 1.05 times
# as long beside B and ends at 105; B is then through with 105 / 1.1 s of its 100, and ends
# at 105 + 100 - 95.454545.  Their limits are raised by 5 and 10 s.
cat >"$tmp/pairs.json" <<'END'
{"version":1,"profiles":{"cg":{"self":{"1":1,"2":1,"4":2}},"io":{"self":{"1":1,"2":1,"4":2}}},
"pairs":[{"of":"cg","beside":"io","slowdown":1.05},{"of":"io","beside":"cg","slowdown":1.1}]}
END
cat >"$tmp/pair" <<'END'
{"ev":"header","version":1,"release":"0.1.0","boot":1000.000000,"machine":{"nodes":1,"sockets":2,"cores":2},"params":{"mode":"shadow","policy":"cst"},"seed":1}
{"t":1000.000000,"ev":"submit","job":1,"user":"ann","procs":2,"base_procs":2,"estimate":100,"profile":"cg"}
{"t":1000.000000,"ev":"start","job":1,"by":"host","ppn":2,"alloc":{"0":"0,2"}}
{"t":1000.000000,"ev":"submit","job":2,"user":"bob","procs":2,"base_procs":2,"estimate":100,"profile":"io"}
{"t":1000.000000,"ev":"would","do":"start","job":2,"seq":1,"ppn":2,"alloc":{"0":"1,3"},"group":1,"role":"matched","with":1,"slowdown":1.100000,"gain":1.000000,"limit":110}
{"t":1100.000000,"ev":"finish","job":1}
{"t":1100.000000,"ev":"start","job":2,"by":"host","ppn":2,"alloc":{"0":"0,2"}}
{"t":1200.000000,"ev":"finish","job":2}
END
./cosched shadow-report --json --profiles "$tmp/pairs.json" "$tmp/pair" >"$tmp/json" || no "pair: status"
python3 - "$tmp/json" <<'END' >"$tmp/got" || no "pair: not as JSON"
import json, sys
r = json.load(open(sys.argv[1]))
for j in r["moments"]["jobs"]:
    print(j["job"], j["would_start"], j["grouped"], j["raised_s"], j["beside"])
print(r["moments"]["pairs"])
for j in r["schedule"]["jobs"]:
    print(j["job"], j["end"], round(j["end_ours"], 4), j["shared"], round(j["raised_s"], 4))
END
cat >"$tmp/want" <<'END'
2 1000.0 True 10.0 [1]
[{'profile': 'io', 'beside': 'cg', 'times': 1, 'grouped': 1}]
1 1100.0 1105.0 True 5.0
2 1200.0 1109.5455 True 10.0
END
diff "$tmp/want" "$tmp/got" >&2 || no "pair"

# who would have been beside whom, by name
./cosched shadow-report --html "$tmp/page" --profiles "$tmp/pairs.json" "$tmp/pair" >"$tmp/text" ||
	no "pair: as text"
grep -qx '  2  bob        100 s  1 (ann)' "$tmp/text" ||
	no "pair: not who with whom: $(grep -A 4 'Who with whom' "$tmp/text")"
grep -qF '<td>1 (ann)</td>' "$tmp/page" || no "pair: page: not who with whom"

# --- whole nodes: live, two serial jobs side by side on one node are one after the other
# under --site easy, though jobs without a profile are packed by core by default
cat >"$tmp/serial" <<'END'
{"ev":"header","version":1,"release":"0.1.0","boot":1000.000000,"machine":{"nodes":1,"sockets":1,"cores":2},"params":{"mode":"shadow","policy":"adaptive"},"seed":1}
{"t":1000.000000,"ev":"submit","job":1,"user":"ann","procs":1,"base_procs":1,"estimate":100}
{"t":1000.000000,"ev":"start","job":1,"by":"host","ppn":1,"alloc":{"0":"0"}}
{"t":1000.000000,"ev":"submit","job":2,"user":"bob","procs":1,"base_procs":1,"estimate":100}
{"t":1000.000000,"ev":"start","job":2,"by":"host","ppn":1,"alloc":{"0":"1"}}
{"t":1100.000000,"ev":"finish","job":1}
{"t":1100.000000,"ev":"finish","job":2}
END
for site in stock:100 easy:200; do
	./cosched shadow-report --json --site "${site%:*}" "$tmp/serial" >"$tmp/json" || no "whole nodes: status"
	got=$(python3 -c '
import json, sys
jobs = json.load(open(sys.argv[1]))["schedule"]["jobs"]
print("%g" % (max(j["end_site"] for j in jobs) - 1000))' "$tmp/json")
	[ "$got" = "${site#*:}" ] || no "--site ${site%:*}: the last end is at $got"
done

# --- a log with a header and no event yet says so, and no time
head -n 1 "$tmp/log" >"$tmp/new"
./cosched shadow-report --html "$tmp/page" "$tmp/new" >"$tmp/text" || no "no event: status"
tr '\n' ' ' <"$tmp/text" | grep -qxF "What policy easy would have done, without an event yet  The\
 log has no event yet: since mode shadow is on, no job has come, started or ended. " ||
	no "no event: $(cat "$tmp/text")"
grep -qF 'The log has no event yet: ' "$tmp/page" || no "no event: page"
! grep -q '29[0-9]*-01-10T\|<h2>Moments' "$tmp/page" || no "no event: page: times or moments"
./cosched shadow-report --json "$tmp/new" >"$tmp/json" || no "no event: JSON: status"
python3 - "$tmp/json" <<'END' || no "no event: JSON: $(cat "$tmp/json")"
import json, sys
r = json.load(open(sys.argv[1]))
assert "from" not in r and "to" not in r and r["moments"]["jobs"] == []
END

# --- a machine that got smaller: who is larger than it is left out, and counted
sed -e '1s/"nodes":1/"nodes":2/; s/"procs":2,"base_procs":2\(.*"cg"\)/"procs":6,"base_procs":4\1/' \
	"$tmp/pair" >"$tmp/small"
sed -n '1s/1000.000000/1300.000000/p' "$tmp/pair" >>"$tmp/small"
./cosched shadow-report --json --profiles "$tmp/pairs.json" "$tmp/small" >"$tmp/json" || no "small: status"
grep -q '"larger_than_the_machine":1$' "$tmp/json" || no "small: $(grep larger "$tmp/json")"
[ "$(grep -c '"end_ours":' "$tmp/json")" -eq 1 ] || no "small: its jobs"
! grep -q '"none":' "$tmp/json" || no "small: $(grep none "$tmp/json")"

# --- a log that the simulator left under easy: simulated under easy it is the same again,
# under fcfs it is not
./cosched workload lublin --nodes 32 --jobs 500 --seed 5 >"$tmp/swf" || no "workload: status"
./cosched sim --machine 32x1x1 --policy easy --events "$tmp/events" "$tmp/swf" >"$tmp/out" ||
	no "sim: status"
python3 - "$tmp/events" >"$tmp/stock" <<'END' || no "events: not as JSON"
import json, sys
for line in map(json.loads, open(sys.argv[1])):
    if line["ev"] == "header":
        line["params"] = {"mode": "shadow", "policy": "fcfs"}
    if line["ev"] == "start":
        line = {k: line[k] for k in ("t", "ev", "job", "ppn", "alloc")} | {"by": "host"}
    if line["ev"] != "decide":
        print(json.dumps(line))
END
./cosched shadow-report --json --site easy "$tmp/stock" >"$tmp/json" || no "easy: status"
python3 - "$tmp/json" <<'END' || no "easy, simulated, is not easy as it happened, or fcfs is"
import json, sys
s = json.load(open(sys.argv[1]))["schedule"]
assert len(s["jobs"]) == 500
for j in s["jobs"]:
    assert j["start"] == j["start_site"] and j["end"] == j["end_site"], j
assert sum(j["start_ours"] > j["start"] + 60 for j in s["jobs"]) > 50
END
# that is no error, so the loss is told; not where much of the log has no end
./cosched shadow-report --site easy "$tmp/stock" | sed -n 3p | grep -q '^Under fcfs the mean response is ' ||
	no "a loss beside no error: $(./cosched shadow-report --site easy "$tmp/stock" | sed -n 3p)"
head -n "$(($(wc -l <"$tmp/stock") / 3))" "$tmp/stock" >"$tmp/third"
./cosched shadow-report --site easy "$tmp/third" | tr '\n' ' ' |
	grep -Eq 'What fcfs gains is withheld: jobs that are left out have about [0-9]+ % of the core time, expected at most 5[.] ' ||
	no "left out: $(./cosched shadow-report --site easy "$tmp/third" | sed -n 3,5p)"
sed 's/"policy": "fcfs"/"policy": "easy"/' "$tmp/stock" >"$tmp/same"
./cosched shadow-report --site easy "$tmp/same" | tr '\n' ' ' >"$tmp/text"
grep -qF 'none would have ended earlier than they did, and none later. Against easy:unprofiled=model, both simulated, none end earlier, and none later. 0' \
	"$tmp/text" || no "easy against easy: $(head -c 900 "$tmp/text")"

# --- a log of a real slurmctld
golden=$src/test/unit/data/shadow.jsonl
./cosched shadow-report --json --profiles "$src/test/unit/data/shadow_profiles.json" "$golden" \
	>"$tmp/json" 2>"$tmp/err" || no "golden: status"
[ ! -s "$tmp/err" ] || no "golden: $(cat "$tmp/err")"
out=$(python3 "$src/test/shadow_sums.py" "$golden" "$tmp/json")
[ "$out" = "all 40 waits, 6 before, 40 jobs, 0 recorded" ] || no "golden: $out"
# starts of whole seconds: at moments its jobs seem to hold more than there is
./cosched shadow-report --html "$tmp/page" --profiles "$src/test/unit/data/shadow_profiles.json" \
	"$golden" >/dev/null || no "golden: no page"
[ "$(grep -c 'class="area"' "$tmp/page")" = 3 ] || no "golden: not three curves of cores"
! grep 'class="area"' "$tmp/page" | grep -q ' -[0-9]' || no "golden: a curve leaves its frame"
refused "'/etc/slurm/profiles.json': No such file or directory (the log names it; --profiles FILE names another)" "$golden"

# --- random logs
seed=${CS_TEST_SEED:-1}
worlds=${CS_TEST_WORLDS:-40}
i=0
: >"$tmp/all"
while [ "$i" -lt "$worlds" ]; do
	at=$((seed + i))
	i=$((i + 1))
	python3 "$src/test/shadow_random.py" "$at" >"$tmp/random"
	if ! ./cosched shadow-report --json "$tmp/random" >"$tmp/json" 2>"$tmp/err"; then
		no "random log, CS_TEST_SEED=$at CS_TEST_WORLDS=1: $(cat "$tmp/err")"
		continue
	fi
	python3 "$src/test/shadow_sums.py" "$tmp/random" "$tmp/json" >>"$tmp/all" ||
		no "random log, CS_TEST_SEED=$at CS_TEST_WORLDS=1: $(tail -n 1 "$tmp/all")"
	./cosched shadow-report --html "$tmp/page" "$tmp/random" >"$tmp/text" 2>&1 ||
		no "random log as text, CS_TEST_SEED=$at"
	! grep -q '<d>' "$tmp/page" || no "random log: a user's name is markup, CS_TEST_SEED=$at"
done
awk '{ before += $4; jobs += $6 } END { exit before < 100 || jobs < 200 }' "$tmp/all" ||
	[ "$worlds" -lt 40 ] || no "random logs: too little in them: $(cat "$tmp/all")"

# --- what is no such log
refused 'no log, expected a file or -'
refused "'/none': No such file or directory" /none
refused "--site is 'a,b', expected one policy such as stock or easy" --site a,b "$tmp/log"
# --- time slices, which act would have.  One node.  A runs 150 s from 0; B, short, comes at
# 30 and runs 10.  Nobody runs in the first 3 s of a slice.  In one of 20 s at 100 B has the
# node and A stands still; then A, as nobody else wants it.
#
#		really	   stock      pect
#	A	  0-150	    0-150	3-166, stopped once, for 13
#	B	150-160	  150-160     103-113
cat >"$tmp/slices" <<'END'
{"ev":"header","version":1,"release":"0.1.0","boot":1000.000000,"machine":{"nodes":1,"sockets":1,"cores":1},"params":{"mode":"shadow","policy":"pect","slice":"none","unprofiled":"model","class_short_s":20,"class_medium_s":50,"slice_cycle_s":100,"slice_short_s":20,"slice_overhead_s":3,"slice_medium":0.4,"slice_stop":"needed","slice_rest_s":5,"slice_guard_s":3},"act_slice":"pect","seed":1}
{"t":1000.000000,"ev":"submit","job":1,"user":"ann","procs":1,"base_procs":1,"estimate":1000,"options":[{"priority":9,"nodes":"0"}]}
{"t":1000.000000,"ev":"start","job":1,"by":"host","ppn":1,"alloc":{"0":"0"}}
{"t":1030.000000,"ev":"submit","job":2,"user":"bob","procs":1,"base_procs":1,"estimate":10,"options":[{"priority":3,"nodes":"0"}]}
{"t":1150.000000,"ev":"finish","job":1}
{"t":1150.000000,"ev":"start","job":2,"by":"host","ppn":1,"alloc":{"0":"0"}}
{"t":1160.000000,"ev":"finish","job":2}
END
./cosched shadow-report --json "$tmp/slices" >"$tmp/json" || no "slices: status"
python3 - "$tmp/json" <<'END' >"$tmp/got" || no "slices: not as JSON"
import json, sys
s = json.load(open(sys.argv[1]))["schedule"]
for j in s["jobs"]:
    print(j["job"], j["start_ours"] - 1000, j["end_ours"] - 1000, j["stops"], j["still_s"])
print(s["slices"]["slice"])
for c in s["slices"]["classes"]:
    print(*c.values())
END
cat >"$tmp/want" <<'END'
1 3.0 166.0 1 13.0
2 103.0 113.0 0 0.0
pect
short 1 0 0 0.0 0.0 83.0 130.0 130.0
medium 0 0 0 0.0 0.0 0.0 0.0 0.0
long 1 1 1 13.0 13.0 166.0 150.0 150.0
END
diff "$tmp/want" "$tmp/got" >&2 || no "slices"
./cosched shadow-report --html "$tmp/page" "$tmp/slices" | tr '\n' ' ' >"$tmp/text"
for said in 'of 2 jobs 1 would have been stopped, 1 time, for 13.0 s in all and 13.0 s at most.' \
	'Mean response of 1 short job: 1.38 min with them, 2.17 min really, 2.17 min under stock, simulated.'; do
	grep -qF "$said" "$tmp/text" || no "slices: text: no '$said'"
	grep -qF "$said" "$tmp/page" || no "slices: page: no '$said'"
done
sed 's/"act_slice":"pect",//' "$tmp/slices" >"$tmp/none"
./cosched shadow-report "$tmp/none" | grep -q 'Time slices' && no "slices: where act has none"
sed 's/"act_slice":"pect"/"act_slice":"pect,policy=easy"/' "$tmp/slices" >"$tmp/none"
got=$(./cosched shadow-report "$tmp/none" 2>&1 >"$tmp/out")
case $got in
*'"act_slice" is "pect,policy=easy", expected "pect" or "gang"'*) ;;
*) no "slices: '$got'" ;;
esac

# The mode in force counts, not the parameter: with cosched_partition_modes that may be
# another.
./cosched shadow-report "$tmp/slices" >"$tmp/want"
sed 's/"mode":"shadow"/"mode":"off"/;s/,"seed"/,"mode":"shadow","seed"/' "$tmp/slices" >"$tmp/parts"
./cosched shadow-report "$tmp/parts" >"$tmp/got" || no "mode in force: status"
diff "$tmp/want" "$tmp/got" >&2 || no "mode in force"
sed 's/,"seed"/,"mode":"act","seed"/' "$tmp/slices" >"$tmp/parts"
./cosched shadow-report "$tmp/parts" >"$tmp/out" 2>&1 && no "mode act in force: status"

got=$(./cosched shadow-report --site nonesuch "$tmp/log" 2>&1)
[ $? -eq 2 ] || no "--site nonesuch: status"
case $got in
"cosched: shadow-report: --site: 'policy' is 'nonesuch', expected a preset: fcfs, "*) ;;
*) no "--site nonesuch: $got" ;;
esac
refused "--since is 'monday', expected YYYY-MM-DD, YYYY-MM-DDTHH:MM:SS, now-30days, now-2hours or today" \
	--since monday "$tmp/log"
refused "'/dev/null': none of it was written in mode shadow, expected a log of cosched_mode=shadow" \
	/dev/null
sed 's/"mode":"shadow"/"mode":"act"/' "$tmp/log" >"$tmp/act"
refused "'$tmp/act': none of it was written in mode shadow, expected a log of cosched_mode=shadow" \
	"$tmp/act"
echo nonsense >"$tmp/bad"
got=$(./cosched shadow-report "$tmp/bad" 2>&1 >"$tmp/out")
[ $? -eq 2 ] && [ "$(echo "$got" | wc -l)" -eq 1 ] || no "nonsense: $got"
sed '5s/.*/{"t":1015,"ev":"submit","job":-1}/' "$tmp/log" >"$tmp/bad"
got=$(./cosched shadow-report "$tmp/bad" 2>&1 >"$tmp/out")
case $? in 2) ;; *) no "a bad line: status" ;; esac
case $got in
"cosched: shadow-report: $tmp/bad:5: "*) ;;
*) no "a bad line: $got" ;;
esac
# a last line that is cut is said, and the rest is reported
head -c -10 "$tmp/log" >"$tmp/cut"
got=$(./cosched shadow-report "$tmp/cut" 2>&1 >"$tmp/out") || no "cut: status"
[ "$got" = "cosched: shadow-report: '$tmp/cut': the last line is cut off, skipped" ] || no "cut: $got"
grep -q '^Included: 3 jobs; left out: 0 that still waited and 1 that ran when a log ended' "$tmp/out" || no "cut: its jobs"
# wherever it is cut, there is an answer or one line
n=$(wc -c <"$golden")
for at in 1 100 1000 2500 $((n / 3)) $((n / 2)) $((n - 1)); do
	head -c "$at" "$golden" >"$tmp/cut"
	got=$(./cosched shadow-report --profiles "$src/test/unit/data/shadow_profiles.json" \
		"$tmp/cut" 2>&1 >"$tmp/out")
	[ $? -le 2 ] || no "cut at $at: status"
	[ "$(printf %s "$got" | grep -c .)" -le 1 ] || no "cut at $at: $got"
done

exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `cosched sim --jobs FILE.csv`: Batsim's columns, for evalys. They say what the plain columns
# say, no core has two jobs at a time, and mean wait and utilization from them are those of
# --summary; evalys itself reads the file and has the same, where python3 can import it
# (PYTHON=VENV/bin/python3). `make check` runs this in the build folder.
set -u
LC_ALL=C
export LC_ALL
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
failed=0
no() {
	echo "not ok: $*" >&2
	failed=1
}

# by hand: two nodes of two cores; 7 has both, 5 waits for them, 9 one core from then on
printf '%s\n' '7 0 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1' '5 2 -1 5 2 -1 -1 2 6 -1 1 1 1 1 1 1 -1 -1' \
	'9 3 -1 20 1 -1 -1 1 30 -1 1 1 1 1 1 1 -1 -1' >"$tmp/small,swf"
./cosched sim --machine 2x1x2 --policy pack --jobs "$tmp/small.csv" "$tmp/small,swf" >"$tmp/out" 2>&1 ||
	no "sim: $(cat "$tmp/out")"
cat >"$tmp/want" <<'END'
job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources
5,small_swf,2.000000,2,6.000000,1,10.000000,5.000000,15.000000,8.000000,13.000000,2.600000,0-1
7,small_swf,0.000000,4,20.000000,1,0.000000,10.000000,10.000000,0.000000,10.000000,1.000000,0-3
9,small_swf,3.000000,1,30.000000,1,10.000000,20.000000,30.000000,7.000000,27.000000,1.350000,2
END
cmp -s "$tmp/want" "$tmp/small.csv" || no "by hand: $(diff "$tmp/want" "$tmp/small.csv")"

./cosched workload lublin --nodes 64 --jobs 400 --seed 3 >"$tmp/day.swf" || no "a workload"
for policy in easy pack cover; do
	for jobs in csv plain; do
		./cosched sim --machine 8x2x4 --policy $policy --jobs "$tmp/day.$jobs" --summary "$tmp/day.json" \
			"$tmp/day.swf" >"$tmp/out" 2>&1 || no "sim: $(cat "$tmp/out")"
	done
	python3 - "$tmp" >"$tmp/out" 2>&1 <<'END' || no "$policy: $(tail -n 3 "$tmp/out")"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/day.csv")))
plain = [l.split() for l in open(sys.argv[1] + "/day.plain") if l[0] != "#"]
figures = json.load(open(sys.argv[1] + "/day.json"))
assert len(rows) == len(plain) == figures["jobs"]
held = {}
for r, (job, submit, start, end, procs, nodes, ppn) in zip(rows, plain):
    assert r["job_id"] == job and r["requested_number_of_resources"] == procs
    for key, value in (("submission_time", submit), ("starting_time", start), ("finish_time", end)):
        assert abs(float(r[key]) - float(value)) < 1e-6, (key, r)
    cores = []
    for part in r["allocated_resources"].split():
        a, _, b = part.partition("-")
        cores += range(int(a), int(b or a) + 1)
    assert cores == sorted(set(cores)) and len(cores) >= int(procs) and cores[-1] < 64, r
    assert len({c // 8 for c in cores}) == int(nodes), r
    for c in cores:
        held.setdefault(c, []).append((float(start), float(end), job))
for c, spans in held.items():
    spans.sort()
    assert all(a[1] <= b[0] + 1e-6 for a, b in zip(spans, spans[1:])), (c, spans)
wait = sum(float(r["waiting_time"]) for r in rows) / len(rows)
assert abs(wait - figures["mean_wait"]) < 1e-3, (wait, figures["mean_wait"])
END
done
# the last is cover's, whose jobs hold what they use here
if "${PYTHON:-python3}" -c 'import evalys' 2>/dev/null; then
	"${PYTHON:-python3}" - "$tmp" >"$tmp/out" 2>&1 <<'END' || no "evalys: $(tail -n 3 "$tmp/out")"
import json, sys
from evalys.jobset import JobSet
figures = json.load(open(sys.argv[1] + "/day.json"))
jobs = JobSet.from_csv(sys.argv[1] + "/day.csv", resource_bounds=(0, 63))
assert abs(jobs.df.waiting_time.mean() - figures["mean_wait"]) < 1e-3
used = (jobs.df.execution_time * jobs.df.requested_number_of_resources).sum()
assert abs(used / (64 * figures["makespan"]) - figures["utilization"]) < 1e-6
END
else
	echo "evalys is not installed: it did not read the file"
fi
[ $failed -eq 0 ] && echo "ok - Batsim's columns"
exit $failed

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The demonstration's jobs, without a cluster: their list, and that they obey the
# truth file that the simulator takes.
# a job gives back its memory by ending
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
set -u -o pipefail
export LC_ALL=C
emulate=$PWD/cosched-emulate
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "check_emulate: $1" >&2
	exit 1
}

cat >"$tmp/table" <<'END'
a a .8 1
a b 1.2 1
b a .9 1
b b 1 1
c a 1 1
c b 1 1
END
printf '%s 10 4 1\n' a b c >"$tmp/alone"
./cosched profile from-corun "$tmp/table" "$tmp/alone" >"$tmp/truth" ||
	fail "no truth file"

# ---- the list

"$emulate" workload --jobs 40 --truth "$tmp/truth" --kinds 2 >"$tmp/jobs" ||
	fail "no list"
[ "$(grep -vc '^#' "$tmp/jobs")" = 40 ] || fail "not 40 jobs"
awk '!/^#/ { n[$3]++; bad += $2 != $3 } END { exit bad || n["a"] != 20 || n["b"] != 20 }' \
	"$tmp/jobs" || fail "not as many of each kind, by name: $(cat "$tmp/jobs")"
! "$emulate" workload --truth "$tmp/truth" --kinds 4 >"$tmp/out" 2>&1 ||
	fail "four kinds of three"
grep -q "has 3 profiles" "$tmp/out" || fail "$(cat "$tmp/out")"
"$emulate" workload | awk '!/^#/ { bad += toupper(substr($3, 1, 1)) != substr($2, 1, 1); n++ }
	END { exit bad || n != 48 }' || fail "the demonstration's own list"

# ---- a job, dense on a node of four cores: 1 / .8 times as long as spread

mkdir "$tmp/run" "$tmp/bin"
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/scontrol"
chmod +x "$tmp/bin/scontrol"
export PATH=$tmp/bin:$PATH SLURM_JOB_NODELIST=n1 SLURM_JOB_NAME=x
job() { # ID PROCS PROFILE SECONDS
	SLURM_JOB_ID=$1 SLURM_TASKS_PER_NODE=$2 exec "$emulate" job \
		--run "$tmp/run" --profiles "$tmp/truth" --profile "$3" --seconds "$4"
}
field() { # ID NAME
	sed -n "s/^{\"job\":$1,.*\"$2\":\([0-9.]*\).*/\1/p" "$tmp/run/jobs.jsonl"
}
(job 1 4 a .2) || fail "the job ends with $?"
[ "$(field 1 self)" = 1.2500 ] || fail "self is $(field 1 self), expected 1.25"
awk -v from="$(field 1 start)" -v to="$(field 1 end)" \
	'BEGIN { exit to - from < .249 }' || fail "it was faster than it could be"

# ---- two beside each other: a beside b takes 1.5 times as long

job 3 2 b 600 &
other=$!
while [ ! -s "$tmp/run/now/3" ]; do
	sleep .05
	kill -0 $other 2>/dev/null || fail "the neighbour has ended"
done
(job 2 2 a .4) || fail "the job ends with $?"
kill $other
wait $other
awk -v from="$(field 2 start)" -v to="$(field 2 end)" \
	'BEGIN { exit to - from < .599 }' || fail "its neighbour costs it nothing"
grep -q '^{"job":2,.*"beside":\[{"job":3,' "$tmp/run/jobs.jsonl" ||
	fail "nobody was beside it: $(cat "$tmp/run/jobs.jsonl")"

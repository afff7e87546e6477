#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What mode shadow learns of jobs that Slurm starts is kept: over kill -9, with the records
# of jobs that run meanwhile, over a reconfigure, and on the way to mode act and back. A
# damaged file costs one line and the last save; two cost what was learned, and no more.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about what we keep"

PARAMS="$SHARED,bf_interval=1,cosched_learn=propose,cosched_learn_least_s=1"
cluster --nodes 3 --params "cosched_mode=shadow,$PARAMS"
ok "mode shadow is on" wait_for 10 in_mode shadow
KEPT=$COSCHED_VCLUSTER/state/cosched_learned

# "ann ENDED RUNS, bea ...": jobs that ended, and their runs that tell of a neighbour
learned() {
	"$COSCHED" profile learned "$KEPT" 2>/dev/null |
		awk '$1 ~ /\// { sub(".*/", "", $1); printf "%s%s %s %s", (n++ ? ", " : ""), $1, $2, $3 }'
}
learned_is() {
	[ "$(learned)" = "$1" ]
}
half() { # KIND NODE: half of the node
	SLEEP=${SLEEP:-4} LIMIT=2 job -J "$1" -N1 -n2 -w "$2"
}
three() { # KIND: three that are alone
	running "$(half "$1" n1)" "$(half "$1" n2)" "$(half "$1" n3)"
	wait_for 20 queue_empty
}
pairs() { # NODE...: one of each kind on each
	local n ids=()

	for n; do ids+=("$(half ann "$n")" "$(half bea "$n")"); done
	running "${ids[@]}"
}

three ann
three bea
pairs n1 n2
ok "all jobs end" wait_for 20 queue_empty
ok "it is known which ran beside which" wait_for 10 learned_is "ann 5 2, bea 5 2"
nok "nothing else is saved in shadow" test -e "${KEPT%learned}state"

SLEEP=13 pairs n3
sleep 7 # or Slurm has not saved these starts
vc kill-ctld
vc start-ctld && vc wait-up
ok "shadow goes on after kill -9" wait_for 30 in_mode shadow
is "as much is known" "$(learned)" "ann 5 2, bea 5 2"
ok "the two that ran meanwhile end" wait_for 30 queue_empty
ok "what they did before counts as well" wait_for 10 learned_is "ann 6 3, bea 6 3"

set_params "cosched_mode=shadow,$PARAMS,cosched_lock_ms=20"
pairs n1
wait_for 20 queue_empty
ok "it learns on after a reconfigure" wait_for 10 learned_is "ann 7 4, bea 7 4"

set_params "cosched_mode=act,$PARAMS"
ok "mode act is on" wait_for 20 in_act
pairs n1
wait_for 20 queue_empty
ok "act knows it, too, and learns on" wait_for 10 learned_is "ann 8 5, bea 8 5"
set_params "cosched_mode=shadow,$PARAMS"
ok "back in shadow" wait_for 20 in_mode shadow
is "it is known still" "$(learned)" "ann 8 5, bea 8 5"

# ---- damage

# nan FILE: for the time of a run, with the right checksum; cut FILE: off its end
nan() {
	python3 - "$1" <<'PY'
import re, sys, zlib
head, body = open(sys.argv[1], "rb").read().split(b"\n", 1)
body = re.sub(rb"^(learn run \S+ \S+ \S+) \d+", rb"\1 nan", body, flags=re.M)
open(sys.argv[1], "wb").write(b"cosched-state 1 %d %08x\n" % (len(body), zlib.crc32(body)) + body)
PY
}
cut() {
	truncate -s -20 "$1"
}
lines_of_it() { # since line $mark
	tail -n "+$((mark + 1))" "$CTLD_LOG" | grep -c 'cosched: .*learned'
}
# spoilt HOW LINE FILE...: start again with these spoilt, with LINE in the log
spoilt() {
	local how=$1 line=$2 f

	shift 2
	sleep 7 # or Slurm has not saved that jobs ended
	vc kill-ctld
	for f; do "$how" "$f"; done
	mark=$(wc -l <"$CTLD_LOG")
	vc start-ctld && vc wait-up
	ok "shadow goes on with $# spoilt" wait_for 30 in_mode shadow
	like "the log says so" "$(tail -n "+$((mark + 1))" "$CTLD_LOG")" "$line"
	is "in one line" "$(lines_of_it)" 1
}
cp "$KEPT.before" "$WORK/before"
known=$("$COSCHED" profile learned "$WORK/before" 2>&1 | tail -n 1)
spoilt nan "'learn run [^']*', expected a line.*going on with what was saved before" "$KEPT"
pairs n1
wait_for 20 queue_empty
two_more() {
	[ "$(learned | tr -dc '0-9 ' | awk '{ print ($2 >= 5) + ($4 >= 5) }')" = 2 ]
}
ok "the last good model ($known) is learned on from" wait_for 10 two_more
spoilt cut 'cosched_learned.*bytes, expected.*learning begins anew' "$KEPT" "$KEPT.before"
three ann
ok "it learns anew" wait_for 10 learned_is "ann 3 0"

# ---- what was learned on nodes of other types

awk 'BEGIN { for (i = 1; i <= 20; i++) print i, 900 * i, -1, 600, 8, -1, -1, 8, 900, -1, 1, 1, 1, 1, 1, 1, -1, -1 }' \
	>"$WORK/swf"
"$COSCHED" sim --machine 3x2x8 --live-defaults --set learn=propose --events "$WORK/elsewhere" \
	"$WORK/swf" >/dev/null 2>&1
ok "another site has learned" "$COSCHED" learn --from "$WORK/elsewhere" --out "$WORK/other"
kept() { # FILE: as the plugin keeps it
	python3 - "$1" <<'PY'
import sys, zlib
body = open(sys.argv[1], "rb").read()
sys.stdout.write("cosched-state 1 %d %08x\n" % (len(body), zlib.crc32(body)) + body.decode())
PY
}
aside=$KEPT.$(sed -n 's/^learn first 1 \([0-9a-f]*\) .*/\1/p' "$WORK/other" |
	awk '{ printf "%16s", $1 }' | tr ' ' 0)
sleep 7 # or Slurm has not saved that jobs ended
vc kill-ctld
kept "$WORK/other" >"$WORK/kept"
cat "$WORK/kept" >"$KEPT"
mark=$(wc -l <"$CTLD_LOG")
vc start-ctld && vc wait-up
ok "shadow goes on beside what was learned elsewhere" wait_for 30 in_mode shadow
three bea
wait_for 10 learned_is "bea 3 0"
is "it learns anew here" "$(learned)" "bea 3 0"
like "the log says so" "$(tail -n "+$((mark + 1))" "$CTLD_LOG")" \
	"about other types of nodes"
like "and where it is" "$(tail -n "+$((mark + 1))" "$CTLD_LOG")" "is kept in $aside"
ok "it is kept" cmp "$WORK/kept" "$aside"
log_is_clean shadow

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A promise that is broken, in a real slurmctld. A site knows from its history which jobs
# may share, and they do; then the code of one changes, and its neighbour takes twice as
# long as alone. That is noticed as it ends, `cosched status` counts it and with -v says which
# slowed which, and the pair shares no more, over a restart as well.
#
# What the jobs obey is read by cosched-emulate alone, as each begins (truth.json).

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about what we learn"

build=${COSCHED_BUILD:-$(dirname "$COSCHED_PREFIX")}
[ -x "$build/cosched-emulate" ] || skip "no $build/cosched-emulate"
KINDS="ann bea cid dan eve fay gil hal ivo"
me=$(id -un)

# truth ANN: what all cost each other, but for ann beside bea: ANN. All run 1.25 times as
# long on all cores as on half of them.
truth() {
	awk -v kinds="$KINDS" -v ann="$1" 'BEGIN {
		n = split(kinds, k, " ")
		printf "{\"version\":1,\"profiles\":{"
		for (i = 1; i <= n; i++)
			printf "%s\"%s\":{\"self\":{\"1\":1,\"2\":1,\"4\":1.25}}", (i > 1 ? "," : ""), k[i]
		printf "},\"pairs\":["
		for (i = 1; i <= n; i++)
			for (j = 1; j <= n; j++)
				printf "%s{\"of\":\"%s\",\"beside\":\"%s\",\"slowdown\":%s}", \
					(i + j > 2 ? "," : ""), k[i], k[j], (i == 1 && j == 2 ? ann : 1.03)
		printf "],\"rules\":["
		for (i = 1; i <= n; i++)
			printf "%s{\"name\":\"e%d\",\"profile\":\"%s\"}", (i > 1 ? "," : ""), i, k[i]
		print "]}"
	}' >"$WORK/truth.json"
}
seconds() { # KIND: alone, on half of the cores
	[ "$1" = ann ] && echo 12 || echo 24
}

# ---- what the site knows: three hours in the simulator, with the names of here

truth 1.03
awk 'BEGIN {
	srand(7)
	for (i = 1; i <= 1000; i++) {
		e = int(rand() * 9) + 1
		t += rand() * 20
		run = e == 1 ? 12 : 24
		print i, int(t), -1, run, 8, -1, -1, 8, int(run * (1.3 + 3 * rand())), -1, 1, 1, 1, e, 1, 1, -1, -1
	}
}' >"$WORK/swf"
"$COSCHED" sim --machine 8x2x2 --live-defaults --policy cover --set head_slack=1 \
	--set spare=0 --set learn=use --set learn_explore=0.5 --set 'learn_accounts=*' \
	--set learn_least_s=1 --truth "$WORK/truth.json" --truth-noise 3 \
	--events "$WORK/simulated" "$WORK/swf" >"$WORK/sim.out" 2>&1 ||
	bad "the history is simulated" "$(cat "$WORK/sim.out")"
# its hours were the last ones
awk -v kinds="$KINDS" -v me="$me" -v from="$(($(date +%s) - 20000))" '
	BEGIN { split(kinds, k, " ") }
	match($0, /"t":[0-9.]+/) {
		t = substr($0, RSTART + 4, RLENGTH - 4)
		$0 = substr($0, 1, RSTART + 3) sprintf("%.6f", t + from) substr($0, RSTART + RLENGTH)
	}
	/"ev":"submit"/ {
		sub(/"user":"[^"]*"/, "\"user\":\"" me "\"")
		match($0, /"name":"e[0-9]*"/)
		e = substr($0, RSTART + 9, RLENGTH - 10)
		sub(/"name":"e[0-9]*"/, "\"partition\":\"main\",\"name\":\"" k[e] "\"")
	}
	{ print }' "$WORK/simulated" >"$WORK/history"
ok "it is learned from" "$COSCHED" learn --from "$WORK/history" --out "$WORK/learned"
like "ann and bea may share by it" \
	"$("$COSCHED" profile learned --of "$me/ann" "$WORK/learned")" "^beside $me/bea: .*may share"

# ---- the site goes on here

PARAMS="cosched_policy=cover,cosched_spare=0,cosched_head_slack=1,cosched_log=$LOG"
PARAMS+=",cosched_learn=use,cosched_learn_explore=0,cosched_learn_least_s=1"
cluster --nodes 8 --params "cosched_mode=off,$PARAMS"
KEPT=$COSCHED_VCLUSTER/state/cosched_learned
python3 - "$WORK/learned" "$KEPT" <<'PY'
import sys, zlib
body = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(b"cosched-state 1 %d %08x\n" % (len(body), zlib.crc32(body)) + body)
PY
chown --reference="$COSCHED_VCLUSTER/state" "$KEPT"
set_params "cosched_mode=act,$PARAMS"
ok "mode act is on" wait_for 20 in_act

broken() { # promises, by cosched status
	"$COSCHED" status --json 2>/dev/null | sed -n 's/.*"promises_broken": *\([0-9]*\).*/\1/p'
}
broken_is() {
	[ "$(broken)" = "$1" ]
}
emulated() { # KIND
	sbatch --parsable -o /dev/null -t 2 -J "$1" -n8 --chdir="$WORK/run" \
		"$TREE/contrib/demo/job.sh" "$build/cosched-emulate" "$WORK/run" \
		"$WORK/truth.json" "$1" "$(seconds "$1")" </dev/null
}
# two A B: one of each kind, $a and $b, at once
two() {
	scontrol update PartitionName=main State=DOWN
	a=$(emulated "$1")
	b=$(emulated "$2")
	scontrol update PartitionName=main State=UP
}
nodes() { # JOB
	cores "$1" | tr ' ' '\n' | sed 's/:.*//'
}
told() { # of job $1, by the log, that it is known how it ended
	grep -q "\"ev\":\"finish\".*\"job\":$1[,}]" "$LOG"
}
mkdir -m 777 "$WORK/run"
is "no promise is broken yet" "$(broken)" 0

two ann bea
ok "ann and bea run" running "$a" "$b"
is "on the same nodes" "$(nodes "$a")" "$(nodes "$b")"
ok "they end" wait_for 60 queue_empty
ok "their ends are known" wait_for 10 told "$b"
is "the promise was kept" "$(broken)" 0

truth 2
two ann bea
ok "ann and bea run once more, and bea does more than it did" running "$a" "$b"
is "on the same nodes, as promised" "$(nodes "$a")" "$(nodes "$b")"
ok "they end" wait_for 90 queue_empty
ok "a broken promise is noticed" wait_for 10 broken_is 1
like "cosched status -v says which slowed which" "$("$COSCHED" status -v)" \
	"$me/ann beside $me/bea took (1\.[6-9]|2\.)[0-9]* times as long"
apart() {
	local text=$1

	two ann bea
	ok "$text: ann and bea run" running "$a" "$b"
	is "$text: on nodes of their own" \
		"$(comm -12 <(nodes "$a" | sort) <(nodes "$b" | sort))" ""
	clear_jobs
}
apart "the pair is refused"
vc restart-ctld >"$WORK/restart.out" 2>&1
ok "act goes on after a restart" wait_for 30 in_act
ok "the broken promise is known still" wait_for 10 broken_is 1
apart "it is refused still"

# ---- what is not of the pair shares as before

two cid bea
ok "cid and bea run" running "$a" "$b"
is "on the same nodes" "$(nodes "$a")" "$(nodes "$b")"
clear_jobs
log_is_clean

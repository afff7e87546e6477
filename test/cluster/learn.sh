#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# learn=use in a real slurmctld: from an empty profile file, by trials of jobs that obey
# what nobody told (cosched-emulate), pairs are found that may share; they are still known
# after a restart of slurmctld, too.
#
# A bound at 95 % wants 19 pairs, each way counted, that have met; so here trials are as many
# as there may be, where a site would have weeks.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

build=${COSCHED_BUILD:-$(dirname "$COSCHED_PREFIX")}
[ -x "$build/cosched-emulate" ] || skip "no $build/cosched-emulate"
KINDS="ann bea cid dan eve fay"
JOBS=120

# All do well beside each other, and run 1.25 times as long on all cores as on half.
awk -v kinds="$KINDS" 'BEGIN {
	n = split(kinds, k, " ")
	printf "{\"version\":1,\"profiles\":{"
	for (i = 1; i <= n; i++)
		printf "%s\"%s\":{\"self\":{\"1\":1,\"2\":1,\"4\":1.25}}", (i > 1 ? "," : ""), k[i]
	printf "},\"pairs\":["
	for (i = 1; i <= n; i++)
		for (j = 1; j <= n; j++)
			printf "%s{\"of\":\"%s\",\"beside\":\"%s\",\"slowdown\":1.03}", \
				(i + j > 2 ? "," : ""), k[i], k[j]
	print "]}"
}' >"$WORK/truth.json"
# Each kind has its size and its seconds; they come a little faster than they can run.
awk -v kinds="$KINDS" -v jobs="$JOBS" 'BEGIN {
	n = split(kinds, k, " ")
	srand(3)
	for (i = 0; i < jobs; i++) {
		j = int(rand() * n) + 1
		printf "%.1f %s %s %d %.1f 2\n", i * .8, k[j], k[j], (j % 2 ? 4 : 8), 5 + j
	}
}' >"$WORK/jobs"
echo '{"version":1}' >"$WORK/empty.json"

cluster --nodes 8
PARAMS="cosched_mode=act,cosched_policy=cover,cosched_spare=0,cosched_head_slack=1,cosched_profiles=$WORK/empty.json"
PARAMS+=",cosched_log=$LOG,cosched_learn=use,cosched_learn_explore=1,cosched_learn_accounts=*"
PARAMS+=",cosched_learn_least_s=1,cosched_max_slowdown=1.5"
set_params "$PARAMS"
ok "learn=use is in force" in_act

"$TREE/contrib/demo/run" --dir "$WORK/demo" --jobs "$WORK/jobs" \
	--emulate "$build/cosched-emulate" --truth "$WORK/truth.json" --limit 500 \
	>"$WORK/demo.out" 2>&1 || bad "the jobs" "$(cat "$WORK/demo.out")"
is "all jobs ran" "$(wc -l <"$WORK/demo/jobs.jsonl")" "$JOBS"

kept_in() { # where the plugin keeps what it learned
	grep -l '^virtual learn first' "$(scontrol show config |
		sed -n 's/^StateSaveLocation *= //p')"/* 2>/dev/null | head -n 1
}
admitted() { # kinds that may share with somebody, by the state file
	"$COSCHED" profile learned "$(kept_in)" 2>/dev/null |
		awk '$1 ~ /\// && $7 > 0 { n++ } END { print n + 0 }'
}
some_admitted() {
	[ "$(admitted)" -ge 2 ]
}
saved() {
	[ -n "$(kept_in)" ]
}
ok "what was learned is in StateSaveLocation" wait_for 30 saved
ok "pairs may share" wait_for 30 some_admitted
before=$(admitted)
"$COSCHED" profile learned "$(kept_in)" >"$WORK/before" 2>&1
like "all kinds are told apart" "$(cat "$WORK/before")" '^6 kinds of'

vc restart-ctld >"$WORK/restart.out" 2>&1
ok "act goes on after a restart" wait_for 30 in_act
"$COSCHED" profile learned "$(kept_in)" >"$WORK/after" 2>&1
is "as many are known" "$(tail -n 1 "$WORK/after")" "$(tail -n 1 "$WORK/before")"
is "as many may share" "$(admitted)" "$before"
same "what was learned"
log_is_clean

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# learn=use in a real slurmctld: from an empty profile file, by trials of jobs that obey
# what nobody told (cosched-emulate), pairs are found that may share; they are still known
# after a restart of slurmctld, to `cosched profile learned`, to explain and to placement.
# Jobs that fail or are cancelled teach nothing.
#
# A bound takes 8 pairs, each way counted, that have met, and is a wider one below 19; so here
# trials are as many as there may be, where a site would have weeks, and there are nine kinds,
# so that many pairs can meet.  Which meet depends on how fast the host is: with FULL=1 jobs come in
# up to three waves until it is enough; else in one, and what too few pairs cannot show is
# left out.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

build=${COSCHED_BUILD:-$(dirname "$COSCHED_PREFIX")}
[ -x "$build/cosched-emulate" ] || skip "no $build/cosched-emulate"
KINDS="ann bea cid dan eve fay gil hal ivo"
JOBS=120 ROUNDS=${FULL:+3}

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
jobs_of() { # SEED
	awk -v kinds="$KINDS" -v jobs="$JOBS" -v seed="$1" 'BEGIN {
		n = split(kinds, k, " ")
		srand(seed)
		for (i = 0; i < jobs; i++) {
			j = int(rand() * n) + 1
			printf "%.1f %s %s %d %.1f 2\n", i * .8, k[j], k[j], (j % 2 ? 4 : 8), 6 + j % 6
		}
	}'
}
echo '{"version":1}' >"$WORK/empty.json"

cluster --nodes 8
PARAMS="cosched_mode=act,cosched_policy=cover,cosched_spare=0,cosched_head_slack=1,cosched_profiles=$WORK/empty.json"
PARAMS+=",cosched_log=$LOG,cosched_learn=use,cosched_learn_explore=1,cosched_learn_accounts=*"
PARAMS+=",cosched_learn_least_s=1,cosched_max_slowdown=1.5"
set_params "$PARAMS"
ok "learn=use is in force" in_act

kept_in() { # where the plugin keeps what it learned
	grep -l '^learn first' "$(scontrol show config |
		sed -n 's/^StateSaveLocation *= //p')"/cosched_learned 2>/dev/null
}
admitted() { # kinds that may share with somebody, by the state file
	"$COSCHED" profile learned "$(kept_in)" 2>/dev/null |
		awk '$1 ~ /\// && $7 > 0 { n++ } END { print n + 0 }'
}
some_admitted() {
	[ "$(admitted)" -ge 2 ]
}
# Two that may share with each other.
find_pair() {
	local of

	# shellcheck disable=SC2013 # words
	for of in $(awk '$1 ~ /\// && $7 > 0 { print $1 }' "$WORK/before"); do
		two=$("$COSCHED" profile learned --of "$of" "$(kept_in)" | grep 'may share$' |
			sed -n 's/^beside \(.*\): at most.*/\1/p' | grep -vxF -- "$of" | head -n 1)
		two=${two#*/}
		[ -z "$two" ] || {
			one=${of#*/}
			return 0
		}
	done
	return 1
}
saved() {
	[ -n "$(kept_in)" ]
}
for ((round = 1; round <= ${ROUNDS:-1}; round++)); do
	jobs_of $((round + 2)) >"$WORK/jobs"
	"$TREE/contrib/demo/run" --dir "$WORK/demo$round" --jobs "$WORK/jobs" \
		--emulate "$build/cosched-emulate" --truth "$WORK/truth.json" --limit 500 \
		>"$WORK/demo.out" 2>&1 || bad "the jobs" "$(cat "$WORK/demo.out")"
	is "all jobs of wave $round ran" "$(wc -l <"$WORK/demo$round/jobs.jsonl")" "$JOBS"
	wait_for 30 saved
	! wait_for 5 some_admitted || break
done
ok "what was learned is in StateSaveLocation" saved
before=$(admitted)
"$COSCHED" profile learned "$(kept_in)" >"$WORK/before" 2>&1
like "all kinds are told apart" "$(cat "$WORK/before")" '^9 kinds of'
like "neighbours have told something" "$(tail -n 1 "$WORK/before")" \
	' [1-9][0-9]* runs, [1-9][0-9]* pairs met'
one=ann two=''
if find_pair; then
	good "two may share with each other"
elif [ -n "$FULL" ]; then
	bad "two may share with each other" "$(cat "$WORK/before")"
else
	omit "two may share with each other" "$(tail -n 1 "$WORK/before"): 8 are needed, FULL=1"
fi

vc restart-ctld >"$WORK/restart.out" 2>&1
ok "act goes on after a restart" wait_for 30 in_act
"$COSCHED" profile learned "$(kept_in)" >"$WORK/after" 2>&1
is "as many are known" "$(tail -n 1 "$WORK/after")" "$(tail -n 1 "$WORK/before")"
is "as many may share" "$(admitted)" "$before"
set_params "${PARAMS/explore=1/explore=0}"
ok "without trials from now on" wait_for 30 in_act
share() { # what the pair says and does
	scontrol update PartitionName=main State=DOWN
	a=$(LIMIT=2 job -J "$one" -n8)
	b=$(LIMIT=2 job -J "$two" -n8)
	explained() {
		"$COSCHED" explain "$b" >"$WORK/explained" 2>&1 && grep -q learned: "$WORK/explained"
	}
	wait_for 10 explained
	like "explain has the bound" "$(cat "$WORK/explained")" \
		'learned: at most [0-9.]+ \([0-9]+ runs\), its [0-9.]+ \([0-9]+ runs\), with 95 %'
	scontrol update PartitionName=main State=UP
	ok "both start" running "$a" "$b"
	nodes() { # JOB: its nodes
		cores "$1" | tr ' ' '\n' | sed 's/:.*//'
	}
	is "they have a part each of the same nodes" "$(nodes "$a")" "$(nodes "$b")"
	is "no CPU is held twice" "$(holdings | held_twice)" ""
	clear_jobs
}
[ -z "$two" ] || share

# ---- what failed teaches nothing

ends() { # of kind $one that taught
	"$COSCHED" profile learned "$(kept_in)" 2>/dev/null |
		awk -v k="/$one" 'substr($1, length($1) - length(k) + 1) == k { print $2 }'
}
failed() { # N: so many jobs in the event log
	[ "$(grep -c '"ev":"finish".*"failed":true' "$LOG")" -eq "$1" ]
}
cancelled=0
[ -z "$two" ] || cancelled=2
ok "the log says that $cancelled that were cancelled failed" wait_for 10 failed "$cancelled"
told=$(ends)
dies=$(sbatch --parsable -o /dev/null -t 2 -J "$one" -n8 --wrap "sleep 3; exit 5" </dev/null)
killed=$(SLEEP=60 LIMIT=2 job -J "$one" -n8)
ok "one job runs that will be cancelled" running "$killed"
sleep 3
scancel "$killed"
ok "it ends, and one that fails ($dies)" wait_for 20 queue_empty
ok "the log says of both that they failed" wait_for 10 failed $((cancelled + 2))
SLEEP=3 LIMIT=2 job -J "$one" -n8 >/dev/null
ok "one does well" wait_for 20 queue_empty
one_more() {
	[ "$(ends)" -eq $((told + 1)) ]
}
ok "it alone has taught" wait_for 10 one_more
same "what was learned"
log_is_clean

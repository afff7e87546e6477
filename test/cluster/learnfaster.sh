#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What learning brings, in a real slurmctld: eight kinds of jobs obey a measured table
# (cosched-emulate) of which nobody tells. After a first hundred of them, with trials of 10 %
# of the running jobs, pairs are admitted; a restart loses none of it; a second hundred is
# done sooner than by Slurm's own plugins. What is admitted keeps its promise by the table,
# but for as many as the bound's level leaves.
#
# max_slowdown counts against half of the cores, alone: 1.75 beside somebody is what the
# kinds that all cores slow most (sp, mg: 1.6) take on full nodes.
#
# Ten minutes: with FULL=1 only. Jobs come faster than they can run.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about what we learn"
[ -n "${FULL:-}" ] || skip "10 minutes: FULL=1"

build=${COSCHED_BUILD:-$(dirname "$COSCHED_PREFIX")}
[ -x "$build/cosched-emulate" ] || skip "no $build/cosched-emulate"
table=${COSCHED_CORUN:-$TREE/../shared/data/corun-aris-nas}
[ -r "$table-alone.tsv" ] || skip "no measured table $table.tsv (COSCHED_CORUN names another)"

JOBS=100 MOST=1.75
# kind, processes, seconds on full nodes
KINDS="bt.D.256 8 15
cg.E.512 4 20
ep.E.256 8 10
ft.D.256 4 15
is.E.256 8 20
lu.D.128 4 12
mg.E.128 8 10
sp.D.121 4 18"
"$COSCHED" profile from-corun "$table.tsv" "$table-alone.tsv" >"$WORK/truth.json" 2>"$WORK/err" ||
	bad "the truth is made of the table" "$(cat "$WORK/err")"
echo '{"version":1}' >"$WORK/empty.json"

# jobs_of SEED: each kind in turn, shuffled; the same in every awk
jobs_of() {
	grep -o '"[^"]*":{"self":{[^}]*}' "$WORK/truth.json" | tr -d '"{}' | tr ':,' '  ' |
		awk -v kinds="$KINDS" -v jobs="$JOBS" -v seed="$1" '
		function draw(n) {
			state = (state * 1103515 + 12345) % 2147483648
			return int(state / 2147483648 * n)
		}
		{ dense[$1] = $NF }
		END {
			state = seed * 7919
			n = split(kinds, line, "\n")
			for (i = 0; i < jobs; i++) {
				if (i % n == 0)
					for (k = n; k > 1; k--) {
						with = draw(k) + 1
						keep = line[k]; line[k] = line[with]; line[with] = keep
					}
				split(line[i % n + 1], f, " ")
				# the list has seconds on half of the cores
				printf "%.1f %s %s %d %.2f 2\n", i * .2, f[1], f[1], f[2], f[3] / dense[f[1]]
			}
		}'
}
# wave NAME SEED: run the list on the cluster in use
wave() {
	jobs_of "$2" >"$WORK/$1.jobs"
	"$TREE/contrib/demo/run" --dir "$WORK/$1" --jobs "$WORK/$1.jobs" \
		--emulate "$build/cosched-emulate" --truth "$WORK/truth.json" --limit 600 \
		>"$WORK/$1.out" 2>&1
}
# ran NAME: all of it did; sets $took and $response: seconds from the first submit to the
# last end, and those of a job from its submit to its end, on the mean
ran() {
	is "all jobs of $1 ran" "$(wc -l <"$WORK/$1/jobs.jsonl")" "$JOBS"
	read -r took response <<<"$(awk '
		$2 == "start" { from = $3 }
		NR == FNR { if ($1 != "#") came[$1] = from + $3 + $4; next }
		match($0, /"end":[0-9.]+/) {
			end = substr($0, RSTART + 6, RLENGTH - 6)
			if (end > last) last = end
			match($0, /"job":[0-9]+/)
			sum += end - came[substr($0, RSTART + 6, RLENGTH - 6)]
			n++
		}
		END { printf "%.0f %.0f\n", last - from, sum / n }' \
		"$WORK/$1/submits" "$WORK/$1/jobs.jsonl")"
}
kept_in() { # where the plugin keeps what it learned
	grep -l '^learn first' "$(scontrol show config |
		sed -n 's/^StateSaveLocation *= //p')"/cosched_learned 2>/dev/null
}
# "KIND KIND" of each pair that may share, by a file of the state.
admitted() { # STATE
	"$COSCHED" profile export "$1" 2>/dev/null | tr '"{}[],:' ' ' |
		awk -v most="$MOST" '
		$1 == "of" { bound[$2, $4] = $6 }
		$1 == "user" { name[$6] = $4 }
		END {
			for (way in bound) {
				split(way, k, SUBSEP)
				if (k[1] <= k[2] && bound[way] <= most && (k[2], k[1]) in bound &&
				    bound[k[2], k[1]] <= most)
					print name[k[1]], name[k[2]]
			}
		}'
}
# "JOBS SLOWED" of a wave: those that ran mainly beside a kind of the list of pairs, and of
# these those slowed beyond the promise by more than starts and ends take here.
promised() { # NAME PAIRS
	tr '"{}[],:' ' ' <"$WORK/$1/jobs.jsonl" | awk -v most="$MOST" '
		NR == FNR { pair[$1, $2] = pair[$2, $1] = 1; next }
		{
			name[$2] = $4
			for (i = 5; i <= NF; i++)
				if ($i == "alone_s") alone = $(i + 1)
				else if ($i == "start") start = $(i + 1)
				else if ($i == "end") took[$2] = ($(i + 1) - start) / alone
				else if ($i == "job" && $(i + 3) > long[$2]) {
					long[$2] = $(i + 3)
					other[$2] = $(i + 1)
				}
		}
		END {
			for (j in other)
				if ((name[j], name[other[j]]) in pair) {
					n++
					slow += took[j] > 1.05 * most
				}
			print n + 0, slow + 0
		}' "$2" -
}
saved() {
	[ -n "$(kept_in)" ]
}
summary() {
	"$COSCHED" profile learned "$(kept_in)" 2>/dev/null | tail -n 1
}

cluster --nodes 8
set_params "cosched_mode=act,cosched_policy=cover,cosched_head_slack=1,cosched_profiles=$WORK/empty.json,cosched_log=$LOG,cosched_learn=use,cosched_learn_explore=0.1,cosched_learn_accounts=*,cosched_learn_least_s=1,cosched_max_slowdown=$MOST"
ok "learn=use is in force" in_act
ok "the first hundred" wave first 12
ran first
first=$took
ok "what was learned is in StateSaveLocation" wait_for 30 saved
like "all kinds are told apart" "$(summary)" '^8 kinds of 8, '
before=$(summary)
admitted "$(kept_in)" >"$WORK/pairs"
pairs=$(wc -l <"$WORK/pairs")
ok "pairs may share after the first hundred: $pairs, $before" [ "$pairs" -ge 2 ]

vc restart-ctld >"$WORK/restart.out" 2>&1
ok "act goes on after a restart" wait_for 30 in_act
is "a restart loses nothing" "$(summary)" "$before"
is "the same pairs may share" "$(admitted "$(kept_in)" | sort)" "$(sort "$WORK/pairs")"

# both at once: the same host, the same load
cluster --stock --name stock --nodes 8 --params bf_interval=1,bf_resolution=1,batch_sched_delay=1
wave stock 22 &
stock=$!
use cluster
ok "the second hundred" wave second 22
wait $stock
is "the same by stock: status" $? 0
ran second
second=$took second_response=$response
read -r beside slow <<<"$(promised second "$WORK/pairs")"
ok "$beside of the second hundred ran beside one of these" [ "$beside" -ge 10 ]
ok "of them $slow were slowed beyond $MOST: at most 5 %" [ $((slow * 20)) -le "$beside" ]
broken=$("$COSCHED" status --json 2>/dev/null | sed -n 's/.*"promises_broken": *\([0-9]*\).*/\1/p')
ok "the plugin counts as few: ${broken:-none}" [ "${broken:-100}" -le $((JOBS / 20)) ]
same "what was learned"
log_is_clean
ran stock
ok "the second hundred takes $second s, by stock $took s (the first took $first s)" \
	[ "$second" -lt "$took" ]
ok "a job of it takes $second_response s from its submit, by stock $response s" \
	[ $((second_response * 100)) -le $((response * 98)) ]

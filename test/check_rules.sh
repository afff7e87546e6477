#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A stranger finds each rule of paper Zeng09 (Zeng and Sodan, see slowdown.h) that is
# used here in one file, with its theory at the head: the file's head names Zeng09 as its
# source and says the rule (what must stand there is the last column). And each key
# that a Slurm release looks for in SchedulerParameters is in the list that our own
# keys are held against (test_param_values.c).
#
# Usage: check_rules.sh [SLURM-SOURCE-TREE...]
set -u -o pipefail
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
failed=0

bad() {
	failed=1
	printf 'not ok - %s\n' "$1" >&2
}
# The first comment of a file behind the line with its licence, in one line.
head_of() {
	awk 'NR > 1 { sub(/^ \*\/?/, ""); print } /\*\// && NR > 1 { exit }' "$1" |
		tr -s ' \t\n' ' '
}

# RULE | FILE | what its head says
rules=0
while IFS='|' read -r rule file says; do
	rules=$((rules + 1))
	head=$(head_of "src/$file")
	grep -qE "Source: .*\<Zeng09\>|\(Zeng09, (equation|section)" <<<"$head" ||
		bad "$rule: the head of src/$file names no source"
	grep -qE -- "$says" <<<"$head" || bad "$rule: no /$says/ at the head of src/$file"
done <<'END'
equation 4: R_max|common/backfill/plan_promise.c|R_max = F_slack \* R_est.*Zeng09, equation 4
equation 5: gain of a period|common/profile/gain.c|Equation 5 is the same for one period
equation 6: gain of a group|common/profile/gain.c|Zeng09, equation 6.* U = sum_q sum_i .*equations 5 and 6
equation 7: sizes for nodes with cores|sim/resize.c|nSize = oSize.*\(7\).*section 4.8, equation 7
equation 8: processes a node|common/model/shape.c|Zeng09, equation 8.* PPN = 1 S = 1, or .*\(equation 8\)
4.3: low load, serial jobs|common/place/low_load.c|Low load: .*A serial job .*sections 4.3 and 4.4
4.3: short jobs are space shared|common/job/match.c|Zeng09, 4.3: short jobs are only space shared
4.4: cases 1 to 5, pairs|common/place/group_unplanned.c|Case 1: .*Case 2 .*Case 5: .*Case 4: .*sections 4.3 to 4.6
4.4: cases 1 to 5, groups|common/place/group_search.c|Case 1: .*Case 2: .*Case 3: .*Case 5: .*Case 4: .*sections 4.3 to 4.6
4.4: beside a running job|common/place/join.c|Zeng09, 4.4
4.5: step 1, pairs|common/job/match.c|Preselection: .*section 4.5 step 1
4.5: steps 1 and 2, who is matched|common/place/group_match.c|MAX_SL.*section 4.5, steps 1 and 2
4.5: steps 2 to 5, group formation|common/place/group_form.c|2. Candidates .*3. First block: .*4. Other blocks: .*5. Purify: .*sections 4.5 and 4.6
4.5: step 6, fairness|common/place/group_fair.c|R_max.*section 4.5, step 6
4.7: Scojo-PECT's time slices|common/slice/pect.c|end of a slice every running job is stopped.*Non-type slice backfilling
4.7: compressed conservative backfilling|common/backfill/plan.c|compressed as in Zeng09 .*section 4.7
4.9: self and coscheduling slowdown|common/profile/slowdown.c|SL_sno .*section 4.9, tables 3 and 4
4.9: table 4|common/profile/table4.c|SL_scr 0 25 17 17 13 17 8 3 0 .*section 4.9, table 4
4.9: processes to sockets|common/model/core_layout.c|Zeng09, section 4.9: processes of one job on different sockets
END

# Keys of Slurm's: with and without their "=", as one release has them or another.
list=test/unit/data/slurm_scheduler_keys
bare() {
	sed -e '/^#/d' -e 's/=$//' | sort -u
}
for tree; do
	keys=$("$list.sh" "$tree") || bad "no keys from '$tree'"
	[ "$(bare <<<"$keys" | wc -l)" -ge 20 ] || bad "'$tree' has hardly any keys: '$keys'"
	missing=$(comm -23 <(bare <<<"$keys") <(bare <"$list"))
	[ -z "$missing" ] ||
		bad "SchedulerParameters of '$tree' that $list lacks: $(xargs <<<"$missing")"
done
[ "$failed" -ne 0 ] || printf 'ok - %d rules, keys of %d Slurm releases\n' "$rules" $#
exit "$failed"

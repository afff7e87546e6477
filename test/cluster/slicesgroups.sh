#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time slices of groups (cst with slice=pect): jobs that share nodes are stopped and go on
# together, in the slice of their class. Watched from outside, as in slices.sh.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

slices="cosched_slice=pect,cosched_class_short_s=30,cosched_class_medium_s=300"
slices+=",cosched_slice_cycle_s=60,cosched_slice_overhead_s=4,cosched_slice_short_s=0"
slices+=",cosched_slice_medium=0.4,cosched_slice_stop=all"
cluster --nodes 2 --more "cosched_backfill=conservative,$slices"

JOBS=$WORK/jobs
mkdir -m 777 "$JOBS"
cat >"$WORK/count" <<'SH'
#!/bin/bash
echo $$ >"$1/pid.$SLURM_JOB_ID"
for ((n = 0; ; n++)); do
	echo "$n" >"$1/count.$SLURM_JOB_ID"
	sleep 0.1
done
SH
chmod 755 "$WORK/count"
counting() { # CLASS MINUTES PROFILE
	local id

	id=$(sbatch --parsable -o /dev/null -t "$2" --mem=300 -N2 -n4 --ntasks-per-node=2 \
		--comment="cosched:profile=$3" "$WORK/count" "$JOBS" </dev/null)
	echo "$1" >"$JOBS/class.$id"
	echo "$id"
}

m1=$(counting medium 5 cg) m2=$(counting medium 5 io)
l1=$(counting long 60 cg) l2=$(counting long 60 io)
all="$m1 $m2 $l1 $l2"
have_run() {
	local j
	for j in $all; do [ -s "$JOBS/count.$j" ] || return 1; done
}
ok "all have run within two intervals" wait_for 130 have_run
group_of() {
	scontrol show job "$1" | sed -n 's/.*SystemComment=cosched: group \([0-9]*\),.*/\1/p'
}
is "the medium ones are a group" "$(group_of "$m1")" "$(group_of "$m2")"
is "the long ones are another" "$(group_of "$l1")" "$(group_of "$l2")"
like "... both of them" "$(group_of "$m1") $(group_of "$l1")" '^[0-9]+ [0-9]+$'
sleep "$(awk -v t="$(date +%s.%N)" 'BEGIN { print 60 - t % 60 + 0.3 }')"
"$TREE/test/cluster/slices.py" "$JOBS" 120 >"$WORK/watch" 2>&1
cat "$WORK/watch"
figure() {
	awk -v k="$*" 'index($0, k " ") == 1 { print $NF }' "$WORK/watch"
}
is "no core has two running jobs" "$(figure overlaps)" 0
is "everybody comes back on his cores" "$(figure moved)" 0
is "the classes take turns" "$(figure turns)" 3
ratio() { # 20 s and 32 s of a minute
	awk -v m="$(figure service medium)" -v l="$(figure service long)" \
		'BEGIN { r = l ? m / l / (20 / 32) : 0; exit !(r > 0.9 && r < 1.1) }'
}
ok "each class has its share" ratio
together() { # A B: as far as each other, within a second
	local a b

	a=$(cat "$JOBS/count.$1") b=$(cat "$JOBS/count.$2")
	[ $((a > b ? a - b : b - a)) -le 25 ]
}
ok "the members of a group have come as far as each other" together "$l1" "$l2"
same "the log"

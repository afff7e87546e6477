#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Jobs that Slurm refuses: they cost bounded work, hold promises and keep nobody from
# starting. Stock and act stand side by side. Four nodes with two FPGAs each, one of
# every pair taken, and many jobs that want two: 200, with FULL=1 5,000.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

many=$([ -n "${FULL:-}" ] && echo 5000 || echo 200)
watched=$([ -n "${FULL:-}" ] && echo 60 || echo 15) # seconds
tries=32                                           # host_tries
for i in 0 1; do touch "$WORK/fpga$i"; done
printf 'NodeName=n[1-4] Name=fpga File=%s/fpga[0-1]\n' "$WORK" >"$WORK/gres.conf"
shape=(--set GresTypes=fpga --node 'n1,n2,n3,n4 Gres=fpga:2' --file "$WORK/gres.conf"
	--select-params CR_Core --set "MaxJobCount=20000")
cluster --stock --name stock "${shape[@]}"
cluster --name act "${shape[@]}"

has_libslurm || skip "no libslurm here to build test/cluster/submit.c with"
builds_submit "$WORK/submit"

both() {
	local c

	for c in stock act; do
		use "$c"
		"$@"
	done
}

# --- many that wait -----------------------------------------------------------------

hold() {
	local n

	holders=()
	for n in n1 n2 n3 n4; do
		holders+=("$(SLEEP=600 LIMIT=60 job -n1 --gres=fpga:1 -w "$n")")
	done
	running "${holders[@]}" || bad "one FPGA of each node is taken" "$(squeue)"
	"$WORK/submit" "$many" 1 0 10 'sleep 600' fpga:2 >/dev/null
	declare -g "holder_$NOW=${holders[0]}"
}
waiting() {
	squeue -h -t PD -o %i | wc -l
}
all_wait() {
	[ "$(waiting)" -ge "$1" ]
}
for NOW in stock act; do
	use "$NOW"
	hold
	ok "$NOW: $many jobs that want both FPGAs of a node wait" wait_for 60 all_wait "$many"
done

# Microseconds that the schedulers held the write locks, so far.
locked() {
	if ours; then
		"$COSCHED" status --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["locked_us"])'
	else
		sdiag | awk '/Mean cycle:/ { mean = $3 } /Total cycles:/ { sum += mean * $3 }
			END { printf "%d\n", sum }'
	fi
}
refusals() {
	"$COSCHED" status --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["engine"]["refusals"])'
}
declare -A lock0 lock1
for NOW in stock act; do
	use "$NOW"
	lock0[$NOW]=$(locked)
done
before=$(refusals)
t0=$(date +%s)
sleep "$watched"
asked=$(($(refusals) - before)) seconds=$(($(date +%s) - t0))
for NOW in stock act; do
	use "$NOW"
	lock1[$NOW]=$(locked)
	printf '# %s, %d jobs refused: the schedulers hold the write locks for %s %% of the time\n' \
		"$NOW" "$many" "$(awk -v a="${lock0[$NOW]}" -v b="${lock1[$NOW]}" -v s="$seconds" \
			'BEGIN { printf "%.2f", (b - a) / s / 10000 }')"
done
most() {
	[ "$asked" -le $((tries * (seconds + 2))) ]
}
ok "Slurm refuses at most $tries starts a second ($asked in $seconds s)" most

# (stock's main loop goes no further than the first that does not fit)
small=$(job -n1)
ok "an ordinary job starts beside them within 3 s" wait_for 3 is_state "$small" RUNNING
first=$(squeue -h -t PD -o '%i' | sort -n | head -n 1)
text=$("$COSCHED" explain "$first")
like "explain: what was refused" "$text" "Slurm refused its start: "
like "explain: what is kept for it" "$text" "Slurm's own test places it, and will on [0-9]+ node"
ok "squeue --start has a time for it" sh -c "squeue -h --start -j $first -o %S | grep -q ^2"

got_one() {
	squeue -h -t R -o '%b %i' | grep -q 'fpga:2 '
}
for NOW in stock act; do
	use "$NOW"
	holder=holder_$NOW
	scancel "${!holder}"
	if [ "$NOW" = act ]; then
		ok "$NOW: a freed pair of FPGAs is taken within 3 s" wait_for 3 got_one
	else
		ok "$NOW: a freed pair of FPGAs is taken" wait_for 60 got_one
	fi
done
both clear_jobs

# --- what wants less now is tried at once --------------------------------------------------

for NOW in stock act; do
	use "$NOW"
	a=$(SLEEP=600 LIMIT=60 job -n1 --gres=fpga:1 -w n1)
	running "$a"
	less=$(SLEEP=600 job -n1 --gres=fpga:2 -w n1)
	sleep 2.5 # its refusal, and the pause of 10 s
	scontrol update jobid="$less" gres=fpga:1
	ok "$NOW: a job that gives up an FPGA starts$([ "$NOW" = stock ] || echo ' within 3 s')" \
		wait_for "$([ "$NOW" = stock ] && echo 60 || echo 3)" is_state "$less" RUNNING
	clear_jobs
done

# --- what wants both is not overtaken for ever by what wants one -------------------------

for NOW in stock act; do
	use "$NOW"
	a=$(SLEEP=8 LIMIT=1 job -n1 --gres=fpga:1 -w n1)
	running "$a"
	both_fpgas=$(SLEEP=2 job -n1 --gres=fpga:2 -w n1)
	sleep 2.5 # its refusal
	later=()
	for i in 1 2 3; do
		later+=("$(LIMIT=30 SLEEP=600 job -n1 --gres=fpga:1 -w n1)")
	done
	ok "$NOW: none that would outlast its promise overtakes it" keeps_waiting "${later[@]}"
	ok "$NOW: it starts when the other has gone" wait_for 40 is_state "$both_fpgas" RUNNING
	both_gone() {
		gone "$both_fpgas"
	}
	wait_for 30 both_gone
	ok "$NOW: they follow" wait_for 40 is_state "${later[0]}" RUNNING
	clear_jobs
done

use act
log_is_clean

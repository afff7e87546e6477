#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurmdbd is down while groups form and disband and limits change with them: slurmctld
# keeps no more messages for it, and logs no more about it, than stock Slurm does for the
# same jobs in the same time. When slurmdbd is back it learns the last limit.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=dbd.inc
. "$(dirname "$0")/dbd.inc"

need_mariadb 3
site=bf_interval=1,batch_sched_delay=1
cluster --stock --name stock --params "$site"
with_accounting $((port + 1)) "$port"
cluster --name act --more "$site"
with_accounting $((port + 2)) "$port"

queued() { # messages for slurmdbd
	sdiag | sed -n 's/^DBD Agent queue size: *//p'
}
lines() { # about slurmdbd, in slurmctld's log
	grep -ciE 'slurmdbd|dbd_|persist' "$CTLD_LOG"
}
limit_changes() {
	grep -c "\"ev\":\"limit\",\"job\":${long[act]}," "$LOG"
}
declare -A long=() short=() grown=() said=()
for of in stock act; do
	use "$of"
	long[$of]=$(LIMIT=60 SLEEP=600 profiled cg -N2 -n4)
	running "${long[$of]}"
	fill=$(LIMIT=60 SLEEP=600 profiled mem -N2 -n8 -x "$(squeue -h -j "${long[$of]}" -o %N)")
	running "$fill"
done
no_messages() {
	[ "$(queued)" = 0 ]
}
for of in stock act; do
	use "$of"
	ok "($of: slurmdbd has all messages)" wait_for 30 no_messages
	kill "$(cat "$WORK/dbd.$of/pid")"
	said[$of]=$(lines)
done
sleep 2

# A partner comes and goes, twenty times, in both at once.
ROUNDS=20
for ((i = 0; i < ROUNDS; i++)); do
	for of in stock act; do
		use "$of"
		short[$of]=$(LIMIT=1 SLEEP=1 profiled io -N2 -n4)
	done
	for of in stock act; do
		use "$of"
		wait_for 20 gone "${short[$of]}" || {
			bad "$of: a partner has come and gone" "$(squeue)"
			break 2
		}
	done
done
for of in stock act; do
	use "$of"
	grown[$of]=$(queued) said[$of]=$(($(lines) - said[$of]))
done
use act
n=$(limit_changes)
ok "(a limit changed twice with each partner: $n times)" test "$n" -ge $((2 * ROUNDS))
ok "(and stock keeps messages for slurmdbd: ${grown[stock]})" test "${grown[stock]}" -ge "$ROUNDS"
ok "act keeps as many messages: ${grown[act]}, stock ${grown[stock]}" \
	test "${grown[act]}" -le $((grown[stock] + 12))
ok "and logs as many lines: ${said[act]}, stock ${said[stock]}" \
	test "${said[act]}" -le $((said[stock] + 5))

in_sacct() {
	[ "$(sacct -n -X -P -j "${long[act]}" -o timelimit)" = "$(field "${long[act]}" TimeLimit)" ]
}
like "(its limit is another now)" "$(field "${long[act]}" TimeLimit)" ':'
start_slurmdbd $((port + 2)) "$port"
ok "slurmdbd is back, and gets them" wait_for 60 no_messages
ok "sacct has the limit that the job has: $(field "${long[act]}" TimeLimit)" wait_for 30 in_sacct
log_is_clean act

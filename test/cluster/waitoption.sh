#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `srun --cosched-wait=MODE`: what the tasks of a step get, what the site allows, what is
# left alone; a real MPI job under it.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
ours || skip "it is about our SPANK plugin"
spank=$COSCHED_PREFIX/lib/cosched/spank_cosched_wait.so
library=$COSCHED_PREFIX/lib/cosched/libcosched-wait.so

# site WORD...: the plugin's words in plugstack.conf
site() {
	echo "optional $spank $*" >"$WORK/plugstack.conf"
}
site allowed=local,yield,ib,sb
cluster --stock --nodes 2 --set "PlugStackConfig=$WORK/plugstack.conf"
cd / || exit 1

# What a task has of it: "MODE PRELOAD", each - where there is none.
# shellcheck disable=SC2016  # for the task's shell
task='echo "${COSCHED_WAIT:--} ${LD_PRELOAD:--}"'
step() {
	srun -t 1 "$@" sh -c "$task" 2>"$WORK/err"
}

is "without the option a step is as it was" "$(step -n1)" "- -"
is "ib: the library and the mode" "$(step -n1 --cosched-wait=ib)" "ib $library"
is "a time with sb" "$(step -n1 --cosched-wait=sb:50)" "sb:50 $library"
is "all tasks of all nodes" "$(step -N2 -n4 --cosched-wait=yield | sort | uniq -c | xargs)" \
	"4 yield $library"
is "local and off leave a step as it was" \
	"$(step -n1 --cosched-wait=local) $(step -n1 --cosched-wait=off)" "- - - -"
other=$(ldconfig -p | sed -n 's/.*libm\.so\.6 .*=> //p' | head -n 1)
is "what the user preloads stays" "$(LD_PRELOAD=$other step -n1 --cosched-wait=ib)" \
	"ib $library:$other"
is "the option wins over what the user set by hand" \
	"$(COSCHED_WAIT=sb step -n1 --cosched-wait=ib)" "ib $library"
is "off, too" "$(COSCHED_WAIT=sb step -n1 --cosched-wait=off)" "local -"
is "without the option it stays" "$(COSCHED_WAIT=sb step -n1)" "sb -"
# An srun inside a step: "OUTER INNER", INNER by the option $1
nested() {
	srun -t 1 -n1 --cosched-wait=ib sh -c "$task; srun --overlap -n1 $1 sh -c '$task'" 2>"$WORK/err" |
		xargs
}
is "a step in a step has its mode" "$(nested '')" "ib $library ib $library"
is "and its own by the option" "$(nested --cosched-wait=sb:50)" "ib $library sb:50 $library"
is "or none" "$(nested --cosched-wait=off)" "ib $library local $library"
is "local, too" "$(nested --cosched-wait=local)" "ib $library local $library"
nok "a mode that the site does not allow is refused" step -n1 --cosched-wait=proc-b
like "with a line that says so" "$(cat "$WORK/err")" \
	'--cosched-wait=proc-b: expected one of off, local, .* that this site allows'
nok "no mode of that name" step -n1 --cosched-wait=fast
printf '#!/bin/sh\n%s\n' "$task" >"$WORK/orted"
chmod 755 "$WORK/orted"
is "Open MPI's daemon is left alone" \
	"$(srun -t 1 -n2 --cosched-wait=ib "$WORK/orted" 2>"$WORK/err" | sort -u)" "- -"
is "with one line" "$(grep -c "cosched-wait: off: the step is Open MPI's daemon" "$WORK/err")" 1

site default=ib
is "the site's default" "$(step -n1) $(step -n1 --cosched-wait=off)" "ib $library - -"
is "what the user sets by hand wins over it" "$(COSCHED_WAIT=sb step -n1)" "sb -"
printf '#!/bin/sh\n%s\nsrun -n1 sh -c '\''%s'\''\n' "$task" "$task" >"$WORK/script"
sbatch -W -t 1 -n1 -o "$WORK/batch.out" "$WORK/script" >/dev/null
is "a batch script is left alone, its srun is not" "$(cat "$WORK/batch.out")" "- -
ib $library"

site default=ib library=/none.so
is "without its library a step runs as it was" "$(step -n2 | sort -u)" "- -"
is "with one line" "$(grep -c 'cosched-wait: off: its library is not on this node' "$WORK/err")" 1
for bad in default=quick default=ib,allowed=sb alowed=ib library=x; do
	# shellcheck disable=SC2086  # words
	site ${bad//,/ }
	is "bad words in plugstack.conf ($bad): a step runs as it was" "$(step -n1)" "- -"
	like "and says so" "$(cat "$WORK/err")" "cosched-wait: .*plugstack.conf"
done

# --- an MPI job -------------------------------------------------------------------

site default=off
if command -v mpicc.mpich >/dev/null && srun --mpi=list 2>&1 | grep -q pmi2; then
	mpicc.mpich -O2 -D_GNU_SOURCE -o "$WORK/load" "$TREE/test/wait/mpi_load.c"
	# mpi N [OPTION...]: "checksum HEX"
	mpi() {
		timeout 60 srun -t 2 -n "$1" --mpi=pmi2 "${@:2}" "$WORK/load" ring 200 40 4096 \
			2>"$WORK/err" | cut -d' ' -f 1,2
	}
	want=$(mpi 4 -N2)
	like "MPICH by srun" "$want $(cat "$WORK/err")" '^checksum [0-9a-f]'
	for mode in yield ib sb; do
		is "its result in mode $mode" "$(mpi 4 -N2 --cosched-wait=$mode)" "$want"
	done
	board() {
		ls "/dev/shm/cosched-wait.$(id -u)"/*.0 2>/dev/null
	}
	srun -t 2 -n 2 -N1 --mpi=pmi2 --cosched-wait=ib "$WORK/load" ring 200 @3 4096 >"$WORK/out" 2>&1 &
	ok "while it runs its ranks are on a board" wait_for 10 board
	wait
	like "and it ends" "$(cat "$WORK/out")" '^checksum'
	is "no board is left" "$(ls -d "/dev/shm/cosched-wait.$(id -u)" 2>/dev/null)" ""
else
	omit "an MPI job by srun" "no MPICH (libmpich-dev), or no mpi/pmi2 in this Slurm"
fi

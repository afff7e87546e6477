#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libcosched-wait.so under real MPI programs: the same results as without, jobs on one
# core that do more work, no harm from faults, nothing left behind.
#
# Usage: check_wait.sh		in a build folder; srcdir is set
#
# Needs Open MPI 4.1 (openmpi-bin, libopenmpi-dev); MPICH (mpich, libmpich-dev) is tried
# where it is there. WAIT_SECONDS=N measures N seconds a mode [2].
set -u -o pipefail
export LC_ALL=C
# Jobs of this user may have boards: root uses a /dev/shm of the test's own.
if [ -z "${WAIT_APART:-}" ] && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	WAIT_APART=1 unshare -m bash -c 'mount -t tmpfs none /dev/shm && exec bash "$0"' "$0"
	exit
fi
lib=$PWD/.libs/libcosched-wait.so
source=${srcdir:?}/test/wait/mpi_load.c
seconds=${WAIT_SECONDS:-2}
failed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-wait.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset COSCHED_WAIT LD_PRELOAD OMPI_MCA_mpi_yield_when_idle MPIR_CVAR_NOLOCAL
boards=/dev/shm/cosched-wait.$(id -u)
[ ! -e "$boards" ] || {
	echo "jobs of this user have boards in $boards, which the test would remove"
	exit 77
}

# "checksum HEX" of a run
sum() {
	grep '^checksum' | cut -d' ' -f 1,2
}

no() {
	echo "not ok - $*"
	failed=1
}

# --- without MPI ----------------------------------------------------------------

exported=$(nm -D --defined-only "$lib" | awk '{ print $3 }' | sort | tr '\n' ' ')
[ "$exported" = "__poll_chk epoll_wait poll sched_yield ucp_init_version ucp_worker_destroy ucp_worker_progress " ] ||
	no "exports: $exported"
! nm -D "$lib" | grep -iE ' (p?mpi_|ompi_|opal_)' || no "symbols of MPI"
for mode in local yield ib sb hybrid proc-b nonsense; do
	said=$(LD_PRELOAD=$lib COSCHED_WAIT=$mode sh -c 'sleep 0.01; echo done' 2>&1)
	[ "$said" = "done" ] || no "a shell in mode $mode: $said"
done
said=$(LD_PRELOAD=$lib COSCHED_WAIT=sb:x MPI_LOCALRANKID=0 sleep 0 2>&1)
[[ $said = "cosched-wait: off: COSCHED_WAIT is 'sb:x', expected "* ]] || no "a bad mode: $said"

# Libraries that are not at hand, by their names and by how they wait.
fake=${srcdir:?}/test/wait/fake.c
# library FILE WORD...
library() {
	cc -O1 -D_GNU_SOURCE -shared -fPIC -DFAKE_LIBRARY -o "$work/$1" "$fake" "${@:2}" \
		-Wl,-soname,"$1" -Wl,-rpath,"$work" || exit 1
}
# program NAME WORD...
program() {
	cc -O1 -D_GNU_SOURCE -rdynamic -o "$work/$1" "$fake" "${@:2}" -Wl,-rpath,"$work" || exit 1
}
# waits NAME: what a wait of 900 ms in it costs in milliseconds of processor, whether there
# was a board (1, 0), how many sleeps and how many yields it had. MODE: instead of ib
waits() {
	timeout 60 env MPI_LOCALRANKID=0 MPI_LOCALNRANKS=1 LD_PRELOAD="$lib" \
		COSCHED_WAIT="${MODE:-ib}" "$work/$1" >"$work/fake.out" 2>"$work/fake.err"
	sed -n 's/^waited //p' "$work/fake.out"
}
# fake FILE KIND [WORD...]: waits in a program linked with a library of that kind
fake() {
	library "$1" -DFAKE_"$2"
	program "fake.$2" "${@:3}" "$work/$1" -Wl,--no-as-needed
	waits "fake.$2"
}
# sleeps NAME MS BOARD SLEEPS: has it slept, each time as long as it could?
sleeps() {
	echo "a wait of 900 ms in $1: ${2:-?} ms of processor, ${4:-?} sleeps"
	[ "${3:-0}" = 1 ] && [ "$2" -le 40 ] && [ "$4" -le 200 ] || no "$1: it does not sleep"
	[ ! -s "$work/fake.err" ] || no "$1: $(cat "$work/fake.err")"
}
for kind in libfabric.so.1=poll libfabric.so.1=epoll libopen-pal.so.40=opal libucp.so.0=ucx; do
	more=()
	[ "${kind#*=}" != ucx ] || more=(-DFAKE_USER)
	read -r -a cost < <(fake "${kind%=*}" "${kind#*=}" "${more[@]}")
	sleeps "${kind%=*} (${kind#*=})" "${cost[@]}"
done
grep -qx 'features 17' "$work/fake.out" || no "UCX: waking up is not requested"
MODE=yield waits fake.ucx >"$work/out"
[ -s "$work/out" ] && [ "$(head -n 1 "$work/fake.out")" = "features 1" ] ||
	no "UCX in mode yield: $(cat "$work/fake.out")"
[ ! -s "$work/fake.err" ] || no "UCX in mode yield: $(cat "$work/fake.err")"
# A program may close descriptors that it has not opened: those of the board.
read -r -a cost < <(fake libfabric.so.1 poll -DFAKE_CLOSES)
sleeps "a program that closes descriptors" "${cost[@]}"
# Some packages bring a UCX of another name, which their component alone can see.
library libucp-0a1b2c3d.so.0.0.0 -DFAKE_ucx
library component.so -DFAKE_USER "$work/libucp-0a1b2c3d.so.0.0.0"
program fake.loads -DFAKE_LOADS="\"$work/component.so\""
read -r -a cost < <(waits fake.loads)
sleeps "a UCX of a component's own" "${cost[@]}"
read -r -a cost < <(MODE=local waits fake.loads)
[ "${cost[1]:-none}" = 0 ] || no "a UCX of a component's own in mode local: $(cat "$work/fake.out")"
# Only libraries that are known by name are treated.
for kind in libother.so.1=poll libother.so.1=epoll libgomp.so.1=opal; do
	read -r -a cost < <(fake "${kind%=*}" "${kind#*=}")
	[ "${cost[1]:-1}" = 0 ] || no "the calls of $kind are treated"
done
# A network without a descriptor: off, with a line; it spins as it would without the library,
# and yields where it would.
echo 'int mtl;' | cc -shared -fPIC -x c -o "$work/mca_mtl_psm2.so" - -Wl,-soname,mca_mtl_psm2.so
read -r -a cost < <(fake libopen-pal.so.40 opal -Wl,--no-as-needed "$work/mca_mtl_psm2.so")
[ "${cost[1]:-1}" = 0 ] || no "mtl psm2: it is still on its board"
[ "${cost[3]:-1}" = 0 ] || no "mtl psm2: it yields, it does not spin"
[[ $(cat "$work/fake.err") = "cosched-wait: off: Open MPI's mca_mtl_psm2 has no descriptor"* ]] ||
	no "mtl psm2: $(cat "$work/fake.err")"
for yields in yield_when_idle oversubscribe; do
	read -r -a cost < <(export OMPI_MCA_mpi_$yields=1 && waits fake.opal)
	[ "${cost[3]:-0}" -gt 0 ] || no "mtl psm2: it spins in spite of mpi_$yields"
done
[ ! -e "$boards" ] || no "left behind: $(ls -A "$boards")"

# --- with Open MPI --------------------------------------------------------------

command -v mpirun.openmpi >/dev/null && command -v mpicc.openmpi >/dev/null || {
	[ "$failed" -eq 0 ] || exit 1
	echo "no Open MPI: install openmpi-bin and libopenmpi-dev"
	exit 77
}
mpicc.openmpi -O2 -D_GNU_SOURCE -o "$work/load" "$source" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')

# ompi MODE RANKS BTL ARGUMENT...: on one core; none: without the library
ompi() {
	local mode=$1 ranks=$2 btl=$3 with=() tmp
	shift 3
	tmp=$(mktemp -d "$work/tmp.XXXXXX") # two that start at once trip over each other in one
	[ "$mode" = none ] || with=(LD_PRELOAD="$lib" COSCHED_WAIT="$mode")
	timeout 120 env "${with[@]}" taskset -c "$core" mpirun.openmpi --oversubscribe \
		--bind-to none -np "$ranks" --mca pml ob1 --mca btl "$btl,self" \
		--mca btl_tcp_if_include lo --mca orte_tmpdir_base "$tmp" \
		"$work/load" "$@" 2>"$tmp/err" || tail -n 3 "$tmp/err"
	cat "$tmp/err" >>"$work/said"
}

for btl in tcp vader; do
	for pattern in ring alltoall gather test; do
		# without the library, but yielding: spinning takes minutes on one core
		want=$(OMPI_MCA_mpi_yield_when_idle=1 ompi none 4 $btl $pattern 100 20 4096 | sum)
		[[ $want = "checksum "* ]] || no "$pattern over $btl without the library: $want"
		for mode in ib sb; do
			got=$(ompi $mode 4 $btl $pattern 100 20 4096 | sum)
			[ "$got" = "$want" ] || no "$pattern over $btl in mode $mode: '$got', expected '$want'"
		done
	done
done
: >"$work/said"
for mode in yield hybrid proc-b local; do
	want=$(OMPI_MCA_mpi_yield_when_idle=1 ompi none 2 tcp ring 100 20 4096 | sum)
	got=$(ompi $mode 2 tcp ring 100 20 4096 | sum)
	[ "$got" = "$want" ] || no "ring in mode $mode: '$got', expected '$want'"
done
want='cosched-wait: hybrid: precedence in collectives is not there, ranks wait as in mode ib
cosched-wait: proc-b: no coschedd-node here, ranks wait as in mode ib'
[ "$(cat "$work/said")" = "$want" ] || no "on stderr: $(cat "$work/said")"
[ ! -e "$boards" ] || no "left behind: $(ls -A "$boards")"

# work MODE BTL: thousandths of the core's time that three jobs computed; -1: not all ran
work() {
	local mode=$1 btl=$2 at=$(($(date +%s) + 3)) j

	for j in 1 2 3; do
		ompi "$mode" 2 "$btl" ring 500 "@$seconds" 16384 $at >"$work/job.$j" &
	done
	wait
	awk '/^checksum/ { n++; s += $4 * 2 * 0.0005 / $6 }
		END { if (n != 3) exit 1; printf "%d\n", 1000 * s }' "$work"/job.[123] ||
		{ cat "$work"/job.[123] >&2; echo -1; }
}

# twice BTL: do ib and sb twice the work of local?
twice() {
	local btl=$1 mode
	local -A did=()

	for mode in none yield ib sb; do
		did[$mode]=$(work $mode "$btl")
		[ "${did[$mode]}" -gt 0 ] || { echo "$btl, $mode: not all jobs ran"; return 1; }
	done
	echo "three jobs of two ranks on one core over $btl, thousandths of it that they computed:" \
		"local ${did[none]}, yield ${did[yield]}, ib ${did[ib]}, sb ${did[sb]}"
	[ "${did[ib]}" -ge $((2 * did[none])) ] && [ "${did[sb]}" -ge $((2 * did[none])) ]
}
# Other work on the core hits the modes at different times: a second try is allowed.
for btl in tcp vader; do
	twice $btl || twice $btl || no "over $btl ib or sb does not twice the work of local"
done

# --- faults ---------------------------------------------------------------------

# A job over shared memory while something is done to its board: it ends as before, in
# three times the time and 3 s at most.
want=$(OMPI_MCA_mpi_yield_when_idle=1 ompi none 3 vader ring 500 400 4096 | sum)
whole=$(ompi ib 3 vader ring 500 400 4096 | awk '{ print $6 }')
echo "board: untouched: 400 grains in $whole s"
for fault in 'rm -rf' 'truncate -s 100' 'truncate -s 0' 'dd if=/dev/urandom bs=4096 count=8 conv=notrunc of'; do
	ompi ib 3 vader ring 500 400 4096 >"$work/out" &
	for ((i = 0; i < 200; i++)); do
		board=$(find "$boards" -type f 2>/dev/null | head -n 1)
		[ -z "$board" ] || break
		sleep 0.05
	done
	[ -n "$board" ] || no "$fault: no board"
	sleep 0.2
	case $fault in
	rm*)	rm -rf "$boards" ;;
	dd*)	dd if=/dev/urandom bs=4096 count=8 conv=notrunc of="$board" 2>/dev/null ;;
	*)	$fault "$board" ;;
	esac
	wait
	[ "$(sum <"$work/out")" = "$want" ] || no "$fault: $(cat "$work/out")"
	awk -v whole="${whole:-0}" '{ exit !($6 <= 3 * whole + 3) }' "$work/out" ||
		no "$fault: too slow: $(cat "$work/out"), $whole s without it"
	echo "board: ${fault%% *}: 400 grains in $(awk '{ print $6 }' "$work/out") s"
	rm -rf "$boards"
done

# A rank is killed while it sleeps or runs: its job ends, the next one works, the board
# of the dead goes once it is old.
ompi ib 2 vader ring 500 @20 4096 >"$work/out" &
job=$!
for ((i = 0; i < 200; i++)); do
	victim=$(pgrep -f "^$work/load ring 500 @20" | head -n 1)
	[ -z "$victim" ] || break
	sleep 0.05
done
sleep 0.5
[ -n "$victim" ] && kill -9 "$victim"
wait $job
got=$(ompi ib 2 vader ring 100 20 4096 | cut -d' ' -f 1)
[ "$got" = checksum ] || no "after a killed rank: $got"
[ ! -e "$boards" ] || find "$boards" -exec touch -d '-5 minutes' {} + 2>/dev/null
got=$(ompi ib 2 vader ring 100 20 4096 | cut -d' ' -f 1)
[ ! -e "$boards" ] || no "left behind by a killed rank: $(ls -A "$boards")"

# --- with MPICH -----------------------------------------------------------------

if command -v mpiexec.hydra >/dev/null && command -v mpicc.mpich >/dev/null; then
	mpicc.mpich -O2 -D_GNU_SOURCE -o "$work/mpich" "$source" || exit 1
	mpich() { # MODE NOLOCAL RANKS ARGUMENT...
		local mode=$1 with=(MPIR_CVAR_NOLOCAL="$2") ranks=$3
		shift 3
		[ "$mode" = none ] || with+=(LD_PRELOAD="$lib" COSCHED_WAIT="$mode")
		timeout 120 env "${with[@]}" taskset -c "$core" mpiexec.hydra -n "$ranks" \
			"$work/mpich" "$@" 2>&1
	}
	for nolocal in 0 1; do
		for pattern in ring alltoall; do
			want=$(mpich none $nolocal 2 $pattern 100 10 4096 | sum)
			got=$(mpich ib $nolocal 2 $pattern 100 10 4096 | sum)
			[[ $want = "checksum "* ]] && [ "$got" = "$want" ] ||
				no "MPICH, $pattern, NOLOCAL=$nolocal: '$got', expected '$want'"
		done
		for mode in none ib; do
			echo "MPICH, two ranks on one core, NOLOCAL=$nolocal, $mode:" \
				"$(mpich $mode $nolocal 2 ring 500 100 16384)"
		done
	done
	[ ! -e "$boards" ] || no "MPICH left behind: $(ls -A "$boards")"
else
	echo "MPICH was not tried: install mpich and libmpich-dev"
fi
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two versions at a time, as between the installation of an upgrade and slurmctld's next
# restart, or on hosts that are upgraded one by one: a new command and an old plugin, an
# old command and a new plugin, and a folder with one old and one new plugin. Each
# question is answered, or refused with one line; what the old side does not know, the
# new side says, with what to do. The old version is built here from COSCHED_OLD, a commit
# of this checkout's history; the default is from before sites, slices and top.
#
# With FULL=1 only: the old version has to be built.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -n "${FULL:-}" ] || skip "the long variants only: FULL=1"
commit=${COSCHED_OLD:-9033cf2}
old() {
	git -C "$TREE" -c safe.directory="$TREE" "$@"
}
old cat-file -e "$commit^{commit}" 2>/dev/null || skip "this checkout has no history with $commit"

build_old() {
	local source

	mkdir "$WORK/src" && old archive "$commit" | tar -C "$WORK/src" -xf - &&
		cd "$WORK/src" &&
		# a copy without history, as this one may be too, does not know its commit
		sed -i 's/^\(AC_INIT(\[[^]]*\], *\[\)[^]]*/\10.0.9/' configure.ac &&
		source=$("$TREE/contrib/slurm-source" "$(slurmctld -V | awk '{ print $2 }')") &&
		./bootstrap && ./configure --quiet --prefix="$WORK/old" --with-slurm="$source" &&
		nice make -s -j"$(nproc)" && make -s install
}
ok "the old version builds, $commit" build_old
new=$COSCHED old=$WORK/old/bin/cosched old_plugins=$WORK/old/lib/cosched/slurm
[ -x "$old" ] || exit 1

# ask BY COMMAND WORD...: its status in $rc, what it says in $out and $err
ask() {
	local by=$1
	shift
	timeout 30 "$by" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null
	rc=$?
	out=$(cat "$WORK/out") err=$(cat "$WORK/err")
}
# answered TEXT BY WORD...: status 0 or 1, an answer, nothing on standard error
answered() {
	local text=$1
	shift
	ask "$@"
	if [ "$rc" -le 1 ] && [ -n "$out" ] && [ -z "$err" ]; then
		good "$text: ${*:2}"
	else
		bad "$text: ${*:2}" "status $rc: $out$err"
	fi
}
# refused TEXT REGEX BY WORD...: status 1 and one line that says why
refused() {
	local text=$1 regex=$2
	shift 2
	ask "$@"
	if [ "$rc" -eq 1 ] && [ -z "$out" ] && [ "$(wc -l <"$WORK/err")" -eq 1 ] &&
		grep -qE -- "$regex" <<<"$err"; then
		good "$text: ${*:2}: $err"
	else
		bad "$text: ${*:2}" "status $rc: $out$err"
	fi
}
# one job that runs, one that waits
two_jobs() {
	runs=$(profiled cg -n16)
	ok "$1: a job runs" running "$runs"
	waits=$(job -n16)
	ok "$1: the plugin knows of one that waits" wait_for 20 "$2" explain "$waits"
}

# --- a new command, an old plugin

PLUGINS=$old_plugins
COSCHED=$old
cluster --name before
two_jobs "old plugin" "$new"
COSCHED=$new
text="new command, old plugin"
answered "$text" "$new" status
like "$text: status has a line for it" "$out" \
	"^slurmctld has loaded build 0.0.9, this command is of build .*: if that is the newer one, restart slurmctld$"
answered "$text" "$new" status --json
answered "$text" "$new" explain "$waits"
answered "$text" "$new" explain -v "$waits"
answered "$text" "$new" explain --json "$waits"
answered "$text" "$new" explain "$runs"
answered "$text" "$new" groups
answered "$text" "$new" groups --json
answered "$text" "$new" doctor
like "$text: doctor has it" "$out" "^ok +plugin .* restart slurmctld$"
answered "$text" "$new" exporter --once
like "$text: exporter: the plugin answers" "$out" "^cosched_up 1$"
older="the plugin in slurmctld is older than this command, and does not know '.*': restart slurmctld$"
for command in sites slices; do
	refused "$text" "$older" "$new" $command
	refused "$text" "$older" "$new" $command --json
done
refused "$text" "$older" "$new" top -b
ask "$old" users
is "users is as the old command has it" "$rc$out$err" "$(ask "$new" users; echo "$rc$out$err")"
scancel "$runs" "$waits"
cluster_down

# --- the upgrade of that plugin under a slurmctld that runs, step by step

mixed=$WORK/mixed
cp -r "$old_plugins" "$mixed"
PLUGINS=$mixed
COSCHED=$old
cluster --name steps
job=$(job -n2)
ok "a job runs" running "$job"
held=$(cores "$job")
for file in "$COSCHED_PREFIX/lib/cosched/slurm"/*.so; do
	name=${file##*/}
	install -m 755 "$file" "$mixed/.$name" && mv "$mixed/.$name" "$mixed/$name"
	ok "with the new $name: slurmctld restarts" vc restart-ctld
	eval "$(vc env)"
	ok "$name: a job is launched" timeout 60 srun -n1 -t1 true
	is "$name: what ran goes on" "$(state "$job") $(cores "$job")" "RUNNING $held"
	if ! "$new" status >"$WORK/out" 2>&1; then
		like "$name: status says what to do" "$(cat "$WORK/out")" \
			'WARNING: |does not listen'
	fi
done
COSCHED=$new
ok "with all of them mode act is on" wait_for 20 in_act
unlike "and slurmctld has the command's build" "$("$new" status)" "has loaded build"

# --- an old command, the new plugin

scancel "$job"
ok "nobody is left" wait_for 30 queue_empty
two_jobs "new plugin" "$old"
text="old command, new plugin"
answered "$text" "$old" status
like "$text: status names the mode" "$out" ": mode act, "
answered "$text" "$old" status --json
answered "$text" "$old" explain "$waits"
answered "$text" "$old" explain --json "$waits"
answered "$text" "$old" explain "$runs"
answered "$text" "$old" groups
answered "$text" "$old" groups --json
ask "$new" users
is "users is as the new command has it" "$rc$out$err" "$(ask "$old" users; echo "$rc$out$err")"
answered "new command, new plugin" "$new" doctor
cluster_down

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A directory service that hangs for one user (nss_slow.c, by libnss_wrapper): jobs of
# others start at once and mode act stays; his job starts after two seconds, under his
# number, which it keeps over a restart and when his name is known; slurmctld ends without
# waiting. PrivateData=usage and users: a user sees his own campaigns alone.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=campaigns.inc
. "$(dirname "$0")/campaigns.inc"
wrapper=$(find /usr/lib /usr/lib64 -name libnss_wrapper.so -print -quit 2>/dev/null)
[ -n "$wrapper" ] || skip "no libnss_wrapper"

gcc -shared -fPIC -Wall -Wextra -o "$WORK/nss_slow.so" "$TREE/test/cluster/nss_slow.c" ||
	exit 1
HANGS=$WORK/hangs
grep '^root:' /etc/passwd >"$WORK/passwd"
# All daemons have it, but slurmd's steps must find every user.
preload=()
vc() {
	env ${preload[@]+"${preload[@]}"} "$TREE/contrib/vcluster" "$@"
}
slow_names() {
	preload=(LD_PRELOAD="$wrapper" NSS_WRAPPER_PASSWD="$WORK/passwd"
		NSS_WRAPPER_GROUP=/etc/group NSS_WRAPPER_MODULE_SO_PATH="$WORK/nss_slow.so"
		NSS_WRAPPER_MODULE_FN_PREFIX=cosched_slow COSCHED_NSS_HANGS="$HANGS")
	vc "$@"
	preload=()
}
ctld_gone() {
	! kill -0 "$1" 2>/dev/null
}
# fed_as JOB: the users of its submit lines since the log's last header
fed_as() {
	awk -v job="\"job\":$1," '
	/"ev":"header"/	{ users = "" }
	/"ev":"submit"/ && index($0, job) && match($0, /"user":"[^"]*/) {
		users = users substr($0, RSTART + 8, RLENGTH - 8) " "
	}
	END { print users }' "$LOG"
}
games=$(id -u games)
fed() { # fed JOB USERS
	[ "$(fed_as "$1")" = "$2" ]
}
one_by() { # one_by USER [sbatch option]...
	by "$1" -n1 --mail-user=nobody "${@:2}"
}

params="cosched_mode=act,cosched_policy=ostrich,cosched_log=$LOG,bf_interval=1"

# Slurm itself looks a user up, with its locks held, when it takes a job without a
# --mail-user and when it starts one, unless:
cluster --nodes 3 --set LaunchParameters=disable_send_gids --params "$params"
slow_names restart-ctld
vc wait-up >/dev/null
! ours || ok "mode act is on" wait_for 15 in_act

# --- it hangs for one of three ---------------------------------------------------------

echo "$games" >"$HANGS"
longer_than() { # SECONDS since it hangs
	[ $((SECONDS - began)) -ge "$1" ]
}
began=$SECONDS
hung=$(one_by games)
a=$(one_by mail)
b=$(one_by daemon)
ok "jobs of others start" running "$a" "$b"
ok "within two seconds" test $((SECONDS - began)) -le 3 # 2 and one of the clock
ok "his starts, too" running "$hung"
ok "within seven" test $((SECONDS - began)) -le 8
ok "(he is looked up still)" test -e "$HANGS"
if ours; then
	ok "under his number" wait_for 5 fed "$hung" "$games "
	is "theirs under their names" "$(fed_as "$a")$(fed_as "$b")" "mail daemon "
	wait_for 14 longer_than 14 # than cosched_hang_s
	c=$(one_by mail)
	ok "after twelve seconds jobs of others still start" running "$c"
	ok "mode act is on" in_act
	second=$(one_by games)
	ok "a second job of his starts" running "$second"
	set_params "$params"
	ok "a reconfigure waits for no look-up" in_act
	ok "and knows his jobs" wait_for 10 fed "$second" "$games "
fi

# --- slurmctld ends, and starts, while it hangs -----------------------------------------

ctld=$(ctld_pid) stops=$SECONDS
kill "$ctld"
ok "slurmctld ends" wait_for 30 ctld_gone "$ctld"
ok "and waits for no look-up" test $((SECONDS - stops)) -le 6
ours || rm "$HANGS" # stock Slurm looks users up when it loads its jobs, and waits
slow_names start-ctld
vc wait-up >/dev/null
ours || exit 0
ok "mode act is on after a restart" wait_for 15 in_act
ok "his job is known again by his number" wait_for 10 fed "$hung" "$games "
rm "$HANGS"
named() { # a new job of his has his name
	local j

	j=$(one_by games) && wait_for 3 fed "$j" "games "
}
ok "when the service answers, later jobs have his name" wait_for 20 named
set_params "$params"
ok "after a reconfigure the first keeps his number" wait_for 10 fed "$hung" "$games "

# --- PrivateData --------------------------------------------------------------------------

chmod 755 "$COSCHED_VCLUSTER/state"
seen_by() { # users of the campaigns that user $1 sees
	vc run --user "$1" "$COSCHED" users --json 2>/dev/null | python3 -c '
import json, sys
print(*sorted({c["user"] for c in json.load(sys.stdin)["campaigns"]}))'
}
sees() { # sees USER USERS
	[ "$(seen_by "$1")" = "$2" ]
}
is "every user may read of all campaigns" "$(seen_by mail)" "$games daemon games mail"
for what in usage users jobs; do
	sed -i '/^PrivateData=/d' "$SLURM_CONF"
	printf 'PrivateData=%s\n' "$what" >>"$SLURM_CONF"
	set_params "$params"
	ok "PrivateData=$what: only of his own" wait_for 10 sees mail mail
	is "under number and name" "$(seen_by games)" "$games games"
	is "who has none, of none" "$(seen_by nobody)" ""
	is "root, of all" "$(seen_by root)" "$games daemon games mail"
done
clear_jobs
log_is_clean

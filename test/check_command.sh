#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command `cosched` without a cluster: a scontrol of our own says what the site
# has. `make check` runs it in the build folder.
#
# Usage: check_command.sh [COSCHED]
set -u -o pipefail
cosched=$(realpath "${1:-./cosched}") || exit 1
[ -x "$cosched" ] || { echo "no '$cosched': build first" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-command.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/bin" "$work/stock"
export PATH=$work/bin:$PATH SLURM_CONF=$work/slurm.conf
failed=0

# like TEXT GOT REGEX; unlike TEXT GOT REGEX: lines of GOT are joined
like() {
	if grep -qE -- "$3" <<<"$(joined "$2")"; then return; fi
	failed=1
	printf 'not ok - %s: no /%s/ in:\n%s\n' "$1" "$3" "$2"
}
unlike() {
	if ! grep -qE -- "$3" <<<"$(joined "$2")"; then return; fi
	failed=1
	printf 'not ok - %s: /%s/ in:\n%s\n' "$1" "$3" "$2"
}
joined() {
	tr '\n' ' ' <<<"$1" | sed 's/ # / /g; s/  */ /g'
}

# A program of that name that says standard input and ends with STATUS.
program() {
	cat >"$work/bin/$1.says"
	printf '#!/bin/sh\ncat "%s"\nexit %s\n' "$work/bin/$1.says" "$2" >"$work/bin/$1"
	chmod 755 "$work/bin/$1"
}

# --- what scontrol says when it cannot ask ----------------------------------------

program scontrol 1 <<'END'
scontrol: error: Incompatible Slurm plugin /x/select_cons_tres.so version (22.05.8)
scontrol: error: If munged is up, restart with --num-threads=10
scontrol: error: Munge encode failed: Failed to access "/m": No such file or directory
scontrol: error: slurm_send_node_msg: auth_g_create: REQUEST_BUILD_INFO has authentication error
slurm_load_ctl_conf error: Protocol authentication error
END
got=$("$cosched" status 2>&1)
like "munged is down: the cause is told" "$got" 'does not answer.*Munge encode failed: Failed'
unlike "munged is down: no hint of munge's" "$got" 'num-threads|Incompatible'

program scontrol 1 </dev/null
got=$("$cosched" status 2>&1)
like "scontrol says nothing" "$got" 'slurmctld does not answer'

# --- cosched profile check ---------------------------------------------------------

mkfifo "$work/fifo"
got=$(timeout 5 "$cosched" profile check "$work/fifo" 2>&1; echo "status $?")
like "a FIFO is no profile file" "$got" "fifo': no regular file.*status 2"
got=$(printf '{"version":1}' | timeout 5 "$cosched" profile check - 2>&1)
like "standard input is one" "$got" '^-: ok, 0 profiles'
got=$("$cosched" profile check "$work" 2>&1)
like "a folder is none" "$got" "no regular file"

# --- cosched params ----------------------------------------------------------------

got=$("$cosched" params policy)
for preset in fcfs easy pack ssp cstws; do
	like "params policy lists $preset" "$got" " $preset +order=.*place="
done
like "params policy says what cst sets" "$got" \
	'cst +order=fcfs, slice=none, place=pair-best, backfill=conservative, layout=model, cases=1234, backfill_cases=14'
unlike "a preset sets a key once" "$(grep -o 'glts+ .*' <<<"$got")" 'layout=.* layout='
like "a large whole number is printed whole" "$("$cosched" params seed)" \
	'\(0 to 9007199254740992\)'
like "params has both defaults" "$("$cosched" params unprofiled)" \
	'^cosched_unprofiled=pack +\(model\|pack\) +simulator: model '
like "params --sim has them too" "$("$cosched" params --sim unprofiled)" \
	'^unprofiled=model +\(model\|pack\) +slurmctld: pack '
unlike "params names one where they agree" "$("$cosched" params slack)" simulator
like "params of a preset that slurmctld lacks" \
	"$("$cosched" params --sim --preset pect slice)" '^slice=pect +\(none\|pect\|gang\)'
like "params --differences goes without a key" \
	"$("$cosched" params --differences slack 2>&1)" 'expected no key'
like "the paper is named where it is cited" "$("$cosched" params max_slowdown)" \
	'\(Zeng09: MAX_SL\).* Zeng09 is Zeng and Sodan.*JSSPP 2009'
unlike "the paper is named there alone" "$("$cosched" params log_mb)" 'Zeng'
man=$("$cosched" params --man)
like "the manual page says what Zeng09 is" "$man" 'Zeng09 is Zeng and Sodan'
while read -r paper; do
	like "and what $paper is" "$man" "$paper is [A-Z]"
done < <(grep -oE '\b[A-Z][a-z]+[0-9]{2}\b' <<<"$man" | sort -u)

# What the text says, as JSON: each key, both values, the range, the presets.
json_differs() {
	"$cosched" params --json | python3 -c '
import json, re, subprocess, sys
told = json.load(sys.stdin)

def text(*words):
	out = subprocess.run([sys.argv[1], "params", *words], capture_output=True,
		text=True, check=True).stdout
	return dict(re.findall(r"^(?:cosched_)?([a-z]\w*)=(\S*) ", out, re.M)), out

def same(a, b):
	return a == (b if b != "-" else "") or not isinstance(a, str) and a == float(b)

live, out = text()
sim, _ = text("--sim")
rows = {p["key"]: p for p in told["parameters"]}
if list(rows) != list(live) or len(rows) < 50:
	print("keys", set(rows) ^ set(live))
for key, p in rows.items():
	if not same(p["slurmctld"], live[key]) or not same(p["simulator"], sim[key]):
		print(key, p, live[key], sim[key])
	if p["kind"] == "enum" and not {p["slurmctld"], p["simulator"]} <= set(p["values"]):
		print(key, "is none of", p["values"])
	if p["kind"] in ("integer", "real") and not p["min"] <= p["slurmctld"] <= p["max"]:
		print(key, "is out of range")
	if not p["text"]:
		print(key, "has no text")
for name, keys in told["presets"].items():
	line = ", ".join(k + "=" + v for k, v in keys.items())
	if not re.search(r"^ +" + re.escape(name) + " +" + re.escape(line) + "$", out, re.M):
		print("preset", name, line)
if len(told["presets"]) < 15:
	print("few presets")
' "$cosched" 2>&1
}
like "params --json is what params says" "$(json_differs)" '^ ?$'
like "params --json KEY has that one" "$("$cosched" params --json cosched_slack |
	grep -c '"key"')" '^1 ?$'
like "params --json of no key" "$("$cosched" params --json nothing 2>&1)" "no key 'nothing'"
like "params --json has both" "$("$cosched" params --json --sim 2>&1)" 'expected no --sim'

# Every default is the same in both.
man_defaults() {
	sed -n 's/^\.TP$//; s/^\\fB\(cosched_[a-z0-9_]*\)\\fR=.*/\1/p;
		s/^Default: \\fB\([^\\]*\(\\-[^\\]*\)*\)\\fR.*/=\1/p' <<<"$man" |
		tr -d '\\\n' | sed 's/cosched_/\n&/g; s/=empty/=-/g'
}
command_defaults() {
	"$cosched" params | sed -n 's/^\(cosched_[a-z0-9_]*=[^ ]*\)  (.*/\1/p'
}
[ "$(command_defaults | wc -l)" -gt 25 ] || failed=1
if ! diff <(man_defaults | grep .) <(command_defaults) >"$work/diff"; then
	failed=1
	printf 'not ok - defaults of the manual page and of the command differ:\n'
	cat "$work/diff"
fi

# --- cosched conf ------------------------------------------------------------------

# site KEY=VALUE...: what scontrol says of the site, the last of a key counts
site() {
	printf '%s\n' SlurmctldHost=c SLURM_VERSION=22.05.8 SlurmUser="nobody($nobody)" \
		SelectType=select/cons_tres SelectTypeParameters=CR_CORE \
		SchedulerType=sched/backfill TaskPlugin=task/affinity \
		PluginDir="$work/stock" "$@" | program scontrol 0
}
conf() {
	"$cosched" conf --plugin-dir "$work/ours" "$@"
}
nobody=$(id -u nobody)
# plugin FILE RELEASE: a file with a plugin_version
plugin() {
	echo "const unsigned plugin_version = $2;" |
		${CC:-cc} -shared -fPIC -x c -o "$1" - || exit 1
}
mkdir "$work/ours"
plugin "$work/ours/select_cons_tres.so" 0x160508
cp "$work/ours/select_cons_tres.so" "$work/ours/sched_backfill.so"
: >"$work/ours/libcosched_plan.so"

site
got=$(conf)
unlike "a site as it should be" "$got" WARNING
like "our folder comes first" "$got" "PluginDir=$work/ours:$work/stock "
like "the mode is shadow, all else by default" "$got" \
	' SchedulerParameters=cosched_mode=shadow *$'
like "this site's priorities count under a paper's policy" "$(conf --policy cst)" \
	'cosched_mode=shadow,cosched_order=slurm,cosched_policy=cst'
site SchedulerParameters=cosched_policy=glts
like "also where it has one" "$(conf)" 'cosched_order=slurm'
like "unless it is told otherwise" "$(conf --policy ostrich --mode off)" \
	'cosched_mode=off,cosched_order=ostrich,cosched_policy=ostrich'
like "a policy made for an order has it" "$(conf --policy cover+)" \
	'cosched_mode=shadow,cosched_order=expansion,cosched_policy=cover\+'
site SchedulerParameters=cosched_policy=cover+
unlike "so does the site that has one" "$(conf)" 'cosched_order='
site SchedulerParameters=cosched_mode=off,cosched_policy=ostrich,bf_interval=1
got=$(conf)
like "what it has of ours stays" "$got" 'SchedulerParameters=.*cosched_mode=off'
unlike "so does the order of its policy" "$got" 'SchedulerParameters=.*(order=slurm|mode=act)'
site SchedulerParameters=cosched_order=fcfs
like "and an order" "$(conf)" 'SchedulerParameters=.*cosched_order=fcfs'
for t in tree block; do
	site TopologyPlugin=topology/$t
	like "a rule of sites takes those of topology/$t" "$(conf --policy multisite-adaptive)" \
		'SchedulerParameters=.*cosched_policy=multisite-adaptive,cosched_sites=topology'
done
site TopologyPlugin=topology/tree SchedulerParameters=cosched_sites=a+b
like "... but for the site's own" "$(conf --policy multisite+)" 'SchedulerParameters=cosched_sites=a\+b,'
site TopologyPlugin=topology/none
like "... and without any it has to be told" "$(conf --policy multisite+ 2>&1)" "'cosched_sites' is not given"
for t in linear cons_res; do
	site SelectType=select/$t
	like "select/$t is said" "$(conf)" \
		"WARNING: SelectType=select/$t here: the line below changes it"
done
site SelectType=select/linear
like "select/linear: the jobs are lost" "$(conf)" 'loses all jobs'
site SelectType=select/cons_res
unlike "select/cons_res: they are not" "$(conf)" 'loses all jobs'
site SchedulerType=sched/builtin
like "sched/builtin is said" "$(conf)" 'WARNING: SchedulerType=sched/builtin here'

site SLURM_VERSION=24.11.5
like "plugins of another release" "$(conf)" \
	"WARNING: Slurm 24.11.5 runs; of our plugins those in $work/ours are for 22.05.8. slurmctld passes over .* Build ours for 24.11.5 "
site
printf 'no ELF' >"$work/ours/select_cons_tres.so"
unlike "a file that is no plugin is nothing to compare" "$(conf)" 'of our plugins'
rm "$work/ours/sched_backfill.so"
like "the file that is missing is named" "$(conf)" 'on this host lacks sched_backfill.so of ours'
unlike "the others are not" "$(conf)" 'lacks.*select_cons_tres.so of ours'

site PluginDir="$work/ours:$work/gone:$work/stock"
like "a folder of PluginDir that is not there" "$(conf)" \
	"WARNING: $work/gone of this site's PluginDir is no folder"
site PluginDir="/x/lib/cosched/slurm:$work/ours:$work/stock"
got=$("$cosched" conf --plugin-dir "$work/elsewhere")
like "an older folder of ours goes" "$got" "PluginDir=$work/elsewhere:$work/stock "
unlike "conf --help: nothing is to be appended" "$("$cosched" conf --help)" 'append'

site
printf '{"version":1,' >"$work/garbage"
like "conf: a profile file that is refused" "$(conf --profiles "$work/garbage" | tr '\n' ' ')" \
	"WARNING: $work/garbage:1: .*slurmctld refuses such a"
printf '{"version":1}' >"$work/garbage"
unlike "conf: one that is taken" "$(conf --profiles "$work/garbage")" 'slurmctld refuses'
like "conf: a folder as the event log" "$(conf --log "$work" | tr '\n' ' ')" \
	"WARNING: $work is a folder"

# Root is asked what SlurmUser may.
if [ "$(id -u)" -eq 0 ]; then
	site
	mkdir -m 755 "$work/open" "$work/closed"
	chmod 700 "$work/closed"
	printf '{"version":1}' >"$work/open/profiles"
	: >"$work/open/log"
	chmod 600 "$work/open/profiles" "$work/open/log"
	got=$(conf --profiles "$work/open/profiles" --log "$work/open/log")
	like "conf: profiles that SlurmUser cannot read" "$got" \
		"open/profiles: SlurmUser \(nobody\) cannot read it: Permission denied"
	like "conf: a log that it cannot write" "$got" "open/log: SlurmUser .* cannot write to it"
	like "conf: a folder that it cannot write" "$got" "open: SlurmUser .* cannot write there"
	like "profile check: a file that it cannot read" \
		"$("$cosched" profile check "$work/open/profiles")" \
		'ok, .*WARNING: SlurmUser \(nobody\) cannot read it: Permission denied'
	chmod 644 "$work/open/profiles"
	chown nobody "$work/closed"
	got=$(conf --profiles "$work/open/profiles" --log "$work/mine/log")
	unlike "conf: what it may is no matter" "$got" 'SlurmUser \('
	unlike "profile check: nor there" \
		"$("$cosched" profile check "$work/open/profiles")" WARNING
fi

# --- cosched conf --check --------------------------------------------------------------

# check: what is said of slurm.conf, which is standard input, with our folder first in its
# last line; and the status
check() {
	{ cat; echo "PluginDir=/opt/cosched/slurm:/usr/lib/slurm"; } >"$work/site.conf"
	"$cosched" conf --check "$work/site.conf" 2>&1
	echo "status $?"
}
# says TEXT GOT LINES...: these lines, and no others
says() {
	local text=$1 got=$2

	shift 2
	[ "$got" = "$(printf '%s\n' "$@")" ] && return
	failed=1
	printf 'not ok - %s:\n%s\n' "$text" "$(diff <(printf '%s\n' "$@") - <<<"$got")"
}
f=$work/site.conf
# whole LINES...: a whole slurm.conf of them, and what is said of it
whole() {
	printf '%s\n' SlurmctldHost=c "$@" >"$f"
	"$cosched" conf --check "$f" 2>&1
	echo "status $?"
}
printf '%s\n' "SchedulerParameters=cosched_mode=shadow" >"$f"
says "conf --check: a part of a slurm.conf, without PluginDir" "$("$cosched" conf --check "$f" 2>&1; echo "status $?")" \
	"$f: no PluginDir in it, nor a SlurmctldHost, so it is taken for a part of a slurm.conf: that must have our folder first in PluginDir" \
	"$f: ok" "status 0"
program scontrol 0 </dev/null
echo "slurm-wlm 24.11.5" | program slurmctld 0
like "conf --check: a whole one without PluginDir" "$(whole SchedulerParameters=cosched_mode=shadow)" \
	"^$f: no PluginDir in $f: slurmctld loads Slurm's own plugins. Put our folder, .*, first, as cosched conf prints it, then restart slurmctld. status 1"
like "conf --check: PluginDir without our folder" "$(whole SchedulerParameters=cosched_mode=shadow PluginDir=/usr/lib/slurm)" \
	"^$f:3: PluginDir names no folder of ours, so slurmctld loads Slurm's own plugins. Put .* first, as cosched conf prints it, then restart slurmctld. status 1"
says "conf --check: nothing of ours is stock Slurm" \
	"$(whole SelectType=select/linear SchedulerParameters=defer PluginDir=/usr/lib/slurm)" \
	"$f: ok, stock Slurm: no key of cosched's in it, and no folder of ours in PluginDir" "status 0"
says "conf --check: our folder without a key is not" "$(whole PluginDir=/opt/cosched/slurm:/usr/lib/slurm)" \
	"$f: ok, no key of cosched's in it" "status 0"
mkdir -p "$work/behind/first" "$work/behind/lib/cosched/slurm"
touch "$work/behind/first/sched_backfill.so"
printf '%s\n' SchedulerParameters=cosched_mode=act \
	"PluginDir=$work/behind/first:$work/behind/lib/cosched/slurm" >"$f"
says "conf --check: our folder behind Slurm's" "$("$cosched" conf --check "$f" 2>&1; echo "status $?")" \
	"$f:2: PluginDir names our folder, $work/behind/lib/cosched/slurm, after $work/behind/first, so slurmctld loads Slurm's own plugins. Put ours first, then restart slurmctld." \
	"status 1"
sed -i 1d "$f"
says "conf --check: the same for the site factor alone" "$("$cosched" conf --check "$f" 2>&1; echo "status $?")" \
	"$f: ok, no key of cosched's in it" "status 0"
echo "PluginDir=$work/behind/lib/cosched/slurm" >"$f"
says "conf --check: our folder alone" "$("$cosched" conf --check "$f" 2>&1; echo "status $?")" \
	"$f:1: PluginDir names our folder alone: without Slurm's own every Slurm program dies (\"cannot find auth plugin\"). Put Slurm's behind it, as cosched conf prints it." \
	"status 1"
plugins="slurmctld loads no plugin of ours by that name, expected"
got=$(printf '%s\n' SchedulerParameters=cosched_mode=act,cosched_depth=x SelectType=select/linear \
	SchedulerType=sched/builtin | check)
says "conf --check: types that are not ours, beside other errors" "$got" \
	"$f:1: 'cosched_depth' is 'x', expected a whole number from 0 to 100000000 jobs" \
	"$f:2: SelectType=select/linear: $plugins select/cons_tres (see cosched conf before the change)" \
	"$f:3: SchedulerType=sched/builtin: $plugins sched/backfill (see cosched conf before the change)" "status 1"
says "conf --check: without a key of ours they are no error" \
	"$(printf '%s\n' SelectType=select/linear SchedulerParameters=defer | check)" \
	"$f: ok, no key of cosched's in it" "status 0"
echo "slurm-wlm 22.05.8" | program slurmctld 0
ours="PluginDir=/opt/cosched/slurm:/usr/lib/slurm"
says "conf --check: no SelectType in 22.05" "$(whole SchedulerParameters=cosched_mode=act $ours)" \
	"$f: no SelectType: in Slurm 22.05 that is select/linear, and $plugins SelectType=select/cons_tres (see cosched conf before the change)" "status 1"
says "conf --check: a part may have none" "$(check <<<SchedulerParameters=cosched_mode=act)" "$f: ok" "status 0"
echo "slurm-wlm 24.11.5" | program slurmctld 0
says "conf --check: no SelectType in 24.11" "$(whole SchedulerParameters=cosched_mode=act $ours)" "$f: ok" "status 0"
got=$(printf '%s\n' SchedulerParameters=cosched_mode=act SelectType=select/cons_tres \
	SelectTypeParameters=CR_CPU_Memory SchedulerType=sched/backfill | check)
says "conf --check: no cores are given" "$got" \
	"$f: SelectTypeParameters=CR_CPU_Memory: Slurm's own test places all jobs, and none shares a node by the plan. Exact cores need CR_Core or CR_Core_Memory." \
	"$f: ok" "status 0"
got=$(printf '%s\n' SchedulerParameters=cosched_mode=act SelectTypeParameters=CR_Core MCSPlugin=mcs/user \
	'PartitionName=a Nodes=n1 SelectTypeParameters=CR_Socket' 'PartitionName=b Nodes=n1' \
	'PartitionName=c Nodes=n1 SelectTypeParameters=CR_Core' TopologyPlugin=topology/none \
	MaxArraySize=9 | check)
says "conf --check: labels, and a partition without cores" "$got" \
	"$f: MCSPlugin=mcs/user: Slurm's own test places all jobs, and none shares a node by the plan." \
	"$f: SelectTypeParameters=CR_Socket of partition 'a': Slurm's own test places its jobs, and none shares a node by the plan. Exact cores need CR_Core or CR_Core_Memory." \
	"$f: ok" "status 0"
got=$(printf '%s\n' SchedulerParameters=cosched_mode=act 'PartitionName=a Nodes=n1' \
	SelectTypeParameters=CR_CPU MCSPlugin=mcs/none | check)
says "conf --check: a line behind a partition's is the cluster's" "$got" \
	"$f: SelectTypeParameters=CR_CPU: Slurm's own test places all jobs, and none shares a node by the plan. Exact cores need CR_Core or CR_Core_Memory." \
	"$f: ok" "status 0"
echo "slurm-wlm 22.05.8" | program slurmctld 0
says "conf --check: in 22.05 the default gives no cores" \
	"$(whole SchedulerParameters=cosched_mode=act $ours SelectType=select/cons_tres)" \
	"$f: no SelectTypeParameters: Slurm's own test places all jobs, and none shares a node by the plan. Exact cores need CR_Core or CR_Core_Memory." \
	"$f: ok" "status 0"
echo "slurm-wlm 24.11.5" | program slurmctld 0
says "conf --check: in 24.11 it does" \
	"$(whole SchedulerParameters=cosched_mode=act $ours SelectType=select/cons_tres)" "$f: ok" "status 0"
got=$(printf '%s\n' 'SchedulerParameters=cosched_mode=act,bf_max_job_user=7,\' 'assoc_limit_stop,xyz' \
	TopologyParam=Dragonfly | check)
says "conf --check: keys of Slurm's that are not honoured" "$got" \
	"$f:1: SchedulerParameters: bf_max_job_user is not honoured in mode act. No number of jobs of a user is left out; cosched_depth bounds those of a partition." \
	"$f:2: SchedulerParameters: assoc_limit_stop is not honoured in mode act. A job that a limit of its association keeps waiting never stops those behind it." \
	"$f:2: SchedulerParameters: 'xyz' is no key of Slurm's that cosched knows: it is not honoured in mode act" \
	"$f:3: TopologyParam: Dragonfly is not honoured in mode act. Leaves are chosen as in a tree, the fewest that hold the job." \
	"$f: ok" "status 0"
says "conf --check: no prefix, a comma in a list" \
	"$(check <<<'SchedulerParameters=cosched_learn_accounts=a,b,c,max_slowdown=1.2,bf_continue,defer')" \
	"$f:1: 'b' behind 'cosched_learn_accounts=a' is no key: a comma ends the value; expected '+' in a list" \
	"$f:1: 'c' behind 'cosched_learn_accounts=a' is no key: a comma ends the value; expected '+' in a list" \
	"$f:1: unknown key 'max_slowdown', expected 'cosched_max_slowdown'" "status 1"
got=$(printf '%s\n' 'SchedulerParameters=cosched_mode=act,bf_window=abc,\' \
	'bf_interval=-3,bf_min_age_reserve=60,max_rpc_cnt' | check)
says "conf --check: numbers that Slurm cannot read" "$got" \
	"$f:1: SchedulerParameters: bf_window is 'abc', expected a whole number from 1 to 43200 min; Slurm's backfill takes 1440" \
	"$f:2: SchedulerParameters: bf_interval is '-3', expected a whole number from 1 to 10800 s; Slurm's backfill takes 30" \
	"$f:2: SchedulerParameters: max_rpc_cnt has no value, expected 'max_rpc_cnt=N', N a whole number from 0 to 1000; Slurm's backfill takes 0" \
	"$f: ok" "status 0"
says "conf --check: bare, with '-', in capitals, misspelt" \
	"$(check <<<'SchedulerParameters=cosched_mode=act,learn,max-slowdown=1.2,Depth=5,max_slowdwn=2,xyz=1')" \
	"$f:1: unknown key 'learn', expected 'cosched_learn=VALUE'" \
	"$f:1: unknown key 'max-slowdown', expected 'cosched_max_slowdown'" \
	"$f:1: unknown key 'Depth', expected 'cosched_depth'" \
	"$f:1: unknown key 'max_slowdwn', expected 'cosched_max_slowdown'" "status 1"
says "conf --check: what a comma splits off may have a value" \
	"$(check <<<'SchedulerParameters=cosched_learn_accounts=a,b=2,learn,cosched_depht=3,xyz,defer,xyz')" \
	"$f:1: unknown key 'cosched_depht', expected one of \`cosched params\`, perhaps 'cosched_depth'" \
	"$f:1: 'b=2' behind 'cosched_learn_accounts=a' is no key: a comma ends the value; expected '+' in a list" \
	"$f:1: 'learn' behind 'cosched_learn_accounts=a' is no key: a comma ends the value; expected '+' in a list" \
	"status 1"
printf '%s\n' chem phys root | program sacctmgr 0
says "conf --check: an account that slurmdbd does not know" \
	"$(whole SchedulerParameters=cosched_learn_accounts=phys+Chem "$ours")" \
	"$f:2: cosched_learn_accounts: slurmdbd has no account 'Chem', expected one of \`sacctmgr show account\`" "status 1"
says "conf --check: accounts that it knows" \
	"$(whole SchedulerParameters=cosched_learn_accounts=phys+chem "$ours")" "$f: ok" "status 0"
program sacctmgr 1 <<<"sacctmgr: error: no contact"
says "conf --check: a slurmdbd that does not answer" \
	"$(whole SchedulerParameters=cosched_learn_accounts=x "$ours")" "$f: ok" "status 0"
rm "$work/bin/sacctmgr"
for port in 6816 6817 7001 7003 7004 /run/7002; do
	got=$(printf 'SchedulerParameters=cosched_mode=act,cosched_socket=%s\n%s\n' \
		$port "$([ $port = 6817 ] || echo SlurmctldPort=7001-7003)" | check)
	case $port in
	6817 | 700[1-3]) want="^$f:1: cosched_socket: $port is slurmctld's own \(SlurmctldPort=.*\), expected a free port status 1" ;;
	*)	want="^$f: ok status 0" ;;
	esac
	like "conf --check: cosched_socket=$port" "$got" "$want"
done
got=$(check <<<"SchedulerParameters=defer,cosched_mode=act # cosched_mode=x")
says "conf --check: a good one" "$got" "$f: ok" "status 0"
got=$(check <<<"SchedulerParameters=defer,sched_interval=5")
says "conf --check: none of ours" "$got" "$f: ok, no key of cosched's in it" "status 0"
got=$(check <<<$'ClusterName=c\nSchedulerParameters=defer,cosched_small=model,hold=1')
says "conf --check: an old name of a key, and one without its prefix" "$got" \
	"$f:2: 'cosched_small' is the old name of cosched_unprofiled: the next release refuses it" \
	"$f:2: unknown key 'hold', expected 'cosched_campaign_hold'" "status 1"

# Slurm's parser dies of these; test/cluster/badinput.sh asks a real one.
dies="and Slurm would die: a blank ends a value, expected none, or quotes around it all"
got=$(sed 's/|$//' <<'END' | check
SchedulerParameters=cosched_mode=act,cosched_policy=glts +
ClusterName=c # what it is, and \
Epilog
Epilog = # nothing
Mail-Prog=/x
MaxJobCount=100, \  |
 7
PartitionName=p Nodes=n1 State= |
 Include more.conf
SchedulerParameters="cosched_mode=act, defer"  x
SlurmctldParameters="a b"
END
)
says "conf --check: lines that Slurm cannot read" "$got" \
	"$f:1: '+' behind the value of SchedulerParameters, $dies" \
	"$f:3: 'Epilog': Slurm would die, expected KEY=VALUE" \
	"$f:4: 'Epilog =': Slurm would die, expected KEY=VALUE" \
	"$f:5: 'Mail-Prog=/x': Slurm would die, expected KEY=VALUE" \
	"$f:7: '7' behind the value of MaxJobCount, $dies" \
	"$f:8: 'State=': Slurm would die, expected KEY=VALUE" \
	"$f:9: 'Include more.conf': Slurm would die, expected KEY=VALUE" \
	"$f:1: SchedulerParameters is in line 10 of $f too, and Slurm uses only the last: expected one, with the keys of both" \
	"$f:10: 'x' behind the value of SchedulerParameters, $dies" "status 1"
got=$(check <<<$'SchedulerParameters="cosched_mode=act, defer"\r\nEpilog="/a b"\t')
says "conf --check: quotes keep blanks" "$got" "$f: ok" "status 0"
# the Slurm of this host knows its keys, and is asked about a whole file
echo "scontrol: error: _parse_next_key: Parsing error at unrecognized key: Nonsense
scontrol: error: SlurmctldHost 1 specified more than once, latest value used
scontrol: fatal: Unable to process configuration file" | program scontrol 1
got=$(check <<<$'SlurmctldHost=c\nSchedulerParameters=cosched_mode=act\nNonsense=1')
says "conf --check: what only Slurm knows" "$got" \
	"$f: Slurm refuses it, and would die: Parsing error at unrecognized key: Nonsense" "status 1"
got=$(check <<<$'SchedulerParameters=cosched_mode=act\nNonsense=1')
says "conf --check: of a part of a slurm.conf Slurm is not asked" "$got" "$f: ok" "status 0"
site

cat >"$work/bad.json" <<'END'
{"version":1,
 "profiles":{"cg":{"slef":{}},
  "io":{"resources":{"cpu":2}}},
 "default":"mem"}
END
got=$(check <<END
# SchedulerParameters=cosched_mode=ack
SchedulerType=sched/backfill
schedulerparameters = defer,cosched_mode=on,\\
coshed_depth=3,bf_interval=1,\\
cosched_profiles=$work/bad.json,cosched_jobs_per_node=0  PluginDir=/x
cosched_policy=cst
Include gone.conf
END
)
says "conf --check: all errors at once" "$got" \
	"$f:5: 'PluginDir=/x' behind the value of schedulerparameters, $dies" \
	"$f:6: 'cosched_policy' is no key of slurm.conf, and Slurm would die: expected it in SchedulerParameters=..." \
	"$f:7: Include $work/gone.conf: No such file or directory" \
	"$f:3: 'cosched_mode' is 'on', expected off, shadow, act" \
	"$f:4: unknown key 'coshed_depth', expected one of \`cosched params\`, perhaps 'cosched_depth'" \
	"$f:5: 'cosched_jobs_per_node' is '0', expected a whole number from 1 to 4096 jobs" \
	"$work/bad.json:2: unknown key 'slef', expected self, resources, across or waits" \
	"$work/bad.json:3: 'cpu' is 2, expected a number from 0 to 1" \
	"$work/bad.json:4: 'default' is 'mem', expected one of 'profiles'" "status 1"

printf 'SchedulerParameters=cosched_mode=of\n' >"$work/more.conf"
got=$(check <<'END'
SchedulerParameters="cosched_mode=act"
include more.conf
END
)
says "conf --check: an included file, and the one that counts" "$got" \
	"$f:1: SchedulerParameters is in line 1 of $work/more.conf too, and Slurm uses only the last: expected one, with the keys of both" \
	"$work/more.conf:1: 'cosched_mode' is 'of', expected off, shadow, act" "status 1"
for policy in pect brmms+ cst,cosched_slice=pect; do
	got=$(printf 'PreemptMode=suspend,gang\nSchedulerParameters=cosched_policy=%s\n' "$policy" | check)
	like "conf --check: slices beside Slurm's gang scheduler, $policy" "$got" \
		"^$f:2: cosched_(policy|slice): PreemptMode=suspend,gang: .*: expected PreemptMode without GANG, or cosched_slice=none status 1"
done
for guard in 8 9; do
	got=$(printf 'PreemptParameters=suspend_grace_time=8\nSchedulerParameters=cosched_slice=pect,cosched_slice_guard_s=%s\n' $guard | check)
	like "conf --check: a grace time of 8 s beside a guard of $guard s" "$got" \
		"$([ $guard = 9 ] && echo "^$f: ok status 0" || echo "suspend_grace_time=8, .* expected less than cosched_slice_guard_s .8 s. status 1")"
done
# the examples' rules match no job; those of before matched real ones
cp "$(dirname "$0")/../etc/profiles.json" "$work/copied.json"
got=$(check <<<"SchedulerParameters=cosched_profiles=$work/copied.json")
says "conf --check: the example file is taken" "$got" "$f: ok" "status 0"
sed -i 's/"an-account-of-yours","name":"this-example-matches-no-job-1-\*"/"chemistry","name":"md-*"/
	s/"account":"an-account-of-yours","name":"this-example-matches-no-job-3-\*"/"name":"copy-*"/' "$work/copied.json"
got=$(check <<<"SchedulerParameters=cosched_profiles=$work/copied.json")
copied="was copied from the examples, whose slowdowns are invented, expected rules of your own"
says "conf --check: rules of the examples" "$got" \
	"$f:1: cosched_profiles: $work/copied.json: rule 1 (account 'chemistry', name 'md-*') $copied" \
	"$f:1: cosched_profiles: $work/copied.json: rule 3 (account '*', name 'copy-*') $copied" "status 1"
got=$(check <<<"SchedulerParameters=cosched_profiles=$work/none.json")
says "conf --check: no such profile file" "$got" \
	"$f:1: cosched_profiles: '$work/none.json': No such file or directory" "status 1"
mkdir "$work/logs"
got=$(check <<END
SchedulerParameters=defer,cosched_mode=act,\\
cosched_partition_modes=debug:off+gone:act+site:1:off,cosched_share_partitions=debug,batch,\\
cosched_log=$work/none/log,cosched_max_slowdown=1,2
PartitionName=DEFAULT State=UP
PartitionName=debug Nodes=n1 Default=YES
PartitionName=batch Nodes=n2
PartitionName=site:1 Nodes=n3
END
)
says "conf --check: partitions, the log, a comma" "$got" \
	"$f:3: 'cosched_max_slowdown' is '1,2', expected a number with a point ('.'): a comma ends the value" \
	"$f:3: cosched_log: '$work/none' is no folder, expected one where SlurmUser may write" \
	"$f:2: cosched_partition_modes: no partition 'gone' in this slurm.conf" \
	"$f:2: cosched_share_partitions: 'batch' behind it is a partition: a comma ends the value, expected '+'" \
	"status 1"
# parts NODES NODES MODES [DEFAULT]: two partitions with these nodes
parts() {
	printf '%s\n' "SchedulerParameters=cosched_mode=shadow,cosched_partition_modes=$3" \
		"PartitionName=DEFAULT State=UP ${4:-}" "PartitionName=a ${1:+Nodes=$1}" \
		"PartitionName=b ${2:+Nodes=$2}" "NodeSet=c Nodes=n[1-9]" | check
}
for case in 'n[1-4] n[4-5] b:act' 'ALL n5 b:act' 'n5 ALL b:act' 'x,n07 n[06-07] b:act' 'n1 n1 a:off'; do
	read -r a b modes <<<"$case"
	like "conf --check: modes of partitions that share nodes, $case" "$(parts "$a" "$b" "$modes")" \
		"^$f:1: cosched_partition_modes: partition '[ab]' is in mode [a-z]+ and shares nodes with '[ab]' in mode [a-z]+: all would follow cosched_mode=shadow status 1"
done
like "conf --check: by the default's nodes, too" "$(parts "" n3 b:act Nodes=n3)" "shares nodes with .* status 1"
# sets LINES: partition a of nodes n9 and s, which these lines (ended by |) tell, and b of
# n3, in another mode
sets() {
	{
		printf '%s\n' SchedulerParameters=cosched_mode=shadow,cosched_partition_modes=b:off \
			'NodeName=DEFAULT CPUs=4' 'NodeName=n[1-2] Feature=big,gpu' \
			'NodeName=n3 Features=fat,gp' 'PartitionName=b Nodes=n3' 'PartitionName=a Nodes=n9,s'
		tr '|' '\n' <<<"$1"
	} | check
}
for lines in 'NodeSet=s Nodes=n[2-4]' 'NodeSet=s Feature=gp' 'NodeSet=s Nodes=n1 Feature=fat' \
	'NodeSet=s Nodes=n1,t|NodeSet=t Nodes=n3' 'NodeSet=s Feature=big|NodeName=n[3-4] Feature=x,big' \
	'NodeSet=s Feature=usual|NodeName=DEFAULT Feature=usual|NodeName=n3'; do
	like "conf --check: modes of partitions, $lines" "$(sets "$lines")" \
		"^$f:1: cosched_partition_modes: partition '[ab]' is in mode [a-z]+ and shares nodes with '[ab]' in mode [a-z]+: all would follow cosched_mode=shadow status 1"
done
for lines in 'NodeSet=s Nodes=n[1-2]' 'NodeSet=s Feature=gpu' 'NodeSet=s Feature=g' \
	'NodeSet=other Nodes=n3' 'NodeSet=t Nodes=n3|NodeSet=s Nodes=n1,t'; do
	says "conf --check: modes of partitions, $lines" "$(sets "$lines")" "$f: ok" "status 0"
done
like "conf --check: act and shadow" "$(parts n1 n2 b:act)" \
	"^$f:1: cosched_partition_modes: some partitions are in mode act and some in shadow, expected one of them beside off: all would follow cosched_mode=shadow status 1"
for case in 'n[1-4] n[5-6] b:off' 'n[1-4] n[4-5] b:shadow' 'n7 n07 b:off'; do
	read -r a b modes <<<"$case"
	says "conf --check: modes of partitions, $case" "$(parts "$a" "$b" "$modes")" "$f: ok" "status 0"
done
got=$(check <<END
SchedulerParameters=cosched_share_partitions=debug,cosched_log=$work/logs
PartitionName=other Nodes=n1
include partitions-%h.conf
END
)
says "conf --check: partitions that it does not see; a folder" "$got" \
	"$f:1: cosched_log: '$work/logs' is a folder, expected a file" "status 1"
got=$(check <<END
SchedulerParameters=cosched_site_rule=split,cosched_place=space,cosched_sites=$work/no-sites
PartitionName=debug Nodes=n1
END
)
says "conf --check: a file of sites that is not there" "$got" \
	"$f:1: cosched_sites: '$work/no-sites': No such file or directory, expected a file" "status 1"
got=$(check <<END
SchedulerParameters=cosched_site_rule=split,cosched_place=space,cosched_sites=debug+gone
PartitionName=debug Nodes=n1
END
)
says "conf --check: sites that are no partitions" "$got" \
	"$f:1: cosched_sites: no partition 'gone' in this slurm.conf" "status 1"
# What slurmctld would refuse of a file of sites, in its words.
sites() { # SITES [LINE]...: with these nodes and partitions
	local sites=$1

	shift
	{
		echo "SchedulerParameters=cosched_site_rule=split,cosched_place=space,cosched_sites=$sites"
		printf '%s\n' 'NodeName=DEFAULT CPUs=4' 'NodeName=n[1-4]' 'NodeName=m[08-09]' \
			'PartitionName=a Nodes=n[1-2]' 'PartitionName=b Nodes=n[2-3]' 'PartitionName=c Nodes=n[3-4]' \
			'PartitionName=none' 'PartitionName=all Nodes=ALL' "$@"
	} | check
}
for case in '2:r1 n1|r2:site '\''r2'\'' has no nodes, expected SITE NODES' \
	'2:r1 n[1-3]|r2 n3:node '\''n3'\'' is in '\''r1'\'' and in '\''r2'\'', expected one of them, once' \
	'1:r1 n[1-9]:no node '\''n5'\'', expected nodes of slurm.conf' \
	'3:# two|r1 n1|r2 m[08-09:malformed nodes at '\''08-09'\'', expected such as n[1-4,7],m[01-10]'; do
	IFS=: read -r line text want <<<"$case"
	tr '|' '\n' <<<"$text" >"$work/sites"
	says "conf --check: a file of sites, $text" "$(sites "$work/sites")" "$work/sites:$line: $want" "status 1"
done
printf '%s\n' 'r1 n[1-2]' r2 'r3 x,n1,n[3' 'r1 n4 # again' >"$work/sites"
says "conf --check: all errors of a file of sites" "$(sites "$work/sites")" \
	"$work/sites:2: site 'r2' has no nodes, expected SITE NODES" \
	"$work/sites:3: no node 'x', expected nodes of slurm.conf" \
	"$work/sites:3: node 'n1' is in 'r1' and in 'r3', expected one of them, once" \
	"$work/sites:3: malformed nodes at '3', expected such as n[1-4,7],m[01-10]" \
	"$f:1: cosched_sites: '$work/sites': site 'r1' on two lines, expected one for each" "status 1"
echo "# none" >"$work/sites"
says "conf --check: an empty file of sites" "$(sites "$work/sites")" \
	"$f:1: cosched_sites: '$work/sites': no site, expected lines of SITE NODES" "status 1"
printf '%s\n' 'r1 n[1-3]' 'r2 n4,m[08-09]' >"$work/sites"
says "conf --check: a good file of sites" "$(sites "$work/sites")" "$f: ok" "status 0"
for case in 'a+b:node '\''n2'\'' is in '\''a'\'' and in '\''b'\'', expected one of them, once' \
	'a+a:node '\''n1'\'' is in '\''a'\'' and in '\''a'\'', expected one of them, once' \
	'c+all:node '\''n3'\'' is in '\''c'\'' and in '\''all'\'', expected one of them, once' \
	'a+none:site '\''none'\'' has no nodes, expected at least one'; do
	says "conf --check: sites ${case%%:*}" "$(sites "${case%%:*}")" "$f:1: cosched_sites: ${case#*:}" "status 1"
done
says "conf --check: partitions that are sites" "$(sites a+c)" "$f: ok" "status 0"
# A partition may name a node twice, by itself and by a set; two partitions may not share it.
for case in 'Nodes=n1,n1' 'Nodes=n[1-2],n2' 'Nodes=gpu,n1' 'Nodes=both' 'Nodes=gpu,both'; do
	says "conf --check: a node twice in a partition that is a site, $case" \
		"$(sites twice+c 'NodeName=g[1-2] Feature=gpu' 'NodeSet=gpu Feature=gpu' \
			'NodeSet=both Nodes=g1,n1 Feature=gpu' "PartitionName=twice $case,g1")" \
		"$f: ok" "status 0"
done
says "conf --check: ... and in another one" \
	"$(sites twice+a 'NodeName=g[1-2] Feature=gpu' 'NodeSet=gpu Nodes=n2 Feature=gpu' \
		'PartitionName=twice Nodes=gpu,n2,g1')" \
	"$f:1: cosched_sites: node 'n2' is in 'twice' and in 'a', expected one of them, once" "status 1"
for case in '' TopologyPlugin=topology/flat; do
	plugin=${case#*=}
	like "conf --check: leaf switches as sites, ${case:-no TopologyPlugin}" \
		"$(sites topology SlurmctldHost=here "$case")" \
		"^$f:1: cosched_sites: no switches and no blocks with TopologyPlugin=${plugin:-topology/default}, expected topology/tree or topology/block, partitions joined by '[+]', or a file status 1"
done
says "conf --check: ... which may be in a file that is not seen" "$(sites topology)" "$f: ok" "status 0"
says "conf --check: ... with such a plugin" "$(sites topology TopologyPlugin=topology/tree)" "$f: ok" "status 0"
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$work/logs"
	got=$(check <<<$'SlurmUser=nobody\nSchedulerParameters=cosched_log='"$work/logs/log")
	says "conf --check: a folder that SlurmUser cannot write" "$got" \
		"$f:2: cosched_log: '$work/logs/log': SlurmUser (nobody) cannot write it: Permission denied" "status 1"
	printf no >"$work/logs/p.json"
	chmod 600 "$work/logs/p.json"
	got=$(check <<<$'SlurmUser=nobody\nSchedulerParameters=cosched_profiles='"$work/logs/p.json")
	says "conf --check: a profile file that SlurmUser cannot read, and bad" "$got" \
		"$f:2: cosched_profiles: $work/logs/p.json: SlurmUser (nobody) cannot read it: Permission denied" \
		"$work/logs/p.json:1: no object, expected '{'" "status 1"
	mkdir -m 700 "$work/mine"
	chmod 755 "$work"
	cp "$cosched" "$work/cosched"
	cat >"$f" <<<"SchedulerParameters=cosched_log=$work/mine/logs/log,cosched_profiles=$work/mine/p.json
PluginDir=/opt/cosched/slurm:/usr/lib/slurm"
	chmod 644 "$f"
	got=$(setpriv --reuid=65534 --clear-groups "$work/cosched" conf --check "$f" 2>&1; echo "status $?")
	says "conf --check: where the caller may not look" "$got" \
		"$f:1: cosched_profiles: not checked, you may not look at '$work/mine/p.json': ask as root or SlurmUser" \
		"$f:1: cosched_log: not checked, you may not look at '$work/mine/logs/log': ask as root or SlurmUser" \
		"$f: ok" "status 0"
	chown nobody "$work/logs"
	got=$(check <<<$'SlurmUser=nobody\nSchedulerParameters=cosched_log='"$work/logs/log")
	says "conf --check: one that it can" "$got" "$f: ok" "status 0"
fi
echo "include site.conf" >"$work/more.conf"
got=$(timeout 10 bash -c 'echo "Include more.conf" >"$0/site.conf"; "$1" conf --check "$0/site.conf"; echo "status $?"' "$work" "$cosched")
like "conf --check: files that include each other" "$got" \
	'Include .*: Too many levels of symbolic links.*status 1'
got=$("$cosched" conf --check "$work/nowhere" 2>&1; echo "status $?")
like "conf --check: no such file" "$got" \
	"conf: '[^ ]*nowhere': No such file or directory, expected a slurm.conf status 2"

got=$(timeout 5 "$cosched" conf --check "$work/fifo" 2>&1; echo "status $?")
like "conf --check: a FIFO" "$got" "^cosched: conf: '[^ ]*fifo': no regular file, expected a slurm.conf status 2"
for key in profiles sites log; do
	got=$(check <<<"SchedulerParameters=cosched_$key=$work/fifo")
	says "conf --check: a FIFO as cosched_$key" "$got" \
		"$f:1: cosched_$key: '$work/fifo' is a device, FIFO or socket, expected a file" "status 1"
done
program scontrol 1 <<<"scontrol: error: no contact"
got=$(SLURM_CONF=$work/fifo timeout 20 "$cosched" conf 2>&1; echo "status $?")
unlike "conf: a FIFO as slurm.conf" "$got" "status 124"
site
got=$(printf '\357\273\277ClusterName=c\nSched\0ulerType=x\nSchedulerParameters=cosched_mode=on\n' | check)
says "conf --check: a byte order mark, a NUL byte" "$got" \
	"$f:1: a byte order mark, and Slurm would die: expected none" \
	"$f:2: a NUL byte, behind which Slurm reads nothing of its line: expected none" \
	"$f:2: 'Sched': Slurm would die, expected KEY=VALUE" \
	"$f:3: 'cosched_mode' is 'on', expected off, shadow, act" "status 1"
got=$({ printf 'SchedulerParameters='; yes 'cosched_mode=act,\' | head -n 150000; echo defer; } | check)
says "conf --check: a key 150,000 times" "$(tail -n 2 <<<"$got")" "$f: and 149899 more" "status 1"
says "conf --check: a hundred of them are told" "$(sed -n '1p;100p;101p' <<<"$got")" \
	"$f:2: 'cosched_mode' is given twice, expected once" \
	"$f:101: 'cosched_mode' is given twice, expected once" "$f: and 149899 more"

rm "$work/bin/slurmctld"

# --- folders by release --------------------------------------------------------------

base=$work/base
folders() { # RUNS OPTION...
	site SLURM_VERSION="$1" PluginDir="$base:$base/22.05.8:$work/stock"
	"$cosched" conf --plugin-dir "$base" "${@:2}" 2>&1 |
		sed -n 's/^PluginDir=//p; s/^cosched: //p'
}
mkdir -p "$base"/{22.05.8,23.11.11,24.11.5,26.05.3,notes}
says "conf: that of the release that runs, also without plugins" "$(folders 24.11.5)" \
	"$base/24.11.5:$work/stock"
says "conf: with the next one's, by name" "$(folders 24.11.5 --next 26.05.3)" \
	"$base/24.11.5:$base/26.05.3:$work/stock"
plugin "$base/23.11.11/select_cons_tres.so" 0x170b0b
plugin "$base/26.05.3/select_cons_tres.so" 0x1a0503
says "conf: later ones that have plugins" "$(folders 24.11.5)" \
	"$base/24.11.5:$base/26.05.3:$work/stock"
says "conf: a name is not written twice" "$(folders 26.05.3 --next 26.05.3)" \
	"$base/26.05.3:$work/stock"
plugin "$base/select_cons_tres.so" 0x180b05
says "conf: a folder with plugins of its own" "$(folders 24.11.5)" \
	"$base:$base/24.11.5:$base/26.05.3:$work/stock"
rm "$base/select_cons_tres.so"
says "conf: none of this release" "$(folders 25.11.7)" "$base/26.05.3:$work/stock"
says "conf: a next release that is none" "$(folders 24.11.5 --next 26.05)" \
	"conf: --next '26.05', expected a release of Slurm such as 26.05.3"
like "conf: all of them must be on every host" "$(folders 24.11.5 >"$work/out"
	"$cosched" conf --plugin-dir "$base" 2>&1)" "mkdir -p $base/24.11.5 $base/26.05.3"

# --- cosched status ----------------------------------------------------------------

site StateSaveLocation="$work"
got=$("$cosched" status 2>&1; echo "status $?")
like "nobody answers: PluginDir lacks our folder" "$got" \
	'plugin is not loaded: PluginDir names no folder of ours.*Put .* first.*status 1'
plugin "$work/stock/select_cons_tres.so" 0x160508
site StateSaveLocation="$work" PluginDir="$work/stock:$work/ours"
: >"$work/ours/libcosched_plan.so"
like "nobody answers: our folder is not the first" "$("$cosched" status 2>&1)" \
	"PluginDir names our folder, $work/ours, after $work/stock"
site StateSaveLocation="$work" PluginDir="$work/ours:$work/stock" BOOT_TIME="$(date +%FT%T)"
plugin "$work/ours/select_cons_tres.so" 0x160508
rm -f "$work/ours/sched_backfill.so"
like "nobody answers: a file of ours is missing" "$("$cosched" status 2>&1)" \
	"does not listen at '$work/cosched.sock': $work/ours on this host lacks sched_backfill.so of ours"
plugin "$work/ours/sched_backfill.so" 0x160508
site StateSaveLocation="$work" PluginDir="$work/ours:$work/stock"
like "nobody answers: PluginDir is well" "$("$cosched" status 2>&1)" \
	"does not listen at '$work/cosched.sock', though PluginDir names it first"
site StateSaveLocation="$work" PluginDir="$work/ours:$work/stock" BOOT_TIME="$(date +%FT%T)"
like "nobody answers: slurmctld is young" "$("$cosched" status 2>&1)" \
	"slurmctld has begun, or read slurm.conf again, [0-9] s ago, and .* yet: ask again in a few seconds"
# it listens a second later, and hangs up
site StateSaveLocation="$work" PluginDir="$work/ours:$work/stock" BOOT_TIME="$(date +%FT%T)"
( sleep 1; exec timeout 20 python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
while True:
	s.accept()[0].close()' "$work/cosched.sock" ) &
listener=$!
unlike "the plugin of a young slurmctld is waited for" "$("$cosched" status 2>&1)" "does not listen"
kill $listener
wait $listener 2>/dev/null
rm -f "$work/cosched.sock"
like "doctor: slurmctld is young" "$("$cosched" doctor)" "wrong plugin .* ask again in a few seconds"

# --- releases ----------------------------------------------------------------------

# releases RUNS [INSTALLED]: what doctor says of two folders of ours
old=$work/lib/cosched/slurm/24.11.5 new=$work/lib/cosched/slurm/26.05.3
releases() {
	echo "slurm-wlm ${2:-$1}" | program slurmctld 0
	site StateSaveLocation="$work" PluginDir="$old:$new:$work/stock" SLURM_VERSION="$1" \
		BOOT_TIME="$(date -d '1 hour' +%FT%T)"
	"$cosched" doctor | sed -n 's/^\([a-z]*\) *release */\1 /p'
}
mkdir -p "$old" "$new"
plugin "$old/select_cons_tres.so" 0x180b05
cp "$old/select_cons_tres.so" "$old/sched_backfill.so"
: >"$old/libcosched_plan.so"
says "one folder of ours is for what runs" "$(releases 24.11.5)" \
	"ok Slurm 24.11.5 runs; of our plugins those in $old are for 24.11.5. Before an upgrade of Slurm build ours for its release."
like "status: nothing is said of releases" "$("$cosched" status 2>&1)" 'though PluginDir names it first'
says "before the restart into another release" "$(releases 24.11.5 26.05.3)" \
	"wrong Slurm 24.11.5 runs; of our plugins those in $old are for 24.11.5. The slurmctld that is installed is 26.05.3, and passes over them from its next start on. Build ours for it before that."
says "after it" "$(releases 26.05.3)" \
	"wrong Slurm 26.05.3 runs; of our plugins those in $old are for 24.11.5. slurmctld passes over what is for another, and Slurm's own scheduler decides. Build ours for 26.05.3 (contrib/package, or configure --with-slurm), install them, then restart slurmctld."
says "status has it in one line" "$("$cosched" status 2>&1)" \
	"cosched: status: the plugin is not loaded: Slurm 26.05.3 runs, and passes over our plugins (those in $old are for 24.11.5): Slurm's own scheduler decides. See cosched doctor"
plugin "$new/select_cons_tres.so" 0x1a0503
: >"$new/libcosched_plan.so"
cp "$old/sched_backfill.so" "$new/"
says "file by file where they differ in a folder" "$(releases 26.05.3 | sed 's/\. slurmctld.*//')" \
	"wrong Slurm 26.05.3 runs; of our plugins those in $old are for 24.11.5; in $new select_cons_tres.so is for 26.05.3, sched_backfill.so is for 24.11.5"
cp "$new/select_cons_tres.so" "$new/sched_backfill.so"
says "both releases' plugins are there" "$(releases 24.11.5 26.05.3)" \
	"ok Slurm 24.11.5 runs; of our plugins those in $old are for 24.11.5; those in $new are for 26.05.3. Before an upgrade of Slurm build ours for its release."
releases 26.05.3 >"$work/out"
like "doctor looks for our files where slurmctld takes them" \
	"$("$cosched" doctor | grep '^ok *plugins ')" "^ok plugins both are in $new *$"
rm "$work/bin/slurmctld"

site StateSaveLocation="$work" PluginDir="$work/ours:$work/stock" BOOT_TIME="$(date -d '1 hour ago' +%FT%T)"
like "nobody answers: our files are younger than slurmctld" "$("$cosched" status 2>&1)" \
	"does not listen at '$work/cosched.sock': its files came after .* Restart slurmctld\."
site StateSaveLocation="$work" PluginDir="/x/cosched/slurm:$work/stock" BOOT_TIME="$(date -d '1 hour ago' +%FT%T)"
like "nobody answers: slurmctld is old" "$("$cosched" status 2>&1)" "though PluginDir names it first"
echo "PluginDir=$work/stock" >"$SLURM_CONF"
program scontrol 1 <<<"scontrol: error: no contact"
like "nobody answers: nor slurmctld" "$("$cosched" status 2>&1)" \
	"slurmctld does not answer \(scontrol: error: no contact\); PluginDir names no folder of ours"

# --- cosched doctor ----------------------------------------------------------------

# doctor: what it says is wrong, names only
doctor() {
	"$cosched" doctor >"$work/doctor"
	echo "$(sed -n 's/^wrong *\([^ ]*\) .*/\1/p' "$work/doctor" | xargs)"
}
is() {
	[ "$2" = "$3" ] && return
	failed=1
	printf 'not ok - doctor: %s: %s, not %s\n%s\n' "$1" "$2" "$3" "$(cat "$work/doctor")"
}
whole() {
	site StateSaveLocation="$work" PluginDir="$work/ours:$work/stock" "$@"
}
cp "$work/stock/select_cons_tres.so" "$work/ours/select_cons_tres.so"
cp "$work/stock/select_cons_tres.so" "$work/ours/sched_backfill.so"
whole
is "all is well, and nobody listens" "$(doctor)" "plugin"
like "doctor: a line a check" "$(wc -l <"$work/doctor")" '^17 $'
like "doctor: the policy by default" "$(grep '^ok *policy' "$work/doctor")" \
	'^ok *policy balanced, as none is set; before, that was cosched_policy=adaptive'
like "doctor: Slurm's own keys" "$(grep settings "$work/doctor")" '^ok settings mode act honours what is set'
whole PluginDir="$work/stock:$work/ours"
is "our folder is not the first" "$(doctor)" "PluginDir plugin"
is "and that is said once" "$(grep -c 'names our folder' "$work/doctor")" 1
cp "$SLURM_CONF" "$work/slurm.conf.was"
echo "PluginDir=$work/ours:$work/stock" >"$SLURM_CONF"
whole PluginDir="$work/stock" SLURM_CONF="$SLURM_CONF"
# it looks at the plugin that is installed: without one it takes this host for one where
# slurmctld does not run, and one of another release is not of the site's
like "doctor: slurmctld has not read the new line" "$(doctor)" '^PluginDir( release)?( plugin)? $'
like "doctor: what is left to do" "$(cat "$work/doctor")" \
	"wrong PluginDir $SLURM_CONF has our folder first .* began before that\. Restart slurmctld\."
like "status: the same" "$("$cosched" status 2>&1)" "$SLURM_CONF has our folder first .*Restart slurmctld\."
mv "$work/slurm.conf.was" "$SLURM_CONF"
whole PluginDir="$work/ours:$work/gone:$work/stock"
is "a folder is missing" "$(doctor)" "folders plugin"
like "doctor: which one" "$(cat "$work/doctor")" "$work/gone of PluginDir is not a folder on this host"
whole SLURM_VERSION=24.11.5
is "another release" "$(doctor)" "release plugin"
whole TaskPlugin=task/none SelectTypeParameters=CR_CPU_MEMORY SelectType=select/linear
is "what the site has set" "$(doctor)" "types plugin"
is "what it may have set, as status says" "$(sed -n 's/^warn *\([^ ]*\) .*/\1/p' "$work/doctor" | xargs)" \
	"TaskPlugin memory cores"
whole SchedulerParameters="bf_busy_nodes,cosched_mode=act,bf_windw=60,depth=7,defer" \
	PreemptParameters=reclaim_licenses,youngest_first TopologyParam=dragonfly
is "keys that are not honoured: no fault" "$(doctor)" "plugin"
is "and a line each" "$(grep -c '^warn *settings ' "$work/doctor")" 5
like "doctor: they are named" "$(cat "$work/doctor")" "SchedulerParameters: bf_busy_nodes is not honoured in mode act\. A planned start .*'bf_windw' is no key of Slurm's that cosched knows.*'depth' counts for nothing, expected 'cosched_depth'.*PreemptParameters: reclaim_licenses is not .*TopologyParam: dragonfly is not"
whole MCSPlugin=mcs/group "PartitionName=a QOS=N/A SelectTypeParameters=CR_SOCKET_MEMORY DefMemPerNode=7" \
	"PartitionName=b QOS=N/A SelectTypeParameters=NONE DefMemPerNode=7"
is "labels, and a partition without cores: no fault" "$(doctor)" "plugin"
is "and a line each" "$(sed -n 's/^warn *cores *//p' "$work/doctor" | cut -d: -f1 | xargs -d '\n')" \
	"MCSPlugin=mcs/group SelectTypeParameters=CR_SOCKET_MEMORY of partition 'a'"
cp "$work/doctor" "$work/first"
whole SchedulerParameters="cosched_mode=act,bf_window=abc,bf_interval=30"
doctor >/dev/null
is "doctor: a number that Slurm cannot read" "$(sed -n 's/^warn *settings *//p' "$work/doctor")" \
	"SchedulerParameters: bf_window is 'abc', expected a whole number from 1 to 43200 min; Slurm's backfill takes 1440"
mv "$work/first" "$work/doctor"
unlike "doctor: others are not" "$(grep settings "$work/doctor")" "defer|youngest"
for order in slurm fcfs; do
	whole SchedulerParameters="cosched_policy=cst,cosched_order=$order" \
		PriorityType=priority/multifactor PriorityWeightAge=0 PriorityWeightQOS=1000
	is "priorities beside order=$order: no fault" "$(doctor)" "plugin"
	cp "$work/doctor" "$work/$order"
done
like "doctor: priorities count" "$(grep priorities "$work/slurm")" '^ok '
like "doctor: they do not" "$(grep priorities "$work/fcfs")" \
	'^warn priorities PriorityWeightQOS=1000 counts for nothing: .* cosched_order=slurm'
whole SchedulerParameters="cosched_policy=adaptive,cosched_profiles=$work/some.json"
doctor >/dev/null
like "doctor: adaptive with profiles" "$(grep '^warn *policy' "$work/doctor")" \
	'^warn *policy adaptive with a profile file loses .* Expected balanced or cover'
whole SchedulerParameters="cosched_mode=ack,cosched_profiles=$work/none.json"
is "parameters and profiles" "$(doctor)" "parameters profiles plugin"
whole SchedulerParameters=cosched_policy=pect PreemptMode=SUSPEND,GANG
is "slices beside Slurm's gang scheduler" "$(doctor)" "parameters plugin"
whole SlurmctldParameters=enable_configless
is "configless" "$(doctor)" "plugin"
like "doctor: what follows of it" "$(cat "$work/doctor")" "ok configless .*must be on each of their hosts"
rm "$work/ours/sched_backfill.so"
is "half an installation" "$(doctor)" "plugins plugin"
rm "$work/ours/"*
whole PluginDir="/x/lib/cosched/slurm:$work/stock"
is "our folder is not there" "$(doctor)" "folders"
mkdir -p "$work/lib/cosched/slurm"
whole PluginDir="$work/lib/cosched/slurm:$work/stock"
is "a host without slurmctld: all is well" "$(doctor)" ""
like "doctor: its status" "$("$cosched" doctor >"$work/doctor"; echo $?)" '^0 $'
whole PluginDir="$work/lib/cosched/slurm:$work/stock" 'SlurmctldHost[0]=a' \
	'SlurmctldHost[1]=b' "SlurmctldHost[2]=$(hostname -s)(10.0.0.3)"
is "the second backup's host needs them" "$(doctor)" "plugins plugin"
whole PluginDir="$work/lib/cosched/slurm:$work/stock" TaskPlugin=task/none
like "doctor: a warning is nothing wrong, nor to status" \
	"$("$cosched" doctor >"$work/doctor"; echo $?; grep -v ^ok "$work/doctor")" \
	'^0 warn TaskPlugin .*has neither task/affinity nor task/cgroup .*not kept to their cores'
like "doctor --json: a warning" "$("$cosched" doctor --json)" \
	'"ok": ?true.*"check": ?"TaskPlugin", *"ok": ?true, *"warning": ?true'
whole PluginDir="$work/stock"
like "doctor: something is wrong" "$("$cosched" doctor >"$work/doctor"; echo $?)" '^1 $'
like "doctor --json" "$("$cosched" doctor --json)" \
	'"ok": ?false.*"check": ?"PluginDir", *"ok": ?false, *"warning": ?false, *"text": ?"PluginDir names no folder'
rm "$SLURM_CONF"
program scontrol 1 <<<"scontrol: error: no contact"
# (where nothing is installed yet, our folder is not there either)
like "no configuration at all" "$(doctor)" "^slurmctld (plugin|folders) ?$"

# --- what the manual has ---------------------------------------------------------------

# What the plugin counts is in the manual.
manual=$(dirname "$0")/../doc/cosched.1
counted=$(sed -n 's/.*\[CS_COUNT_[A-Z_]*\] = "\(.*\)",/\1/p' \
	"$(dirname "$0")/../src/plugins/sched/run/status.c")
like "(the plugin's counters were found)" "$counted" "starts_refused.*pointers_healed"
for term in $counted would blocked node_sets unknown_profiles unknown_profile_job \
	malformed_comments malformed_comment_job promises_kept promises_late \
	promises_broken promise_broken_last learn_kinds learn_runs learn_pairs estimated estimates_judged estimates_outside \
	estimates_day estimates_day_outside estimate_error_p50_us estimate_error_p90_us \
	estimate_late_p50_us estimate_error_limits_p50_us estimate_width_p50_us; do
	like "cosched(1) explains '$term'" "$(grep '^\.B ' "$manual")" "${term//_/ }"
done

# --- completion in bash ---------------------------------------------------------------

# complete WORD...: what is offered for the last, a line each
complete_words() {
	(
		# shellcheck source=SCRIPTDIR/../etc/bash-completion/cosched
		. "$(dirname "$0")/../etc/bash-completion/cosched"
		COMP_WORDS=("$cosched" "$@") COMP_CWORD=$#
		_cosched
		[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
	)
}
commands=$("$cosched" --help | awk '/^  [a-z]/ { print $1 }')
like "all commands are offered" "$(complete_words '' | grep -v '^--')" "^${commands//$'\n'/ } ?$"
for command in $commands; do
	want=$("$cosched" "$command" --help | grep -oE '^  --?[a-z][a-z-]*' | awk '!n[$1]++ { print $1 }')
	like "the options of $command are offered" "$(complete_words "$command" -)" \
		"^${want//$'\n'/ } ?--help ?$"
done
for preset in $(complete_words sim --policy ''); do
	unlike "preset $preset is one" "$("$cosched" params --sim --preset "$preset" seed 2>&1)" 'no preset'
done
like "the last of several presets is completed" \
	"$(complete_words compare --policies easy,fc)" '^easy,fcfs ?$'
for key in $(complete_words sim --set ''); do
	like "parameter $key is one" "$("$cosched" params --sim "${key%=}" 2>&1)" "^$key"
done
like "procsim has keys of its own" "$(complete_words procsim --set switch)" '^switch_us= ?$'
for scheme in $(complete_words procsim --scheme ''); do
	like "scheme $scheme is one" "$("$cosched" procsim --help)" "\\b$scheme\\b"
done
like "keys begin as the word does" "$(complete_words sim --set campaign_)" \
	'^campaign_hold= campaign_order= ?$'
printf '#!/bin/sh\n[ "$*" = "--me -h -o %%i" ] && printf "11\\n12_3\\n"\n' >"$work/bin/squeue"
chmod 755 "$work/bin/squeue"
like "explain is offered the user's jobs" "$(complete_words explain 1)" '^11 12_3 ?$'
# what may stand behind a command is in its usage or its help, and no more is offered
for command in profile workload; do
	help=$("$cosched" "$command" --help)
	for word in $(complete_words "$command" ''); do
		like "$command $word is one" "$help" "\\b$word\\b"
	done
done
like "all of profile are offered" "$(complete_words profile '')" '^run check learned export from-corun ?$'
like "and of workload" "$(complete_words workload '')" '^w1 w2 lublin uniform-log resample ?$'
like "behind one of them no second" "$(complete_words profile learned '')" '^ ?$'
for word in check:--json 'learned:--of --json' export:--node 'from-corun:--node --measured' \
	'run:--budget --sbatch --folder --nodes --cpus-per-task --half-width --limit --at-once --node --unconstrained'; do
	like "the options of profile ${word%%:*}" "$(complete_words profile "${word%%:*}" -)" \
		"^${word#*:} --help ?$"
done
touch "$work/sac log"
like "learn is offered sacct" "$(complete_words learn --from sac)" '^sacct ?$'
like "and files" "$(complete_words learn --from "$work/sac")" "^$work/sac log ?\$"
like "a word of nobody's is a file" "$(complete_words sim /)" '^ ?$'

# --- end ---------------------------------------------------------------------------

[ "$failed" -ne 0 ] || echo "ok"
exit "$failed"

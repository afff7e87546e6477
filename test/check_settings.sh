#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table of Slurm's own keys (src/common/params/host_key_list.h): doc/admin/settings.md
# is made from it, each test that a row names is there and names the key, those of test
# "settings" are drawn there, and no key of Slurm's is missing, by the sources of each
# release.
#
# Usage: check_settings.sh COSCHED [--write] [SLURM-SOURCE-TREE...]
#
#	COSCHED   the command
#	--write   make doc/admin/settings.md
#
# Without a tree those that contrib/slurm-source has unpacked are taken; where there are
# none, that part is skipped.
set -u -o pipefail
export LC_ALL=C
cosched=$(realpath "${1:?the command expected}") || exit 1
shift
cd "$(dirname "$0")/.." || exit 1
page=doc/admin/settings.md
if [ "${1:-}" = --write ]; then
	"$cosched" params --slurm >$page
	exit
fi
failed=0
bad() {
	failed=1
	printf 'not ok - settings: %s\n' "$*"
}
work=$(mktemp -d "${TMPDIR:-/tmp}/cosched-settings.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# --- the page

"$cosched" params --slurm >"$work/page" || exit 1
cmp -s "$work/page" $page ||
	bad "$page is stale: test/check_settings.sh $cosched --write"

# --- the rows: LIST KEY RELEASE CARE TEST TEXT, with tabs

awk -F ' *[|] *' -v OFS='\t' '
	/^## / { list = substr($0, 4) }
	/^\|/ && $2 != "key" && $2 !~ /^-/ { print list, $2, $3 ? $3 : "-", $4, $6 ? $6 : "-", $5 }
' "$work/page" >"$work/rows"
rows=$(wc -l <"$work/rows")
[ "$rows" -ge 200 ] || bad "only $rows rows in the page"

# text_of TEST: its files, and what it includes
text_of() {
	cat test/cluster/"$1".*
	sed -nE 's|^\. .*/([a-z]+\.inc)"?$|test/cluster/\1|p' "test/cluster/$1.sh" | xargs -r cat
}
# what is drawn, of enough configurations that no key is missed by chance
drawn=
if command -v python3 >/dev/null; then
	drawn=$work/drawn
	python3 -B test/cluster/settings.py keys 3000 >"$drawn" || exit 1
else
	echo "skip - settings: what is drawn: python3 is not installed here"
fi
tests=0
while IFS=$'\t' read -r list key release care test text; do
	case $care:$test:$text in
	honoured:-:*) bad "$list, $key: honoured, and no test says so" ;;
	no\ meaning:-:* | *:-:*"No test has it"*) continue ;;
	*:-:*) bad "$list, $key: no test, and it does not say so" ;;
	*:settings:*)
		[ -z "$drawn" ] || grep -qixF -- "$list"$'\t'"$key" "$drawn" ||
			bad "$list, $key: test/cluster/settings.py never draws it"
		;;
	esac
	tests=$((tests + 1))
	if [ ! -e "test/cluster/$test.sh" ]; then
		bad "$list, $key: no test/cluster/$test.sh"
	elif [ "$(text_of "$test" | grep -ciF -- "$key")" -eq 0 ]; then
		bad "$list, $key: test/cluster/$test.sh does not name it"
	fi
done <"$work/rows"

# --- rows of contrib/settings: a second call keeps those that are drawn the same now

drawing() {
	python3 -B test/cluster/settings.py "$@"
}
if python3 -c 'import argparse, concurrent.futures, hashlib, shlex' 2>/dev/null; then
	for i in 3 4; do
		drawing row 1 $i 22.05.8 "$work/kept" 'as stock' none '' || bad "no row $i is written"
	done
	sed -i -E '2s/"drawn": "/&0/; 2s/as stock/of old/' "$work/kept"
	drawing kept "$work/kept" 1 3 22.05.8 || bad "a row that is there is not kept"
	! drawing kept "$work/kept" 1 4 22.05.8 || bad "a row that was drawn otherwise is kept"
	! drawing kept "$work/kept" 1 3 24.11.5 || bad "a row of another release is kept"
	drawing table "$work/kept" >"$work/drawn"
	[ "$(grep -cE '^\| [0-9]' "$work/drawn")" -eq 1 ] && grep -q 'left out: 1' "$work/drawn" ||
		bad "a row that was drawn otherwise is in the table"
	drawing row 1 4 22.05.8 "$work/kept" 'as stock' none ''
	[ "$(wc -l <"$work/kept")" -eq 2 ] && ! grep -q 'of old' "$work/kept" ||
		bad "a row that was drawn otherwise is not replaced"
else
	echo "skip - settings: python3 is not installed here, or not all of it"
fi

# --- Slurm's sources

# What does not bear on scheduling: daemons, files, accounting storage, messages, steps.
others_conf="AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost
AccountingStorageLoc AccountingStorageParameters AccountingStoragePass AccountingStoragePort
AccountingStorageType AccountingStorageUser AccountingStoreFlags AccountingStoreJobComment
AcctGatherEnergyType AcctGatherFilesystemType AcctGatherInfinibandType
AcctGatherInterconnectType AcctGatherNodeFreq AcctGatherProfileType AuthAltParameters
AuthAltTypes AuthInfo AuthType BackupAddr BackupController BcastExclude BcastParameters
CertmgrParameters CertmgrType ClusterName CommunicationParameters ControlAddr ControlMachine
CpuFreqDef CpuFreqGovernors CredType CryptoType DataParserParameters DebugFlags EioTimeout
Epilog EpilogMsgTime ExtSensorsFreq ExtSensorsType GetEnvTimeout GpuFreqDef GroupUpdateForce
GroupUpdateTime HashPlugin HealthCheckInterval HealthCheckNodeState HealthCheckProgram
InteractiveStepOptions JobAcctGatherFrequency JobAcctGatherParams JobAcctGatherType
JobCompHost JobCompLoc JobCompParams JobCompPass JobCompPort JobCompType JobCompUser
JobContainerType JobCredentialPrivateKey JobCredentialPublicCertificate JobFileAppend
KeepAliveTime KillOnBadExit LaunchParameters LaunchType LogTimeFormat MailDomain MailProg
MaxDBDMsgs MessageTimeout MpiDefault MpiParams PluginDir PlugStackConfig PrEpParameters
PrEpPlugins PrivateData ProctrackType Prolog PrologEpilogTimeout PropagatePrioProcess
PropagateResourceLimits PropagateResourceLimitsExcept RebootProgram ReconfigFlags RoutePlugin
SallocDefaultCommand SbcastParameters SchedulerAuth ScronParameters SlurmSchedLogFile
SlurmSchedLogLevel SlurmUser SlurmctldAddr SlurmctldDebug SlurmctldHost SlurmctldLogFile
SlurmctldPidFile SlurmctldPlugstack SlurmctldPort SlurmctldPrimaryOffProg
SlurmctldPrimaryOnProg SlurmctldSyslogDebug SlurmctldTimeout SlurmdDebug SlurmdLogFile
SlurmdParameters SlurmdPidFile SlurmdPort SlurmdSpoolDir SlurmdSyslogDebug SlurmdUser
SrunEpilog SrunPortRange SrunProlog StateSaveLocation SwitchParameters SwitchType TCPTimeout
TLSParameters TLSType TaskEpilog TaskProlog TmpFS TreeWidth UnkillableStepProgram UsePAM
VSizeFactor WaitTime"
others_ctld="allow_user_triggers cloud_dns cloud_reg_addrs disable_triggers enable_configless
enable_rpc_queue max_dbd_msg_action no_quick_restart rl_bucket_size rl_enable rl_log_freq
rl_refill_period rl_refill_rate rl_table_size validate_nodeaddr_threads"

# searched TREE FIELD: what the sources look for in slurm_conf.FIELD
searched() {
	find "$1/src" -name '*.c' -exec perl -0777 -ne \
		"while (/str(?:case)?str\\(\\s*[\\w.>-]*\\b$2\\s*,\\s*\"([^\"]+)\"/g) { print \"\$1\\n\" }" {} +
}
# options TREE ARRAY: the keys of a parser's table
options() {
	sed -n "/s_p_options_t $2\[\]/,/^\t*};/p" "$1/src/common/read_config.c" |
		grep -oE '\{"[A-Za-z]+"' | tr -d '{"'
}
# words TREE FUNCTION FILE: the strings that a function of FILE compares with
words() {
	perl -0777 -ne "print \"\$1\\n\" if /\\n(?:extern|static)[^;{]*\\b$2\\([^;{]*\\)\\s*\\n\\{(.*?)\\n\\}/s" \
		"$1/src/$3" | grep -oP 'str(n?case)?(str|n?cmp)\([^"]*"\K[^"]+'
}
modes() { # of PreemptMode
	local f

	for f in common/slurm_protocol_defs.c common/proc_args.c common/read_config.c; do
		words "$1" preempt_mode_num $f
	done | grep -vxE ',|on|cluster' # older words; of a QOS or partition: the cluster's
}
flags() { # of reservations
	words "$1" parse_resv_flags common/proc_args.c | sed 's/^Maintenance$/MAINT/'
}

# bare: keys, without '='
bare() {
	sed 's/=.*//' | grep . | sort -u
}
# all_known TREE LIST: the keys on stdin are those that have a row of LIST for this release
all_known() {
	local tree=$1 list=$2 n=0 key release line lacks

	release=$(sed -nE 's/^\s*Version:\s*([0-9]+\.[0-9]+)\..*/\1/p' "$tree/META")
	cat >"$work/keys"
	while read -r key; do
		n=$((n + 1))
		line=$(awk -F '\t' -v l="$list" -v k="$key" \
			'$1 == l && tolower($2) == tolower(k)' "$work/rows")
		if [ -z "$line" ]; then
			bad "$list, $key: Slurm $release has it, and no row"
		elif [[ $(cut -f3 <<<"$line") != @(-|"$release") ]]; then
			bad "$list, $key: Slurm $release has it, too"
		fi
	done <"$work/keys"
	lacks=$(awk -F '\t' -v l="$list" -v r="$release" \
		'$1 == l && ($3 == "-" || $3 == r) { print $2 }' "$work/rows" |
		grep -vixFf "$work/keys" | xargs)
	[ -z "$lacks" ] || bad "$list: Slurm $release has no $lacks"
	[ "$n" -ge 4 ] || bad "$list: only $n keys found in Slurm $release"
}
without() { # all but the words of $1
	grep -vxF -- "$(xargs -n 1 <<<"$1")"
}

trees=("$@")
if [ $# -eq 0 ]; then
	for tree in "${XDG_CACHE_HOME:-$HOME/.cache}"/cosched/slurm-*/; do
		[ -e "$tree/META" ] && trees+=("${tree%/}")
	done
fi
for tree in "${trees[@]}"; do
	all_known "$tree" SchedulerParameters < <(
		test/unit/data/slurm_scheduler_keys.sh "$tree" | grep -v '^#' | bare)
	all_known "$tree" SelectTypeParameters < <(
		perl -0777 -ne 'print "$1\n" while /\(\s*str_parameters,\s*"(\w+)"\)/g' \
			"$tree/src/common/read_config.c" "$tree/src/common/slurm_selecttype_info.c" \
			2>/dev/null | bare)
	[ -z "$(searched "$tree" preempt_params)" ] ||
		all_known "$tree" PreemptParameters < <(
			{
				searched "$tree" preempt_params
				grep -rhoE "suspend_grace_time=" "$tree/src" # of slurmstepd
			} | bare)
	all_known "$tree" PreemptMode < <(modes "$tree" | bare)
	all_known "$tree" PriorityFlags < <(
		perl -0777 -ne 'print "$1\n" while /str\w*\(\w+,\s*"(\w+)"\)\s*\)?\s*\)?\s*\{?\s*conf->priority_flags/g' \
			"$tree/src/common/read_config.c" | bare)
	all_known "$tree" SlurmctldParameters < <(
		searched "$tree" slurmctld_params | bare | without "$others_ctld")
	[ "$(searched "$tree" topology_param | bare | wc -l)" -lt 4 ] ||
		all_known "$tree" TopologyParam < <(searched "$tree" topology_param | bare)
	all_known "$tree" "Lines of slurm.conf" < <(
		options "$tree" slurm_conf_options | bare | without "$others_conf")
	all_known "$tree" Nodes < <(options "$tree" _nodename_options | bare)
	all_known "$tree" Partitions < <(options "$tree" _partition_options | bare)
	all_known "$tree" "Flags of reservations" < <(flags "$tree" | bare)
done
[ ${#trees[@]} -gt 0 ] ||
	echo "skip - settings: no sources of Slurm here (contrib/slurm-source)"
[ "$failed" -ne 0 ] ||
	printf 'ok - settings: %d keys, %d of them with a test, the keys of %d Slurm releases\n' \
		"$rows" "$tests" ${#trees[@]}
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 100,000 jobs in a slurmdbd, by doc/admin/history.md: import in seconds, and the site's
# own policy first, with its error.
#
# A few real jobs of the cluster, whose row in the accounting is the pattern of all
# others; these are a synthetic workload (three years of Lublin's model on 128 nodes of 64
# cores, 40 users in four accounts, names with bars), scheduled by the simulator as
# Slurm does. So what happened is known, but for Slurm's seconds and minutes.
#
# N_JOBS=N: so many instead of 100,000.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../package/pages.inc
. "$(dirname "$0")/../package/pages.inc"
n_jobs=${N_JOBS:-100000}
page=doc/admin/history.md

cluster
DB=$(container db)
sql() {
	docker exec -i "$DB" mariadb --local-infile=1 -N slurm_acct_db "$@"
}
in_jobs() { # COMMAND: in the cluster, in /home/jobs
	docker exec -i -w "$JOBS" "$CTL" bash -c "$1"
}
TYPED_IN=in_jobs

# --- real ones

for i in 1 2 3 4 5; do
	traced_real=$(sbatch --parsable -n$i -o /dev/null -t1 --wrap "sleep 1")
done
ok "a few real jobs end" wait_for 60 gone "$traced_real"
once_completed "sacct has them" 5

# --- those of the generator

accounts=(physics chemistry climate biology)
users() { # u1 to u40, in turn in four accounts
	local i a

	for a in 0 1 2 3; do
		sacctmgr -i add account "${accounts[a]}" Cluster=cosched
		sacctmgr -i add user "name=$(for ((i = 1; i <= 40; i++)); do
			[ $((i % 4)) -ne $a ] || printf 'u%d\n' "$i"
		done | paste -sd,)" "account=${accounts[a]}" Cluster=cosched
	done >/dev/null
	[ "$(sacctmgr -n -P show assoc format=user | grep -c '^u[0-9]')" = 40 ]
}
# The trace, and when its jobs ran: "id submit start end procs nodes ppn".
make_jobs() {
	in_jobs "cosched workload lublin --nodes 102 --jobs $n_jobs --alpha 10.23" | awk '
		BEGIN { srand(1); print "; Runtimes: packed" }
		!/^;/ {
			$5 = $8 = $8 == 1 ? 1 + int(rand() * 64) : $8 * 64
			$9 = 60 * (1 + int($4 * (1 + 2 * rand()) / 60)) # whole minutes
		}
		{ print }' >"$WORK/trace"
	docker exec -i "$CTL" tee "$JOBS/trace" <"$WORK/trace" >/dev/null
	in_jobs "cosched sim --live-defaults --machine 128x2x32 --policy stock --jobs - trace" >"$WORK/ran"
}
# id submit start end cpus nodes limit user name, as accounting has them: whole seconds,
# limits in minutes, the last job ended an hour ago
rows() {
	awk -v now="$(date +%s)" -v OFS='\t' '
		BEGIN { names = split("cfd md-run copy|in ocean train post.sh", name) }
		/^[;#]/ { next }
		FILENAME ~ /trace$/ { limit[$1] = $9; next }
		{ row[++n] = $0; if ($4 > last) last = $4 }
		END {
			at = int(now - 3600 - last)
			for (i = 1; i <= n; i++) {
				split(row[i], f, " ")
				print f[1] + 1000000, int(at + f[2]), int(at + f[3]), int(at + f[4]), f[5],
					f[6], limit[f[1]] / 60, "u" 1 + f[1] * 7919 % 97 % 40,
					name[f[1] % names + 1]
			}
		}' "$WORK/trace" "$WORK/ran"
}
# What of the pattern is the job's own: COLUMN as an expression of SQL.
value_of() {
	case $1 in
	id_job | account | time_submit | time_start | time_end | timelimit | job_name)
		echo "g.$1" ;;
	time_eligible)		echo g.time_submit ;;
	id_assoc)		echo a.id_assoc ;;
	id_user | id_group)	echo 0 ;;
	cpus_req)		echo g.cpus ;;
	nodes_alloc)		echo g.nodes ;;
	mod_time)		echo g.time_end ;;
	state)			echo 3 ;;
	tres_alloc | tres_req)	echo "CONCAT('1=', g.cpus, ',4=', g.nodes)" ;;
	*)			echo "p.$1" ;;
	esac
}
fill() {
	local column columns='' values=''

	for column in $(sql -e "SELECT column_name FROM information_schema.columns
		WHERE table_schema = 'slurm_acct_db' AND table_name = 'cosched_job_table'
			AND column_name <> 'job_db_inx'"); do
		columns="$columns,\`$column\`"
		values="$values,$(value_of "$column" | sed "s/^g\.account$/a.acct/")"
	done
	sql -e "CREATE TABLE pattern AS SELECT * FROM cosched_job_table WHERE state = 3 LIMIT 1;
		CREATE TABLE made (id_job INT, time_submit BIGINT, time_start BIGINT, time_end BIGINT,
			cpus INT, nodes INT, timelimit INT, user VARCHAR(20), job_name VARCHAR(80))" &&
		rows | sql -e "LOAD DATA LOCAL INFILE '/dev/stdin' INTO TABLE made" &&
		sql -e "INSERT INTO cosched_job_table (${columns#,}) SELECT ${values#,}
			FROM made g JOIN pattern p JOIN cosched_assoc_table a
			ON a.user = g.user AND a.partition = '' AND a.deleted = 0;
			DROP TABLE made, pattern"
}
ok "40 users in four accounts" users
ok "$n_jobs jobs are made" make_jobs
ok "they are in the accounting" fill

# --- history.md, typed

# spent: of the command just typed, "REAL USER+SYSTEM" in seconds
spent() {
	sed -n 's/^TIME //p' "$WORK/said" | awk '{ print $1, $2 + $3 }'
}
timed="TIMEFORMAT='TIME %R %U %S'; time "
since=$(date -d '-4 years' +%F)
whole=$((n_jobs + 5))

typed $page 'SLURM_TIME_FORMAT=%s sacct -a -X -D -P -S 2026-10-01 -E now -o JobIDRaw,JobID,User,Account,Partition,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,State,AllocCPUS,JobName >history.txt' \
	"SLURM_TIME_FORMAT=${timed}SLURM_TIME_FORMAT" "-S 2026-10-01=-S $since"
sacct_took=$(spent)
is "sacct has all" "$(in_jobs 'grep -c . history.txt')" $((whole + 1))

typed $page 'cosched import history.txt >history.swf' "cosched import=${timed}cosched import"
import_took=$(spent)
like "import reads all" "$said" "^$whole jobs"
is "into the trace" "$(in_jobs 'grep -vc "^;" history.swf')" "$whole"
ok "names keep their bars" in_jobs 'grep -q "^; ExecutableName: .*copy|in$" history.swf'
# processor time, which does not grow with the host's load
ok "of cosched's own processor time in less than 10 s" \
	awk -v t="${import_took#* }" 'BEGIN { exit !(t > 0 && t < 10) }'
is "import --sacct gives the same" "$(in_jobs "$timed cosched import --sacct --since $since |
	grep -v '^; Note: ' | cksum" 2>"$WORK/said")" \
	"$(in_jobs "grep -v '^; Note: ' history.swf | cksum")"
both_took=$(spent)

typed $page 'cosched whatif --machine 128x2x32 --html page.html history.txt' \
	"cosched whatif=${timed}cosched whatif"
whatif_took=$(spent)
cp "$WORK/said" "$WORK/whatif"
# the simulator made it, but for what accounting rounds
ok "the answer comes first" grep -qE '^[a-z+]+ against stock: ' <(sed -n 2p "$WORK/whatif")
ok "the site's own policy, against what happened" grep -qx 'stock simulated, against what happened:' \
	"$WORK/whatif"
error=$(sed -nE 's/^ *mean wait .* ([-+][0-9.]+) %$/\1/p' "$WORK/whatif")
ok "with its error: mean wait $error %" awk -v e="$error" 'BEGIN { exit !(e != "" && e > -15 && e < 15) }'
typed $page 'cosched whatif --machine 128x2x32 --sacct --since now-30days --html page.html'
printf '%s\n' "sacct: $sacct_took s (by the clock, of its own processor time)" \
	"import history.txt: $import_took s" "import --sacct: $both_took s" \
	"whatif history.txt: $whatif_took s"
sed -n 1,40p "$WORK/whatif" | sed 's/^/    /'
clear_jobs
log_is_clean

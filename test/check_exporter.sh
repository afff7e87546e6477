#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cosched exporter without slurmctld: it says so, and goes on saying so after clients
# that mean harm. A scontrol of our own, which knows of no slurmctld, counts
# how often it is asked. `make check` runs it in the build folder.
#
# Usage: check_exporter.sh [COSCHED]
set -u -o pipefail
cosched=$(realpath "${1:-./cosched}") || exit 1
[ -x "$cosched" ] || { echo "no '$cosched': build first" >&2; exit 1; }
source=$(realpath "${srcdir:-$(dirname "$0")/..}")
work=$(mktemp -d) || exit 1
server='' failed=0

stop() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	wait
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

fail() {
	failed=1
	printf 'not ok - %s\n' "$@" >&2
}
is() { # TEXT GOT WANT
	[ "$2" = "$3" ] || fail "$1: '$2', expected '$3'"
}
# Send standard input as it is; what comes back within 8 s is in $work/answer.
send() {
	local fd

	exec {fd}<>"/dev/tcp/127.0.0.1/$port" || return 1
	(cat >&"$fd") 2>/dev/null
	timeout 8 cat <&"$fd" >"$work/answer" 2>/dev/null
	exec {fd}>&-
}
ask() { # METHOD PATH: the body in $work/body, the status in $status
	printf '%s %s HTTP/1.1\r\nHost: here\r\n\r\n' "$1" "$2" | send
	status=$(sed -n '1s/^HTTP\/1.1 \([0-9]*\) .*\r$/\1/p' "$work/answer")
	sed '1,/^\r$/d' "$work/answer" >"$work/body"
}
first_line() {
	head -n 1 "$work/answer" | tr -d '\r'
}
serves() { # WHEN
	ask GET /metrics
	is "$1: status" "$status" 200
	cmp -s "$work/body" "$work/down" || fail "$1: another page: $(cat "$work/answer")"
	kill -0 "$server" 2>/dev/null || fail "$1: the server is gone"
}

# --- start --------------------------------------------------------------------------

mkdir "$work/bin"
printf '#!/bin/sh\necho asked >>"%s"\nsleep "$(cat "%s")"\necho down >&2\nexit 1\n' \
	"$work/asked" "$work/delay" >"$work/bin/scontrol"
chmod 755 "$work/bin/scontrol"
echo 0 >"$work/delay"
export PATH=$work/bin:$PATH
cat >"$work/down" <<'END'
# TYPE cosched_up gauge
# HELP cosched_up 1 when the plugin in slurmctld answers.
cosched_up 0
# EOF
END

"$cosched" exporter --once >"$work/once" 2>"$work/err" || fail "--once: status $?"
cmp -s "$work/once" "$work/down" || fail "--once: $(cat "$work/once")"
grep -q 'nobody answers: .*(down)' "$work/err" || fail "--once does not say why: $(cat "$work/err")"
is "--once: its name, once" "$(grep -o 'cosched: [a-z]*: ' "$work/err")" "cosched: exporter: "
for bad in 9815 here: 127.0.0.1:70000 ::1:80 127.0.0.1:x; do
	"$cosched" exporter --listen "$bad" 2>"$work/err"
	is "--listen $bad" $? 2
	grep -q 'expected ADDR:PORT' "$work/err" || fail "--listen $bad: $(cat "$work/err")"
done

"$cosched" exporter --listen 127.0.0.1:0 2>"$work/log" &
server=$!
for _ in $(seq 100); do
	port=$(sed -n 's/.*listens at 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$work/log")
	[ -z "$port" ] || break
	sleep .1
done
[ -n "$port" ] || { fail "it does not listen: $(cat "$work/log")"; exit 1; }
"$cosched" exporter --listen "127.0.0.1:$port" 2>"$work/err"
is "a port that is taken" $? 2

# --- what is asked of it ------------------------------------------------------------

serves "at first"
grep -qi '^Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8.$' \
	"$work/answer" || fail "type: $(cat "$work/answer")"
ask GET /
is "/" "$status $(wc -l <"$work/body")" "200 1"
grep -q '<a href="/metrics">' "$work/body" || fail "/ names no /metrics"
ask HEAD /metrics
is "HEAD" "$status $(wc -c <"$work/body")" "200 0"
grep -q "^Content-Length: $(wc -c <"$work/down")" "$work/answer" || fail "HEAD: no length"
ask GET /other
is "another path" "$status" 404
ask POST /metrics
is "another method" "$status" 405
grep -q '^Allow: GET, HEAD' "$work/answer" || fail "405 without Allow"
if command -v curl >/dev/null; then
	curl -s -m 8 "http://127.0.0.1:$port/metrics" >"$work/body"
	cmp -s "$work/body" "$work/down" || fail "curl: $(cat "$work/body")"
fi

# Once a second, however many ask.
sleep 1.1
: >"$work/asked"
from=$(date +%s%N)
for _ in $(seq 40); do ask GET /metrics; done
seconds=$((($(date +%s%N) - from) / 1000000000 + 1))
asked=$(wc -l <"$work/asked")
[ "$asked" -ge 1 ] && [ "$asked" -le "$seconds" ] ||
	fail "40 requests in $seconds s asked $asked times"

# A plugin that does not answer holds up nobody who does not ask for it.
echo 30 >"$work/delay"
sleep 1.1
ask GET /metrics &
waiter=$!
sleep .3
from=$(date +%s%N)
ask GET /
[ $((($(date +%s%N) - from) / 1000000)) -lt 2000 ] || fail "/ waits for the plugin"
wait "$waiter"
echo 0 >"$work/delay"
sleep 1.1
serves "after an answer that took too long"

# --- clients that mean harm -----------------------------------------------------------

seed=${CS_TEST_SEED:-$RANDOM}
echo "CS_TEST_SEED=$seed"
RANDOM=$seed
for _ in $(seq 20); do
	for ((i = 0; i < 300; i++)); do
		printf '%b' "\\x$(printf %x $((RANDOM % 256)))"
	done | send
	case $(first_line) in
	'HTTP/1.1 400 Bad Request' | '') ;;
	*)	fail "random bytes: $(first_line)" ;;
	esac
done
serves "after random bytes"
{
	printf 'GET /metrics HTTP/1.1\r\nHost: here\r\nA: '
	head -c 1000000 /dev/zero | tr '\0' a
	printf '\r\n\r\n'
} | send
is "a header of 1 MB" "$(first_line)" 'HTTP/1.1 431 Request Header Fields Too Large'
serves "after it"

from=$SECONDS
exec {slow}<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /metrics HT' >&"$slow" # half a request, and its client stays
serves "beside half a request"
(
	trap '' PIPE
	for ((i = 0; i < 80; i++)); do
		printf 'A' >&"$slow" || break
		sleep .1
	done
) 2>/dev/null &
dripping=$!
timeout 8 cat <&"$slow" >/dev/null 2>&1
[ $? -ne 124 ] && [ $((SECONDS - from)) -le 8 ] || fail "a slow client is never left"
exec {slow}>&-
kill "$dripping" 2>/dev/null
wait "$dripping" 2>/dev/null
serves "after a slow client"

fds=()
for ((i = 0; i < 100; i++)); do
	exec {fd}<>"/dev/tcp/127.0.0.1/$port" || fail "connection $i"
	fds+=("$fd")
	(printf 'GET /' >&"$fd") 2>/dev/null
done
serves "beside 100 connections"
open=$(find "/proc/$server/fd" -lname 'socket:*' 2>/dev/null | wc -l)
[ "$open" -le 34 ] || fail "$open sockets are open, expected 32 connections at most"
for fd in "${fds[@]}"; do exec {fd}>&-; done
serves "after 100 connections"

# --- its format, its end ----------------------------------------------------------------

# promtool reads the older text format, in which names have their endings in # lines
# too. A whole page is that of the unit test.
if ! promtool=$(command -v promtool); then
	echo "skip - promtool check metrics: no promtool (apt-get install prometheus)"
elif [ ! -x ./test_exporter ]; then
	echo "skip - promtool check metrics: no ./test_exporter (make check in the build folder)"
else
	./test_exporter --page >"$work/whole"
	for page in "$work/down" "$work/whole"; do
		sed -E '/^# (UNIT|EOF)/d; s/^# (TYPE|HELP) (cosched_build)/# \1 \2_info/
			s/ info$/ gauge/' "$page" >"$work/older"
		for name in $(sed -n 's/^# TYPE \(.*\) counter$/\1/p' "$work/older"); do
			sed -i "s/^\(# [A-Z]* $name\) /\1_total /" "$work/older"
		done
		{ [ -s "$work/older" ] && "$promtool" check metrics <"$work/older"; } ||
			fail "promtool check metrics: $(cat "$work/older")"
	done
fi
if command -v python3 >/dev/null; then
	python3 - "$source" <<'END' || fail "the board shows what is not on the page"
import json, re, sys
page = open(sys.argv[1] + "/src/cosched/exporter/page.c").read()
names = set(re.findall(r'"(cosched_\w+)"', page))
board = json.load(open(sys.argv[1] + "/etc/grafana/cosched.json"))
shown = {n for p in board["panels"] for t in p["targets"]
         for n in re.findall(r"cosched_\w+", t["expr"])}
unknown = {n for n in shown if re.sub("_total$", "", n) not in names}
missing = {"cosched_promises_kept_total", "cosched_promises_broken_total"} - shown
sys.exit(str(unknown or missing) if unknown or missing or len(shown) < 15 else 0)
END
fi
if command -v systemd-analyze >/dev/null; then
	sed "s|^ExecStart=cosched|ExecStart=$cosched|" \
		"$source/etc/systemd/cosched-exporter.service" >"$work/cosched-exporter.service"
	systemd-analyze verify --man=no "$work/cosched-exporter.service" 2>&1 |
		grep 'cosched-exporter\.service:[0-9]' && fail "the unit"
fi
is "why is told once a change" "$(grep -c 'nobody answers' "$work/log")" 3
kill -TERM "$server"
wait "$server"
is "SIGTERM" $? 0
server=''
[ "$failed" -ne 0 ] || echo "ok"
exit "$failed"

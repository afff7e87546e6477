#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cosched top: as text for scripts, and live in a terminal (tmux).

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

params="cosched_mode=act,$SHARED"
cluster --nodes 2
says_off() {
	grep -q "mode off: Slurm's own scheduler decides" <<<"$("$COSCHED" top -b 2>&1)"
}
set_params "cosched_mode=off"
ok "mode off: it says who decides" wait_for 10 says_off
# mode shadow: Slurm's own schedulers do not look, cosched would start one at once
set_params "cosched_mode=shadow,cosched_policy=adaptive,defer,sched_interval=-1,bf_interval=1000"
wait_for 10 in_mode shadow
a=$(job -N2 -n6)
b=$(job -n8)
in_shadow() {
	"$COSCHED" top -b | grep -qE "$1"
}
ok "mode shadow: what cosched would start" wait_for 10 in_shadow "^ *$a .* now  cosched would start it now, Slurm has not$"
wait_for 10 in_shadow "^ *$b .* 8 free before others start" # a cycle may fall between the two
got=$("$COSCHED" top -b)
like "who decides" "$got" "^mode shadow: Slurm decides when these start; below is what cosched would do$"
like "the column says so" "$got" "WOULD START +WHY$"
like "one behind it is not told that its cores are free" "$got" \
	"^ *$b .* 8 free before others start, which cosched would do now$"
unlike "nor that nobody has looked" "$got" "not considered yet"
like "explain says the same" "$("$COSCHED" explain "$a")" "^job $a .* waits: cosched would start it now, Slurm has not"
clear_jobs
set_params "$params"
wait_for 10 in_act

top() {
	"$COSCHED" top "$@" 2>&1
}
shows() { # shows REGEX [OPTION]...
	top -b "${@:2}" | grep -qE -- "$1"
}

a=$(profiled cg -N2 -n4)
running "$a"
b=$(profiled io -N2 -n4)
running "$b"
c=$(LIMIT=10 job -N2 --exclusive)
ok "one that waits is shown" wait_for 10 shows "^ *$c .* [0-9]:[0-9:]+  "
got=$(top -b)
like "what is in force" "$got" "^cosched .* mode act, policy .*; 2 run, 1 wait; 8 of 8 cores used"
like "a bar for each node" "$got" "n1 \[##########\] +4/4 +2j +n2 \[##########\] +4/4 +2j"
like "what shares" "$got" "^ +[0-9]+ (primary|matched) +$a .* n\[1-2\]$"
like "with which" "$got" "^ +[0-9]+ (primary|matched) +$b .* n\[1-2\]$"
is "one look without -n" "$(grep -c '^cosched ' <<<"$got")" 1
is "as many as -n says" "$(top -b -n 3 -d 1 | grep -c '^cosched ')" 3
is "--json has members" "$(top --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
print(o["nodes"], o["names"], len(o["groups"][0]["jobs"]), o["queue"][0]["job"])')" \
	"[[4, 4, 2], [4, 4, 2]] ['n1', 'n2'] 2 $c"
unlike "no control bytes" "$got" $'\033'
scontrol update NodeName=n2 State=DRAIN Reason=test
ok "a drained node is not up" wait_for 10 shows 'n2 \[xxxxxxxxxx\] not up'
scontrol update NodeName=n2 State=RESUME
like "users may not ask" "$(vc run --user nobody "$COSCHED" top -b 2>&1)" \
	"only root, SlurmUser and operators|no permission"
got=$(vc run --user nobody "$COSCHED" doctor 2>&1)
like "doctor tells a lack of right as such" "$got" \
	"^ok +plugin +not known: (only root, SlurmUser and operators|no permission)"
is "COLUMNS cuts the lines" "$(COLUMNS=50 top -b | awk '{ if (length > n) n = length } END { print n }')" 50

# A plugin of an earlier release lists the commands that it knows.
old_plugin() {
	python3 - "$WORK/old.sock" <<-'END'
		import socket, struct, sys
		s = socket.socket(socket.AF_UNIX)
		s.bind(sys.argv[1])
		s.listen(1)
		c = s.accept()[0]
		n = struct.unpack(">I", c.recv(12, socket.MSG_WAITALL)[8:])[0]
		c.recv(n, socket.MSG_WAITALL)
		text = b"bad question: expected cmd status, explain, groups, users or params"
		c.sendall(b"CsW1E\0\0\0" + struct.pack(">I", len(text)) + text)
	END
}
old_plugin &
ok "(a socket like an old plugin's)" wait_for 10 test -S "$WORK/old.sock"
is "a plugin older than the command is told as such" "$(top -b --socket "$WORK/old.sock")" \
	"cosched: top: the plugin in slurmctld is older than this command, and does not know 'top': restart slurmctld"
wait $!
like "nothing but a terminal or -b" "$(top </dev/null)" "not a terminal, expected one, or -b"
like "-d has a range" "$(top -b -d 0)" "expected a whole number from 1 to"

# --- in a terminal ------------------------------------------------------------------

live() {
	local t="tmux -L cosched-$$ -f /dev/null" at

	at_end() {
		tmux -L "cosched-$$" kill-server 2>/dev/null
	}
	screen() { # screen REGEX
		$t capture-pane -p | grep -qE -- "$1"
	}
	$t new-session -d -x 100 -y 30 "env PS1='ready> ' PATH=$PATH SLURM_CONF=$SLURM_CONF bash --norc --noprofile"
	ok "a terminal" wait_for 10 screen '^ready>'
	$t send-keys "stty -g | md5sum > $WORK/before; '$COSCHED' top -d 1" Enter
	ok "it shows itself there" wait_for 15 screen '^cosched .* mode act'
	ok "with the machine" screen 'n1 \[##########\]'
	ok "and the queue" wait_for 5 screen "^ *$c "
	unlike "in the place of what was there" "$($t capture-pane -p)" "ready>"
	scancel "$c"
	ok "it follows what happens" wait_for 10 screen '^no job waits'
	$t resize-window -x 60 -y 15
	ok "it takes another size" wait_for 5 eval \
		'[ "$('"$t"' display -p "#{pane_width}x#{pane_height}")" = 60x15 ]'
	ok "and draws for it" wait_for 5 eval '! screen "n1 .*n2 " && screen "^n2 |^  *n2 |n2 \["'
	$t send-keys q
	ok "q ends it" wait_for 5 screen '^ready>'
	unlike "and what was there is back" "$($t capture-pane -p)" "mode act"
	$t send-keys "stty -g | md5sum | cmp - $WORK/before && echo as-it-was" Enter
	at=0
	wait_for 5 screen '^as-it-was' || at=1
	is "and so are the terminal's settings" "$at" 0
	for how in INT TERM HUP; do
		$t send-keys "clear; '$COSCHED' top -d 1" Enter
		wait_for 15 screen '^cosched .* mode act'
		kill -"$how" "$(pgrep -P "$($t display -p '#{pane_pid}')" -f 'cosched top')"
		ok "SIG$how ends it" wait_for 5 screen '^ready>'
		$t send-keys "clear; stty -g | md5sum | cmp - $WORK/before && echo as-it-was-$how" Enter
		ok "and leaves the terminal as it was" wait_for 5 screen "^as-it-was-$how"
		is "with a cursor" "$($t display -p '#{cursor_flag}')" 1
		is "on the usual screen" "$($t display -p '#{alternate_on}')" 0
	done
	$t send-keys "clear; '$COSCHED' top -d 1" Enter
	wait_for 15 screen '^cosched .* mode act'
	$t send-keys C-z
	ok "it can be stopped" wait_for 5 screen '^ready>'
	is "on the usual screen" "$($t display -p '#{alternate_on}')" 0
	$t send-keys "fg" Enter
	ok "and go on" wait_for 5 screen '^cosched .* mode act'
	$t send-keys q
	ok "up to its end" wait_for 5 screen '^ready>'
}
if command -v tmux >/dev/null; then
	live
else
	omit "in a terminal" "no tmux"
fi
clear_jobs
log_is_clean

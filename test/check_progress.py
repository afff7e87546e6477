# SPDX-License-Identifier: GPL-2.0-or-later
"""How far a command is, on a terminal: a bar is drawn, it only grows, it is wiped, and
the answer is the one that there is without a terminal.  No time is measured: what is
read comes in two pieces, the second of them when the bar has had time to be drawn, and
simulations are of a size for which nobody needs less than a tenth of a second.

    check_progress.py COSCHED
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

COSCHED = os.path.realpath(sys.argv[1])
failed = 0


def fail(text):
    global failed
    failed += 1
    print("not ok - " + text)


def on_terminal(words, feed=None):
    """status, standard output, what the terminal on standard error got"""
    master, slave = pty.openpty()
    with open(work + "/out", "wb") as out:
        p = subprocess.Popen([COSCHED, *words], stdin=subprocess.PIPE if feed else
                             subprocess.DEVNULL, stdout=out, stderr=slave, cwd=work)
    os.close(slave)
    got = b""
    if feed:
        half = len(feed) // 2
        p.stdin.write(feed[:half])
        p.stdin.flush()
        time.sleep(.3)
        p.stdin.write(feed[half:])
        p.stdin.close()
    while True:
        ready, _, _ = select.select([master], [], [], 300)
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError:
            piece = b""
        if not piece:
            break
        got += piece
    os.close(master)
    with open(work + "/out", "rb") as out:
        return p.wait(), out.read(), got.decode()


def look(words, unit, feed=None):
    plain = subprocess.run([COSCHED, *words], input=feed, capture_output=True, cwd=work,
                           check=False)
    status, out, seen = on_terminal(words, feed)
    where = "cosched " + " ".join(words)
    drop = re.compile(rb"simulated in [\d.]+ s|\"wall_seconds\":[\d.e-]+")
    if (status, drop.sub(b"", out)) != (plain.returncode, drop.sub(b"", plain.stdout)):
        fail("%s: another answer on a terminal: %d, %.300r" % (where, status, out))
    if "\r" in plain.stderr.decode() or "\r" in plain.stdout.decode():
        fail(where + ": a bar without a terminal")
    drawn = re.findall(r"\r(?:\[(#* *)\] )?(\d+)(?: of (\d+))? (%s)" % re.escape(unit), seen)
    if not drawn:
        fail("%s: no bar: %.300r" % (where, seen))
        return
    for a, b in zip(drawn, drawn[1:]):
        if int(a[1]) > int(b[1]) or a[2] != b[2]:
            fail("%s: it goes back: %s, %s" % (where, a, b))
    for marks, done, of, _ in drawn:
        if of and (int(done) > int(of) or len(marks) != 40 or
                   marks.count("#") != 40 * int(done) // int(of)):
            fail("%s: %r for %s of %s" % (where, marks, done, of))
    last = seen.rindex(drawn[-1][3])
    if not re.search(r"\r {80,}\r", seen[last:]):
        fail("%s: it is not wiped: %.300r" % (where, seen[last:]))


work = tempfile.mkdtemp()
try:
    def run(*words):
        return subprocess.run([COSCHED, *words], capture_output=True, cwd=work,
                              check=True).stdout
    # above the 64 KiB of a buffer
    trace = run("workload", "lublin", "--nodes", "64", "--jobs", "1500")
    with open(work + "/trace", "wb") as f:
        f.write(trace)
    run("sim", "--machine", "64x1x1", "--events", "log", "trace")
    with open(work + "/log", "rb") as f:
        log = f.read()
    look(["check", "-"], "MB", log)
    look(["check", "--json", "-"], "MB", log)
    look(["replay", "-"], "MB", log)
    look(["replay", "--set", "policy=fcfs", "-"], "MB", log)
    lines = ["JobID|Submit|Start|End|State|NCPUS|Timelimit|User"]
    for i in range(4000):
        lines.append("%d|2025-03-01T10:%02d:%02d|2025-03-01T12:00:00|2025-03-01T13:00:00|"
                     "COMPLETED|%d|09:00:00|u%d" % (i + 1, i // 60 % 60, i % 60, 1 + i % 4, i % 5))
    look(["import", "-"], "MB", ("\n".join(lines) + "\n").encode())
    with open(work + "/large", "wb") as f:
        f.write(run("workload", "lublin", "--nodes", "128", "--jobs", "150000"))
    look(["sim", "--machine", "128x1x1", "--policy", "fcfs", "large"], "jobs")
    look(["compare", "--machine", "128x1x1", "--policies", "fcfs,fcfs:n_high=3", "-j", "2",
          "large"], "% of the runs")
    look(["workload", "lublin", "--jobs", "1000000"], "jobs")
finally:
    shutil.rmtree(work)
if not failed:
    print("ok")
sys.exit(failed != 0)

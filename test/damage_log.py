#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damage a workload log (SWF) in one way that real logs have.

damage_log.py WAY SEED < LOG > DAMAGED: the damaged log, and on standard error how many
jobs it has less than LOG and whether `cosched sim --strict` must refuse it: "LESS STRICT".
damage_log.py: the ways, a line each.  Lines of LOG that are no jobs already (no submit
time, run time or processors) are left alone, so that LESS is exact.
"""
import random
import sys


def is_job(fields):
    """Would the line be simulated, on a machine that is large enough?"""
    return (
        len(fields) == 18
        and float(fields[1]) >= 0
        and float(fields[3]) > 0
        and max(float(fields[4]), float(fields[7])) > 0
    )


class Log:
    def __init__(self, text, seed):
        self.random = random.Random(seed)
        self.lines = text.decode("latin-1").splitlines()
        self.jobs = [
            i
            for i, line in enumerate(self.lines)
            if line.strip() and line.strip()[0] != ";" and is_job(line.split())
        ]
        self.end = "\n"
        self.first = ""
        self.less = 0
        self.strict = False
        self.raw = None

    def some(self):
        """A tenth of the jobs."""
        return self.random.sample(self.jobs, max(1, len(self.jobs) // 10))

    def set(self, i, **fields):
        v = self.lines[i].split()
        for name, value in fields.items():
            v[int(name[1:]) - 1] = value
        self.lines[i] = " ".join(v)

    def lose(self, n):
        self.less += n
        self.strict = True


def line_ends(log):
    """Line ends of another system, tabs, control characters, a last line without one."""
    log.end = log.random.choice(["\r\n", "\r"])
    for i in log.some():
        log.lines[i] = log.lines[i].replace(" ", log.random.choice(["\t", "\v ", "\x01"]))
    log.raw = "no end"


def byte_order_mark(log):
    """A byte order mark, and a character that ends a file."""
    log.first = "\xef\xbb\xbf"
    log.lines.append("\x1a")


def no_submit(log):
    """All fields but number, status and queue unknown."""
    some = log.some()
    for i in some:
        v = log.lines[i].split()
        log.lines[i] = " ".join([v[0]] + ["-1"] * 9 + ["1"] + ["-1"] * 3 + v[14:15] + ["-1"] * 3)
    log.lose(len(some))


def partial(log):
    """Partial executions behind their job's line."""
    for i in sorted(log.some(), reverse=True):
        v = log.lines[i].split()
        parts = []
        for k, status in enumerate(["2"] * log.random.randint(1, 3) + ["3"]):
            parts.append(" ".join(v[:1] + ["-1" if k else v[1]] + v[2:10] + [status] + v[11:]))
        log.lines[i + 1 : i + 1] = parts


def cut_lines(log):
    """Lines that lost fields at their end, the last one too."""
    some = set(log.some()) | {log.jobs[-1]}
    for i in some:
        log.lines[i] = " ".join(log.lines[i].split()[: log.random.randint(1, 17)])
    log.lose(len(some))


def more_fields(log):
    """All lines have three fields more, some only two."""
    some = log.some()
    for i, line in enumerate(log.lines):
        if line.strip() and line.strip()[0] != ";":
            log.lines[i] = line + (" 0.5 -1" if i in some else " 7 -1 x")
    log.lose(len(some))


def words(log):
    """Words where numbers belong: in fields that a simulation needs, and in others."""
    some = log.some()
    for n, i in enumerate(some):
        if n % 2:
            log.set(i, f6="NaN", f10="4GB", f17="none")
            log.strict = True
        else:
            log.set(i, f4=log.random.choice(["1:20:00", "12s", "\xff\xfe", "1,5"]))
            log.lose(1)


def twice(log):
    """Lines that stand twice, and an order that is none."""
    some = log.some()
    log.lines += [log.lines[i] for i in some]
    jobs = [line for line in log.lines if line.strip() and line.strip()[0] != ";"]
    log.random.shuffle(jobs)
    log.lines = [line for line in log.lines if not line.strip() or line.strip()[0] == ";"] + jobs
    log.strict = True


def headers(log):
    """Headers that lie, comments anywhere, names that are no UTF-8."""
    log.lines[:0] = [
        "; MaxJobs: -1",
        "; MaxNodes: 1",
        "; MaxProcs: none",
        "; UnixStartTime: 99999999999999",
        "; UserName: 1 caf\xe9 \x1b[2J",
        ";" * 300,
    ]
    for i in sorted(log.some(), reverse=True):
        log.lines.insert(i, log.random.choice(["", "  ; a note", "# another", ";\xff\x00;", "\t"]))


def notation(log):
    """Fractions, signs and powers of ten, for the same numbers."""
    for i in log.jobs:
        v = log.lines[i].split()
        v[1] = log.random.choice(["%s.0", "+%s", "%s.000", "%se0", "%sE+00"]) % v[1]
        v[4] = v[4] + ".00"
        log.lines[i] = " ".join(v)


WAYS = [
    line_ends,
    byte_order_mark,
    no_submit,
    partial,
    cut_lines,
    more_fields,
    words,
    twice,
    headers,
    notation,
]


def main():
    if len(sys.argv) == 1:
        print("\n".join(way.__name__ for way in WAYS))
        return
    log = Log(sys.stdin.buffer.read(), sys.argv[2])
    {way.__name__: way for way in WAYS}[sys.argv[1]](log)
    text = log.first + log.end.join(log.lines) + ("" if log.raw else log.end)
    sys.stdout.buffer.write(text.encode("latin-1"))
    print(log.less, "yes" if log.strict else "no", file=sys.stderr)


main()

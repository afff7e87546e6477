# SPDX-License-Identifier: GPL-2.0-or-later
"""What every reproduction needs beside its simulations.

Words to the user with a progress bar, one line for what goes wrong, files that are
whole or not there, and the options that all have.
"""
import argparse
import json
import math
import os
import signal
import sys
import time

PROGRAM = os.path.basename(sys.argv[0])


class Failed(Exception):
    """One line for the user."""


# --- talking to people --------------------------------------------------------------


def say(text):
    print("%s: %s" % (PROGRAM, text), file=sys.stderr, flush=True)


def duration(s):
    if s < 100:
        return "%d s" % math.ceil(s)
    return "%d min" % math.ceil(s / 60)


class Bar:
    """How far it is: a bar on a terminal, else a line every ten percent."""

    def __init__(self, runs, cost):
        self.runs, self.cost = runs, cost
        self.n, self.spent = 0, 0.0
        self.since = self.last = time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.told = 0

    def step(self, cost):
        self.n += 1
        self.spent += cost
        now, part = time.monotonic(), self.spent / self.cost
        left = duration((now - self.since) * (1 - part) / part)
        if self.terminal and (now - self.last > .1 or self.n == self.runs):
            self.last = now
            full = int(40 * part)
            sys.stderr.write("\r[%s%s] %d of %d runs, %s left   " % (
                "#" * full, " " * (40 - full), self.n, self.runs, left))
            sys.stderr.flush()
        elif not self.terminal and int(10 * part) > self.told and \
                now - self.last > 5:
            self.told = int(10 * part)
            self.last = now
            say("%d of %d runs, %s left" % (self.n, self.runs, left))

    def done(self):
        if self.terminal and self.n:
            sys.stderr.write("\r%s\r" % (" " * 79))


# --- files --------------------------------------------------------------------------


def write(path, text):
    """Whole or not at all."""
    aside = "%s.%d.new" % (path, os.getpid())
    try:
        with open(aside, "w", encoding="utf-8") as f:
            f.write(text)
        os.replace(aside, path)
    except OSError as e:
        raise Failed("cannot write '%s': %s" % (path, e.strerror)) from e


def write_all(folder, files):
    """@files: name -> text."""
    make_folder(folder)
    for name in sorted(files):
        write(os.path.join(folder, name), files[name])


def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as e:
        raise Failed("'%s': %s" % (path, e.strerror)) from e


def load(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError) as e:
        raise Failed("'%s': %s; remove it and start again" % (path, e)) from e


# --- a program ----------------------------------------------------------------------


def count(text):
    n = int(text)
    if n < 1:
        raise ValueError
    return n


def numbers(text):
    return tuple(float(x) for x in text.split(","))


def seeds_of(text):
    """Of FROM-TO."""
    first, last = (int(x) for x in text.split("-"))
    if first > last:
        raise ValueError
    return range(first, last + 1)


def options(about, work):
    """A parser with what all have; @work: the usual work folder."""
    arg = argparse.ArgumentParser(
        prog=PROGRAM, description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("--cosched", default="./cosched", metavar="FILE",
                     help="the command (./cosched)")
    arg.add_argument("--work", default=work, metavar="DIR",
                     help="where finished runs are kept (%s)" % work)
    arg.add_argument("--out", default="doc/results", metavar="DIR",
                     help="where the report goes (doc/results)")
    arg.add_argument("-j", type=count, metavar="N",
                     default=len(os.sched_getaffinity(0)),
                     help="runs at a time (all cores)")
    arg.add_argument("--sbatch", nargs="?", const="", metavar="OPTIONS",
                     help="runs as tasks of a job array on this site's Slurm, with these "
                     "options of sbatch (--sbatch='-p short'); the work folder is one that "
                     "all nodes share")
    arg.add_argument("--dry-run", action="store_true",
                     help="only say how many runs there are")
    return arg


def run(main):
    """@main with one line for what goes wrong; SIGTERM ends its children too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except Failed as e:
        sys.exit("%s: error: %s" % (PROGRAM, e))
    except KeyboardInterrupt:
        sys.exit("%s: stopped; finished runs are kept" % PROGRAM)

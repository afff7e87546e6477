# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs as the tasks of a job array on the site's own Slurm (--sbatch).

The work folder must be one that all nodes share. A task of the array is the same program
with the same arguments: it comes as far as its runs, does those of its part, and ends.
What is done is kept, so that an array that was interrupted goes on where it was.
"""
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time

from common import Bar, Failed, make_folder, say, write

FOLDER = "COSCHED_LAB"  # in a task's environment
TASKS = 250             # of an array, at most; MaxArraySize is 1,001
PAUSE_S = 2             # between two questions to slurmctld
SHARED_S = 20           # until a node's file is seen here
CANCEL_S = 90
ASK_S = 120             # for an answer of a command of Slurm
SILENT_S = 1800         # without one: slurmctld may be restarted meanwhile
OVER = {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED",
        "BOOT_FAIL", "DEADLINE", "REVOKED", "LAUNCH_FAILED", "OUT_OF_MEMORY"}
OWN = ("-a", "--arr", "--wr", "-M", "--cl", "--te", "-W")
SCRIPT = """#!/bin/sh
# A task of a sweep. $1: its folder; then the program and its arguments.
[ -r "$1/parts" ] || exit 44 # this node does not see it
exec >>"$1/log.$SLURM_ARRAY_TASK_ID" 2>&1
%s=$1
export %s
shift
exec "$@"
""" % (FOLDER, FOLDER)


def part():
    """In a task of an array: the names of its runs. Else None."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        return None
    with open(os.path.join(folder, "parts"), encoding="utf-8") as f:
        return json.load(f)[int(os.environ["SLURM_ARRAY_TASK_ID"])]


def cores(most):
    """That a task was given; without cgroups it sees all of the node."""
    given = os.environ.get("SLURM_CPUS_ON_NODE", "")
    return max(1, min(int(given), most)) if given.isdigit() else most


def words_of(options):
    try:
        words = shlex.split(options)
    except ValueError as e:
        raise Failed("--sbatch is '%s': %s" % (options, e)) from e
    for word in words:
        if word.startswith(OWN) or word == "--wait":
            raise Failed("--sbatch has '%s', expected options that leave the job array "
                         "as it is" % word)
    return words


def environment():
    """Without what the user's says of squeue, scancel and other clusters."""
    return {k: v for k, v in os.environ.items()
            if not k.startswith(("SQUEUE_", "SCANCEL_")) and
            k not in ("SLURM_CLUSTERS", "SBATCH_CLUSTERS", "SBATCH_WAIT")}


def ask(words):
    """What a command of Slurm says, one that no interrupt of the terminal reaches."""
    try:
        got = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, start_new_session=True, check=False,
                             env=environment(), timeout=ASK_S)
    except subprocess.TimeoutExpired as e:
        raise Failed("%s: no answer in %d s" % (words[0], ASK_S)) from e
    except OSError as e:
        raise Failed("%s: %s" % (words[0], e.strerror)) from e
    if got.returncode:
        said = (got.stderr + got.stdout).strip()
        raise Failed("%s failed: %s" % (words[0], said.splitlines()[-1] if said else
                                        "it gives no reason"))
    return got.stdout


class Array:
    """The tasks of one work folder, found by their name."""

    def __init__(self, folder, options):
        self.folder = os.path.join(os.path.abspath(folder), "sweep")
        self.options = words_of(options)
        of = "%s %d" % (self.folder, os.getuid())
        self.name = "cosched-lab-" + hashlib.sha256(of.encode()).hexdigest()[:16]
        self.job = None
        self.shared = False
        self.ended_at = None

    def look(self):
        """How many tasks there are that have not ended; is one of ours over, and where."""
        active, node = 0, None
        for line in ask(["squeue", "--noheader", "--array", "--states=all",
                         "--name=" + self.name, "--format=%F %K %T %N"]).splitlines():
            job, _, state, *at = line.split()
            active += state not in OVER
            if job == self.job and state in ("FAILED", "COMPLETED"):
                node = at[0] if at else "?"
        return active, node

    def submit(self, parts):
        if os.path.isdir(self.folder):
            shutil.rmtree(self.folder)
        make_folder(self.folder)
        write(os.path.join(self.folder, "parts"), json.dumps(parts))
        write(os.path.join(self.folder, "task.sh"), SCRIPT)
        was = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            said = ask(["sbatch"] + self.options + [
                "--parsable", "--requeue", "--output=/dev/null", "--error=/dev/null",
                "--job-name=" + self.name, "--chdir=" + os.getcwd(),
                "--array=0-%d" % (len(parts) - 1), os.path.join(self.folder, "task.sh"),
                self.folder, sys.executable, "-B"] + sys.argv)
            self.job = (said.split() or [""])[-1]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, was)
        if not self.job.isdigit():
            raise Failed("sbatch answers '%s', expected a job's number" % said.strip())
        say("%d runs, %d tasks of job array %s" %
            (sum(len(p) for p in parts), len(parts), self.job))

    def check_shared(self, node):
        """A task ended, and none has written here."""
        self.shared = self.shared or any(
            name.startswith("log.") for name in os.listdir(self.folder))
        if self.shared or node is None:
            return
        self.ended_at = self.ended_at or time.monotonic()
        if time.monotonic() - self.ended_at > SHARED_S:
            raise Failed("node '%s' does not see '%s', or cannot write there, expected a "
                         "folder that all nodes share" % (node, self.folder))

    def wait(self, step):
        """Until no task is left; step() counts what has been done."""
        answered = time.monotonic()
        while True:
            try:
                active, node = self.look()
                answered = time.monotonic()
            except Failed:
                if time.monotonic() - answered > SILENT_S:
                    raise
                active, node = 1, None
            step()
            if self.job:
                self.check_shared(node)
            if not active and (self.shared or not self.job or node is None):
                return
            time.sleep(PAUSE_S)

    def cancel(self):
        """None of its tasks is left."""
        was = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            until = time.monotonic() + CANCEL_S
            while time.monotonic() < until:
                ask(["scancel", "--quiet", "--name=" + self.name])
                if not self.look()[0]:
                    return
                time.sleep(.5)
            say("tasks named '%s' are still there" % self.name)
        except Failed as e:
            say(str(e))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, was)

    def last_words(self):
        for name in sorted(os.listdir(self.folder)):
            if name.startswith("log."):
                with open(os.path.join(self.folder, name), encoding="utf-8") as f:
                    lines = f.read().split("\n")
                said = [x for x in lines if ": error: " in x]
                if said:
                    return said[-1]
        return "no word of it in '%s'" % self.folder


def parts_of(tasks):
    """Dear and cheap ones mixed."""
    n = min(len(tasks), TASKS)
    return [[t.file() for t in tasks[i::n]] for i in range(n)]


def sweep(lab, tasks, options):
    """All @tasks, the dear ones first, into the folder of @lab; each twice at most."""
    array = Array(lab.folder, options)
    left = {t.file(): t for t in tasks}
    bar = Bar(len(tasks), sum(t.cost() for t in tasks))

    def step():
        there = set(os.listdir(lab.folder))
        for name in [n for n in left if n in there]:
            bar.step(left.pop(name).cost())

    try:
        if array.look()[0]:  # of a program that was killed
            array.wait(step)
        for _ in range(2):
            if left:
                array.submit(parts_of([t for t in tasks if t.file() in left]))
                array.wait(step)
    except BaseException:
        array.cancel()
        raise
    finally:
        bar.done()
    if left:
        raise Failed("%d runs failed twice: %s" % (len(left), array.last_words()))
    if os.path.isdir(array.folder):
        shutil.rmtree(array.folder)

# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs, several at a time, whose results are kept.

A result is a file in the work folder, below the digest of the build that made it: what
was broken off goes on where it was, another build starts afresh.  A task has

    file()              the name of its result, the same for the same task
    cost()              seconds that it takes, only to say how long all will take
    make(lab, path)     writes the result, with lab.call() or by itself
    read(path)          what the result says
"""
import concurrent.futures
import hashlib
import os
import subprocess
import sys
import threading

import sweep
from common import Bar, Failed, duration, make_folder, say


def digest(paths):
    """Of files, as one."""
    total = hashlib.sha256()
    for path in paths:
        try:
            with open(path, "rb") as f:
                total.update(f.read())
        except OSError as e:
            raise Failed("'%s': %s" % (path, e.strerror)) from e
    return total.hexdigest()[:12]


class Lab:
    """Does tasks and keeps what came out."""

    def __init__(self, arg, makers, suffix=""):
        """@makers: files that results depend on beside the command."""
        self.cosched, self.at_a_time = arg.cosched, arg.j
        self.sbatch = arg.sbatch
        self.folder = os.path.join(
            arg.work, digest([arg.cosched] + list(makers)) + suffix)
        make_folder(self.folder)
        self.results = {}
        self.children = set()
        self.lock = threading.Lock()
        self.stopped = False

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, words, stdout=subprocess.DEVNULL):
        """A command to its end; stop() ends it."""
        with self.lock:
            if self.stopped:
                raise Failed("stopped")
            child = subprocess.Popen(words, stdout=stdout,
                                     stderr=subprocess.PIPE, text=True,
                                     stdin=subprocess.DEVNULL)
            self.children.add(child)
        said = child.communicate()[1].strip()
        with self.lock:
            self.children.discard(child)
        if child.returncode:
            raise Failed("%s failed: %s" % (
                " ".join([os.path.basename(words[0])] + words[1:]),
                said.splitlines()[-1] if said else
                "status %d" % child.returncode))

    def stop(self):
        with self.lock:
            self.stopped = True
            for child in self.children:
                child.terminate()

    def keep(self, name, make):
        """The path of @name; where it is not there, make(fresh) writes it."""
        path = self.path(name)
        if os.path.exists(path):
            return path
        fresh = "%s.%s.%d.%d.new" % (path, os.uname().nodename, os.getpid(),
                                   threading.get_ident())
        try:
            make(fresh)
            os.replace(fresh, path)
        except OSError as e:
            raise Failed("cannot write '%s': %s" % (path, e.strerror)) from e
        finally:
            if os.path.exists(fresh):
                os.unlink(fresh)
        return path

    def do_one(self, task):
        self.keep(task.file(), lambda path: task.make(self, path))

    def plan(self, tasks):
        """Those that are to be done, the dear ones first, so that the cores end
        together; and how many there are in all."""
        tasks = {t.file(): t for t in tasks}
        todo = [t for name, t in tasks.items()
                if not os.path.exists(self.path(name))]
        seconds = sum(t.cost() for t in todo) / self.at_a_time
        say("%d runs, %d of them are there; %s with %d at a time" %
            (len(tasks), len(tasks) - len(todo),
             "about " + duration(seconds) if todo else "nothing to do",
             self.at_a_time))
        return sorted(todo, key=lambda t: (-t.cost(), t.file()))

    def do(self, tasks):
        """All of them, in parallel, here or as tasks of a job array. A task of the array
        does those of its part, and ends there."""
        part = sweep.part()
        if part is not None:
            self.at_a_time = sweep.cores(self.at_a_time)
            tasks = [t for t in tasks if t.file() in set(part)]
        todo = self.plan(tasks)
        if part is None and self.sbatch is not None:
            if todo:
                sweep.sweep(self, todo, self.sbatch)
            return
        self.do_here(todo)
        if part is not None:
            sys.exit(0)

    def do_here(self, todo):
        bar = Bar(len(todo), sum(t.cost() for t in todo))
        with concurrent.futures.ThreadPoolExecutor(self.at_a_time) as pool:
            pending = {pool.submit(self.do_one, t): t for t in todo}
            try:
                for f in concurrent.futures.as_completed(pending):
                    f.result()
                    bar.step(pending[f].cost())
            except BaseException:
                for f in pending:
                    f.cancel()
                self.stop()
                raise
            finally:
                bar.done()

    def of(self, task):
        """Its result, read once."""
        name = task.file()
        if name not in self.results:
            self.results[name] = task.read(self.path(name))
        return self.results[name]

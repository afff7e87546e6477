# SPDX-License-Identifier: GPL-2.0-or-later
"""Logs in SWF and the campaigns of their users, as OStrich's paper finds them."""
import lzma

from common import Failed


class Job:
    __slots__ = ("id", "submit", "wait", "run", "procs", "estimate", "user",
                 "campaign")

    def __init__(self, f):
        self.id, self.submit, self.wait = int(f[0]), int(f[1]), int(f[2])
        self.procs = int(f[7]) if int(f[7]) > 0 else int(f[4])
        self.run = int(float(f[3]))
        self.estimate = int(float(f[8])) if float(f[8]) > 0 else self.run
        self.user = int(f[11])
        self.campaign = 0


def read_log(path, procs, exact, window=None):
    """Jobs by (submit, id), as `cosched sim` takes them."""
    try:
        with (lzma.open if path.endswith(".xz") else open)(
                path, "rt", encoding="latin-1") as f:
            jobs = [Job(line.split()) for line in f
                    if line.strip() and not line.startswith(";")]
    except (OSError, EOFError, lzma.LZMAError, ValueError, IndexError) as e:
        raise Failed("'%s': %s" % (path, e)) from e
    jobs = [j for j in jobs if j.run > 0 and 0 < j.procs <= procs and
            (not window or window[0] <= j.submit < window[1])]
    for j in jobs:
        if exact:
            j.estimate = j.run
        j.run = min(j.run, j.estimate)
    jobs.sort(key=lambda j: (j.submit, j.id))
    return jobs


def write_log(path, jobs):
    """As SWF, campaigns in field 14."""
    with open(path, "w", encoding="ascii") as f:
        for j in jobs:
            f.write("%d %d %d %d %d -1 -1 %d %d -1 1 %d -1 %d -1 -1 -1 -1\n" %
                    (j.id, j.submit, j.wait, j.run, j.procs, j.procs,
                     j.estimate, max(j.user, 0), j.campaign))


class Campaign:
    """Jobs of one user; @end: of the last one in the log."""

    def __init__(self, user):
        self.user, self.jobs, self.end = user, [], -1

    def stretch(self, end, procs, bound=0):
        """Flow over the time it takes on the whole machine, alone."""
        work = sum(j.run * j.procs for j in self.jobs)
        least = max(max(j.run for j in self.jobs), work / procs, bound)
        flow = max(end(j) for j in self.jobs) - self.jobs[0].submit
        return max(flow / least, 1 if bound else 0)


def by_max(jobs):
    """MAX of section VI-A: a job is of the campaign that it overlaps, as logged."""
    of = {}
    for j in jobs:
        mine = of.setdefault(j.user, [])
        if not mine or j.submit > mine[-1].end:
            mine.append(Campaign(j.user))
        c = mine[-1]
        c.jobs.append(j)
        c.end = max(c.end, j.submit + max(j.wait, 0) + j.run)
        j.campaign = len(mine)
    return [c for mine in of.values() for c in mine]


def logged_end(j):
    return j.submit + max(j.wait, 0) + j.run


class Log:
    """Jobs with their campaigns, and the machine."""

    def __init__(self, name, path, procs, exact=False, window=None, days=0):
        """@days: the first ones only, 0: all."""
        self.name = name.split(",")[0] + ("-%d" % days if days else "")
        self.title, self.procs = name, procs
        jobs = read_log(path, procs, exact, window)
        if not jobs:
            raise Failed("'%s': no jobs" % path)
        if days:
            last = (window or [jobs[0].submit])[0] + days * 86400
            jobs = [j for j in jobs if j.submit < last]
        self.jobs, self.campaigns = jobs, by_max(jobs)
        self.users = {c.user for c in self.campaigns}

    def trace(self, lab):
        """The path of a log of these jobs alone."""
        return lab.keep(self.name + ".swf",
                        lambda path: write_log(path, self.jobs))

    def stretches(self, end, bound=0):
        """Of each campaign; @end: of a job."""
        return [c.stretch(end, self.procs, bound) for c in self.campaigns]

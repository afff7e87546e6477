# SPDX-License-Identifier: GPL-2.0-or-later
"""What traces say by themselves, and beside the jobs of a simulation."""
import math

SHORT_S, MEDIUM_S = 600, 10800
RR_BOUND_S = 600


def records(path, comment):
    """The words of each line."""
    with open(path, encoding="ascii") as f:
        for line in f:
            if line[0] != comment:
                yield line.split()


class Facts:
    """Of a trace in SWF: what table 5 has of it."""

    def __init__(self, path):
        classes, work = [0, 0, 0], [0.0, 0.0, 0.0]
        self.jobs = self.serial = self.power = 0
        last = 0
        first = None
        for word in records(path, ";"):
            submit, run, procs = int(word[1]), int(word[3]), int(word[7])
            first = submit if first is None else first
            last = submit
            k = (run > SHORT_S) + (run > MEDIUM_S)
            classes[k] += 1
            work[k] += run * procs
            self.jobs += 1
            self.serial += procs == 1
            self.power += procs & (procs - 1) == 0
        self.span = last - first
        self.classes = [100 * c / self.jobs for c in classes]
        self.work = [100 * w / sum(work) for w in work]
        self.eligible = classes[1] + classes[2]


def rr_p95(trace, jobs):
    """95th percentile of the relative response over all jobs of
    `cosched sim --jobs`."""
    runtime = {word[0]: max(float(word[3]), RR_BOUND_S)
               for word in records(trace, ";")}
    rr = sorted(max(1, (float(word[3]) - float(word[1])) / runtime[word[0]])
                for word in records(jobs, "#"))
    return rr[math.ceil(.95 * len(rr)) - 1]

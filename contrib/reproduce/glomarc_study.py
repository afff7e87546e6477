# SPDX-License-Identifier: GPL-2.0-or-later
"""What is simulated for G-LOMARC-TS, asked by scheduler and figure.

A figure is a function of a list of seeds, so that one function gives both the mean
over all and its spread.  An experiment is one reading changed, on W1.
"""
import math

from common import Failed
from glomarc_runs import SCHEDULERS, Run
from tables import change
from traces import Facts

SLACKS = ("1.0", "1.1", "1.25", "1.4", "1.5", "2", "3")
BLOCKS = ("4", "8", "12", "16", "32", "64")
USUAL_SLACK, USUAL_BLOCK = "1.5", "16"
W2_SCHEDULERS = ("SSP", "GLTS", "FBO", "NS", "NH")
BY_BLOCK = ("GLTS", "FBO", "NS")        # NH has no blocks
EXPECTING = ("SSP", "CSTWS", "CST", "GLTS")     # with both readings of R_est
TRIPLES = 5             # 3-seed means that a spread must have to be judged by
LEAST_SEEDS = 3 * TRIPLES


class Study:
    """Runs and what they say."""

    def __init__(self, lab, seeds, jobs):
        self.lab, self.jobs = lab, jobs
        self.seeds = list(range(1, seeds + 1))
        self.triples = [self.seeds[i:i + 3] for i in range(0, seeds - 2, 3)]
        self.facts = {}

    # runs

    def run(self, workload, scheduler, seed, more=()):
        return Run((workload,), self.jobs, seed,
                   dict(SCHEDULERS[scheduler], **dict(more)))

    def slack(self, value, seed):
        return self.run("w1", "GLTS", seed, {} if value == USUAL_SLACK else
                        {"slack": value})

    def block(self, scheduler, value, seed):
        return self.run("w2", scheduler, seed, {} if value == USUAL_BLOCK else
                        {"block_size": value})

    def expecting(self, scheduler, seed):
        """R_est has the short slices to come in it."""
        return self.run("w1", scheduler, seed, {"slice_expect_short": "yes"})

    def all(self):
        for s in self.seeds:
            for k in EXPECTING:
                yield self.expecting(k, s)
            for k in SCHEDULERS:
                yield self.run("w1", k, s)
            for v in SLACKS:
                yield self.slack(v, s)
            for k in W2_SCHEDULERS:
                yield self.run("w2", k, s)
            for k in BY_BLOCK:
                for v in BLOCKS:
                    yield self.block(k, v, s)

    # figures

    def fact(self, run):
        """What the trace itself is like."""
        path = run.trace(self.lab)
        if path not in self.facts:
            self.facts[path] = Facts(path)
        return self.facts[path]

    def mean(self, key, run, seeds):
        """Over @seeds, of the runs that run(seed) is; NAN: nothing there."""
        values = [self.lab.of(run(s)).get(key) for s in seeds]
        values = [v for v in values if v is not None]
        return sum(values) / len(values) if values else math.nan

    def of(self, workload, scheduler, key):
        return lambda seeds: self.mean(
            key, lambda s: self.run(workload, scheduler, s), seeds)

    def of_expecting(self, scheduler, key):
        return lambda seeds: self.mean(
            key, lambda s: self.expecting(scheduler, s), seeds)

    def of_slack(self, value, key):
        return lambda seeds: self.mean(
            key, lambda s: self.slack(value, s), seeds)

    def of_block(self, scheduler, value, key):
        return lambda seeds: self.mean(
            key, lambda s: self.block(scheduler, value, s), seeds)

    def makespan(self, workload, scheduler):
        """Over the time of the submits."""
        def f(seeds):
            runs = [self.run(workload, scheduler, s) for s in seeds]
            return sum(self.lab.of(r)["makespan"] / self.fact(r).span
                       for r in runs) / len(runs)
        return f

    def change(self, workload, new, old, key):
        """Of the means, in percent."""
        return changed(self.of(workload, new, key),
                       self.of(workload, old, key))

    def spread(self, f):
        """Lowest and highest of the disjoint 3-seed means."""
        values = [f(t) for t in self.triples]
        values = [v for v in values if not math.isnan(v)]
        return (min(values), max(values)) if len(values) > 1 else None

    def judged(self, spread):
        """Whether it is of enough 3-seed means."""
        return spread is not None and len(self.triples) >= TRIPLES


def changed(new, old):
    return lambda seeds: change(new(seeds), old(seeds))


class Experiment:
    """A line KEY=VALUE[,KEY=VALUE]... [# text]."""

    def __init__(self, line):
        self.list, _, self.text = (p.strip() for p in line.partition("#"))
        self.both = not self.list.startswith("glts:")
        self.workload, self.settings = ["w1"], {}
        for item in self.list[0 if self.both else 5:].split(","):
            key, eq, value = item.strip().partition("=")
            if not key or not eq or not value:
                raise Failed("experiment '%s': '%s', expected key=value" %
                             (line.strip(), item.strip()))
            if key in ("alpha", "resize"):
                self.workload += ["--" + key, value]
            else:
                self.settings[key] = value

    def run(self, scheduler, seed, jobs):
        more = self.settings if self.both or scheduler == "GLTS" else {}
        return Run(tuple(self.workload), jobs, seed,
                   dict(SCHEDULERS[scheduler], **more))


def experiments_of(lines, path):
    """Of the command line and of the file @path, if any."""
    lines = list(lines)
    if path:
        try:
            with open(path, encoding="utf-8") as f:
                lines += [s for s in f if s.partition("#")[0].strip()]
        except (OSError, ValueError) as e:
            raise Failed("'%s': %s" % (path, e)) from e
    return [Experiment(s) for s in lines]

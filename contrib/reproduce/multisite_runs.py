# SPDX-License-Identifier: GPL-2.0-or-later
"""The simulations of multi-site scheduling: grids, traces, and what is kept of a run."""
import json
import lzma
import math
import os
import statistics

from common import load

# table 2
SITES = {"m64": "4x64,6x32,8x8", "m64-8": "8x64", "m128": "4x128", "m256": "2x256",
         "m256-5": "1x256,4x64", "m384": "1x384,1x64,4x16", "m512": "1x512"}
SPLIT = [m for m in SITES if m != "m512"]
EXTRACTS = {"10-20k": 10000, "30-40k": 30000, "60-70k": 60000}
LOG = "CTC-SP2-1996-3.1-cln.swf.xz"
LOAD = 1.1


class Sim:
    """A task: the figures of one trace on one grid by one policy."""

    def __init__(self, trace, sites, policy, **keys):
        self.trace, self.sites, self.policy = trace, sites, policy
        self.exact = keys.pop("exact", False)
        self.keys = sorted((k, str(v)) for k, v in keys.items())

    def file(self):
        return "-".join([self.trace, self.sites, self.policy] +
                        ["%s=%s" % k for k in self.keys] +
                        ["exact"] * self.exact) + ".json"

    def cost(self):
        return .3 if self.sites.startswith("m64") else .2

    def make(self, lab, path):
        words = [lab.cosched, "sim", "--sites", SITES[self.sites], "--policy",
                 self.policy, "--summary", path]
        for key in self.keys:
            words += ["--set", "%s=%s" % key]
        if self.exact:
            words += ["--estimates", "exact"]
        lab.call(words + [lab.path(self.trace + ".swf")])
        k = load(path)
        with open(path, "w", encoding="ascii") as f:
            json.dump({key: k.get(key, 0) for key in (
                "awrt", "awwt", "multisite_jobs", "fragments_mean", "split_node_s",
                "jobs", "mean_bounded_slowdown")}, f)

    def read(self, path):
        return load(path)


class Ideal(Sim):
    """The same on one machine, where only jobs larger than every site pay for crossing,
    with the fewest sites: about what choosing when and where to split could win."""

    def file(self):
        return "ideal-" + super().file()

    def make(self, lab, path):
        keys = dict(self.keys)
        across, grows = float(keys["across"]), keys["across_grows"]
        with open(path + ".swf", "w", encoding="ascii") as f, \
                open(lab.path(self.trace + ".swf"), encoding="ascii") as log:
            for line in log:
                f.write(line if line[0] == ";" else
                        longer(line.split(), sizes(self.sites), across, grows))
        lab.call([lab.cosched, "sim", "--sites", SITES["m512"], "--policy", "multisite",
                  "--summary", path, path + ".swf"])
        os.remove(path + ".swf")


def sizes(grid):
    """Of its sites, the largest first."""
    each = [part.split("x") for part in SITES[grid].split(",")]
    return sorted(sum(([int(k)] * int(n) for n, k in each), []), reverse=True)


def longer(job, sites, p, grows):
    """A line of a log, where @job runs over the fewest @sites."""
    left = int(job[4]) if int(job[4]) > 0 else int(job[7])
    k = 0
    while left > 0 and k < len(sites):
        left -= sites[k]
        k += 1
    if k > 1:
        f = 1 + p * {"constant": 1, "linear": (k - 1) / 3, "log": math.log2(k) / 2}[grows]
        for field in (3, 8):
            if float(job[field]) > 0:
                job[field] = "%d" % math.ceil(float(job[field]) * f)
    return " ".join(job) + "\n"


class Lot:
    """Runs of the same kind on several traces."""

    def __init__(self, lab, traces):
        self.lab, self.traces, self.tasks = lab, traces, []
        self.reading = False

    def of(self, sites, policy, kind=Sim, **keys):
        """Their results; while they are only collected, none."""
        new = [kind(t, sites, policy, **keys) for t in self.traces]
        self.tasks += new
        return [self.lab.of(t) for t in new] if self.reading else None

    def ratios(self, sites, policy, **keys):
        """AWRT over that of one machine, of each trace."""
        mine = self.of(sites, policy, **keys)
        one = self.of("m512", "multisite")
        if not mine:
            return [1.]
        return [a["awrt"] / b["awrt"] for a, b in zip(mine, one)]

    def ratio(self, sites, policy, **keys):
        return statistics.mean(self.ratios(sites, policy, **keys))

    def mean(self, key, sites, policy, **keys):
        mine = self.of(sites, policy, **keys)
        return statistics.mean(k[key] for k in mine) if mine else 1

    def over_one(self, sites, policy, **keys):
        """Mean AWRT over that of one machine with the same backfilling."""
        one = {k: keys[k] for k in ("backfill",) if k in keys}
        return self.mean("awrt", sites, policy, **keys) / \
            self.mean("awrt", "m512", "multisite", **one)


def adaptive(lot, sites, p, **keys):
    return lot.ratio(sites, "multisite-adaptive", across=p, **keys)


def split(lot, sites, p, bound, limited=False):
    return lot.ratio(sites, "multisite", across=p, site_lower_bound=bound,
                     site_fragments="limited" if limited else "unlimited")


# --- traces -------------------------------------------------------------------------


def make_traces(lab, log, seeds, jobs):
    """The stand-in of each seed, and the extracts of the log."""
    for seed in seeds:
        def draw(path, seed=seed):
            with open(path, "w", encoding="ascii") as f:
                lab.call([lab.cosched, "workload", "resample", log, "--jobs",
                          "%d" % jobs, "--load", "%g" % LOAD, "--seed", "%d" % seed], f)
        lab.keep("syn%d.swf" % seed, draw)
    for name, first in EXTRACTS.items():
        def cut(path, first=first):
            with lzma.open(log, "rt", encoding="ascii") as f:
                lines = [line for line in f if line[0] != ";"]
            begin = first * jobs // 10000
            with open(path, "w", encoding="ascii") as f:
                f.writelines(lines[begin:begin + jobs])
        lab.keep("%s.swf" % name, cut)

# SPDX-License-Identifier: GPL-2.0-or-later
"""The simulations of G-LOMARC-TS: schedulers, workloads, one run."""
import hashlib

from common import load

MACHINE = "128x2x2"
NODES = 128

# Schedulers: the title, and what --policy and --set say.
CST, CSTWS = {"policy": "cst"}, {"policy": "cstws"}     # reading A
WAITING = {"cases": "145", "backfill_cases": "45"}      # reading B
EVERY = {"cases": "12345", "backfill_cases": "145"}     # reading C
SCHEDULERS = {
    "SSP": {"policy": "ssp"},
    "CSTWS": CSTWS,
    "CSTWS B": dict(CSTWS, **WAITING),
    "CSTWS C": dict(CSTWS, **EVERY),
    "CST": CST,
    "CST B": dict(CST, **WAITING),
    "CST C": dict(CST, **EVERY),
    "GLTS": {"policy": "glts"},
    "FBO": {"policy": "fbo"},
    "NS": {"policy": "ns"},
    "NH": {"policy": "nh"},
}
ALWAYS = {"slice": "pect", "slowdowns": "table4"}
# Seconds of a run of 10,000 jobs
COST = {("w1", "ssp"): 0.2, ("w1", ""): 0.45, ("w2", "ssp"): 0.4,
        ("w2", ""): 1.4}


class Run:
    """A task of a Lab: one workload, one seed, settings."""

    suffix = ".json"

    def __init__(self, workload, jobs, seed, settings):
        self.workload = workload        # ("w1", "--alpha", "10")
        self.jobs = jobs
        self.seed = seed
        self.settings = dict(ALWAYS, **settings)

    def words(self):
        """Of the command line, in one order."""
        out = ["--policy", self.settings["policy"]]
        for k in sorted(self.settings):
            if k != "policy":
                out += ["--set", "%s=%s" % (k, self.settings[k])]
        return out + ["--seed", str(self.seed)]

    def trace_file(self):
        return "-".join(w.lstrip("-") for w in self.workload) + \
            "-%d.swf" % self.seed

    def file(self):
        digest = hashlib.sha256(" ".join(self.words()).encode()).hexdigest()
        return "%s-%s-%s%s" % (self.trace_file()[:-4],
                               self.settings["policy"], digest[:16],
                               self.suffix)

    def cost(self):
        policy = self.settings["policy"]
        return COST[self.workload[0], policy if policy == "ssp" else ""] * \
            self.jobs / 10000

    def trace(self, lab):
        """The path of its trace."""
        def make(path):
            with open(path, "w", encoding="ascii") as f:
                lab.call([lab.cosched, "workload"] + list(self.workload) +
                         ["--nodes", str(NODES), "--jobs", str(self.jobs),
                          "--seed", str(self.seed)], f)

        return lab.keep(self.trace_file(), make)

    def make(self, lab, path, more=()):
        lab.call([lab.cosched, "sim", "--machine", MACHINE] + self.words() +
                 ["--summary", path] + list(more) + [self.trace(lab)])

    def read(self, path):
        return load(path)

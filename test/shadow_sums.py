#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# shadow_sums.py LOG REPORT.json [RECORDED]: the obvious second computation of what
# `cosched shadow-report --json LOG` says: its moments from the log, its sums and means
# from its own jobs, their times from the log and from RECORDED (lines "JOB START END" in
# seconds since 1970, as Slurm has them).  Ends with "all N ..." or the first difference.
import json
import sys

KINDS = ("user", "account", "partition", "profile")
NONE = "none"


def fail(text):
    print(text)
    sys.exit(1)


def same(what, got, want, eps=2e-6):
    if isinstance(want, float):
        if abs(got - want) > eps * max(1, abs(want)):
            fail(f"{what}: {got}, expected {want}")
    elif got != want:
        fail(f"{what}: {got}, expected {want}")


def numbers(text):
    out = set()
    for part in filter(None, text.split(",")): # a start that is left to Slurm has no cores
        ends = part.split("-")
        out |= set(range(int(ends[0]), int(ends[-1]) + 1))
    return out


def nodes(line):
    return set().union(*(numbers(k) for k in line.get("alloc", {})))


def who(line):
    return {k: line.get(k) or NONE for k in KINDS}


class Log:
    """Every job there is, walked through line by line; nothing is indexed."""

    def __init__(self, lines):
        self.jobs, self.spells, self.pairs, self.runs = [], [], {}, {}
        self.header = self.boot = 0
        self.instant = []  # proposals of the last instant with one
        for line in lines:
            self.take(line)
        for j in self.jobs:
            if j["state"] == "waits" and j["told"] == self.header:
                for w in j["would"]:
                    self.spell(j, w, "waits", None)

    def find(self, number):
        for j in self.jobs:
            if j["job"] == number and j["state"] != "gone":
                return j
        return None

    def spell(self, j, would, end, start):
        if not j["left"]:
            self.spells.append(dict(who(j["line"]), job=j["job"], end=end, would=would,
                                    since=j["since"], start=start))

    def describe(self, j, line):
        j["line"] = line
        j["submit"] = line.get("submit", line["t"])
        j["since"] = max(j["submit"], line.get("eligible", 0))
        j["tasks"] = line.get("tasks", 1)

    def waits(self, line):
        j = self.find(line["job"])
        if not j or j["state"] == "runs" or j["submit"] != line.get("submit", line["t"]):
            if j:
                j["state"] = "gone"
            j = dict(job=line["job"], state="waits", would=[], header=self.header, left=False)
            self.jobs.append(j)
        j["told"] = self.header
        j["left"] = j["left"] or not self.shadow
        self.describe(j, line)

    def first(self, j):
        m = j["would"].pop(0) if j["would"] else None
        for p in self.instant:
            if m and p["moment"] is m:
                p["moment"] = None
        return m

    def starts(self, line):
        j, array = self.find(line["job"]), None
        if line.get("array", line["job"]) != line["job"]:
            array = self.find(line["array"])
        if array and array["state"] == "waits" and (not j or j["state"] == "runs"):
            j = dict(array, job=line["job"], tasks=1)
            would = self.first(array)
            array["tasks"] = max(1, array["tasks"] - 1)
            self.jobs.append(j)
        elif j and j["state"] == "waits":
            would = self.first(j)
        else:
            return
        start = max(line.get("start", line["t"]), j["since"])
        if j["header"] < self.header or start >= self.boot:
            self.spell(j, would, "started", start)
        eligible = j["line"].get("eligible", 0)
        real = max(line.get("start", line["t"]), j["submit"])
        j.update(state="runs", nodes=nodes(line), start=real,
                 arrived=eligible if j["submit"] < eligible <= real else j["submit"])
        j["left"] = j["left"] or not self.shadow

    def end(self, line):
        j = self.find(line["job"])
        if not j:
            return
        if j["state"] == "waits" and line["ev"] != "requeue":
            self.spell(j, j["would"][0] if j["would"] else None, "cancelled", None)
        elif j["state"] == "runs" and line["ev"] != "cancel" and not j["left"] and \
                line["t"] > j["start"]:
            self.runs.setdefault(j["job"], []).append((j["arrived"], j["start"], line["t"]))
        if line["ev"] != "requeue":
            j["state"] = "gone"

    def count(self, of, other, grouped):
        if of["left"]:
            return
        key = (of["line"].get("profile") or NONE, other["line"].get("profile") or NONE)
        n, g = self.pairs.get(key, (0, 0))
        self.pairs[key] = (n + 1, g + grouped)

    def would(self, line):
        j = self.find(line["job"])
        if not j or j["state"] != "waits" or line["do"] not in ("start", "host_start"):
            return
        if not self.instant or self.instant[0]["t"] != line["t"]:
            self.instant = []
        mine = sum(p["job"] is j for p in self.instant)
        p = dict(job=j, t=line["t"], nodes=nodes(line), moment=None)
        if mine >= len(j["would"]) and len(j["would"]) < j["tasks"]:
            limit, estimate = line.get("limit", 0), j["line"]["estimate"]
            m = dict(t=line["t"], grouped="group" in line, beside=[],
                     raised=max(0, round(limit - estimate, 6)),
                     cores=sum(len(numbers(k)) * len(numbers(v))
                               for k, v in line.get("alloc", {}).items()))
            j["would"].append(m)
            p["moment"] = m
            for x in self.jobs:
                if x["state"] == "runs" and x["nodes"] & p["nodes"]:
                    m["beside"].append(x["job"])
                    self.count(j, x, m["grouped"])
        for q in self.instant:
            if q["nodes"] & p["nodes"]:
                for a, b in ((p, q), (q, p)):
                    if a["moment"] and a["job"]["state"] == "waits":
                        a["moment"]["beside"].append(b["job"]["job"])
                        self.count(a["job"], b["job"], a["moment"]["grouped"])
        self.instant.append(p)

    def take(self, line):
        ev = line["ev"]
        if ev == "header":
            self.header += 1
            self.instant = []
            self.boot = line.get("boot", -1)
            self.shadow = line["params"].get("mode") == "shadow"
            for j in self.jobs:
                if j["state"] == "runs":
                    j["state"] = "gone"
        elif ev == "submit":
            self.waits(line)
        elif ev == "change":
            j = self.find(line["job"])
            if j and j["state"] == "waits":
                self.describe(j, line)
        elif ev == "requeue":
            self.end(line)
            self.waits(line)
        elif ev == "start":
            self.starts(line)
        elif ev in ("finish", "cancel"):
            self.end(line)
        elif ev == "would" and self.shadow:
            self.would(line)


def moments(log, report):
    got = [(j["job"], j["would_start"], j["end"], j["since"], j.get("start", -1.),
            *(j[k] for k in KINDS), j["cores"], j["grouped"], j["raised_s"], j["n_beside"],
            sorted(j["beside"])) for j in report["moments"]["jobs"]]
    want = [(s["job"], s["would"]["t"], s["end"], float(s["since"]), float(s["start"] or -1),
             *(s[k] for k in KINDS), s["would"]["cores"], s["would"]["grouped"],
             float(s["would"]["raised"]), len(s["would"]["beside"]),
             sorted(s["would"]["beside"])[:8]) for s in log.spells if s["would"]]
    same("jobs with a moment", len(got), len(want))
    for g, w in zip(sorted(got), sorted(want)):
        # of more than 8 beside it any 8 are named
        g, w = (x[:-1] if w[-2] > 8 else x for x in (g, w))
        same(f"moment of job {w[0]}", g, w)
    pairs = {(p["profile"], p["beside"]): (p["times"], p["grouped"])
             for p in report["moments"]["pairs"]}
    same("pairs", pairs, log.pairs)


def sum_moments(spells):
    x = dict(started=0, before=0, before_s=0., beside=0, grouped=0, raised=0, raised_s=0.)
    for s in spells:
        if s["end"] != "started":
            continue
        x["started"] += 1
        m = s["would"]
        if m and s["start"] - m["t"] > 1:
            x["before"] += 1
            x["before_s"] += s["start"] - m["t"]
            x["beside"] += len(m["beside"]) > 0
            x["grouped"] += m["grouped"]
            x["raised"] += m["raised"] > 0
            x["raised_s"] += m["raised"]
    return x


def sum_jobs(jobs):
    x = dict(jobs=len(jobs), wait_s=0., wait_site_s=0., wait_ours_s=0., earlier=0, earlier_s=0.,
             later=0, later_s=0., later_site_too=0, earlier_than_site=0, earlier_than_site_s=0.,
             later_than_site=0, later_than_site_s=0., shared=0, raised_ours=0, raised_ours_s=0.)
    for j in jobs:
        late = j["end_ours"] - j["end"]
        x["wait_s"] += j["start"] - j["since"]
        x["wait_site_s"] += j["start_site"] - j["since"]
        x["wait_ours_s"] += j["start_ours"] - j["since"]
        if late > 1:
            x["later"] += 1
            x["later_s"] += late
            x["later_site_too"] += j["end_site"] - j["end"] > 1
        elif late < -1:
            x["earlier"] += 1
            x["earlier_s"] -= late
        late = j["end_ours"] - j["end_site"]
        if abs(late) > 1:
            side = "later_than_site" if late > 0 else "earlier_than_site"
            x[side] += 1
            x[side + "_s"] += abs(late)
        x["shared"] += j["shared"]
        x["raised_ours"] += j["raised_s"] > 0
        x["raised_ours_s"] += j["raised_s"]
    return x


def sums(log, report):
    jobs, simulated = report["schedule"]["jobs"], "none" not in report["schedule"]
    for kind in KINDS + ("all",):
        names = {NONE, "all"} | {s[kind] for s in log.spells if kind != "all"} | \
            {j[kind] for j in jobs if kind != "all"}
        rows = {r["name"]: r for r in report["by"][kind]}
        for name in names:
            mine = [s for s in log.spells if kind == "all" or s[kind] == name]
            want = sum_moments(mine)
            ran = [j for j in jobs if kind == "all" or j[kind] == name]
            if simulated:
                want.update(sum_jobs(ran))
            if kind == "all" and name != "all":
                continue
            if name not in rows and not want["started"] and not ran:
                continue
            for key, value in want.items():
                same(f"{kind} {name}: {key}", rows[name][key], value)


def schedule(log, report):
    jobs = report["schedule"]["jobs"]
    real = sorted((n, a, s, e) for n, runs in log.runs.items() for a, s, e in runs)
    got = sorted((j["job"], j["since"], j["start"], j["end"]) for j in jobs)
    if "none" in report["schedule"]:
        return
    large = report["read"]["larger_than_the_machine"]
    same("runs", len(got), len(real) - large)
    for g, r in zip(got, real if not large else got):
        for a, b in zip(g, r):
            same(f"job {g[0]}", float(a), float(b), 1e-9)
    for plan, start, end in zip(report["schedule"]["plans"], ("start", "start_site", "start_ours"),
                                ("end", "end_site", "end_ours")):
        n = len(jobs)
        same(f"{plan['title']}: mean wait", plan["mean_wait"],
             sum(j[start] - j["since"] for j in jobs) / n)
        same(f"{plan['title']}: mean response", plan["mean_response"],
             sum(j[end] - j["since"] for j in jobs) / n)
        for j in jobs:
            same(f"job {j['job']}: {start} not before it came", j[start] >= j["since"], True)
    late = [j["end_ours"] - j["end"] for j in jobs if j["end_ours"] - j["end"] > 1]
    by_number = {}
    for j in jobs:
        by_number.setdefault(j["job"], []).append(j["end_ours"] - j["end"])
    worst = report["schedule"]["worst"]
    same("how many are the worst", len(worst), min(10, len(late)))
    for number, s in zip(worst, sorted(late, reverse=True)):
        same(f"worst: job {number}", min(abs(x - s) for x in by_number[number]) < 1e-5, True)


def recorded(report, path):
    jobs = {j["job"]: j for j in report["schedule"]["jobs"]}
    n = 0
    for number, start, end in (map(int, line.split()) for line in open(path)):
        if number not in jobs:
            fail(f"job {number}, which Slurm has from {start} to {end}, is missing")
        n += 1
        # Slurm's are whole seconds, and the plugin looks once a second
        if abs(jobs[number]["start"] - start) > 1.5 or not -1 <= jobs[number]["end"] - end <= 4:
            fail(f"job {number}: {jobs[number]['start']} to {jobs[number]['end']}, "
                 f"Slurm has {start} to {end}")
    return n


def main():
    lines = []
    with open(sys.argv[1]) as file:
        for text in file:
            try:
                lines.append(json.loads(text))
            except ValueError:
                break  # a last line that is cut
    report = json.load(open(sys.argv[2]))
    log = Log(lines)
    moments(log, report)
    schedule(log, report)
    sums(log, report)
    n = recorded(report, sys.argv[3]) if len(sys.argv) > 3 else 0
    total = sum_moments(log.spells)
    print(f"all {len(log.spells)} waits, {total['before']} before, "
          f"{len(report['schedule']['jobs'])} jobs, {n} recorded")


main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of G-LOMARC-TS: the paper's figures beside ours, section by section."""
import collections
import math

from glomarc_study import (BLOCKS, BY_BLOCK, EXPECTING, LEAST_SEEDS, SLACKS,
                           changed)
from tables import PART, PERCENT, change, ratio, show, show_off, table, yes

FOUR = (("medium jobs", "rr_medium"), ("long jobs", "rr_long"),
        ("all jobs", "rr_all"),
        ("core use in high load", "ucore_high"))
BOUNDS = (("", "bound 600 s"), ("_60", "bound 60 s"), ("_10", "bound 10 s"))
# GLTS against others in 5.2, percent, in the order of FOUR
GAINS = {"SSP": (-34.9, -53.2, -35.5, 26.8), "CST": (-19.4, -16.1, -13.9, 6.0),
         "CSTWS": (-28.6, -31.5, -23.2, 10.1)}

Row = collections.namedtuple("Row", "text paper form ours off spread")


class Rows:
    """Lines of a comparison with the paper."""

    def __init__(self, study):
        self.study = study
        self.rows = []
        self.readings = {}      # quantity -> its rows

    def add(self, text, paper, form, f, reading=""):
        """@paper: a number, or text.  Readings of one quantity differ in
        @reading alone."""
        ours = f(self.study.seeds)
        row = Row(text + (", " + reading if reading else ""), paper, form, ours,
                  None if isinstance(paper, str) else ours - paper,
                  self.study.spread(f))
        self.rows.append(row)
        self.readings.setdefault(text, []).append(row)

    def differs(self, row):
        """None: cannot be said."""
        if row.off is None or math.isnan(row.off) or \
                not self.study.judged(row.spread):
            return None
        return not row.spread[0] <= row.paper <= row.spread[1]

    def text(self):
        lines = []
        for r in self.rows:
            d = self.differs(r)
            lines.append((
                r.text, r.paper if r.off is None else show(r.form, r.paper),
                show(r.form, r.ours), show_spread(r.form, r.spread),
                "" if r.off is None else show_off(r.form, r.off),
                yes(None if d is None else not d)))
        return table(("quantity", "paper", "ours", "spread", "off",
                      "paper within"), lines, (0, 3, 5))


def show_spread(form, spread):
    return "%s .. %s" % tuple(show(form, x) for x in spread) if spread else ""


def general(study):
    """5.2 on W1."""
    rows = Rows(study)
    for (what, key), paper in zip(FOUR, GAINS["SSP"]):
        for end, text in BOUNDS if key == "rr_all" else (("", ""),):
            rows.add("GLTS against SSP, %s" % what, paper, PERCENT,
                     study.change("w1", "GLTS", "SSP", key + end), text)
    for pair in ("CST", "CSTWS"):
        for (what, key), paper in zip(FOUR, GAINS[pair]):
            for reading in ("", " B", " C"):
                rows.add("GLTS against %s, %s" % (pair, what), paper, PERCENT,
                         study.change("w1", "GLTS", pair + reading, key),
                         "reading" + reading if reading else "")
    return rows


def grouping(study):
    """5.2 and 5.4: groups, delays."""
    lab, rows = study.lab, Rows(study)

    def eligible(seeds):
        runs = [study.run("w1", "GLTS", s) for s in seeds]
        return 100 * ratio(sum(lab.of(r)["jobs_grouped"] for r in runs),
                           sum(study.fact(r).eligible for r in runs))

    rows.add("W1 jobs a group", 2.5, "%.2f",
             study.of("w1", "GLTS", "jobs_per_group"))
    rows.add("W2 jobs a group", 2.6, "%.2f",
             study.of("w2", "GLTS", "jobs_per_group"))
    rows.add("W1 groups", 1500, "%.0f", study.of("w1", "GLTS", "groups"))
    rows.add("W1 jobs ever in a group", "", "%.0f",
             study.of("w1", "GLTS", "jobs_grouped"))
    rows.add("W1 medium and long jobs ever in a group", 41.7, PART, eligible)
    rows.add("W2 groups", 2000, "%.0f", study.of("w2", "GLTS", "groups"))
    rows.add("groups, W2 against W1", 25, PERCENT,
             changed(study.of("w2", "GLTS", "groups"),
                     study.of("w1", "GLTS", "groups")))
    for size in ("medium", "long"):
        for p, paper in (("75", 1.3), ("95", 1.4)):
            rows.add("W1 response over estimate, %s jobs, %sth percentile" %
                     (size, p), paper, "%.2f",
                     study.of("w1", "GLTS", "delay_p%s_%s" % (p, size)))
    rows.add("W1 response over estimate, all jobs, mean", "about 1", "%.2f",
             study.of("w1", "GLTS", "delay_mean"))

    def few(none):
        def f(seeds):
            runs = [lab.of(study.run("w1", "GLTS", s)) for s in seeds]
            found = sum(r["searches"] - none * r["searches_none"] for r in runs)
            return 100 * ratio(sum(r["searches_few"] - none * r["searches_none"]
                                   for r in runs), found)
        return f

    for none, text in ((0, ""), (1, "of those with any")):
        rows.add("W1 searches with fewer than four candidates", 85, PART,
                 few(none), text)
    return rows


def heavy(study):
    """5.3: W2."""
    rows = Rows(study)
    for (what, key), paper in zip(FOUR, (17.5, 36.74, 10.65)):
        for end, text in BOUNDS if key == "rr_all" else (("", ""),):
            rows.add("W2 SSP, %s" % what, paper, "%.2f",
                     study.of("w2", "SSP", key + end), text)
    for what, key in FOUR[:3]:
        rows.add("GLTS, %s" % what, "", "%.2f", study.of("w2", "GLTS", key))
    rows.add("SSP, makespan over time of submits", "increased", "%.2f",
             study.makespan("w2", "SSP"))
    rows.add("GLTS, makespan over time of submits", "not increased", "%.2f",
             study.makespan("w2", "GLTS"))
    for what, key in FOUR:
        rows.add("GLTS against SSP, %s" % what, "", PERCENT,
                 study.change("w2", "GLTS", "SSP", key))
    return rows


def workloads(study):
    """Table 5."""
    def mean(w, f):
        return sum(f(study.fact(study.run(w, "SSP", s)))
                   for s in study.seeds) / len(study.seeds)

    lines = []
    for text, paper, f in (
            ("short jobs", 64, lambda t: t.classes[0]),
            ("medium jobs", 19.5, lambda t: t.classes[1]),
            ("long jobs", 16.5, lambda t: t.classes[2]),
            ("work of short jobs", .5, lambda t: t.work[0]),
            ("work of medium jobs", 26, lambda t: t.work[1]),
            ("work of long jobs", 73.5, lambda t: t.work[2]),
            ("serial jobs", 24, lambda t: 100 * t.serial / t.jobs),
            ("powers of two", 75, lambda t: 100 * t.power / t.jobs)):
        w1, w2 = mean("w1", f), mean("w2", f)
        lines.append((text, "%g %%" % paper,
                      show(PART, w1), show_off(PART, w1 - paper),
                      show(PART, w2), show_off(PART, w2 - paper)))
    return table(("", "paper", "W1", "off", "W2", "off"), lines)


def by_scheduler(study, workload, schedulers):
    columns = (("RR medium", "rr_medium", "%.2f"),
               ("RR long", "rr_long", "%.2f"),
               ("RR all 600", "rr_all", "%.2f"),
               ("RR all 60", "rr_all_60", "%.2f"),
               ("RR all 10", "rr_all_10", "%.2f"),
               ("core use, high load", "ucore_high", "%.3f"),
               ("groups", "groups", "%.0f"),
               ("jobs a group", "jobs_per_group", "%.2f"))
    return table([""] + [c[0] for c in columns],
                 [[k] + [show(form, study.of(workload, k, key)(study.seeds))
                         for _, key, form in columns] for k in schedulers])


def by_estimate(study):
    """Both readings of R_est, "without / with" the short slices to come."""
    def cell(k, key, form):
        return "%s / %s" % tuple(
            show(form, of(study.seeds)) for of in
            (study.of("w1", k, key), study.of_expecting(k, key)))

    columns = (("RR medium", "rr_medium", "%.2f"),
               ("RR long", "rr_long", "%.2f"),
               ("RR all 600", "rr_all", "%.2f"),
               ("core use, high load", "ucore_high", "%.3f"),
               ("groups", "groups", "%.0f"),
               ("delay, 95 %", "delay_p95", "%.2f"))
    return table([""] + [c[0] for c in columns],
                 [[k] + [cell(k, key, form) for _, key, form in columns]
                  for k in EXPECTING])


def by_estimate_gain(study):
    """GLTS against the others under both readings of R_est."""
    lines = []
    for pair, gains in GAINS.items():
        for (what, key), paper in zip(FOUR, gains):
            expecting = changed(study.of_expecting("GLTS", key),
                                study.of_expecting(pair, key))
            lines.append((
                "GLTS against %s, %s" % (pair, what), show(PERCENT, paper),
                show(PERCENT, study.change("w1", "GLTS", pair, key)
                     (study.seeds)),
                show(PERCENT, expecting(study.seeds)),
                show_spread(PERCENT, study.spread(expecting))))
    return table(("quantity", "paper", "without", "with", "spread, with"),
                 lines)


def by_slack(study):
    return table(("F_slack", "RR medium", "RR long", "RR all 600"),
                 [[v] + [show("%.2f", study.of_slack(v, key)(study.seeds))
                         for _, key in FOUR[:3]] for v in SLACKS], ())


def by_block(study):
    def cell(of):
        return "%s / %s" % tuple(show("%.2f", of(key)(study.seeds))
                                 for key in ("rr_medium", "rr_long"))

    nh = cell(lambda key: study.of("w2", "NH", key))
    return table(("block size",) + BY_BLOCK + ("NH",),
                 [[v] + [cell(lambda key, k=k, v=v: study.of_block(k, v, key))
                         for k in BY_BLOCK] + [nh] for v in BLOCKS], ())


def by_experiment(study, seeds, experiments):
    """GLTS against SSP, one reading changed at a time."""
    lines = []

    def line(text, run):
        def of(scheduler, key):
            return study.mean(key, lambda s: run(scheduler, s), seeds)

        lines.append(
            [text] +
            [show(PERCENT, change(of("GLTS", key), of("SSP", key)))
             for _, key in FOUR] +
            [show(form, of("GLTS", key)) for key, form in
             (("jobs_per_group", "%.2f"), ("groups", "%.0f"),
              ("delay_p95", "%.2f"))])

    line("nothing", lambda k, s: study.run("w1", k, s))
    for x in experiments:
        line("`%s`%s" % (x.list.replace("|", "\\|"),
                         ", " + x.text if x.text else ""),
             lambda k, s, x=x: x.run(k, s, study.jobs))
    return table(("changed", "medium", "long", "all 600", "core use",
                  "jobs a group", "groups", "delay, 95 %"), lines)


def differences(tables):
    """Which of the paper's figures lie outside our spread, in every reading."""
    known, out = 0, []
    for rows in tables:
        for name, alike in rows.readings.items():
            differ = [rows.differs(r) for r in alike]
            known += None not in differ
            if not all(differ):
                continue
            out.append("- %s: %s in the paper, %s here" % (
                name, show(alike[0].form, alike[0].paper),
                " or ".join(show(r.form, r.ours) for r in alike)))
    if not known:
        return "With fewer than %d seeds the spread is too little to judge " \
            "by.\n" % LEAST_SEEDS
    return "\n".join(
        ["Of %d quantities that can be compared, %d are outside what three of "
         "our seeds ever\ngive, in every reading above:\n" %
         (known, len(out))] + out) + "\n"

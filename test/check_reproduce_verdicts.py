# SPDX-License-Identifier: GPL-2.0-or-later
"""The columns and verdicts of glomarc.md, computed anew.

    check_reproduce_verdicts.py REPORT FOLDER SEEDS

The summaries of the runs in FOLDER are taken by the parameters that they name, not by
their file names' digests, and SEEDS is 15 or more, so that spreads are judged.
"""
import collections
import glob
import json
import math
import os
import sys

REPORT, FOLDER, SEEDS = sys.argv[1], sys.argv[2], range(1, int(sys.argv[3]) + 1)
TRIPLES = [range(s, s + 3) for s in SEEDS[::3]]
KEYS = {"medium jobs": "rr_medium", "long jobs": "rr_long",
        "all jobs": "rr_all", "core use in high load": "ucore_high"}
PAPER = {
    "SSP": {"medium jobs": -34.9, "long jobs": -53.2, "all jobs": -35.5,
            "core use in high load": 26.8},
    "CST": {"medium jobs": -19.4, "long jobs": -16.1, "all jobs": -13.9,
            "core use in high load": 6.0},
    "CSTWS": {"medium jobs": -28.6, "long jobs": -31.5, "all jobs": -23.2,
              "core use in high load": 10.1}}
SIZES = ("4", "8", "12", "16", "32", "64")
wrong = []


# --- the report and the runs --------------------------------------------------------


def tables():
    """(Section, head) -> first cell -> the other cells."""
    out, section, head, last = collections.defaultdict(dict), "", None, ""
    with open(REPORT, encoding="utf-8") as f:
        for line in f:
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if line.startswith("## "):
                section = line.strip("# \n")
            if line.startswith("|---"):
                head = tuple(last)
            elif line.startswith("|") and head:
                out[section, head][cells[0]] = cells[1:]
            else:
                head = None
            last = cells
    return dict(out)


def summaries():
    for path in glob.glob(os.path.join(FOLDER, "*.json")):
        with open(path, encoding="utf-8") as f:
            run = json.load(f)
        trace = os.path.basename(path).split("-")
        yield (trace[0], int(trace[1]), run["params"]["policy"],
               run["params"]["cases"], "%g" % run["params"]["slack"],
               "%g" % run["params"]["block_size"],
               run["params"]["slice_expect_short"]), run


RUNS = dict(summaries())
CASES = {"A": "1234", "B": "145", "C": "12345"}


def run(workload, seed, name, slack="1.5", block="16", expect="no"):
    policy, _, reading = name.partition(" ")
    cases = CASES[reading or "A"] if policy in ("CST", "CSTWS") else "12345"
    return RUNS[workload, seed, policy.lower(), cases, slack, block, expect]


def mean(seeds, key, *what, **more):
    values = [run(what[0], s, *what[1:], **more).get(key) for s in seeds]
    values = [v for v in values if v is not None]
    return sum(values) / len(values)


def span(workload, seed):
    with open("%s/%s-%d.swf" % (FOLDER, workload, seed),
              encoding="ascii") as f:
        submits = [int(line.split()[1]) for line in f if line[0] != ";"]
    return max(submits) - min(submits)


# --- comparing ----------------------------------------------------------------------


def text(form, v):
    return (form % v).replace("-", "−")


def percent(v):
    return text("%+.1f %%", v)


def word(v):
    return "yes" if v else "no"


def same(what, got, want):
    if list(got) != list(want):
        wrong.append("%s: %s, expected %s" % (what, got, want))


def gain(seeds, new, old):
    """@new, @old: functions of seeds; in percent."""
    return 100 * new(seeds) / old(seeds) - 100


def spread(f):
    values = [f(t) for t in TRIPLES]
    return min(values), max(values)


def compared(form, off_form, paper, f):
    ours, (low, high) = f(SEEDS), spread(f)
    return [text(form, paper), text(form, ours),
            "%s .. %s" % (text(form, low), text(form, high)),
            text(off_form, ours - paper), word(low <= paper <= high)]


def check_off(general, groups, heavy):
    """The column "off" and the one behind it, wherever both are numbers."""
    for name, paper in PAPER.items():
        for what, key in KEYS.items():
            for reading in ("",) if name == "SSP" else ("", " B", " C"):
                row = "GLTS against %s, %s" % (name, what)
                row += ", reading" + reading if reading else ""
                row += ", bound 600 s" if (name, key) == ("SSP", "rr_all") \
                    else ""
                same(row, general[row], compared(
                    "%+.1f %%", "%+.1f points", paper[what],
                    lambda seeds, key=key, old=name + reading: gain(
                        seeds, lambda t: mean(t, key, "w1", "GLTS"),
                        lambda t: mean(t, key, "w1", old))))
    for rows, row, paper, form, key, what in (
            (groups, "W1 jobs a group", 2.5, "%.2f", "jobs_per_group",
             ("w1", "GLTS")),
            (groups, "W2 groups", 2000, "%.0f", "groups", ("w2", "GLTS")),
            (heavy, "W2 SSP, long jobs", 36.74, "%.2f", "rr_long",
             ("w2", "SSP")),
            (heavy, "W2 SSP, all jobs, bound 60 s", 10.65, "%.2f",
             "rr_all_60", ("w2", "SSP"))):
        same(row, rows[row], compared(
            form, "%+" + form[1:], paper,
            lambda seeds, key=key, what=what: mean(seeds, key, *what)))
    same("rows with a distance",
         [sum(cells[3] != "" for cells in rows.values())
          for rows in (general, groups, heavy)], [30, 12, 5])
    same("a row without", heavy["GLTS, long jobs"][3:], ["", ""])


def check_estimate(rows, gains):
    """Both readings of R_est."""
    for name in ("SSP", "CSTWS", "CST", "GLTS"):
        same(name, [rows[name][0], rows[name][5]], [
            " / ".join("%.2f" % mean(SEEDS, key, "w1", name, expect=e)
                       for e in ("no", "yes"))
            for key in ("rr_medium", "delay_p95")])
    for name, paper in PAPER.items():
        for what, key in KEYS.items():
            without, expecting = (
                lambda seeds, e=e, key=key, name=name: gain(
                    seeds, lambda t: mean(t, key, "w1", "GLTS", expect=e),
                    lambda t: mean(t, key, "w1", name, expect=e))
                for e in ("no", "yes"))
            row = "GLTS against %s, %s" % (name, what)
            same(row, gains[row], [
                percent(paper[what]), percent(without(SEEDS)),
                percent(expecting(SEEDS)),
                "%s .. %s" % tuple(map(percent, spread(expecting)))])


def check_workloads(rows):
    serial = {}
    for w in ("w1", "w2"):
        parts = []
        for s in SEEDS:
            with open("%s/%s-%d.swf" % (FOLDER, w, s), encoding="ascii") as f:
                procs = [line.split()[7] for line in f if line[0] != ";"]
            parts.append(100 * procs.count("1") / len(procs))
        serial[w] = sum(parts) / len(parts)
    same("serial jobs", rows["serial jobs"], ["24 %"] + [
        cell for v in serial.values() for cell in
        (text("%.1f %%", v), text("%+.1f points", v - 24))])


# --- verdicts -----------------------------------------------------------------------


def check_bar(rows, orders):
    met = signs = alike = 0
    for name, paper in PAPER.items():
        for what, key in KEYS.items():
            ours = gain(SEEDS, lambda t: mean(t, key, "w1", "GLTS"),
                        lambda t: mean(t, key, "w1", name))
            most = 6 if name == "SSP" else 10
            within = -most <= ours - paper[what] <= most
            sign = (ours < 0) == (paper[what] < 0)
            met += within
            signs += sign
            row = "GLTS against %s, %s" % (name, what)
            same(row, rows[row], [
                percent(paper[what]), percent(ours),
                text("%+.1f points", ours - paper[what]), "%d points" % most,
                word(within), word(sign)])
    for what, key in KEYS.items():
        values = [mean(SEEDS, key, "w1", k)
                  for k in ("GLTS", "CST", "CSTWS", "SSP")]
        high = key == "ucore_high"
        as_paper = values == sorted(set(values), reverse=high)
        alike += as_paper
        paper = (" > " if high else " < ").join(("GLTS", "CST", "CSTWS",
                                                 "SSP"))
        same(what, [orders[what][0], orders[what][1] == paper,
                    orders[what][2]], [paper, as_paper, word(as_paper)])
    line = "Met by %d of 12, sign as in the paper for %d of 12, order for %d " \
        "of 4.\n" % (met, signs, alike)
    with open(REPORT, encoding="utf-8") as f:
        if line not in f:
            wrong.append("no line '%s'" % line.strip())


def check_saturation(rows):
    for name, paper in (("SSP", "saturates"), ("GLTS", "does not")):
        over = {w: [run(w, s, name)["makespan"] / span(w, s) for s in SEEDS]
                for w in ("w1", "w2")}
        w1, w2 = (sum(v) / len(v) for v in over.values())
        ours = "saturates" if w2 > 1.05 else "does not"
        same(name, rows[name], [
            paper, "%.3f" % w1, "%.3f" % w2,
            "%d of %d" % (sum(v > 1.05 for v in over["w2"]), len(SEEDS)),
            ours, word(ours == paper)])


def check_blocks(rows):
    for name in ("GLTS", "FBO", "NS"):
        cells = collections.defaultdict(list)
        for key in ("rr_medium", "rr_long"):
            at = {seeds: [mean(seeds, key, "w2", name, block=b) for b in SIZES]
                  for seeds in [SEEDS] + TRIPLES}
            best = {seeds: [b for b, v in zip(SIZES, values)
                            if v == min(values)]
                    for seeds, values in at.items()}
            low, twelve = min(at[SEEDS]), at[SEEDS][SIZES.index("12")]
            cells[0].append("12")
            cells[1].append(", ".join(best[SEEDS]))
            cells[2].append(percent(100 * (twelve - low) / low))
            cells[3].append(percent(100 * (max(at[SEEDS]) - low) / low))
            cells[4].append("%d" % sum(best[t] == ["12"] for t in TRIPLES))
            cells[5].append(word(best[SEEDS] == ["12"]))
        want = [" / ".join(two) for two in cells.values()]
        want[4] += " of %d" % len(TRIPLES)
        same(name, rows[name], want)


def check_slack(rows):
    for start, end, paper in (("1.0", "1.5", "falls"),
                              ("1.5", "2", "about equal"),
                              ("1.5", "3", "about equal")):
        for what, key in list(KEYS.items())[:3]:
            def f(seeds, key=key, start=start, end=end):
                return gain(
                    seeds, lambda t: mean(t, key, "w1", "GLTS", slack=end),
                    lambda t: mean(t, key, "w1", "GLTS",
                                   slack="%g" % float(start)))

            low, high = spread(f)
            row = "%s to %s, RR of %s" % (start, end, what)
            same(row, rows[row], [
                paper, percent(f(SEEDS)),
                "%s .. %s" % (percent(low), percent(high)),
                word(high < 0 if paper == "falls" else low <= 0 <= high)])


def main():
    got = tables()

    def table(section, *head):
        if (section, head) not in got:
            sys.exit("no table %s under '%s'" % (" | ".join(head), section))
        return got[section, head]

    w1, groups, w2, slack = (
        "General performance (5.2, W1)", "Groups and fairness (5.2)",
        "Heuristics and load (5.3, W2)",
        "Fairness against utilisation (5.4, W1)")
    check_off(*(table(section, "quantity", "paper", "ours", "spread", "off",
                      "paper within") for section in (w1, groups, w2)))
    check_estimate(table("Readings", "", "RR medium", "RR long", "RR all 600",
                         "core use, high load", "groups", "delay, 95 %"),
                   table("Readings", "quantity", "paper", "without", "with",
                         "spread, with"))
    check_workloads(table("Workloads (table 5)", "", "paper", "W1", "off",
                          "W2", "off"))
    check_bar(table(w1, "quantity", "paper", "ours", "off", "at most", "met",
                    "sign as in the paper"),
              table(w1, "best first by", "paper", "ours",
                    "order as in the paper"))
    check_saturation(table(w2, "", "paper", "W1", "W2",
                           "seeds of W2 above 1.05", "W2 here",
                           "as in the paper"))
    check_blocks(table(w2, "medium / long", "paper: best at", "best at",
                       "12 against the best",
                       "worst of 4 to 64 against the best",
                       "three seeds: best at 12", "best at 12"))
    check_slack(table(slack, "F_slack", "paper", "change", "spread",
                      "as in the paper"))
    sys.exit("\n".join(wrong) or 0)


main()

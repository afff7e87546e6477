# SPDX-License-Identifier: GPL-2.0-or-later
"""What is measured of campaigns, users and processors for OStrich."""
import math
import statistics

from campaigns import logged_end
from tables import PART, ratio, show

DAYS = 49               # of the stretch of LPC-EGEE
CUT = 0.04              # of the campaigns left out of means, as in figures 5, 6
ONE = 1.0005            # "exactly 1"


def kept(values):
    """Without the largest, that figures 5 and 6 leave out."""
    values = sorted(values)
    return values[:len(values) - int(len(values) * CUT)]


def part(values, most):
    """Of those up to @most, in percent."""
    return 100 * ratio(sum(v <= most for v in values), len(values))


def mean(values):
    values = list(values)
    return statistics.mean(values) if values else math.nan


def gini(values):
    values = sorted(values)
    n, total = len(values), sum(values)
    return (2 * sum((i + 1) * v for i, v in enumerate(values)) / (n * total) -
            (n + 1) / n)


def by_user(campaigns, values, f):
    of = {}
    for c, v in zip(campaigns, values):
        of.setdefault(c.user, []).append(v)
    return {u: f(v) for u, v in sorted(of.items())}


def stretch_cells(values):
    most = kept(values)
    return ["%.3f" % mean(most)] + \
        [show(PART, part(v, x)) for v in (most, values)
         for x in (ONE, 1.4, 2.15)]


def user_figures(log, values):
    """Of the campaigns the mean, then of the mean of each user."""
    users = sorted(by_user(log.campaigns, values, mean).values())
    return (mean(values), statistics.median(users),
            users[math.ceil(.9 * len(users)) - 1], users[-1], gini(users))


def user_cells(figures):
    return ["%.2f" % v for v in figures[:-1]] + ["%.3f" % figures[-1]]


def use_by(width, log, end, begin):
    """Part of the processors in use in each piece of @width seconds."""
    busy = [0.] * (DAYS * 86400 // width)
    for j in log.jobs:
        stop = end(j)
        start = stop - j.run
        h = int((start - begin) // width)
        while h < len(busy) and begin + h * width < stop:
            if h >= 0:
                busy[h] += j.procs * (min(stop, begin + (h + 1) * width) -
                                      max(start, begin + h * width))
            h += 1
    return [b / (log.procs * width) for b in busy]


def use_rows(log, end, begin):
    """How much more is in use than in the log, by the length of a piece of time:
    its name, how many are loaded, and seven parts in percent."""
    rows = []
    for width, text in ((60, "a minute"), (600, "10 minutes"),
                        (3600, "an hour"), (86400, "a day")):
        logged = use_by(width, log, logged_end, begin)
        ours = use_by(width, log, end, begin)
        loaded = [(a, b) for a, b in zip(logged, ours) if b > .1]
        rows.append((text, len(loaded), [
            100 * mean(b >= 1.2 * a for a, b in loaded),
            100 * mean(a for a, _ in loaded),
            100 * mean(b for _, b in loaded),
            part([-v for v in logged], -.99), part([-v for v in ours], -.99),
            part(logged, .01), part(ours, .01)]))
    return rows


def use_cells(row):
    return [row[0], "%d" % row[1]] + [show(PART, v) for v in row[2]]

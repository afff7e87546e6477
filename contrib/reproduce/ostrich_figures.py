# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 4 to 9 of OStrich."""
from campaigns import logged_end
from ostrich_measures import DAYS, kept
from plot import COLOURS, GREY, Plot

OURS = COLOURS[0]
DAY = "days since 6 December 2004"
MOST = 4                # stretches above are drawn there
FOOT = 48


def panel(title, number, about, head, top, last, x_text):
    """A plot of one, with numbers from 0 to @last below it."""
    plot = Plot("%s (figure %d)" % (title, number), about, 1, 560)
    plot.panel(0, head, top)
    plot.x_axis(0, last, x_text)
    return plot


def draw_stretch(number, whose, log, values, end, begin):
    plot = panel("Campaign stretch, " + whose, number,
                 "Each campaign by its end; %d: that and more." % MOST,
                 whose + ": stretch of campaigns", MOST, DAYS + 1, DAY)
    plot.dots([((max(end(j) for j in c.jobs) - begin) / 86400, v)
               for c, v in zip(log.campaigns, values)], OURS)
    return plot.svg(FOOT)


def draw_spread(number, whose, values):
    values = kept(values)
    bins = [0] * 60
    for v in values:
        bins[min(int(v / 0.1), 59)] += 1
    plot = panel("Campaign stretch, " + whose, number,
                 "Without the largest; the last bar: that and more.",
                 whose + ": part of the campaigns", .8, 6, "stretch")
    for i, n in enumerate(bins):
        plot.bar(i / 10, (i + 1) / 10, n / len(values), OURS)
    return plot.svg(FOOT)


def draw_use(number, whose, use):
    plot = panel("Utilisation, " + whose, number, "By the hour.",
                 whose + ": processors in use, %", 100, DAYS + 1, DAY)
    plot.curve([(i / 24, 100 * u) for i, u in enumerate(use)], OURS)
    return plot.svg(FOOT)


def draw_users(number, log, ours):
    plot = panel("Median stretch of each user", number,
                 "%d: that and more." % MOST, "median stretch", MOST, len(log),
                 "users by their median in the log (grey); OStrich (blue)")
    for i, u in enumerate(sorted(log, key=lambda u: log[u])):
        plot.bar(i + .1, i + .5, log[u], GREY)
        plot.bar(i + .5, i + .9, ours[u], OURS)
    return plot.svg(FOOT)


def pictures(log, begin, logged, ours, uses, medians):
    """File name -> SVG.  @logged, @ours: stretches; @uses, @medians: of the log,
    of OStrich."""
    return {
        "ostrich-fig4.svg": draw_stretch(4, "log", log, logged, logged_end,
                                         begin),
        "ostrich-fig5.svg": draw_spread(5, "log", logged),
        "ostrich-fig6.svg": draw_spread(6, "OStrich", ours),
        "ostrich-fig7.svg": draw_use(7, "log", uses[0]),
        "ostrich-fig8.svg": draw_use(8, "OStrich", uses[1]),
        "ostrich-fig9.svg": draw_users(9, *medians),
    }

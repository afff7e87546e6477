# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 6 to 9 of G-LOMARC-TS."""
import math

from glomarc_runs import SCHEDULERS
from glomarc_study import BLOCKS, BY_BLOCK, SLACKS
from plot import COLOURS, GREY, HIGH, TOP, Plot, num


def bar_colour(name):
    for k, start in enumerate(("GLTS", "CSTWS", "CST")):
        if name.startswith(start):
            return COLOURS[k]
    return GREY if name == "SSP" else COLOURS[4]


def draw_bars(study, title, about, measures, form):
    """Figures 6 and 7: a bar a scheduler, its whisker the 3-seed means."""
    names = list(SCHEDULERS)
    plot = Plot(title, about, len(measures), 30 * len(names), form)
    for k, (text, key, places) in enumerate(measures):
        values = [study.of("w1", s, key)(study.seeds) for s in names]
        spreads = [study.spread(study.of("w1", s, key)) for s in names]
        top = max([v for v in values if not math.isnan(v)] +
                  [s[1] for s in spreads if s], default=1)
        plot.panel(k, text, top)
        for i, (name, v, spread) in enumerate(zip(names, values, spreads)):
            if math.isnan(v):
                continue
            x = plot.left + 30 * i + 3
            plot.add('<rect x="%s" y="%s" width="24" height="%s" fill="%s">'
                     '<title>%s: %s</title></rect>', num(x), num(plot.y(v)),
                     num(v * plot.scale), bar_colour(name), name, places % v)
            if spread:
                plot.add('<path class="whisker" d="M%s %sV%s"/>', num(x + 12),
                         num(plot.y(spread[0])), num(plot.y(spread[1])))
            plot.text(x + 12, plot.y(max(v, spread[1] if spread else 0)) - 4,
                      "small m", places % v)
            plot.add('<text class="small r" transform="translate(%s %s) '
                     'rotate(-50)">%s</text>', num(x + 16),
                     num(TOP + HIGH + 14), name)
    return plot.svg(64)


def draw_lines(title, about, xs, x_text, panels):
    """Figures 8 and 9; panels: (title, [(name, values)])."""
    plot = Plot(title, about, len(panels), 330)
    for k, (text, curves) in enumerate(panels):
        values = [v for _, c in curves for v in c if not math.isnan(v)]
        plot.panel(k, text, max(values, default=1))
        at = [plot.left + 20 + i * (plot.wide - 40) / max(1, len(xs) - 1)
              for i in range(len(xs))]
        for x, name in zip(at, xs):
            plot.text(x, TOP + HIGH + 16, "small m", name)
        plot.below(x_text)
        for i, (name, c) in enumerate(curves):
            dash = ("", "6 3", "2 3", "8 3 2 3")[i % 4]
            plot.add('<path class="line" stroke="%s" stroke-dasharray="%s" '
                     'd="M%s"><title>%s</title></path>', COLOURS[i % 6], dash,
                     "L".join("%s %s" % (num(x), num(plot.y(v)))
                              for x, v in zip(at, c) if not math.isnan(v)),
                     name)
            x = plot.left + i * 78
            y = TOP + HIGH + 52
            plot.add('<path class="line" stroke="%s" stroke-dasharray="%s" '
                     'd="M%s %sh22"/>', COLOURS[i % 6], dash, num(x),
                     num(y - 4))
            plot.text(x + 27, y, "", name)
    return plot.svg(62)


def by_block(study, about):
    panels = []
    for text, key in (("RR, medium jobs", "rr_medium"),
                      ("RR, long jobs", "rr_long")):
        curves = [(k, [study.of_block(k, v, key)(study.seeds)
                       for v in BLOCKS]) for k in BY_BLOCK]
        nh = study.of("w2", "NH", key)(study.seeds)
        panels.append((text, curves + [("NH", [nh] * len(BLOCKS))]))
    return draw_lines("Relative response by block size, W2 (figure 8)", about,
                      BLOCKS, "block size", panels)


def by_slack(study, about):
    panels = []
    for text, key in (("RR, medium jobs", "rr_medium"),
                      ("RR, long jobs", "rr_long"),
                      ("RR, all jobs, bound 600 s", "rr_all")):
        curve = [study.of_slack(v, key)(study.seeds) for v in SLACKS]
        ssp = study.of("w1", "SSP", key)(study.seeds)
        panels.append((text, [("GLTS", curve), ("SSP", [ssp] * len(SLACKS))]))
    return draw_lines("Relative response by slack, W1 (figure 9)", about,
                      SLACKS, "F_slack", panels)


def pictures(study):
    """File name -> SVG."""
    base = "Mean over %d seeds of " % len(study.seeds)
    whisker = base + "W1; the line is from the lowest to the highest mean of " \
        "three seeds."
    return {
        "glomarc-fig6.svg": draw_bars(
            study, "Relative response by scheduler, W1 (figure 6)", whisker,
            (("RR, medium jobs", "rr_medium", "%.1f"),
             ("RR, long jobs", "rr_long", "%.1f"),
             ("RR, all jobs, bound 600 s", "rr_all", "%.1f")), "%g"),
        "glomarc-fig7.svg": draw_bars(
            study, "Core use in high load by scheduler, W1 (figure 7)",
            whisker, (("cores held in high load", "ucore_high", "%.2f"),),
            "%.1f"),
        "glomarc-fig8.svg": by_block(study, base + "W2."),
        "glomarc-fig9.svg": by_slack(study, base + "W1."),
    }

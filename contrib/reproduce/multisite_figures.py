# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures 3 to 6 of multi-site scheduling."""
from multisite_runs import SPLIT, adaptive, split
from plot import COLOURS, TOP, Plot

OVERHEAD = (0, .3, .8, 1.2, 1.8, 3)
BOUNDS = (0, 64, 96, 128, 256)


def draw(number, about, panels):
    """@panels: [(title, {name: curve [(p, y)]})]; names in the colours of their curves,
    the highest at the end first"""
    plot = Plot("Figure %d" % number, about, len(panels), 520 if len(panels) < 2 else 400)
    for k, (title, lines) in enumerate(panels):
        plot.panel(k, title, max(y for v in lines.values() for _, y in v))
        plot.x_axis(0, 100 * max(x for v in lines.values() for x, _ in v),
                    "overhead p, %")
        names = sorted(lines, key=lambda n: -lines[n][-1][1])
        for i, (name, colour) in enumerate(zip(names, COLOURS)):
            plot.curve([(100 * x, y) for x, y in lines[name]], colour)
            plot.add('<text x="%g" y="%g" style="fill:%s">%s</text>', plot.left + 12,
                     TOP + 18 + 16 * i, colour, name)
    return plot.svg(48)


def over(of, at=OVERHEAD):
    return [(p, of(p)) for p in at]


def comparison_of_m64(lot):
    at = (0, .1, .3, .6, .8, 1.2, 1.8)
    lines = {"unlimited, lower bound %d" % b: over(
        lambda p, b=b: split(lot, "m64", p, b), at) for b in (64, 32, 0)}
    lines["limited, lower bound 64"] = over(
        lambda p: split(lot, "m64", p, 64, True), at)
    return [("m64", lines)]


def lower_bounds(lot):
    return [("m384", {"lower bound %d" % b: over(
        lambda p, b=b: split(lot, "m384", p, b)) for b in BOUNDS})]


def best_of(lot, p, **keys):
    """The best of the non-adaptive rules."""
    return min(lot.over_one("m384", "multisite", across=p, site_lower_bound=b, **keys)
               for b in BOUNDS)


def adaptive_and_best(lot):
    panels = []
    for title, keys in (("EASY", {}), ("no backfilling", {"backfill": "none"})):
        single = lot.over_one("m384", "multisite", site_rule="single", **keys)
        panels.append(("m384, %s" % title, {
            "adaptive": over(lambda p, k=keys: lot.over_one(
                "m384", "multisite-adaptive", across=p, **k)),
            "best non-adaptive": over(lambda p, k=keys: best_of(lot, p, **k)),
            "never split": over(lambda p, s=single: s)}))
    return panels


def all_grids(lot):
    return [("adaptive", {m: over(lambda p, m=m: adaptive(lot, m, p)) for m in SPLIT})]


FIGURES = {
    3: ("m64, non-adaptive: AWRT over that of one machine", comparison_of_m64),
    4: ("m384, non-adaptive: AWRT over that of one machine", lower_bounds),
    5: ("m384: AWRT over that of one machine with the same backfilling",
        adaptive_and_best),
    6: ("Adaptive: AWRT over that of one machine", all_grids)}


def figures(lot):
    return {"multisite-fig%d.svg" % n: draw(n, about + ".", of(lot))
            for n, (about, of) in FIGURES.items()}

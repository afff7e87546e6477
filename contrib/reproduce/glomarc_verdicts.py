# SPDX-License-Identifier: GPL-2.0-or-later
"""What the paper says of G-LOMARC-TS in words, and whether it holds here.

Each verdict is computed: how near the gains of 5.2 are and whether the schedulers
come in the paper's order, who saturates (5.3), which block size is best (5.3), and
what a larger F_slack brings (5.4).
"""
import math

from glomarc_study import BLOCKS, BY_BLOCK, changed
from glomarc_tables import FOUR, GAINS, show_spread
from tables import PERCENT, change, show, show_off, table, yes

BAR = {"SSP": 6, "CST": 10, "CSTWS": 10}        # points, the default reading
SATURATED = 1.05        # makespan over the time of the submits
BEST_BLOCK = "12"       # the paper's
# F_slack from, to, and what the paper says of RR
STEPS = (("1.0", "1.5", "falls"), ("1.5", "2", "about equal"),
         ("1.5", "3", "about equal"))


def known(values):
    return not any(math.isnan(v) for v in values)


def both(cells):
    """Medium and long jobs in one cell."""
    return " / ".join(cells)


# --- 5.2: the bar -------------------------------------------------------------------


def in_order(values, high):
    """@values: name -> number; the best first, as text."""
    names = sorted(values, key=lambda k: -values[k] if high else values[k])
    text = names[0]
    for a, b in zip(names, names[1:]):
        text += " %s %s" % ("=" if values[a] == values[b] else
                            ">" if high else "<", b)
    return text


def order(study, k):
    """Of the schedulers by FOUR[k]: the paper's, ours (None: not known)."""
    key = FOUR[k][1]
    high = key == "ucore_high"
    paper, ours = {"GLTS": 1}, {}
    for name, gains in GAINS.items():
        paper[name] = 1 / (1 + gains[k] / 100)
    for name in paper:
        ours[name] = study.of("w1", name, key)(study.seeds)
    return in_order(paper, high), \
        in_order(ours, high) if known(ours.values()) else None


def the_bar(study):
    lines, met, signs, alike = [], [], [], []
    for name, gains in GAINS.items():
        for (what, key), paper in zip(FOUR, gains):
            ours = study.change("w1", "GLTS", name, key)(study.seeds)
            off = ours - paper
            there = known([ours])
            within = abs(off) <= BAR[name] if there else None
            sign = ours * paper > 0 if there else None
            met.append(within)
            signs.append(sign)
            lines.append(("GLTS against %s, %s" % (name, what),
                          show(PERCENT, paper), show(PERCENT, ours),
                          show_off(PERCENT, off), "%d points" % BAR[name],
                          yes(within), yes(sign)))
    orders = []
    for k, (what, _) in enumerate(FOUR):
        paper, ours = order(study, k)
        alike.append(None if ours is None else ours == paper)
        orders.append((what, paper, ours or "-", yes(alike[-1])))
    return table(("quantity", "paper", "ours", "off", "at most", "met",
                  "sign as in the paper"), lines, (0, 5, 6)) + "\n" + \
        table(("best first by", "paper", "ours", "order as in the paper"),
              orders, range(4)) + \
        "\nMet by %d of %d, sign as in the paper for %d of %d, order for %d " \
        "of %d.\n" % (met.count(True), len(met), signs.count(True),
                      len(signs), alike.count(True), len(alike))


# --- 5.3: load and blocks -----------------------------------------------------------


def saturation(study):
    """SSP cannot handle W2, GLTS can."""
    lines = []
    for name, paper in (("SSP", True), ("GLTS", False)):
        w1, w2 = (study.makespan(w, name)(study.seeds) for w in ("w1", "w2"))
        over = sum(study.makespan("w2", name)([s]) > SATURATED
                   for s in study.seeds)
        lines.append((name, "saturates" if paper else "does not",
                      show("%.3f", w1), show("%.3f", w2),
                      "%d of %d" % (over, len(study.seeds)),
                      "saturates" if w2 > SATURATED else "does not",
                      yes((w2 > SATURATED) == paper)))
    return table(("", "paper", "W1", "W2", "seeds of W2 above %g" % SATURATED,
                  "W2 here", "as in the paper"), lines, (0, 1, 5, 6))


class Sizes:
    """RR by block size, for one heuristic and one class of jobs."""

    def __init__(self, study, heuristic, key):
        self.of = {v: study.of_block(heuristic, v, key) for v in BLOCKS}
        at = {v: f(study.seeds) for v, f in self.of.items()}
        self.known = known(at.values())
        self.best = self.best_of(study.seeds)
        self.behind = change(at[BEST_BLOCK], min(at.values()))
        self.most = change(max(at.values()), min(at.values()))
        self.triples = sum(self.best_of(t) == [BEST_BLOCK]
                           for t in study.triples)

    def best_of(self, seeds):
        """More than one where they are equal."""
        at = {v: f(seeds) for v, f in self.of.items()}
        return [v for v in BLOCKS if at[v] == min(at.values())]

    def best_text(self):
        return ", ".join(self.best) if self.known else "-"

    def verdict(self):
        return yes(self.best == [BEST_BLOCK]) if self.known else "-"


def block_verdict(study):
    lines = []
    for k in BY_BLOCK:
        two = [Sizes(study, k, key) for key in ("rr_medium", "rr_long")]
        lines.append((
            k, both([BEST_BLOCK] * 2), both(s.best_text() for s in two),
            both(show(PERCENT, s.behind) for s in two),
            both(show(PERCENT, s.most) for s in two),
            both("%d" % s.triples for s in two) +
            " of %d" % len(study.triples),
            both(s.verdict() for s in two)))
    return table(("medium / long", "paper: best at", "best at",
                  "%s against the best" % BEST_BLOCK,
                  "worst of %s to %s against the best" %
                  (BLOCKS[0], BLOCKS[-1]),
                  "three seeds: best at %s" % BEST_BLOCK,
                  "best at %s" % BEST_BLOCK), lines, (0, 6))


# --- 5.4: F_slack -------------------------------------------------------------------


def as_said(study, claim, spread):
    """None: cannot be judged."""
    if not study.judged(spread):
        return None
    return spread[1] < 0 if claim == "falls" else spread[0] <= 0 <= spread[1]


def slack_verdict(study):
    lines = []
    for a, b, claim in STEPS:
        for what, key in FOUR[:3]:
            f = changed(study.of_slack(b, key), study.of_slack(a, key))
            spread = study.spread(f)
            lines.append(("%s to %s, RR of %s" % (a, b, what), claim,
                          show(PERCENT, f(study.seeds)),
                          show_spread(PERCENT, spread),
                          yes(as_said(study, claim, spread))))
    return table(("F_slack", "paper", "change", "spread", "as in the paper"),
                 lines, (0, 1, 3, 4))

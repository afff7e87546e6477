# SPDX-License-Identifier: GPL-2.0-or-later
"""What the pictures of contrib are drawn with: SVG as text, and its numbers.

contrib/demo/report and contrib/reproduce/plot.py draw with it; the pages of `cosched
compare` are drawn in C (src/cosched/compare/page_text.h), in the same colours.
Python's standard library only.
"""
import html
import math

# Colours of Okabe and Ito, which people with any colour vision tell apart.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")


def esc(s):
    return html.escape(str(s), quote=True)


def num(x):
    return ("%.2f" % x).rstrip("0").rstrip(".")


def nice_step(span, lines):
    """Distance of grid lines for about so many of them."""
    raw = max(span, 1e-9) / lines
    mag = 10 ** math.floor(math.log10(raw))
    return next(m * mag for m in (1, 2, 5, 10) if m * mag >= raw * .999)


class Drawing:
    """Pieces of SVG, in the order in which they are drawn."""

    def __init__(self):
        self.out = []

    def add(self, form, *args):
        self.out.append(form % args if args else form)

    def text(self, x, y, cls, s):
        self.add('<text x="%s" y="%s" class="%s">%s</text>', num(x), num(y),
                 cls, esc(s))

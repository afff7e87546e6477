# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots as SVG that read on light and on dark pages.

A Plot is one panel or several side by side, each with an axis of its own from 0 and,
where it has numbers below, an axis of those.
"""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from drawing import COLOURS, Drawing, esc, nice_step, num

GREY = "#999999"
STYLE = """<style>svg{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--grid:#dde2e7;
background:var(--paper);font-family:system-ui,'DejaVu Sans',Verdana,sans-serif}
@media(prefers-color-scheme:dark){svg{--paper:#0f1419;--ink:#e6edf3;
--soft:#9aa7b4;--grid:#2a323b}}
text{fill:var(--ink);font-size:12px}.small{font-size:10.5px;fill:var(--soft)}
.head{font-size:14px;font-weight:600}.m{text-anchor:middle}.r{text-anchor:end}
.grid{stroke:var(--grid);fill:none}.edge{stroke:var(--soft);fill:none}
.whisker{stroke:var(--ink);fill:none}.line{fill:none;stroke-width:2}
.paper{fill:var(--paper);stroke:var(--ink);stroke-width:1.5}</style>
"""
HIGH, TOP = 240, 46


class Plot(Drawing):
    """Panels, each with a scale of its own from 0."""

    def __init__(self, title, about, panels, wide, form="%g"):
        super().__init__()
        self.title, self.about, self.form = title, about, form
        self.wide, self.panels = wide, panels
        self.left, self.scale, self.end = 0, 1, 1
        self.first, self.x_scale = 0, 1

    def panel(self, k, title, top):
        """The @k-th, from 0 to @top or a little more."""
        self.left = 50 + k * (self.wide + 60)
        step = nice_step(top, 6)
        self.end = step * math.ceil(top / step - 1e-9)
        self.scale = HIGH / self.end
        self.text(self.left, TOP - 14, "head", title)
        v = 0
        while v <= self.end + step / 2:
            y = self.y(v)
            self.add('<path class="%s" d="M%s %sH%s"/>',
                     "grid" if v else "edge", num(self.left), num(y),
                     num(self.left + self.wide))
            self.text(self.left - 6, y + 4, "small r", self.form % v)
            v += step

    def below(self, x_text):
        """What stands under the axis."""
        self.text(self.left + self.wide / 2, TOP + HIGH + 32, "small m",
                  x_text)

    def x_axis(self, first, last, x_text):
        """Numbers below the panel."""
        self.first, self.x_scale = first, self.wide / (last - first)
        step = nice_step(last - first, 10)
        v = first
        while v <= last + step / 100:
            self.text(self.x(v), TOP + HIGH + 16, "small m", "%g" % v)
            v += step
        self.below(x_text)

    def x(self, v):
        return self.left + (v - self.first) * self.x_scale

    def y(self, v):
        return TOP + HIGH - v * self.scale

    def bar(self, a, b, v, colour):
        """From @a to @b; cut where the panel ends."""
        v = min(v, self.end)
        self.add('<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>',
                 num(self.x(a)), num(self.y(v)),
                 num((b - a) * self.x_scale), num(v * self.scale), colour)

    def curve(self, points, colour):
        self.add('<path fill="none" stroke="%s" d="M%s"/>', colour,
                 "L".join("%s %s" % (num(self.x(a)), num(self.y(b)))
                          for a, b in points))

    def dots(self, points, colour):
        """Each place once: there are thousands of them."""
        at = sorted({(round(self.x(a)), round(self.y(min(b, self.end))))
                     for a, b in points})
        self.add('<path stroke="%s" stroke-width="2" d="%s"/>', colour,
                 "".join("M%d %dh1" % p for p in at))

    def svg(self, foot):
        """@foot: room below the panels."""
        wide = 50 + self.panels * (self.wide + 60)
        high = TOP + HIGH + foot
        return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" '
                'width="%d" height="%d" role="img" aria-labelledby="t d">\n'
                '<title id="t">%s</title>\n<desc id="d">%s</desc>\n%s%s\n'
                '</svg>\n' % (wide, high, wide, high, esc(self.title),
                              esc(self.about), STYLE,
                              "\n".join(self.out)))

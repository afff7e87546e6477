# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers and tables in Markdown."""
import math

PERCENT = "%+.1f %%"    # a change
PART = "%.1f %%"        # a part of a whole


def ratio(a, b):
    return a / b if b else math.nan


def change(new, old):
    """In percent."""
    return 100 * ratio(new, old) - 100


def show(form, v):
    """A number of the text, '-' where there is none."""
    return "-" if v is None or math.isnan(v) else \
        (form % v).replace("-", "−")


def show_off(form, v):
    """A distance between two numbers of @form: of percents in points."""
    return show("%+.1f points" if form.endswith("%%") else "%+" + form[1:], v)


def yes(v):
    """'' where it cannot be said."""
    return {None: "", True: "yes", False: "no"}[v]


def table(head, rows, left=(0,)):
    """@left: columns that start at the left, the others end at the right."""
    return "\n".join(
        ["| %s |" % " | ".join(head),
         "|%s|" % "|".join("---" if i in left else "---:"
                           for i in range(len(head)))] +
        ["| %s |" % " | ".join(r) for r in rows]) + "\n"

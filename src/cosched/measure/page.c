/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measurement as a page: which pairs may share, the matrix, the intervals, the times
 * alone, what is missing, what to do with it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compare/page_text.h"
#include "measure/result.h"

#define MAX_SLOWDOWN 1.25 /* the default of cosched_max_slowdown */
#define ROW_PX 24
#define LABEL_PX 260
#define WIDE_PX 420
#define TOP_PX 30
#define TITLE 160

static bool known(struct cs_measure_interval i)
{
	return i.value > 0 && isfinite(i.half);
}

static struct cs_measure_interval slowdown(const struct cs_measure_done *d,
					   size_t of, size_t other)
{
	return cs_measure_slowdown(&d->plan, of, other, CS_MEASURE_SPREAD);
}

static const char *name(const struct cs_measure_done *d, size_t i)
{
	return d->state.program[i].name;
}

/* ---- the result ------------------------------------------------------------------- */

static void head(FILE *f, const struct cs_measure_done *d)
{
	const struct cs_measure_shape *s = &d->state.shape;

	cs_page_head(f, "slowdowns measured",
		     "How these programs slow each other");
	fprintf(f,
		"%zu program%s, on %" PRIu32 " node%s each if alone on full "
		"nodes, of %" PRIu32 " socket%s with %" PRIu32
		" cores; %zu of %zu experiments measured to &#177;%.3g %%, "
		"%.3g node-hours. By cosched " COSCHED_VERSION ".</p>\n",
		d->plan.n, d->plan.n == 1 ? "" : "s", s->nodes,
		s->nodes == 1 ? "" : "s", s->sockets,
		s->sockets == 1 ? "" : "s", s->cores, d->measured,
		d->experiments, 100 * d->plan.part,
		cs_measure_state_spent(&d->state) / 3600);
}

/* Do both directions of a pair stay below MAX_SLOWDOWN, with their intervals? */
static bool may_share(const struct cs_measure_done *d, size_t a, size_t b)
{
	struct cs_measure_interval i = slowdown(d, a, b), k = slowdown(d, b, a);

	return known(i) && known(k) && i.value + i.half <= MAX_SLOWDOWN &&
	       k.value + k.half <= MAX_SLOWDOWN;
}

static void verdict(FILE *f, const struct cs_measure_done *d)
{
	size_t pairs = 0, share = 0;
	const char *comma = ": ";

	for (size_t a = 0; a < d->plan.n; a++)
		for (size_t b = a; b < d->plan.n; b++) {
			pairs += known(slowdown(d, a, b)) &&
				 known(slowdown(d, b, a));
			share += may_share(d, a, b);
		}
	fprintf(f,
		"<div class=\"verdict\"><p>%zu of %zu measured pair%s slow "
		"each other by at most %g, the default of "
		"cosched_max_slowdown, over the whole of their intervals",
		share, pairs, pairs == 1 ? "" : "s", MAX_SLOWDOWN);
	for (size_t a = 0; a < d->plan.n; a++)
		for (size_t b = a; b < d->plan.n; b++) {
			if (!may_share(d, a, b))
				continue;
			fputs(comma, f);
			cs_page_esc(f, name(d, a));
			fputs(" and ", f);
			cs_page_esc(f, name(d, b));
			comma = ", ";
		}
	fputs(".</p></div>\n", f);
}

/* ---- tables ----------------------------------------------------------------------- */

static void put_cell(FILE *f, struct cs_measure_interval i, size_t runs,
		     const char *unit)
{
	if (!known(i))
		fprintf(f, "<td>&#8211;<small>%zu run%s</small></td>", runs,
			runs == 1 ? "" : "s");
	else
		fprintf(f,
			"<td%s>%.4g%s<small>&#177;%.2g, %zu runs</small></td>",
			!*unit && i.value + i.half <= MAX_SLOWDOWN
				? " class=\"best\""
				: "",
			i.value, unit, i.half, runs);
}

static void column(FILE *f, const char *text)
{
	fputs("<th scope=\"col\">", f);
	cs_page_esc(f, text);
	fputs("</th>", f);
}

static void row(FILE *f, const char *text)
{
	fputs("<tr><th scope=\"row\">", f);
	cs_page_esc(f, text);
	fputs("</th>", f);
}

static void matrix(FILE *f, const struct cs_measure_done *d)
{
	size_t n = d->plan.n;

	fputs("<h2 id=\"matrix\">Slowdowns</h2>\n", f);
	cs_page_wide(f, "Slowdowns");
	fputs("<table><caption>Time of the row's program beside the column's, "
	      "over its time alone on the same half of the cores; "
	      "&#177; half of the 95 % interval. Bold: at most 1.25 over the "
	      "whole interval.</caption><thead><tr>",
	      f);
	column(f, "of \\ beside");
	for (size_t k = 0; k < n; k++)
		column(f, name(d, k));
	fputs("</tr></thead><tbody>\n", f);
	for (size_t i = 0; i < n; i++) {
		row(f, name(d, i));
		for (size_t k = 0; k < n; k++)
			put_cell(
				f, slowdown(d, i, k),
				d->plan.cell[cs_measure_cell_beside(n, i, k)].n,
				"");
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table>\n", f);
	cs_page_wide_end(f);
}

static struct cs_measure_mean alone(const struct cs_measure_done *d,
				    enum cs_measure_kind kind, size_t i)
{
	return d->plan.cell[cs_measure_cell_alone(d->plan.n, kind, i)];
}

static void times_alone(FILE *f, const struct cs_measure_done *d)
{
	static const char *const head[] = { "program", "full nodes",
					    "spread nodes", "full over spread",
					    NULL };

	fputs("<h2 id=\"alone\">Times alone</h2>\n", f);
	cs_page_wide(f, "Times alone");
	fputs("<table><caption>Spread: half of the cores of each socket, on "
	      "twice the nodes.</caption><thead><tr>",
	      f);
	for (const char *const *h = head; *h; h++)
		column(f, *h);
	fputs("</tr></thead><tbody>\n", f);
	for (size_t i = 0; i < d->plan.n; i++) {
		row(f, name(d, i));
		for (size_t kind = 0; kind < 2; kind++) {
			struct cs_measure_mean m =
				alone(d, (enum cs_measure_kind)kind, i);

			put_cell(f, cs_measure_mean_interval(m), m.n, " s");
		}
		put_cell(f, cs_measure_dense(&d->plan, i),
			 alone(d, CS_MEASURE_SPREAD, i).n, "&#215;");
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table>\n", f);
	cs_page_wide_end(f);
}

/* ---- the picture ------------------------------------------------------------------- */

struct axis {
	double low, high;
};

static double at(const struct axis *a, double v)
{
	return LABEL_PX + WIDE_PX * (v - a->low) / (a->high - a->low);
}

/* All intervals, and 1 and MAX_SLOWDOWN. */
static struct axis axis_of(const struct cs_measure_done *d, size_t *ret_rows)
{
	struct axis a = { .95, 1.3 };

	*ret_rows = 0;
	for (size_t i = 0; i < d->plan.n; i++)
		for (size_t k = 0; k < d->plan.n; k++) {
			struct cs_measure_interval s = slowdown(d, i, k);

			if (!known(s))
				continue;
			++*ret_rows;
			a.low = fmin(a.low, s.value - s.half);
			a.high = fmax(a.high, s.value + s.half);
		}
	a.low = floor(a.low * 20) / 20;
	a.high = ceil(a.high * 20) / 20;
	return a;
}

static void grid(FILE *f, const struct axis *a, double bottom)
{
	double step = a->high - a->low > 3    ? 1
		      : a->high - a->low > .8 ? .25
					      : .1;
	char text[32];

	for (double v = ceil(a->low / step) * step; v <= a->high + 1e-9;
	     v += step) {
		fprintf(f, "<path class=\"g\" d=\"M%.1f %dV%.1f\"/>\n",
			at(a, v), TOP_PX - 6, bottom);
		snprintf(text, sizeof(text), "%.4g", v);
		cs_page_text(f, at(a, v), TOP_PX - 12, "m", text);
	}
	fprintf(f, "<path class=\"base\" d=\"M%.1f %dV%.1f\"/>\n",
		at(a, MAX_SLOWDOWN), TOP_PX - 6, bottom);
}

static void bar(FILE *f, const struct axis *a, double y,
		struct cs_measure_interval s)
{
	fprintf(f,
		"<path class=\"here\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f "
		"%.1fv8\"/><circle class=\"c0\" cx=\"%.1f\" cy=\"%.1f\" "
		"r=\"4\"/>\n",
		at(a, s.value - s.half), y, at(a, s.value + s.half),
		at(a, s.value - s.half), y - 4, at(a, s.value + s.half), y - 4,
		at(a, s.value), y);
}

static void picture(FILE *f, const struct cs_measure_done *d)
{
	size_t rows, n = d->plan.n;
	struct axis a = axis_of(d, &rows);
	double y = TOP_PX + ROW_PX / 2., high = TOP_PX + (double)rows * ROW_PX;
	char title[TITLE];

	if (!rows)
		return;
	fputs("<h2 id=\"intervals\">Intervals</h2>\n<p>A line for each "
	      "direction of a pair; dashed: 1.25.</p>\n",
	      f);
	cs_page_wide(f, "Intervals of the slowdowns");
	cs_page_svg(f, LABEL_PX + WIDE_PX + 30, high + 6,
		    "Slowdowns with their intervals; the table above has the "
		    "numbers");
	grid(f, &a, high);
	for (size_t i = 0; i < n * n; i++) {
		struct cs_measure_interval s = slowdown(d, i / n, i % n);

		if (!known(s))
			continue;
		snprintf(title, sizeof(title), "%.15s beside %.15s",
			 name(d, i / n), name(d, i % n));
		cs_page_text(f, LABEL_PX - 10, y + 4, "r", title);
		bar(f, &a, y, s);
		y += ROW_PX;
	}
	cs_page_svg_end(f);
	cs_page_wide_end(f);
}

/* ---- the rest ------------------------------------------------------------------------ */

static void missing(FILE *f, const struct cs_measure_done *d)
{
	char title[TITLE];
	bool any = false;

	for (size_t i = 0; i < d->experiments; i++) {
		if (cs_measure_enough(&d->plan, i))
			continue;
		fputs(any ? ""
			  : "<h2 id=\"missing\">Not measured well enough</h2>\n"
			    "<ul>\n",
		      f);
		any = true;
		fputs("<li>", f);
		cs_page_esc(f, cs_measure_state_title(&d->state, i, title,
						      sizeof(title)));
		fprintf(f, ": %zu runs", cs_measure_least(&d->plan, i));
		if (*d->why[i]) {
			fputs("; ", f);
			cs_page_esc(f, d->why[i]);
		}
		fputs("</li>\n", f);
	}
	if (any)
		fputs("</ul>\n", f);
}

static void use(FILE *f)
{
	fputs("<h2 id=\"use\">What to do with it</h2>\n"
	      "<p>profiles.json, beside this page, is a profile file. Its "
	      "rules match nobody: write who runs these programs instead of "
	      "the user <b>" CS_MEASURE_FILL_IN "</b>, and the job names, then "
	      "<code>cosched profile check profiles.json</code>. The files "
	      "table and alone are for <code>cosched profile "
	      "from-corun</code>.</p>\n",
	      f);
}

void cs_measure_result_page(FILE *f, const struct cs_measure_done *d)
{
	head(f, d);
	verdict(f, d);
	matrix(f, d);
	picture(f, d);
	times_alone(f, d);
	missing(f, d);
	use(f);
	cs_page_tail(f);
}

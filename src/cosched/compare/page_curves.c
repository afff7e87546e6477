/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Curves, one panel per policy, all on one scale, so that they can be compared side by
 * side and each is seen whole.  In distributions the first policy is drawn in every
 * panel, dashed.
 */
#include <math.h>

#include "compare/page_text.h"

#define LEFT 44	     /* of a panel, ... */
#define LONG_LEFT 56 /* ... of cores over time */
#define TOP 8
#define HIGH 130 /* height of a panel */
#define WIDE 340
#define LOW 60 /* height of cores over time */
#define LONG 1080

/* Grid lines from 0 to 100 %, @high pixels. */
static void percents(FILE *f, double left, double high, double wide, int step)
{
	char s[16];

	for (int v = 0; v <= 100; v += step) {
		double y = TOP + high * (1 - v / 100.);

		fprintf(f, "<path class=\"%c\" d=\"M%.0f %.1fh%.1f\"/>\n",
			v ? 'g' : 'e', left, y, wide);
		snprintf(s, sizeof(s), "%d %%", v);
		cs_page_text(f, left - 6, y + 4, "r", s);
	}
}

static void caption(FILE *f, const char *title)
{
	fputs("<figure><figcaption>", f);
	cs_page_esc(f, title);
	fputs("</figcaption>\n", f);
}

/* ---- distributions ------------------------------------------------------- */

struct distribution {
	bool wait;
	const char *title;
	double per; /* bins per power of ten */
	size_t last;
};

static const uint32_t *bins(const struct cs_compare *c, size_t run, bool wait)
{
	return wait ? c->run[run].wait : c->run[run].slow;
}

static struct distribution distribution_of(const struct cs_compare *c,
					   bool wait)
{
	struct distribution d = { wait, wait ? "wait" : "bounded slowdown",
				  wait ? CS_WAIT_BINS : CS_SLOW_BINS, 1 };

	for (size_t i = 0; i < c->n_case * c->n_policy; i++)
		for (size_t k = d.last; k < CS_COMPARE_BINS; k++)
			if (bins(c, i, wait)[k])
				d.last = k;
	return d;
}

/* Lines at round values, labelled if there is room. */
static void marks(FILE *f, const struct distribution *d, double wide)
{
	static const struct {
		double at;
		const char *text;
	} wait[] = { { 1, "1 s" },	 { 10, "" },	      { 60, "1 min" },
		     { 600, "" },	 { 3600, "1 h" },     { 86400, "1 d" },
		     { 864000, "10 d" }, { 8640000, "100 d" } },
	  slow[] = { { 1, "1" },       { 10, "10" },	  { 100, "100" },
		     { 1e3, "1,000" }, { 1e4, "10,000" }, { 1e5, "100,000" } };
	size_t n = d->wait ? sizeof(wait) / sizeof(wait[0])
			   : sizeof(slow) / sizeof(slow[0]);

	for (size_t i = 0; i < n; i++) {
		double at = d->per * log10(d->wait ? wait[i].at : slow[i].at);
		double x = LEFT + wide * at / (double)d->last;

		if (at > (double)d->last)
			return;
		fprintf(f, "<path class=\"g\" d=\"M%.1f %dV%d\"/>\n", x, TOP,
			TOP + HIGH);
		cs_page_text(f, x, TOP + HIGH + 15, "m",
			     d->wait ? wait[i].text : slow[i].text);
	}
}

static void curve(FILE *f, const struct cs_compare *c,
		  const struct distribution *d, size_t policy, double wide,
		  const char *class)
{
	double sum = 0, all = 0;

	for (size_t k = 0; k < c->n_case; k++)
		all += (double)c->run[k * c->n_policy + policy].figures.jobs;
	fprintf(f, "<path class=\"%s\" d=\"M", class);
	for (size_t b = 0; b <= d->last; b++) {
		for (size_t k = 0; k < c->n_case; k++)
			sum += bins(c, k * c->n_policy + policy, d->wait)[b];
		fprintf(f, "%s%.1f %.1f", b ? "L" : "",
			LEFT + wide * (double)b / (double)d->last,
			TOP + HIGH * (1 - sum / all));
	}
	fputs("\"/>\n", f);
}

static void panel(FILE *f, const struct cs_compare *c,
		  const struct distribution *d, size_t policy)
{
	double wide = WIDE - LEFT - 26;
	char label[64];

	caption(f, c->policy[policy].title);
	snprintf(label, sizeof(label), "Jobs by %s", d->title);
	cs_page_svg(f, WIDE, TOP + HIGH + 22, label);
	percents(f, LEFT, HIGH, wide, 25);
	marks(f, d, wide);
	if (policy)
		curve(f, c, d, 0, wide, "base");
	curve(f, c, d, policy, wide, "here");
	cs_page_svg_end(f);
	fputs("</figure>\n", f);
}

static void panels(FILE *f, const struct cs_compare *c, bool wait)
{
	struct distribution d = distribution_of(c, wait);

	fprintf(f,
		"<h3>%s</h3><p class=\"sub\">Fraction of the jobs that %s</p>"
		"<div class=\"panels\">\n",
		wait ? "Wait" : "Bounded slowdown",
		wait ? "had started within that time."
		     : "had at most this: response over the runtime alone, "
		       "which counts as 10 s at least.");
	for (size_t i = 0; i < c->n_policy; i++)
		panel(f, c, &d, i);
	fputs("</div>\n", f);
}

/* ---- cores over time ----------------------------------------------------- */

/* Of what happened, starts are known by the second, ends when they were seen: cores seem
 * held twice for a moment. */
static double held(double core_us, double full)
{
	return core_us < full ? core_us / full : 1;
}

static void use(FILE *f, const struct cs_page *p, size_t policy,
		const struct cs_page_axis *a)
{
	const struct cs_compare_view *v = &p->view[policy];
	double full =
		(double)cs_machine_cores(p->c->machine) * (double)p->step_us;
	double step_s = (double)p->step_us / 1e6;

	caption(f, p->c->policy[policy].title);
	cs_page_svg(f, LONG, TOP + LOW + 26, "Cores held over time");
	percents(f, LONG_LEFT, LOW, a->wide, 50);
	cs_page_ticks(f, a, TOP, TOP + LOW);
	fprintf(f, "<path class=\"area\" d=\"M%d %d", LONG_LEFT, TOP + LOW);
	for (size_t k = 0; k < v->n_step; k++)
		fprintf(f, "L%.1f %.1f",
			cs_page_at(a, ((double)k + .5) * step_s),
			TOP + LOW * (1 - held(v->core_us[k], full)));
	fprintf(f, "L%.1f %dZ\"/>\n", cs_page_at(a, (double)v->n_step * step_s),
		TOP + LOW);
	cs_page_svg_end(f);
	fputs("</figure>\n", f);
}

static void uses(FILE *f, const struct cs_page *p)
{
	struct cs_page_axis a = { .left = LONG_LEFT,
				  .wide = LONG - LONG_LEFT - 26 };
	size_t n = 1;

	for (size_t i = 0; i < p->c->n_policy; i++)
		n = p->view[i].n_step > n ? p->view[i].n_step : n;
	a.to_s = (double)n * (double)p->step_us / 1e6;
	fputs("<h2 id=\"use\">Cores held over time</h2><p class=\"sub\">", f);
	cs_page_esc(f, p->c->cases[0].title);
	fputs(": cores that jobs hold, of all; time since the first submit."
	      "</p>\n",
	      f);
	cs_page_wide(f, "Cores held over time");
	for (size_t i = 0; i < p->c->n_policy; i++)
		use(f, p, i, &a);
	cs_page_wide_end(f);
}

void cs_page_curves(FILE *f, const struct cs_page *p)
{
	fputs("<h2 id=\"jobs\">How many jobs waited how long</h2>"
	      "<p class=\"sub\">",
	      f);
	if (p->c->n_case > 1)
		fputs("All cases together. ", f);
	fputs("A curve further left is better.", f);
	if (p->c->n_policy > 1) {
		fputs(" Dashed in each panel: ", f);
		cs_page_esc(f, p->c->policy[0].title);
		fputs(".", f);
	}
	fputs("</p>\n", f);
	panels(f, p->c, true);
	panels(f, p->c, false);
	uses(f, p);
}

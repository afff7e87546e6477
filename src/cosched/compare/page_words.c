/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict of a comparison, and its figures as tables. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/duration.h"
#include "compare/compare_answer.h"
#include "compare/page_text.h"

#define LOSERS 10 /* shown per policy */

/* ---- sentences ----------------------------------------------------------- */

/* @text, escaped, in a paragraph of the tag @open; frees @text. */
static int paragraph(FILE *f, const char *open, char *text)
{
	if (!text)
		return -ENOMEM;
	fputs(open, f);
	cs_page_esc(f, text);
	fputs("</p>\n", f);
	free(text);
	return 0;
}

static int way(FILE *f, char *text)
{
	if (text && *text)
		return paragraph(f, "<p>", text);
	free(text);
	return text ? 0 : -ENOMEM;
}

/* What learn=use would gain, and who loses by it. */
static void learn_use(FILE *f, const struct cs_use_gain *g)
{
	const char *const text[] = { g->text, g->losers };

	for (size_t i = 0; i < 2; i++) {
		if (!*text[i])
			continue;
		fputs("<p>", f);
		cs_page_esc(f, text[i]);
		fputs("</p>\n", f);
	}
}

/* What each policy gains, the best first. */
static int answers(FILE *f, const struct cs_compare *c)
{
	size_t *order = calloc(c->n_policy, sizeof(*order));
	size_t n = order ? cs_compare_told(c, order) : 0;
	int rc = order ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < n; i++)
		rc = paragraph(f, "<p>", cs_compare_gain_text(c, order[i]));
	free(order);
	learn_use(f, &c->site->use);
	return rc ? rc : way(f, cs_compare_way_text(c));
}

static int verdicts(FILE *f, const struct cs_compare *c)
{
	struct cs_verdict v;
	int rc = 0;

	if (c->n_policy < 2)
		return 0;
	fputs("<section class=\"verdict\" aria-label=\"Verdict\">\n", f);
	if (c->site)
		rc = answers(f, c);
	for (size_t i = 0; !rc && i < CS_VERDICTS; i++)
		if (cs_compare_verdict(c, i, &v) && !cs_compare_withheld(c, &v))
			rc = paragraph(f, "<p>", cs_verdict_text(c, &v));
	if (!rc)
		rc = paragraph(f, "<p class=\"sub\">", cs_verdict_caution(c));
	fputs("</section>\n", f);
	return rc;
}

static void notes(FILE *f, const struct cs_compare *c)
{
	for (size_t i = 0; i < c->n_policy; i++) {
		struct cs_spread note = cs_compare_spread(c, i);

		if (!note.there)
			continue;
		fputs("<p class=\"notice\"><b>", f);
		cs_page_esc(f, c->policy[i].title);
		fputs(":</b> ", f);
		cs_page_esc(f, note.text);
		fputs(".</p>\n", f);
	}
}

/* ---- the site's own policy ----------------------------------------------- */

static void value(FILE *f, double v, double scale, int places, const char *unit)
{
	fprintf(f, "<data value=\"%.9g\">%.*f%s%s</data>", v / scale, places, v,
		*unit ? " " : "", unit);
}

/* In a unit that suits both @low and @high. */
static void seconds(FILE *f, double s, double low, double high)
{
	char span[CS_DURATION_SIZE];

	fprintf(f, "<data value=\"%.9g\">%s</data>", s,
		cs_duration_text(s, low > 0 ? sqrt(low * high) : high, span));
}

static void site_row(FILE *f, const char *title, double simulated,
		     double recorded, double error)
{
	fprintf(f, "<tr><th scope=\"row\">%s</th><td>", title);
	seconds(f, simulated, simulated, recorded);
	fputs("</td><td>", f);
	seconds(f, recorded, simulated, recorded);
	if (isnan(error))
		fputs("</td><td>&#8211;</td></tr>\n", f);
	else
		fprintf(f, "</td><td>%+.1f %%</td></tr>\n", error);
}

static void site(FILE *f, const struct cs_compare_site *s)
{
	struct cs_site_figures e = cs_site_error(&s->simulated, &s->recorded);

	fputs("<h2 id=\"site\">The site's own policy</h2>\n", f);
	cs_page_wide(f, "The site's own policy");
	fputs("<table class=\"even\"><caption>", f);
	cs_page_esc(f, s->policy);
	fputs(" simulated, against what happened.</caption><thead><tr>"
	      "<th scope=\"col\"></th><th scope=\"col\">simulated</th>"
	      "<th scope=\"col\">recorded</th><th scope=\"col\">error</th>"
	      "</tr></thead><tbody>\n",
	      f);
	site_row(f, "Mean wait", s->simulated.wait_s, s->recorded.wait_s,
		 e.wait_s);
	site_row(f, "Mean response", s->simulated.response_s,
		 s->recorded.response_s, e.response_s);
	site_row(f, "Makespan", s->simulated.makespan_s, s->recorded.makespan_s,
		 e.makespan_s);
	fputs("</tbody></table>\n", f);
	cs_page_wide_end(f);
	if (s->large)
		fprintf(f,
			"<p>%" PRIu64 " jobs are larger than the machine and "
			"left out.</p>\n",
			s->large);
}

/* ---- figures ------------------------------------------------------------- */

/* The largest or the least mean. */
static double extreme(const struct cs_compare *c,
		      const struct cs_compare_figure *x, bool largest)
{
	double ret = NAN;

	for (size_t i = 0; i < c->n_policy; i++) {
		double v = cs_compare_mean(c, i, x);

		ret = largest ? fmax(ret, v) : fmin(ret, v);
	}
	return ret;
}

static void change(FILE *f, const struct cs_compare *c, size_t i,
		   const struct cs_compare_figure *x)
{
	double error, v = cs_compare_change(c, i, 0, x, &error);

	if (!i || isnan(v))
		return;
	fprintf(f, "<small>%+.1f", v);
	if (!isnan(error))
		fprintf(f, " \u00b1 %.1f", error);
	fputs(" %</small>", f);
}

static void cell(FILE *f, const struct cs_compare *c, size_t i,
		 const struct cs_compare_figure *x)
{
	double v = cs_compare_mean(c, i, x), top = extreme(c, x, true);
	double least = extreme(c, x, false);
	bool best = x->less && least < top && v <= least * (1 + 1e-9);

	if (isnan(v)) {
		fputs("<td>&#8211;</td>", f);
		return;
	}
	fputs(best ? "<td class=\"best\">best " : "<td>", f);
	if (!strcmp(x->unit, "s"))
		seconds(f, v, least, top);
	else
		value(f, v, x->scale, x->places, x->unit);
	fprintf(f,
		"<span class=\"meter\"><i style=\"width:%.0f%%\"></i></span>",
		top > 0 ? 100 * v / top : 0);
	change(f, c, i, x);
	fputs("</td>", f);
}

void cs_page_figures(FILE *f, const struct cs_compare *c)
{
	fputs("<h2 id=\"figures\">Figures</h2>\n", f);
	cs_page_wide(f, "Figures");
	fputs("<table class=\"even\"><caption>Means; below them the change "
	      "against the first policy",
	      f);
	if (c->n_case > 1)
		fputs(" \u00b1 two standard errors of the differences case by "
		      "case",
		      f);
	fputs(".</caption><thead><tr><th scope=\"col\"></th>", f);
	for (size_t i = 0; i < c->n_policy; i++) {
		fputs("<th scope=\"col\">", f);
		cs_page_title(f, c->policy[i].title);
		fputs("</th>", f);
	}
	fputs("</tr></thead><tbody>\n", f);
	for (size_t k = 0; k < cs_compare_n_figure; k++) {
		const struct cs_compare_figure *x = &cs_compare_figures[k];

		if (!cs_compare_there(c, x))
			continue;
		fprintf(f, "<tr data-figure=\"%s\"><th scope=\"row\">", x->key);
		cs_page_esc(f, x->title);
		fputs("<span class=\"what\">", f);
		cs_page_esc(f, x->what);
		fputs("</span></th>", f);
		for (size_t i = 0; i < c->n_policy; i++)
			cell(f, c, i, x);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table>\n", f);
	cs_page_wide_end(f);
}

/* ---- who loses ----------------------------------------------------------- */

static void loser(FILE *f, const struct cs_compare *c, const struct cs_loser *l)
{
	fputs("<tr><th scope=\"row\">", f);
	cs_page_esc(f, l->user->title);
	fputs("</th>", f);
	if (c->n_case > 1 && !c->site) {
		fputs("<td class=\"l\">", f);
		cs_page_esc(f, l->at ? l->at->title : "");
		fputs("</td>", f);
	}
	fprintf(f, "<td>%" PRIu32 "</td><td>", l->user->jobs);
	seconds(f, l->first_s, l->first_s, l->here_s);
	fputs("</td><td>", f);
	seconds(f, l->here_s, l->first_s, l->here_s);
	fprintf(f, "</td><td><data value=\"%.9g\">%+.1f</data>", l->change,
		l->change);
	if (!isnan(l->error))
		fprintf(f, " \u00b1 %.1f", l->error);
	fputs(" %</td></tr>\n", f);
}

static void losers(FILE *f, const struct cs_compare *c, size_t policy,
		   const struct cs_losers *l)
{
	char label[64];

	snprintf(label, sizeof(label), "Users who lose, policy %zu",
		 policy + 1);
	cs_page_wide(f, label);
	fputs("<table><caption>", f);
	if (l->n > LOSERS)
		fprintf(f, "The %d of %zu who lose most; the JSON has all. ",
			LOSERS, l->n);
	fputs("Mean response of a user's jobs.</caption><thead><tr>"
	      "<th scope=\"col\">user</th>",
	      f);
	if (c->n_case > 1 && !c->site)
		fputs("<th scope=\"col\" class=\"l\">trace</th>", f);
	fputs("<th scope=\"col\">jobs</th><th scope=\"col\">", f);
	cs_page_title(f, c->policy[0].title);
	fputs("</th><th scope=\"col\">", f);
	cs_page_title(f, c->policy[policy].title);
	fputs("</th><th scope=\"col\">change</th></tr></thead><tbody>\n", f);
	for (size_t i = 0; i < l->n && i < LOSERS; i++)
		loser(f, c, &l->list[i]);
	fputs("</tbody></table>\n", f);
	cs_page_wide_end(f);
}

static int user_part(FILE *f, const struct cs_compare *c, size_t policy,
		     const struct cs_losers *l)
{
	int rc = paragraph(f, "<p>", cs_losers_text(c, policy, l));

	if (l->n && l->users > 1)
		losers(f, c, policy, l);
	return rc;
}

static int users(FILE *f, const struct cs_compare *c)
{
	struct cs_losers l;
	bool begun = false;
	int rc = 0;

	for (size_t i = 1; !rc && i < c->n_policy; i++) {
		if (!cs_compare_tells_losers(c, i))
			continue;
		rc = cs_compare_losers(c, i, &l);
		if (!rc && (l.users > 1 || c->site)) {
			if (!begun)
				fputs("<h2 id=\"users\">Users who "
				      "lose</h2>\n",
				      f);
			begun = true;
			rc = user_part(f, c, i, &l);
		}
		free(l.list);
	}
	return rc;
}

/* ---- what was run -------------------------------------------------------- */

void cs_page_settings(FILE *f, const struct cs_compare *c)
{
	fputs("<h2 id=\"run\">What was run</h2><ul>\n", f);
	for (size_t i = 0; i < c->n_policy; i++) {
		fputs("<li><code>", f);
		cs_page_esc(f, c->policy[i].settings);
		fputs("</code></li>\n", f);
	}
	fputs("</ul><p>On: ", f);
	for (size_t i = 0; i < c->n_case; i++) {
		fputs(i ? "; " : "", f);
		cs_page_esc(f, c->cases[i].title);
	}
	fputs(".</p>\n", f);
}

int cs_page_words(FILE *f, const struct cs_compare *c)
{
	int rc = verdicts(f, c);

	notes(f, c);
	if (c->site)
		site(f, c->site);
	cs_page_figures(f, c);
	return rc ? rc : users(f, c);
}

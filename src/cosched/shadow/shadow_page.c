/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as a page: its tables within the page of a comparison
 * (compare/compare_page.c). */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/duration.h"
#include "compare/page_text.h"
#include "shadow/shadow.h"

#define ROWS_MAX 50 /* per table; --json has all */

static void head(FILE *f, const char *caption, const char *const *column)
{
	cs_page_wide(f, caption);
	fputs("<table><caption>", f);
	cs_page_esc(f, caption);
	fputs("</caption><thead><tr>", f);
	for (; *column; column++) {
		fputs("<th scope=\"col\">", f);
		cs_page_esc(f, *column);
		fputs("</th>", f);
	}
	fputs("</tr></thead><tbody>\n", f);
}

static void row(FILE *f, const char *name)
{
	fputs("<tr><th scope=\"row\">", f);
	cs_page_esc(f, name);
	fputs("</th>", f);
}

static void cell(FILE *f, const char *text)
{
	fputs("<td>", f);
	cs_page_esc(f, text);
	fputs("</td>", f);
}

static void number(FILE *f, uint64_t v)
{
	fprintf(f, "<td>%" PRIu64 "</td>", v);
}

static void time_cell(FILE *f, double s)
{
	char text[CS_DURATION_SIZE];

	fprintf(f, "<td><data value=\"%.9g\">%s</data></td>", s,
		cs_duration_text(s, fabs(s), text));
}

static void foot(FILE *f, size_t left)
{
	fputs("</tbody></table>\n", f);
	cs_page_wide_end(f);
	if (left)
		fprintf(f,
			"<p class=\"sub\">and %zu more: --json has them</p>\n",
			left);
}

static void paragraph(FILE *f, const char *text)
{
	fputs("<p>", f);
	cs_page_esc(f, text);
	fputs("</p>\n", f);
}

/* ---- by name ------------------------------------------------------------------ */

/* A count, and below it the mean time. */
static void number_by(FILE *f, uint64_t n, double sum_s)
{
	char text[CS_DURATION_SIZE];

	fprintf(f, "<td>%" PRIu64, n);
	if (n)
		fprintf(f, "<br><small>%s</small>",
			cs_duration_text(cs_shadow_mean(sum_s, n),
					 cs_shadow_mean(sum_s, n), text));
	fputs("</td>", f);
}

static void moment_row(FILE *f, const struct cs_shadow_sum *x)
{
	number(f, x->starts);
	number_by(f, x->before, x->before_s);
	number(f, x->beside);
	number(f, x->grouped);
	number_by(f, x->raised, x->raised_s);
}

static void schedule_row(FILE *f, const struct cs_shadow_sum *x)
{
	number(f, x->jobs);
	for (int p = 0; p < CS_SHADOW_PLANS; p++)
		time_cell(f, cs_shadow_mean(x->wait_s[p], x->jobs));
	number_by(f, x->earlier, x->earlier_s);
	number_by(f, x->later, x->later_s);
	number(f, x->later_site);
	number_by(f, x->earlier_than_site, x->earlier_than_site_s);
	number_by(f, x->later_than_site, x->later_than_site_s);
	number(f, x->shared);
	number_by(f, x->raised_ours, x->raised_ours_s);
}

static void by_name(FILE *f, const struct cs_shadow *s, enum cs_shadow_kind k,
		    bool schedule)
{
	const char *const moments[] = { cs_shadow_kind_name(k),
					"started by Slurm",
					"of them before",
					"beside others",
					"in a group",
					"with a raised limit",
					NULL };
	const char *const plans[] = { cs_shadow_kind_name(k),
				      "jobs",
				      "wait really",
				      "site's",
				      "ours",
				      "end earlier",
				      "end later",
				      "of these site's, too",
				      "earlier than site's",
				      "later than site's",
				      "share nodes",
				      "limit raised",
				      NULL };
	struct cs_shadow_sum *x;
	size_t n, said = 0, left = 0;
	char title[64];

	if (cs_shadow_sums(s, k, &x, &n))
		return;
	if (n <= 1 && k < CS_SHADOW_KINDS) { /* it repeats the total */
		free(x);
		return;
	}
	snprintf(title, sizeof(title), "%s%s%s",
		 k < CS_SHADOW_KINDS ? "By " : "All together",
		 k < CS_SHADOW_KINDS ? cs_shadow_kind_name(k) : "",
		 "; small: by how much on average");
	head(f, title, schedule ? plans : moments);
	for (size_t i = 0; i < n; i++) {
		if (schedule ? !x[i].jobs : !x[i].starts)
			continue;
		if (said++ >= ROWS_MAX) {
			left++;
			continue;
		}
		row(f, cs_shadow_name(s, k, x[i].name));
		(schedule ? schedule_row : moment_row)(f, &x[i]);
		fputs("</tr>\n", f);
	}
	foot(f, left);
	free(x);
}

static void all_names(FILE *f, const struct cs_shadow *s, bool schedule)
{
	by_name(f, s, CS_SHADOW_KINDS, schedule);
	for (int k = 0; k < CS_SHADOW_KINDS; k++)
		by_name(f, s, (enum cs_shadow_kind)k, schedule);
}

/* ---- moments -------------------------------------------------------------------- */

static void pairs(FILE *f, const struct cs_shadow *s)
{
	static const char *const column[] = { "profile", "beside", "times",
					      "in groups", NULL };
	size_t n = s->n_pair < ROWS_MAX ? s->n_pair : ROWS_MAX;

	if (!n)
		return;
	head(f,
	     "Which jobs would have shared a node, at the first moment of each "
	     "job.",
	     column);
	for (size_t i = 0; i < n; i++) {
		row(f, cs_shadow_name(s, CS_SHADOW_PROFILE, s->pair[i].of));
		cell(f,
		     cs_shadow_name(s, CS_SHADOW_PROFILE, s->pair[i].beside));
		number(f, s->pair[i].n);
		number(f, s->pair[i].grouped);
		fputs("</tr>\n", f);
	}
	foot(f, s->n_pair - n);
}

static void partners(FILE *f, const struct cs_shadow *s)
{
	static const char *const column[] = { "job", "user", "earlier by",
					      "beside", NULL };
	size_t at[CS_SHADOW_SHOWN];
	size_t n = cs_shadow_shared(s, at);
	char text[256];

	if (!n)
		return;
	head(f,
	     "Who with whom: those who would have begun longest before they "
	     "did.",
	     column);
	for (size_t i = 0; i < n; i++) {
		const struct cs_shadow_wait *w = &s->wait[at[i]];

		snprintf(text, sizeof(text), "%" PRIu32, w->id);
		row(f, text);
		cell(f, cs_shadow_name(s, CS_SHADOW_USER,
				       w->who.name[CS_SHADOW_USER]));
		time_cell(f, cs_shadow_before_s(w));
		cs_shadow_beside(s, &w->would, text, sizeof(text));
		cell(f, text);
		fputs("</tr>\n", f);
	}
	foot(f, 0);
}

/* ---- the schedule ------------------------------------------------------------------ */

static void worst(FILE *f, const struct cs_shadow *s)
{
	static const char *const column[] = { "job",	   "user",    "account",
					      "partition", "profile", "later",
					      "site's",	   "ran",     "ended",
					      NULL };
	size_t at[CS_SHADOW_WORST];
	size_t n = cs_shadow_worst(s, at);
	char text[32];

	if (!n) {
		fputs("<p>No job would have ended later than it did.</p>\n", f);
		return;
	}
	head(f,
	     "The jobs delayed most: how much later than really, and the same "
	     "under the site's policy, simulated.",
	     column);
	for (size_t i = 0; i < n; i++) {
		const struct cs_trace_job *j = &s->im.trace.job[at[i]];
		const struct cs_shadow_run *r = &s->run[j->line];

		snprintf(text, sizeof(text), "%" PRIu32, r->id);
		row(f, text);
		for (int k = 0; k < CS_SHADOW_KINDS; k++)
			cell(f, cs_shadow_name(s, (enum cs_shadow_kind)k,
					       r->who.name[k]));
		time_cell(f, cs_shadow_later_s(s, CS_SHADOW_OURS, at[i]));
		time_cell(f, cs_shadow_later_s(s, CS_SHADOW_SITE, at[i]));
		time_cell(f, (double)j->runtime_us / 1e6);
		cs_shadow_time(s, r->end_us, text, sizeof(text));
		cell(f, text);
		fputs("</tr>\n", f);
	}
	foot(f, 0);
}

static void error(FILE *f, const struct cs_shadow *s)
{
	const struct cs_metrics *site = &s->figures[CS_SHADOW_SITE].figures;
	const struct cs_metrics *real = &s->figures[CS_SHADOW_REAL].figures;

	fprintf(f,
		"<p>The simulator's error is the second column of the table "
		"above against the first: mean wait %.1f s for %.1f s, "
		"response %.1f s for %.1f s. Changes by our policy that are "
		"smaller may be none.</p>\n",
		site->mean_wait, real->mean_wait, site->mean_response,
		real->mean_response);
}

static void verdict(FILE *f, const struct cs_shadow *s)
{
	char text[1024];

	if (cs_shadow_verdict(s, text, sizeof(text)))
		return;
	fputs("<section class=\"verdict\" aria-label=\"Verdict\">\n", f);
	paragraph(f, text);
	if (*s->use.text)
		paragraph(f, s->use.text);
	if (*s->use.losers)
		paragraph(f, s->use.losers);
	fputs("</section>\n", f);
}

static void part(FILE *f, const void *arg)
{
	const struct cs_shadow *s = arg;
	char text[1024];

	verdict(f, s);
	if (s->from_us == CS_TIME_NONE)
		return;
	fputs("<h2>Moments</h2>\n", f);
	paragraph(f, cs_shadow_moments_text);
	pairs(f, s);
	partners(f, s);
	all_names(f, s, false);
	fputs("<h2>Schedule</h2>\n", f);
	paragraph(f, cs_shadow_schedule_text);
	if (!s->simulated) {
		fputs("<p>No schedule: ", f);
		cs_page_esc(f, s->no_schedule);
		fputs(".</p>\n", f);
		return;
	}
	if (s->plain) {
		fputs("<p>Jobs are reduced to their number of processes, since "
		      "their requests cannot be simulated: ",
		      f);
		cs_page_esc(f, s->why_plain);
		fputs(".</p>\n", f);
	}
	cs_shadow_left_out(s, text, sizeof(text));
	paragraph(f, text);
	cs_page_figures(f, &s->c);
	error(f, s);
	cs_shadow_busy(s, text, sizeof(text));
	paragraph(f, text);
	cs_shadow_slices(s, text, sizeof(text));
	if (*text)
		paragraph(f, text);
	worst(f, s);
	all_names(f, s, true);
}

int cs_shadow_page(const struct cs_shadow *s, FILE *file)
{
	char title[128], below[256], span[96];
	struct cs_page p = {
		.c = &s->c,
		.first = s->simulated ? &s->im.trace : NULL,
		.view = s->view,
		.step_us = s->watch.step_us,
		.from_us = s->watch.from_us,
		.to_us = s->watch.to_us,
		.title = title,
		.below = below,
		.part = part,
		.arg = s,
	};

	p.to_us = cs_page_window_end(&p);
	cs_shadow_span(s, span, sizeof(span));
	snprintf(title, sizeof(title), "What policy %.40s would have done",
		 s->policy[CS_SHADOW_OURS].params.policy);
	snprintf(below, sizeof(below),
		 "A log of mode shadow %s, on %s, by cosched %s.", span,
		 s->machine_text, COSCHED_VERSION);
	return cs_compare_page(file, &p);
}

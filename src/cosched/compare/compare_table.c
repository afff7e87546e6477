/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as tables and sentences. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "compare/compare_verdict.h"
#include "compare/pairs.h"
#include "cli/table.h"

#define FIGURE(field, head, name, title, what, unit, scale, places, less)  \
	{                                                                  \
#field, head, name, title, what, unit,                     \
			offsetof(struct cs_metrics, field), scale, places, \
			less                                               \
	}

const struct cs_compare_figure cs_compare_figures[] = {
	FIGURE(mean_wait, ">wait s", "mean wait", "Mean wait",
	       "from submit to start", "s", 1, 0, true),
	FIGURE(mean_response, ">resp. s", "mean response", "Mean response",
	       "from submit to end", "s", 1, 0, true),
	FIGURE(mean_bounded_slowdown, ">slowdown", "mean bounded slowdown",
	       "Mean bounded slowdown",
	       "response over the runtime alone, which counts as 10 s at least",
	       "", 1, 2, true),
	FIGURE(rr_all, ">RR all", "relative response", "Relative response",
	       "the same, with rr_bound_s (600 unless set) in place of 10 s",
	       "", 1, 2, true),
	FIGURE(rr_medium, ">RR med.", "relative response of medium jobs",
	       "Relative response, medium jobs",
	       "response over the runtime alone, where that is 10 minutes to 3 "
	       "hours",
	       "", 1, 2, true),
	FIGURE(rr_long, ">RR long", "relative response of long jobs",
	       "Relative response, long jobs",
	       "response over the runtime alone, where that is more than 3 "
	       "hours",
	       "", 1, 2, true),
	FIGURE(utilization, ">util. %", "utilisation", "Utilisation",
	       "cores with a process that runs, of all, until the last end; a "
	       "core of a slowed job counts in full",
	       "%", 100, 1, false),
	FIGURE(ucore_high, ">high %", "cores held in high load",
	       "Cores held in high load",
	       "of all, while n_high jobs (12 unless set) or more wait", "%",
	       100, 1, false),
	FIGURE(makespan, ">span s", "makespan", "Makespan",
	       "from the first submit to the last end", "s", 1, 0, true),
	FIGURE(broken_share, ">broken %", "jobs slowed too much",
	       "Jobs slowed too much",
	       "of those that ran beside others, by more than max_slowdown, by "
	       "the truth",
	       "%", 100, 1, true),
	FIGURE(true_slowdown_p99, ">slow p99", "true slowdown",
	       "True slowdown beside others",
	       "one job in a hundred is slowed more", "", 1, 2, true),
};

const size_t cs_compare_n_figure =
	sizeof(cs_compare_figures) / sizeof(cs_compare_figures[0]);

/* ---- figures ------------------------------------------------------------- */

double cs_compare_value(const struct cs_compare *c, size_t at, size_t policy,
			const struct cs_compare_figure *f)
{
	const struct cs_metrics *m = &c->run[at * c->n_policy + policy].figures;
	double v;

	memcpy(&v, (const char *)m + f->offset, sizeof(v));
	return v * f->scale;
}

double cs_compare_mean(const struct cs_compare *c, size_t policy,
		       const struct cs_compare_figure *f)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n_case; i++) {
		double v = cs_compare_value(c, i, policy, f);

		if (isnan(v))
			continue;
		sum += v;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

double cs_compare_change(const struct cs_compare *c, size_t policy, size_t base,
			 const struct cs_compare_figure *f, double *ret_error)
{
	struct cs_pairs s = { 0 };

	for (size_t i = 0; i < c->n_case; i++) {
		double x = cs_compare_value(c, i, policy, f);
		double y = cs_compare_value(c, i, base, f);

		if (!isnan(x) && !isnan(y))
			cs_pairs_add(&s, x, y);
	}
	return cs_pairs_change(&s, ret_error);
}

const struct cs_compare_figure *cs_compare_figure(const char *key)
{
	size_t k = 0;

	while (strcmp(cs_compare_figures[k].key, key))
		k++;
	return &cs_compare_figures[k];
}

bool cs_compare_there(const struct cs_compare *c,
		      const struct cs_compare_figure *f)
{
	for (size_t i = 0; i < c->n_policy; i++)
		if (!isnan(cs_compare_mean(c, i, f)))
			return true;
	return false;
}

/* ---- tables -------------------------------------------------------------- */

static void head(const struct cs_compare *c, struct cs_table *t)
{
	const char *name[CS_TABLE_COLUMNS + 1] = { "policy" };
	size_t n = 1;

	for (size_t k = 0; k < cs_compare_n_figure; k++)
		if (cs_compare_there(c, &cs_compare_figures[k]))
			name[n++] = cs_compare_figures[k].head;
	cs_table_init(t, name);
}

static void mean_cell(struct cs_table *t, const struct cs_compare_figure *f,
		      double v)
{
	if (isnan(v))
		cs_table_cell(t, "-");
	else
		cs_table_cell(t, "%.*f", f->places, v);
}

static void change_cell(struct cs_table *t, double v, double error)
{
	if (isnan(v))
		cs_table_cell(t, "-");
	else if (isnan(error))
		cs_table_cell(t, "%+.1f", v);
	else
		cs_table_cell(t, "%+.1f~%.1f", v, error);
}

static void say_means(const struct cs_compare *c)
{
	struct cs_table t;

	head(c, &t);
	for (size_t i = 0; i < c->n_policy; i++) {
		cs_table_cell(&t, "%s", c->policy[i].title);
		for (size_t k = 0; k < cs_compare_n_figure; k++)
			if (cs_compare_there(c, &cs_compare_figures[k]))
				mean_cell(
					&t, &cs_compare_figures[k],
					cs_compare_mean(
						c, i, &cs_compare_figures[k]));
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

static void say_changes(const struct cs_compare *c)
{
	struct cs_table t;
	double error, v;

	head(c, &t);
	for (size_t i = 1; i < c->n_policy; i++) {
		cs_table_cell(&t, "%s", c->policy[i].title);
		for (size_t k = 0; k < cs_compare_n_figure; k++) {
			if (!cs_compare_there(c, &cs_compare_figures[k]))
				continue;
			v = cs_compare_change(c, i, 0, &cs_compare_figures[k],
					      &error);
			change_cell(&t, v, error);
		}
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

/* The mean of the double at @offset over a policy's runs that have a value. */
static double mean_of(const struct cs_compare *c, size_t policy, size_t offset)
{
	const struct cs_compare_figure f = { .offset = offset, .scale = 1 };

	return cs_compare_mean(c, policy, &f);
}

struct cs_spread cs_compare_spread(const struct cs_compare *c, size_t policy)
{
	uint64_t grouped = 0;

	for (size_t k = 0; k < c->n_case; k++)
		grouped +=
			c->run[k * c->n_policy + policy].figures.grouped.jobs;
	return cs_spread(
		&c->policy[policy].params,
		mean_of(c, policy, offsetof(struct cs_metrics, ucore_high)),
		mean_of(c, policy, offsetof(struct cs_metrics, unode_high)),
		grouped);
}

static void say_notes(const struct cs_compare *c)
{
	for (size_t i = 0; i < c->n_policy; i++) {
		struct cs_spread note = cs_compare_spread(c, i);

		if (note.there)
			printf("note: %s: %s\n", c->policy[i].title, note.text);
	}
}

/* ---- the verdict ---------------------------------------------------------- */

/* Print what @say writes, as a paragraph. */
static int paragraph(void (*say)(FILE *out, const void *arg), const void *arg)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	say(out, arg);
	if (fclose(out)) {
		free(text);
		return -ENOMEM;
	}
	cs_table_print_wrapped(text, 0, cs_cmd_columns());
	free(text);
	return 0;
}

struct said {
	const struct cs_compare *c;
	struct cs_verdict verdict;
	size_t policy;
	struct cs_losers losers;
};

static void verdict_of(FILE *out, const void *arg)
{
	const struct said *s = arg;

	cs_verdict_say(out, s->c, &s->verdict);
}

static void losers_of(FILE *out, const void *arg)
{
	const struct said *s = arg;

	cs_losers_say(out, s->c, s->policy, &s->losers);
}

static int say_verdict(const struct cs_compare *c)
{
	struct said s = { .c = c };
	int rc = 0;

	printf("\n");
	for (size_t i = 0; !rc && i < CS_VERDICTS; i++)
		if (cs_compare_verdict(c, i, &s.verdict))
			rc = paragraph(verdict_of, &s);
	for (s.policy = 1; !rc && s.policy < c->n_policy; s.policy++) {
		rc = cs_compare_losers(c, s.policy, &s.losers);
		if (!rc && s.losers.users > 1)
			rc = paragraph(losers_of, &s);
		free(s.losers.list);
	}
	return rc;
}

int cs_compare_say(const struct cs_compare *c)
{
	int rc = 0;

	if (c->n_case == 1)
		printf("%s on %s\n\n", c->cases[0].title, c->machine_text);
	else
		printf("Means over %zu cases, %s to %s, on %s\n\n", c->n_case,
		       c->cases[0].title, c->cases[c->n_case - 1].title,
		       c->machine_text);
	say_means(c);
	if (c->n_policy > 1) {
		printf("\nAgainst %s, in %%%s\n\n", c->policy[0].title,
		       c->n_case > 1 ? " (behind ~: two standard errors)" : "");
		say_changes(c);
		rc = say_verdict(c);
	}
	say_notes(c);
	return rc;
}

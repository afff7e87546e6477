/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of a comparison, and tables of them. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/duration.h"
#include "cli/options.h"
#include "cli/table.h"
#include "compare/compare.h"
#include "compare/pairs.h"

#define FIGURE(field, head, name, title, what, unit, scale, places, less)  \
	{                                                                  \
#field, head, name, title, what, unit,                     \
			offsetof(struct cs_metrics, field), scale, places, \
			less                                               \
	}

const struct cs_compare_figure cs_compare_figures[] = {
	FIGURE(mean_wait, ">wait", "mean wait", "Mean wait",
	       "from submit to start", "s", 1, 0, true),
	FIGURE(mean_response, ">response", "mean response", "Mean response",
	       "from submit to end", "s", 1, 0, true),
	FIGURE(mean_bounded_slowdown, ">slowdown", "mean bounded slowdown",
	       "Mean bounded slowdown",
	       "response over the runtime alone, which counts as 10 s at least",
	       "", 1, 2, true),
	FIGURE(rr_all, ">relative", "relative response", "Relative response",
	       "the same, but a runtime counts as 10 min at least (rr_bound_s)",
	       "", 1, 2, true),
	FIGURE(rr_medium, ">medium", "relative response of medium jobs",
	       "Relative response, medium jobs",
	       "response over the runtime alone, where that is 10 minutes to 3 "
	       "hours",
	       "", 1, 2, true),
	FIGURE(rr_long, ">long", "relative response of long jobs",
	       "Relative response, long jobs",
	       "response over the runtime alone, where that is more than 3 "
	       "hours",
	       "", 1, 2, true),
	FIGURE(utilization, ">in use", "utilisation", "Utilisation",
	       "cores with a process that runs, of all, until the last end; a "
	       "core of a slowed job counts in full",
	       "%", 100, 1, false),
	FIGURE(ucore_high, ">high load", "cores held in high load",
	       "Cores held in high load",
	       "of all, while 12 jobs or more wait (n_high)", "%", 100, 1,
	       false),
	FIGURE(makespan, ">makespan", "makespan", "Makespan",
	       "from the first submit to the last end", "s", 1, 0, true),
	FIGURE(broken_share, ">too slow", "jobs slowed too much",
	       "Jobs slowed too much",
	       "of those that ran beside others, by more than max_slowdown, by "
	       "the truth",
	       "%", 100, 1, true),
	FIGURE(gpu_mean_wait, ">GPU wait", "mean wait of jobs with GPUs",
	       "Mean wait, jobs with GPUs", "from submit to start", "s", 1, 0,
	       true),
	FIGURE(gpu_utilization, ">GPUs held", "use of the GPUs", "GPUs held",
	       "of all, until the last end", "%", 100, 1, false),
	FIGURE(gpu_waits_fragment, ">GPUs lost", "unusable GPUs",
	       "Unusable GPUs",
	       "free, while a job with GPUs waits, and of no use to a usual "
	       "request: an expectation over what jobs asked for",
	       "%", 100, 1, true),
	FIGURE(true_slowdown_p99, ">worst 1 %", "true slowdown",
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

/* A column has one unit, which suits its largest and its least mean. */
static void mean_cell(struct cs_table *t, const struct cs_compare *c, size_t i,
		      const struct cs_compare_figure *f)
{
	double v = cs_compare_mean(c, i, f), most = 0, least = INFINITY;
	char text[CS_DURATION_SIZE];

	for (size_t p = 0; p < c->n_policy; p++) {
		most = fmax(most, cs_compare_mean(c, p, f));
		least = fmin(least, cs_compare_mean(c, p, f));
	}
	if (isnan(v))
		cs_table_cell(t, "-");
	else if (!strcmp(f->unit, "s"))
		cs_table_cell(t, "%s",
			      cs_duration_text(
				      v, least > 0 ? sqrt(least * most) : most,
				      text));
	else
		cs_table_cell(t, "%.*f%s%s", f->places, v, *f->unit ? " " : "",
			      f->unit);
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

void cs_compare_say_means(const struct cs_compare *c)
{
	struct cs_table t;

	head(c, &t);
	for (size_t i = 0; i < c->n_policy; i++) {
		cs_table_cell(&t, "%s", c->policy[i].title);
		for (size_t k = 0; k < cs_compare_n_figure; k++)
			if (cs_compare_there(c, &cs_compare_figures[k]))
				mean_cell(&t, c, i, &cs_compare_figures[k]);
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

void cs_compare_say_changes(const struct cs_compare *c)
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

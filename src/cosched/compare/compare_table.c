/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as tables and as JSON. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/options.h"
#include "compare/compare.h"
#include "cli/sim_report.h"
#include "sim/output.h"
#include "cli/table.h"

#define FIGURE(field, head, title, unit, scale, places, less)                  \
	{                                                                      \
#field, head, title, unit, offsetof(struct cs_metrics, field), \
			scale, places, less                                    \
	}

const struct cs_compare_figure cs_compare_figures[] = {
	FIGURE(mean_wait, ">wait s", "mean wait", "s", 1, 0, true),
	FIGURE(mean_response, ">resp. s", "mean response", "s", 1, 0, true),
	FIGURE(mean_bounded_slowdown, ">slowdown",
	       "bounded slowdown, runtimes from 10 s on", "", 1, 2, true),
	FIGURE(rr_all, ">RR all", "relative response, all jobs", "", 1, 2,
	       true),
	FIGURE(rr_medium, ">RR med.", "relative response, medium jobs", "", 1,
	       2, true),
	FIGURE(rr_long, ">RR long", "relative response, long jobs", "", 1, 2,
	       true),
	FIGURE(utilization, ">util. %", "utilisation", "%", 100, 1, false),
	FIGURE(ucore_high, ">high %", "cores held in high load", "%", 100, 1,
	       false),
	FIGURE(makespan, ">span s", "makespan", "s", 1, 0, true),
	FIGURE(broken_share, ">broken %",
	       "shared jobs slowed by more than max_slowdown", "%", 100, 1,
	       true),
	FIGURE(true_slowdown_p99, ">slow p99",
	       "true slowdown beside others, one in a hundred above", "", 1, 2,
	       true),
};

const size_t cs_compare_n_figure =
	sizeof(cs_compare_figures) / sizeof(cs_compare_figures[0]);

/* ---- figures ------------------------------------------------------------- */

static double value(const struct cs_compare *c, size_t at, size_t policy,
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
		double v = value(c, i, policy, f);

		if (isnan(v))
			continue;
		sum += v;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

double cs_compare_change(const struct cs_compare *c, size_t policy,
			 const struct cs_compare_figure *f, double *ret_error)
{
	double a = 0, b = 0, squares = 0, mean, n = 0;

	for (size_t i = 0; i < c->n_case; i++) {
		double x = value(c, i, policy, f), y = value(c, i, 0, f);

		if (isnan(x) || isnan(y))
			continue;
		a += x;
		b += y;
		n++;
	}
	*ret_error = NAN;
	if (n < 1 || fabs(b) <= 0)
		return NAN;
	mean = (a - b) / n;
	for (size_t i = 0; i < c->n_case; i++) {
		double d = value(c, i, policy, f) - value(c, i, 0, f) - mean;

		squares += isnan(d) ? 0 : d * d;
	}
	if (n > 1)
		*ret_error = 200 * sqrt(squares / (n - 1) / n) / (b / n);
	return 100 * (a - b) / b;
}

/* ---- tables -------------------------------------------------------------- */

/* Whether any run has the figure. */
static bool there(const struct cs_compare *c, const struct cs_compare_figure *f)
{
	for (size_t i = 0; i < c->n_policy; i++)
		if (!isnan(cs_compare_mean(c, i, f)))
			return true;
	return false;
}

static void head(const struct cs_compare *c, struct cs_table *t)
{
	const char *name[CS_TABLE_COLUMNS + 1] = { "policy" };
	size_t n = 1;

	for (size_t k = 0; k < cs_compare_n_figure; k++)
		if (there(c, &cs_compare_figures[k]))
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
			if (there(c, &cs_compare_figures[k]))
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
			if (!there(c, &cs_compare_figures[k]))
				continue;
			v = cs_compare_change(c, i, &cs_compare_figures[k],
					      &error);
			change_cell(&t, v, error);
		}
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

/* The mean of the double at @offset of a policy's runs that have one. */
static double mean_of(const struct cs_compare *c, size_t policy, size_t offset)
{
	const struct cs_compare_figure f = { .offset = offset, .scale = 1 };

	return cs_compare_mean(c, policy, &f);
}

static void say_notes(const struct cs_compare *c)
{
	for (size_t i = 0; i < c->n_policy; i++) {
		uint64_t grouped = 0;

		for (size_t k = 0; k < c->n_case; k++)
			grouped +=
				c->run[k * c->n_policy + i].figures.grouped.jobs;
		cs_sim_report_spread(
			c->policy[i].title, &c->policy[i].params,
			mean_of(c, i, offsetof(struct cs_metrics, ucore_high)),
			mean_of(c, i, offsetof(struct cs_metrics, unode_high)),
			grouped);
	}
}

void cs_compare_say(const struct cs_compare *c)
{
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
	}
	say_notes(c);
}

/* ---- JSON ---------------------------------------------------------------- */

static int add(struct json_object *to, const char *key, struct json_object *v)
{
	if (v && to && !json_object_object_add(to, key, v))
		return 0;
	json_object_put(v);
	return -ENOMEM;
}

static struct json_object *real(double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", v);
	return json_object_new_double_s(v, text);
}

/* The means of @policy, or its changes. */
static int add_figures(const struct cs_compare *c, size_t policy, bool change,
		       struct json_object *o)
{
	int rc = 0;

	for (size_t k = 0; !rc && k < cs_compare_n_figure; k++) {
		const struct cs_compare_figure *f = &cs_compare_figures[k];
		double error,
			v = change ? cs_compare_change(c, policy, f, &error)
				   : cs_compare_mean(c, policy, f) / f->scale;

		if (!isnan(v))
			rc = add(o, f->key, real(v));
	}
	return rc;
}

/* @o into @list; @rc goes through. */
static int append(struct json_object *list, struct json_object *o, int rc)
{
	if (!rc && list && o && !json_object_array_add(list, o))
		return 0;
	json_object_put(o);
	return -ENOMEM;
}

static int add_policy(const struct cs_compare *c, size_t i,
		      struct json_object *list)
{
	struct json_object *o = json_object_new_object();
	struct json_object *means = json_object_new_object();
	struct json_object *changes = json_object_new_object();
	int rc = add_figures(c, i, false, means)
			 ?: add_figures(c, i, true, changes);

	rc = rc ?: add(o, "policy", json_object_new_string(c->policy[i].title));
	rc = rc ?: add(o, "params", cs_output_params(&c->policy[i].params));
	rc = rc ?: add(o, "mean", json_object_get(means));
	if (i)
		rc = rc ?: add(o, "change_percent", json_object_get(changes));
	json_object_put(means);
	json_object_put(changes);
	return append(list, o, rc);
}

static int add_run(const struct cs_compare *c, size_t i,
		   struct json_object *list)
{
	const struct cs_compare_case *at = &c->cases[i / c->n_policy];
	struct json_object *o = cs_output_figures(&c->run[i].figures);
	int rc = o ? 0 : -ENOMEM;

	rc = rc
		     ?: add(o, "policy",
			    json_object_new_string(
				    c->policy[i % c->n_policy].title));
	rc = rc ?: add(o, "case", json_object_new_string(at->title));
	if (at->seed >= 0)
		rc = rc ?: add(o, "seed", json_object_new_int64(at->seed));
	rc = rc ?: add(o, "wall_seconds", real(c->run[i].wall_s));
	return append(list, o, rc);
}

int cs_compare_summary(FILE *file, const struct cs_compare *c)
{
	struct json_object *o = json_object_new_object();
	struct json_object *policies = json_object_new_array();
	struct json_object *runs = json_object_new_array();
	const char *text = NULL;
	int rc = 0;

	for (size_t i = 0; !rc && i < c->n_policy; i++)
		rc = add_policy(c, i, policies);
	for (size_t i = 0; !rc && i < c->n_policy * c->n_case; i++)
		rc = add_run(c, i, runs);
	rc = rc ?: add(o, "machine", json_object_new_string(c->machine_text));
	rc = rc ?: add(o, "version", json_object_new_string(COSCHED_VERSION));
	rc = rc ?: add(o, "policies", json_object_get(policies));
	rc = rc ?: add(o, "runs", json_object_get(runs));
	if (!rc)
		text = json_object_to_json_string_ext(
			o, JSON_C_TO_STRING_PRETTY |
				   JSON_C_TO_STRING_NOSLASHESCAPE);
	errno = 0;
	if (text)
		fprintf(file, "%s\n", text);
	if (!text)
		rc = -ENOMEM;
	else if (ferror(file))
		rc = errno ? -errno : -EIO;
	json_object_put(policies);
	json_object_put(runs);
	json_object_put(o);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer to a site's question.
 *
 * Rules.
 *  1. A gain is the mean response of a policy against that of the site's own, both
 *     simulated, with the same defaults: never against what happened, which differs from
 *     the simulation by more than the policy.
 *  2. It is not told if the simulation of the site's own policy is off from what happened
 *     by more, or if jobs that were left out as too large for the machine have more than
 *     LEFT_OUT_MOST of the core time.
 *  3. The way to have a policy is told of the best one, if its gain may be told and is
 *     more than chance.
 *
 * Known weakness: the error of rule 2 is of one policy; another may be simulated better.
 */
#include "compare/compare_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_OUT_MOST .05

static double gain_of(const struct cs_compare *c, size_t policy,
		      const char *key, double *ret_error)
{
	return cs_compare_change(c, policy, 0, cs_compare_figure(key),
				 ret_error);
}

/* By how many per cent the mean response of the site's policy is off; NAN. */
static double off_by(const struct cs_compare *c)
{
	return cs_site_error(&c->site->simulated, &c->site->recorded).response_s;
}

enum cs_answer_doubt cs_compare_doubt(const struct cs_compare *c, size_t policy)
{
	double error, gain = gain_of(c, policy, "mean_response", &error);

	if (c->site->large_part > LEFT_OUT_MOST)
		return CS_ANSWER_LEFT_OUT;
	/* where nothing was recorded nothing is known of the error */
	return fabs(gain) < fabs(off_by(c)) ? CS_ANSWER_ERROR : CS_ANSWER_SURE;
}

void cs_compare_order(const struct cs_compare *c, size_t *ret)
{
	const struct cs_compare_figure *f = cs_compare_figure("mean_response");

	for (size_t p = 1; p < c->n_policy; p++) {
		double mean = cs_compare_mean(c, p, f);
		size_t at = p - 1;

		for (; at && cs_compare_mean(c, ret[at - 1], f) > mean; at--)
			ret[at] = ret[at - 1];
		ret[at] = p;
	}
}

static void say_response(FILE *out, double change, double error)
{
	if (fabs(change) < .05 && !(error >= .05)) {
		fputs("mean response the same", out);
		return;
	}
	fprintf(out, "mean response %.1f %% %s", fabs(change),
		change < 0 ? "less" : "more");
	if (!isnan(error))
		fprintf(out, " (give or take %.1f%s)", error,
			fabs(change) > error ? "" : ": may be chance");
}

/* ", mean wait -30.1 %" */
static void say_other(FILE *out, const struct cs_compare *c, size_t policy,
		      const char *key)
{
	double error, change = gain_of(c, policy, key, &error);

	if (!isnan(change))
		fprintf(out, ", %s %+.1f %%", cs_compare_figure(key)->name,
			change);
}

static void say_gain(FILE *out, const struct cs_compare *c, size_t policy)
{
	enum cs_answer_doubt doubt = cs_compare_doubt(c, policy);
	double error, change = gain_of(c, policy, "mean_response", &error);

	fprintf(out, "%s against %s: ", c->policy[policy].title,
		c->policy[0].title);
	if (doubt != CS_ANSWER_SURE)
		fputs("gain withheld: ", out);
	if (doubt != CS_ANSWER_LEFT_OUT)
		say_response(out, change, error);
	switch (doubt) {
	case CS_ANSWER_SURE:
		say_other(out, c, policy, "mean_wait");
		say_other(out, c, policy, "mean_bounded_slowdown");
		break;
	case CS_ANSWER_ERROR:
		fprintf(out, ", but %s itself is simulated %+.1f %% off",
			c->policy[0].title, off_by(c));
		break;
	case CS_ANSWER_LEFT_OUT:
		fprintf(out,
			"jobs larger than the machine, left out, have %.0f %% "
			"of the core time, expected at most %.0f; see --machine",
			100 * c->site->large_part, 100 * LEFT_OUT_MOST);
		break;
	}
	fputc('.', out);
}

/* ",cosched_policy=glts,cosched_slice=pect" of "glts:slice=pect" */
static void say_setting(FILE *out, const char *title)
{
	fputs("cosched_policy=", out);
	for (; *title; title++)
		if (*title == ':')
			fputs(",cosched_", out);
		else
			fputc(*title, out);
}

static void say_way(FILE *out, const struct cs_compare *c, size_t best)
{
	const char *title = c->policy[best].title;
	double error, gain = gain_of(c, best, "mean_response", &error);

	if (cs_compare_doubt(c, best) != CS_ANSWER_SURE || !(gain < 0) ||
	    -gain <= error)
		return;
	fprintf(out, "To have %s, in slurm.conf: SchedulerParameters=...,",
		title);
	say_setting(out, title);
	fprintf(out,
		" (`cosched conf --policy %.*s` writes all lines, for mode "
		"shadow first).",
		(int)strcspn(title, ":"), title);
}

char *cs_compare_gain_text(const struct cs_compare *c, size_t policy)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	say_gain(out, c, policy);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

char *cs_compare_way_text(const struct cs_compare *c)
{
	size_t *order = calloc(c->n_policy, sizeof(*order));
	char *text = NULL;
	size_t size;
	FILE *out = order ? open_memstream(&text, &size) : NULL;

	if (out) {
		cs_compare_order(c, order);
		if (c->n_policy > 1)
			say_way(out, c, order[0]);
	}
	free(order);
	if (out && !fclose(out))
		return text;
	free(text);
	return NULL;
}

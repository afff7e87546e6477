/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer to a site's question.
 *
 * Rules.
 *  1. A gain is the mean response of a policy against that of the site's own, both
 *     simulated, with the same defaults: never against what happened, which differs from
 *     the simulation by more than the policy.
 *  2. It is withheld, and no figure is told, nor who loses, if the simulation of the site's own policy is
 *     off from what happened by more, or if jobs that were left out, as too large for the
 *     machine or still running, have more than CS_SITE_LEFT_OUT_MOST of the core time.
 *  3. The answer tells of all policies, or of the live default and the best two others.
 *  4. The way to have a policy is told of the best one whose gain is not withheld, has an
 *     error (two cases or more) and is larger than that.
 *
 * Known weakness: the error of rule 2 is of one policy; another may be simulated better.
 */
#include "compare/compare_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS 2 /* of which the answer tells beside the live default */

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

	if (c->site->left_part > CS_SITE_LEFT_OUT_MOST)
		return CS_ANSWER_LEFT_OUT;
	/* where nothing was recorded nothing is known of the error */
	return fabs(gain) < fabs(off_by(c)) ? CS_ANSWER_ERROR : CS_ANSWER_SURE;
}

bool cs_compare_tells_losers(const struct cs_compare *c, size_t policy)
{
	return !c->site || cs_compare_doubt(c, policy) == CS_ANSWER_SURE;
}

bool cs_compare_withheld(const struct cs_compare *c, const struct cs_verdict *v)
{
	size_t other = v->best ? v->best : v->next; /* than the site's own */

	return c->site && other < c->n_policy &&
	       cs_compare_doubt(c, other) != CS_ANSWER_SURE;
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

size_t cs_compare_told(const struct cs_compare *c, size_t *ret)
{
	const char *always = c->site->always;
	size_t n = 0, others = 0;

	cs_compare_order(c, ret);
	for (size_t i = 0; i + 1 < c->n_policy; i++) {
		bool is_always =
			always && !strcmp(c->policy[ret[i]].title, always);

		if (always && !is_always && others == OTHERS)
			continue;
		others += !is_always;
		ret[n++] = ret[i];
	}
	return n;
}

static void say_response(FILE *out, double change, double error)
{
	if (fabs(change) < .05 && !(error >= .05)) {
		fputs("mean response the same", out);
		return;
	}
	fputs("mean response ", out);
	cs_verdict_say_change(out, change, error, NULL);
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
	switch (doubt) {
	case CS_ANSWER_SURE:
		say_response(out, change, error);
		say_other(out, c, policy, "mean_wait");
		say_other(out, c, policy, "mean_bounded_slowdown");
		break;
	case CS_ANSWER_ERROR:
		fprintf(out,
			"withheld, since %s itself is simulated %+.1f %% off "
			"from what happened, more than the two differ",
			c->policy[0].title, off_by(c));
		break;
	case CS_ANSWER_LEFT_OUT:
		fprintf(out,
			"withheld, since jobs that are left out (larger than "
			"--machine, or still running) have %.0f %% of the core "
			"time, expected at most %.0f",
			100 * c->site->left_part, 100 * CS_SITE_LEFT_OUT_MOST);
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

/* The first of @order whose gain is known and more than chance; 0: none. */
static size_t sure(const struct cs_compare *c, const size_t *order)
{
	for (size_t i = 0; i + 1 < c->n_policy; i++) {
		double error,
			gain = gain_of(c, order[i], "mean_response", &error);

		/* an error that is not known is no bound */
		if (cs_compare_doubt(c, order[i]) == CS_ANSWER_SURE &&
		    -gain > error)
			return order[i];
	}
	return 0;
}

static void say_way(FILE *out, const struct cs_compare *c, size_t best)
{
	const struct cs_compare_policy *p = &c->policy[best];

	fprintf(out,
		"To have %s, in slurm.conf: SchedulerParameters=...,"
		"cosched_mode=act,",
		p->title);
	say_setting(out, p->title);
	if (*p->params.profiles)
		fprintf(out, ",cosched_profiles=%s", p->params.profiles);
	if (!strchr(p->title, ':'))
		fprintf(out,
			" (`cosched conf --policy %s%s%s` writes all "
			"lines, for mode shadow first)",
			p->title, *p->params.profiles ? " --profiles " : "",
			p->params.profiles);
	fputs(". What it changes for users, and how to go back: "
	      "doc/admin/policies-for-sites.md.",
	      out);
}

char *cs_compare_gain_text(const struct cs_compare *c, size_t policy)
{
	struct cs_memo m;

	if (!cs_memo_begin(&m))
		return NULL;
	say_gain(m.out, c, policy);
	return cs_memo_end(&m);
}

char *cs_compare_way_text(const struct cs_compare *c)
{
	size_t *order = calloc(c->n_policy, sizeof(*order));
	struct cs_memo m;

	if (!order || !cs_memo_begin(&m)) {
		free(order);
		return NULL;
	}
	if (c->host == CS_HOST_SIM_LIVE) {
		size_t best;

		cs_compare_order(c, order);
		best = sure(c, order);
		if (best)
			say_way(m.out, c, best);
	}
	free(order);
	return cs_memo_end(&m);
}

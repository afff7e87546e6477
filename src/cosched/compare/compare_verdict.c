/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compare/compare_verdict.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/duration.h"

#define ALIKE 1e-9

const char *const cs_verdict_key[CS_VERDICTS] = { "mean_response",
						  "mean_bounded_slowdown" };

/* ---- the best policy ------------------------------------------------------ */

static bool alike(double value, double best)
{
	return value <= best * (1 + ALIKE);
}

bool cs_verdict_best(const struct cs_compare *c, const struct cs_verdict *v,
		     size_t policy)
{
	return alike(cs_compare_mean(c, policy, v->figure), v->value);
}

bool cs_compare_verdict(const struct cs_compare *c, size_t i,
			struct cs_verdict *ret)
{
	double next = INFINITY;

	*ret = (struct cs_verdict){ .figure = cs_compare_figure(
					    cs_verdict_key[i]),
				    .value = INFINITY,
				    .next = SIZE_MAX };
	for (size_t p = 0; p < c->n_policy; p++)
		ret->value =
			fmin(ret->value, cs_compare_mean(c, p, ret->figure));
	if (c->n_policy < 2 || isinf(ret->value))
		return false;
	for (size_t p = c->n_policy; p--;) {
		double v = cs_compare_mean(c, p, ret->figure);

		if (alike(v, ret->value)) {
			ret->best = p;
			ret->n_best++;
		} else if (v <= next) {
			next = v;
			ret->next = p;
		}
	}
	ret->change =
		cs_compare_change(c, ret->best, 0, ret->figure, &ret->error);
	if (ret->next != SIZE_MAX)
		ret->next_change = cs_compare_change(
			c, ret->next, ret->best, ret->figure, &ret->next_error);
	return true;
}

/* ---- sentences ------------------------------------------------------------ */

void cs_verdict_say_change(FILE *out, double change, double error,
			   const char *whom)
{
	fprintf(out, "%.1f %% %s", fabs(change), change < 0 ? "less" : "more");
	if (whom)
		fprintf(out, " than %s", whom);
	if (!isnan(error))
		fprintf(out, " (give or take %.1f%s)", error,
			fabs(change) > error ? "" : ": may be chance");
}

static void say_best(FILE *out, const struct cs_compare *c,
		     const struct cs_verdict *v)
{
	size_t told = 0;

	for (size_t p = 0; p < c->n_policy; p++) {
		if (!cs_verdict_best(c, v, p))
			continue;
		fprintf(out, "%s%s",
			!told			? ""
			: told + 1 == v->n_best ? " and "
						: ", ",
			c->policy[p].title);
		told++;
	}
	fputs(v->n_best > 1 ? " are best, and equal" : " is best", out);
}

static void say_verdict(FILE *out, const struct cs_compare *c,
			const struct cs_verdict *v)
{
	char span[CS_DURATION_SIZE];

	fprintf(out, "By %s ", v->figure->name);
	say_best(out, c, v);
	if (!strcmp(v->figure->unit, "s"))
		fprintf(out, ": %s",
			cs_duration_text(v->value, v->value, span));
	else
		fprintf(out, ": %.*f", v->figure->places, v->value);
	if (!cs_verdict_best(c, v, 0)) {
		fputs(", ", out);
		cs_verdict_say_change(out, v->change, v->error,
				      c->policy[0].title);
	}
	fputc('.', out);
	if (v->next == SIZE_MAX || !v->next) /* none, or mentioned */
		return;
	fprintf(out, " Next is %s, ", c->policy[v->next].title);
	cs_verdict_say_change(out, v->next_change, v->next_error, "the best");
	fputc('.', out);
}

static void say_caution(FILE *out, const struct cs_compare *c)
{
	struct cs_site_figures e;

	if (c->n_case == 1)
		fputs("This is one list of jobs: effects of its order of "
		      "arrivals cannot be told from lasting ones.",
		      out);
	else
		fprintf(out,
			"Means over %zu cases. \"Give or take\" is two standard "
			"errors of the differences case by case.",
			c->n_case);
	if (!c->site)
		return;
	e = cs_site_error(&c->site->simulated, &c->site->recorded);
	if (isnan(c->site->recorded.response_s))
		fputs(" The history has no waits: how far its simulation is off "
		      "is not known.",
		      out);
	if (isnan(e.wait_s) || isnan(e.response_s))
		return;
	fprintf(out,
		" %s, the site's own policy, is simulated with a mean wait that "
		"is off by %+.1f %% from what happened, and a mean response off "
		"by %+.1f %%: trust only larger differences.",
		c->site->policy, e.wait_s, e.response_s);
}

/* Of one user's jobs, or of jobs without users, nobody else can lose. */
static void say_no_losers(FILE *out, const struct cs_compare *c, size_t policy)
{
	const struct cs_compare_case *first = &c->cases[0];

	fprintf(out, "%s against %s: ", c->policy[policy].title,
		c->policy[0].title);
	if (first->n_user)
		fprintf(out, "all jobs are of one user (%s)",
			first->user[0].title);
	else
		fputs("the history names no users", out);
	fputs(", so that it does not say who loses.", out);
}

static void say_losers(FILE *out, const struct cs_compare *c, size_t policy,
		       const struct cs_losers *l)
{
	fprintf(out, "%s against %s, %zu users: ", c->policy[policy].title,
		c->policy[0].title, l->users);
	if (!l->n) {
		fputs("no user's mean response is longer", out);
	} else {
		fprintf(out,
			"the mean response of %zu is longer, by %.1f %% in the "
			"median and %.1f %% at most (%s)",
			l->n, l->median, l->most, l->list[0].user->title);
		if (l->much)
			fprintf(out, ", of %zu by more than %d %%", l->much,
				CS_LOSES_MUCH);
		if (!isnan(l->list[0].error))
			fprintf(out, ", of %zu by more than chance", l->sure);
	}
	if (l->shorter)
		fprintf(out, "; that of %zu is shorter", l->shorter);
	fputc('.', out);
}

bool cs_memo_begin(struct cs_memo *m)
{
	*m = (struct cs_memo){ .text = NULL };
	m->out = open_memstream(&m->text, &m->size);
	return m->out;
}

char *cs_memo_end(struct cs_memo *m)
{
	if (!fclose(m->out))
		return m->text;
	free(m->text);
	return NULL;
}

char *cs_verdict_text(const struct cs_compare *c, const struct cs_verdict *v)
{
	struct cs_memo m;

	if (!cs_memo_begin(&m))
		return NULL;
	say_verdict(m.out, c, v);
	return cs_memo_end(&m);
}

char *cs_verdict_caution(const struct cs_compare *c)
{
	struct cs_memo m;

	if (!cs_memo_begin(&m))
		return NULL;
	say_caution(m.out, c);
	return cs_memo_end(&m);
}

char *cs_losers_text(const struct cs_compare *c, size_t policy,
		     const struct cs_losers *l)
{
	struct cs_memo m;

	if (!cs_memo_begin(&m))
		return NULL;
	if (l->users > 1)
		say_losers(m.out, c, policy, l);
	else
		say_no_losers(m.out, c, policy);
	return cs_memo_end(&m);
}

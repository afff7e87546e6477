/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/slice/slice.h"
#include "shadow/shadow.h"

static double seconds(int64_t us)
{
	return (double)us / 1e6;
}

double cs_shadow_later_s(const struct cs_shadow *s, int p, size_t i)
{
	return seconds(s->fate[p][i].end_us -
		       s->fate[CS_SHADOW_REAL][i].end_us);
}

double cs_shadow_before_s(const struct cs_shadow_wait *w)
{
	if (w->end != CS_SHADOW_STARTED || w->would.at_us == CS_TIME_NONE)
		return 0;
	return seconds(w->start_us) - seconds(w->would.at_us);
}

/* ---- one job ----------------------------------------------------------------- */

static void add_moment(struct cs_shadow_sum *to, const struct cs_shadow_wait *w)
{
	double before_s = cs_shadow_before_s(w);

	if (w->end != CS_SHADOW_STARTED)
		return;
	to->starts++;
	if (before_s <= CS_SHADOW_TOLERATED_S)
		return;
	to->before++;
	to->before_s += before_s;
	to->beside += w->would.n_beside > 0;
	to->grouped += w->would.grouped;
	to->raised += w->would.raised_us > 0;
	to->raised_s += seconds(w->would.raised_us);
}

static void add_end(double later_s, uint64_t *earlier, double *earlier_s,
		    uint64_t *later, double *sum_s)
{
	if (later_s > CS_SHADOW_TOLERATED_S) {
		++*later;
		*sum_s += later_s;
	} else if (later_s < -CS_SHADOW_TOLERATED_S) {
		++*earlier;
		*earlier_s -= later_s;
	}
}

static void add_job(struct cs_shadow_sum *to, const struct cs_shadow *s,
		    size_t i)
{
	double later_s = cs_shadow_later_s(s, CS_SHADOW_OURS, i);
	double site_s = cs_shadow_later_s(s, CS_SHADOW_SITE, i);
	const struct cs_shadow_fate *ours = &s->fate[CS_SHADOW_OURS][i];

	to->jobs++;
	for (int p = 0; p < CS_SHADOW_PLANS; p++)
		to->wait_s[p] += seconds(s->fate[p][i].start_us -
					 s->im.trace.job[i].submit_us);
	to->later_site += later_s > CS_SHADOW_TOLERATED_S &&
			  site_s > CS_SHADOW_TOLERATED_S;
	add_end(later_s, &to->earlier, &to->earlier_s, &to->later,
		&to->later_s);
	add_end(later_s - site_s, &to->earlier_than_site,
		&to->earlier_than_site_s, &to->later_than_site,
		&to->later_than_site_s);
	to->shared += ours->shared;
	to->raised_ours += ours->raised_us > 0;
	to->raised_ours_s += seconds(ours->raised_us);
}

/* ---- by name ------------------------------------------------------------------ */

struct sums {
	const struct cs_shadow *s;
	enum cs_shadow_kind kind;
	struct cs_shadow_sum *of; /* [n] by the name's number + 1 */
	size_t n;
};

static size_t place(const struct sums *x, const struct cs_shadow_who *who)
{
	return x->kind < CS_SHADOW_KINDS ? (size_t)(who->name[x->kind] + 1) : 0;
}

static void grow(struct sums *x, const struct cs_shadow_who *who)
{
	size_t at = place(x, who) + 1;

	x->n = at > x->n ? at : x->n;
}

static const struct cs_shadow_who *who_is(const struct cs_shadow *s, size_t i)
{
	return &s->run[s->im.trace.job[i].line].who;
}

struct by {
	const char *name;
	struct cs_shadow_sum sum;
};

static int most_first(const void *x, const void *y)
{
	const struct by *a = x, *b = y;
	uint64_t n = a->sum.jobs + a->sum.starts;
	uint64_t m = b->sum.jobs + b->sum.starts;

	if (n != m)
		return n > m ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Those with any job, sorted. */
static int sort(struct sums *x, struct cs_shadow_sum **ret, size_t *ret_n)
{
	struct by *v = calloc(x->n + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < x->n; i++) {
		x->of[i].name = (int32_t)i - 1;
		if (x->of[i].jobs || x->of[i].starts)
			v[n++] = (struct by){ cs_shadow_name(x->s, x->kind,
							     x->of[i].name),
					      x->of[i] };
	}
	qsort(v, n, sizeof(*v), most_first);
	for (size_t i = 0; i < n; i++)
		x->of[i] = v[i].sum;
	free(v);
	*ret = x->of;
	*ret_n = n;
	return 0;
}

int cs_shadow_sums(const struct cs_shadow *s, enum cs_shadow_kind k,
		   struct cs_shadow_sum **ret, size_t *ret_n)
{
	struct sums x = { .s = s, .kind = k, .n = k == CS_SHADOW_KINDS };
	size_t jobs = s->simulated ? s->im.trace.n : 0;
	int rc;

	for (size_t i = 0; i < s->n_wait; i++)
		grow(&x, &s->wait[i].who);
	for (size_t i = 0; i < jobs; i++)
		grow(&x, who_is(s, i));
	x.of = calloc(x.n + 1, sizeof(*x.of));
	if (!x.of)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_wait; i++)
		add_moment(&x.of[place(&x, &s->wait[i].who)], &s->wait[i]);
	for (size_t i = 0; i < jobs; i++)
		add_job(&x.of[place(&x, who_is(s, i))], s, i);
	if (k < CS_SHADOW_KINDS) {
		rc = sort(&x, ret, ret_n);
		if (rc)
			free(x.of);
		return rc;
	}
	x.of->name = -1;
	*ret = x.of;
	*ret_n = 1;
	return 0;
}

/* ---- the worst ------------------------------------------------------------------- */

size_t cs_shadow_worst(const struct cs_shadow *s, size_t ret[CS_SHADOW_WORST])
{
	size_t n = 0, jobs = s->simulated ? s->im.trace.n : 0;

	for (size_t i = 0; i < jobs; i++) {
		double later_s = cs_shadow_later_s(s, CS_SHADOW_OURS, i);
		size_t at = n;

		if (later_s <= CS_SHADOW_TOLERATED_S)
			continue;
		while (at && cs_shadow_later_s(s, CS_SHADOW_OURS, ret[at - 1]) <
				     later_s)
			at--;
		if (at == CS_SHADOW_WORST)
			continue;
		n += n < CS_SHADOW_WORST;
		memmove(&ret[at + 1], &ret[at], (n - at - 1) * sizeof(*ret));
		ret[at] = i;
	}
	return n;
}

size_t cs_shadow_shared(const struct cs_shadow *s, size_t ret[CS_SHADOW_SHOWN])
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_wait; i++) {
		double before_s = cs_shadow_before_s(&s->wait[i]);
		size_t at = n;

		if (before_s <= CS_SHADOW_TOLERATED_S ||
		    !s->wait[i].would.n_beside)
			continue;
		while (at &&
		       cs_shadow_before_s(&s->wait[ret[at - 1]]) < before_s)
			at--;
		if (at == CS_SHADOW_SHOWN)
			continue;
		n += n < CS_SHADOW_SHOWN;
		memmove(&ret[at + 1], &ret[at], (n - at - 1) * sizeof(*ret));
		ret[at] = i;
	}
	return n;
}

void cs_shadow_class(const struct cs_shadow *s, uint32_t class,
		     struct cs_shadow_class *ret)
{
	const struct cs_params *p = &s->policy[CS_SHADOW_OURS].params;

	*ret = (struct cs_shadow_class){ .jobs = 0 };
	for (size_t i = 0; i < s->im.trace.n; i++) {
		const struct cs_trace_job *j = &s->im.trace.job[i];
		const struct cs_shadow_fate *f = &s->fate[CS_SHADOW_OURS][i];
		double still_s = f->stops ? (double)f->still_us / 1e6 : 0;

		if (cs_slice_class_by(p, j->estimate_us) != class)
			continue;
		ret->jobs++;
		ret->stopped += f->stops != 0;
		ret->stops += f->stops;
		ret->still_s += still_s;
		if (still_s > ret->most_still_s)
			ret->most_still_s = still_s;
		for (int k = 0; k < CS_SHADOW_PLANS; k++)
			ret->response_s[k] +=
				(double)(s->fate[k][i].end_us - j->submit_us) /
				1e6;
	}
	for (int k = 0; ret->jobs && k < CS_SHADOW_PLANS; k++)
		ret->response_s[k] /= (double)ret->jobs;
}

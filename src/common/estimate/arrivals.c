/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "estimate/arrivals.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/idmap.h"
#include "state/jobtable.h"

struct cs_arrivals {
	uint32_t most, cap;
	uint32_t first, n; /* [n] from first on, around the end of the array */
	struct cs_arrival *arrival; /* [cap] */
	struct cs_idmap by_id;	    /* their indexes plus 1 */
};

struct cs_arrivals *cs_arrivals_create(uint32_t most)
{
	struct cs_arrivals *a = calloc(1, sizeof(*a));

	if (a)
		a->most = most;
	return a;
}

static struct cs_arrival *nth(const struct cs_arrivals *a, uint32_t k)
{
	return &a->arrival[(a->first + k) % a->cap];
}

static void forget_oldest(struct cs_arrivals *a)
{
	struct cs_arrival *x = nth(a, 0);
	uintptr_t at = (uintptr_t)cs_idmap_find(&a->by_id, x->job.id);

	if (at == (uintptr_t)(x - a->arrival) + 1)
		cs_idmap_remove(&a->by_id, x->job.id);
	free(x->own);
	x->own = NULL;
	a->first = (a->first + 1) % a->cap;
	a->n--;
}

void cs_arrivals_free(struct cs_arrivals *a)
{
	if (!a)
		return;
	while (a->n)
		forget_oldest(a);
	free(a->arrival);
	cs_idmap_done(&a->by_id);
	free(a);
}

/* Room for one more: the array grows only while its jobs begin at its first place. */
static int make_room(struct cs_arrivals *a, int64_t now_us)
{
	int64_t since_us = now_us - CS_ARRIVALS_WEEKS * CS_ARRIVALS_WEEK_US;

	/* one older job stays: it says that the weeks after it are whole */
	while (a->n > 1 && nth(a, 1)->at_us < since_us)
		forget_oldest(a);
	if (a->n == a->most)
		forget_oldest(a);
	if (a->n == a->cap) {
		struct cs_arrival *to;
		uint32_t more = a->cap ? 2 * a->cap : CS_ARRAY_FIRST;

		more = more < a->most ? more : a->most;
		to = calloc(more, sizeof(*to));
		if (!to)
			return -ENOMEM;
		for (uint32_t k = 0; k < a->n; k++) {
			to[k] = *nth(a, k);
			if (cs_idmap_remove(&a->by_id, to[k].job.id))
				cs_idmap_add(&a->by_id, to[k].job.id,
					     (void *)((uintptr_t)k + 1));
		}
		free(a->arrival);
		a->arrival = to;
		a->first = 0;
		a->cap = more;
	}
	return cs_idmap_reserve(&a->by_id, a->n + 1);
}

int cs_arrivals_add(struct cs_arrivals *a, const struct cs_job *job,
		    int64_t now_us)
{
	struct cs_arrival *x;

	if (make_room(a, now_us))
		return -ENOMEM;
	x = nth(a, a->n);
	*x = (struct cs_arrival){ .at_us = now_us };
	if (cs_jobtable_describe(&x->job, &x->own, job))
		return -ENOMEM;
	a->n++;
	cs_idmap_remove(&a->by_id, job->id);
	cs_idmap_add(&a->by_id, job->id,
		     (void *)((uintptr_t)(x - a->arrival) + 1));
	return 0;
}

void cs_arrivals_ended(struct cs_arrivals *a, uint32_t id, int64_t ran_us)
{
	uintptr_t at = (uintptr_t)cs_idmap_find(&a->by_id, id);

	if (at)
		a->arrival[at - 1].ran_us = ran_us > 1 ? ran_us : 1;
}

uint32_t cs_arrivals_weeks(const struct cs_arrivals *a, int64_t now_us)
{
	int64_t weeks =
		a->n ? (now_us - nth(a, 0)->at_us) / CS_ARRIVALS_WEEK_US : 0;

	return weeks < CS_ARRIVALS_WEEKS ? (uint32_t)weeks : CS_ARRIVALS_WEEKS;
}

struct cs_arrivals_walk cs_arrivals_begin(const struct cs_arrivals *a,
					  int64_t now_us, uint32_t weeks)
{
	struct cs_arrivals_walk w = { .arrivals = a };
	int64_t since_us = now_us - weeks * CS_ARRIVALS_WEEK_US;
	uint32_t from = 0, to = a->n;

	while (from < to) { /* the first one after since_us */
		uint32_t half = from + (to - from) / 2;

		if (nth(a, half)->at_us <= since_us)
			from = half + 1;
		else
			to = half;
	}
	if (!weeks || from == a->n)
		return w;
	w.first = w.at = from;
	w.period_us = w.shift_us = weeks * CS_ARRIVALS_WEEK_US;
	return w;
}

const struct cs_arrival *cs_arrivals_next(const struct cs_arrivals_walk *w,
					  int64_t *ret_at_us)
{
	const struct cs_arrival *x;

	if (!w->period_us)
		return NULL;
	x = nth(w->arrivals, w->at);
	*ret_at_us = x->at_us + w->shift_us;
	return x;
}

void cs_arrivals_pass(struct cs_arrivals_walk *w)
{
	if (!w->period_us || ++w->at < w->arrivals->n)
		return;
	w->at = w->first;
	w->shift_us += w->period_us;
}

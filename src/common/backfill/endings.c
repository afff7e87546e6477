/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the jobs of a slice machine leave their nodes, by the predicted ends: kept
 * sorted from pass to pass, as most do not change.
 *
 * Cost: O(1) to add one, O(running) to remove one; O(running) to sort if none has moved
 * past another.
 */
#include "backfill/endings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/sought.h"
#include "base/array.h"
#include "job/progress.h"
#include "job/resv.h"

int cs_endings_reserve(struct cs_engine *e, size_t jobs)
{
	for (uint32_t i = 0; i < e->n_sm; i++) {
		struct cs_endings *x = &e->sms[i].endings;

		if (cs_array_room(&x->ending, &x->cap, jobs))
			return -ENOMEM;
	}
	return 0;
}

void cs_endings_add(struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_endings *x = &e->sm->endings;

	x->ending[x->n++] = (struct cs_ending){ .job = j };
	cs_sought_forget(&e->sm->heads);
}

void cs_endings_remove(struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_endings *x = &e->sm->endings;
	uint32_t i = 0;

	cs_sought_forget(&e->sm->heads);
	while (i < x->n && x->ending[i].job != j)
		i++;
	if (i == x->n)
		return;
	x->n--;
	x->sorted -= i < x->sorted;
	x->seen -= i < x->seen;
	memmove(&x->ending[i], &x->ending[i + 1],
		(x->n - i) * sizeof(*x->ending));
}

void cs_endings_sort(const struct cs_engine *e)
{
	struct cs_endings *x = &e->sm->endings;
	struct cs_ending *a = x->ending;

	for (uint32_t i = 0, k; i < x->n; i++) {
		struct cs_ending new = { cs_progress_end_us(e, a[i].job),
					 a[i].job };

		a[i].end_us = new.end_us;
		for (k = i; k && a[k - 1].end_us > new.end_us; k--)
			a[k] = a[k - 1];
		if (k < i)
			a[k] = new;
	}
	x->sorted = x->n;
}

bool cs_endings_hold(const struct cs_engine *e)
{
	const struct cs_endings *x = &e->sm->endings;

	/* ends past, now or then, were moved on by at most a second */
	for (uint32_t i = 0; i < x->n; i++) {
		if (i < x->sorted &&
		    x->ending[i].end_us > e->now_us + INT64_C(1000000)) {
			i = x->sorted - 1;
			continue;
		}
		if (cs_progress_rest_end_us(e, x->ending[i].job) <= e->now_us)
			return false;
	}
	return true;
}

int64_t cs_endings_sooner_us(const struct cs_engine *e, const struct cs_ejob *j,
			     uint32_t option, int64_t end_us, int64_t t_us)
{
	const struct cs_resv_job of = cs_resv_of(e, j, option);
	const struct cs_held_nodes *own = cs_resv_confines(&of);
	int64_t t = end_us;

	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];
		int64_t at = r == own ? r->start_us : r->end_us;

		if (!(r->flags & CS_RESV_FLOAT) && at > t_us && at < t)
			t = at;
	}
	return t;
}

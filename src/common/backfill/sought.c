/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How late a head starts at least, by what was sought for heads before it.
 *
 * Problem.  Thousands of heads may start only beyond the horizon, or never as their nodes
 * are down (easy.c, rule 8).  The search goes through all instants for each of them.
 *
 * Rules.
 *  1. Head b asks for at least what head a does if both may use the same nodes, with the
 *     same flags and reservation, b is not placed before a in the queue, its time limit is
 *     as long or longer, and a's shape fits wherever b's does (cs_layout_harder()).
 *  2. Then b starts no sooner than a: at each instant the nodes that b may use for its
 *     longer time are among those of a.
 *  3. That holds until something starts or ends, or the host answers: all is forgotten.  A
 *     start, too, may give another job room (job/alone.c, rule 13), or let a neighbour end
 *     sooner.
 *  4. Of the bounds known, those are dropped which another implies.
 *
 *	cores
 *	 |     b		a was sought, and starts at t: b, which is larger and
 *	 |  a			longer, does not start before t; c may.
 *	 | c
 *	 +-------- time limit
 *
 * With slice machines, sites, planned_starts above 1 or a topology, in which a larger job
 * may use more, nothing is known.
 *
 * Source: ours.
 *
 * Cost: O(KNOWN) a head.
 */
#include "backfill/sought.h"

#include "backfill/planned.h"
#include "base/array.h"
#include "job/site_room.h"
#include "model/fit.h"

#define KNOWN 128

struct cs_sought {
	struct cs_entry entry;
	struct cs_shape shape;
	int64_t start_us;
};

static bool applies(const struct cs_engine *e)
{
	return e->n_sm == 1 && !e->slice->seat && !cs_site_rules(e) &&
	       !cs_planned_several(e) && !e->machine->topology;
}

static struct cs_sought sought(const struct cs_promise *r, uint32_t option)
{
	return (struct cs_sought){
		.entry = { r->job, option },
		.shape = r->shape,
	};
}

/* Rule 1: does @b ask for at least what @a does? */
static bool asks_more(const struct cs_engine *e, const struct cs_sought *b,
		      const struct cs_sought *a)
{
	const struct cs_job *bj = &b->entry.job->job, *aj = &a->entry.job->job;
	const struct cs_job_partition *bo = &bj->option[b->entry.option];
	const struct cs_job_partition *ao = &aj->option[a->entry.option];

	return bo->nodeset == ao->nodeset &&
	       bj->estimate_us >= aj->estimate_us &&
	       cs_job_flags(b->entry.job, b->entry.option) ==
		       cs_job_flags(a->entry.job, a->entry.option) &&
	       bo->reservation == ao->reservation &&
	       bj->reservation == aj->reservation && bj->warn_s == aj->warn_s &&
	       cs_layout_harder(&b->shape, &a->shape) &&
	       (!e->n_forecast || e->order_cmp(&a->entry, &b->entry) <= 0);
}

int64_t cs_sought_after_us(const struct cs_engine *e,
			   const struct cs_promise *r, uint32_t option)
{
	const struct cs_promises *h = &e->sm->heads;
	const struct cs_sought b = sought(r, option);
	int64_t after_us = e->now_us;

	for (size_t i = 0; i < h->n_sought; i++)
		if (h->sought[i].start_us > after_us &&
		    asks_more(e, &b, &h->sought[i]))
			after_us = h->sought[i].start_us;
	return after_us;
}

void cs_sought_note(struct cs_engine *e, const struct cs_promise *r,
		    uint32_t option, int64_t start_us)
{
	struct cs_promises *h = &e->sm->heads;
	struct cs_sought a = sought(r, option);
	size_t n = 0;

	if (!applies(e) || cs_sought_after_us(e, r, option) >= start_us)
		return;
	a.start_us = start_us;
	for (size_t i = 0; i < h->n_sought; i++)
		if (h->sought[i].start_us > start_us ||
		    !asks_more(e, &h->sought[i], &a))
			h->sought[n++] = h->sought[i];
	h->n_sought = n;
	if (n == KNOWN || cs_array_room(&h->sought, &h->cap_sought, n + 1))
		return;
	h->sought[h->n_sought++] = a;
}

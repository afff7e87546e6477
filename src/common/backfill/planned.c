/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several planned starts on the same nodes.
 *
 * Problem.  With planned_starts = N > 1 the first N waiting jobs of those that share
 * nodes are heads, each with a planned start (easy.c).  A head takes nodes from the heads
 * that start after it, so that the heads cannot be tested one by one.
 *
 * Symbols	C name
 *   t_i		start_us	planned start of head i; the last one that
 *					its slack allows (easy.c, rule 6)
 *   e_i		start_us + run_us
 *   M_i		at		the machine at t_i: jobs that run now and
 *					have not ended
 *   x			start		a start now that is tried, with what it
 *					makes of the ends of running jobs
 *
 * Rules.
 *  1. Heads are laid out in the order of their t_i, head i on what is left of M_i by x, if
 *     that has not ended, and by each head j laid out before it with e_j > t_i.  If all
 *     find room, x leaves every planned start.
 *  2. A new head is planned at the first end of a running job or of a head at which
 *     rule 1 holds for all heads together: it moves no head that is before it in the
 *     queue, and is planned behind the last instants at which these may start.
 *
 * Example.  4 nodes, 3 of them held until 10, N = 2.  Head a needs 4 nodes for 5 s: t = 10.
 * Head b needs 2 for 20 s: t = 15.  A job of 1 node starts now if it ends by 10; with
 * N = 1 b has no planned start, and no job waits for it.
 *
 * Known weakness.  Rule 1 tries one layout for each head, the first: it may find too
 * little room where another would do, and then leaves a start that could be made.  A head
 * may start on other nodes than it was laid out on.  Heads are planned anew in each walk
 * in the queue's order: if one moves up into nodes that a later one had, that one moves
 * back (conservative backfill keeps these: plan.c, rule 3).
 *
 * Differs.  The planned starts of all jobs are plan.c's, which counts nodes by class.
 *
 * Cost: of H heads, O(H^2) changes of an occupancy and H layouts, for each candidate that
 * fits now and ends behind the first planned start, and for each end of a running job at
 * which a new head would fit alone.  Counted as steps.
 */
#include "backfill/planned.h"

#include <stdlib.h>

#include "job/alone.h"
#include "job/progress.h"
#include "job/resv.h"

/* A head and where it is laid out. */
struct row {
	struct cs_promise *head;
	struct cs_alloc *alloc;
};

static int64_t end_of(const struct cs_promise *r)
{
	return cs_later_us(r->start_us, r->run_us);
}

/* Put @r behind the @n rows that start no later. */
static void insert(struct row *row, size_t n, struct cs_promise *r)
{
	for (; n && row[n - 1].head->start_us > r->start_us; n--)
		row[n] = row[n - 1];
	row[n] = (struct row){ r, NULL };
}

/* Add @start to the machine of @r, or take it out again. */
static void with_start(const struct cs_engine *e, struct cs_promise *r,
		       const struct cs_planned_try *start,
		       void (*change)(struct cs_occ *, const struct cs_alloc *,
				      enum cs_node_use))
{
	if (start->end_us > r->start_us)
		change(&r->at, start->alloc, start->hold);
	for (size_t i = 0; i < start->n_moved; i++)
		if (start->moved_end_us[i] > r->start_us &&
		    cs_progress_end_us(e, start->moved[i]) <= r->start_us)
			change(&r->at, start->moved[i]->alloc,
			       start->moved[i]->hold);
}

/* Add the first @n of @row to the machine of @r, or take them out again.  A job in two
 * partitions starts in one. */
static void with_heads(struct cs_promise *r, const struct row *row, size_t n,
		       void (*change)(struct cs_occ *, const struct cs_alloc *,
				      enum cs_node_use))
{
	for (size_t i = 0; i < n; i++)
		if (row[i].head->job_id != r->job_id &&
		    end_of(row[i].head) > r->start_us)
			change(&r->at, row[i].alloc,
			       cs_alone_hold(&row[i].head->shape));
}

/* On its machine as it is; NULL: no room, or no memory. */
static struct cs_alloc *lay_out(const struct cs_engine *e,
				const struct cs_promise *r)
{
	const struct cs_occ *at = &r->at;
	const uint64_t *nodes = r->nodes;
	bool nomem;

	if (e->cuts) {
		at = cs_resv_room(e, r->job, r->option, &r->shape, at,
				  r->start_us, r->job->job.estimate_us,
				  e->mask2);
		nodes = e->mask2;
	}
	return cs_layout_choose(at, &r->shape, nodes, &nomem);
}

/* Rule 1 for row @i. */
static bool fits(const struct cs_engine *e, struct row *row, size_t i,
		 const struct cs_planned_try *start)
{
	struct cs_promise *r = row[i].head;

	if (start)
		with_start(e, r, start, cs_occ_add);
	with_heads(r, row, i, cs_occ_add);
	row[i].alloc = lay_out(e, r);
	with_heads(r, row, i, cs_occ_remove);
	if (start)
		with_start(e, r, start, cs_occ_remove);
	return row[i].alloc;
}

/* Does @start end before any head starts, and move no end of a running job? */
static bool is_early(const struct cs_promises *h,
		     const struct cs_planned_try *start)
{
	for (size_t i = 0; i < h->n; i++)
		if (start->end_us > h->promise[i].start_us)
			return false;
	return !start->n_moved;
}

bool cs_planned_fit(struct cs_engine *e, const struct cs_ejob *own,
		    struct cs_promise *more, const struct cs_planned_try *start)
{
	const struct cs_promises *h = &e->sm->heads;
	struct row *row;
	size_t n = 0;
	bool ok;

	if (start && is_early(h, start))
		return true;
	row = calloc(h->n + 1, sizeof(*row));
	ok = row;
	cs_step(e, (int64_t)(h->n + 1) * cs_node_words(e->machine));
	for (size_t i = 0; ok && i < h->n; i++)
		if (h->promise[i].job != own)
			insert(row, n++, &h->promise[i]);
	if (ok && more)
		insert(row, n++, more);
	for (size_t i = 0; ok && i < n; i++)
		ok = fits(e, row, i, start);
	for (size_t i = 0; i < n; i++)
		cs_alloc_free(row[i].alloc);
	free(row);
	return ok;
}

int64_t cs_planned_next_us(const struct cs_engine *e, int64_t t_us,
			   int64_t until_us)
{
	const struct cs_promises *h = &e->sm->heads;

	for (size_t i = 0; i < h->n; i++) {
		int64_t end_us = end_of(&h->promise[i]);

		if (end_us > t_us && end_us < until_us)
			until_us = end_us;
	}
	return until_us;
}

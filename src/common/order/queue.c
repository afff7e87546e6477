/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue: sorted up to `sorted`, then arrivals since the last pass.
 *
 * The queue of a slice machine is kept from pass to pass: a job enters it when it
 * begins to wait and leaves it when it runs or is gone, so a refused proposal is still
 * there.  An array's record is in it, its tasks without an id are not.  A job's sort
 * keys change while it is queued only where the order makes them anew before a decide (ranks
 * of campaigns, expansion factors, shifts) and sorts at once: cs_order_ranked().
 *
 * Cost: O(1) to enter; O(log n) and a move of the shorter part, before or after it, to
 * leave; in a pass O(1) for a new one at the end, else O(log n) and a move, or one sort
 * if there are many.
 */
#include "order/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/refused.h"
#include "order/passing.h"
#include "state/pass.h"

#define MANY 64 /* this many new ones are sorted, not inserted */

/* The place of @x in the sorted part, there or not. */
static size_t place_of(const struct cs_engine *e, const struct cs_queue *q,
		       const struct cs_entry *x)
{
	size_t from = q->begin, to = q->sorted;

	while (from < to) {
		size_t i = from + (to - from) / 2;

		if (e->order_cmp(&q->entry[i], x) < 0)
			from = i + 1;
		else
			to = i;
	}
	return from;
}

int cs_order_reserve(struct cs_engine *e, uint32_t options)
{
	/* twice as many: entries are seldom moved to the start */
	size_t want = 2 * ((size_t)e->n_option + options);

	for (uint32_t i = 0; i < e->n_sm; i++) {
		struct cs_queue *q = &e->sms[i].queue;

		if (cs_array_room(&q->entry, &q->cap, want))
			return -ENOMEM;
	}
	return 0;
}

void cs_order_add(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_queue *q = &cs_sm_of(e, j)->queue;
	size_t n = q->end - q->begin;

	if (j->queued || !j->job.id)
		return;
	if (q->end + j->job.n_option > q->cap) {
		memmove(q->entry, q->entry + q->begin, n * sizeof(*q->entry));
		q->sorted -= q->begin;
		q->begin = 0;
		q->end = n;
	}
	for (uint32_t o = 0; o < j->job.n_option; o++)
		q->entry[q->end++] = (struct cs_entry){ j, o };
	j->queued = true;
	e->timers |= j->job.eligible_us > e->now_us ||
		     j->job.after_us > e->now_us ||
		     cs_refused_ends_us(e, j) != CS_TIME_NONE;
}

static void drop_at(struct cs_queue *q, size_t i)
{
	size_t before = i - q->begin, behind = q->end - i - 1;
	struct cs_entry *x = &q->entry[i];

	if (before > behind) {
		memmove(x, x + 1, behind * sizeof(*x));
		q->sorted -= i < q->sorted;
		q->end--;
		return;
	}
	memmove(&q->entry[q->begin + 1], &q->entry[q->begin],
		before * sizeof(*x));
	q->sorted += i >= q->sorted;
	q->begin++;
}

static bool is_entry(const struct cs_entry *a, const struct cs_entry *b)
{
	return a->job == b->job && a->option == b->option;
}

/* Entry @at leaves a queue whose walk has paused. */
static void left(struct cs_engine *e, size_t at)
{
	cs_passing_left(e, at);
	cs_pass_left(e->pass, at);
}

void cs_order_drop(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_queue *q = &cs_sm_of(e, j)->queue;

	for (uint32_t o = 0; j->queued && o < j->job.n_option; o++) {
		struct cs_entry x = { j, o };
		size_t i = q->begin;

		/* mostly the head; else in order, or it arrived after the last pass */
		if (!is_entry(&q->entry[i], &x))
			i = place_of(e, q, &x);
		while (!is_entry(&q->entry[i], &x))
			i++;
		if (e->pass->open && q == &e->sm->queue)
			left(e, i - q->begin);
		drop_at(q, i);
	}
	j->queued = false;
}

size_t cs_order_settle(struct cs_engine *e)
{
	struct cs_queue *q = &e->sm->queue;
	struct cs_entry *x = q->entry;
	size_t first = q->sorted;

	if (q->end - q->sorted > MANY) {
		qsort(x + q->begin, q->end - q->begin, sizeof(*x),
		      e->order_cmp);
		q->sorted = q->end;
		return 0;
	}
	for (; q->sorted < q->end; q->sorted++) {
		struct cs_entry new = x[q->sorted];
		size_t i = q->sorted;

		if (i > q->begin && e->order_cmp(&new, &x[i - 1]) < 0)
			i = place_of(e, q, &new);
		memmove(&x[i + 1], &x[i], (q->sorted - i) * sizeof(*x));
		x[i] = new;
		first = i < first ? i : first;
	}
	return first - q->begin;
}

bool cs_order_ranked(struct cs_engine *e)
{
	bool moved = false;

	for (uint32_t i = 0; i < e->n_sm; i++) {
		struct cs_queue *q = &e->sms[i].queue;
		size_t k = q->begin + 1;

		while (k < q->sorted &&
		       e->order_cmp(&q->entry[k - 1], &q->entry[k]) < 0)
			k++;
		if (k >= q->sorted)
			continue;
		qsort(q->entry + q->begin, q->sorted - q->begin,
		      sizeof(*q->entry), e->order_cmp);
		moved = true;
	}
	return moved;
}

struct cs_entry *cs_order_queue(struct cs_engine *e, size_t *ret_n)
{
	struct cs_queue *q = &e->sm->queue;

	cs_order_settle(e);
	*ret_n = q->end - q->begin;
	return q->entry + q->begin;
}

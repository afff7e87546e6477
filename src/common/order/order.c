/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is next.
 *
 *	fcfs	eligible time, submit time, job id, the job's own order of
 *		partitions
 *	slurm	partition tier (high first), priority (high first), submit time, id of
 *		the job or its array, the job's own order of partitions: as slurmctld
 *		sorts, where a job that was held, throttled or depended on others keeps
 *		its place among those of its priority
 *	ostrich	partition tier (high first); priorities that the administrator has
 *		set and that lie above ours, high first; campaigns by their virtual
 *		ends, those first that have begun virtually; other such priorities.
 *		Of one campaign nice value (low first), then as `inside` says
 *		(campaign.c)
 *
 * Every order is total, so that equal inputs give equal queues.
 *
 * The queue of a virtual machine is kept from pass to pass: a job enters it when
 * it begins to wait and leaves it when it runs or is gone, so that one that was
 * proposed and refused is still there.  Of an array the record is there, and no
 * task that has no id of its own.  Nothing that the order depends on changes
 * while a job is in it, but ranks of campaigns and turns in them (mlpt.c):
 * cs_order_ranked().
 *
 * Cost: O(1) to enter; O(log n) and a move of what stands before or behind it, the
 * shorter of the two, to leave; in a pass O(1) a new one that comes last, else
 * O(log n) and a move, or all are sorted where there are many.
 */
#include "order/priority.h"
#include "state/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int cmp_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_time(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_job *x = &a->job->job, *y = &b->job->job;
	int c = cmp_i64(x->eligible_us, y->eligible_us);

	if (!c)
		c = cmp_i64(x->submit_us, y->submit_us);
	if (!c)
		c = cmp_i64(x->id, y->id);
	return c ? c : cmp_i64(a->option, b->option);
}

static int fcfs(const void *a, const void *b)
{
	return by_time(a, b);
}

static uint32_t array_or_id(const struct cs_job *j)
{
	return j->array_id ? j->array_id : j->id;
}

static int by_submission(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_job *x = &a->job->job, *y = &b->job->job;
	int c = cmp_i64(x->submit_us, y->submit_us);

	if (!c)
		c = cmp_i64(array_or_id(x), array_or_id(y));
	if (!c)
		c = cmp_i64(x->id, y->id);
	return c ? c : cmp_i64(a->option, b->option);
}

static int slurm(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	const struct cs_job_option *x = &a->job->job.option[a->option];
	const struct cs_job_option *y = &b->job->job.option[b->option];

	if (x->tier != y->tier)
		return x->tier > y->tier ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return by_submission(a, b);
}

/* 2: the administrator has put it before all campaigns, 0: behind them. */
static int set_rank(const struct cs_entry *x)
{
	if (!(x->job->job.flags & CS_JOB_PRIORITY_SET))
		return 1;
	return x->job->job.option[x->option].priority > CS_PRIORITY_MOST ? 2
									 : 0;
}

static int by_priority_set(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_job_option *x = &a->job->job.option[a->option];
	const struct cs_job_option *y = &b->job->job.option[b->option];
	int rank = set_rank(a);

	if (rank != set_rank(b))
		return rank > set_rank(b) ? -1 : 1;
	if (rank == 1 || x->priority == y->priority)
		return 0;
	return x->priority > y->priority ? -1 : 1;
}

/* Campaigns: those that were free to start, by rank, else by the time. */
static int by_campaign(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_campaign *x = a->job->campaign, *y = b->job->campaign;
	int c = by_priority_set(a, b);

	if (c)
		return c;
	if (x == y)
		return cmp_i64(a->job->job.nice, b->job->job.nice);
	if (!x || !y)
		return x ? -1 : 1;
	return cs_campaign_cmp(x, y);
}

/* Of the same tier. */
static int rank_fcfs(const void *a, const void *b)
{
	int c = by_campaign(a, b);

	return c ? c : by_time(a, b);
}

static int rank_spt(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	int c = by_campaign(a, b);

	if (!c)
		c = cmp_i64(a->job->job.estimate_us, b->job->job.estimate_us);
	return c ? c : by_time(a, b);
}

static int rank_lpt(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	int c = by_campaign(a, b);

	if (!c)
		c = cmp_i64(b->job->job.estimate_us, a->job->job.estimate_us);
	return c ? c : by_time(a, b);
}

static int rank_mlpt(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	int c = by_campaign(a, b);

	if (!c)
		c = cmp_i64(a->job->mlpt_us, b->job->mlpt_us);
	if (!c)
		c = cmp_i64(b->job->job.estimate_us, a->job->job.estimate_us);
	return c ? c : by_time(a, b);
}

static int by_tier(const struct cs_entry *a, const struct cs_entry *b)
{
	return cmp_i64(b->job->job.option[b->option].tier,
		       a->job->job.option[a->option].tier);
}

static int ostrich_fcfs(const void *a, const void *b)
{
	int c = by_tier(a, b);

	return c ? c : rank_fcfs(a, b);
}

static int ostrich_spt(const void *a, const void *b)
{
	int c = by_tier(a, b);

	return c ? c : rank_spt(a, b);
}

static int ostrich_lpt(const void *a, const void *b)
{
	int c = by_tier(a, b);

	return c ? c : rank_lpt(a, b);
}

static int ostrich_mlpt(const void *a, const void *b)
{
	int c = by_tier(a, b);

	return c ? c : rank_mlpt(a, b);
}

typedef int cmp_fn(const void *, const void *);

static cmp_fn *order_of(const struct cs_engine *e)
{
	static cmp_fn *const inside[] = {
		[CS_INSIDE_FCFS] = ostrich_fcfs,
		[CS_INSIDE_SPT] = ostrich_spt,
		[CS_INSIDE_LPT] = ostrich_lpt,
		[CS_INSIDE_MLPT] = ostrich_mlpt,
	};

	switch ((enum cs_order)e->params.order) {
	case CS_ORDER_SLURM:
		return slurm;
	case CS_ORDER_OSTRICH:
		return inside[e->params.inside];
	case CS_ORDER_FCFS:
		break;
	}
	return fcfs;
}

void cs_order_rank(const struct cs_engine *e, struct cs_entry *entry, size_t n)
{
	static cmp_fn *const inside[] = {
		[CS_INSIDE_FCFS] = rank_fcfs,
		[CS_INSIDE_SPT] = rank_spt,
		[CS_INSIDE_LPT] = rank_lpt,
		[CS_INSIDE_MLPT] = rank_mlpt,
	};

	if (n)
		qsort(entry, n, sizeof(*entry), inside[e->params.inside]);
}

/* The queue: sorted up to `sorted`, then who came since the last pass. */

#define MANY 64 /* new ones that are not put in one by one */

int cs_order_cmp(const struct cs_engine *e, const struct cs_entry *a,
		 const struct cs_entry *b)
{
	return order_of(e)(a, b);
}

/* Where in the sorted part @x stands or would stand. */
static size_t place_of(const struct cs_engine *e, const struct cs_queue *q,
		       const struct cs_entry *x)
{
	size_t from = q->begin, to = q->sorted;

	while (from < to) {
		size_t i = from + (to - from) / 2;

		if (cs_order_cmp(e, &q->entry[i], x) < 0)
			from = i + 1;
		else
			to = i;
	}
	return from;
}

int cs_order_reserve(struct cs_engine *e, uint32_t options)
{
	/* twice as many, so that they are seldom moved to the beginning */
	size_t cap = 2 * ((size_t)e->n_option + options);

	for (uint32_t i = 0; i < e->n_vm; i++) {
		struct cs_queue *q = &e->vms[i].queue;
		struct cs_entry *p;

		if (cap <= q->cap)
			continue;
		p = realloc(q->entry, 2 * cap * sizeof(*p));
		if (!p)
			return -ENOMEM;
		q->entry = p;
		q->cap = 2 * cap;
	}
	return 0;
}

void cs_order_add(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_queue *q = &cs_vm_of(e, j)->queue;
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

void cs_order_drop(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_queue *q = &cs_vm_of(e, j)->queue;

	for (uint32_t o = 0; j->queued && o < j->job.n_option; o++) {
		struct cs_entry x = { j, o };
		size_t i = place_of(e, q, &x);

		/* else it has come since the last pass */
		while (q->entry[i].job != j || q->entry[i].option != o)
			i++;
		drop_at(q, i);
	}
	j->queued = false;
}

size_t cs_order_settle(struct cs_engine *e)
{
	struct cs_queue *q = &e->vm->queue;
	struct cs_entry *x = q->entry;
	size_t first = q->sorted;

	if (q->end - q->sorted > MANY) {
		qsort(x + q->begin, q->end - q->begin, sizeof(*x),
		      order_of(e));
		q->sorted = q->end;
		return 0;
	}
	for (; q->sorted < q->end; q->sorted++) {
		struct cs_entry new = x[q->sorted];
		size_t i = q->sorted;

		if (i > q->begin && cs_order_cmp(e, &new, &x[i - 1]) < 0)
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

	for (uint32_t i = 0; i < e->n_vm; i++) {
		struct cs_queue *q = &e->vms[i].queue;
		size_t k = q->begin + 1;

		while (k < q->sorted && cs_order_cmp(e, &q->entry[k - 1],
						     &q->entry[k]) < 0)
			k++;
		if (k >= q->sorted)
			continue;
		qsort(q->entry + q->begin, q->sorted - q->begin,
		      sizeof(*q->entry), order_of(e));
		moved = true;
	}
	return moved;
}

struct cs_entry *cs_order_queue(struct cs_engine *e, size_t *ret_n)
{
	struct cs_queue *q = &e->vm->queue;

	cs_order_settle(e);
	*ret_n = q->end - q->begin;
	return q->entry + q->begin;
}

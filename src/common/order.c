/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is next.
 *
 *	fcfs	eligible time, submit time, job id, the job's own order of
 *		partitions
 *	slurm	partition tier (high first), priority (high first), then as fcfs
 *
 * Every order is total, so that equal inputs give equal queues.  O(n log n).
 */
#include "state.h"

#include <stdlib.h>

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

static int slurm(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	const struct cs_job_option *x = &a->job->job.option[a->option];
	const struct cs_job_option *y = &b->job->job.option[b->option];

	if (x->tier != y->tier)
		return x->tier > y->tier ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return by_time(a, b);
}

static int (*const order[])(const void *, const void *) = {
	[CS_ORDER_FCFS] = fcfs,
	[CS_ORDER_SLURM] = slurm,
};

struct cs_entry *cs_order_queue(const struct cs_engine *e, size_t *ret_n,
				bool *ret_nomem)
{
	size_t n = 0, k = 0;
	struct cs_entry *q;

	for (size_t i = 0; i < e->waiting.n; i++)
		if (cs_waits(e->waiting.job[i]))
			n += e->waiting.job[i]->job.n_option;
	*ret_n = n;
	*ret_nomem = false;
	if (!n)
		return NULL;
	q = calloc(n, sizeof(*q));
	*ret_nomem = !q;
	for (size_t i = 0; q && i < e->waiting.n; i++)
		for (uint32_t o = 0; cs_waits(e->waiting.job[i]) &&
				     o < e->waiting.job[i]->job.n_option;
		     o++)
			q[k++] = (struct cs_entry){ e->waiting.job[i], o };
	if (q)
		qsort(q, n, sizeof(*q), order[e->params.order]);
	return q;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Orders that only need two jobs: fcfs, and slurmctld's (order.c).
 */
#include "order/compare.h"

int cs_order_by_time(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_job *x = &a->job->job, *y = &b->job->job;
	int c = cs_cmp_i64(x->eligible_us, y->eligible_us);

	if (!c)
		c = cs_cmp_i64(x->submit_us, y->submit_us);
	if (!c)
		c = cs_cmp_i64(x->id, y->id);
	return c ? c : cs_cmp_i64(a->option, b->option);
}

int cs_order_fcfs(const void *a, const void *b)
{
	return cs_order_by_time(a, b);
}

static uint32_t array_or_id(const struct cs_job *j)
{
	return j->array_id ? j->array_id : j->id;
}

static int by_submission(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_job *x = &a->job->job, *y = &b->job->job;
	int c = cs_cmp_i64(x->submit_us, y->submit_us);

	if (!c)
		c = cs_cmp_i64(array_or_id(x), array_or_id(y));
	if (!c)
		c = cs_cmp_i64(x->id, y->id);
	return c ? c : cs_cmp_i64(a->option, b->option);
}

int cs_order_slurm(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	const struct cs_job_partition *x = &a->job->job.option[a->option];
	const struct cs_job_partition *y = &b->job->job.option[b->option];

	if (x->tier != y->tier)
		return x->tier > y->tier ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return by_submission(a, b);
}

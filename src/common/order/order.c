/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which job is next.
 *
 *	fcfs	eligible time, submit time, job id, the job's own order of
 *		partitions
 *	slurm	partition tier (high first), priority (high first), submit time, id of
 *		the job or its array, the job's own order of partitions: as slurmctld
 *		sorts, where a job that was held, throttled or dependent keeps its place
 *		among those of its priority
 *	expansion  partition tier (high first), expansion factor (high first) as in
 *		expansion.c, then as fcfs
 *	work	partition tier (high first), turn (early first) as in work.c, then as fcfs
 *	shifted	partition tier (high first), then as in shifted.c, then as fcfs
 *	ostrich	partition tier (high first); priorities that the administrator has
 *		set and that lie above ours, high first; campaigns by their virtual
 *		ends, those first that have begun virtually; other such priorities.
 *		Of one campaign nice value (low first), then as `inside` says
 *		(campaign.c)
 *
 * Before the tier, but for fcfs, goes the host's precedence (struct cs_job_partition).
 *
 * Every order is total, so that equal inputs give equal queues.
 */
#include "order/order.h"

#include "order/campaign.h"
#include "order/expansion.h"
#include "order/shifted.h"
#include "order/work.h"

int cs_order_by_precedence(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_job_partition *x = &a->job->job.option[a->option];
	const struct cs_job_partition *y = &b->job->job.option[b->option];

	return cs_cmp_i64(y->precedence, x->precedence)
		       ?: cs_cmp_i64(y->tier, x->tier);
}

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

static int fcfs_cmp(const void *a, const void *b)
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

static int slurm_cmp(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	const struct cs_job_partition *x = &a->job->job.option[a->option];
	const struct cs_job_partition *y = &b->job->job.option[b->option];

	int c = cs_order_by_precedence(a, b);

	if (c)
		return c;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return by_submission(a, b);
}

static cs_cmp_fn *fcfs(const struct cs_params *p)
{
	(void)p;
	return fcfs_cmp;
}

static cs_cmp_fn *slurm(const struct cs_params *p)
{
	(void)p;
	return slurm_cmp;
}

static const struct cs_order_ops fcfs_ops = { .cmp = fcfs, .lasting = true };
static const struct cs_order_ops slurm_ops = { .cmp = slurm, .priority = true };

const struct cs_order_ops *cs_order_choose(const struct cs_params *p)
{
	static const struct cs_order_ops *const ops[] = {
		[CS_ORDER_FCFS] = &fcfs_ops,
		[CS_ORDER_SLURM] = &slurm_ops,
		[CS_ORDER_EXPANSION] = &cs_order_expansion,
		[CS_ORDER_WORK] = &cs_order_work,
		[CS_ORDER_OSTRICH] = &cs_order_ostrich,
		[CS_ORDER_SHIFTED] = &cs_order_shifted,
	};

	return ops[p->order];
}

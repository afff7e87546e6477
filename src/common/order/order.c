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
 *	ostrich	partition tier (high first); priorities that the administrator has
 *		set and that lie above ours, high first; campaigns by their virtual
 *		ends, those first that have begun virtually; other such priorities.
 *		Of one campaign nice value (low first), then as `inside` says
 *		(campaign.c)
 *
 * Every order is total, so that equal inputs give equal queues.
 */
#include "order/order.h"

#include "order/campaign.h"
#include "order/compare.h"

static cs_cmp_fn *fcfs(const struct cs_params *p)
{
	(void)p;
	return cs_order_fcfs;
}

static cs_cmp_fn *slurm(const struct cs_params *p)
{
	(void)p;
	return cs_order_slurm;
}

static const struct cs_order_ops fcfs_ops = { .cmp = fcfs, .lasting = true };
static const struct cs_order_ops slurm_ops = { .cmp = slurm, .priority = true };

const struct cs_order_ops *cs_order_choose(const struct cs_params *p)
{
	static const struct cs_order_ops *const ops[] = {
		[CS_ORDER_FCFS] = &fcfs_ops,
		[CS_ORDER_SLURM] = &slurm_ops,
		[CS_ORDER_OSTRICH] = &cs_order_ostrich,
	};

	return ops[p->order];
}

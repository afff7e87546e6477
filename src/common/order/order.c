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
 */
#include "order/order.h"

#include "order/campaign_rank.h"

cs_cmp_fn *cs_order_of(const struct cs_engine *e)
{
	switch ((enum cs_order)e->params.order) {
	case CS_ORDER_SLURM:
		return cs_order_slurm;
	case CS_ORDER_OSTRICH:
		return cs_campaign_order(e);
	case CS_ORDER_FCFS:
		break;
	}
	return cs_order_fcfs;
}

int cs_order_cmp(const struct cs_engine *e, const struct cs_entry *a,
		 const struct cs_entry *b)
{
	return cs_order_of(e)(a, b);
}

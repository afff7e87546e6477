/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of campaigns and of their jobs: order=ostrich (order.c; campaign.c,
 * rules 5, 7 and 9).
 */
#include "order/campaign_rank.h"

#include <stdlib.h>

#include "order/priority.h"

int cs_campaign_cmp(const struct cs_campaign *a, const struct cs_campaign *b)
{
	if (a->key_runs != b->key_runs)
		return a->key_runs ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

bool cs_campaign_held(const struct cs_engine *e, const struct cs_ejob *j)
{
	return e->params.campaign_hold == CS_CAMPAIGN_HOLD_STRICT &&
	       j->campaign && j->campaign->state == CS_CAMPAIGN_WAITS &&
	       !(j->job.flags & CS_JOB_PRIORITY_SET);
}

/* 2: put before all campaigns by the administrator, 0: behind them. */
static int set_rank(const struct cs_entry *x)
{
	if (!(x->job->job.flags & CS_JOB_PRIORITY_SET))
		return 1;
	return x->job->job.option[x->option].priority > CS_PRIORITY_MOST ? 2
									 : 0;
}

static int by_priority_set(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_job_partition *x = &a->job->job.option[a->option];
	const struct cs_job_partition *y = &b->job->job.option[b->option];
	int rank = set_rank(a);

	if (rank != set_rank(b))
		return rank > set_rank(b) ? -1 : 1;
	if (rank == 1 || x->priority == y->priority)
		return 0;
	return x->priority > y->priority ? -1 : 1;
}

/* Campaigns of jobs once free to start by rank, else by time. */
static int by_campaign(const struct cs_entry *a, const struct cs_entry *b)
{
	const struct cs_campaign *x = a->job->campaign, *y = b->job->campaign;
	int c = by_priority_set(a, b);

	if (c)
		return c;
	if (x == y)
		return cs_cmp_i64(a->job->job.nice, b->job->job.nice);
	if (!x || !y)
		return x ? -1 : 1;
	return cs_campaign_cmp(x, y);
}

/* Of one precedence and tier. */
static int rank_fcfs(const void *a, const void *b)
{
	int c = by_campaign(a, b);

	return c ? c : cs_order_by_time(a, b);
}

static int rank_spt(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	int c = by_campaign(a, b);

	if (!c)
		c = cs_cmp_i64(a->job->job.estimate_us,
			       b->job->job.estimate_us);
	return c ? c : cs_order_by_time(a, b);
}

static int rank_lpt(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	int c = by_campaign(a, b);

	if (!c)
		c = cs_cmp_i64(b->job->job.estimate_us,
			       a->job->job.estimate_us);
	return c ? c : cs_order_by_time(a, b);
}

static int rank_mlpt(const void *va, const void *vb)
{
	const struct cs_entry *a = va, *b = vb;
	int c = by_campaign(a, b);

	if (!c)
		c = cs_cmp_i64(a->job->mlpt_us, b->job->mlpt_us);
	if (!c)
		c = cs_cmp_i64(b->job->job.estimate_us,
			       a->job->job.estimate_us);
	return c ? c : cs_order_by_time(a, b);
}

static int ostrich_fcfs(const void *a, const void *b)
{
	int c = cs_order_by_precedence(a, b);

	return c ? c : rank_fcfs(a, b);
}

static int ostrich_spt(const void *a, const void *b)
{
	int c = cs_order_by_precedence(a, b);

	return c ? c : rank_spt(a, b);
}

static int ostrich_lpt(const void *a, const void *b)
{
	int c = cs_order_by_precedence(a, b);

	return c ? c : rank_lpt(a, b);
}

static int ostrich_mlpt(const void *a, const void *b)
{
	int c = cs_order_by_precedence(a, b);

	return c ? c : rank_mlpt(a, b);
}

cs_cmp_fn *cs_campaign_order(const struct cs_params *p)
{
	static cs_cmp_fn *const by_order[] = {
		[CS_CAMPAIGN_ORDER_FCFS] = ostrich_fcfs,
		[CS_CAMPAIGN_ORDER_SPT] = ostrich_spt,
		[CS_CAMPAIGN_ORDER_LPT] = ostrich_lpt,
		[CS_CAMPAIGN_ORDER_MLPT] = ostrich_mlpt,
	};

	return by_order[p->campaign_order];
}

void cs_order_rank(const struct cs_engine *e, struct cs_entry *entry, size_t n)
{
	static cs_cmp_fn *const by_order[] = {
		[CS_CAMPAIGN_ORDER_FCFS] = rank_fcfs,
		[CS_CAMPAIGN_ORDER_SPT] = rank_spt,
		[CS_CAMPAIGN_ORDER_LPT] = rank_lpt,
		[CS_CAMPAIGN_ORDER_MLPT] = rank_mlpt,
	};

	if (n)
		qsort(entry, n, sizeof(*entry),
		      by_order[e->params.campaign_order]);
}

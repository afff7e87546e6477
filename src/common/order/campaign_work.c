/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work of campaigns, and the longest job, for their bounds.
 *
 * Rules.
 *  1. The work of a job is its cores, on nodes like the first one that was there when
 *     the engine was created, times its estimate, an array's that of all its waiting
 *     tasks; what is charged later (campaign.c, rule 6) is a correction.
 *
 * Bound: by lemma 2, a campaign that began virtually at s with k users ends by
 * s + k W / m + 2 p + p_u, p the longest job of all, p_u of its own: the projected
 * virtual end, and three jobs more.  p_u is over jobs still present.  p is not: what a
 * long job put off may wait long after its end.  So p falls only when no job waits, to the longest
 * running one, and for campaigns that exist then not at all.  It rises with a longer
 * job: a bound as shown holds until such a job, or a further user, arrives.
 *
 * Source: Emeras12 (see ostrich.h), section VII.
 */
#include "order/campaign_work.h"

uint32_t cs_campaign_cores_of(const struct cs_engine *e,
			      const struct cs_ejob *j)
{
	return cs_job_cores(&j->job, &e->campaigns->like, j->job.procs);
}

cs_u128 cs_campaign_work_of(const struct cs_engine *e, const struct cs_ejob *j)
{
	return (cs_u128)j->job.tasks * cs_campaign_cores_of(e, j) *
	       (cs_u128)j->job.estimate_us;
}

void cs_campaign_charge(struct cs_engine *e, struct cs_ejob *j, cs_u128 work)
{
	cs_u128 was = j->work;

	j->work = work;
	if (work != was)
		cs_ostrich_correct(cs_campaign_schedule(e), j->campaign,
				   work > was ? work - was : 0,
				   work < was ? was - work : 0);
}

static int64_t longer(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void cs_campaign_note_length(struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_campaigns *k = e->campaigns;

	k->longest_us = longer(k->longest_us, j->job.estimate_us);
}

/* Does a campaign have a waiting job? */
static bool any_waits(const struct cs_engine *e)
{
	for (size_t i = 0; i < e->waiting.n; i++)
		if (e->waiting.job[i]->campaign)
			return true;
	return false;
}

void cs_campaign_renew_longest(struct cs_engine *e)
{
	struct cs_campaigns *k = e->campaigns;

	if (!k->shorter || any_waits(e))
		return;
	for (struct cs_ostrich_user *u = k->virtual->first; u; u = u->next)
		for (struct cs_campaign *c = u->first; c; c = c->next)
			c->longest_us = longer(c->longest_us, k->longest_us);
	k->longest_us = 0;
	k->shorter = false;
	for (size_t i = 0; i < e->started.n; i++)
		cs_campaign_note_length(e, e->started.job[i]);
}

int64_t cs_campaign_longest_us(const struct cs_engine *e,
			       const struct cs_campaign *c)
{
	return longer(e->campaigns->longest_us, c->longest_us);
}

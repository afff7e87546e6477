/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of campaigns, and p of their bounds; the theory is in campaign_work.c. */
#ifndef CS_ORDER_CAMPAIGN_WORK_H
#define CS_ORDER_CAMPAIGN_WORK_H

#include "order/campaigns.h"
#include "state/state.h"

/* NULL: another order. */
static inline struct cs_ostrich *cs_campaign_schedule(const struct cs_engine *e)
{
	return e->campaigns ? e->campaigns->virtual : NULL;
}

/* Cores that a task of @j has; its work is that times its time. */
uint32_t cs_campaign_cores_of(const struct cs_engine *e,
			      const struct cs_ejob *j);
/* The work of @j now. */
cs_u128 cs_campaign_work_of(const struct cs_engine *e, const struct cs_ejob *j);
/* The work of @j is @work. */
void cs_campaign_charge(struct cs_engine *e, struct cs_ejob *j, cs_u128 work);
/* @j is there, or its estimate is another. */
void cs_campaign_note_length(struct cs_engine *e, const struct cs_ejob *j);
/* A job is about to come: if none waits now, p begins anew. */
void cs_campaign_renew_longest(struct cs_engine *e);
/* p in the bound of @c. */
int64_t cs_campaign_longest_us(const struct cs_engine *e,
			       const struct cs_campaign *c);

#endif

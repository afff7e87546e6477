/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of campaigns, and p of their bounds; the theory is in campaign_work.c. */
#ifndef CS_ORDER_CAMPAIGN_WORK_H
#define CS_ORDER_CAMPAIGN_WORK_H

#include "order/campaigns.h"
#include "state/state.h"

/* NULL: not order=ostrich. */
static inline struct cs_ostrich *cs_campaign_schedule(const struct cs_engine *e)
{
	return e->campaigns ? e->campaigns->virtual : NULL;
}

/* Cores of a task of @j; its work is that times its time. */
uint32_t cs_campaign_cores_of(const struct cs_engine *e,
			      const struct cs_ejob *j);
/* The work of @j now. */
cs_u128 cs_campaign_work_of(const struct cs_engine *e, const struct cs_ejob *j);
/* Set the work of @j to @work. */
void cs_campaign_charge(struct cs_engine *e, struct cs_ejob *j, cs_u128 work);
/* @j has arrived, or its estimate has changed. */
void cs_campaign_note_length(struct cs_engine *e, const struct cs_ejob *j);
/* A job is about to arrive: if none waits now, p starts over. */
void cs_campaign_renew_longest(struct cs_engine *e);
/* p in the bound of @c. */
int64_t cs_campaign_longest_us(const struct cs_engine *e,
			       const struct cs_campaign *c);

#endif

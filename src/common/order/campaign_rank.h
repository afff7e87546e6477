/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of campaigns and of their jobs (campaign_rank.c). */
#ifndef CS_ORDER_CAMPAIGN_RANK_H
#define CS_ORDER_CAMPAIGN_RANK_H

#include "order/order.h"
#include "order/ostrich.h"
#include "state/state.h"

/* Which is first, by rank as of the last refresh; a total order. */
int cs_campaign_cmp(const struct cs_campaign *a, const struct cs_campaign *b);
/* The queue's order by `inside`. */
cs_cmp_fn *cs_campaign_order(const struct cs_params *p);
/* Rule 5 of campaign.c: must its campaign wait? */
bool cs_campaign_held(const struct cs_engine *e, const struct cs_ejob *j);
/* Sort entries of order=ostrich, ignoring tiers. */
void cs_order_rank(const struct cs_engine *e, struct cs_entry *entry, size_t n);

#endif

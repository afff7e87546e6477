/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs as campaigns of their users (order=ostrich): between the engine's jobs and
 * the virtual schedule.  Rules and theory in campaign.c.
 */
#ifndef CS_ORDER_CAMPAIGN_H
#define CS_ORDER_CAMPAIGN_H

#include "state/stage.h"

extern const struct cs_order_ops cs_order_ostrich;

/* struct cs_order_ops, copy (campaign_copy.c). */
int cs_campaign_copy(struct cs_engine *to, const struct cs_engine *from);

/* Bring the virtual schedule to engine->now_us; jobs whose time has come join
 * campaigns. */
void cs_campaign_clock(struct cs_engine *e);
/* Reorder the queue by changed campaigns; did a job move? */
bool cs_campaign_refresh(struct cs_engine *e);

#endif

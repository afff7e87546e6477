/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of campaigns that was told; the rules are in campaign_state.c. */
#ifndef CS_ORDER_CAMPAIGN_STATE_H
#define CS_ORDER_CAMPAIGN_STATE_H

#include "state/state.h"

/* Time goes on: who has not come by now has left, and as far as is known did what
 * he had done. */
void cs_campaign_forget_kept(struct cs_engine *e);
/* CS_EV_KEPT (struct cs_order_ops, restore). */
int cs_campaign_read(struct cs_engine *e, const char *line, struct cs_err *err);
/* Is @j a job that was told of?  Then it is where it was. */
bool cs_campaign_come_back(struct cs_engine *e, struct cs_ejob *j);

#endif

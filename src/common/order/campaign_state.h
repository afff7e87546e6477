/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Restored state of campaigns; the rules are in campaign_state.c. */
#ifndef CS_ORDER_CAMPAIGN_STATE_H
#define CS_ORDER_CAMPAIGN_STATE_H

#include "state/state.h"

/* Time advances: jobs that have not arrived by now have left, with the work they had
 * done when saved. */
void cs_campaign_forget_kept(struct cs_engine *e);
/* CS_EV_KEPT (struct cs_order_ops, restore). */
int cs_campaign_read(struct cs_engine *e, const char *line, struct cs_err *err);
/* Does @j have saved state?  Then it returns to its place. */
bool cs_campaign_come_back(struct cs_engine *e, struct cs_ejob *j);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the moment in the event log.
 */
#ifndef CS_SCHED_FEED_LOG_STATE_H
#define CS_SCHED_FEED_LOG_STATE_H

#include "sched/feed/adapter_state.h"

/* The state of the moment as events, behind a header; @ended: and a tick. */
void cs_feed_log_state(struct cs_adapter *b, bool ended);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The current state in the event log.
 */
#ifndef CS_SCHED_FEED_LOG_STATE_H
#define CS_SCHED_FEED_LOG_STATE_H

#include "sched/feed/adapter_state.h"

/* The current state as events, after a header; @ended: and a tick. */
void cs_feed_log_state(struct cs_adapter *b, bool ended);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the event log.
 */
#ifndef CS_SCHED_FEED_FEED_LOG_H
#define CS_SCHED_FEED_FEED_LOG_H

#include "sched/feed/adapter_state.h"

/* A line for the log, of cs_log_action() (@n 0) or cs_log_decide(). */
void cs_feed_log_action(struct cs_adapter *b, const struct cs_action *a,
			bool would);
void cs_feed_log_decide(struct cs_adapter *b, size_t n);
void cs_feed_log_event(struct cs_adapter *b, const struct cs_event *ev,
		       const struct cs_action *action);

#endif

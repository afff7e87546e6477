/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events to the engine and to the log, and their time.
 */
#ifndef CS_SCHED_FEED_FEED_EVENT_H
#define CS_SCHED_FEED_FEED_EVENT_H

#include "sched/feed/adapter_state.h"

/* Bring the engine's time (clock.h) to now, and return it.  Also the wall
 * clock's. */
int64_t cs_feed_now_us(struct cs_adapter *b);
int64_t cs_feed_now_of(struct cs_adapter *b, int64_t *ret_wall_us);

/* Give an event to the engine and, if accepted, to the log. */
int cs_feed_event(struct cs_adapter *b, const struct cs_event *ev,
		  const struct cs_action *action, struct cs_err *err);
/* The same with the engine's own error, which the other turns into -ESTALE,
 * except -ENOMEM. */
int cs_feed_tell(struct cs_adapter *b, const struct cs_event *ev,
		 const struct cs_action *action, struct cs_err *err);
int cs_feed_stale(int rc);

/* A line for the log, of cs_log_action() (@n 0) or cs_log_decide(). */
void cs_feed_log_action(struct cs_adapter *b, const struct cs_action *a,
			bool would);
void cs_feed_log_decide(struct cs_adapter *b, size_t n, int64_t steps);
void cs_feed_log_event(struct cs_adapter *b, const struct cs_event *ev,
		       const struct cs_action *action);
/* The same of cs_log_estimates_begin() and cs_log_estimate(). */
void cs_feed_log_estimates(struct cs_adapter *b);
void cs_feed_log_estimate(struct cs_adapter *b, const struct cs_estimate *x);

#endif

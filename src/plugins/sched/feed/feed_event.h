/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events to the engine, and their time.
 */
#ifndef CS_SCHED_FEED_FEED_EVENT_H
#define CS_SCHED_FEED_FEED_EVENT_H

#include "sched/feed/adapter_state.h"

/* Bring the engine's time (clock.h) to this moment, and return it.  The wall's
 * beside it. */
int64_t cs_feed_now_us(struct cs_adapter *b);
int64_t cs_feed_now_of(struct cs_adapter *b, int64_t *ret_wall_us);

/* Give an event to the engine and, if it takes it, to the log. */
int cs_feed_event(struct cs_adapter *b, const struct cs_event *ev,
		  const struct cs_action *action, struct cs_err *err);
/* The same with the engine's own error, which becomes one of ours by the other:
 * -ESTALE, but for -ENOMEM. */
int cs_feed_tell(struct cs_adapter *b, const struct cs_event *ev,
		 const struct cs_action *action, struct cs_err *err);
int cs_feed_stale(int rc);

#endif

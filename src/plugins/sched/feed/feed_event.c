/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event to the engine and, if accepted, to the log; and the time of events: the
 * engine's (clock.h), which each step of a cycle advances.
 */
#include "sched/feed/feed_event.h"

#include <errno.h>

#include "common/order/order.h"
#include "sched/feed/feed_log.h"

/* ---- time ------------------------------------------------------------------ */

int64_t cs_feed_now_of(struct cs_adapter *b, int64_t *ret_wall_us)
{
	*ret_wall_us = cs_clock_us(CLOCK_REALTIME);
	b->now_us = cs_clock_bring(&b->clock, *ret_wall_us,
				   cs_clock_us(CLOCK_MONOTONIC));
	return b->now_us;
}

int64_t cs_feed_now_us(struct cs_adapter *b)
{
	int64_t wall_us;

	return cs_feed_now_of(b, &wall_us);
}

/* ---- events ---------------------------------------------------------------- */

int cs_feed_tell(struct cs_adapter *b, const struct cs_event *ev,
		 const struct cs_action *action, struct cs_err *err)
{
	int rc = cs_engine_event(b->engine, ev, err);

	if (rc)
		return rc;
	b->count.events++;
	/* campaigns change with everything */
	b->dirty |= cs_order_choose(&b->params)->campaigns &&
		    ev->type != CS_EV_TICK;
	cs_feed_log_event(b, ev, action);
	return 0;
}

int cs_feed_stale(int rc)
{
	return rc && rc != -ENOMEM ? -ESTALE : rc;
}

int cs_feed_event(struct cs_adapter *b, const struct cs_event *ev,
		  const struct cs_action *action, struct cs_err *err)
{
	return cs_feed_stale(cs_feed_tell(b, ev, action, err));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event to the engine and, if accepted, to the log, which has actions and decisions,
 * too; and the time of events: the engine's (clock.h), which each step of a cycle
 * advances.
 */
#include "sched/feed/feed_event.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/array.h"
#include "common/order/order.h"

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

/* ---- lines of the log ------------------------------------------------------- */

#define LINE_SPARE 4096

/* Room for more than @need bytes. */
static bool line_room(struct cs_adapter *b, size_t need)
{
	return !cs_array_room(&b->line, &b->n_line, need + LINE_SPARE);
}

static void put(struct cs_adapter *b, int len)
{
	if (len > 0 && (size_t)len < b->n_line)
		cs_logfile_write(b->log, b->line, (size_t)len);
}

void cs_feed_log_event(struct cs_adapter *b, const struct cs_event *ev,
		       const struct cs_action *action)
{
	int len;

	if (!b->log || !line_room(b, 1))
		return;
	len = cs_log_event(b->line, b->n_line, b->engine, ev, action);
	if (len > 0 && (size_t)len >= b->n_line && line_room(b, (size_t)len))
		len = cs_log_event(b->line, b->n_line, b->engine, ev, action);
	put(b, len);
}

void cs_feed_log_action(struct cs_adapter *b, const struct cs_action *a,
			bool would)
{
	int len;

	if (!b->log || !line_room(b, 1))
		return;
	len = cs_log_action(b->line, b->n_line, b->now_us, a, would);
	if (len > 0 && (size_t)len >= b->n_line && line_room(b, (size_t)len))
		len = cs_log_action(b->line, b->n_line, b->now_us, a, would);
	put(b, len);
}

void cs_feed_log_decide(struct cs_adapter *b, size_t n, int64_t steps)
{
	const uint64_t *nodes = b->news.on ? b->news.nodes : NULL;
	uint32_t words = cs_node_words(b->view->machine);
	int len;

	if (!b->log || !line_room(b, 256))
		return;
	len = cs_log_decide(b->line, b->n_line, b->now_us, n, steps, nodes,
			    words);
	if (len > 0 && (size_t)len >= b->n_line && line_room(b, (size_t)len))
		len = cs_log_decide(b->line, b->n_line, b->now_us, n, steps,
				    nodes, words);
	put(b, len);
}

void cs_feed_log_estimates(struct cs_adapter *b)
{
	if (b->log && line_room(b, 256))
		put(b, cs_log_estimates_begin(b->line, b->n_line, b->now_us,
					      CS_ESTIMATE_ALL));
}

void cs_feed_log_estimate(struct cs_adapter *b, const struct cs_estimate *x)
{
	if (b->log && line_room(b, 512))
		put(b, cs_log_estimate(b->line, b->n_line, b->now_us, x));
}

/* ---- events ---------------------------------------------------------------- */

int cs_feed_tell(struct cs_adapter *b, const struct cs_event *ev,
		 const struct cs_action *action, struct cs_err *err)
{
	int rc = cs_estimator_tell(b->estimates.by, b->engine, ev, err);

	if (rc)
		return rc;
	b->count.events++;
	if (ev->type != CS_EV_TICK && ev->type != CS_EV_KEPT)
		b->estimates.changed = b->estimates.unsaved = true;
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

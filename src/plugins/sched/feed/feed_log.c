/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log's lines: of events as they come, of actions and decisions.
 */
#include "sched/feed/feed_log.h"

#include <stdlib.h>

static bool line_room(struct cs_adapter *b, size_t need)
{
	char *p;

	if (need < b->n_line)
		return true;
	p = realloc(b->line, 2 * need + 4096);
	if (!p)
		return false;
	b->line = p;
	b->n_line = 2 * need + 4096;
	return true;
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

void cs_feed_log_decide(struct cs_adapter *b, size_t n)
{
	if (b->log && line_room(b, 256))
		put(b, cs_log_decide(b->line, b->n_line, b->now_us, n));
}

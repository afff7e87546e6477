/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of future events: a heap of four ways, ordered by time and, at one instant, by
 * insertion, so that a run is repeatable.
 */
#ifndef CS_PROCSIM_EVENT_QUEUE_H
#define CS_PROCSIM_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct cs_queued_event {
	int64_t at_ns;
	uint64_t order; /* of insertion */
	uint16_t kind;
	uint16_t node;
	uint32_t about; /* what the kind says: a process, a message, a timer */
};

struct cs_event_queue {
	struct cs_queued_event *event;
	size_t n, cap;
	uint64_t inserted;
};

/* Insert an event.  0; -ENOMEM, nothing changed. */
int cs_event_queue_push(struct cs_event_queue *q, int64_t at_ns, unsigned kind,
			unsigned node, uint32_t about);

/* Take the earliest event of a queue that has one (q->n > 0).  O(log n). */
struct cs_queued_event cs_event_queue_take(struct cs_event_queue *q);

/* Accepts a zeroed queue. */
void cs_event_queue_done(struct cs_event_queue *q);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of future events, ordered by time and, at one instant, by insertion, so that a
 * run is repeatable.  The theory is in event_queue.c.
 */
#ifndef CS_PROCSIM_EVENT_QUEUE_H
#define CS_PROCSIM_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#define CS_EVENT_DAYS 1024	/* a power of two, and of 64 */
#define CS_EVENT_DAY_NS_LOG2 10 /* a day has so many bits of a time */

struct cs_queued_event {
	int64_t at_ns;
	uint64_t order; /* of insertion */
	uint16_t kind;
	uint16_t node;
	uint32_t about; /* what the kind says: a process, a message, a timer */
};

/* An event of a day, or a free place. */
struct cs_event_place {
	struct cs_queued_event event;
	uint32_t next; /* 1 + its place; 0: none */
};

/* Events of one day in their order. */
struct cs_event_day {
	uint32_t first, last; /* 1 + their places; 0: none */
};

struct cs_event_queue {
	size_t n; /* events, all in all */
	uint64_t inserted;
	int64_t today; /* number of the day of the last event taken */
	struct cs_event_day day[CS_EVENT_DAYS]; /* of the year from today */
	uint64_t used[CS_EVENT_DAYS / 64];	/* bit: the day has events */
	struct cs_event_place *place;
	uint32_t cap, free;	       /* free: 1 + a place; 0: none */
	struct cs_queued_event *later; /* a heap: events after this year */
	size_t n_later, later_cap;
};

/* Insert an event, at 0 or later and not before the last one taken.  0; -ENOMEM, nothing
 * changed. */
int cs_event_queue_push(struct cs_event_queue *q, int64_t at_ns, unsigned kind,
			unsigned node, uint32_t about);

/* Take the earliest event of a queue that has one (q->n > 0). */
struct cs_queued_event cs_event_queue_take(struct cs_event_queue *q);

/* Accepts a zeroed queue. */
void cs_event_queue_done(struct cs_event_queue *q);

#endif

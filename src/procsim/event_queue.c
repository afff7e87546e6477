/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procsim/event_queue.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/heap.h"

#define AT(q, i) ((q)->event[i])
#define PUT(q, i, x) ((q)->event[i] = (x))
#define BEFORE(q, a, b) \
	((a).at_ns != (b).at_ns ? (a).at_ns < (b).at_ns : (a).order < (b).order)
CS_HEAP(queue, struct cs_event_queue, struct cs_queued_event, 4, AT, PUT,
	BEFORE);

int cs_event_queue_push(struct cs_event_queue *q, int64_t at_ns, unsigned kind,
			unsigned node, uint32_t about)
{
	int rc = cs_array_room(&q->event, &q->cap, q->n + 1);

	if (rc)
		return rc;
	q->event[q->n] = (struct cs_queued_event){ .at_ns = at_ns,
						   .order = q->inserted++,
						   .kind = (uint16_t)kind,
						   .node = (uint16_t)node,
						   .about = about };
	q->n++;
	queue_sift(q, q->n, q->n - 1);
	return 0;
}

struct cs_queued_event cs_event_queue_take(struct cs_event_queue *q)
{
	struct cs_queued_event first = q->event[0];

	q->n = queue_drop(q, q->n, 0);
	return first;
}

void cs_event_queue_done(struct cs_event_queue *q)
{
	free(q->event);
	*q = (struct cs_event_queue){ 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of each slice machine; the theory is in queue.c. */
#ifndef CS_ORDER_QUEUE_H
#define CS_ORDER_QUEUE_H

#include "state/state.h"

/* Ranks of campaigns have changed: re-sort the sorted part.  Has a job moved?
 * O(queue), and a sort if so. */
bool cs_order_ranked(struct cs_engine *e);
/* Sort in arrivals since the last pass: how many entries precede the first of them. */
size_t cs_order_settle(struct cs_engine *e);
/* The current slice machine's queue, in order: an entry for each waiting (or proposed)
 * job and partition.  Valid until the next event. */
struct cs_entry *cs_order_queue(struct cs_engine *e, size_t *ret_n);

/* Room in the queues for @options more than those of all jobs, so adding never fails.
 * 0, -ENOMEM. */
int cs_order_reserve(struct cs_engine *e, uint32_t options);
/* @j begins to wait, unless it or its array is already there; it no longer waits, or is
 * about to change. */
void cs_order_add(struct cs_engine *e, struct cs_ejob *j);
void cs_order_drop(struct cs_engine *e, struct cs_ejob *j);

#endif

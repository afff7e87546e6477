/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of each slice machine; the theory is in queue.c. */
#ifndef CS_ORDER_QUEUE_H
#define CS_ORDER_QUEUE_H

#include "state/state.h"

/* Ranks of campaigns have changed: put those who stand in order into the new
 * one.  Has anybody moved?  O(queue), and sorting where one has. */
bool cs_order_ranked(struct cs_engine *e);
/* Put those who came since the last pass in their places: how many stand before
 * the first of them. */
size_t cs_order_settle(struct cs_engine *e);
/* The queue of the slice machine at work, in order: an entry for each waiting
 * job and partition (and for those proposed).  It stays until the next event. */
struct cs_entry *cs_order_queue(struct cs_engine *e, size_t *ret_n);

/* Room in the queues for @options more than those of all jobs: adding never
 * fails.  0, -ENOMEM. */
int cs_order_reserve(struct cs_engine *e, uint32_t options);
/* @j begins to wait, if it is not there already and no task of an array that is
 * there; has ceased to, or is about to change. */
void cs_order_add(struct cs_engine *e, struct cs_ejob *j);
void cs_order_drop(struct cs_engine *e, struct cs_ejob *j);

#endif

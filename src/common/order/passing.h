/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is tried next behind a head; the theory is in passing.c. */
#ifndef CS_ORDER_PASSING_H
#define CS_ORDER_PASSING_H

#include "state/pass.h"

/* Is there an order other than the queue's? */
static inline bool cs_passing_sorts(const struct cs_engine *e)
{
	return e->params.passing != CS_PASSING_QUEUE;
}

/* A walk begins. */
void cs_passing_begin(struct cs_engine *e);
/* Entry @at of the queue waits for its turn.  0, -ENOMEM. */
int cs_passing_add(struct cs_pass *p, size_t at);
/* All are there: put them into order.  O(n). */
void cs_passing_sort(struct cs_engine *e);
/* The next one's place in the queue; false: there is none, or passing_tries are used up. */
bool cs_passing_next(const struct cs_engine *e, size_t *ret_at);
/* That one's pass->before. */
uint32_t cs_passing_before(const struct cs_engine *e);
/* It has been tried.  O(log n). */
void cs_passing_tried(struct cs_engine *e);
/* Entry @at has left the queue, between two parts of a decide.  O(n). */
void cs_passing_left(struct cs_engine *e, size_t at);
void cs_passing_done(struct cs_passers *w);

#endif

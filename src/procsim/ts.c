/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time-sharing class of Solaris.
 *
 * Problem.  Yu07 simulates "the Solaris scheduler", a multi-level feedback queue of 60
 * levels, and prints no table.
 *
 * Rule.
 *  1. The first process of the highest level that has any runs.  A process that becomes
 *     ready at a higher level than the current one preempts it; that one becomes the
 *     first of its level and keeps what is left of its quantum.
 *  2. A process that has used its quantum becomes the last of level tqexp.
 *  3. A process that slept becomes the last of level slpret, with a new quantum.
 *  4. A process that waited in the ready queue for long becomes the last of level lwait,
 *     with a new quantum.
 *
 * Source: ts_dptbl(5) of Solaris, the default table.
 *
 * Differs.  Solaris looks for long waits once a second and counts a wait from the last
 * whole quantum; here a wait begins when the process becomes ready or is preempted.
 *
 * Example.  A process that only computes sinks from 59 (20 ms) to 49, 39, 29, 19, 9 and 0,
 * where its quantum is 200 ms; after a sleep it is at 50.
 */
#include "procsim/ts.h"

#include <stddef.h>

struct cs_ts_row cs_ts_row(unsigned level)
{
	static const uint8_t quantum_ms[6] = { 200, 160, 120, 80, 40, 40 };
	struct cs_ts_row row = {
		.quantum_ns = quantum_ms[level / 10] * INT64_C(1000000),
		.tqexp = (uint8_t)(level < 10 ? 0 : level - 10),
	};

	if (level == CS_TS_TOP)
		row.quantum_ns = 20000000;
	if (level < 35)
		row.slpret = (uint8_t)(50 + level / 10);
	else if (level < 45)
		row.slpret = level < 40 ? 54 : 55;
	else if (level < 47)
		row.slpret = level < 46 ? 56 : 57;
	else
		row.slpret = level < CS_TS_TOP ? 58 : CS_TS_TOP;
	row.lwait = level < 49 ? row.slpret : CS_TS_TOP;
	return row;
}

void cs_ts_init(struct cs_ts_queue *q)
{
	q->used = 0;
	for (unsigned i = 0; i < CS_TS_LEVELS; i++)
		q->level[i].next = q->level[i].prev = &q->level[i];
}

static void insert(struct cs_ts_queue *q, struct cs_ts_link *l,
		   struct cs_ts_link *after)
{
	l->prev = after;
	l->next = after->next;
	l->next->prev = l;
	after->next = l;
	q->used |= UINT64_C(1) << l->level;
}

void cs_ts_append(struct cs_ts_queue *q, struct cs_ts_link *l)
{
	insert(q, l, q->level[l->level].prev);
}

void cs_ts_prepend(struct cs_ts_queue *q, struct cs_ts_link *l)
{
	insert(q, l, &q->level[l->level]);
}

void cs_ts_remove(struct cs_ts_queue *q, struct cs_ts_link *l)
{
	const struct cs_ts_link *head = &q->level[l->level];

	l->prev->next = l->next;
	l->next->prev = l->prev;
	l->next = l->prev = NULL;
	if (head->next == head)
		q->used &= ~(UINT64_C(1) << l->level);
}

struct cs_ts_link *cs_ts_first(const struct cs_ts_queue *q)
{
	return q->used ? q->level[63 - __builtin_clzll(q->used)].next : NULL;
}

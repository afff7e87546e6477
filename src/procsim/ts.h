/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time-sharing class of Solaris: its dispatch table, and the ready queue of 60 levels.
 * The rules are in ts.c.  Nothing here allocates or fails.
 */
#ifndef CS_PROCSIM_TS_H
#define CS_PROCSIM_TS_H

#include <stdint.h>

#define CS_TS_LEVELS 60
#define CS_TS_TOP (CS_TS_LEVELS - 1)

/* A row of the dispatch table: of a level, the higher the sooner it runs. */
struct cs_ts_row {
	int64_t quantum_ns;
	uint8_t tqexp;	/* level after a whole quantum on the CPU */
	uint8_t slpret; /* level after a sleep */
	uint8_t lwait;	/* level after a long wait in the ready queue */
};

/* @level below CS_TS_LEVELS. */
struct cs_ts_row cs_ts_row(unsigned level);

/* A place in a ready queue: the first member of what waits there. */
struct cs_ts_link {
	struct cs_ts_link *next, *prev; /* next is NULL: in no queue */
	uint8_t level;
};

struct cs_ts_queue {
	struct cs_ts_link level[CS_TS_LEVELS]; /* heads of circular lists */
	uint64_t used;			       /* bit: the level has links */
};

/* The queue must not move afterwards. */
void cs_ts_init(struct cs_ts_queue *q);
/* Insert @l, which is in no queue, as the last or the first of its level. */
void cs_ts_append(struct cs_ts_queue *q, struct cs_ts_link *l);
void cs_ts_prepend(struct cs_ts_queue *q, struct cs_ts_link *l);
/* Remove @l, which is in @q. */
void cs_ts_remove(struct cs_ts_queue *q, struct cs_ts_link *l);
/* The first of the highest level; NULL: the queue is empty. */
struct cs_ts_link *cs_ts_first(const struct cs_ts_queue *q);

#endif

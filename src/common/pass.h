/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decide in the making: what pass.c (the walk) and backfill.c (who may pass a
 * head) share.  Placing functions see it through state.h only.
 */
#ifndef CS_PASS_H
#define CS_PASS_H

#include "state.h"

/* A head and what it was promised. */
struct cs_promise {
	struct cs_ejob *job;
	struct cs_shape shape;
	int64_t start_us;
	struct cs_occ at; /* the machine then */
	uint64_t *nodes;  /* those it may use then */
};

struct cs_pass {
	struct cs_engine *e;
	struct cs_entry *queue; /* [n] */
	size_t n, i;		/* entry being placed */
	struct cs_promise *promise; /* [n_promise] */
	size_t n_promise, cap_promise;
	struct cs_ejob **joinable; /* [n_joinable]; NULL: not known */
	size_t n_joinable;
	uint64_t *waited; /* nodes that some waiting head may use */
	bool head;
	bool ended; /* rule 4 */
};

/* Write down why @j waits. */
static inline void cs_pass_verdict(struct cs_ejob *j, enum cs_why why)
{
	j->verdict = (struct cs_verdict){ .why = why, .start_us = CS_TIME_NONE };
}

static inline bool cs_sets_meet(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

/* Is the promise that of the job being placed?  In its next partition it need not
 * wait for itself. */
static inline bool cs_promise_own(const struct cs_pass *p,
				  const struct cs_promise *r)
{
	return r->job == p->queue[p->i].job;
}

/* Nodes of @mask that a job of shape @s could use now. */
uint32_t cs_pass_room(const struct cs_engine *e, const struct cs_shape *s,
		      const uint64_t *mask);

/*
 * The job of @entry does not fit: it becomes a head and is promised the earliest
 * start that the predicted ends allow (backfill.c).  0, also where it can never
 * run and so holds nothing; -ENOMEM.
 */
int cs_backfill_promise(struct cs_pass *p, const struct cs_entry *entry);

/* Bring the promises up to date after a start. */
void cs_backfill_refresh(struct cs_pass *p);

void cs_backfill_done(struct cs_pass *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decide in the making: what cycle.c (the walk), easy.c (who may pass a head)
 * and the files of the plan share.  A placing function that needs no more than the job
 * whose turn it is asks through place/attempt.h.
 */
#ifndef CS_STATE_PASS_H
#define CS_STATE_PASS_H

#include "state/state.h"

/* Jobs that the host's own test places, so far in a queue: that are asked for, and
 * given up. */
struct cs_hosts {
	uint32_t asked, given_up;
};

struct cs_pass {
	struct cs_engine *e;
	struct cs_entry *queue; /* [n] */
	size_t n, i;		/* entry being placed */
	struct cs_promises *heads;
	struct cs_ejob **joinable; /* [n_joinable]; NULL: not known */
	size_t n_joinable;
	int64_t looks; /* at the plan by jobs that backfill beside running ones */
	bool head;
	/* jobs of rule 4 so far, that are not kept back; */
	struct cs_hosts hosts;
	uint32_t before; /* ... of the kind of the one looked at, before it */
	bool ended;	 /* rule 4 */
	bool closed;	 /* somebody else's turn has come since */
	bool freer; /* who was turned away might get other nodes (rule 5) */
	bool unasked; /* the host's test of somebody has to wait (refused.c, rule 5) */
	int light; /* low load (low_load.c): 1, -1 not; 0: not yet asked */
};

/* Does everybody hold a promise? */
static inline bool cs_pass_plans(const struct cs_pass *p)
{
	return p->e->backfill->all;
}

/* Write down why @j waits. */
static inline void cs_pass_verdict(const struct cs_engine *e, struct cs_ejob *j,
				   enum cs_why why)
{
	j->verdict = (struct cs_verdict){ .walk = e->walks,
					  .why = why,
					  .start_us = CS_TIME_NONE };
}

static inline bool cs_sets_meet(const uint64_t *a, const uint64_t *b,
				uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

/* Are there steps left for searches (search_steps)? */
static inline bool cs_may_search(const struct cs_engine *e)
{
	return !e->params.search_steps || e->steps < e->params.search_steps;
}
/* What the last walk found about @j; CS_WHY_NEW where it did not see it. */
static inline enum cs_why cs_pass_why(const struct cs_engine *e,
				      const struct cs_ejob *j)
{
	return j->verdict.walk == e->walks ? j->verdict.why : CS_WHY_NEW;
}
/* Is it promised a start? */
static inline bool cs_pass_promised(const struct cs_engine *e,
				    const struct cs_ejob *j)
{
	enum cs_why why = cs_pass_why(e, j);

	return why == CS_WHY_HEAD || why == CS_WHY_PLANNED ||
	       why == CS_WHY_AFTER;
}

#endif

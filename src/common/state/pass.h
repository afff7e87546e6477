/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One decide in progress: what cycle.c (the walk), easy.c (who may pass a head) and the
 * plan's files share.  A placing function that needs only the current job asks through
 * place/attempt.h.
 */
#ifndef CS_STATE_PASS_H
#define CS_STATE_PASS_H

#include "state/state.h"

/* Jobs left to the host's own test, so far in a queue: asked for, and given up. */
struct cs_hosts {
	uint32_t asked, given_up;
};

struct cs_pass {
	struct cs_engine *e;
	struct cs_entry *queue; /* [n] */
	size_t n, i;		/* entry being placed */
	uint64_t *beyond; /* set of entries not looked at (depth.c); NULL: none */
	struct cs_promises *heads;
	struct cs_ejob **joinable; /* [n_joinable]; NULL: not known */
	size_t n_joinable;
	struct cs_alike *alike; /* [n_alike] the same by kind; NULL: not known */
	size_t n_alike;
	int64_t looks; /* at the plan, by jobs backfilled beside running ones */
	bool head;
	bool passes; /* all heads are known: others pass them (order/passing.c) */
	bool behind; /* jobs behind a head are tried in this walk */
	/* jobs of rule 4 so far, except those kept back; */
	struct cs_hosts hosts;
	uint32_t before; /* ... of the current job's kind, before it */
	bool ended;	 /* rule 4 */
	bool closed;	 /* another job's turn has come since */
	bool freer;   /* a job turned away might get other nodes, a head might
		       keep some that keeps none now, or one has started
		       elsewhere (rule 5) */
	uint32_t far; /* heads that keep nothing so far (easy.c, rule 8) */
	bool unasked; /* a test by the host must wait (refused.c, rule 5) */
	/* The job of this entry waits for other nodes than it needs alone: so many, for
	 * so long (easy.c, rule 7). */
	const struct cs_entry *awaits;
	struct cs_shape wide;
	int64_t wide_run_us;
	int light; /* low load (low_load.c): 1 yes, -1 no, 0 not yet asked */
	/* Between two parts of a decide: */
	bool open;     /* the walk has paused at entry i, and continues there */
	bool again;    /* ... with the next task of the same array, ... */
	bool known;    /* ... which may start, as the last one did */
	bool heard;    /* the host has answered since the pause */
	bool answered; /* ... or in an earlier pause of this walk */
};

/* An event of the host between two parts: the walk continues if it is an answer to what
 * was proposed, else the next decide begins a new walk. */
void cs_pass_heard(struct cs_engine *e, const struct cs_event *ev);
/* Between two parts: entry @at of the queue has left it. */
void cs_pass_left(struct cs_pass *p, size_t at);

/* Count @n steps of the decide.  0; -ECANCELED: the host has given it up. */
static inline int cs_step(struct cs_engine *e, int64_t n)
{
	return cs_effort_add(&e->effort, n);
}

/* Does every job get a promise? */
static inline bool cs_pass_plans(const struct cs_pass *p)
{
	return p->e->backfill->all;
}

/* Is entry @i of the queue one that the depth leaves out? */
static inline bool cs_pass_beyond(const struct cs_pass *p, size_t i)
{
	return p->beyond && cs_bit(p->beyond, (uint32_t)i);
}

/* Record why @j waits. */
static inline void cs_pass_verdict(const struct cs_engine *e, struct cs_ejob *j,
				   enum cs_why why)
{
	j->verdict = (struct cs_verdict){ .walk = e->walks,
					  .why = why,
					  .start_us = CS_TIME_NONE };
}

/* Record that @j would start at @start_us, the host's clock, and keeps nothing. */
static inline void cs_pass_far(const struct cs_engine *e, struct cs_ejob *j,
			       uint32_t option, int64_t start_us)
{
	cs_pass_verdict(e, j, CS_WHY_FAR);
	j->verdict.option = option;
	j->verdict.start_us = start_us;
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
	return !e->effort.given_up &&
	       (!e->params.search_steps || e->steps < e->params.search_steps);
}
/* A search takes @n of them. */
static inline void cs_search_step(struct cs_engine *e, int64_t n)
{
	e->steps += n;
	cs_step(e, n);
}
/* The last walk's verdict on @j; CS_WHY_NEW if it did not see @j. */
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

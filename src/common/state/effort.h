/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much work a decide has done, in steps, and when it must pause.
 *
 * A step is a small piece of work: an entry of the queue visited, 64 nodes looked at by
 * an attempt to place a job, a candidate of a search examined, a promise of the plan
 * compared.  Steps are counted, not timed: the same events give the same numbers on
 * every machine, and a decide that stopped after some number stops there again.
 */
#ifndef CS_STATE_EFFORT_H
#define CS_STATE_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

/* How far one call of cs_engine_decide_part() goes. */
struct cs_decide_part {
	/* The walk over the queue pauses at the first boundary after so many steps
	 * (> 0); 0: it goes to its end. */
	int64_t steps;
	/* Node set: what has happened since the last decide happened there, and only the
	 * jobs that it may concern are decided about (engine/region.c), without a pause;
	 * NULL: all are. */
	const uint64_t *nodes;
	/* Asked every CS_ASK_STEPS steps, wherever the decide is: may it go on?
	 * NULL: it may. */
	bool (*goes_on)(void *arg);
	void *arg;
};

#define CS_ASK_STEPS 250

struct cs_effort {
	struct cs_decide_part part;
	int64_t steps;	/* since the part began */
	int64_t ask_at; /* the host is asked when there are so many */
	bool given_up; /* the host said no: the decide ends as soon as it can */
};

static inline void cs_effort_begin(struct cs_effort *f,
				   const struct cs_decide_part *part)
{
	*f = (struct cs_effort){ .part = *part,
				 .ask_at = part->goes_on ? CS_ASK_STEPS
							 : INT64_MAX };
}

/* Count @n steps.  0; -ECANCELED: the host has given the decide up. */
int cs_effort_add(struct cs_effort *f, int64_t n);

/* Has the part done what it was asked for? */
static inline bool cs_effort_over(const struct cs_effort *f)
{
	return f->part.steps && f->steps >= f->part.steps;
}

#endif

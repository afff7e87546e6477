/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs on the same cores, since their ranks sleep while they wait (oversub.c). */
#ifndef CS_JOB_OVERSUB_H
#define CS_JOB_OVERSUB_H

#include "state/state.h"

/* May a core have several jobs? */
static inline bool cs_oversub_on(const struct cs_engine *e)
{
	return e->params.mpl > 1;
}

/* The part of its core time that @j waits when alone, if cores may have several jobs; 0:
 * it shares none.  O(1). */
double cs_oversub_part(const struct cs_engine *e, const struct cs_ejob *j);

static inline double cs_oversub_waits(const struct cs_engine *e,
				      const struct cs_ejob *j)
{
	return cs_oversub_on(e) ? cs_oversub_part(e, j) : 0;
}

/* Does it share cores in partition @option? */
static inline bool cs_oversub_willing(const struct cs_engine *e,
				      const struct cs_ejob *j, uint32_t option)
{
	return cs_oversub_waits(e, j) > 0 &&
	       !(j->job.option[option].flags &
		 (CS_JOB_NO_SHARE | CS_JOB_EXCLUSIVE));
}

/* The jobs on a core, and the sum of what each computes there when alone. */
struct cs_oversub_core {
	uint32_t jobs;
	double load;
};
/* Add started @j to those of its cores on node @n, @core [64 * words], unless it is
 * suspended.  Returns how many it added to.  O(words + cores of @j). */
uint32_t cs_oversub_add(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t n, struct cs_oversub_core *core);
/* Of core @core of node @n.  O(jobs on the node). */
struct cs_oversub_core cs_oversub_core(const struct cs_engine *e, uint32_t n,
				       uint32_t core);

/* Have started @a and @b a core of node @n in common?  O(log nodes). */
bool cs_oversub_meet(const struct cs_ejob *a, const struct cs_ejob *b,
		     uint32_t n);

/* How much slower the others on its cores make started @j, if cores may have several jobs;
 * 1 without any.  O(shared cores
 * * jobs on their nodes). */
double cs_oversub_slowdown(const struct cs_engine *e, const struct cs_ejob *j);

/* May @j have the cores @a in partition @option: on each, no more than mpl - 1 others,
 * which share with it?  The same cost. */
bool cs_oversub_fits(const struct cs_engine *e, const struct cs_ejob *j,
		     uint32_t option, const struct cs_alloc *a);

#endif

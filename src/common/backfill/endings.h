/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When jobs leave their nodes (endings.c). */
#ifndef CS_BACKFILL_ENDINGS_H
#define CS_BACKFILL_ENDINGS_H

#include "state/state.h"

/* Are the predicted ends, without events, as they were when last sorted? */
bool cs_endings_hold(const struct cs_engine *e);
/* Update and sort them; most are sorted already. */
void cs_endings_sort(const struct cs_engine *e);
/* At @end_us another job ends: that, or an instant before it and after @t_us at which
 * a reservation may leave the job more room. */
int64_t cs_endings_sooner_us(const struct cs_engine *e, const struct cs_ejob *j,
			     uint32_t option, int64_t end_us, int64_t t_us);
/* The first instant after @t_us at which the job may have more room, with @next the
 * next end of another; CS_TIME_NONE: none. */
static inline int64_t cs_endings_next_us(const struct cs_engine *e,
					 const struct cs_ejob *j,
					 uint32_t option, uint32_t next,
					 int64_t t_us)
{
	const struct cs_endings *x = &e->sm->endings;
	int64_t end_us = next < x->n ? x->ending[next].end_us : CS_TIME_NONE;

	return e->n_held ? cs_endings_sooner_us(e, j, option, end_us, t_us)
			 : end_us;
}

/* Room for the ends of @jobs jobs.  0, -ENOMEM. */
int cs_endings_reserve(struct cs_engine *e, size_t jobs);
/* @j got, or gives back, its nodes on the current slice machine. */
void cs_endings_add(struct cs_engine *e, const struct cs_ejob *j);
void cs_endings_remove(struct cs_engine *e, const struct cs_ejob *j);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When jobs leave their nodes (endings.c). */
#ifndef CS_BACKFILL_ENDINGS_H
#define CS_BACKFILL_ENDINGS_H

#include "state/state.h"

/* Are the predicted ends what they were when they were last put in order, if
 * nothing has happened? */
bool cs_endings_hold(const struct cs_engine *e);
/* Bring them up to date and in order, which most are from the last time. */
void cs_endings_sort(const struct cs_engine *e);
/* The first instant after @t_us at which there may be more room for the job, where
 * @next is the next end of another; CS_TIME_NONE: none. */
int64_t cs_endings_next_us(const struct cs_engine *e, const struct cs_ejob *j,
			   uint32_t option, uint32_t next, int64_t t_us);

/* Room for the ends of @jobs jobs.  0, -ENOMEM. */
int cs_endings_reserve(struct cs_engine *e, size_t jobs);
/* @j got, or gives back, its nodes on the slice machine at work. */
void cs_endings_add(struct cs_engine *e, const struct cs_ejob *j);
void cs_endings_remove(struct cs_engine *e, const struct cs_ejob *j);

#endif

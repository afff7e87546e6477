/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several planned starts on the same nodes; the theory is in planned.c. */
#ifndef CS_BACKFILL_PLANNED_H
#define CS_BACKFILL_PLANNED_H

#include "backfill/easy.h"

/* A start now that is not made yet: the job would end at @end_us, and the running jobs
 * @moved [n_moved] at @moved_end_us. */
struct cs_planned_try {
	const struct cs_alloc *alloc;
	enum cs_node_use hold;
	int64_t end_us;
	struct cs_ejob *const *moved;
	const int64_t *moved_end_us;
	size_t n_moved;
};

/* May jobs that share nodes have more than one planned start? */
static inline bool cs_planned_several(const struct cs_engine *e)
{
	return e->params.planned_starts > 1;
}

/*
 * Do all heads of the current slice machine but those of job @own have room at their
 * planned starts, with @more, a head to be (NULL: none), and with the start @start (NULL:
 * none)?  False also without memory.
 */
bool cs_planned_fit(struct cs_engine *e, const struct cs_ejob *own,
		    struct cs_promise *more,
		    const struct cs_planned_try *start);

/* The first end of a head, if it starts as planned, after @t_us and before @until_us; else
 * @until_us. */
int64_t cs_planned_next_us(const struct cs_engine *e, int64_t t_us,
			   int64_t until_us);

#endif

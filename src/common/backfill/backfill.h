/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which job may pass which, and promises to waiting jobs (backfill.c). */
#ifndef CS_BACKFILL_BACKFILL_H
#define CS_BACKFILL_BACKFILL_H

#include "params/params.h"
#include "state/pass.h"

extern const struct cs_backfill_ops cs_backfill_none, cs_backfill_easy,
	cs_backfill_conservative, cs_backfill_stock;

const struct cs_backfill_ops *cs_backfill_choose(const struct cs_params *p);

/* Into @to, a copy of @from which has the jobs already: what heads are promised on
 * slice machine @sm, and the ends of its jobs (promise_copy.c).  0, -ENOMEM. */
int cs_backfill_copy(struct cs_engine *to, const struct cs_engine *from,
		     uint32_t sm);

/* A quick test before the next: could a start of the pass's job until @end_us (the
 * host's clock) with shape @s, on nodes of @allowed, keep every promise? */
static inline bool cs_backfill_may_leave(const struct cs_pass *p,
					 const struct cs_shape *s,
					 const uint64_t *allowed,
					 int64_t end_us)
{
	return cs_ask(p->e->backfill, may_leave, true, p, s, allowed, end_us);
}
/* Does a start on @a until @end_us keep every promise to others? */
static inline bool cs_backfill_leaves(struct cs_pass *p,
				      const struct cs_alloc *a,
				      enum cs_node_use hold, int64_t end_us)
{
	return p->e->backfill->leaves(p, a, hold, end_us);
}
/* The same for a start on @a beside running jobs, whose ends move: the jobs @moved [n]
 * would end at @end_us [n]. */
static inline bool cs_backfill_leaves_moved(struct cs_pass *p,
					    const struct cs_alloc *a,
					    enum cs_node_use hold,
					    int64_t a_end_us,
					    struct cs_ejob *const *moved,
					    const int64_t *end_us, size_t n)
{
	return p->e->backfill->leaves_moved(p, a, hold, a_end_us, moved, end_us,
					    n);
}
/* The start that is planned for @j, though the last walk planned none (stock.c), and into
 * @ret_option its partition; CS_TIME_NONE: none. */
static inline int64_t cs_backfill_planned_us(const struct cs_engine *e,
					     const struct cs_ejob *j,
					     uint32_t *ret_option)
{
	return cs_ask(e->backfill, planned_us, CS_TIME_NONE, e, j, ret_option);
}

#endif

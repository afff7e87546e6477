/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may pass whom, and what is promised to whom waits (backfill.c). */
#ifndef CS_BACKFILL_BACKFILL_H
#define CS_BACKFILL_BACKFILL_H

#include "params/params.h"
#include "state/pass.h"

extern const struct cs_backfill_ops cs_backfill_none, cs_backfill_easy,
	cs_backfill_conservative;

const struct cs_backfill_ops *cs_backfill_choose(const struct cs_params *p);

/* A quick look before the next: could a start of the pass's job until @end_us (the
 * host's clock) with shape @s, on nodes of @allowed, leave every promise as it is? */
static inline bool cs_backfill_may_leave(const struct cs_pass *p,
					 const struct cs_shape *s,
					 const uint64_t *allowed,
					 int64_t end_us)
{
	return cs_ask(p->e->backfill, may_leave, true, p, s, allowed, end_us);
}
/* Does a start on @a until @end_us leave every promise to others as it is? */
static inline bool cs_backfill_leaves(struct cs_pass *p,
				      const struct cs_alloc *a,
				      enum cs_node_use hold, int64_t end_us)
{
	return p->e->backfill->leaves(p, a, hold, end_us);
}
/* The same for a start on @a beside running jobs, whose ends move: @moved [n]
 * are those jobs, @end_us [n] when they would end. */
static inline bool cs_backfill_leaves_moved(struct cs_pass *p,
					    const struct cs_alloc *a,
					    int64_t a_end_us,
					    struct cs_ejob *const *moved,
					    const int64_t *end_us, size_t n)
{
	return p->e->backfill->leaves_moved(p, a, a_end_us, moved, end_us, n);
}

#endif

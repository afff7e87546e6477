/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts that were sought for heads in this decide: bounds for those behind them; the
 * theory is in sought.c. */
#ifndef CS_BACKFILL_SOUGHT_H
#define CS_BACKFILL_SOUGHT_H

#include "backfill/easy.h"

/*
 * The head of @r, in @option, starts no sooner than the instant returned; @option's are
 * its nodes, r->shape its shape.  The present instant if nothing is known; CS_TIME_NONE:
 * never.  O(what is known).
 */
int64_t cs_sought_after_us(const struct cs_engine *e,
			   const struct cs_promise *r, uint32_t option);

/* It was sought: it starts no sooner than @start_us (CS_TIME_NONE: never).  Without
 * memory it is not noted. */
void cs_sought_note(struct cs_engine *e, const struct cs_promise *r,
		    uint32_t option, int64_t start_us);

/* Forget all (rule 3). */
static inline void cs_sought_forget(struct cs_promises *h)
{
	h->n_sought = 0;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How an interval is divided among the classes; theory in slice_shares.c. */
#ifndef CS_SLICE_SLICE_SHARES_H
#define CS_SLICE_SLICE_SHARES_H

#include "slice/slices.h"
#include "state/state.h"

static inline int64_t cs_slice_interval_us(const struct cs_engine *e)
{
	return e->params.slice_cycle_s * CS_SECOND_US;
}

/* Read the shares by time of day.  0, -ENOMEM. */
int cs_slice_shares_init(struct cs_engine *e);
void cs_slice_shares_done(struct cs_engine *e);

/* The medium jobs' share of the interval that begins at @begin_us. */
double cs_slice_shares_medium(const struct cs_engine *e, int64_t begin_us);

#endif

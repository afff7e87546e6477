/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders that only need two jobs (compare.c). */
#ifndef CS_ORDER_COMPARE_H
#define CS_ORDER_COMPARE_H

#include "state/state.h"

cs_cmp_fn cs_order_fcfs, cs_order_slurm;

static inline int cs_cmp_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* By eligible time, submit time, id and partition. */
int cs_order_by_time(const struct cs_entry *a, const struct cs_entry *b);

#endif

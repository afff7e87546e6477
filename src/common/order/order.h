/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which job is next: the order by parameter; the theory is in order.c. */
#ifndef CS_ORDER_ORDER_H
#define CS_ORDER_ORDER_H

#include "params/params.h"
#include "state/state.h"

const struct cs_order_ops *cs_order_choose(const struct cs_params *p);

/* Do priorities that the site has set up count for nothing? */
static inline bool cs_order_ignores_priority(const struct cs_params *p)
{
	const struct cs_order_ops *order = cs_order_choose(p);

	return !order->priority && !order->campaigns;
}

static inline int cs_cmp_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* By precedence, then by partition tier, high ones first; else 0. */
int cs_order_by_precedence(const struct cs_entry *a, const struct cs_entry *b);
/* By eligible time, submit time, id and partition. */
int cs_order_by_time(const struct cs_entry *a, const struct cs_entry *b);

#endif

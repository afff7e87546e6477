/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is next: the order in force; the theory is in order.c. */
#ifndef CS_ORDER_ORDER_H
#define CS_ORDER_ORDER_H

#include "order/compare.h"
#include "state/state.h"

cs_cmp_fn *cs_order_of(const struct cs_engine *e);

#endif

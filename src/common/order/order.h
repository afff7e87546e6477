/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which job is next: the order by parameter; the theory is in order.c. */
#ifndef CS_ORDER_ORDER_H
#define CS_ORDER_ORDER_H

#include "params/params.h"
#include "state/stage.h"

const struct cs_order_ops *cs_order_choose(const struct cs_params *p);

#endif

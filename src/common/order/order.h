/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is next: the order that a parameter chooses; the theory is in order.c. */
#ifndef CS_ORDER_ORDER_H
#define CS_ORDER_ORDER_H

#include "params/params.h"
#include "state/stage.h"

const struct cs_order_ops *cs_order_choose(const struct cs_params *p);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order=expansion: first the job that has waited longest for the time it takes; the
 * theory is in expansion.c. */
#ifndef CS_ORDER_EXPANSION_H
#define CS_ORDER_EXPANSION_H

#include "state/stage.h"

extern const struct cs_order_ops cs_order_expansion;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order=work: early who asks for much work, or for little time; the theory is in
 * work.c. */
#ifndef CS_ORDER_WORK_H
#define CS_ORDER_WORK_H

#include "state/stage.h"

extern const struct cs_order_ops cs_order_work;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign_order=mlpt: longest jobs first on processors that come free at different
 * times; the theory is in mlpt.c. */
#ifndef CS_ORDER_MLPT_H
#define CS_ORDER_MLPT_H

#include <stddef.h>
#include <stdint.h>

#include "state/state.h"

/*
 * Assign serial jobs of @length_us [@n], the longest first, to processors free from
 * @free_us [@m] on, the earliest first; 0 < @m.  @ret_start_us [@n]: when each would
 * start.  0, -ENOMEM.  O((n + m) log m).
 */
int cs_mlpt_deal(const int64_t *length_us, size_t n, const int64_t *free_us,
		 size_t m, int64_t *ret_start_us);

/* Set ejob->mlpt_us of all waiting jobs: 0 outside one campaign (mlpt.c).  O(jobs log
 * jobs); without memory all are 0. */
void cs_mlpt_turns(struct cs_engine *e);

#endif

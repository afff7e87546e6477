/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which planned starts keep nodes; the rules are in horizon.c. */
#ifndef CS_JOB_HORIZON_H
#define CS_JOB_HORIZON_H

#include "state/state.h"

/* May waiting @j keep nodes for a start at @start_us, the host's clock, by its partition
 * choice @option? */
bool cs_horizon_keeps(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option, int64_t start_us);
/* The first instant at which it may, if that start stays its own; CS_TIME_NONE: never. */
int64_t cs_horizon_enters_us(const struct cs_engine *e, const struct cs_ejob *j,
			     uint32_t option, int64_t start_us);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of running over several sites (model/sites.h): p is the job's own, else its
 * profile's, else the parameter `across`.
 */
#ifndef CS_JOB_CROSSING_H
#define CS_JOB_CROSSING_H

#include "state/state.h"

/* r* / r of @j over @fragments (>= 1) sites. */
double cs_crossing_factor(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t fragments);
/* The same of started job @j, as it is. */
double cs_crossing_of(const struct cs_engine *e, const struct cs_ejob *j);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cosched sim` prints for people. */
#ifndef CS_COSCHED_CLI_SIM_REPORT_H
#define CS_COSCHED_CLI_SIM_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/metrics.h"

/* About a dozen lines on standard output. */
void cs_sim_report_figures(const struct cs_metrics *k,
			   const struct cs_params *p, double wall_seconds);

/* Did a placement that shares leave many cores of held nodes idle in high load, since
 * layout=model spread jobs and no partners came?  With a line that says so. */
struct cs_spread {
	bool there;
	char text[256];
};

/* @ucore, @unode: fractions held in high load (NAN: there was none); @grouped: jobs
 * that ever shared. */
struct cs_spread cs_spread(const struct cs_params *p, double ucore,
			   double unode, uint64_t grouped);

#endif

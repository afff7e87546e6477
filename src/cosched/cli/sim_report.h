/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cosched sim` says to a person: what came of it. */
#ifndef CS_COSCHED_CLI_SIM_REPORT_H
#define CS_COSCHED_CLI_SIM_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/metrics.h"

/* A dozen lines on standard output. */
void cs_sim_report_figures(const struct cs_metrics *k,
			   const struct cs_params *p, double wall_seconds);

/* Whether a place that shares left many cores idle in high load, on nodes that
 * were held, since layout=model spread jobs beside which nobody came; and a line
 * that says so. */
struct cs_spread {
	bool there;
	char text[256];
};

/* @ucore, @unode: parts held in high load (NAN: there was none); @grouped: jobs
 * that ever shared. */
struct cs_spread cs_spread(const struct cs_params *p, double ucore,
			   double unode, uint64_t grouped);

#endif

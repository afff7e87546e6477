/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cosched sim` says to a person: what came of it. */
#ifndef CS_COSCHED_CLI_SIM_REPORT_H
#define CS_COSCHED_CLI_SIM_REPORT_H

#include <stdint.h>

#include "sim/metrics.h"

/* A dozen lines on standard output. */
void cs_sim_report_figures(const struct cs_metrics *k,
			   const struct cs_params *p, double wall_seconds);

/*
 * A line where a place that shares left many cores idle in high load, on nodes
 * that were held: layout=model spread jobs beside which nobody came.  @ucore,
 * @unode: parts held then (NAN: there was no high load); @grouped: jobs that ever
 * shared.  @title: of several policies, which; or NULL.
 */
void cs_sim_report_spread(const char *title, const struct cs_params *p,
			  double ucore, double unode, uint64_t grouped);

#endif

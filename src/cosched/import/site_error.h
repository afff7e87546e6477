/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a site's simulated policy is from what really happened.
 */
#ifndef CS_COSCHED_IMPORT_SITE_ERROR_H
#define CS_COSCHED_IMPORT_SITE_ERROR_H

#include "common/base/err.h"
#include "sim/sim.h"

/* Means over the jobs in seconds; the makespan is from the first submit to the
 * last end. */
struct cs_site_figures {
	double wait_s, response_s, makespan_s;
};

/* The recorded waits and runtimes of @t. */
struct cs_site_figures cs_site_error_recorded(const struct cs_trace *t);

/* What @r made of it. */
struct cs_site_figures cs_site_error_result(const struct cs_trace *t,
					    const struct cs_sim_result *r);

/* What @o would have done with it.  0; as cs_sim_run(). */
int cs_site_error_simulated(const struct cs_sim_options *o,
			    const struct cs_trace *t,
			    struct cs_site_figures *ret, struct cs_err *err);

/* By how many per cent each figure is off; NAN: nothing was recorded. */
struct cs_site_figures cs_site_error(const struct cs_site_figures *simulated,
				     const struct cs_site_figures *recorded);

/* A gain is withheld where more than this part of the core time is left out. */
#define CS_SITE_LEFT_OUT_MOST .05

/* The part of the core time of @t's jobs, and of @open_core_us of jobs that still run, which
 * these and jobs of more than @cores have, 0 to 1. */
double cs_site_error_left_part(const struct cs_trace *t, uint64_t cores,
			       double open_core_us);

/* One line a figure to @out; @name is the policy's. */
void cs_site_error_say(FILE *out, const char *name,
		       const struct cs_site_figures *simulated,
		       const struct cs_site_figures *recorded);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far the simulated policy of a site is from what really happened.
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

/* What @t has recorded: waits and runtimes. */
struct cs_site_figures cs_site_error_recorded(const struct cs_trace *t);

/* What @o would have done with it.  0; as cs_sim_run(). */
int cs_site_error_simulated(const struct cs_sim_options *o,
			    const struct cs_trace *t,
			    struct cs_site_figures *ret, struct cs_err *err);

/* One line a figure to @out; @name is the policy's. */
void cs_site_error_say(FILE *out, const char *name,
		       const struct cs_site_figures *simulated,
		       const struct cs_site_figures *recorded);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A workload of jobs and gaps drawn from a log; theory in resample.c. */
#ifndef CS_RESAMPLE_H
#define CS_RESAMPLE_H

#include <stdint.h>

#include "trace.h"

struct cs_resample {
	uint32_t jobs;
	uint64_t seed;
	double load; /* factor on the log's arrival rate, 0.001 to 1000 */
};

/*
 * Generate jobs 1 to @m->jobs from @log, in order of submit, the first at 0.  Users and
 * programs keep their numbers; names stay with the log.
 * 0; -EINVAL: an option out of range, or a log of fewer than two jobs; -ENOMEM; *ret is
 * unchanged on error.  O(jobs + jobs of the log).
 */
int cs_resample_generate(struct cs_trace *ret, const struct cs_trace *log,
			 const struct cs_resample *m, struct cs_err *err);

#endif

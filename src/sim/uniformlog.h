/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uniform-log sizes and work, Poisson arrivals; theory in uniformlog.c. */
#ifndef CS_UNIFORMLOG_H
#define CS_UNIFORMLOG_H

#include <stdint.h>

#include "trace.h"

struct cs_uniformlog {
	uint32_t nodes; /* of the machine, >= 1: the largest size */
	uint32_t jobs;
	uint64_t seed;
	double load; /* part of the machine's time that the jobs ask for, > 0 */
	uint32_t slot_s; /* runtimes in slots of so long (rule 4); 0: by work */
};

/*
 * Downey's speedup on @n nodes, 1 <= n, of a job with average parallelism @a
 * (>= 1) and variance in parallelism @s (>= 0).
 */
double cs_uniformlog_downey_speedup(double n, double a, double s);

/*
 * Generate jobs 1 to @m->jobs in order of submit, the first at 0.  No users;
 * the estimate is the runtime.  Whole seconds.
 * 0; -EINVAL: an option out of range; -ENOMEM; *ret is untouched on error.
 */
int cs_uniformlog_generate(struct cs_trace *ret, const struct cs_uniformlog *m,
			   struct cs_err *err);

#endif

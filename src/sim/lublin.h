/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Lublin-Feitelson workload model; the theory is in lublin.c. */
#ifndef CS_LUBLIN_H
#define CS_LUBLIN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace.h"

#define CS_LUBLIN_ALPHA_MAX 25

struct cs_lublin {
	uint32_t nodes; /* of the machine, >= 1: the largest size */
	uint32_t jobs;
	uint64_t seed;
	bool types;   /* batch and interactive apart, as queue 1 and 0 */
	double alpha; /* shape of the inter-arrival times; 0: the model's.
			 0.1 to 25, not with types. */
};

/*
 * Generate jobs 1 to @m->jobs in order of submit, the first not at 0: the model
 * starts at midnight.  Sizes are nodes (= processes); no users; the estimate is
 * the runtime.  Whole seconds.
 * 0; -EINVAL: an option out of range; -ENOMEM; *ret is unchanged on error.
 */
int cs_lublin_generate(struct cs_trace *ret, const struct cs_lublin *m,
		       struct cs_err *err);

#endif

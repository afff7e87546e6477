/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workload models by name, for `cosched workload` and compare. */
#ifndef CS_WORKLOAD_H
#define CS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "resize.h"
#include "trace.h"

#define CS_WORKLOAD_NAMES "lublin, uniform-log, w1 or w2"
#define CS_WORKLOAD_JOBS_MAX 100000000
#define CS_WORKLOAD_NODES_MAX 1048576
#define CS_WORKLOAD_SEED_MAX (INT64_C(1) << 53) /* as the parameter seed */

/* w1 and w2 (Zeng09, table 5) are rows of values for lublin. */
struct cs_workload {
	const char *model; /* its name */
	bool lublin;	   /* else uniform-log */
	int64_t nodes, jobs, seed;
	double alpha;	/* lublin's; 0: the model's */
	double load;	/* uniform-log's */
	int64_t slot_s; /* uniform-log's; 0: Downey's work */
	bool types, modify;
	enum cs_resize resize;
};

/* Model @name with its values, 128 nodes, 10,000 jobs, seed 1.  0, -EINVAL. */
int cs_workload_model(struct cs_workload *ret, const char *name);

/* The trace, with sizes for 2 x 2 cores if `modify` is set.  As
 * cs_lublin_generate(). */
int cs_workload_generate(struct cs_trace *ret, const struct cs_workload *w,
			 struct cs_err *err);

#endif

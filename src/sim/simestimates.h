/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates of starts in a simulation: made at the submits, and logged. */
#ifndef CS_SIMESTIMATES_H
#define CS_SIMESTIMATES_H

#include "common/estimate/estimate.h"
#include "jobids.h"
#include "simlog.h"

/*
 * Estimate the new jobs, in one set at @now_us: into @ret, [jobs of the trace],
 * where a job has an estimate, and as a line for each into @log.  0; a negative errno,
 * with @err set where it says why.
 */
int cs_simestimates_make(struct cs_estimator *s, const struct cs_engine *e,
			 const struct cs_jobids *ids, struct cs_simlog *log,
			 int64_t now_us, struct cs_estimate *ret,
			 struct cs_err *err);

#endif

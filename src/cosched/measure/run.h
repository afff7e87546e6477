/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A measurement: programs alone on full and on spread nodes, beside each other and beside
 * themselves, as jobs of the site's own Slurm, until the slowdowns are known well enough
 * or the budget is spent.
 *
 * Its folder, which all nodes share:
 *
 *	lock		held by the command that measures
 *	state		what is measured, and the jobs (state.h)
 *	job.sh		the script of all jobs (jobs.c)
 *	program.N	the programs, as they were
 *	job.JOB		a job's record (record.h)
 *	out.JOB log.JOB	what its program's last run, and it itself, printed
 *	table alone intervals.csv profiles.json index.html	the results (result.h)
 */
#ifndef CS_COSCHED_MEASURE_RUN_H
#define CS_COSCHED_MEASURE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "measure/plan.h"
#include "measure/state.h"

struct cs_measure_ask {
	char *const *script; /* [n] paths */
	size_t n;
	const char *folder;
	const char *options; /* of sbatch, as the user wrote them */
	double budget_node_s;
	double part;	  /* widest half of an interval, of its slowdown */
	uint32_t limit_s; /* of a job, at most */
	size_t at_once;	  /* attempts */
	/* per_task, nodes, unconstrained; sockets and cores if named, else 0 */
	struct cs_measure_shape shape;
};

/* What came of it. */
struct cs_measure_done {
	struct cs_measure_state state;
	struct cs_measure_plan plan;
	size_t measured, experiments; /* well enough; all */
	bool paid;		      /* the budget is not enough for more */
	int signal;		      /* that interrupted it; 0: none */
	/* Why an experiment was given up, in its order; "": it was not. */
	char why[CS_MEASURE_EXPERIMENTS][160];
};

/*
 * Measure.  0, also if it was interrupted or something could not be measured: see @ret,
 * which cs_measure_run_done() frees.  A negative errno with @err: it could not begin, or
 * Slurm does not answer.  No job of it is left in either case.
 */
int cs_measure_run(const struct cs_measure_ask *ask,
		   struct cs_measure_done *ret, struct cs_err *err);
void cs_measure_run_done(struct cs_measure_done *d);

#endif

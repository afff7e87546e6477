/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulation's output for other programs; doc/cosched.1. */
#ifndef CS_OUTPUT_H
#define CS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "sim.h"

/*
 * A line a job, in order of id, after a line with '#':
 *
 *	# id submit start end procs nodes ppn
 *	17 0 12 3612.500000 16 4 4
 *
 * Times are seconds since the first submit, with six decimals unless whole.  0;
 * -ENOMEM; -EIO or another errno if it could not be written.
 */
int cs_output_jobs(FILE *file, const struct cs_trace *t,
		   const struct cs_sim_result *r);

struct cs_output_run {
	const struct cs_machine *machine; /* nodes all alike */
	const struct cs_params *params;
	enum cs_estimates estimates;
	const char *version;
	double wall_seconds; /* of cs_sim_run(); < 0: left out */
	const char *truth;   /* the file's name; NULL: as believed */
	double truth_noise;  /* in per cent */
	bool spread_jobs;    /* jobs were spread, and nobody came beside them */
};

/* One JSON object: the figures of metrics.h by name, and the run.  Times in
 * seconds; figures without data are left out.  As above. */
int cs_output_summary(FILE *file, const struct cs_metrics *k,
		      const struct cs_output_run *run);

/* The figures and the parameters as JSON objects, the caller's.  NULL: no
 * memory. */
struct json_object *cs_output_figures(const struct cs_metrics *k);
struct json_object *cs_output_params(const struct cs_params *p);

#endif

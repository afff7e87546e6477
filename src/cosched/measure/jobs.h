/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs of a measurement: submitted, looked for and cancelled by Slurm's own commands,
 * without a shell.  All have the measurement's name.
 */
#ifndef CS_COSCHED_MEASURE_JOBS_H
#define CS_COSCHED_MEASURE_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "measure/options.h"
#include "measure/plan.h"

#define CS_MEASURE_NODES 4096 /* bytes of a list of nodes */

/* What is submitted. */
struct cs_measure_submit {
	const char *name, *folder,
		*here;	     /* of all jobs, the record's, to run in */
	const char *program; /* the script's path */
	const struct cs_measure_options *script, *given;
	const struct cs_measure_shape *shape;
	enum cs_measure_kind kind;
	size_t experiment;
	uint32_t limit_s;
	uint32_t with;	   /* of role b: the job that it runs beside; else 0 */
	const char *nodes; /* of that job */
	const char *exclude; /* nodes that it must not have; "": none */
};

/* The script that all jobs run, written to the folder once. */
extern const char cs_measure_jobs_script[];

/* Submit a job.  0 with its number; a negative errno with @err. */
int cs_measure_jobs_submit(const struct cs_measure_submit *s, uint32_t *ret_job,
			   struct cs_err *err);

enum cs_measure_state_of {
	CS_MEASURE_WAITS,
	CS_MEASURE_RUNS,
	CS_MEASURE_ENDS, /* it holds its nodes, and may have processes */
	CS_MEASURE_ENDED
};

/* A job as squeue shows it. */
struct cs_measure_seen {
	uint32_t job;
	enum cs_measure_state_of state;
	char word[32]; /* the state's own name */
	double elapsed_s;
	char nodes[CS_MEASURE_NODES]; /* "": none, or more than fit */
	char reason[64];	      /* why it waits */
};

/* All jobs named @name that slurmctld knows, *ret [*ret_n], which the caller frees.  0; a
 * negative errno with @err. */
int cs_measure_jobs_look(const char *name, struct cs_measure_seen **ret,
			 size_t *ret_n, struct cs_err *err);

/* Slurm's "[D-][HH:]MM:SS" in seconds; 0: another text. */
double cs_measure_jobs_seconds(const char *text);

/* Read a line of squeue's.  false: it is none. */
bool cs_measure_jobs_line(const char *line, struct cs_measure_seen *ret);

/* Cancel the jobs @a and @b (0: none).  0; a negative errno with @err. */
int cs_measure_jobs_cancel(uint32_t a, uint32_t b, struct cs_err *err);
/* Cancel all jobs named @name.  0; a negative errno with @err. */
int cs_measure_jobs_cancel_all(const char *name, struct cs_err *err);

#endif

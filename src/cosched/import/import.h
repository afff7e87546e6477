/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A site's history as a trace, for `cosched import` and `cosched whatif`.
 *
 *	sacct.c		the text of `sacct -P`
 *	event_log.c	our own event logs
 *	import.c	a job of either -> a line of SWF with names
 *
 * Rules.
 *  1. The submit is the instant from which the job could have started (Eligible) if
 *     known and before the start: the scheduler does not cause begin times or
 *     dependencies.
 *  2. The runtime is the elapsed time without suspended time (like sacct's Elapsed),
 *     with the job's layout.
 *  3. The estimate is the limit; without one, the longest limit or runtime of
 *     the job's partition.  A job that ran beyond its limit keeps its runtime.
 *  4. Processes: the hardware threads held, divided by those of a core, rounded up.
 *  5. Unique job numbers are kept; others (array tasks, runs before a requeue) get new
 *     ones above the highest.
 *  6. Jobs without a runtime are counted and left out: every line read is in exactly
 *     one of the counts.
 *  7. GPUs, where asked for, are those of AllocTRES, or those of ReqTRES where that is
 *     empty; their type is known if it is one for all. A job with GPUs has its nodes, too.
 *  8. The status is 0 for a job that failed, was ended or ran again, else 1.
 */
#ifndef CS_COSCHED_IMPORT_IMPORT_H
#define CS_COSCHED_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"
#include "common/model/gpu.h"
#include "import/sacct_time.h"
#include "sim/trace.h"

struct cs_log_line; /* common/log/read_line.h */
struct cs_import_job;

enum cs_import_count {
	CS_IMPORT_JOBS,	     /* in the trace */
	CS_IMPORT_STEPS,     /* lines of steps */
	CS_IMPORT_WAITING,   /* not started yet */
	CS_IMPORT_RUNNING,   /* not ended yet */
	CS_IMPORT_UNSTARTED, /* ended without a start: cancelled */
	CS_IMPORT_INSTANT,   /* ran for no time */
	CS_IMPORT_NO_CPUS,   /* held none */
	CS_IMPORT_BEFORE,    /* submitted before `since` */
	CS_IMPORT_BAD,	     /* unreadable lines */
	CS_IMPORT_COUNTS
};

struct cs_import_options {
	int64_t since_us; /* CS_IMPORT_NONE: all */
	uint32_t threads; /* of a core, >= 1 */
	bool strict;	  /* the first bad line ends it */
	bool gpus;	  /* the trace has GPUs; sacct's text must */
	struct cs_import_clock clock; /* of sacct's text */
	/* Told of each bad line; may be NULL. */
	void (*bad)(void *arg, const char *text);
	/* Of an event log, told of each line with its text, once it was taken up,
	 * and before of each run of job @id, which ended at @now_us, that is job
	 * @index of the trace as it is read (its `line`).  0, or an error that
	 * ends the reading; NULL: nobody is told. */
	int (*line)(void *arg, const struct cs_log_line *l, const char *text);
	int (*ran)(void *arg, uint32_t id, int64_t now_us, size_t index);
	/* Told of each job of sacct's text that ran or runs, which then gets into no
	 * trace, and is not left out for `since_us`; the text must have node lists.
	 * 0; -EINVAL, -E2BIG: its list is none, a bad line; another error ends the
	 * reading.  NULL: they make a trace. */
	int (*job)(void *arg, const struct cs_import_job *j);
	void *arg;
};

struct cs_import {
	const struct cs_import_options *options;
	uint64_t count[CS_IMPORT_COUNTS];
	uint64_t unlimited, over; /* of the jobs: rule 3 */
	double open_core_us;	  /* of jobs of sacct's text that still run */
	struct cs_trace trace;
	size_t cap; /* of trace.job */
};

/* Times in microseconds since 1970; CS_IMPORT_NONE: unknown. */
struct cs_import_job {
	uint32_t id; /* 0: no number of its own */
	uint64_t cpus;
	const char *user, *account, *name, *partition; /* borrowed, not NULL */
	const char *nodes; /* as Slurm lists them; NULL, "": unknown */
	int64_t submit_us, eligible_us, start_us, end_us;
	int64_t run_us, limit_us;
	uint32_t gpus, n_node;	    /* in all; 0: none, or unknown */
	char gpu_type[CS_GPU_NAME]; /* "": unknown */
	bool failed;		    /* it did not come to an end of its own */
	bool running;		    /* it has not ended: no end_us, no run_us */
};

int cs_import_init(struct cs_import *im, const struct cs_import_options *o);
void cs_import_done(struct cs_import *im);

/* A job that has run, or one to count.  0, -ENOMEM; -ERANGE: impossible times, a bad
 * line; errors of options->job. */
int cs_import_job(struct cs_import *im, const struct cs_import_job *j);

/* An unreadable line: @err says why.  0; with `strict`, -EINVAL. */
int cs_import_bad(struct cs_import *im, const struct cs_err *err);

/* Rules 3 and 5; trace is sorted, from 0 on.  0; -ENOMEM; -ENODATA: no job. */
int cs_import_finish(struct cs_import *im, struct cs_err *err);

/* Readable name of a count: "steps", "waiting" ... */
const char *cs_import_count_name(enum cs_import_count c);

/*
 * Read all of @file; @name is for messages.  0; -EINVAL: another kind of text, or a bad
 * line with `strict`; -ENOMEM and others.  @err has one line.
 */
int cs_import_sacct(struct cs_import *im, FILE *file, const char *name,
		    struct cs_err *err);
int cs_import_log(struct cs_import *im, FILE *file, const char *name,
		  struct cs_err *err);

#endif

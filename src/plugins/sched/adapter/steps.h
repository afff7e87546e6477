/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a thread goes through the steps of a cycle (adapter.h): under locks released in
 * between, so that slurmctld's own threads get their turn.  For the scheduling thread
 * and that of site_factor/ostrich.
 */
#ifndef CS_SCHED_ADAPTER_STEPS_H
#define CS_SCHED_ADAPTER_STEPS_H

#include "compat/calls.h"
#include "sched/adapter/adapter.h"

struct cs_steps {
	slurmctld_lock_t locks;
	int64_t span_us;      /* locks are held at most this long at a time */
	bool (*halted)(void); /* no further step */
	int64_t held_us;      /* total time held so far */
	struct cs_stamps *stamps; /* of the last look; NULL: unknown */
	bool looks;		  /* the next step begins one */
	/* Around locks, unless NULL: about to wait, acquired, released.  @arg is
	 * theirs. */
	void (*waiting)(void *arg);
	void (*locked)(void *arg);
	void (*unlocked)(void *arg);
	void *arg;
};

/* A step of adapter.h that returns 1 while more is left to do. */
typedef int cs_step_fn(struct cs_adapter *b, int64_t until_us,
		       struct cs_err *err);

/* Run @step to its end.  0; 1: halted, and the step is not done; else the step's result.
 * Makes Slurm save the changed records. */
int cs_steps_run(struct cs_steps *how, struct cs_adapter *b, cs_step_fn *step,
		 struct cs_err *err);

/* Update the engine: @look, cs_adapter_look() or one that does more, then build and
 * feed.  @log, unless NULL, may be opened in between.  Returns as cs_steps_run(). */
int cs_steps_follow(struct cs_steps *how, struct cs_adapter *b,
		    cs_step_fn *look, struct cs_logfile *log,
		    struct cs_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a thread goes through the steps of a cycle (adapter.h): under locks that are
 * let go in between, so that slurmctld's own threads get their turn.  The scheduling
 * thread and that of site_factor/ostrich both do.
 */
#ifndef CS_SCHED_ADAPTER_STEPS_H
#define CS_SCHED_ADAPTER_STEPS_H

#include "compat/calls.h"
#include "sched/adapter/adapter.h"

struct cs_steps {
	slurmctld_lock_t locks;
	int64_t span_us; /* they are held so long at a time, at most */
	int64_t held_us; /* they were held so long until now, in all */
	/* Around them, where not NULL: about to wait for them, got them, let them
	 * go.  @arg is theirs. */
	void (*waiting)(void *arg);
	void (*locked)(void *arg);
	void (*unlocked)(void *arg);
	void *arg;
};

/* A step of adapter.h that says 1 while more is left to be done. */
typedef int cs_step_fn(struct cs_adapter *b, int64_t until_us,
		       struct cs_err *err);

/* Run @step to its end.  0; 1: slurmctld ends, and the step is not done; else what
 * the step said.  Has Slurm save the records that it changed. */
int cs_steps_run(struct cs_steps *how, struct cs_adapter *b, cs_step_fn *step,
		 struct cs_err *err);

/* Bring the engine up to date: @look, cs_adapter_look() or one that does more, then
 * build and feed.  @log, where not NULL, may be opened in between.  *@ret_looked_s:
 * when the look began, for cs_slurm_changed().  As cs_steps_run(). */
int cs_steps_follow(struct cs_steps *how, struct cs_adapter *b,
		    cs_step_fn *look, struct cs_logfile *log,
		    time_t *ret_looked_s, struct cs_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's records of jobs, brought into the processor's caches before they are read.
 *
 * A look at 10,000 jobs reads records that no cache holds any more; without this it waits
 * for memory at each of them.  Includes Slurm: for view_*.c.
 */
#ifndef CS_SCHED_VIEW_VIEW_AHEAD_H
#define CS_SCHED_VIEW_VIEW_AHEAD_H

#include "sched/view/view_slurm.h"

#define CS_VIEW_AHEAD 8 /* jobs */

/* A walk through Slurm's list of jobs, CS_VIEW_AHEAD jobs behind its iterator. */
struct cs_view_ahead {
	list_itr_t *it;
	job_record_t *job[CS_VIEW_AHEAD]; /* the next ones: a ring */
	uint32_t at;			  /* of the ring, modulo its size */
};

/* Read locks on jobs, from begin to end. */
void cs_view_ahead_begin(struct cs_view_ahead *a);
/* The next job, in the order of the list; NULL: that was the last. */
job_record_t *cs_view_ahead_next(struct cs_view_ahead *a);
void cs_view_ahead_end(struct cs_view_ahead *a);

/* Fetch all that a description reads of @job [@n] (NULL: no such job) by the time that it
 * has come to it: call this with each @at in turn, before that job is described. */
void cs_view_ahead_fetch(job_record_t *const *job, uint32_t n, uint32_t at);

#endif

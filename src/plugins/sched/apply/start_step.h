/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One start in Slurm, step by step.
 *
 * All under write locks; each function called from outside looks job pointers up again
 * and never keeps them.
 */
#ifndef CS_SCHED_APPLY_START_STEP_H
#define CS_SCHED_APPLY_START_STEP_H

#include "compat/job.h"

#include "sched/apply/refusal.h"
#include "sched/feed/adapter_state.h"

extern const struct cs_refusal cs_start_step_gone;   /* it no longer waits */
extern const struct cs_refusal cs_start_step_halted; /* nothing starts any more */

/* The entry of Slurm's queue that is option @o of @job_ptr; false: its partition or
 * reservation is gone. */
bool cs_start_step_entry(const struct cs_adapter *b, job_record_t *job_ptr,
			 const struct cs_view_option *o, job_queue_rec_t *ret);

/*
 * Should @job_ptr still start, in the decided option @o?  Makes it a candidate there
 * (partition, QOS, reservation).
 */
bool cs_start_step_ready(struct cs_adapter *b, job_record_t *job_ptr,
			 const struct cs_view_option *o,
			 struct cs_refusal *ret);

/* Undo what ready did, if no start was tried or it failed. */
void cs_start_step_leave(job_record_t *job_ptr);

/* Where select_nodes() may start a job.  All maps may be NULL. */
struct cs_where {
	const bitstr_t *nodes;	   /* only on these */
	const bitstr_t *cores;	   /* exactly these; else Slurm chooses, ... */
	const bitstr_t *forbidden; /* ... but none of these */
	uint32_t n_node;	   /* on so many nodes; 0: as the job says */
};

/* select_nodes() there; launched on success.  A Slurm error code. */
int cs_start_step_select(job_record_t *job_ptr, const struct cs_where *where);

/* Answer for a job that has started. */
int cs_start_step_confirm(struct cs_adapter *b, const struct cs_action *a,
			  job_record_t *job_ptr, struct cs_err *err);
int cs_start_step_refuse(struct cs_adapter *b, const struct cs_action *a,
			 const struct cs_refusal *r, struct cs_err *err);
/* The same with Slurm's prediction; NULL: none. */
int cs_start_step_refuse_until(struct cs_adapter *b, const struct cs_action *a,
			       const struct cs_refusal *r,
			       const struct cs_forecast *f, struct cs_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the view_*.c share of Slurm's types.  Nobody else includes this.
 */
#ifndef CS_SCHED_VIEW_VIEW_SLURM_H
#define CS_SCHED_VIEW_VIEW_SLURM_H

#include "compat/calls.h"
#include "compat/job.h"

#include "sched/view/view.h"

#include "common/profile/job_comment.h"
#include "common/profile/profile.h"

/*
 * Number of the nodes that @job_ptr may use in @part_ptr and, where it has one,
 * reservation @resv_ptr.  UINT32_MAX: no memory.  Common wishes cost a hash.
 */
uint32_t cs_view_option_set(struct cs_view *v, const job_record_t *job_ptr,
			    const part_record_t *part_ptr,
			    const slurmctld_resv_t *resv_ptr);

/* The @i-th magnetic reservation, as of cs_view_reservations() under the same locks;
 * NULL: there are no more. */
const slurmctld_resv_t *cs_view_magnetic(const struct cs_view *v, uint32_t i);

/* What @job_ptr asks for in @part [@n]: flags, sizes, memory, estimate. */
void cs_view_asked(const struct cs_view *v, struct cs_view_desc *to,
		   const job_record_t *job_ptr, part_record_t *const *part,
		   uint32_t n);

/* Are the nodes that the job requires all that it gets?  (else the model does
 * not hold: some of its nodes are given, others are to be chosen.) */
bool cs_view_required_is_all(const job_record_t *job_ptr);

/* What each task asks for, at least 1. */
uint32_t cs_view_cpus_per_task(const job_record_t *job_ptr);
/* Hardware threads of a core that its processes may have at most; 0: all. */
uint32_t cs_view_threads(const job_record_t *job_ptr);
/* CPUs that each of its nodes must have, as it asks for them; 0: any. */
uint32_t cs_view_least_cpus(const job_record_t *job_ptr);

/* What the running @job_ptr holds, for an event; NULL: nothing that the machine
 * knows, or no memory.  The caller frees it. */
struct cs_alloc *cs_view_alloc(const struct cs_view *v,
			       const job_record_t *job_ptr, uint32_t procs,
			       uint32_t cpus_per_proc);

/* What a time limit of Slurm's is: at least a minute, at most a year. */
int64_t cs_view_minutes_us(uint32_t minutes);

/* The most nodes that its QOS, that of @part_ptr and its associations let it have,
 * where limits are enforced; else UINT32_MAX.  Locks as below. */
uint32_t cs_view_most_nodes(const job_record_t *job_ptr,
			    const part_record_t *part_ptr);

/* How long @job_ptr runs by itself in @part_ptr: its limit, or TimeMin. */
int64_t cs_view_estimate(const job_record_t *job_ptr,
			 const part_record_t *part_ptr);

/*
 * The longest time limit that @part_ptr, QOS and associations let it have,
 * whatever layout of what @d asks for it gets.  May be below the estimate.
 * assoc_mgr's read locks on associations, QOS and TRES.
 */
int64_t cs_view_limit_max(const struct cs_view *v, const struct cs_view_desc *d,
			  const job_record_t *job_ptr,
			  const part_record_t *part_ptr);

/* ---- view_het.c ------------------------------------------------------------- */

struct cs_view_others { /* of a heterogeneous job all components but the leader */
	uint64_t *nodes; /* that any of them may use; NULL: there are none */
	bool whole;	 /* each takes whole nodes */
};

/* Add what they ask for to @j; @ret->nodes is to be freed. */
void cs_view_others(struct cs_view *v, struct cs_view_job *j,
		    const job_record_t *leader, struct cs_view_others *ret);

/* Widen one of its leader's options to what they may use. */
void cs_view_join(struct cs_view *v, struct cs_view_option *o,
		  const struct cs_view_others *others);

/* Who holds which licences until when, as far as jobs of @queue need them.  NULL: nobody
 * lacks any (view_licences.c). */
struct cs_view_licences;
struct cs_view_licences *cs_view_licences(struct cs_view *v, list_t *queue);
void cs_view_licences_free(struct cs_view_licences *l);
/* Is that entry of the queue to be looked at behind the others?  Then it is one of
 * cs_view_licences_next(): in the order of priorities, NULL at their end. */
bool cs_view_licences_later(const struct cs_view_licences *l,
			    const job_queue_rec_t *rec);
job_queue_rec_t *cs_view_licences_next(struct cs_view_licences *l);
/* When the waiting job may have them for @run_us, which it is given where that is not
 * now; CS_TIME_NONE: not known.  @lacks: Slurm's own test says that it does now. */
int64_t cs_view_licences_at(struct cs_view_licences *l,
			    const job_record_t *job_ptr, int64_t run_us,
			    bool lacks);

#endif

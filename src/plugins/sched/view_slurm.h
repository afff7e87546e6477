/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the view_*.c share of Slurm's types.  Nobody else includes this.
 */
#ifndef CS_VIEW_SLURM_H
#define CS_VIEW_SLURM_H

#include "compat/calls.h"
#include "compat/job.h"

#include "view.h"

#include "common/profile.h"

/*
 * Number of the nodes that @job_ptr may use in @part_ptr and, where it has one,
 * reservation @resv_ptr.  UINT32_MAX: no memory.  Common wishes cost a hash.
 */
uint32_t cs_view_option_set(struct cs_view *v, const job_record_t *job_ptr,
			    const part_record_t *part_ptr,
			    const slurmctld_resv_t *resv_ptr);

/* Are the nodes that the job requires all that it gets?  (else the model does
 * not hold: some of its nodes are given, others are to be chosen.) */
bool cs_view_required_is_all(const job_record_t *job_ptr);

/* What the running @job_ptr holds, for an event; NULL: nothing that the machine
 * knows, or no memory.  The caller frees it. */
struct cs_alloc *cs_view_alloc(const struct cs_view *v,
			       const job_record_t *job_ptr, uint32_t procs,
			       uint32_t cpus_per_proc);

/* What a time limit of Slurm's is: at least a minute, at most a year. */
int64_t cs_view_minutes_us(uint32_t minutes);

/* How long @job_ptr runs by itself in @part_ptr: its limit, or TimeMin. */
int64_t cs_view_estimate(const job_record_t *job_ptr,
			 const part_record_t *part_ptr);

/*
 * The longest time limit that @part_ptr, QOS and associations let it have,
 * whatever layout of what @d asks for it gets.  May be below the estimate.
 * assoc_mgr's read locks on associations, QOS and TRES.
 */
int64_t cs_view_limit_max(const struct cs_view *v,
			  const struct cs_view_desc *d,
			  const job_record_t *job_ptr,
			  const part_record_t *part_ptr);

#endif

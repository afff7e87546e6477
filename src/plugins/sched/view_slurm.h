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

#endif

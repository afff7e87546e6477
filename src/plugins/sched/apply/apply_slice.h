/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time slices in Slurm: jobs are stopped and resumed.  All under write locks.
 */
#ifndef CS_SCHED_APPLY_APPLY_SLICE_H
#define CS_SCHED_APPLY_APPLY_SLICE_H

#include "compat/job.h"

#include "sched/feed/adapter_state.h"

/* Must @a wait because a job was just told to stop?  Then b->batch.guard_us is when
 * to ask again, or sooner, when nodes are to be told again. */
bool cs_apply_slice_guards(struct cs_adapter *b, const struct cs_action *a);

/* SUSPEND and RESUME: apply and answer. */
int cs_apply_slice(struct cs_adapter *b, const struct cs_action *a,
		   struct cs_err *err);

/* Add to *@map (NULL: empty; the caller's) the cores that job @id may not use if Slurm
 * chooses.  O(jobs). */
void cs_apply_slice_forbid(const struct cs_adapter *b, uint32_t id,
			   bitstr_t **map);

/* Tell nodes again of jobs stopped or resumed a while ago. */
void cs_apply_slice_say_again(struct cs_adapter *b);

#endif

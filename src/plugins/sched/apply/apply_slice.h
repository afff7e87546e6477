/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time slices in Slurm: jobs are stopped and go on.  All under write locks.
 */
#ifndef CS_SCHED_APPLY_APPLY_SLICE_H
#define CS_SCHED_APPLY_APPLY_SLICE_H

#include "compat/job.h"

#include "sched/feed/adapter_state.h"

/* Must @a wait, until *@ret_until_us (cs_gate_now_us()), because somebody was told to
 * stop a moment ago? */
bool cs_apply_slice_guards(const struct cs_adapter *b,
			   const struct cs_action *a, int64_t *ret_until_us);

/* SUSPEND and RESUME: apply and answer. */
int cs_apply_slice(struct cs_adapter *b, const struct cs_action *a,
		   struct cs_err *err);

/* Add to *@map (NULL: empty; the caller's) the cores that job @id may not have where
 * Slurm chooses.  O(jobs). */
void cs_apply_slice_forbid(const struct cs_adapter *b, uint32_t id,
			   bitstr_t **map);

/* Tell nodes once more of jobs that were stopped or resumed a while ago. */
void cs_apply_slice_say_again(struct cs_adapter *b);

#endif

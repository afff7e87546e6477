/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a job enters the engine, waits, and leaves it.
 */
#ifndef CS_LIFECYCLE_LIFECYCLE_H
#define CS_LIFECYCLE_LIFECYCLE_H

#include "base/err.h"
#include "state/state.h"

/* A new waiting job.  0, -EEXIST, -ENOMEM. */
int cs_lifecycle_add(struct cs_engine *e, const struct cs_job *job,
		     struct cs_err *err);

/* A new description; what was refused may be tried again.  0, -ENOMEM. */
int cs_lifecycle_replace(struct cs_engine *e, struct cs_ejob *j,
			 const struct cs_job *job, struct cs_err *err);

void cs_lifecycle_remove(struct cs_engine *e, struct cs_ejob *j);

/* The waiting job @j is gone. */
void cs_lifecycle_cancel(struct cs_engine *e, struct cs_ejob *j);

/* Proposed or started @j, which no longer holds anything, waits. */
void cs_lifecycle_waits_again(struct cs_engine *e, struct cs_ejob *j);

/* Change state; it is queued while it waits or is proposed. */
void cs_lifecycle_move(struct cs_engine *e, struct cs_ejob *j,
		       enum cs_state state);

/* Split a task off an array, whose record stays, even without tasks: the task waits,
 * has no id (0) and knows its master.  NULL: no memory. */
struct cs_ejob *cs_lifecycle_split(struct cs_engine *e, struct cs_ejob *master);

/* Merge a split task that waits again back into its array; other jobs stay.  Returns
 * the job that waits now. */
struct cs_ejob *cs_lifecycle_merge(struct cs_engine *e, struct cs_ejob *j);

/* Give a proposed job the id it runs under; an array is gone with its last task.  0,
 * -ENOMEM. */
int cs_lifecycle_name(struct cs_engine *e, struct cs_ejob *j, uint32_t id);

#endif

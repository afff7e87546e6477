/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's jobs: found by id in O(1), in a list of waiting or of started
 * ones.  Descriptions are copied, their strings and options with them.
 */
#ifndef CS_STATE_JOBTABLE_H
#define CS_STATE_JOBTABLE_H

#include "state/state.h"

void cs_jobtable_done(struct cs_engine *e);

/* Is the description in range?  0, -EINVAL. */
int cs_jobtable_check(const struct cs_engine *e, const struct cs_job *job,
		      struct cs_err *err);

/* A new waiting job.  0, -EEXIST, -ENOMEM. */
int cs_jobtable_add(struct cs_engine *e, const struct cs_job *job,
		    struct cs_err *err);

/* A new description; what was refused may be tried again.  0, -ENOMEM. */
int cs_jobtable_replace(struct cs_engine *e, struct cs_ejob *j,
			const struct cs_job *job, struct cs_err *err);

void cs_jobtable_remove(struct cs_engine *e, struct cs_ejob *j);

/* Change state, and list if need be. */
void cs_jobtable_move(struct cs_engine *e, struct cs_ejob *j,
		      enum cs_state state);

/* Split a task off an array, whose record stays, perhaps with no task left: it
 * waits, has no id (0) and knows its master.  NULL: no memory. */
struct cs_ejob *cs_jobtable_split(struct cs_engine *e, struct cs_ejob *master);

/* Put a split task that waits again back into its array; a job that is no task
 * stays.  Returns the job that waits now. */
struct cs_ejob *cs_jobtable_merge(struct cs_engine *e, struct cs_ejob *j);

/* How many tasks of the array @master are proposed.  O(started). */
uint32_t cs_jobtable_tasks(const struct cs_engine *e, uint32_t master);

/* Give a proposed job the id it runs under; an array whose last task that was is
 * gone.  0, -ENOMEM. */
int cs_jobtable_name(struct cs_engine *e, struct cs_ejob *j, uint32_t id);

#endif

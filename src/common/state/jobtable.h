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

/* How many tasks of the array @master are proposed.  O(started). */
uint32_t cs_jobtable_tasks(const struct cs_engine *e, uint32_t master);

/* A job that waits and is promised nothing, in no list; NULL: no memory. */
struct cs_ejob *cs_jobtable_new(void);
void cs_jobtable_free(struct cs_ejob *j);

/* Copy @job into @to; strings and options in one block, which *ret_own gets.  0,
 * -ENOMEM. */
int cs_jobtable_describe(struct cs_job *to, void **ret_own,
			 const struct cs_job *job);
/* Its profile: index or CS_PROFILE_NONE. */
int cs_jobtable_profile(const struct cs_engine *e, const struct cs_job *job);

/* Each list can hold @jobs jobs, so that a move never fails.  0, -ENOMEM. */
int cs_jobtable_reserve(struct cs_engine *e, size_t jobs);
/* New @j gets its number and stands in the list of those who wait; there is room.  Is
 * in none any more. */
void cs_jobtable_enter(struct cs_engine *e, struct cs_ejob *j);
void cs_jobtable_leave(struct cs_engine *e, struct cs_ejob *j);
/* Change state, and list if need be. */
void cs_jobtable_move(struct cs_engine *e, struct cs_ejob *j,
		      enum cs_state state);

/* Room for one more id.  0, -ENOMEM. */
int cs_jobtable_reserve_id(struct cs_engine *e);
/* @j is found by its id; there is room.  Nobody is by @id. */
void cs_jobtable_add_id(struct cs_engine *e, struct cs_ejob *j);
void cs_jobtable_remove_id(struct cs_engine *e, uint32_t id);

#endif

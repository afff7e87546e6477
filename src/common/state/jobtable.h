/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's jobs: found by id in O(1), each in the list of waiting or of started
 * jobs.  Descriptions are copied with their strings and options.
 */
#ifndef CS_STATE_JOBTABLE_H
#define CS_STATE_JOBTABLE_H

#include "state/state.h"

void cs_jobtable_done(struct cs_engine *e);
/* The first part of that: free up to @most jobs.  True: there are more. */
bool cs_jobtable_free_some(struct cs_engine *e, uint32_t most);

/* Is the description in range?  0, -EINVAL. */
int cs_jobtable_check(const struct cs_engine *e, const struct cs_job *job,
		      struct cs_err *err);

/* A waiting job without a promise, in no list; NULL: no memory. */
struct cs_ejob *cs_jobtable_new(void);
void cs_jobtable_free(struct cs_ejob *j);

/* Copy @job into @to; strings and options go into one block, *ret_own.  0, -ENOMEM. */
int cs_jobtable_describe(struct cs_job *to, void **ret_own,
			 const struct cs_job *job);
/* Its profile: index or CS_PROFILE_NONE. */
int cs_jobtable_profile(const struct cs_engine *e, const struct cs_job *job);

/* Each list can hold @jobs jobs, so that a move never fails.  0, -ENOMEM. */
int cs_jobtable_reserve(struct cs_engine *e, size_t jobs);
/* Number the new job @j and put it into the waiting list, which has room; take it off
 * its list. */
void cs_jobtable_enter(struct cs_engine *e, struct cs_ejob *j);
void cs_jobtable_leave(struct cs_engine *e, struct cs_ejob *j);
/* Change its state, and its list if need be. */
void cs_jobtable_move(struct cs_engine *e, struct cs_ejob *j,
		      enum cs_state state);

/* Room for one more id.  0, -ENOMEM. */
int cs_jobtable_reserve_id(struct cs_engine *e);
/* Make @j found by its id, for which there is room; forget @id. */
void cs_jobtable_add_id(struct cs_engine *e, struct cs_ejob *j);
void cs_jobtable_remove_id(struct cs_engine *e, uint32_t id);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of jobs that share their nodes (group.c). */
#ifndef CS_JOB_GROUP_H
#define CS_JOB_GROUP_H

#include "state/state.h"

/* The member of @j's group after @x; NULL after the last.  The first is @j itself, even
 * in no group. */
static inline struct cs_ejob *cs_group_next(const struct cs_ejob *j,
					    const struct cs_ejob *x)
{
	return x->mate == j ? NULL : x->mate;
}
/* Started job @j joins the group of @member as @role, beside job @with; NULL: a new
 * one.  O(members). */
void cs_group_enter(struct cs_engine *e, struct cs_ejob *j, enum cs_role role,
		    struct cs_ejob *member, uint32_t with);
/* Report that running job @j is in a group.  0, -ENOMEM. */
int cs_group_tell(struct cs_engine *e, const struct cs_ejob *j);
/* Both.  0, -ENOMEM. */
int cs_group_join(struct cs_engine *e, struct cs_ejob *j, enum cs_role role,
		  struct cs_ejob *member, uint32_t with);
/* The host says that @j is in @group.  O(started jobs). */
void cs_group_told(struct cs_engine *e, struct cs_ejob *j, uint32_t group,
		   enum cs_role role);
/* @j leaves its group, if it is in one, and disbands it by rule 2; @note: report that
 * in the next decide.  O(members). */
void cs_group_leave(struct cs_engine *e, struct cs_ejob *j, bool note);
/* The size of @j, perhaps in a group, has changed: rule 3.  Reported as by
 * cs_group_leave().  O(members^2 * nodes). */
void cs_group_apart(struct cs_engine *e, struct cs_ejob *j);
/* Disband the group of @j, if it is in one, by rule 2. */
void cs_group_settle(struct cs_engine *e, struct cs_ejob *j, bool note);
/* Actions about groups that have ended since the last decide.  0, -ENOMEM */
int cs_group_notes(struct cs_engine *e);

#endif

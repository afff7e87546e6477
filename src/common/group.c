/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups: who belongs together, and when that ends.
 *
 * Rules.
 *  1. A group is a primary job and the jobs matched with it.
 *  2. It is disbanded when the primary job ends while a matched one runs, or when
 *     all matched ones have ended while the primary runs.  Its members are
 *     ordinary jobs then, and may be matched again.
 *
 * What members cost each other does not come from here but from who is on a
 * node (progress.c).
 *
 * Source: 000 (see slowdown.h), section 4.4.
 *
 * Cost: O(started jobs) when a member leaves, for each started job where the host
 * told of groups.
 */
#include <errno.h>

#include "state.h"

/* How many of @group are there, and is its primary one among them? */
static uint32_t members(const struct cs_engine *e, uint32_t group,
			bool *ret_primary)
{
	uint32_t n = 0;

	*ret_primary = false;
	for (size_t i = 0; i < e->started.n; i++)
		if (e->started.job[i]->group == group) {
			n++;
			*ret_primary |= e->started.job[i]->role ==
					CS_ROLE_PRIMARY;
		}
	return n;
}

void cs_group_left(struct cs_engine *e, uint32_t group, bool note)
{
	bool primary;

	if (!group || (members(e, group, &primary) > 1 && primary))
		return;
	for (size_t i = 0; i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		if (j->group != group)
			continue;
		j->disbanded = note ? group : 0;
		e->disbands |= note;
		j->group = 0;
		j->role = CS_ROLE_NONE;
		j->with = 0;
	}
}

int cs_group_join(struct cs_engine *e, struct cs_ejob *j, uint32_t group,
		  enum cs_role role, uint32_t with)
{
	struct cs_action *a = cs_engine_action(e, CS_ACT_JOINED);

	if (!a)
		return -ENOMEM;
	j->group = group;
	j->role = role;
	j->with = with;
	a->job_id = j->job.id;
	a->option = j->option;
	a->group = group;
	a->role = role;
	a->with = with;
	a->slowdown = j->factor;
	return 0;
}

/* Groups that the host told of may have lost members while nobody looked. */
static void check_told(struct cs_engine *e)
{
	for (size_t i = 0; e->told_groups && i < e->started.n; i++)
		cs_group_left(e, e->started.job[i]->group, true);
	e->told_groups = false;
}

int cs_group_notes(struct cs_engine *e)
{
	check_told(e);
	for (size_t i = 0; e->disbands && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i], at;
		struct cs_action *a;

		if (!j->disbanded)
			continue;
		a = cs_engine_action(e, CS_ACT_DISBAND);
		if (!a)
			return -ENOMEM;
		at = *j; /* it itself is not rounded for this */
		cs_progress_bring(&at, e->now_us);
		a->job_id = j->job.id;
		a->option = j->option;
		a->group = j->disbanded;
		a->slowdown = j->factor;
		a->credit_us = at.ran_us - at.done_us;
		j->disbanded = 0;
	}
	e->disbands = false;
	return 0;
}

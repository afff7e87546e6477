/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups: which jobs belong together, and until when.
 *
 * Rules.
 *  1. A group is a primary job and the jobs matched with it.
 *  2. It is disbanded when the primary job ends while a matched one runs, or when
 *     all matched ones have ended while the primary runs.  Its members then are
 *     ordinary jobs and may be matched again.
 *  3. A member that shares no node with another one, since its size or theirs has
 *     changed, leaves: it is an ordinary job, too.
 *  4. What members cost each other follows from the jobs on a node (progress.c), but for
 *     packed jobs with a limit only within a group.  So whoever joins or leaves one has
 *     its factor computed again (group_factor=at_once).  Event logs from before that key
 *     were written by group_factor=late: the next change on its nodes did so.
 *
 * Source: Zeng09 (see slowdown.h), section 4.4.
 *
 * Invariants: the started jobs of one group, and no others, are linked in a ring.
 *
 * Cost: O(members) when one joins or leaves; O(started jobs) for each that the host
 * names, and once after that.
 */
#include <errno.h>

#include "state/state.h"
#include "job/group.h"
#include "job/progress.h"

/* Put @j, in no group, at the end of the ring that begins with @first. */
static void link_to(struct cs_ejob *j, struct cs_ejob *first)
{
	struct cs_ejob *last = first;

	while (first && last->mate != first)
		last = last->mate;
	j->mate = first ? first : j;
	if (first)
		last->mate = j;
}

/* Rule 4, for a job that runs or is about to. */
static void refresh(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_slice_machine *sm = e->sm;

	if (e->params.group_factor != CS_GROUP_FACTOR_AT_ONCE ||
	    (j->state != CS_RUNNING && j->state != CS_PROPOSED))
		return;
	e->sm = cs_sm_of(e, j);
	cs_progress_refresh(e, j);
	e->sm = sm;
}

void cs_group_enter(struct cs_engine *e, struct cs_ejob *j, enum cs_role role,
		    struct cs_ejob *member, uint32_t with)
{
	link_to(j, member);
	j->group = member ? member->group : e->next_group++;
	j->role = role;
	j->partner_id = with;
	refresh(e, j);
}

void cs_group_told(struct cs_engine *e, struct cs_ejob *j, uint32_t group,
		   enum cs_role role)
{
	struct cs_ejob *member = NULL;

	for (size_t i = 0; !member && i < e->started.n; i++)
		if (e->started.job[i]->group == group)
			member = e->started.job[i];
	link_to(j, member);
	j->group = group;
	j->role = role;
	if (group >= e->next_group)
		e->next_group = group + 1;
	e->told_groups = true;
}

static void out(struct cs_ejob *j)
{
	j->mate = NULL;
	j->group = 0;
	j->role = CS_ROLE_NONE;
	j->partner_id = 0;
}

void cs_group_settle(struct cs_engine *e, struct cs_ejob *j, bool note)
{
	bool primary = false;
	uint32_t n = 0;

	for (struct cs_ejob *x = j; x; x = cs_group_next(j, x)) {
		primary |= x->role == CS_ROLE_PRIMARY;
		n++;
	}
	if (!j->group || (n > 1 && primary))
		return;
	e->disbands |= note;
	while (n--) {
		struct cs_ejob *next = j->mate;

		j->disbanded = note ? j->group : 0;
		out(j);
		refresh(e, j);
		j = next;
	}
}

void cs_group_leave(struct cs_engine *e, struct cs_ejob *j, bool note)
{
	struct cs_ejob *next = j->mate, *last = j;

	if (!next)
		return;
	while (last->mate != j)
		last = last->mate;
	last->mate = next;
	out(j);
	if (next != j)
		cs_group_settle(e, next, note);
}

static const struct cs_alloc *nodes_of(const struct cs_ejob *j)
{
	return j->whole ? j->whole : j->alloc;
}

static bool share_node(const struct cs_ejob *a, const struct cs_ejob *b)
{
	const struct cs_alloc *x = nodes_of(a), *y = nodes_of(b);

	for (uint32_t i = 0; i < x->n_node; i++)
		if (cs_alloc_cores_on(y, x->node[i].node))
			return true;
	return false;
}

static bool shares(const struct cs_ejob *j)
{
	for (struct cs_ejob *x = j->mate; x && x != j; x = x->mate)
		if (share_node(j, x))
			return true;
	return false;
}

void cs_group_apart(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_ejob *next;

	for (struct cs_ejob *x = j; x; x = next) {
		uint32_t group = x->group;

		next = cs_group_next(j, x);
		if (!group || shares(x))
			continue;
		if (x == j) /* the ring ends before its first member */
			j = next;
		cs_group_leave(e, x, true);
		refresh(e, x);
		x->disbanded = group;
		e->disbands = true;
	}
}

int cs_group_tell(struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_action *a = cs_engine_action(e, CS_ACT_JOINED);

	if (!a)
		return -ENOMEM;
	a->job_id = j->job.id;
	a->option = j->option;
	a->group = j->group;
	a->role = j->role;
	a->partner_id = j->partner_id;
	a->slowdown = j->slowdown;
	return 0;
}

int cs_group_join(struct cs_engine *e, struct cs_ejob *j, enum cs_role role,
		  struct cs_ejob *member, uint32_t with)
{
	if (cs_actions_reserve(e, 1))
		return -ENOMEM;
	cs_group_enter(e, j, role, member, with);
	return cs_group_tell(e, j);
}

/* Groups that the host named may have lost members or nodes unnoticed. */
static void check_told(struct cs_engine *e)
{
	for (size_t i = 0; e->told_groups && i < e->started.n; i++)
		cs_group_apart(e, e->started.job[i]);
	for (size_t i = 0; e->told_groups && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];

		cs_group_settle(e, j, true);
		if (j->group)
			refresh(e, j);
	}
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
		a->slowdown = j->slowdown;
		a->credit_us = at.ran_us - at.done_us;
		j->disbanded = 0;
	}
	e->disbands = false;
	return 0;
}

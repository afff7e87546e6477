/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start of a group, as one transaction.
 *
 * The primary job is proposed first, and the starts of the matched jobs need it: if the
 * host refuses it, theirs are refused too, and they wait again.  If it refuses a
 * matched one, the others are unaffected (group.c).  A running job joins by a note,
 * which cannot be refused.
 *
 * In a slice, jobs of other classes that run on nodes of any member are stopped first,
 * and the primary job's start needs the last of these stops (pect.c).
 */
#include "place/group_parts.h"

#include <errno.h>

#include "job/group.h"
#include "job/match.h"
#include "lifecycle/proposal.h"
#include "place/start_alone.h"

/* Stop jobs of other slices on nodes of matched jobs; the last of these stops that a
 * start needs into *ret; 0: none.  0, -ENOMEM. */
static int clear_for(const struct cs_search *s, const struct cs_group_alloc *t,
		     const struct cs_formed *g, uint32_t *ret)
{
	int rc = 0;

	*ret = 0;
	for (uint32_t i = 0; !rc && i < g->n; i++) {
		uint32_t needs = 0;

		if (t->matched[i])
			rc = cs_ask(s->e->slice, clear, 0, s->e, t->matched[i],
				    &needs);
		*ret = needs > *ret ? needs : *ret;
	}
	return rc;
}

/* The primary job of a new group, proposed if it waits; NULL: no memory. */
static struct cs_ejob *enter_primary(struct cs_search *s,
				     struct cs_group_alloc *t,
				     const struct cs_formed *g)
{
	struct cs_engine *e = s->e;
	struct cs_ejob *j = s->f.primary.job;
	uint32_t needs;

	/* a matched job's start needs the primary one's, and no stop besides */
	if (s->rule != 3) {
		if (clear_for(s, t, g, &needs))
			return NULL;
		j = cs_proposal_make(e, j, s->f.primary.option, t->primary,
				     cs_group_hold(e));
		t->primary = NULL;
		if (!j)
			return NULL;
		j->needs = needs > j->needs ? needs : j->needs;
	}
	cs_group_enter(e, j, CS_ROLE_PRIMARY, NULL, 0);
	return j;
}

/* The same of the @i-th matched job of @primary's. */
static struct cs_ejob *enter_matched(struct cs_search *s,
				     struct cs_group_alloc *t,
				     const struct cs_formed *g, uint32_t i,
				     struct cs_ejob *primary)
{
	struct cs_engine *e = s->e;
	const struct cs_candidate *c = &s->f.candidate[g->matched[i]];
	struct cs_ejob *j = c->job;

	if (s->rule != 2) {
		j = cs_proposal_make(e, j, c->option, t->matched[i],
				     cs_group_hold(e));
		t->matched[i] = NULL;
		if (!j)
			return NULL;
		if (primary->state == CS_PROPOSED)
			j->needs = primary->seq;
	}
	cs_group_enter(e, j, CS_ROLE_MATCHED, primary, primary->job.id);
	if (!i)
		primary->partner_id = j->job.id;
	return j;
}

/* Tell the host of a member: its start, or that others joined it. */
static int tell(const struct cs_search *s, struct cs_ejob *j, double gain)
{
	return j->state == CS_PROPOSED
		       ? cs_start_alone_action(s->e, j, s->rule, gain)
		       : cs_group_tell(s->e, j);
}

int cs_search_start(struct cs_search *s, const struct cs_formed *g,
		    struct cs_group_alloc *t)
{
	struct cs_engine *e = s->e;
	struct cs_ejob *matched[CS_MATCHED_MAX], *primary;
	uint32_t n = 0;
	int rc;

	cs_group_alloc_done(s, t);
	s->done = true;
	e->sm->stale = true;
	primary = enter_primary(s, t, g);
	if (!primary)
		return -ENOMEM;
	/* each is told how all others slow it: once all are there */
	rc = cs_actions_reserve(e, (size_t)g->n + 1);
	while (!rc && n < g->n) {
		matched[n] = enter_matched(s, t, g, n, primary);
		if (matched[n])
			n++;
		else
			rc = -ENOMEM;
	}
	if (tell(s, primary, g->gain))
		rc = -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (tell(s, matched[i], g->gain))
			rc = -ENOMEM;
	if (rc)
		cs_group_settle(e, primary, true);
	e->pairs++;
	return rc;
}

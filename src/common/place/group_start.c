/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start of a group, as one transaction.
 *
 * The primary job is proposed first, and the starts of the matched jobs need it:
 * where the host refuses it, theirs are refused with it, and they wait again.
 * Where it refuses a matched one, the others stay what they are (group.c).  Who
 * runs already joins by a note, nothing that could be refused.
 *
 * In a slice those of other classes who run on nodes of any member are stopped
 * before, and the primary job's start needs the last of these stops (pect.c).
 */
#include "place/group_parts.h"

#include <errno.h>

#include "job/group.h"
#include "job/match.h"
#include "lifecycle/proposal.h"
#include "place/start_alone.h"

/* Its job id; 0 for a task of an array that has none yet. */
static uint32_t first_matched(const struct cs_search *s,
			      const struct cs_formed *g)
{
	const struct cs_ejob *j = s->f.candidate[g->matched[0]].job;

	return j->state == CS_WAITING && j->job.array_id ? 0 : j->job.id;
}

/* Stop who runs in another slice on nodes of matched jobs: the last of these stops
 * that a start needs, into *ret; 0: none.  0, -ENOMEM. */
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

static int start_primary(struct cs_search *s, struct cs_group_alloc *t,
			 const struct cs_formed *g, struct cs_ejob **ret)
{
	struct cs_engine *e = s->e;
	const struct cs_candidate *a = &s->f.primary;
	struct cs_ejob *j = a->job;
	uint32_t needs;

	/* a matched job's start needs the primary one's, and no stop besides */
	if (s->rule != 3) {
		if (clear_for(s, t, g, &needs))
			return -ENOMEM;
		j = cs_proposal_make(e, j, a->option, t->primary,
				     cs_group_hold(e));
		t->primary = NULL;
		if (!j)
			return -ENOMEM;
		j->needs = needs > j->needs ? needs : j->needs;
	}
	*ret = j;
	if (s->rule == 3)
		return cs_group_join(e, j, CS_ROLE_PRIMARY, NULL,
				     first_matched(s, g));
	cs_group_enter(e, j, CS_ROLE_PRIMARY, NULL, first_matched(s, g));
	return cs_start_alone_action(e, j, s->rule, g->gain);
}

static int start_matched(struct cs_search *s, struct cs_group_alloc *t,
			 uint32_t i, const struct cs_candidate *c, double gain,
			 struct cs_ejob *primary)
{
	struct cs_engine *e = s->e;
	struct cs_ejob *j = c->job;

	if (s->rule == 2)
		return cs_group_join(e, j, CS_ROLE_MATCHED, primary,
				     primary->job.id);
	j = cs_proposal_make(e, j, c->option, t->matched[i], cs_group_hold(e));
	t->matched[i] = NULL;
	if (!j)
		return -ENOMEM;
	cs_group_enter(e, j, CS_ROLE_MATCHED, primary, primary->job.id);
	if (primary->state == CS_PROPOSED)
		j->needs = primary->seq;
	return cs_start_alone_action(e, j, s->rule, gain);
}

int cs_search_start(struct cs_search *s, const struct cs_formed *g,
		    struct cs_group_alloc *t)
{
	struct cs_engine *e = s->e;
	struct cs_ejob *primary = NULL;
	int rc;

	cs_group_alloc_done(s, t);
	rc = start_primary(s, t, g, &primary);
	for (uint32_t i = 0; !rc && i < g->n; i++)
		rc = start_matched(s, t, i, &s->f.candidate[g->matched[i]],
				   g->gain, primary);
	if (rc && primary)
		cs_group_settle(e, primary, true);
	s->done = true;
	e->pairs++;
	e->sm->stale = true;
	return rc;
}

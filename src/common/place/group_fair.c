/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a group is fair: the last step of G-LOMARC-TS's matchmaking.
 *
 * Symbols	C name		unit
 *   R_est	est_us		us, response predicted at submission,
 *				times response_scale (plan_promise.c)
 *   R_max	max_us		us, F_slack * R_est (Zeng09, equation 4)
 *
 * Rule.  With the group on its nodes until each member ends, no waiting job
 * (plan_fair.c), and no running one that is joined, passes its R_max, or is later at
 * all if already past it.  Waiting members are not checked: they start now.  Without a
 * plan each member must end before a head's promised start, or leave it its room.
 *
 * Source: Zeng09 (see slowdown.h), section 4.5, step 6, and section 4.1.
 *
 * Differs.
 *  1. Predictions keep each member's slowdown until it ends, though it runs faster once
 *     neighbours end.
 *  2. R_est is scaled by .75 (response_scale), the response predicted now is not:
 *     at F_slack = 1.5 a decision may cost another job an eighth of its time.  This is
 *     tighter than with both scaled, which response_scale=1 amounts to: its effect is
 *     among the readings of doc/results/glomarc.md.
 *
 * Cost: that of cs_plan_fair(), and O(nodes of the group * members).
 */
#include "place/group_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "backfill/backfill.h"
#include "backfill/plan.h"
#include "job/match.h"
#include "job/progress.h"
#include "place/group_layers.h"

/* How long it would last from now, slowed by @cos. */
static int64_t lasts(const struct cs_search *s, const struct cs_candidate *c,
		     double cos)
{
	const struct cs_engine *e = s->e;
	double f = c->job->alloc ? cs_progress_beside(e, c->job, cos)
				 : cs_progress_factor(e, c->job, c->shape.quota,
						      c->shape.like, cos) *
					   c->crossing;

	return cs_stretch_us((int64_t)c->rest_us, f);
}

/* When it would end on its slice machine. */
static int64_t ends(const struct cs_search *s, const struct cs_candidate *c,
		    double cos)
{
	return cs_sm_time(s->e, s->e->sm) + lasts(s, c, cos);
}

/* The nodes of @a in ordered @l [n] are not left before @at_us. */
static void leave_at(struct cs_leave *l, uint32_t n, const struct cs_alloc *a,
		     int64_t at_us)
{
	for (uint32_t i = 0, k = 0; i < a->n_node; i++) {
		while (k < n && l[k].node < a->node[i].node)
			k++;
		if (k < n && l[k].node == a->node[i].node && l[k].at_us < at_us)
			l[k].at_us = at_us;
	}
}

/* May running @c, without neighbours so far, be slowed by @cos? */
static bool runner_may(const struct cs_search *s, const struct cs_candidate *c,
		       double cos)
{
	int64_t end = ends(s, c, cos);

	return end <= ends(s, c, 1) || cs_plan_may_end(s->e, c->job, end);
}

/* May all running members? */
static bool runners_may(const struct cs_search *s, const struct cs_formed *g,
			const double *cos)
{
	const struct cs_candidate *a = &s->f.primary;

	if (s->rule == 3 && !runner_may(s, a, g->harm))
		return false;
	for (uint32_t i = 0; s->rule == 2 && i < g->n; i++)
		if (!runner_may(s, &s->f.candidate[g->matched[i]], cos[i]))
			return false;
	return true;
}

static void mark_out(const struct cs_search *s, const struct cs_formed *g,
		     bool out)
{
	s->f.primary.job->plan.out = out;
	for (uint32_t i = 0; i < g->n; i++)
		s->f.candidate[g->matched[i]].job->plan.out = out;
}

/* Does @c on @a, slowed by @cos, keep every head's promise? */
static bool leaves(const struct cs_search *s, const struct cs_candidate *c,
		   const struct cs_alloc *a, double cos)
{
	return cs_backfill_leaves(s->p, a, cs_group_hold(s->e),
				  s->e->now_us + lasts(s, c, cos));
}

/* Without a plan: do all members, which waited? */
static bool all_leave(const struct cs_search *s, const struct cs_formed *g,
		      const struct cs_group_alloc *t, const double *cos)
{
	bool ok = leaves(s, &s->f.primary, t->primary, g->harm);

	for (uint32_t i = 0; ok && i < g->n; i++)
		ok = leaves(s, &s->f.candidate[g->matched[i]], t->matched[i],
			    cos[i]);
	return ok;
}

int cs_search_fair(struct cs_search *s, const struct cs_formed *g,
		   const struct cs_group_alloc *t)
{
	const struct cs_candidate *a = &s->f.primary;
	double cos[CS_MATCHED_MAX];
	struct cs_leave *l;
	int rc;

	cs_group_layers_suffer(&s->f, g, NULL, cos);
	if (!cs_pass_plans(s->p))
		return all_leave(s, g, t, cos);
	if (!runners_may(s, g, cos))
		return 0;
	l = calloc(t->n_node, sizeof(*l));
	if (!l)
		return -ENOMEM;
	/* the group is already on them */
	cs_layout_sort(t->node, t->n_node);
	for (uint32_t i = 0; i < t->n_node; i++)
		l[i].node = t->node[i];
	leave_at(l, t->n_node, t->primary ? t->primary : a->job->alloc,
		 ends(s, a, g->harm));
	for (uint32_t i = 0; i < g->n; i++) {
		const struct cs_candidate *c = &s->f.candidate[g->matched[i]];

		leave_at(l, t->n_node,
			 t->matched[i] ? t->matched[i] : c->job->alloc,
			 ends(s, c, cos[i]));
	}
	mark_out(s, g, true);
	rc = cs_plan_fair(s->e, l, t->n_node, s->e->guests);
	mark_out(s, g, false);
	free(l);
	return rc;
}

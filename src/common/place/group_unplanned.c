/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups where only heads hold promises (backfill=none, easy): CST and CSTWS there.
 *
 * Problem.  Start the first waiting job so that the cores of its nodes are used well:
 * beside which job, or alone?
 *
 * Rules, for the current job (Zeng09, section 4.4, for groups of two).
 *  1. Low load, and serial jobs beside serial ones: see low_load.c.
 *  2. Case 1: beside a waiting job, both on as many empty nodes as the larger needs;
 *     the other may exceed the job's nodes by MATCHED_LARGER.  No plan must be made to
 *     check a pair, so all waiting jobs are tried, in the queue's order, and however
 *     long they last.
 *  3. Case 2 (case 3 if the running job is the larger): beside a running job (join.c).
 *  4. Case 5: alone on all cores of its nodes, if its self slowdown there is at most
 *     MAX_SL.
 *  5. pair-best takes the one with the highest utilisation gain (gain.c), the
 *     lower case and the earlier job at a tie; pair-first the first suitable, in the
 *     order waiting jobs, running jobs, alone.  Each must gain MIN_UTILGAIN.
 *  6. Case 4: else alone, laid out by `layout`, if there is room.
 *  7. `cases` names those of 1, 2, 3 and 5 tried for the head of the queue,
 *     `backfill_cases` for the others; backfill_join=yes adds those of 2 and 3 that are
 *     in `cases`.
 *
 *	gain
 *	 |        case 1 with B     o <- pair-best
 *	 |  case 1 with A  o             (pair-first takes A)
 *	 |                       case 5 o
 *	 |- - - - - - - - - - - - - - - - -  MIN_UTILGAIN
 *	 |                            case 4: whatever it is
 *
 * Source: Zeng09 (see slowdown.h), sections 4.3 to 4.6; CST and CSTWS of 5.1.
 *
 * Differs: other jobs' delays are not checked beyond what the heads are promised.
 *
 * Known weakness: a pair is judged until its first member ends; the half-used nodes
 * after that are not counted.
 *
 * Cost: O(nodes) if no empty nodes are available, else O(waiting) pair slowdowns and
 * O(nodes) for each pair tried; O(running) looks and O(nodes) for each of the
 * RUNNING_PRIM_NUM running jobs tried.  search_steps bounds the partners examined in a
 * pass.
 */
#include "place/group_parts.h"

#include <errno.h>

#include "backfill/backfill.h"
#include "job/match.h"
#include "job/progress.h"
#include "job/resv.h"
#include "place/attempt.h"
#include "place/join.h"
#include "place/start_alone.h"
#include "profile/gain.h"

/* Asked once a job, so that thousands behind a head do not each try all the others. */
int cs_search_may_lead(struct cs_search *s)
{
	struct cs_engine *e = s->e;
	const struct cs_candidate *c = &s->f.primary;
	int64_t run_us = cs_stretch_us((int64_t)c->rest_us, c->pace);
	struct cs_shape shape = c->shape;
	struct cs_alloc *a;
	bool nomem, leaves;

	shape.kind = CS_SHAPE_SPACE;
	cs_resv_nodes(e, c->job, c->option, e->now_us, run_us, e->mask);
	a = cs_layout_choose(&e->sm->now, &shape, e->mask, &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	leaves = cs_backfill_leaves(s->p, a, cs_group_hold(e),
				    e->now_us + run_us);
	cs_alloc_free(a);
	return leaves;
}

/* Case 1. */
static int try_waiting(struct cs_search *s)
{
	int rc = 0;

	if (cs_attempt_tries(s->p, 1) &&
	    cs_search_waiting(s->e, s->entry, &s->f.primary))
		rc = cs_search_form_waiting(s);
	return rc ? rc : cs_search_choose(s);
}

/* The best ways without another waiting job. */
struct ways {
	struct cs_join join; /* cases 2 and 3 */
	struct cs_shape alone;
	bool fits; /* case 5, where it may be taken */
	double gain;
};

/* Case 5. */
static void look_alone(const struct cs_search *s, struct ways *w)
{
	const struct cs_engine *e = s->e;
	const struct cs_ejob *j = s->entry->job;
	const struct cs_node *like =
		cs_engine_like(e, &j->job.option[s->entry->option]);
	double self;

	if (!cs_attempt_tries(s->p, 5) || !like ||
	    !cs_shape_space(&w->alone, &j->job, like,
			    cs_layout_dense_ppn(&j->job, like)))
		return;
	self = cs_progress_self(e, j, w->alone.quota, like);
	w->gain = cs_gain_alone(j->job.procs, self, w->alone.nodes);
	cs_resv_nodes(e, j, s->entry->option, e->now_us, j->job.estimate_us,
		      e->mask);
	w->fits = self <= e->params.max_slowdown &&
		  w->gain >= e->params.min_util_gain &&
		  cs_layout_fits(&e->sm->now, &w->alone, e->mask);
}

/* Leave the better of the ways in @w, or with `first` the first. */
static int look(const struct cs_search *s, struct ways *w)
{
	int rc = 0;

	if (cs_attempt_joins(s->p, 2) || cs_attempt_joins(s->p, 3))
		rc = cs_join_best(s->p, s->entry, false, &w->join);
	if (rc || (s->f.first && w->join.alloc))
		return rc;
	look_alone(s, w);
	if (w->fits && w->join.alloc && w->join.gain >= w->gain)
		w->fits = false;
	return 0;
}

static int start(const struct cs_search *s, struct ways *w)
{
	int rc = 0;

	if (w->fits) {
		rc = cs_start_alone(s->p, s->entry, &w->alone, 5, w->gain);
	} else if (w->join.alloc) {
		rc = cs_join_start(s->e, s->entry, &w->join);
		w->join.alloc = NULL;
		rc = rc ? rc : 1;
	}
	return rc;
}

int cs_search_unplanned(struct cs_search *s)
{
	struct ways w = { 0 };
	int rc = s->f.first ? try_waiting(s) : 0;

	if (!rc && !s->done)
		rc = look(s, &w);
	if (w.fits || w.join.alloc)
		s->least = w.fits ? w.gain : w.join.gain;
	if (!rc && !s->f.first)
		rc = try_waiting(s);
	if (!rc && !s->done)
		rc = start(s, &w);
	cs_alloc_free(w.join.alloc);
	return rc ? rc : s->done;
}

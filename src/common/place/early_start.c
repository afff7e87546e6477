/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Beyond groups: the preset glts+.
 *
 * Problem.  G-LOMARC-TS judges a group by the work that its nodes do, but all else by
 * other rules: a job alone gets as many processes a node as slow it little (equation
 * 8), a backfilled job may not join a running one, and no job starts before its time
 * although each may be delayed a little.  Under load the nodes lost that way cost all
 * jobs more than it saves any.
 *
 * Symbols	C name		unit
 *   R_max	max_us		us, promised response time (plan.c)
 *
 * Rules.
 *  1. One measure for all: a job alone gets the processes a node that gain most by
 *     equation 6 (alone.c, rule 10).  A group must gain more than its primary job does
 *     alone on all cores (rule 2 of group_search.c).  (layout=gain, low_load=layout.)
 *  2. Backfill tries all cases, also beside running jobs and with them as primary ones
 *     (backfill_cases=12345), under the same fairness check (group_fair.c).
 *  3. Before the queue is walked, jobs that have room now but are promised a later
 *     start are tried by increasing estimate: each starts alone at once if, until its
 *     end, it makes no waiting job pass its R_max, nor delays at all one already past
 *     it (early_start).  It takes nodes that the plan keeps for others, and uses up
 *     their slack.  With a rule of sites only on one site.
 *
 *	nodes			 s is promised a start behind b, and starts now;
 *	 |####|bbbbbbbb|sss|	 b waits longer by what s outlasts #: fair
 *	 |sss| bbbbbbbb|	 as long as b's response stays within R_max
 *	 +---------------- time
 *
 * Why the shortest first: the longer a job, the less a delay costs its relative
 * response (response over runtime); so a short one mostly gains more by passing than a
 * long one loses, and R_max bounds that loss.
 *
 * Source: ours, on Zeng09 (see slowdown.h), sections 4.3 to 4.6.  Rule 3 is related
 * to Talby and Feitelson, Supporting Priorities and Improving Utilization of the
 * IBM SP Scheduler Using Slack-Based Backfilling, IPPS/SPDP 1999, which Zeng09
 * names; here the slack is Zeng09's F_slack, and only the shortest are tried.
 *
 * What each rule gives on W1 and W2: doc/results/glts-plus.md.
 *
 * Invariants: no decision raises another job's predicted response above its
 * R_max, nor at all if already above it (test_group_random.c).
 *
 * Cost: in a pass O(jobs log jobs), and at most early_start plans of the queue plus one
 * for each start.
 *
 * Known weakness: under time slices short jobs have no R_max (plan.c): none of them
 * starts early.
 */
#include "place/early_start.h"

#include <errno.h>
#include <stdlib.h>

#include "backfill/plan.h"
#include "job/alone.h"
#include "job/eligible.h"
#include "job/resv.h"
#include "job/site_room.h"
#include "place/attempt.h"
#include "place/site_start.h"
#include "place/start_alone.h"

static bool may_be_early(const struct cs_engine *e, const struct cs_entry *x)
{
	const struct cs_ejob *j = x->job;
	const struct cs_planned *q = &j->plan;

	return cs_waits(j) && cs_eligible_why_not(e, x) == CS_WHY_NEW &&
	       !(cs_job_flags(j, x->option) & CS_JOB_HOST) &&
	       q->option == x->option && q->start_us != CS_TIME_NONE &&
	       q->end_us != CS_TIME_NONE && j->max_us &&
	       q->shape.kind == CS_SHAPE_SPACE &&
	       q->start_us > cs_sm_time(e, e->sm) &&
	       !cs_layout_crowded(&e->sm->now, &q->shape);
}

static int by_estimate(const void *x, const void *y)
{
	const struct cs_ejob *a = ((const struct cs_entry *)x)->job;
	const struct cs_ejob *b = ((const struct cs_entry *)y)->job;

	if (a->job.estimate_us != b->job.estimate_us)
		return a->job.estimate_us < b->job.estimate_us ? -1 : 1;
	return cs_ejob_cmp(a, b);
}

/* With the job on @a from now on, does no other job pass its R_max?  1, 0, -ENOMEM. */
static int is_fair(struct cs_engine *e, struct cs_ejob *j,
		   const struct cs_alloc *a)
{
	int64_t end = cs_sm_time(e, e->sm) + j->plan.run_us;
	struct cs_leave *l = calloc(a->n_node, sizeof(*l));
	int rc;

	if (!l)
		return -ENOMEM;
	for (uint32_t i = 0; i < a->n_node; i++)
		l[i] = (struct cs_leave){ a->node[i].node, end };
	j->plan.out = true;
	rc = cs_plan_fair(e, l, a->n_node, false);
	j->plan.out = false;
	free(l);
	return rc;
}

/* 1: started, 0: not, -ENOMEM.  Uses up one of @tries if there is room. */
static int start_early(struct cs_pass *p, const struct cs_entry *x,
		       int64_t *tries)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = x->job;
	const struct cs_shape *s = &j->plan.shape;
	const struct cs_occ *o;
	struct cs_alloc *a;
	bool nomem;
	int rc;

	o = cs_resv_room(e, j, x->option, s, &e->sm->now, e->now_us,
			 j->plan.run_us, e->mask);
	if (cs_site_rules(e) && !cs_site_start_on_one(e, o, s))
		return 0;
	a = cs_layout_choose(o, s, e->mask, &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	--*tries;
	rc = is_fair(e, j, a);
	if (rc <= 0) {
		cs_alloc_free(a);
		return rc;
	}
	rc = cs_start_alone_on(e, x, s, a, cs_alone_rule(s), 0);
	e->sm->stale = true;
	return rc > 0 && cs_attempt_started(p, x) ? -ENOMEM : rc;
}

int cs_early_start(struct cs_pass *p)
{
	struct cs_engine *e = p->e;
	int64_t tries = e->params.early_start;
	struct cs_entry *x;
	size_t n = 0;
	int rc = 0;

	if (!tries || !p->n)
		return 0;
	x = malloc(p->n * sizeof(*x));
	if (!x)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		if (may_be_early(e, &p->queue[i]))
			x[n++] = p->queue[i];
	if (n > 1)
		qsort(x, n, sizeof(*x), by_estimate);
	for (size_t i = 0; rc >= 0 && tries && i < n; i++)
		do
			rc = may_be_early(e, &x[i])
				     ? start_early(p, &x[i], &tries)
				     : 0;
		while (rc > 0 && tries);
	free(x);
	return rc < 0 ? rc : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed conservative backfill: every waiting job is promised a start.
 *
 * Problem.  Let jobs pass others only if they delay none, not just the head of the
 * queue; and tell for each job when it will start.
 *
 * Rules.
 *  1. The plan is a time line of free cores, and GPUs, by class of nodes (timeline.h).  A started
 *     job takes its nodes until its predicted end, a node with several jobs until the
 *     last of them ends, a job packed by core its cores; with share_scope its nodes, as
 *     not every job may use their other cores.
 *  2. A waiting job that may start is promised the earliest time at which it fits alone
 *     beside the started and the promised ones, in its layout alone; of several
 *     partitions, in the one where it ends first: an earlier start in a small one, laid
 *     out more densely, may end later.
 *  3. A new job is promised what is left: no other moves.  When a job does not end as
 *     predicted, or anything else changes, all promises are remade, with order=fcfs in
 *     the order of the promised starts (then of the queue), else in that of the queue.
 *     With several classes of nodes each moves up with all the others in place, as long
 *     as these hold.  A start that is taken back (as all are in mode shadow) leaves the
 *     job its turn for that instant.  Later, and after a refusal by the host, the job
 *     returns behind the last one ahead of it in the queue.  A job that lacks licences
 *     is promised no start before they should be free.
 *  4. A job starts in the pass at its promised time.
 *  5. A start that may keep nothing (horizon.c) is found like any other and not put
 *     into the plan.
 *
 *	cores
 *	 |#########|cccc  |      # started; a comes first, then b, then c
 *	 |#####|aaaaaaa|         c fits before b: it is promised that, and b does
 *	 |#####|bbbbbbbbbb|      not move.  If # ends early, all move to the left,
 *	 +-------------------    each as far as it can, none to the right.
 *
 * Why rule 3, in the order of the promised starts, delays no job: at any time after a
 * job's promised start, those before it in that order that still run in the new plan
 * also ran then in the old one, so its old place is free.
 *
 * Source: conservative backfilling as in Mu'alem and Feitelson, Utilization,
 * Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2
 * with Backfilling, IEEE TPDS 12(6), 2001, section 2; compressed as in Zeng09 (see
 * slowdown.h), section 4.7.
 *
 * Differs.
 *  1. The paper does not name the order of compression; here it is rule 3's.
 *  2. Priorities of a host change: with order=slurm the first in the queue is promised
 *     first, and a job of higher priority may move a promise.
 *  3. A job is promised nothing that the host's reservations keep from it (resv.c); one
 *     that must wait for its own is promised that one's begin.
 *
 * Invariant: with order=fcfs and whole nodes no promise moves to later unless a
 * started job outlasts its prediction, nodes are lost, or a refused job returns to its
 * place ahead (test_plan.c).  With unlike partitions a job's start may, for an earlier
 * end.
 *
 *  4. With share_scope a packed job is promised empty nodes, though it may start among
 *     its user's (alone.c, rule 6), at once if no promise suffers: the next decide
 *     frees what it was promised.
 *
 * Known weakness: cores that packed jobs leave free on several nodes count as if
 * together; a promise of whole nodes may then be late.  So do cores about to be
 * reserved and others, until they are.  Beyond CHANGES_MOST begins and ends of
 * reservations a job is promised nodes that none keeps from it any more: it may start
 * earlier.  Classes beyond CS_PLAN_KINDS are not distinguished.  If a started job
 * outlasts its prediction, even by the microsecond that a stop may round up, promises
 * on nodes of several classes may move by more than that: those before them move up to
 * other classes.
 *
 * Cost: O(steps) a promise; O(nodes log nodes) more to remake all.
 *
 * This file has rule 3, the fate of all promises; plan_parts.h tells where the rest is.
 */
#include "backfill/backfill.h"
#include "backfill/plan_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "job/eligible.h"
#include "job/forecast.h"
#include "job/horizon.h"
#include "state/pass.h"

static int init(const struct cs_engine *e, struct cs_slice_machine *sm)
{
	(void)e;
	sm->plan = calloc(1, sizeof(*sm->plan));
	sm->regroup = true;
	return sm->plan ? 0 : -ENOMEM;
}

static void done(struct cs_slice_machine *sm)
{
	struct cs_plan *p = sm->plan;

	if (!p)
		return;
	cs_timeline_free(p->base);
	cs_timeline_free(p->line);
	cs_timeline_free(p->trial);
	for (uint32_t i = 0; i < p->n_set; i++)
		free(p->set[i].class);
	free(p->set);
	free(p->class_of);
	free(p->gpu_line);
	free(p->like);
	free(p->of);
	free(p->held);
	free(p->cores);
	free(p->unit);
	free(p->up);
	free(p->what_if);
	free(p->release);
	free(p->times);
	free(p->order);
	free(p);
	sm->plan = NULL;
}

/* The jobs to promise, in the order of rule 3.  Returns how many. */

int cs_plan_by_promise(const void *x, const void *y)
{
	const struct cs_ejob *a = *(struct cs_ejob *const *)x;
	const struct cs_ejob *b = *(struct cs_ejob *const *)y;

	if (a->plan.turn_us != b->plan.turn_us)
		return a->plan.turn_us < b->plan.turn_us ? -1 : 1;
	return a->plan.rank < b->plan.rank ? -1 : a->plan.rank > b->plan.rank;
}

/* The turn of @q, with *latest the latest of those ahead in the queue.  True: it has
 * returned to its place there. */
static bool turn(struct cs_planned *q, int64_t now, int64_t *latest)
{
	bool back = q->turn_us == CS_TURN_QUEUE ||
		    (q->start_us == CS_TIME_NONE && q->turn_us < now);

	if (back)
		q->turn_us = *latest;
	else if (q->turn_us > *latest)
		*latest = q->turn_us;
	return back;
}

static int in_order(struct cs_pass *pass, struct cs_plan *p)
{
	struct cs_engine *e = pass->e;
	int64_t now = cs_sm_time(e, e->sm), latest = CS_TURN_QUEUE;
	struct cs_hosts hosts = { 0 };
	size_t n = 0;

	p->returns = false;
	if (pass->n > p->cap_order) {
		struct cs_ejob **o =
			realloc(p->order, pass->n * sizeof(struct cs_ejob *));

		if (!o)
			return -ENOMEM;
		p->order = o;
		p->cap_order = pass->n;
	}
	for (size_t i = 0; i < pass->n; i++)
		pass->queue[i].job->plan.rank = UINT64_MAX;
	for (size_t i = 0; i < pass->n; i++) {
		struct cs_ejob *j = pass->queue[i].job;

		uint32_t before;

		if (cs_pass_beyond(pass, i))
			continue;
		before = cs_eligible_hosts(e, &pass->queue[i], &hosts);
		if (j->plan.rank != UINT64_MAX || !cs_waits(j) ||
		    (!cs_eligible_now(e, &pass->queue[i]) && !j->forecast &&
		     cs_eligible_why_not(e, &pass->queue[i]) != CS_WHY_AFTER))
			continue;
		j->plan.rank = i;
		j->plan.late = cs_forecast_late(e, before);
		j->plan.out = false;
		p->order[n++] = j;
		p->returns |= turn(&j->plan, now, &latest);
	}
	p->n_order = n;
	return 0;
}

/* A job that may no longer start still holds a promise, or one was broken: its holder
 * must not fall behind those promised later. */
static bool forsaken(const struct cs_pass *pass)
{
	int64_t now = cs_sm_time(pass->e, pass->e->sm);

	for (size_t i = 0; i < pass->n; i++) {
		const struct cs_planned *q = &pass->queue[i].job->plan;

		if (q->start_us < now ||
		    (q->rank == UINT64_MAX && q->start_us != CS_TIME_NONE))
			return true;
	}
	return false;
}

static void sort_order(const struct cs_engine *e, struct cs_plan *p)
{
	if (e->order->lasting)
		cs_sort(p->order, p->n_order, sizeof(struct cs_ejob *),
			cs_plan_by_promise);
}

bool cs_plan_holds_all(const struct cs_engine *e, const struct cs_plan *p,
		       const struct cs_timeline *t)
{
	int64_t now = cs_sm_time(e, e->sm);

	for (uint32_t c = 0; c < p->n_line; c++)
		if (cs_timeline_least(t, c, now, CS_TIME_NONE) < 0)
			return false;
	return true;
}

/* Put all promises into p->line.  1: they fit, and all can be kept; 0, -ENOMEM. */
static int keep_all(const struct cs_engine *e, struct cs_plan *p)
{
	int64_t now = cs_sm_time(e, e->sm);
	int rc = 0;

	for (size_t i = 0; !rc && i < p->n_order; i++) {
		const struct cs_planned *q = &p->order[i]->plan;

		if (q->start_us < now)
			return 0;
		if (q->start_us != CS_TIME_NONE)
			rc = cs_plan_add_all(e, p, p->line, q->start_us,
					     q->end_us, q->cores, 1);
	}
	return rc ? rc : cs_plan_holds_all(e, p, p->line);
}

/*
 * Rule 3.  With several classes, a job that moves up might take nodes of another class
 * from a job that is promised those.  So each moves with all the others in place; only
 * when those places are unavailable is the line rebuilt from scratch.
 */
static int compress(struct cs_engine *e, struct cs_plan *p, bool in_place)
{
	int rc = cs_timeline_copy(p->line, p->base);

	if (!rc && in_place) {
		rc = keep_all(e, p);
		in_place = rc > 0;
		rc = rc < 0	? rc
		     : in_place ? 0
				: cs_timeline_copy(p->line, p->base);
	}
	for (size_t i = 0; !rc && i < p->n_order; i++) {
		struct cs_ejob *j = p->order[i];

		if (in_place && j->plan.start_us != CS_TIME_NONE)
			rc = cs_plan_lift(e, p, p->line, &j->plan);
		if (!rc)
			rc = cs_plan_promise(e, p, p->line, j);
	}
	return rc;
}

static int anew(struct cs_pass *pass, struct cs_plan *p, bool regrouped)
{
	struct cs_engine *e = pass->e;
	int rc = cs_plan_make_base(e, p);

	/* in other orders only estimates outlive the decide */
	e->changed |= e->order->lasting;
	sort_order(e, p);
	for (size_t i = 0; i < pass->n; i++)
		if (pass->queue[i].job->plan.rank == UINT64_MAX)
			cs_plan_promise_nothing(pass->queue[i].job);
	if (!rc)
		rc = compress(e, p,
			      p->n_class > 1 && !regrouped &&
				      e->order->lasting);
	e->sm->stale = rc != 0;
	p->left = false;
	/* as they would be remade (cs_plan_fair()) */
	sort_order(e, p);
	if (!rc)
		cs_plan_remade(e, p);
	return rc;
}

bool cs_plan_long(const struct cs_engine *e, const struct cs_plan *p)
{
	return cs_timeline_steps(p->line) >
	       4 * (p->n_order + e->started.n) + 64;
}

/* Is its start found already, and does it still keep nothing? */
static bool still_far(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_planned *q = &j->plan;

	return q->far_us &&
	       !cs_horizon_keeps(e, j, q->option,
				 cs_sm_host_us(e, e->sm, q->far_us));
}

int cs_plan_update(struct cs_pass *pass)
{
	struct cs_engine *e = pass->e;
	struct cs_plan *p = e->sm->plan;
	bool regroups = cs_plan_regroups(e, p);
	int rc = regroups ? cs_plan_regroup(e, p) : 0;

	p->array = NULL;
	p->exact = false;
	e->sm->moved = false;
	e->sm->stale |= p->ahead;
	p->ahead = false;
	if (!rc)
		rc = in_order(pass, p);
	if (rc)
		return rc;
	if (e->sm->stale || p->returns || !e->order->lasting ||
	    forsaken(pass) || cs_plan_outlasted(e, p) || cs_plan_long(e, p))
		return anew(pass, p, regroups || p->returns);
	for (size_t i = 0; !rc && i < p->n_order; i++) {
		struct cs_ejob *j = p->order[i];

		if (j->plan.start_us != CS_TIME_NONE || still_far(e, j))
			continue;
		e->changed = true;
		rc = cs_plan_promise(e, p, p->line, j);
	}
	sort_order(e, p);
	return rc;
}

bool cs_plan_due(const struct cs_pass *p)
{
	const struct cs_entry *x = &p->queue[p->i];

	return x->job->plan.option == x->option &&
	       x->job->plan.start_us <= cs_sm_time(p->e, p->e->sm);
}

bool cs_plan_first_due(const struct cs_pass *pass)
{
	const struct cs_plan *p = pass->e->sm->plan;
	int64_t now = cs_sm_time(pass->e, pass->e->sm);

	for (size_t i = 0; !pass->e->guests && i < p->n_order; i++)
		if (cs_waits(p->order[i]) && p->order[i]->plan.start_us <= now)
			return p->order[i] == pass->queue[pass->i].job;
	return false;
}

void cs_plan_as_promised(const struct cs_pass *pass, const struct cs_occ *o,
			 const struct cs_shape *s, uint64_t *mask)
{
	const struct cs_engine *e = pass->e;
	const struct cs_plan *p = e->sm->plan;
	const struct cs_planned *q = &pass->queue[pass->i].job->plan;
	int32_t left[CS_PLAN_CLASSES] = { 0 };
	uint32_t meets = 0, last = 0;

	for (uint32_t c = 0; c < p->n_class; c++) {
		int32_t unit = cs_plan_unit(e, p, &q->shape, c);

		left[p->of[c]] += unit ? -q->cores[c] / unit : 0;
	}
	for (uint32_t c = 0; c < p->n_kind; c++)
		if (left[c]) {
			meets++;
			last = c;
		}
	/* within one class any will do: prefer nodes near each other */
	if (e->machine->topology && meets == 1)
		left[last] = INT32_MAX;
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		uint32_t c = p->class_of[n];

		if (!cs_bit(mask, n))
			continue;
		if (!left[c] || (s->even && !cs_layout_usable(o, n, s)))
			cs_bit_clear(mask, n);
		else
			left[c] -= s->even;
	}
}

/* Before a walk: a job on other nodes than promised lets all others move up. */
static int begin(struct cs_pass *p)
{
	p->e->sm->stale |= p->e->sm->plan->left;
	return cs_plan_update(p);
}

/* ... before any promised start: while the plan is out of date. */
static int64_t before_all(const struct cs_engine *e, int64_t from_us,
			  int64_t until_us)
{
	for (size_t i = 0; i < e->waiting.n; i++) {
		const struct cs_ejob *j = e->waiting.job[i];

		if (cs_waits(j) && j->plan.start_us >= from_us &&
		    j->plan.start_us < until_us)
			until_us = j->plan.start_us;
	}
	return until_us;
}

static int64_t stays_us(struct cs_engine *e, const struct cs_alloc *a,
			enum cs_node_use hold, int64_t from_us,
			int64_t until_us)
{
	return e->sm->plan->line && !e->sm->stale
		       ? cs_plan_stays_us(e, a, hold, from_us, until_us)
		       : before_all(e, from_us, until_us);
}

const struct cs_backfill_ops cs_backfill_conservative = {
	.all = true,
	.init = init,
	.done = done,
	.copy = cs_plan_copy,
	.booked = cs_plan_booked,
	.leaving = cs_plan_leaving,
	.longer = cs_plan_longer,
	.takes = cs_plan_takes,
	.dropped = cs_plan_drop,
	.begin = begin,
	.leaves = cs_plan_leaves,
	.leaves_moved = cs_plan_leaves_moved,
	.stays_us = stays_us,
};

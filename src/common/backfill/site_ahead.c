/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split a job now, or wait for a site that holds it?
 *
 * Problem.  No single site has room for a job, but all together do.  Split, it starts
 * now and runs longer; on one site it starts later.
 *
 * Symbols	C name		unit
 *   t		start_us	us, now or an instant at which running jobs end
 *   k(t)	fragments	the fewest sites with room for it then; as jobs
 *				end it only falls
 *   E(t)	end_us		t + r*(k(t)), crossing.h
 *
 * Rules.  Of the instants with k(t) <= the most that site_room.c and the highest limit
 * of the job allow it takes
 *	single, split	the first
 *	adaptive	the first with E(t) < E(t1), t1 the first with k = 1; else t1
 *	look		the least E(t) + r*(k(t)) - r: crossing takes nodes from
 *			others for that much longer, so it counts once more for them
 * and starts if that is now.  With slices all this is on the job's own slice machine,
 * by its clock.
 *
 *	k  3 |---+                       r = 60, p = .5, now = 0
 *	   2 |   +-------+               single: at 50, ends at 110
 *	   1 |           +-----          split over 3 now, ends at 90: adaptive does
 *	     +---+-------+----- t
 *	     0   20      50
 *
 * Once the looks of a walk have cost SPENT_MOST, some milliseconds, jobs behind are not
 * split in it: they wait, as one does that would end later by being split.
 *
 * Source: Ernemann02 (model/sites.h), section 3 and figure 1, adaptive; look is ours.
 *
 * Differs.
 *  1. The paper's rule leaves open what has room when.  Here it is what the predicted
 *     ends of the running jobs leave, ignoring other waiting jobs: to count the first
 *     of them moves AWRT by less than 1 % on m384 (5 % on m64).
 *  2. If crossing costs more for each fragment, the first instant need not give the
 *     earliest end, and the paper's rule asks only the job.  `look` is measured in
 *     doc/results/multisite.md.  In trials on six workloads a weight of .5 or of 2 for
 *     the second term did worse on most grids, one of 0 on all but one; ends within a
 *     fifth of r taken as alike cost up to 5 % where overhead is constant; a weight by
 *     what waits, or another for jobs behind a head, changed nothing that 6 seeds show.
 *  3. Ends are those of the limits.  With ends predicted from how much of their limits
 *     the user's last 2 or 8 jobs used (a trial of `look` on m64-8 and m256-5, p = 180 %,
 *     8 seeds), AWRT was 25 to 77 % higher.
 */
#include "backfill/site_ahead.h"

#include <string.h>

#include "backfill/endings.h"
#include "job/crossing.h"
#include "job/resv.h"
#include "model/sites.h"

/* Running jobs and sites looked at in a walk of the queue. */
#define SPENT_MOST 4000000

struct ahead {
	const struct cs_engine *e;
	const struct cs_ejob *job;
	uint32_t option;
	const struct cs_shape *shape;
	int64_t run_us;
	struct cs_site_work *work;
	bool counted;	 /* who ends leaves empty nodes, and these suit */
	uint64_t lacks;	 /* room, until k can be less */
	uint32_t n;	 /* work->step [n], k falling */
	bool must;	 /* no site could ever hold it */
	uint32_t denied; /* split over so many now, had it the limit; 0 */
};

/* The time that it takes over @k sites. */
static int64_t crossing_us(const struct ahead *a, uint32_t k)
{
	return cs_stretch_us(a->run_us, cs_crossing_factor(a->e, a->job, k));
}

static int64_t end_us(const struct ahead *a, const struct cs_site_step *s)
{
	return cs_later_us(s->start_us, crossing_us(a, s->fragments));
}

/* The nodes that the job may use at @t_us, and their room. */
static void room_at(struct ahead *a, int64_t t_us)
{
	struct cs_site_work *w = a->work;
	const struct cs_occ *o = cs_resv_room(
		a->e, a->job, a->option, a->shape,
		a->counted ? &a->e->sm->now : &w->at, t_us, a->run_us, w->mask);

	cs_site_room_in(&w->then, o, a->shape, w->mask);
}

/* @j, alone on its nodes, ends. */
static void emptied(struct ahead *a, const struct cs_ejob *j)
{
	const struct cs_site_work *w = a->work;

	for (uint32_t i = 0; i < j->alloc->n_node; i++) {
		uint32_t n = j->alloc->node[i].node;
		uint32_t site = a->e->machine->sites->of[n];

		if (!cs_bit(w->mask, n) || cs_bit(a->e->sm->now.down, n))
			continue;
		w->then.have[site]++;
		w->then.nodes[site]++;
		a->lacks -= a->lacks > 0;
	}
}

/* @j ends: its nodes gain room. */
static void without(struct ahead *a, const struct cs_ejob *j)
{
	struct cs_site_work *w = a->work;
	const uint32_t *of = a->e->machine->sites->of;
	bool more = false;

	if (a->counted) {
		emptied(a, j);
		return;
	}
	do {
		if (more)
			cs_occ_remove(&w->at, j->alloc, j->hold);
		for (uint32_t i = 0; i < j->alloc->n_node; i++) {
			uint32_t n = j->alloc->node[i].node, k;

			if (!cs_bit(w->mask, n))
				continue;
			k = cs_site_room_on(&w->at, a->shape, n);
			w->then.have[of[n]] += more ? k : -k;
			w->then.nodes[of[n]] +=
				more ? k > 0 : -(uint32_t)(k > 0);
			if (more)
				a->lacks -= k < a->lacks ? k : a->lacks;
		}
		more = !more;
	} while (more);
}

/* May its limit be raised for @k fragments?  A job that must be split makes do with its
 * limit: else it would wait for ever. */
static bool limit_allows(const struct ahead *a, uint32_t k)
{
	int64_t us = crossing_us(a, k);

	return a->must || us <= a->run_us ||
	       us <= a->job->job.option[a->option].limit_max_us;
}

/* Fewer fragments than before, and no more than allowed?  Then @t_us counts. */
static void note(struct ahead *a, uint32_t most, int64_t t_us)
{
	struct cs_site_step *step = a->work->step;
	uint32_t k;

	if (a->lacks)
		return;
	k = cs_site_room_lacks(&a->work->then, &a->lacks);
	a->work->spent += (uint64_t)a->work->then.n * (k + 1);
	if (!k || k > most || (a->n && k >= step[a->n - 1].fragments))
		return;
	if (limit_allows(a, k))
		step[a->n++] = (struct cs_site_step){ t_us, k };
	else if (t_us == a->e->now_us)
		a->denied = k;
}

/* Fill work->step until the first instant with the fewest possible. */
static void look(struct ahead *a, uint32_t most)
{
	const struct cs_endings *x = &a->e->sm->endings;
	bool first = !a->work->rule->weighs;
	int64_t t = a->e->now_us;
	uint32_t i = 0;

	a->work->spent += x->n + a->work->then.n;
	cs_endings_sort(a->e);
	a->counted = cs_layout_any_empty(a->e->machine, a->shape) &&
		     !a->e->n_held && !a->e->sm->now.shared_nodes;
	if (!a->counted)
		cs_occ_copy(&a->work->at, &a->e->sm->now);
	room_at(a, t);
	note(a, most, t);
	while (!(a->n && (first || a->work->step[a->n - 1].fragments == 1)) &&
	       (t = cs_endings_next_us(a->e, a->job, a->option, i, t)) !=
		       CS_TIME_NONE) {
		for (; i < x->n && x->ending[i].end_us <= t; i++)
			without(a, x->ending[i].job);
		if (a->e->n_held) {
			room_at(a, t);
			a->lacks = 0;
		}
		note(a, most, t);
	}
}

/* By `adaptive`: the first that ends before the last one, which is on one site if
 * possible. */
static const struct cs_site_step *sooner(const struct ahead *a)
{
	const struct cs_site_step *step = a->work->step,
				  *last = &step[a->n - 1];

	while (last->fragments == 1 && step < last &&
	       end_us(a, step) >= end_us(a, last))
		step++;
	return step;
}

/* What a start at @s costs by `look`: when it ends, and what crossing takes. */
static int64_t cost_us(const struct ahead *a, const struct cs_site_step *s)
{
	int64_t end = end_us(a, s);

	return cs_later_us(
		end, cs_site_toll_us(a->e, end - s->start_us - a->run_us));
}

/* By `look`; at a tie, with fewer fragments. */
static const struct cs_site_step *cheapest(const struct ahead *a)
{
	const struct cs_site_step *step = a->work->step, *best = step;

	for (uint32_t i = 1; i < a->n; i++)
		if (cost_us(a, &step[i]) <= cost_us(a, best))
			best = &step[i];
	return best;
}

/* @s: what the rule takes; NULL: nothing makes room. */
static struct cs_site_way way_of(const struct ahead *a,
				 const struct cs_site_step *s)
{
	const struct cs_site_step *first = a->work->step;
	struct cs_site_way way = { .start_us = CS_TIME_NONE,
				   .wait = { .start_us = CS_TIME_NONE } };

	if (s) {
		way.start_us = way.wait.start_us = s->start_us;
		way.fragments = way.wait.fragments = s->fragments;
		way.wait.end_us = end_us(a, s);
	}
	if (a->denied) {
		way.wait.split = a->denied;
		way.wait.lacks_us = crossing_us(a, a->denied);
	} else if (s && first->start_us == a->e->now_us &&
		   first->fragments > 1) {
		way.wait.split = first->fragments;
		way.wait.split_end_us = end_us(a, first);
	}
	return way;
}

bool cs_site_ahead_may(const struct cs_engine *e)
{
	struct cs_site_work *w = e->site_work;

	if (w->walk != e->walks)
		w->spent = 0;
	w->walk = e->walks;
	return !w->rule->weighs || w->spent < SPENT_MOST;
}

struct cs_site_way cs_site_ahead(struct cs_engine *e, const struct cs_ejob *j,
				 uint32_t option, const struct cs_shape *s,
				 int64_t run_us)
{
	struct ahead a = { .e = e,
			   .job = j,
			   .option = option,
			   .shape = s,
			   .run_us = run_us,
			   .work = e->site_work };
	uint32_t least, most = cs_site_room_most(e, j, option, s, &least);
	bool guests = e->guests;

	a.must = least > 1;
	e->guests = false;
	look(&a, most);
	e->guests = guests;
	if (!a.n)
		return way_of(&a, NULL);
	if (!a.work->rule->weighs)
		return way_of(&a, a.work->step);
	return way_of(&a, a.work->rule->best ? cheapest(&a) : sooner(&a));
}

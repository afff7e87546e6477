/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start of a job on one site, or over several.
 *
 * Rules.
 *  1. On one site, where any has room: on the one with the least that leaves every
 *     promise as it is (BestFit).  Where it has room but would delay a promise, the job
 *     is not split instead.
 *  2. Else over as few as there can be, if the rule does not have it wait
 *     (site_ahead.c) and every promise is left: all that the sites with most room
 *     have, and of the last one what is still needed.
 *  3. With a plan both hold for a job whose promise is due, by the way that it was
 *     promised (backfill/plan_promise.c), and a job over several may have the nodes of
 *     the classes that it is promised.  The first in the queue starts anyway: a plan by
 *     cores may promise it less than it takes (start_alone.c).
 *
 * Source: Ernemann02 (model/sites.h), section 3 and figure 1.
 *
 * Cost: O(sites * (nodes + a look at the promises)).
 */
#include "place/site_start.h"

#include <errno.h>
#include <string.h>

#include "backfill/backfill.h"
#include "backfill/plan.h"
#include "backfill/site_ahead.h"
#include "job/alone.h"
#include "job/crossing.h"
#include "job/resv.h"
#include "model/sites.h"
#include "place/attempt.h"
#include "place/start_alone.h"

struct start {
	struct cs_pass *p;
	const struct cs_entry *entry;
	const struct cs_shape *shape;
	const struct cs_occ *o; /* the machine for it */
	uint32_t rule;
	double gain;
};

/* Start it on nodes of @set until @end_us, if that leaves every promise, or @anyway. */
static int start_within(const struct start *s, const uint64_t *set,
			int64_t end_us, bool anyway)
{
	struct cs_engine *e = cs_attempt_engine(s->p);
	bool nomem = false;
	struct cs_alloc *a = cs_layout_choose(s->o, s->shape, set, &nomem);

	if (!a)
		return nomem ? -ENOMEM : 0;
	if (!cs_backfill_leaves(s->p, a, cs_alone_hold(s->shape), end_us)) {
		if (!anyway) {
			cs_alloc_free(a);
			return 0;
		}
		e->sm->stale = true; /* promises are made anew */
	}
	return cs_start_alone_on(e, s->entry, s->shape, a, s->rule, s->gain);
}

/* Rule 1. */
static int on_one(const struct start *s, int64_t end_us, bool anyway)
{
	struct cs_engine *e = cs_attempt_engine(s->p);
	struct cs_site_work *w = e->site_work;
	uint32_t site = UINT32_MAX;
	int rc = 0;

	while (!rc &&
	       (site = cs_site_room_tightest(&w->now, site)) != UINT32_MAX) {
		memcpy(w->nodes, e->machine->sites->site[site].nodes,
		       cs_node_words(e->machine) * sizeof(*w->nodes));
		cs_bits_and(w->nodes, e->mask, cs_node_words(e->machine));
		rc = start_within(s, w->nodes, end_us, anyway);
	}
	return rc;
}

/* Put the nodes of @site that do into w->nodes, of an even shape @most at most; how
 * many. */
static uint32_t add_site(const struct start *s, uint32_t site, uint32_t most)
{
	struct cs_engine *e = cs_attempt_engine(s->p);
	struct cs_site_work *w = e->site_work;
	const struct cs_site *x = &e->machine->sites->site[site];
	uint32_t k = 0;

	for (uint32_t i = x->from; i < x->end; i++)
		for (uint64_t set = x->nodes[i] & e->mask[i]; set;) {
			uint32_t n = i * 64 + cs_bit_pop(&set), fit;

			fit = cs_site_room_on(s->o, s->shape, n);
			if (!fit || (s->shape->even && k == most))
				continue;
			cs_bit_set(w->nodes, n);
			k += fit;
		}
	return k;
}

/* Rule 2. */
static int on_several(const struct start *s, int64_t run_us, bool anyway)
{
	struct cs_engine *e = cs_attempt_engine(s->p);
	struct cs_site_work *w = e->site_work;
	uint32_t site = UINT32_MAX, left = w->now.need,
		 nodes = w->now.need_nodes;

	memset(w->nodes, 0, cs_node_words(e->machine) * sizeof(*w->nodes));
	while ((left || nodes) &&
	       (site = cs_site_room_next(&w->now, site)) != UINT32_MAX) {
		uint32_t k = add_site(s, site, left);
		uint32_t has = s->shape->even ? k : w->now.nodes[site];

		left -= k < left ? k : left;
		nodes -= has < nodes ? has : nodes;
	}
	return start_within(s, w->nodes, e->now_us + run_us, anyway);
}

/* Write down why it waits. */
static void waits(const struct cs_engine *e, struct cs_ejob *j,
		  const struct cs_site_way *way)
{
	j->site = way->wait;
	j->site.walk = e->walks;
}

/* Does the rule split it now?  Then what crossing costs it, else 0.  With a plan it was
 * decided when the job was promised (plan_promise.c). */
static double crossing(struct cs_pass *p, struct cs_ejob *j, uint32_t option,
		       const struct cs_shape *s, int64_t run_us,
		       uint32_t fragments)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_site_way way;

	if (cs_pass_plans(p))
		return j->plan.fragments > 1
			       ? cs_crossing_factor(e, j, fragments)
			       : 0;
	way = cs_site_ahead(e, j, option, s, run_us);
	if (way.start_us != e->now_us) {
		waits(e, j, &way);
		return 0;
	}
	return cs_crossing_factor(e, j, way.fragments);
}

int cs_site_start(struct cs_pass *p, const struct cs_entry *entry,
		  const struct cs_shape *s, int64_t run_us, uint32_t rule,
		  double gain)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_ejob *j = entry->job;
	struct start start = { p, entry, s, NULL, rule, gain };
	bool head = cs_pass_plans(p) && cs_attempt_is_head(p);
	uint32_t k;
	double f;
	int rc;

	if (cs_pass_plans(p)) /* which has what crossing costs in it */
		run_us = cs_stretch_us(j->job.estimate_us,
				       cs_alone_factor(e, j, s));
	start.o = cs_resv_room(e, j, entry->option, s, &e->sm->now, e->now_us,
			       run_us, e->mask);
	if (!cs_backfill_may_leave(p, s, e->mask, e->now_us + run_us))
		return 0;
	cs_site_room_in(&e->site_work->now, start.o, s, e->mask);
	k = cs_site_room_fewest(&e->site_work->now);
	if (k < 2) {
		rc = k ? on_one(&start, e->now_us + run_us, false) : 0;
		return rc || !k || !head
			       ? rc
			       : on_one(&start, e->now_us + run_us, true);
	}
	f = crossing(p, j, entry->option, s, run_us, k);
	if (f <= 0)
		return 0;
	run_us = cs_stretch_us(run_us, f);
	start.o = cs_resv_room(e, j, entry->option, s, &e->sm->now, e->now_us,
			       run_us, e->mask);
	rc = on_several(&start, run_us, false);
	if (!rc && cs_pass_plans(p)) {
		cs_plan_as_promised(p, start.o, s, e->mask);
		rc = start_within(&start, e->mask, e->now_us + run_us, false);
	}
	if (rc || !head)
		return rc;
	start.o = cs_resv_room(e, j, entry->option, s, &e->sm->now, e->now_us,
			       run_us, e->mask);
	return on_several(&start, run_us, true);
}

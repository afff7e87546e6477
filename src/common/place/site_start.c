/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start of a job on one site, or over several.
 *
 * Rules.
 *  1. On one site, if any has room: on the one with the least that keeps every promise
 *     (BestFit); by site_rule=look on the smallest, at a tie the one with the least: a
 *     large site is what keeps large jobs from being split.  If it has room but would
 *     delay a promise, the job is not split instead.
 *  2. Else over the fewest possible, unless the rule makes it wait (site_ahead.c), if
 *     every promise is kept: all that the sites with most room have, and of the last
 *     one what is still needed.
 *  3. With a plan both apply to a job whose promise is due, in the promised way
 *     (backfill/plan_promise.c), and a job over several may have nodes of its promised
 *     classes.  It is on no more sites than the rule allows, and runs no longer over
 *     them than it was promised to.  Some start anyway (cs_start_alone_anyway()), within
 *     their highest limit.
 *  4. With slices the rule is that of the job's own slice machine, where the others are
 *     invisible.  In another class's slice a job starts by it on the nodes left idle,
 *     over no more sites than on its own machine: one that has a site there waits for
 *     its slice.
 *
 *  5. Beside other jobs (place=pair-best, pair-first, group) nobody is on more sites
 *     than he was promised (group_nodes.c, rule 4; join.c, rule 7), and a job that
 *     starts early is on one (early_start.c).
 *
 * Source: Ernemann02 (model/sites.h), section 3 and figure 1; look is ours.
 *
 * In trials nothing came of choosing the sites of rule 2 otherwise (by least room left
 * over, smaller ones first, the last k by room): within 2 % of AWRT, either way.
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
#include "job/progress.h"
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
	int64_t run_us; /* on one site */
	/* it may be on no more sites, nor run longer there */
	uint32_t most;
	int64_t longest_us;
};

/* How long it runs over @k sites. */
static int64_t over_us(const struct start *s, uint32_t k)
{
	const struct cs_engine *e = cs_attempt_engine(s->p);

	return cs_stretch_us(s->run_us,
			     cs_crossing_factor(e, s->entry->job, k));
}

static bool allowed(const struct start *s, uint32_t k)
{
	return k < 2 || (k <= s->most && over_us(s, k) <= s->longest_us);
}

/* Start it on nodes of @set, if it is allowed there and that keeps every promise, or
 * @anyway. */
static int start_within(const struct start *s, const uint64_t *set, bool anyway)
{
	struct cs_engine *e = cs_attempt_engine(s->p);
	bool nomem = false;
	struct cs_alloc *a = cs_layout_choose(s->o, s->shape, set, &nomem);
	uint32_t k;

	if (!a)
		return nomem ? -ENOMEM : 0;
	k = cs_sites_touched(e->machine->sites, a);
	if (!allowed(s, k)) {
		cs_alloc_free(a);
		return 0;
	}
	if (!cs_backfill_leaves(s->p, a, cs_alone_hold(s->shape),
				e->now_us + over_us(s, k))) {
		if (!anyway) {
			cs_alloc_free(a);
			return 0;
		}
		e->sm->stale = true; /* promises must be remade */
	}
	return cs_start_alone_on(e, s->entry, s->shape, a, s->rule, s->gain);
}

/* Rule 1. */
static int on_one(const struct start *s, bool anyway)
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
		rc = start_within(s, w->nodes, anyway);
	}
	return rc;
}

/* Of an even shape @n nodes of w->mask that a job would rather have (layout.c); NULL:
 * any, or no memory (*ret_nomem). */
static struct cs_alloc *part_of(const struct start *s, uint32_t n,
				bool *ret_nomem)
{
	const struct cs_engine *e = cs_attempt_engine(s->p);
	struct cs_shape part = *s->shape;

	part.nodes = n;
	part.procs = n * part.quota;
	return cs_layout_choose(s->o, &part, e->site_work->mask, ret_nomem);
}

/* Put suitable nodes of @site into w->nodes, for an even shape at most @most; returns
 * how many, or -ENOMEM. */
static int64_t add_site(const struct start *s, uint32_t site, uint32_t most)
{
	struct cs_engine *e = cs_attempt_engine(s->p);
	struct cs_site_work *w = e->site_work;
	const struct cs_site *x = &e->machine->sites->site[site];
	bool some = s->shape->even && w->now.have[site] > most, nomem = false;
	struct cs_alloc *a = NULL;
	uint32_t k = 0;

	memset(w->mask, 0, cs_node_words(e->machine) * sizeof(*w->mask));
	for (uint32_t i = x->from; i < x->end; i++)
		w->mask[i] = x->nodes[i] & e->mask[i];
	if (some)
		a = part_of(s, most, &nomem);
	if (nomem)
		return -ENOMEM;
	if (a)
		cs_alloc_mark(a, w->nodes);
	for (uint32_t i = x->from; !a && i < x->end; i++)
		for (uint64_t set = w->mask[i]; set;) {
			uint32_t n = i * 64 + cs_bit_pop(&set), fit;

			fit = cs_site_room_on(s->o, s->shape, n);
			if (!fit || (some && k == most))
				continue;
			cs_bit_set(w->nodes, n);
			k += fit;
		}
	cs_alloc_free(a);
	return a ? most : k;
}

/* Rule 2. */
static int on_several(const struct start *s, bool anyway)
{
	struct cs_engine *e = cs_attempt_engine(s->p);
	struct cs_site_work *w = e->site_work;
	uint32_t site = UINT32_MAX, left = w->now.need,
		 nodes = w->now.need_nodes;

	memset(w->nodes, 0, cs_node_words(e->machine) * sizeof(*w->nodes));
	while ((left || nodes) &&
	       (site = cs_site_room_next(&w->now, site)) != UINT32_MAX) {
		int64_t k = add_site(s, site, left);
		uint32_t has =
			s->shape->even ? (uint32_t)k : w->now.nodes[site];

		if (k < 0)
			return (int)k;
		left -= k < left ? (uint32_t)k : left;
		nodes -= has < nodes ? has : nodes;
	}
	return start_within(s, w->nodes, anyway);
}

/* Record why it waits. */
static void waits(const struct cs_engine *e, struct cs_ejob *j,
		  const struct cs_site_way *way)
{
	j->site = way->wait;
	j->site.start_us = cs_progress_host_us(e, j, j->site.start_us);
	j->site.end_us = cs_progress_host_us(e, j, j->site.end_us);
	j->site.split_end_us = cs_progress_host_us(e, j, j->site.split_end_us);
	j->site.walk = e->walks;
}

/* What it may use for as long as it takes over @k sites: into s->o and e->mask. */
static void look_over(struct start *s, uint32_t k)
{
	struct cs_engine *e = cs_attempt_engine(s->p);

	s->o = cs_resv_room(e, s->entry->job, s->entry->option, s->shape,
			    &e->sm->now, e->now_us, over_us(s, k), e->mask);
}

/* Rule 2 without a plan, over @k sites. */
static int split_now(struct start *s, uint32_t k)
{
	struct cs_engine *e = cs_attempt_engine(s->p);
	struct cs_ejob *j = s->entry->job;
	struct cs_site_way way;

	if (!cs_site_ahead_may(e))
		return 0;
	way = cs_site_ahead(e, j, s->entry->option, s->shape, s->run_us);
	if (way.start_us != e->now_us) {
		waits(e, j, &way);
		return 0;
	}
	s->most = way.fragments; /* rule 4 */
	s->longest_us = CS_TIME_NONE;
	if (!allowed(s, k))
		return 0;
	look_over(s, k);
	return on_several(s, false);
}

/* Rule 3, over @k sites by what is free now. */
static int split_as_planned(struct start *s, uint32_t k, bool anyway)
{
	struct cs_engine *e = cs_attempt_engine(s->p);
	struct cs_ejob *j = s->entry->job;
	uint32_t option = s->entry->option, least;
	int rc = 0;

	if (j->plan.fragments < 2)
		return 0;
	s->most = cs_site_room_most(e, j, option, s->shape, &least);
	s->longest_us = j->plan.run_us;
	if (allowed(s, k)) {
		look_over(s, k);
		rc = on_several(s, false);
	}
	if (!rc) {
		look_over(s, j->plan.fragments);
		cs_plan_as_promised(s->p, s->o, s->shape, e->mask);
		rc = start_within(s, e->mask, false);
	}
	if (rc || !anyway)
		return rc;
	s->longest_us =
		least > 1 ? CS_TIME_NONE : j->job.option[option].limit_max_us;
	if (!allowed(s, k))
		return 0;
	look_over(s, k);
	return on_several(s, true);
}

int cs_site_start(struct cs_pass *p, const struct cs_entry *entry,
		  const struct cs_shape *s, int64_t run_us, uint32_t rule,
		  double gain)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_ejob *j = entry->job;
	struct start start = {
		.p = p, .entry = entry, .shape = s, .rule = rule, .gain = gain
	};
	bool anyway = cs_pass_plans(p) && cs_start_alone_anyway(p, s);
	uint32_t k;
	int rc;

	if (cs_pass_plans(p)) /* which includes the cost of crossing */
		run_us = cs_stretch_us(j->job.estimate_us,
				       cs_alone_factor(e, j, s));
	start.run_us = run_us;
	look_over(&start, 1);
	if (!cs_backfill_may_leave(p, s, e->mask, e->now_us + run_us))
		return 0;
	cs_site_room_in(&e->site_work->now, start.o, s, e->mask);
	k = cs_site_room_fewest(&e->site_work->now);
	if (k > 1)
		return cs_pass_plans(p) ? split_as_planned(&start, k, anyway)
					: split_now(&start, k);
	rc = k ? on_one(&start, false) : 0;
	return rc || !k || !anyway ? rc : on_one(&start, true);
}

bool cs_site_start_on_one(struct cs_engine *e, const struct cs_occ *o,
			  const struct cs_shape *s)
{
	struct cs_site_room *room = &e->site_work->now;
	uint32_t site;

	cs_site_room_in(room, o, s, e->mask);
	site = cs_site_room_tightest(room, UINT32_MAX);
	if (site == UINT32_MAX)
		return false;
	cs_bits_and(e->mask, e->machine->sites->site[site].nodes,
		    cs_node_words(e->machine));
	return true;
}

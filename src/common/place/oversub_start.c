/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job on cores that other jobs have already: mpl > 1.
 *
 * Problem.  No free cores start a job at once.  Jobs whose ranks sleep while they wait
 * leave part of their cores' time; a job that waits, too, may start there.
 *
 * Symbols	C name		unit
 *   w, k, L, l			of oversub.c, of a core before the job is there
 *   s(k, L)	slowdown	1, (1) of oversub.c
 *
 * Rules.
 *  1. The job may share a core if all k jobs that have it run, share cores themselves and
 *     may be slowed down (rule 2), and
 *
 *	k < mpl
 *	s(k + 1, L + 1 - w) <= max_slowdown				(1)
 *	(k + 1) / s(k + 1, L + 1 - w) >= (1 + cover_gain) k / s(k, L)	(2)
 *
 *     (2): together they do more than without it, as place=cover asks of all who share.
 *     A start that is only proposed is not joined: the host may refuse it.
 *  2. No job is joined whose limit may not be raised by what that costs it.
 *  3. The job gets cores that it may share, and no others: those, as if all else were held,
 *     that it would get of free ones.  So memory, node sets, reservations and owners count
 *     as at any start.  Of nodes with single cores reserved it shares none.
 *  4. It starts if its own limit allows s, and if no promise suffers: those that it joins
 *     end later.
 *  5. A node takes one step, and another for each 64 cores of its jobs, counting a core
 *     once for each job that has it; so does each node of the start, which is looked at
 *     again.  If search_steps is used up the nodes that are left are not looked at, and
 *     the job gets no core of them.
 *
 * Example.  2 nodes of one core, mpl = 2, w = .5, 100 s each.  a runs on both from 0, b
 * comes at 10.  s = 1.05: b starts at once.  a has done 10 s, ends at 10 + 90 * 1.05 =
 * 104.5 and not at 100; b has then done 90 s, and ends at 114.5 and not at 200.
 *
 * Source: ours.
 *
 * Known weakness: the first such cores are taken, not those where (1) is least; what waits
 * behind the job may have suited better.  Jobs behind the one that uses up search_steps
 * share no cores in this decide.
 *
 * Cost: O(nodes * words + cores of the jobs on them), of which rule 5 counts the second; of
 * a start in addition O(jobs joined) for each of its nodes and jobs there, and the test of
 * the promises.  search_steps bounds the counted part of a decide, but for the node at
 * which it is used up and the nodes of one start.
 */
#include "place/oversub_start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/backfill.h"
#include "base/array.h"
#include "job/alone.h"
#include "job/oversub.h"
#include "job/progress.h"
#include "job/resv.h"
#include "place/attempt.h"
#include "place/join.h"
#include "place/start_alone.h"

struct joined { /* a running job */
	struct cs_ejob *job;
	double slowdown; /* of its cores, then */
};

struct search {
	struct cs_engine *e;
	const struct cs_entry *entry;
	double computes;	      /* 1 - w of the job */
	struct cs_oversub_core *core; /* [64 * words] of the node looked at */
	struct joined *x;	      /* [n] */
	size_t n, cap;
	double slowdown; /* of the job */
};

/* Count the jobs of node @n on its cores, into s->core, and rule 5's steps. */
static void look_at(struct search *s, uint32_t n)
{
	struct cs_engine *e = s->e;
	const struct cs_slots *on = &e->sm->on[n];
	uint32_t words = e->machine->words;
	uint64_t cores = 0;

	memset(s->core, 0, 64 * words * sizeof(*s->core));
	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *x = e->slot[on->slot[k]];

		cores += cs_oversub_add(e, x, n, s->core);
	}
	cs_search_step(e, 1 + (int64_t)(cores / 64));
}

/* Rule 1 for core @core of the node: the slowdown there then; 0: it is not shared. */
static double slowdown_then(const struct search *s, uint32_t core)
{
	const struct cs_params *p = &s->e->params;
	struct cs_oversub_core c = s->core[core];
	double now = cs_slowdown_core(c.load, c.jobs, p->mpl_loss);
	double then =
		cs_slowdown_core(c.load + s->computes, c.jobs + 1, p->mpl_loss);
	bool more = (c.jobs + 1) / then >= (1 + p->cover_gain) * c.jobs / now;

	return c.jobs && c.jobs < p->mpl && then <= p->max_slowdown && more
		       ? then
		       : 0;
}

/* What running @x takes, of its estimate, if its cores are slowed by @slowdown. */
static double factor_then(const struct cs_engine *e, const struct cs_ejob *x,
			  double slowdown)
{
	struct cs_ejob at = *x;

	if (slowdown > at.cores_slow)
		at.cores_slow = slowdown;
	return cs_progress_beside(e, &at, at.co_slowdown);
}

/* Does @x share its cores with others that come? */
static bool shares_cores(const struct cs_engine *e, const struct cs_ejob *x)
{
	return x->state == CS_RUNNING && x->hold == CS_NODE_PACKED &&
	       cs_oversub_willing(e, x, x->option);
}

/* The largest slowdown then of those cores of @x on node @n that are in @set; 1 without
 * any. */
static double worst_then(const struct search *s, const struct cs_ejob *x,
			 uint32_t n, const uint64_t *set)
{
	const uint64_t *cores = cs_alloc_cores_on(x->alloc, n);
	double worst = 1;

	for (uint32_t w = 0; w < x->alloc->words; w++)
		for (uint64_t both = cores[w] & set[w]; both;) {
			double then =
				slowdown_then(s, 64 * w + cs_bit_pop(&both));

			worst = then > worst ? then : worst;
		}
	return worst;
}

/* The cores of node @n that the job may share into @shareable, a set of no core.  False:
 * there are none. */
static bool find_shareable(struct search *s, uint32_t n, uint64_t *shareable)
{
	const struct cs_engine *e = s->e;
	const struct cs_slots *on = &e->sm->on[n];
	uint32_t words = e->machine->words;
	bool any = false;

	for (uint32_t k = 0; k < on->n && !any; k++)
		any = shares_cores(e, e->slot[on->slot[k]]);
	if (!any || !cs_may_search(e))
		return false;
	look_at(s, n);
	for (uint32_t core = 0; core < 64 * words; core++)
		if (slowdown_then(s, core) > 0)
			cs_bit_set(shareable, core);
	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *x = e->slot[on->slot[k]];

		if (!shares_cores(e, x))
			cs_bits_andnot(shareable,
				       cs_alloc_cores_on(x->alloc, n), words);
	}
	/* rule 2 */
	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *x = e->slot[on->slot[k]];
		double f = factor_then(e, x, worst_then(s, x, n, shareable));

		if (!cs_join_slower_allows(e, x, f))
			cs_bits_andnot(shareable,
				       cs_alloc_cores_on(x->alloc, n), words);
	}
	return cs_bits_count(shareable, words) > 0;
}

/* Rule 3: on nodes of e->mask only cores that the job may share are free, and nodes without
 * leave it.  0: there are none; -ENOMEM. */
static int make_room(struct search *s)
{
	struct cs_engine *e = s->e;
	struct cs_occ *o = &e->shared_room;
	uint32_t words = e->machine->words;
	int any = 0;

	if (!o->node && cs_occ_init(o, e->machine))
		return -ENOMEM;
	cs_occ_copy(o, &e->sm->now);
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		uint64_t *cores = o->used + (uint64_t)n * words;

		if (!cs_bit(e->mask, n))
			continue;
		memset(cores, 0, words * sizeof(*cores));
		if (cs_resv_cut(e, n) || !find_shareable(s, n, cores)) {
			cs_bit_clear(e->mask, n);
			continue;
		}
		any = 1;
		o->node[n].free_cores = cs_bits_count(cores, words);
		for (uint32_t w = 0; w < words; w++)
			cores[w] = ~cores[w];
	}
	return any;
}

/* @x is one of those that are joined, where its cores are slowed by @slowdown. */
static int join(struct search *s, struct cs_ejob *x, double slowdown)
{
	size_t i = 0;

	while (i < s->n && s->x[i].job != x)
		i++;
	if (i == s->n) {
		if (cs_array_room(&s->x, &s->cap, s->n + 1))
			return -ENOMEM;
		s->x[s->n++] = (struct joined){ x, 1 };
	}
	if (slowdown > s->x[i].slowdown)
		s->x[i].slowdown = slowdown;
	if (slowdown > s->slowdown)
		s->slowdown = slowdown;
	return 0;
}

/* The jobs that are joined on @a, and how slow they become.  0; -ENOMEM. */
static int join_all(struct search *s, const struct cs_alloc *a)
{
	const struct cs_engine *e = s->e;
	int rc = 0;

	s->n = 0;
	s->slowdown = 1;
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;
		const uint64_t *cores = cs_alloc_cores(a, i);
		const struct cs_slots *on = &e->sm->on[n];

		look_at(s, n);
		for (uint32_t k = 0; !rc && k < on->n; k++) {
			struct cs_ejob *x = e->slot[on->slot[k]];

			if (cs_bits_common(cs_alloc_cores_on(x->alloc, n),
					   cores, a->words))
				rc = join(s, x, worst_then(s, x, n, cores));
		}
	}
	return rc;
}

/* Rule 4 for the promises, if the job runs for @run_us on @a. */
static int leaves(struct cs_pass *p, const struct search *s,
		  const struct cs_alloc *a, int64_t run_us)
{
	struct cs_ejob **moved = calloc(s->n + 1, sizeof(struct cs_ejob *));
	int64_t *end_us = calloc(s->n + 1, sizeof(*end_us));
	int rc = moved && end_us ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < s->n; i++) {
		struct cs_ejob at = *s->x[i].job;

		cs_progress_bring(&at, s->e->now_us);
		at.slowdown = factor_then(s->e, &at, s->x[i].slowdown);
		moved[i] = s->x[i].job;
		end_us[i] = cs_progress_end_us(s->e, &at);
	}
	if (!rc)
		rc = cs_backfill_leaves_moved(p, a, CS_NODE_PACKED,
					      s->e->now_us + run_us, moved,
					      end_us, s->n);
	free(moved);
	free(end_us);
	return rc;
}

/* Rule 4 for its limit: how long it runs; CS_TIME_NONE: longer than it may. */
static int64_t run_us(const struct search *s, const struct cs_shape *shape)
{
	const struct cs_ejob *j = s->entry->job;
	double f = cs_alone_factor(s->e, j, shape) * s->slowdown;
	int64_t run = cs_stretch_us(j->job.estimate_us, f);

	return f > 1 && run > j->job.option[s->entry->option].limit_max_us
		       ? CS_TIME_NONE
		       : run;
}

/* On cores of e->mask that are free in e->shared_room. */
static int start(struct cs_pass *p, struct search *s,
		 const struct cs_shape *shape)
{
	struct cs_engine *e = s->e;
	int64_t run = CS_TIME_NONE;
	bool nomem;
	struct cs_alloc *a =
		cs_layout_choose(&e->shared_room, shape, e->mask, &nomem);
	int rc;

	if (!a)
		return nomem ? -ENOMEM : 0;
	rc = join_all(s, a);
	if (!rc) {
		run = run_us(s, shape);
		rc = run != CS_TIME_NONE ? leaves(p, s, a, run) : 0;
	}
	if (rc > 0)
		return cs_start_alone_on(e, s->entry, shape, a,
					 cs_alone_rule(shape), 0);
	cs_alloc_free(a);
	return rc;
}

int cs_oversub_start(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_ejob *j = entry->job;
	struct search s = { .e = e, .entry = entry };
	struct cs_shape shape;
	int rc;

	if (!cs_may_search(e) || !e->sm->now.used_nodes ||
	    !cs_oversub_willing(e, j, entry->option) ||
	    !cs_alone_layout(e, j, entry->option))
		return 0;
	shape = j->plan.shape;
	if (shape.kind != CS_SHAPE_PACKED)
		return 0;
	shape.gpu_keep = 0; /* no GPU loses a core by it */
	s.computes = 1 - cs_oversub_waits(e, j);
	s.core = calloc((size_t)64 * e->machine->words, sizeof(*s.core));
	if (!s.core)
		return -ENOMEM;
	cs_resv_nodes(e, j, entry->option, e->now_us,
		      cs_stretch_us(j->plan.run_us, e->params.max_slowdown),
		      e->mask);
	rc = make_room(&s);
	if (rc > 0)
		rc = start(p, &s, &shape);
	free(s.core);
	free(s.x);
	return rc;
}

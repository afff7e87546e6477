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
 *  1. A core is open to the job if all k who have it run, take part and may be joined
 *     (rule 2), and
 *
 *	k < mpl
 *	s(k + 1, L + 1 - w) <= max_slowdown				(1)
 *	(k + 1) / s(k + 1, L + 1 - w) >= (1 + cover_gain) k / s(k, L)	(2)
 *
 *     (2): together they do more than without it, as place=cover asks of all who share.
 *     A start that is only proposed is not joined: the host may refuse it.
 *  2. Nobody is joined whose limit may not be raised by what that costs him.
 *  3. The job gets open cores, and no others: those, as if all else were held, that it
 *     would get of free ones.  So memory, node sets, reservations and owners count as at
 *     any start.  Nodes of which single cores are reserved have no open cores.
 *  4. It starts if its own limit allows s, and if no promise suffers: those that it joins
 *     end later.
 *
 * Example.  2 nodes of one core, mpl = 2, w = .5, 100 s each.  a runs on both from 0, b
 * comes at 10.  s = 1.05: b starts at once.  a has done 10 s, ends at 10 + 90 * 1.05 =
 * 104.5 and not at 100; b has then done 90 s, and ends at 114.5 and not at 200.
 *
 * Source: ours.
 *
 * Known weakness: the first open cores are taken, not those where (1) is least; what waits
 * behind the job may have suited better.
 *
 * Cost: O(nodes * words + cores that waiting jobs hold * jobs on their nodes) for a job that
 * finds no room.  search_steps counts its nodes only, and so does not bound the second.
 */
#include "place/oversub_start.h"

#include <errno.h>
#include <string.h>

#include "backfill/backfill.h"
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
	double computes; /* 1 - w of the job */
	struct joined x[CS_BESIDE_MAX];
	size_t n;
	double slowdown; /* of the job */
};

/* Rule 1 for core @core of node @n: the slowdown there then; 0: it is not open. */
static double slowdown_then(const struct search *s, uint32_t n, uint32_t core)
{
	const struct cs_params *p = &s->e->params;
	struct cs_oversub_core c = cs_oversub_core(s->e, n, core);
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

/* May @x be joined at all? */
static bool takes_part(const struct cs_engine *e, const struct cs_ejob *x)
{
	return x->state == CS_RUNNING && x->hold == CS_NODE_PACKED &&
	       cs_oversub_willing(e, x, x->option);
}

/* Take the cores of @x on node @n out of @open. */
static void close_cores(const struct cs_ejob *x, uint32_t n, uint64_t *open)
{
	cs_bits_andnot(open, cs_alloc_cores_on(x->alloc, n), x->alloc->words);
}

/* Rule 2 for @x on node @n: the worst of its cores that are @open. */
static bool bears(const struct search *s, const struct cs_ejob *x, uint32_t n,
		  const uint64_t *open)
{
	const uint64_t *cores = cs_alloc_cores_on(x->alloc, n);
	double worst = 1;

	for (uint32_t w = 0; w < x->alloc->words; w++)
		for (uint64_t set = cores[w] & open[w]; set;) {
			double then =
				slowdown_then(s, n, 64 * w + cs_bit_pop(&set));

			worst = then > worst ? then : worst;
		}
	return cs_join_slower_allows(s->e, x, factor_then(s->e, x, worst));
}

/* The open cores of node @n into @open, a set of no core.  False: there are none. */
static bool open_cores(const struct search *s, uint32_t n, uint64_t *open)
{
	const struct cs_engine *e = s->e;
	const struct cs_slots *on = &e->sm->on[n];
	uint32_t words = e->machine->words;

	for (uint32_t k = 0; k < on->n; k++)
		if (takes_part(e, e->slot[on->slot[k]]))
			cs_bits_or(open,
				   cs_alloc_cores_on(
					   e->slot[on->slot[k]]->alloc, n),
				   words);
	if (!cs_bits_count(open, words))
		return false;
	for (uint32_t k = 0; k < on->n; k++)
		if (!takes_part(e, e->slot[on->slot[k]]))
			close_cores(e->slot[on->slot[k]], n, open);
	for (uint32_t w = 0; w < words; w++)
		for (uint64_t set = open[w]; set;) {
			uint32_t core = 64 * w + cs_bit_pop(&set);

			if (!(slowdown_then(s, n, core) > 0))
				cs_bit_clear(open, core);
		}
	for (uint32_t k = 0; k < on->n; k++)
		if (!bears(s, e->slot[on->slot[k]], n, open))
			close_cores(e->slot[on->slot[k]], n, open);
	return cs_bits_count(open, words) > 0;
}

/* Rule 3: on nodes of e->mask only open cores are free, and nodes without leave it.  0: there
 * are none; -ENOMEM. */
static int make_room(const struct search *s)
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
		if (cs_resv_cut(e, n) || !open_cores(s, n, cores)) {
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

/* @x is one of those that are joined, where its core is slowed by @slowdown.  False: they
 * are too many. */
static bool join(struct search *s, struct cs_ejob *x, double slowdown)
{
	size_t i = 0;

	while (i < s->n && s->x[i].job != x)
		i++;
	if (i == CS_BESIDE_MAX)
		return false;
	if (i == s->n)
		s->x[s->n++] = (struct joined){ x, 1 };
	if (slowdown > s->x[i].slowdown)
		s->x[i].slowdown = slowdown;
	if (slowdown > s->slowdown)
		s->slowdown = slowdown;
	return true;
}

/* Who has core @core of node @n. */
static bool join_core(struct search *s, uint32_t n, uint32_t core)
{
	const struct cs_slots *on = &s->e->sm->on[n];
	double then = slowdown_then(s, n, core);
	bool ok = true;

	for (uint32_t k = 0; ok && k < on->n; k++) {
		struct cs_ejob *x = s->e->slot[on->slot[k]];

		if (cs_bit(cs_alloc_cores_on(x->alloc, n), core))
			ok = join(s, x, then);
	}
	return ok;
}

/* Who is joined on @a, and how slow they become. */
static bool join_all(struct search *s, const struct cs_alloc *a)
{
	bool ok = true;

	s->n = 0;
	s->slowdown = 1;
	for (uint32_t i = 0; i < a->n_node; i++)
		for (uint32_t w = 0; w < a->words; w++)
			for (uint64_t set = cs_alloc_cores(a, i)[w]; ok && set;)
				ok = join_core(s, a->node[i].node,
					       64 * w + cs_bit_pop(&set));
	return ok;
}

/* Rule 4 for the promises, if the job runs for @run_us on @a. */
static bool leaves(struct cs_pass *p, const struct search *s,
		   const struct cs_alloc *a, int64_t run_us)
{
	struct cs_ejob *moved[CS_BESIDE_MAX];
	int64_t end_us[CS_BESIDE_MAX];

	for (size_t i = 0; i < s->n; i++) {
		struct cs_ejob at = *s->x[i].job;

		cs_progress_bring(&at, s->e->now_us);
		at.slowdown = factor_then(s->e, &at, s->x[i].slowdown);
		moved[i] = s->x[i].job;
		end_us[i] = cs_progress_end_us(s->e, &at);
	}
	return cs_backfill_leaves_moved(p, a, CS_NODE_PACKED,
					s->e->now_us + run_us, moved, end_us,
					s->n);
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

/* On open cores of e->mask in e->shared_room. */
static int start(struct cs_pass *p, struct search *s,
		 const struct cs_shape *shape)
{
	struct cs_engine *e = s->e;
	int64_t run = CS_TIME_NONE;
	bool nomem;
	struct cs_alloc *a =
		cs_layout_choose(&e->shared_room, shape, e->mask, &nomem);

	if (!a)
		return nomem ? -ENOMEM : 0;
	if (join_all(s, a))
		run = run_us(s, shape);
	if (run != CS_TIME_NONE && leaves(p, s, a, run))
		return cs_start_alone_on(e, s->entry, shape, a,
					 cs_alone_rule(shape), 0);
	cs_alloc_free(a);
	return 0;
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
	cs_search_step(e, (int64_t)e->sm->now.used_nodes);
	cs_resv_nodes(e, j, entry->option, e->now_us,
		      cs_stretch_us(j->plan.run_us, e->params.max_slowdown),
		      e->mask);
	rc = make_room(&s);
	return rc > 0 ? start(p, &s, &shape) : rc;
}

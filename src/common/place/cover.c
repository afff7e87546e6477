/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place=cover: sharing that must pay for its nodes.
 *
 * Problem.  A sharing job is spread: it uses part of the cores of each node, and so
 * more nodes than alone.  Without partners, or with unsuitable ones, spreading it
 * wastes nodes; with suitable ones, the jobs together do more on those nodes than one
 * after another on full ones.
 *
 * Symbols	C name		unit
 *   n_a	dense		nodes of job a on full nodes, alone
 *   m_a	shape.nodes	nodes of a, spread
 *   r_a	ratio		1, time of a beside its partners, over dense alone
 *
 * Rules, for the current job.
 *  1. Free parts of nodes on which running jobs are spread, and empty nodes for the
 *     rest: if no job there is slowed beyond max_slowdown, and the job's work, less
 *     what it costs the jobs running there, pays for the empty ones (cover_join.c).
 *  2. A cover: other waiting jobs start with it on parts of its m_a nodes, so that they
 *     cover at least the fraction `cover` of these nodes and
 *
 *	(n_a / r_a + sum_b n_b / r_b) / m_a >= 1 + cover_gain		(1)
 *
 *     that is, together they gain over running alone on full nodes.  They are added one
 *     by one, each time the one that makes (1) largest.
 *  3. Spread and alone, if the fraction `spare` of the nodes stays empty and no other
 *     job or task of its array waits: it has its nodes to itself until others join by
 *     rule 1.
 *  4. Otherwise dense and alone.
 *  5. A head that finds no cover waits for its m_a nodes, if that pays for all who wait
 *     (cover_wait.c).
 *  6. A job that waits on its cores is never spread; where 4 finds no room it may start
 *     on cores that others have (oversub_start.c).
 *
 *	m_a	|aaaaaaaaaaaaaaaa|	rule 2: b, c and d cover a; when b
 *	nodes	|bbbbbb|ccc|dddd |	ends, rule 1 gives its part to the
 *		+----------------+	next that suits a
 *
 * Learned slowdowns (slowdown.h) enter (1) by their expected values, limits and
 * promises by their bounds.
 *
 * Source: ours.  (1) judges coscheduling where both densities were measured (r_ab as in
 * sim/corun.c); Zeng09 (see slowdown.h) judges by utilisation of nodes that the job has
 * anyway.
 *
 * Known weakness: (1) considers the moment, not how long each job stays.
 *
 * Cost: O(waiting) pairs, COVER_LOOKS * partners sums for a job that could start
 * spread; `search_steps` bounds them.
 */
#include "place/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/backfill.h"
#include "job/group.h"
#include "job/lesson.h"
#include "job/match.h"
#include "job/oversub.h"
#include "job/progress.h"
#include "job/resv.h"
#include "lifecycle/proposal.h"
#include "place/attempt.h"
#include "place/cover_parts.h"
#include "place/oversub_start.h"
#include "place/start_alone.h"

#define COVER_LOOKS 64 /* suitable partners examined */
#define COVER_PARTS 16 /* partners started together */

struct partner {
	struct cs_spread spread;
	double suffers;		    /* its slowdown by the job, at most */
	double does;		    /* and the job's by it */
	double likely, likely_does; /* both, as expected */
	bool taken;
	struct cs_alloc *alloc;
};

struct cover {
	struct cs_pass *p;
	struct cs_engine *e;
	struct cs_spread own;
	struct cs_alloc *alloc; /* of the job */
	bool *taken;		/* [alloc->n_node] a partner uses part of it */
	struct partner part[COVER_LOOKS];
	uint32_t n, n_taken;
	uint32_t covered; /* nodes */
	double work;	  /* sum of n_b / r_b of those taken */
	double cos;	  /* of the job by its partners, at most */
	double likely;	  /* and as expected */
};

/* ---- a job, spread ------------------------------------------------------- */

bool cs_spread_init(const struct cs_engine *e, struct cs_spread *s,
		    const struct cs_entry *entry)
{
	const struct cs_ejob *j = entry->job;
	struct cs_shape dense;

	s->entry = entry;
	s->like = cs_engine_like(e, &j->job.option[entry->option]);
	if (!s->like ||
	    !cs_match_part(e, j, entry->option, s->like, &s->shape) ||
	    !cs_shape_space(&dense, &j->job, s->like,
			    cs_layout_dense_ppn(&j->job, s->like)))
		return false;
	s->dense = dense.nodes;
	return true;
}

double cs_spread_ratio(const struct cs_engine *e, const struct cs_spread *s,
		       double cos)
{
	const struct cs_ejob *j = s->entry->job;
	uint32_t full = cs_layout_dense_ppn(&j->job, s->like);

	return cs_progress_self(e, j, s->shape.quota, s->like) * cos /
	       cs_progress_self(e, j, full, s->like);
}

double cs_spread_likely(const struct cs_engine *e, struct cs_who of,
			struct cs_who beside)
{
	return cs_slowdown_expected(&e->model, of, beside,
				    e->params.max_slowdown);
}

int64_t cs_spread_run_us(const struct cs_engine *e, const struct cs_spread *s,
			 double cos)
{
	const struct cs_job *j = &s->entry->job->job;
	double f = cs_progress_factor(e, s->entry->job, s->shape.quota, s->like,
				      cos);
	int64_t run_us = cs_stretch_us(j->estimate_us, f);

	return f > 1 && run_us > j->option[s->entry->option].limit_max_us
		       ? CS_TIME_NONE
		       : run_us;
}

bool cs_spread_in_time(const struct cs_engine *e, const struct cs_spread *s,
		       int64_t run_us)
{
	const struct cs_ejob *j = s->entry->job;
	int64_t spent_us = e->now_us - j->job.submit_us;

	return !j->est_us || spent_us + run_us <= j->max_us ||
	       spent_us + j->job.estimate_us > j->max_us;
}

/* ---- rule 2 -------------------------------------------------------------- */

/* Waiting jobs that suit, in queue order. */
static void find_partners(struct cover *c)
{
	const struct cs_entry *own = c->own.entry, *x;
	struct cs_who who = cs_who_is(own->job);
	size_t n;
	const struct cs_entry *behind = cs_attempt_behind(c->p, &n);

	cs_search_step(c->e, (int64_t)n);
	for (size_t i = 0; i < n && c->n < COVER_LOOKS; i++) {
		struct partner *b = &c->part[c->n];
		struct cs_who they;

		x = &behind[i];
		if (x->job == own->job || x->job->job.tasks != 1 ||
		    !cs_attempt_ready(c->e, x) ||
		    cs_match_pair(c->e, own->job, own->option, x->job,
				  x->option) != CS_MATCH_OK ||
		    !cs_spread_init(c->e, &b->spread, x) ||
		    b->spread.shape.nodes > c->own.shape.nodes)
			continue;
		they = cs_who_is(x->job);
		b->does = cs_slowdown_beside(&c->e->model, who, &they, 1);
		b->suffers = cs_slowdown_beside(&c->e->model, they, &who, 1);
		b->likely_does = cs_spread_likely(c->e, who, they);
		b->likely = cs_spread_likely(c->e, they, who);
		b->taken = false;
		b->alloc = NULL;
		if (cs_spread_run_us(c->e, &b->spread, b->suffers) !=
		    CS_TIME_NONE)
			c->n++;
	}
}

/* (1) with @b added (NULL: without). */
static double gain_with(const struct cover *c, const struct partner *b)
{
	double cos =
		b && b->likely_does > c->likely ? b->likely_does : c->likely;
	double work =
		c->work + c->own.dense / cs_spread_ratio(c->e, &c->own, cos);

	if (b)
		work += b->spread.dense /
			cs_spread_ratio(c->e, &b->spread, b->likely);
	return work / c->own.shape.nodes;
}

/* Mark the job's nodes that @a uses. */
static void mark(struct cover *c, const struct cs_alloc *a)
{
	for (uint32_t i = 0, k = 0; k < a->n_node; i++)
		if (c->alloc->node[i].node == a->node[k].node) {
			c->taken[i] = true;
			k++;
		}
}

/* The parts of @b on the first of the job's uncovered nodes; NULL: no room, or no
 * memory. */
static struct cs_alloc *lay_out(struct cover *c, const struct partner *b,
				bool *ret_nomem)
{
	uint32_t *node = calloc(c->alloc->n_node + 1, sizeof(*node));
	const struct cs_shape *shape = &b->spread.shape;
	const struct cs_entry *x = b->spread.entry;
	struct cs_alloc *a = NULL;
	uint32_t n = 0;

	*ret_nomem = !node;
	cs_resv_nodes(c->e, x->job, x->option, c->e->now_us,
		      cs_spread_run_us(c->e, &b->spread, b->suffers),
		      c->e->mask);
	for (uint32_t i = 0; node && i < c->alloc->n_node && n < shape->nodes;
	     i++) {
		uint32_t k = c->alloc->node[i].node;

		if (!c->taken[i] && cs_bit(c->e->mask, k) &&
		    cs_layout_usable(&c->e->sm->now, k, shape))
			node[n++] = k;
	}
	if (n && n == shape->nodes)
		a = cs_layout_on(&c->e->sm->now, shape, node, n, ret_nomem);
	free(node);
	return a;
}

static void count_in(struct cover *c, struct partner *b)
{
	c->work +=
		b->spread.dense / cs_spread_ratio(c->e, &b->spread, b->likely);
	c->cos = b->does > c->cos ? b->does : c->cos;
	c->likely = b->likely_does > c->likely ? b->likely_does : c->likely;
	c->covered += b->spread.shape.nodes;
	c->n_taken++;
}

/* Would promises be kept, and @s its own slack, if all of the job's nodes were held as
 * long as @s runs? */
static bool leaves(struct cover *c, const struct cs_spread *s, double cos)
{
	int64_t run_us = cs_spread_run_us(c->e, s, cos);

	return run_us != CS_TIME_NONE && cs_spread_in_time(c->e, s, run_us) &&
	       cs_backfill_leaves(c->p, c->alloc, cs_group_hold(c->e),
				  c->e->now_us + run_us);
}

static struct partner *best_partner(struct cover *c)
{
	struct partner *best = NULL;
	double gain, most = gain_with(c, NULL);

	for (uint32_t i = 0; i < c->n; i++) {
		struct partner *b = &c->part[i];

		if (b->taken ||
		    b->spread.shape.nodes > c->own.shape.nodes - c->covered ||
		    (gain = gain_with(c, b)) <= most)
			continue;
		most = gain;
		best = b;
	}
	return best;
}

/* Add partners while (1) grows.  0, -ENOMEM. */
static int add_partners(struct cover *c)
{
	struct partner *b;
	bool nomem = false;

	while (c->n_taken < COVER_PARTS && (b = best_partner(c))) {
		b->taken = true; /* or unfit: not tried again */
		b->alloc = leaves(c, &b->spread, b->suffers)
				   ? lay_out(c, b, &nomem)
				   : NULL;
		if (nomem)
			return -ENOMEM;
		if (!b->alloc)
			continue;
		mark(c, b->alloc);
		count_in(c, b);
	}
	return 0;
}

static bool is_covered(const struct cover *c)
{
	return c->n_taken &&
	       c->covered >= c->e->params.cover * c->own.shape.nodes;
}

double cs_cover_on_paper(struct cs_pass *p, const struct cs_spread *s,
			 double *ret_cos)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cover c = { .p = p, .e = e, .own = *s, .cos = 1, .likely = 1 };
	struct partner *b;

	find_partners(&c);
	while (c.n_taken < COVER_PARTS && (b = best_partner(&c))) {
		b->taken = true;
		count_in(&c, b);
	}
	*ret_cos = c.cos;
	return is_covered(&c) ? gain_with(&c, NULL) : 0;
}

static struct cs_ejob *propose(struct cover *c, const struct cs_spread *s,
			       struct cs_alloc **a)
{
	struct cs_ejob *j = cs_proposal_make(
		c->e, s->entry->job, s->entry->option, *a, cs_group_hold(c->e));

	*a = NULL;
	return j;
}

static int start(struct cover *c)
{
	double gain = gain_with(c, NULL) - 1;
	uint32_t with = 0;
	struct cs_ejob *a, *b;

	for (uint32_t i = c->n; i--;)
		if (c->part[i].alloc)
			with = c->part[i].spread.entry->job->job.id;
	a = propose(c, &c->own, &c->alloc);
	if (!a)
		return -ENOMEM;
	cs_group_enter(c->e, a, CS_ROLE_PRIMARY, NULL, with);
	for (uint32_t i = 0; i < c->n; i++) {
		if (!c->part[i].alloc)
			continue;
		b = propose(c, &c->part[i].spread, &c->part[i].alloc);
		if (!b)
			break;
		cs_group_enter(c->e, b, CS_ROLE_MATCHED, a, a->job.id);
		a->needs = b->needs > a->needs ? b->needs : a->needs;
		b->needs = a->seq;
	}
	c->e->pairs++;
	if (cs_start_alone_action(c->e, a, 1, gain))
		return -ENOMEM;
	for (b = cs_group_next(a, a); b; b = cs_group_next(a, b))
		if (b->state == CS_PROPOSED && b->needs == a->seq &&
		    cs_start_alone_action(c->e, b, 1, gain))
			return -ENOMEM;
	return 1;
}

/* Empty nodes for the job, spread.  NULL: too few, or no memory. */
static struct cs_alloc *empty_nodes(struct cs_pass *p,
				    const struct cs_spread *s, int64_t run_us,
				    bool *ret_nomem)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_shape shape = s->shape;
	struct cs_alloc *a, *part;
	uint32_t *node;

	*ret_nomem = false;
	shape.kind = CS_SHAPE_SPACE;
	if (cs_layout_crowded(&e->sm->now, &shape))
		return NULL;
	cs_resv_nodes(e, s->entry->job, s->entry->option, e->now_us, run_us,
		      e->mask);
	a = cs_layout_choose(&e->sm->now, &shape, e->mask, ret_nomem);
	if (!a)
		return NULL;
	node = calloc(a->n_node + 1, sizeof(*node));
	for (uint32_t i = 0; node && i < a->n_node; i++)
		node[i] = a->node[i].node;
	part = node ? cs_layout_on(&e->sm->now, &s->shape, node, a->n_node,
				   ret_nomem)
		    : NULL;
	*ret_nomem |= !node;
	free(node);
	cs_alloc_free(a);
	return part;
}

/* Find partners for the job, which is booked on its nodes meanwhile.  0, -ENOMEM. */
static int find_cover(struct cover *c)
{
	int rc;

	if (!leaves(c, &c->own, 1))
		return 0;
	c->taken = calloc(c->alloc->n_node + 1, sizeof(*c->taken));
	if (!c->taken)
		return -ENOMEM;
	find_partners(c);
	cs_occ_add(&c->e->sm->now, c->alloc, cs_group_hold(c->e));
	rc = add_partners(c);
	cs_occ_remove(&c->e->sm->now, c->alloc, cs_group_hold(c->e));
	return rc;
}

static int covered(struct cs_pass *p, const struct cs_spread *s)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cover c = { .p = p, .e = e, .own = *s, .cos = 1, .likely = 1 };
	int64_t run_us = cs_spread_run_us(e, s, 1);
	bool nomem;
	int rc = 0;

	c.alloc = run_us != CS_TIME_NONE ? empty_nodes(p, s, run_us, &nomem)
					 : NULL;
	if (!c.alloc)
		return run_us != CS_TIME_NONE && nomem ? -ENOMEM : 0;
	rc = find_cover(&c);
	if (!rc && is_covered(&c) &&
	    gain_with(&c, NULL) >= 1 + e->params.cover_gain &&
	    leaves(&c, s, c.cos))
		rc = start(&c);
	cs_alloc_free(c.alloc);
	free(c.taken);
	for (uint32_t i = 0; i < c.n; i++)
		cs_alloc_free(c.part[i].alloc);
	return rc;
}

/* ---- rule 3 -------------------------------------------------------------- */

static int start_spread(struct cs_engine *e, const struct cs_spread *s,
			struct cs_alloc *a, bool trial)
{
	struct cs_ejob *j = cs_proposal_make(e, s->entry->job, s->entry->option,
					     a, cs_group_hold(e));

	if (j && trial)
		cs_lesson_try_spread(e, j);
	return !j || cs_start_alone_action(e, j, 4, 0) ? -ENOMEM : 1;
}

/* Is it faster spread, as far as is known, or should that be tried? */
static bool is_faster(const struct cs_engine *e, const struct cs_spread *s,
		      bool *ret_trial)
{
	struct cs_who who = cs_who_is(s->entry->job);

	*ret_trial = false;
	if (cs_slowdown_is_learned(&e->model, who) &&
	    !cs_slowdown_has_self(&e->model, who))
		return cs_lesson_spread(e, s->entry->job, ret_trial);
	return cs_spread_ratio(e, s, 1) < 1;
}

static int spare(struct cs_pass *p, const struct cs_spread *s)
{
	struct cs_engine *e = cs_attempt_engine(p);
	uint32_t up = e->machine->n_node -
		      cs_bits_count(e->sm->now.down, cs_node_words(e->machine));
	uint32_t empty =
		cs_bits_count(e->sm->now.empty, cs_node_words(e->machine));
	int64_t run_us = cs_spread_run_us(e, s, 1);
	struct cs_alloc *a;
	bool nomem, trial;

	if (e->waiting.n > 1 || s->entry->job->job.tasks > 1 ||
	    s->dense == s->shape.nodes || run_us == CS_TIME_NONE ||
	    empty < s->shape.nodes + e->params.spare * up ||
	    !is_faster(e, s, &trial))
		return 0;
	a = empty_nodes(p, s, run_us, &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	if (cs_backfill_leaves(p, a, cs_group_hold(e), e->now_us + run_us))
		return start_spread(e, s, a, trial);
	cs_alloc_free(a);
	return 0;
}

int cs_place_cover(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_spread s;
	int rc = 0;

	if (e->params.jobs_per_node >= 2 && cs_may_search(e) &&
	    cs_match_willing(e, entry->job, entry->option) == CS_MATCH_OK &&
	    cs_spread_init(e, &s, entry)) {
		rc = cs_cover_join(p, &s);
		if (!rc)
			rc = covered(p, &s);
		if (!rc)
			rc = spare(p, &s);
		if (!rc && cs_cover_waits(p, &s))
			return 0;
	}
	rc = rc ? rc : cs_place_alone(p, entry);
	return rc || !cs_oversub_on(e) ? rc : cs_oversub_start(p, entry);
}

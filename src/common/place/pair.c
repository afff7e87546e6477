/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two jobs on a node: matchmaking of pairs (CST and CSTWS).
 *
 * Problem.  Start the first waiting job so that the cores of its nodes are used well:
 * beside which job, or alone?
 *
 * Rules, for the current job (Zeng09, section 4.4, for groups of two):
 *  1. Low load (`low_load`=spread), and
 *  2. serial jobs beside serial jobs: see low_load.c.
 *  3. Case 1: beside a waiting job, both on as many empty nodes as the larger needs;
 *     the other may exceed the job's nodes by MATCHED_LARGER.
 *  4. Case 2 (case 3 if the running job is the larger): beside a running job (join.c).
 *  5. Case 5: alone on all cores of its nodes, if its self slowdown there is at most
 *     MAX_SL.
 *  6. pair-best takes the one with the highest utilisation gain (gain.c), the
 *     lower case and the earlier job at a tie; pair-first the first suitable, in the
 *     order waiting jobs, running jobs, alone.  Each must gain MIN_UTILGAIN.
 *  7. Case 4: else alone, laid out by `layout`, if there is room.
 *  8. `cases` names those of 1, 2, 3 and 5 tried for the head of the queue,
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
 * Differs.
 *  1. With backfill=easy other jobs' delays are not checked beyond EASY.  With
 *     conservative, pairs are groups of two (group_search.c), fairness check included.
 *  2. Both jobs of a new pair use the same nodes from the first on, so that nodes and
 *     cores freed together fit the next pair.
 *
 * Known weakness: a pair is judged until its first member ends; the half-used nodes
 * after that are not counted.
 *
 * Cost: O(nodes) if no empty nodes are available, else O(waiting) pair slowdowns and
 * O(nodes) for each partner that improves on the best so far; O(running) looks and
 * O(nodes) for each of the RUNNING_PRIM_NUM running jobs tried. search_steps bounds the
 * partners examined in a pass.
 */
#include "state/state.h"

#include <errno.h>
#include <stdlib.h>

#include "backfill/backfill.h"
#include "job/group.h"
#include "job/match.h"
#include "job/progress.h"
#include "job/resv.h"
#include "place/attempt.h"
#include "place/low_load.h"
#include "place/place.h"
#include "place/start_alone.h"
#include "profile/gain.h"
#include "place/join.h"
#include "lifecycle/proposal.h"
#include "state/pass.h"

/* The best way found so far to start the job. */
struct choice {
	uint32_t rule; /* 1, 2, 3, 5; 0: none yet */
	double gain;
	const struct cs_entry *with;   /* case 1 */
	struct cs_alloc *own, *theirs; /* case 1 */
	struct cs_join way;	       /* cases 2, 3 */
	struct cs_shape alone;	       /* case 5 */
};

struct search {
	struct cs_pass *p;
	struct cs_engine *e;
	const struct cs_entry *entry;
	bool first; /* pair-first: stop at the first suitable one */
	struct choice best;
};

static void choice_done(struct choice *c)
{
	cs_alloc_free(c->own);
	cs_alloc_free(c->theirs);
	cs_alloc_free(c->way.alloc);
}

static void take(struct search *s, struct choice *c)
{
	choice_done(&s->best);
	s->best = *c;
}

static bool better(const struct search *s, double gain)
{
	if (gain < s->e->params.min_util_gain)
		return false;
	return !s->best.rule || (!s->first && gain > s->best.gain);
}

static bool settled(const struct search *s)
{
	return s->first && s->best.rule;
}

/* One side of a new pair. */
struct side {
	const struct cs_entry *entry;
	struct cs_shape shape;
	double slowdown; /* self times cos */
	int64_t run_us;
};

/* @partner NULL: without a neighbour. */
static bool side_init(const struct cs_engine *e, struct side *x,
		      const struct cs_entry *entry,
		      const struct cs_ejob *partner)
{
	const struct cs_ejob *j = entry->job;
	const struct cs_job_partition *o = &j->job.option[entry->option];
	const struct cs_node *like = e->nodeset_node[o->nodeset];
	struct cs_who p = { .profile = CS_PROFILE_NONE };
	double cos, f;

	if (partner)
		p = cs_who_is(partner);
	x->entry = entry;
	if (!like || !cs_match_part(e, j, entry->option, like, &x->shape))
		return false;
	cos = cs_slowdown_beside(&e->model, cs_who_is(j), &p, partner != NULL);
	f = cs_progress_factor(e, j, x->shape.quota, like, cos);
	x->slowdown = cs_progress_self(e, j, x->shape.quota, like) * cos;
	x->run_us = cs_stretch_us(j->job.estimate_us, f);
	return f <= 1 || x->run_us <= o->limit_max_us;
}

/* Could node @n, which is empty, hold a part of both? */
static bool holds_both(const struct cs_engine *e, uint32_t n,
		       const struct side *a, const struct side *b)
{
	const struct cs_node *node = &e->machine->node[n];
	uint32_t cores = cs_shape_cores(&a->shape, node, a->shape.quota) +
			 cs_shape_cores(&b->shape, node, b->shape.quota);

	return cs_occ_empty(&e->sm->now.node[n]) &&
	       cores <= e->sm->now.node[n].free_cores &&
	       cs_layout_usable(&e->sm->now, n, &a->shape) &&
	       cs_layout_usable(&e->sm->now, n, &b->shape);
}

/* The nodes of a new pair: @want of them, by weight, nearness and index.  Returns how
 * many were found, sorted by index; *node is the caller's. */
static uint32_t pair_nodes(struct cs_engine *e, const struct side *a,
			   const struct side *b, uint32_t want, uint32_t *node)
{
	uint32_t n = 0;
	uint64_t next = 0;

	cs_resv_nodes(e, a->entry->job, a->entry->option, e->now_us, a->run_us,
		      e->mask);
	cs_resv_nodes(e, b->entry->job, b->entry->option, e->now_us, b->run_us,
		      e->mask2);
	if (e->machine->topology) {
		for (uint32_t i = 0; i < e->machine->n_node; i++)
			if (!cs_bit(e->mask2, i) || !holds_both(e, i, a, b))
				cs_bit_clear(e->mask, i);
		if (!cs_layout_near(&e->sm->now, NULL, 0, want, e->mask))
			return 0;
	}
	while (n < want && next != UINT64_MAX) {
		uint64_t weight = next;

		next = UINT64_MAX;
		for (uint32_t i = 0; i < e->machine->n_node && n < want; i++) {
			uint64_t w = e->machine->node[i].weight;

			if (w > weight && w < next)
				next = w;
			if (w == weight && cs_bit(e->mask, i) &&
			    cs_bit(e->mask2, i) && holds_both(e, i, a, b))
				node[n++] = i;
		}
	}
	return n;
}

/* Lay both out on @node.  Fills @c, or leaves its allocations NULL. */
static int lay_out(struct cs_engine *e, const struct side *a,
		   const struct side *b, const uint32_t *node, struct choice *c)
{
	bool nomem;

	c->own = cs_layout_on(&e->sm->now, &a->shape, node, a->shape.nodes,
			      &nomem);
	if (!c->own)
		return nomem ? -ENOMEM : 0;
	cs_occ_add(&e->sm->now, c->own, cs_group_hold(e));
	c->theirs = cs_layout_on(&e->sm->now, &b->shape, node, b->shape.nodes,
				 &nomem);
	cs_occ_remove(&e->sm->now, c->own, cs_group_hold(e));
	if (c->theirs)
		return 1;
	cs_alloc_free(c->own);
	c->own = NULL;
	return nomem ? -ENOMEM : 0;
}

/* Rule 3 with one partner of sufficient gain. */
static int try_waiting(struct search *s, const struct side *a,
		       const struct side *b, double gain, uint32_t nodes)
{
	struct choice c = { .rule = 1, .gain = gain, .with = b->entry };
	uint32_t *node = calloc(nodes, sizeof(*node));
	int rc = -ENOMEM;

	if (node && pair_nodes(s->e, a, b, nodes, node) < nodes) {
		rc = 0;
	} else if (node) {
		cs_layout_sort(node, nodes);
		rc = lay_out(s->e, a, b, node, &c);
	}
	free(node);
	if (rc <= 0)
		return rc;
	if (cs_backfill_leaves(s->p, c.own, cs_group_hold(s->e),
			       s->e->now_us + a->run_us) &&
	    cs_backfill_leaves(s->p, c.theirs, cs_group_hold(s->e),
			       s->e->now_us + b->run_us)) {
		take(s, &c);
		return 0;
	}
	choice_done(&c);
	return 0;
}

/* Empty nodes that are up. */
static uint32_t empty_nodes(const struct cs_engine *e)
{
	uint32_t k = 0;

	for (uint32_t n = 0; n < e->machine->n_node; n++)
		k += cs_occ_empty(&e->sm->now.node[n]) &&
		     !cs_bit(e->sm->now.down, n);
	return k;
}

/*
 * Could the job be part of a new pair at all: are there empty nodes for it, and does a
 * waiting head keep its room even if nothing slows the job?  Asked once a job, so that
 * thousands behind a head do not each try all the others.  1, 0, -ENOMEM.
 */
static int could_pair(struct search *s, uint32_t empty)
{
	struct cs_engine *e = s->e;
	struct cs_alloc *a;
	struct side own;
	bool nomem, leaves;

	if (!side_init(e, &own, s->entry, NULL) || own.shape.nodes > empty)
		return 0;
	own.shape.kind = CS_SHAPE_SPACE;
	cs_resv_nodes(e, s->entry->job, s->entry->option, e->now_us, own.run_us,
		      e->mask);
	a = cs_layout_choose(&e->sm->now, &own.shape, e->mask, &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	leaves = cs_backfill_leaves(s->p, a, cs_group_hold(e),
				    e->now_us + own.run_us);
	cs_alloc_free(a);
	return leaves;
}

/* Case 1 over all waiting jobs behind this one. */
static int search_waiting(struct search *s)
{
	size_t n;
	const struct cs_entry *behind = cs_attempt_behind(s->p, &n);
	const struct cs_ejob *j = s->entry->job;
	uint32_t empty = empty_nodes(s->e);
	int rc = could_pair(s, empty);

	if (rc <= 0)
		return rc;
	rc = 0;
	s->e->steps += (int64_t)n;
	for (size_t i = 0; !rc && !settled(s) && i < n; i++) {
		const struct cs_entry *w = &behind[i];
		struct side a, b;
		uint32_t nodes;
		double gain;

		if (w->job == j || !cs_attempt_ready(s->e, w) ||
		    cs_match_pair(s->e, j, s->entry->option, w->job,
				  w->option) != CS_MATCH_OK ||
		    !side_init(s->e, &a, s->entry, w->job) ||
		    !side_init(s->e, &b, w, j))
			continue;
		nodes = a.shape.nodes > b.shape.nodes ? a.shape.nodes
						      : b.shape.nodes;
		if (nodes > empty ||
		    b.shape.nodes >
			    a.shape.nodes +
				    (uint32_t)(s->e->params.matched_larger *
					       a.shape.nodes))
			continue;
		gain = cs_gain_pair(
			&(struct cs_gain_job){ j->job.procs, a.slowdown },
			&(struct cs_gain_job){ w->job->job.procs, b.slowdown },
			nodes);
		if (better(s, gain))
			rc = try_waiting(s, &a, &b, gain, nodes);
	}
	return rc;
}

/* Cases 2 and 3. */
static int search_running(struct search *s)
{
	struct choice c = { 0 };
	int rc = cs_join_best(s->p, s->entry, false, &c.way);

	if (rc || !c.way.alloc)
		return rc;
	c.rule = c.way.rule;
	c.gain = c.way.gain;
	if (better(s, c.gain))
		take(s, &c);
	else
		choice_done(&c);
	return 0;
}

/* Case 5. */
static void search_alone(struct search *s)
{
	const struct cs_ejob *j = s->entry->job;
	const struct cs_node *like =
		s->e->nodeset_node[j->job.option[s->entry->option].nodeset];
	struct choice c = { .rule = 5 };
	double self;

	if (!like || !cs_shape_space(&c.alone, &j->job, like,
				     cs_layout_dense_ppn(&j->job, like)))
		return;
	self = cs_progress_self(s->e, j, c.alone.quota, like);
	c.gain = cs_gain_alone(j->job.procs, self, c.alone.nodes);
	cs_resv_nodes(s->e, j, s->entry->option, s->e->now_us,
		      j->job.estimate_us, s->e->mask);
	if (self <= s->e->params.max_slowdown && better(s, c.gain) &&
	    cs_layout_fits(&s->e->sm->now, &c.alone, s->e->mask))
		take(s, &c);
}

/* Start the two of a new pair: the job is the primary one. */
static int start_pair(struct search *s)
{
	struct cs_engine *e = s->e;
	struct choice *c = &s->best;
	struct cs_ejob *a, *b;

	a = cs_proposal_make(e, s->entry->job, s->entry->option, c->own,
			     cs_group_hold(e));
	c->own = NULL;
	if (!a)
		return -ENOMEM;
	b = cs_proposal_make(e, c->with->job, c->with->option, c->theirs,
			     cs_group_hold(e));
	c->theirs = NULL;
	if (b) {
		cs_group_enter(e, a, CS_ROLE_PRIMARY, NULL, b->job.id);
		cs_group_enter(e, b, CS_ROLE_MATCHED, a, a->job.id);
		a->needs = b->needs > a->needs ? b->needs : a->needs;
		b->needs = a->seq;
		e->pairs++;
	}
	if (cs_start_alone_action(e, a, 1, c->gain))
		return -ENOMEM;
	return !b || cs_start_alone_action(e, b, 1, c->gain) ? -ENOMEM : 1;
}

static int start_best(struct search *s)
{
	struct choice *c = &s->best;
	int rc;

	switch (c->rule) {
	case 1:
		return start_pair(s);
	case 2:
	case 3:
		rc = cs_join_start(s->e, s->entry, &c->way);
		c->way.alloc = NULL;
		return rc ? rc : 1;
	case 5:
		return cs_start_alone(s->p, s->entry, &c->alone, 5, c->gain);
	default:
		return 0;
	}
}

/* Rules 3 to 6. */
static int matched(struct search *s)
{
	int rc = 0;

	if (cs_attempt_tries(s->p, 1))
		rc = search_waiting(s);
	if (!rc && !settled(s) &&
	    (cs_attempt_joins(s->p, 2) || cs_attempt_joins(s->p, 3)))
		rc = search_running(s);
	if (!rc && !settled(s) && cs_attempt_tries(s->p, 5))
		search_alone(s);
	if (!rc)
		rc = start_best(s);
	choice_done(&s->best);
	return rc;
}

int cs_place_pair(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct search s = {
		.p = p,
		.e = e,
		.entry = entry,
		.first = e->place->first,
	};
	int rc = 0;

	if (e->params.jobs_per_node < 2 || !cs_may_search(e) ||
	    cs_match_willing(e, entry->job, entry->option) != CS_MATCH_OK)
		return cs_place_alone(p, entry);
	rc = cs_place_light(p, entry);
	if (!rc)
		rc = matched(&s);
	return rc ? rc : cs_place_alone(p, entry);
}

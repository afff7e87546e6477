/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Free parts of nodes on which running jobs are spread: rule 1 of cover.c.
 *
 * Rules.
 *  1. A node is suitable if exactly one running job uses part of it, the two jobs suit
 *     each other (match.c), and that job's limit may be raised that far.  Not if its
 *     start is only proposed: a start can depend on one other, and this might depend on
 *     several.
 *  2. Running jobs contribute nodes in order of how much they slow the new job, least
 *     first; each all of its suitable ones, until there are m_a.
 *  3. If these are too few, E empty nodes make up the rest.
 *  4. It starts if its work, less what it costs the jobs running there, exceeds what
 *     jobs alone on full nodes would do on the empty ones:
 *
 *	n_a / r_a - sum_x n_x (1 / r_x - 1 / r_x') > E (1 + cover_gain)	(1)
 *
 *     with r_x before and r_x' after it joins, and if no promise suffers.
 *
 * Cost: O(kinds of running jobs) slowdowns, and for those that may suit O(jobs) more.
 */
#include "place/cover_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "backfill/backfill.h"
#include "job/group.h"
#include "job/match.h"
#include "job/progress.h"
#include "job/resv.h"
#include "lifecycle/proposal.h"
#include "place/attempt.h"
#include "place/join.h"
#include "place/joinable.h"
#include "place/start_alone.h"

struct beside { /* a running job */
	struct cs_ejob *job;
	double does, suffers; /* cos of the new job; its own */
	double likely_does;   /* as expected */
	double then;	      /* its factor if the new job joins */
	double lost;	      /* its part of the sum in (1) */
	bool used;
};

struct search {
	struct cs_pass *p;
	struct cs_engine *e;
	const struct cs_spread *own;
	struct beside *x; /* [n] */
	size_t n;
	uint32_t *node; /* [n_node] */
	uint32_t n_node;
	uint32_t empty; /* how many of them are empty */
	double cos, likely, lost;
};

static int least_first(const void *va, const void *vb)
{
	const struct beside *a = va, *b = vb;

	if (a->does != b->does)
		return a->does < b->does ? -1 : 1;
	return cs_ejob_cmp(a->job, b->job);
}

/* The term of (1) of running job @x if it suffers @cos. */
static double lost(const struct cs_engine *e, const struct cs_ejob *x,
		   double cos)
{
	const struct cs_alloc *a = x->alloc;
	const struct cs_node *like = &e->machine->node[a->node[0].node];
	uint32_t full = cs_layout_dense_ppn(&x->job, like), most = 1;
	double self;

	for (uint32_t i = 0; i < a->n_node; i++)
		if (a->node[i].procs > most)
			most = a->node[i].procs;
	self = cs_progress_self(e, x, full, like) /
	       cs_progress_self(e, x, most, like);
	return cos > x->co_slowdown ? cs_div_up(x->job.procs, full) * self *
					      (1 / x->co_slowdown - 1 / cos)
				    : 0;
}

/* Rule 1, except for the node. */
static bool suits(const struct search *s, struct cs_ejob *x, struct beside *ret)
{
	const struct cs_engine *e = s->e;
	const struct cs_entry *own = s->own->entry;
	struct cs_who a = cs_who_is(own->job), b = cs_who_is(x);

	if (x->state == CS_PROPOSED ||
	    cs_match_pair(e, own->job, own->option, x, x->option) !=
		    CS_MATCH_OK)
		return false;
	*ret = (struct beside){
		.job = x,
		.does = cs_slowdown_beside(&e->model, a, &b, 1),
		.suffers = cs_slowdown_beside(&e->model, b, &a, 1),
		.likely_does = cs_spread_likely(e, a, b),
	};
	if (!cs_join_limit_allows(e, x, ret->suffers))
		return false;
	ret->then = ret->suffers > x->co_slowdown
			    ? cs_progress_beside(e, x, ret->suffers)
			    : x->slowdown;
	ret->lost = lost(e, x, cs_spread_likely(e, b, a));
	return true;
}

/* Take suitable nodes of @b, as far as needed. */
static void take_nodes(struct search *s, struct beside *b)
{
	const struct cs_alloc *a = b->job->alloc;
	const struct cs_occ *now = &s->e->sm->now;

	for (uint32_t i = 0; i < a->n_node && s->n_node < s->own->shape.nodes;
	     i++) {
		uint32_t k = a->node[i].node;

		if (s->e->sm->on[k].n != 1 || !cs_bit(s->e->mask, k) ||
		    !cs_layout_usable(now, k, &s->own->shape))
			continue;
		s->node[s->n_node++] = k;
		b->used = true;
	}
	if (!b->used)
		return;
	s->cos = b->does > s->cos ? b->does : s->cos;
	s->likely = b->likely_does > s->likely ? b->likely_does : s->likely;
	s->lost += b->lost;
}

/* Rule 3: what is still missing, from empty nodes. */
static void take_empty(struct search *s)
{
	const struct cs_occ *now = &s->e->sm->now;

	for (uint32_t k = 0; s->n_node && k < s->e->machine->n_node &&
			     s->n_node < s->own->shape.nodes;
	     k++)
		if (cs_bit(now->empty, k) && cs_bit(s->e->mask, k) &&
		    cs_layout_usable(now, k, &s->own->shape)) {
			s->node[s->n_node++] = k;
			s->empty++;
		}
}

/* Rule 4. */
static bool leaves(struct search *s, const struct cs_alloc *a, int64_t run_us)
{
	struct cs_ejob *moved[CS_BESIDE_MAX];
	int64_t end_us[CS_BESIDE_MAX] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct cs_ejob at = *s->x[i].job;

		if (!s->x[i].used)
			continue;
		if (n == CS_BESIDE_MAX)
			return false;
		cs_progress_bring(&at, s->e->now_us);
		at.slowdown = s->x[i].then;
		moved[n] = s->x[i].job;
		end_us[n++] = cs_progress_end_us(s->e, &at);
	}
	return cs_backfill_leaves_moved(s->p, a, CS_NODE_COUNTED,
					s->e->now_us + run_us, moved, end_us,
					n);
}

static int start(struct search *s, struct cs_alloc *a)
{
	const struct cs_entry *own = s->own->entry;
	struct cs_ejob *r = NULL, *j;

	for (size_t i = s->n; i--;)
		if (s->x[i].used)
			r = s->x[i].job;
	j = cs_proposal_make(s->e, own->job, own->option, a,
			     cs_group_hold(s->e));
	if (!j || (!r->group &&
		   cs_group_join(s->e, r, CS_ROLE_PRIMARY, NULL, j->job.id)))
		return -ENOMEM;
	cs_group_enter(s->e, j, CS_ROLE_MATCHED, r, r->job.id);
	s->e->pairs++;
	return cs_start_alone_action(s->e, j, 2, 0) ? -ENOMEM : 1;
}

static int try_nodes(struct search *s)
{
	int64_t run_us = cs_spread_run_us(s->e, s->own, s->cos);
	double ratio = cs_spread_ratio(s->e, s->own, s->likely);
	struct cs_alloc *a;
	bool nomem;

	if (s->n_node < s->own->shape.nodes || run_us == CS_TIME_NONE ||
	    !cs_spread_in_time(s->e, s->own, run_us) ||
	    s->own->dense / ratio - s->lost <=
		    s->empty * (1 + s->e->params.cover_gain))
		return 0;
	cs_layout_sort(s->node, s->n_node);
	a = cs_layout_on(&s->e->sm->now, &s->own->shape, s->node, s->n_node,
			 &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	if (leaves(s, a, run_us))
		return start(s, a);
	cs_alloc_free(a);
	return 0;
}

/* Does it suit the running jobs of @k, by what is known of slowdowns? */
static bool suits_kind(const struct search *s, const struct cs_alike *k)
{
	return cs_match_known(s->e, cs_who_is(s->own->entry->job), k->who);
}

/* The running jobs that suit it, of @kind [n], least slowed first.  0, -ENOMEM. */
static int find_running(struct search *s, const struct cs_alike *kind, size_t n)
{
	size_t most = 0;

	for (size_t k = 0; k < n; k++)
		most += suits_kind(s, &kind[k]) ? kind[k].n : 0;
	if (!most)
		return 0;
	s->x = calloc(most, sizeof(*s->x));
	if (!s->x)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; suits_kind(s, &kind[k]) && i < kind[k].n;
		     i++)
			s->n += suits(s, kind[k].job[i], &s->x[s->n]);
	if (s->n)
		qsort(s->x, s->n, sizeof(*s->x), least_first);
	return 0;
}

/* Take nodes of the jobs found, and start there. */
static int join_found(struct search *s)
{
	const struct cs_spread *own = s->own;
	struct cs_engine *e = s->e;
	int rc;

	s->node = calloc(own->shape.nodes + 1, sizeof(*s->node));
	if (!s->node)
		return -ENOMEM;
	cs_resv_nodes(e, own->entry->job, own->entry->option, e->now_us,
		      cs_stretch_us(own->entry->job->job.estimate_us,
				    e->params.max_slowdown),
		      e->mask);
	for (size_t i = 0; i < s->n && s->n_node < own->shape.nodes; i++)
		take_nodes(s, &s->x[i]);
	take_empty(s);
	rc = try_nodes(s);
	free(s->node);
	return rc;
}

int cs_cover_join(struct cs_pass *p, const struct cs_spread *own)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct search s = { .p = p, .e = e, .own = own, .cos = 1, .likely = 1 };
	size_t n;
	const struct cs_alike *kind = cs_joinable_alike(p, &n);
	int rc;

	if (!kind)
		return -ENOMEM;
	/* a request for more nodes than exist must not wrap around below */
	if (own->shape.nodes > e->machine->n_node)
		return 0;
	rc = find_running(&s, kind, n);
	if (!rc && s.n)
		rc = join_found(&s);
	free(s.x);
	return rc;
}

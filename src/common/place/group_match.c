/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs may be matched with a primary job: the preselection of G-LOMARC-TS.
 *
 * Rules.
 *  1. A candidate and the primary job may share (match.c): neither slows the other
 *     down by more than MAX_SL; and if the host has limits, both can be raised that
 *     far.
 *  2. Its nodes exceed the primary job's by at most MATCHED_LARGER, and beside it, it
 *     lasts at most MATCHED_LONGER longer (group_unplanned.c: however long).
 *  3. Running ones are alone on their nodes: a job in a group admits no other.  Waiting
 *     ones may start now, in the partition of their promise.
 *  4. The group's nodes can hold it: a running one's are among those that the primary
 *     job may use; a waiting one may use as many of the group's as the primary job has.
 *     Beyond one layer (group_layers.c) it has room, cores and memory, beside the
 *     primary job.
 *  5. The order is step 2's: the queue's; running ones by least delay (join.c).
 *  6. layout=auto: a job on more nodes than when packed alone must be slowed less in
 *     return: self times coscheduling slowdown of its part is at most its self slowdown
 *     packed.
 *
 *  7. With a rule of sites a waiting one lasts as long as on all sites that it may be
 *     on (group_nodes.c, rule 4).
 *
 * Source: Zeng09 (see slowdown.h), section 4.5, steps 1 and 2.
 *
 * Differs: MATCHED_LONGER and MATCHED_LARGER, by which the paper's table 6 bounds
 * a group, are applied to each candidate here; group_form.c applies the second to sets
 * too.  Rule 6 is ours: the paper compares with a spread job, stock packs it.
 *
 * Cost: O(1) a waiting job, O(nodes) if it suits so far; O(nodes of the job) a running
 * one.
 */
#include "place/group_parts.h"

#include <math.h>

#include "job/crossing.h"
#include "job/match.h"
#include "job/progress.h"
#include "job/resv.h"
#include "job/site_room.h"
#include "place/attempt.h"
#include "place/join.h"

/* Looking must not advance the job: each step rounds, and moves its end. */
static double rest_of(const struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_ejob at = *j;
	int64_t rest;

	cs_progress_bring(&at, e->now_us);
	rest = at.job.estimate_us - at.done_us;

	return rest > 0 ? (double)rest : 1;
}

/* Rule 6. */
static double bearable(const struct cs_engine *e, const struct cs_ejob *j,
		       const struct cs_shape *s, double self)
{
	uint32_t dense = cs_layout_dense_ppn(&j->job, s->like);

	if (!cs_shares_packed(e) || s->quota >= dense)
		return HUGE_VAL;
	return cs_progress_self(e, j, dense, s->like) / self;
}

const struct cs_part *cs_search_part(const struct cs_engine *e,
				     const struct cs_entry *x)
{
	struct cs_ejob *j = x->job;
	struct cs_part *q = &j->part;
	const struct cs_node *like =
		cs_engine_like(e, &j->job.option[x->option]);

	if (!q->made || q->option != x->option) {
		*q = (struct cs_part){ .made = true, .option = x->option };
		q->any =
			like && cs_match_part(e, j, x->option, like, &q->shape);
		if (q->any) {
			q->pace = cs_progress_factor(e, j, q->shape.quota, like,
						     1);
			q->self = cs_progress_self(e, j, q->shape.quota, like);
			q->bearable = bearable(e, j, &q->shape, q->self);
		}
	}
	return q->any ? q : NULL;
}

bool cs_search_waiting(const struct cs_engine *e, const struct cs_entry *x,
		       struct cs_candidate *c)
{
	const struct cs_job *j = &x->job->job;
	const struct cs_part *q = cs_search_part(e, x);
	double crossing = 1;
	uint32_t sites = UINT32_MAX;

	if (!q)
		return false;
	if (cs_site_rules(e)) {
		sites = cs_site_room_beside(e, x->job, x->option);
		crossing = cs_crossing_factor(e, x->job, sites);
	}
	*c = (struct cs_candidate){ .job = x->job,
				    .option = x->option,
				    .procs = j->procs,
				    .nodes = q->shape.nodes,
				    .shape = q->shape,
				    .rest_us = (double)j->estimate_us,
				    .pace = q->pace * crossing,
				    .crossing = crossing,
				    .sites = sites,
				    .bearable = q->bearable,
				    .self = q->self };
	return true;
}

void cs_search_running(const struct cs_engine *e, struct cs_ejob *j,
		       struct cs_candidate *c)
{
	const struct cs_alloc *a = j->alloc;
	const struct cs_node *node = &e->machine->node[a->node[0].node];

	*c = (struct cs_candidate){ .job = j,
				    .option = j->option,
				    .bearable = HUGE_VAL };
	c->procs = j->job.procs;
	c->nodes = a->n_node;
	c->rest_us = rest_of(e, j);
	c->pace = cs_progress_beside(e, j, 1);
	c->self = cs_progress_self(e, j, a->node[0].procs, node);
}

bool cs_search_free(const struct cs_engine *e, const struct cs_ejob *r)
{
	if (r->group || !r->alloc ||
	    (r->state != CS_RUNNING && r->state != CS_STOPPED))
		return false;
	for (uint32_t i = 0; i < r->alloc->n_node; i++)
		if (e->sm->on[r->alloc->node[i].node].n != 1)
			return false;
	return true;
}

static double beside(const struct cs_engine *e, const struct cs_ejob *of,
		     const struct cs_ejob *other)
{
	struct cs_who who = cs_who_is(other);

	return cs_slowdown_beside(&e->model, cs_who_is(of), &who, 1);
}

/* If the host has limits: could the candidate's follow a coscheduling slowdown of
 * @cos? */
static bool limit_allows(const struct cs_engine *e,
			 const struct cs_candidate *c, double cos)
{
	const struct cs_ejob *j = c->job;
	int64_t most = j->job.option[c->option].limit_max_us;

	if (j->state != CS_WAITING)
		return cs_join_limit_allows(e, j, cos);
	return most == CS_TIME_NONE || c->pace * cos <= 1 ||
	       cs_stretch_us(j->job.estimate_us, c->pace * cos) <= most;
}

/* Its maximum slowdown among several, if one slows it by @cos. */
static double most_of(const struct cs_engine *e, const struct cs_candidate *c,
		      double cos)
{
	double most = e->params.max_slowdown;

	return limit_allows(e, c, most) ? most : cos;
}

void cs_search_takes(struct cs_candidate *c)
{
	c->cores = cs_shape_cores(&c->shape, c->shape.like, c->shape.quota);
	c->mem_mb = cs_layout_memory(c->shape.like, &c->shape, c->shape.quota);
}

/* Is there room for it on a node of the primary job? */
static bool has_part(const struct cs_search *s, struct cs_candidate *c)
{
	const struct cs_candidate *a = &s->f.primary;

	if (s->f.layers == 1)
		return true;
	cs_search_takes(c);
	return a->cores + c->cores <= s->f.cores &&
	       a->mem_mb + c->mem_mb <= s->f.mem_mb;
}

/* Is a job of @nodes nodes small enough for the primary one? */
static bool small_enough(const struct cs_search *s, uint32_t nodes)
{
	uint32_t x = s->f.primary.nodes;

	return nodes <= x + (uint32_t)(s->e->params.matched_larger * x);
}

bool cs_search_suits(struct cs_search *s, struct cs_candidate *c)
{
	const struct cs_engine *e = s->e;
	struct cs_candidate *a = &s->f.primary;
	const struct cs_ejob *j = c->job;
	double longer = (double)e->params.matched_longer_s * 1e6;

	if (!small_enough(s, c->nodes) || !has_part(s, c) ||
	    cs_match_pair(e, a->job, a->option, j, c->option) != CS_MATCH_OK)
		return false;
	c->cos = beside(e, j, a->job);
	c->harm = beside(e, a->job, j);
	if (c->cos > c->bearable || c->harm > a->bearable)
		return false;
	if (cs_pass_plans(s->p) &&
	    cs_candidate_lasts_us(c, c->cos) >
		    cs_candidate_lasts_us(a, c->harm) + longer)
		return false;
	if (!limit_allows(e, c, c->cos) || !limit_allows(e, a, c->harm))
		return false;
	if (s->f.layers > 1) {
		c->most = most_of(e, c, c->cos);
		a->most = most_of(e, a, c->harm > a->most ? c->harm : a->most);
	}
	return true;
}

void cs_search_nodes(const struct cs_search *s, const struct cs_candidate *c,
		     uint64_t *mask)
{
	double lasts = cs_candidate_lasts_us(c, s->e->params.max_slowdown);

	cs_resv_nodes(s->e, c->job, c->option, s->e->now_us,
		      cs_stretch_us((int64_t)lasts, 1), mask);
}

/* May the candidate use as many nodes of e->mask, the group's, as the primary job
 * has? */
static bool reaches(const struct cs_search *s, const struct cs_candidate *c)
{
	const struct cs_engine *e = s->e;

	cs_search_nodes(s, c, e->mask2);
	return cs_bits_common(e->mask, e->mask2, cs_node_words(e->machine)) >=
	       s->f.primary.nodes;
}

/* Under a plan in the partition of its promise. */
static bool waits_free(const struct cs_search *s, const struct cs_entry *x)
{
	return cs_attempt_ready(s->e, x) &&
	       (!cs_pass_plans(s->p) ||
		(x->job->plan.start_us != CS_TIME_NONE &&
		 x->job->plan.option == x->option));
}

void cs_search_add_waiting(struct cs_search *s)
{
	size_t n;
	const struct cs_entry *behind = cs_attempt_behind(s->p, &n);

	cs_search_step(s->e, (int64_t)n);
	for (size_t i = 0; i < n; i++) {
		struct cs_candidate *c = &s->all[s->f.n];

		if (behind[i].job != s->entry->job &&
		    waits_free(s, &behind[i]) &&
		    cs_search_waiting(s->e, &behind[i], c) &&
		    cs_search_suits(s, c) && reaches(s, c))
			s->f.n++;
	}
}

void cs_search_add_running(struct cs_search *s, struct cs_ejob *const *r,
			   size_t n, const struct cs_shape *shape)
{
	for (size_t i = 0; i < n; i++) {
		struct cs_candidate *c = &s->all[s->f.n];
		bool room = small_enough(s, r[i]->alloc->n_node) &&
			    cs_search_free(s->e, r[i]);

		for (uint32_t k = 0; room && k < r[i]->alloc->n_node; k++) {
			uint32_t at = r[i]->alloc->node[k].node;

			room = cs_bit(s->e->mask, at) &&
			       cs_layout_usable(&s->e->sm->now, at, shape);
		}
		if (!room)
			continue;
		cs_search_running(s->e, r[i], c);
		s->f.n += cs_search_suits(s, c);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of jobs on shared nodes: the scheduling algorithm of G-LOMARC-TS.
 *
 * Problem.  Start the first waiting job so that the cores of its nodes are used
 * well, beside as many others as fit, and let no other job pay too much for it.
 *
 * Rules, for the job whose turn it is (000, section 4.4, figure 3).
 *  1. Low load, and serial jobs beside serial ones: as in place_light.c.
 *  2. Case 1: it is the primary job, other waiting jobs are matched with it.
 *     Case 2: it is the primary job, running jobs are matched with it.
 *     Case 3: a running job is the primary one, it and other waiting jobs are
 *	       matched with that; the RUNNING_PRIM_NUM least delayed are tried of
 *	       those that suit it (cs_join_suits()), as in join.c.
 *     Case 5: alone on all cores of its nodes, by which it may slow itself no
 *	       more than MAX_SL (with layout=gain as much as it will).
 *     The one with the highest utilisation gain of at least MIN_UTILGAIN is taken
 *     that passes the fairness check, the lower case at a tie.  (`cases` says
 *     which are tried; without case 5 a job has never all cores of a node.)
 *  3. Case 4: else alone, laid out as `layout` says, when its time has come.
 *  4. Backfilling tries `backfill_cases` (000: 1, 4 and 5).  In a slice of another
 *     class (slice.c) a group may delay nobody's promise.
 *  5. Candidates pass the preselection (match.c), and last at most MATCHED_LONGER
 *     longer than the primary job.  Who is in a group takes nobody in.
 *  6. Fairness check (step 6): with the group on its nodes until each member
 *     ends, nobody who waits, and nobody who runs beside it, passes his R_max
 *     (plan.c), or is later at all where he has passed it already.  R_est is
 *     scaled by .75 (response_scale), the response predicted now is not: at
 *     F_slack = 1.5 a decision may cost another an eighth of his time.
 *  7. Pairs (place=pair-best, pair-first) are groups with one matched job.  With
 *     backfill_join=yes one that no group took comes beside a running job as in
 *     join.c, up to jobs_per_node on a node, where no promise suffers.
 *
 * A group is one transaction: the matched jobs' starts need the primary one's.
 * Where the host refuses a member, the others stay what they are (group.c).
 *
 * Source: 000 (see slowdown.h), sections 4.3 to 4.6.
 *
 * Differs.
 *  1. "No room under space sharing" is not a rule of its own: cases 1 to 3 are
 *     tried whether or not the job would fit alone.
 *  2. Predictions for the check hold each member's slowdown until it ends.
 *  3. With jobs_per_node above 2, matched jobs that wait may be on one node with
 *     each other too (layers.c).  Running ones are not: in case 2 a node has two
 *     jobs.
 *  4. The cases are taken in the order of the best group that each offers, and all
 *     groups of one are tried before the next case's: where the best of a case is
 *     not fair, a lesser one of it comes before a better one of another.  At a tie
 *     case 5 wins; with first_suitable it is not compared.
 *  5. R_est is scaled, the response that is set against R_max is not: a tighter
 *     check than with both scaled, which response_scale=1 amounts to.  With that
 *     medium jobs gain 44.8 % on SSP instead of 41.9 %, long ones 53.1 % instead of
 *     49.9 % (W1, doc/results/glomarc.md).
 *
 * Known weakness: as in place_pair.c.  And empty nodes are taken by number and
 * weight; whether each holds its member shows when it is laid out.  Where nodes
 * are mixed, a group that would fit on others is given up.
 *
 * Cost: O(waiting) pair slowdowns and form.c's, and a plan for each group that is
 * checked, for each job that is placed: search_steps bounds their sum in a pass.
 * 10,000 jobs on 1,000 nodes: 0.6 s at most with 100,000 steps.
 */
#include "pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "form.h"
#include "gain.h"
#include "join.h"
#include "layers.h"

struct search {
	struct cs_pass *p;
	struct cs_engine *e;
	const struct cs_entry *entry;
	uint32_t rule;		      /* being tried */
	struct cs_ejob *running;      /* case 3: the primary job */
	struct cs_forming f;
	struct cs_candidate *all;     /* engine's scratch, for f.candidate */
	double least;		      /* what a group must gain to be better */
	bool done;		      /* something was started */
};

/* Candidates. */

/* Looking must not bring it forward: each time rounds, and moves its end. */
static double rest_of(const struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_ejob at = *j;
	int64_t rest;

	cs_progress_bring(&at, e->now_us);
	rest = at.job.estimate_us - at.done_us;

	return rest > 0 ? (double)rest : 1;
}

/* What a waiting job has in any group; NULL: it can be in none. */
static const struct cs_part *part_of(const struct cs_engine *e,
				     const struct cs_entry *x)
{
	struct cs_ejob *j = x->job;
	struct cs_part *q = &j->part;
	const struct cs_node *like =
		e->nodeset_node[j->job.option[x->option].nodeset];

	if (!q->made || q->option != x->option) {
		*q = (struct cs_part){ .made = true, .option = x->option };
		q->any = like && cs_shape_shared(
					 &q->shape, &j->job, like,
					 (uint32_t)e->params.jobs_per_node);
		if (q->any) {
			q->pace = cs_progress_factor(e, j, q->shape.quota, like,
						     1);
			q->self = cs_progress_self(e, j, q->shape.quota, like);
		}
	}
	return q->any ? q : NULL;
}

/* A waiting job's part of a group. */
static bool waiting_side(const struct cs_engine *e, const struct cs_entry *x,
			 struct cs_candidate *c)
{
	const struct cs_job *j = &x->job->job;
	const struct cs_part *q = part_of(e, x);

	if (!q)
		return false;
	*c = (struct cs_candidate){ .job = x->job,
				    .option = x->option,
				    .procs = j->procs,
				    .nodes = q->shape.nodes,
				    .shape = q->shape,
				    .rest_us = (double)j->estimate_us,
				    .pace = q->pace,
				    .self = q->self };
	return true;
}

/* A running job's.  It stays as it was: what is asked in vain must not change its
 * progress by as much as a rounding. */
static void running_side(const struct cs_engine *e, struct cs_ejob *j,
			 struct cs_candidate *c)
{
	const struct cs_alloc *a = j->alloc;
	const struct cs_node *node = &e->machine->node[a->node[0].node];

	*c = (struct cs_candidate){ .job = j, .option = j->option };
	c->procs = j->job.procs;
	c->nodes = a->n_node;
	c->rest_us = rest_of(e, j);
	c->pace = cs_progress_beside(e, j, 1);
	c->self = cs_progress_self(e, j, a->node[0].procs, node);
}

/* Running jobs that may be in a new group, the least delayed first. */
static bool free_running(const struct cs_engine *e, const struct cs_ejob *r)
{
	if (r->group || !r->alloc ||
	    (r->state != CS_RUNNING && r->state != CS_STOPPED))
		return false;
	for (uint32_t i = 0; i < r->alloc->n_node; i++)
		if (e->vm->on[r->alloc->node[i].node].n != 1)
			return false;
	return true;
}

static double beside(const struct cs_engine *e, const struct cs_ejob *of,
		     const struct cs_ejob *other)
{
	struct cs_who who = cs_who_is(other);

	return cs_slowdown_beside(&e->model, cs_who_is(of), &who, 1);
}

/* Where the host gives limits: could the candidate's follow a coscheduling
 * slowdown of @cos? */
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

/* What it may suffer among several, if @cos is what it suffers from one. */
static double most_of(const struct cs_engine *e, const struct cs_candidate *c,
		      double cos)
{
	double most = e->params.max_slowdown;

	return limit_allows(e, c, most) ? most : cos;
}

/* What a waiting job takes of a node. */
static void takes_of(struct cs_candidate *c)
{
	c->cores = cs_layout_cores(c->shape.quota, c->shape.cpus_per_proc,
				   c->shape.like->threads);
	c->mem_mb = cs_layout_memory(c->shape.like, &c->shape, c->shape.quota);
}

/* Is there room for it on a node of the primary job? */
static bool has_part(const struct search *s, struct cs_candidate *c)
{
	const struct cs_candidate *a = &s->f.primary;

	if (s->f.layers == 1)
		return true;
	takes_of(c);
	return a->cores + c->cores <= s->f.cores &&
	       a->mem_mb + c->mem_mb <= s->f.mem_mb;
}

/* Is a job of so many nodes small enough for the primary one? */
static bool small_enough(const struct search *s, uint32_t nodes)
{
	uint32_t x = s->f.primary.nodes;

	return nodes <= x + (uint32_t)(s->e->params.matched_larger * x);
}

/* Rule 5, and where the host gives limits, that they can be raised. */
static bool suits(struct search *s, struct cs_candidate *c)
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
	if (cs_candidate_lasts_us(c, c->cos) >
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

/* Nodes that a waiting job may use, if it runs so long, into @mask. */
static void nodes_for(const struct search *s, const struct cs_candidate *c,
		      uint64_t *mask)
{
	double lasts = cs_candidate_lasts_us(c, s->e->params.max_slowdown);

	cs_pass_nodes(s->e, c->job, c->option, s->e->now_us,
		      cs_stretch_us((int64_t)lasts, 1), mask);
}

/* May the candidate be anywhere on as many nodes of e->mask, which are those for
 * the group, as the primary job has? */
static bool reaches(const struct search *s, const struct cs_candidate *c)
{
	const struct cs_engine *e = s->e;
	uint32_t n = 0;

	nodes_for(s, c, e->mask2);
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
		n += (uint32_t)__builtin_popcountll(e->mask[w] & e->mask2[w]);
	return n >= s->f.primary.nodes;
}

static bool waits_free(const struct cs_engine *e, const struct cs_entry *x)
{
	return cs_waits(x->job) && x->job->plan.start_us != CS_TIME_NONE &&
	       x->job->plan.option == x->option &&
	       !(cs_job_flags(x->job, x->option) & CS_JOB_BLOCKED) &&
	       x->job->job.eligible_us <= e->now_us &&
	       !cs_is_refused(e, x->job);
}

static void candidates_waiting(struct search *s)
{
	size_t n;
	const struct cs_entry *behind = cs_pass_behind(s->p, &n);

	s->e->steps += (int64_t)n;
	for (size_t i = 0; i < n; i++) {
		struct cs_candidate *c = &s->all[s->f.n];

		if (behind[i].job != s->entry->job &&
		    waits_free(s->e, &behind[i]) &&
		    waiting_side(s->e, &behind[i], c) && suits(s, c) &&
		    reaches(s, c))
			s->f.n++;
	}
}

static void candidates_running(struct search *s, struct cs_ejob *const *r,
			       size_t n, const struct cs_shape *shape)
{
	for (size_t i = 0; i < n; i++) {
		struct cs_candidate *c = &s->all[s->f.n];
		bool room = small_enough(s, r[i]->alloc->n_node) &&
			    free_running(s->e, r[i]);

		for (uint32_t k = 0; room && k < r[i]->alloc->n_node; k++) {
			uint32_t at = r[i]->alloc->node[k].node;

			room = cs_bit(s->e->mask, at) &&
			       cs_layout_usable(&s->e->vm->now, at, shape);
		}
		if (!room)
			continue;
		running_side(s->e, r[i], c);
		s->f.n += suits(s, c);
	}
}

/* Nodes. */

/* Leave only empty ones in e->mask; how many there are. */
static uint32_t only_empty(const struct cs_engine *e)
{
	uint32_t k = 0;

	for (uint32_t w = 0; w < cs_node_words(e->machine); w++) {
		e->mask[w] &= ~e->vm->now.down[w] & e->vm->now.empty[w];
		k += cs_popcount(e->mask[w]);
	}
	return k;
}

/* Leave only the nodes of @a in e->mask. */
static void only_of(const struct cs_engine *e, const struct cs_alloc *a)
{
	memset(e->mask, 0, cs_node_words(e->machine) * sizeof(*e->mask));
	for (uint32_t i = 0; i < a->n_node; i++)
		cs_bit_set(e->mask, a->node[i].node);
}

/* Nodes that every member which waits may use, into e->mask. */
static void nodes_for_all(const struct search *s, const struct cs_formed *g)
{
	const struct cs_engine *e = s->e;

	memset(e->mask, 0xff, cs_node_words(e->machine) * sizeof(*e->mask));
	if (s->rule != 3)
		nodes_for(s, &s->f.primary, e->mask);
	for (uint32_t i = 0; s->rule != 2 && i < g->n; i++) {
		nodes_for(s, &s->f.candidate[g->matched[i]], e->mask2);
		for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
			e->mask[w] &= e->mask2[w];
	}
}

/* Of the 64 nodes from @w * 64 on, those of e->mask that cost @cost, behind the @n
 * in @node, but no more than @want in all; *next becomes the least cost above. */
static uint32_t add_at(const struct cs_engine *e, uint32_t w, uint64_t cost,
		       uint32_t *node, uint32_t n, uint32_t want,
		       uint64_t *next)
{
	const uint16_t *crowd = e->vm->now.crowd;

	for (uint64_t set = e->mask[w]; set && n < want; set &= set - 1) {
		uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(set);
		uint64_t c = (uint64_t)e->machine->node[i].weight << 16;

		c += crowd ? crowd[i] : 0;
		if (c > cost && c < *next)
			*next = c;
		if (c == cost)
			node[n++] = i;
	}
	return n;
}

/* Empty nodes of e->mask that hold a part of each of the group, behind the @n in
 * @node, until there are @want; returns how many there are then, 0: too few. */
static uint32_t add_empty(const struct search *s, uint32_t *node, uint32_t n,
			  uint32_t want)
{
	const struct cs_engine *e = s->e;
	uint64_t next = 0;

	if (only_empty(e) < want - n)
		return 0;
	while (n < want) {
		uint64_t cost = next;

		next = UINT64_MAX;
		for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
			n = add_at(e, w, cost, node, n, want, &next);
	}
	return n;
}

/* The group on the machine: its nodes are numbered as in layers.c. */
struct stand {
	uint32_t n_node, *node; /* of all, in the order of the window */
	struct cs_alloc *primary; /* NULL: it runs */
	struct cs_alloc *matched[CS_MATCHED_MAX]; /* NULL: they run */
	bool booked[CS_MATCHED_MAX + 1];
};

static void stand_done(struct search *s, struct stand *t)
{
	struct cs_occ *o = &s->e->vm->now;

	if (t->booked[CS_MATCHED_MAX])
		cs_occ_remove(o, t->primary, CS_HOLD_COUNTED);
	for (uint32_t i = 0; i < CS_MATCHED_MAX; i++)
		if (t->booked[i])
			cs_occ_remove(o, t->matched[i], CS_HOLD_COUNTED);
	memset(t->booked, 0, sizeof(t->booked));
}

static void stand_free(struct stand *t)
{
	cs_alloc_free(t->primary);
	for (uint32_t i = 0; i < CS_MATCHED_MAX; i++)
		cs_alloc_free(t->matched[i]);
	free(t->node);
}

/* Lay @shape out on the @n nodes from @node [0] on, which are sorted for it.
 * 1, 0, -ENOMEM. */
static int lay(struct search *s, const struct cs_shape *shape, uint32_t *node,
	       struct cs_alloc **ret, bool *ret_booked)
{
	bool nomem;

	cs_layout_sort(node, shape->nodes);
	*ret = cs_layout_on(&s->e->vm->now, shape, node, shape->nodes, &nomem);
	if (!*ret)
		return nomem ? -ENOMEM : 0;
	cs_occ_add(&s->e->vm->now, *ret, CS_HOLD_COUNTED);
	*ret_booked = true;
	return 1;
}

/* The nodes of the group in the window's order. */
static uint32_t collect(struct search *s, const struct cs_formed *g,
			uint32_t *node, uint32_t want)
{
	uint32_t n = 0;

	if (s->rule == 3)
		for (uint32_t i = 0; i < s->running->alloc->n_node; i++)
			node[n++] = s->running->alloc->node[i].node;
	for (uint32_t i = 0; s->rule == 2 && i < g->n; i++) {
		const struct cs_alloc *a =
			s->f.candidate[g->matched[i]].job->alloc;

		for (uint32_t k = 0; k < a->n_node; k++)
			node[n++] = a->node[k].node;
	}
	nodes_for_all(s, g);
	return add_empty(s, node, n, want);
}

/* Put the group on nodes.  1: @t holds them, booked; 0: no room; -ENOMEM. */
static int stand_up(struct search *s, const struct cs_formed *g,
		    struct stand *t)
{
	const struct cs_candidate *a = &s->f.primary;
	uint32_t *copy;
	int rc = 1;

	memset(t, 0, sizeof(*t));
	t->n_node = cs_formed_nodes(&s->f, g);
	t->node = calloc(2 * (size_t)t->n_node, sizeof(*t->node));
	if (!t->node)
		return -ENOMEM;
	if (collect(s, g, t->node, t->n_node) < t->n_node)
		return 0;
	/* sorting for one job must not change the places of the next */
	copy = t->node + t->n_node;
	memcpy(copy, t->node, t->n_node * sizeof(*copy));
	if (s->rule != 3)
		rc = lay(s, &a->shape, copy, &t->primary,
			 &t->booked[CS_MATCHED_MAX]);
	for (uint32_t i = 0; rc > 0 && s->rule != 2 && i < g->n; i++) {
		const struct cs_candidate *c = &s->f.candidate[g->matched[i]];

		memcpy(copy, t->node + g->from[i], c->nodes * sizeof(*copy));
		rc = lay(s, &c->shape, copy, &t->matched[i], &t->booked[i]);
	}
	return rc;
}

/* Fairness. */

static int64_t ends(const struct search *s, const struct cs_candidate *c,
		    double cos)
{
	const struct cs_engine *e = s->e;
	double f = c->job->alloc ? cs_progress_beside(e, c->job, cos)
				 : cs_progress_factor(e, c->job, c->shape.quota,
						      c->shape.like, cos);

	return cs_vm_time(e, e->vm) + cs_stretch_us((int64_t)c->rest_us, f);
}

/* The nodes of @a, of those in @l [n] in their order, are not left before @at_us. */
static void leave_at(struct cs_leave *l, uint32_t n, const struct cs_alloc *a,
		     int64_t at_us)
{
	for (uint32_t i = 0, k = 0; i < a->n_node; i++) {
		while (k < n && l[k].node < a->node[i].node)
			k++;
		if (k < n && l[k].node == a->node[i].node &&
		    l[k].at_us < at_us)
			l[k].at_us = at_us;
	}
}

/* May running @c, which nobody is beside yet, suffer @cos? */
static bool runner_may(const struct search *s, const struct cs_candidate *c,
		       double cos)
{
	int64_t end = ends(s, c, cos);

	return end <= ends(s, c, 1) || cs_plan_may_end(s->e, c->job, end);
}

/* May all who run already? */
static bool runners_may(const struct search *s, const struct cs_formed *g,
			const double *cos)
{
	const struct cs_candidate *a = &s->f.primary;

	if (s->rule == 3 && !runner_may(s, a, g->harm))
		return false;
	for (uint32_t i = 0; s->rule == 2 && i < g->n; i++)
		if (!runner_may(s, &s->f.candidate[g->matched[i]], cos[i]))
			return false;
	return true;
}

static void mark_out(const struct search *s, const struct cs_formed *g,
		     bool out)
{
	s->f.primary.job->plan.out = out;
	for (uint32_t i = 0; i < g->n; i++)
		s->f.candidate[g->matched[i]].job->plan.out = out;
}

/* Rule 6.  1, 0, -ENOMEM. */
static int fair(struct search *s, const struct cs_formed *g,
		const struct stand *t)
{
	const struct cs_candidate *a = &s->f.primary;
	double cos[CS_MATCHED_MAX];
	struct cs_leave *l;
	int rc;

	cs_layers_suffer(&s->f, g, NULL, cos);
	if (!runners_may(s, g, cos))
		return 0;
	l = calloc(t->n_node, sizeof(*l));
	if (!l)
		return -ENOMEM;
	/* the group stands on them already */
	cs_layout_sort(t->node, t->n_node);
	for (uint32_t i = 0; i < t->n_node; i++)
		l[i].node = t->node[i];
	leave_at(l, t->n_node, t->primary ? t->primary : a->job->alloc,
		 ends(s, a, g->harm));
	for (uint32_t i = 0; i < g->n; i++) {
		const struct cs_candidate *c = &s->f.candidate[g->matched[i]];

		leave_at(l, t->n_node,
			 t->matched[i] ? t->matched[i] : c->job->alloc,
			 ends(s, c, cos[i]));
	}
	mark_out(s, g, true);
	rc = cs_plan_fair(s->e, l, t->n_node, s->e->slices.other);
	mark_out(s, g, false);
	free(l);
	return rc;
}

/* Starting. */

/* Its job id; 0 for a task of an array that has none yet. */
static uint32_t first_matched(const struct search *s, const struct cs_formed *g)
{
	const struct cs_ejob *j = s->f.candidate[g->matched[0]].job;

	return j->state == CS_WAITING && j->job.array_id ? 0 : j->job.id;
}

/* Stop who runs in another slice on nodes of matched jobs: the last of these stops
 * that a start needs, into *ret; 0: none.  0, -ENOMEM. */
static int clear_for(const struct search *s, const struct stand *t,
		     const struct cs_formed *g, uint32_t *ret)
{
	int rc = 0;

	*ret = 0;
	for (uint32_t i = 0; !rc && i < g->n; i++) {
		uint32_t needs = 0;

		if (t->matched[i])
			rc = cs_slice_clear(s->e, t->matched[i], &needs);
		*ret = needs > *ret ? needs : *ret;
	}
	return rc;
}

static int start_primary(struct search *s, struct stand *t,
			 const struct cs_formed *g, struct cs_ejob **ret)
{
	struct cs_engine *e = s->e;
	const struct cs_candidate *a = &s->f.primary;
	struct cs_ejob *j = a->job;
	uint32_t needs;

	/* a matched job's start needs the primary one's, and no stop besides */
	if (s->rule != 3) {
		if (clear_for(s, t, g, &needs))
			return -ENOMEM;
		j = cs_engine_propose(e, j, a->option, t->primary,
				      CS_HOLD_COUNTED);
		t->primary = NULL;
		if (!j)
			return -ENOMEM;
		j->needs = needs > j->needs ? needs : j->needs;
	}
	*ret = j;
	if (s->rule == 3)
		return cs_group_join(e, j, CS_ROLE_PRIMARY, NULL,
				     first_matched(s, g));
	cs_group_enter(e, j, CS_ROLE_PRIMARY, NULL, first_matched(s, g));
	return cs_start_action(e, j, s->rule, g->gain);
}

static int start_matched(struct search *s, struct stand *t, uint32_t i,
			 const struct cs_candidate *c, double gain,
			 struct cs_ejob *primary)
{
	struct cs_engine *e = s->e;
	struct cs_ejob *j = c->job;

	if (s->rule == 2)
		return cs_group_join(e, j, CS_ROLE_MATCHED, primary,
				     primary->job.id);
	j = cs_engine_propose(e, j, c->option, t->matched[i], CS_HOLD_COUNTED);
	t->matched[i] = NULL;
	if (!j)
		return -ENOMEM;
	cs_group_enter(e, j, CS_ROLE_MATCHED, primary, primary->job.id);
	if (primary->state == CS_PROPOSED)
		j->needs = primary->seq;
	return cs_start_action(e, j, s->rule, gain);
}

/* Start the group on @t.  Where memory ends, a start that was proposed stays one,
 * of a job without a group if it is the only one. */
static int start_group(struct search *s, const struct cs_formed *g,
		       struct stand *t)
{
	struct cs_engine *e = s->e;
	struct cs_ejob *primary = NULL;
	int rc;

	stand_done(s, t);
	rc = start_primary(s, t, g, &primary);
	for (uint32_t i = 0; !rc && i < g->n; i++)
		rc = start_matched(s, t, i, &s->f.candidate[g->matched[i]],
				   g->gain, primary);
	if (rc && primary)
		cs_group_settle(e, primary, true);
	s->done = true;
	e->pairs++;
	e->vm->plan.stale = true;
	return rc;
}

/* Choosing. */

/* Step 6: the groups of f, the best first, until one passes.  Groups that gain
 * less than @least do not come to it. */
static int choose(struct search *s)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && !s->done && i < s->f.n_group; i++) {
		const struct cs_formed *g = &s->f.group[i];
		struct stand t;

		if (g->gain <= s->least || !cs_may_search(s->e))
			break;
		rc = stand_up(s, g, &t);
		if (rc > 0)
			rc = fair(s, g, &t);
		if (rc > 0)
			rc = start_group(s, g, &t);
		else
			stand_done(s, &t);
		stand_free(&t);
	}
	return rc;
}

/* The nodes of the group are like those of the waiting job @c at least, with
 * @layers matched jobs on each at most. */
static void begin(struct search *s, uint32_t rule, const struct cs_candidate *c,
		  uint32_t layers)
{
	s->rule = rule;
	s->f.n = 0;
	s->f.n_group = 0;
	s->f.must = -1;
	s->f.candidate = s->all;
	s->f.layers = layers;
	s->f.cores = c->shape.cores;
	s->f.mem_mb = c->shape.like->memory_mb ? c->shape.like->memory_mb
					       : UINT64_MAX;
	s->f.primary.most = 1;
}

/* Beyond the primary job, on its nodes: jobs_per_node with it. */
static uint32_t most_layers(const struct search *s)
{
	return (uint32_t)s->e->params.jobs_per_node - 1;
}

/* Case 1: form the groups; how much the best gains. */
static int form_waiting(struct search *s)
{
	struct cs_engine *e = s->e;
	struct cs_candidate *a = &s->f.primary;
	const struct cs_job_option *o = &a->job->job.option[a->option];
	double lasts = cs_candidate_lasts_us(a, 1);

	begin(s, 1, a, most_layers(s));
	takes_of(a);
	nodes_for(s, a, e->mask);
	if (a->nodes > only_empty(e))
		return 0;
	if (e->slices.other &&
	    !cs_plan_room(e, a->job, o->nodeset, a->nodes * a->shape.cores,
			  cs_stretch_us((int64_t)lasts, 1)))
		return 0;
	candidates_waiting(s);
	return cs_form(&s->f);
}

/* Case 2. */
static int form_running(struct search *s)
{
	size_t n;
	struct cs_ejob **r = cs_pass_joinable(s->p, &n);

	if (!r)
		return -ENOMEM;
	/* each running job has nodes of its own */
	begin(s, 2, &s->f.primary, 1);
	nodes_for(s, &s->f.primary, s->e->mask);
	candidates_running(s, r, n, &s->f.primary.shape);
	return cs_form(&s->f);
}

/* What matched jobs find on the nodes of running job @r. */
static void left_beside(struct search *s, const struct cs_ejob *r)
{
	const struct cs_occ *o = &s->e->vm->now;

	for (uint32_t i = 0; i < r->alloc->n_node; i++) {
		uint32_t n = r->alloc->node[i].node;
		uint64_t mb = cs_occ_free_mb(o, n);

		if (!i || o->node[n].free_cores < s->f.cores)
			s->f.cores = o->node[n].free_cores;
		if (!i || mb < s->f.mem_mb)
			s->f.mem_mb = mb;
	}
}

/* Case 3 with one running job: the entry's job must be matched. */
static int form_beside(struct search *s, struct cs_ejob *r)
{
	struct cs_candidate own;

	if (!waiting_side(s->e, s->entry, &own))
		return 0;
	running_side(s->e, r, &s->f.primary);
	begin(s, 3, &own, most_layers(s));
	s->running = r;
	left_beside(s, r);
	if (!suits(s, &own))
		return 0;
	nodes_for(s, &own, s->e->mask);
	for (uint32_t i = 0; i < r->alloc->n_node; i++) {
		uint32_t at = r->alloc->node[i].node;

		if (!cs_bit(s->e->mask, at) ||
		    !cs_layout_usable(&s->e->vm->now, at, &own.shape))
			return 0;
	}
	s->all[s->f.n++] = own;
	s->f.must = 0;
	only_of(s->e, r->alloc);
	candidates_waiting(s);
	return cs_form(&s->f);
}

/* The best that a case offers is tried where it beats the other cases' best: the
 * cases are formed first, then tried in the order of what they gain. */
struct offer {
	uint32_t rule;
	struct cs_ejob *running;
	double gain;
};

static int form_again(struct search *s, const struct offer *o)
{
	struct cs_candidate own;

	if (o->rule == 3)
		return form_beside(s, o->running);
	waiting_side(s->e, s->entry, &own);
	s->f.primary = own;
	return o->rule == 1 ? form_waiting(s) : form_running(s);
}

static int by_offer(const void *x, const void *y)
{
	const struct offer *a = x, *b = y;

	if (a->gain != b->gain)
		return a->gain > b->gain ? -1 : 1;
	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	return a->running && b->running ? cs_ejob_cmp(a->running, b->running)
					: 0;
}

/* Note what the case just formed offers. */
static void note(const struct search *s, struct offer *o, uint32_t *n)
{
	struct cs_searches *of = &s->e->searches;

	of->all++;
	of->few += s->f.n < 4;
	of->none += !s->f.n;
	if (s->f.n_group)
		o[(*n)++] = (struct offer){ s->rule, s->running,
					    s->f.group[0].gain };
}

static int offers(struct search *s, struct offer *o, uint32_t *n)
{
	int64_t most = s->e->params.running_prim_num, tried = 0;
	struct cs_ejob **r;
	size_t n_r;
	int rc = 0;

	*n = 0;
	s->running = NULL;
	if (cs_pass_tries(s->p, 1)) {
		rc = form_waiting(s);
		note(s, o, n);
	}
	if (!rc && cs_pass_tries(s->p, 2)) {
		rc = form_running(s);
		note(s, o, n);
	}
	r = !rc && cs_pass_tries(s->p, 3) ? cs_pass_joinable(s->p, &n_r) : NULL;
	for (size_t i = 0; r && !rc && i < n_r && (!most || tried < most); i++) {
		if (!free_running(s->e, r[i]) ||
		    cs_join_suits(s->e, s->entry, r[i], false) != CS_MATCH_OK)
			continue;
		tried++;
		rc = form_beside(s, r[i]);
		note(s, o, n);
	}
	s->running = NULL;
	return rc;
}

/* Case 5: what the job would gain alone on all cores; below 0: not to be had. */
static double alone_gain(const struct search *s)
{
	const struct cs_planned *q = &s->entry->job->plan;
	double self;

	if (!cs_pass_tries(s->p, 5) || !cs_plan_due(s->p) || !q->shape.even ||
	    q->shape.quota * q->shape.cpus_per_proc <
		    q->shape.cores * q->shape.like->threads)
		return -1;
	self = cs_progress_self(s->e, s->entry->job, q->shape.quota,
				q->shape.like);
	return self <= s->e->params.max_slowdown ||
			       s->e->params.layout == CS_LAYOUT_GAIN
		       ? cs_gain_alone(s->entry->job->job.procs, self,
				       q->shape.nodes)
		       : -1;
}

/* Rule 2. */
static int best_case(struct search *s, struct offer *o)
{
	double alone = alone_gain(s);
	uint32_t n;
	int rc = offers(s, o, &n);

	if (s->f.first)
		alone = -1;
	else if (!rc && n > 1)
		qsort(o, n, sizeof(*o), by_offer);
	if (alone >= s->e->params.min_util_gain)
		s->least = alone;
	for (uint32_t i = 0; !rc && !s->done && i < n; i++) {
		if (o[i].gain <= s->least)
			break;
		rc = form_again(s, &o[i]);
		if (!rc)
			rc = choose(s);
	}
	return rc;
}

/* Only a new group on empty nodes is wanted, and there are too few of them: so it
 * is for most that backfill. */
static bool no_room(const struct search *s)
{
	const struct cs_engine *e = s->e;
	const struct cs_part *q;

	if (cs_pass_tries(s->p, 2) || cs_pass_tries(s->p, 3))
		return false;
	q = part_of(e, s->entry);
	return q && q->shape.nodes > e->machine->n_node - e->vm->now.used_nodes;
}

/* A job is a candidate once, in the partition of its promise; the place behind the
 * last is looked at too.  NULL: no memory. */
static struct cs_candidate *candidates(struct cs_engine *e)
{
	size_t n = e->waiting.n + e->started.n + 1;

	if (n > e->cap_candidate) {
		free(e->candidate);
		e->candidate = malloc(2 * n * sizeof(*e->candidate));
		e->cap_candidate = e->candidate ? 2 * n : 0;
	}
	return e->candidate;
}

static int grouped(struct search *s)
{
	struct cs_engine *e = s->e;
	struct offer *o = calloc(e->started.n + 4, sizeof(*o));
	int rc = -ENOMEM;

	s->all = candidates(e);
	s->least = -1;
	if (o && s->all)
		rc = waiting_side(e, s->entry, &s->f.primary) ? best_case(s, o)
							      : 0;
	free(o);
	free(s->f.group);
	return rc ? rc : s->done;
}

static bool pairs(const struct cs_params *p)
{
	return p->place == CS_PLACE_PAIR_FIRST || p->place == CS_PLACE_PAIR_BEST;
}

/* Pairs are groups with one matched job. */
static uint32_t most_matched(const struct cs_params *p)
{
	int64_t most = pairs(p) ? 1 : p->matched_max;

	return most && most < CS_MATCHED_MAX ? (uint32_t)most : CS_MATCHED_MAX;
}

int cs_place_group(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_pass_engine(p);
	struct search s = { .p = p, .e = e, .entry = entry };
	int rc = 0;

	if (entry->job->plan.start_us == CS_TIME_NONE ||
	    entry->job->plan.option != entry->option)
		return cs_place_alone(p, entry);
	s.f.params = &e->params;
	s.f.model = &e->model;
	s.f.most = most_matched(&e->params);
	s.f.first = e->params.first_suitable ||
		    e->params.place == CS_PLACE_PAIR_FIRST;
	if (e->params.jobs_per_node < 2 || !cs_may_search(e) ||
	    cs_match_willing(e, entry->job, entry->option) != CS_MATCH_OK)
		return cs_place_alone(p, entry);
	rc = cs_place_light(p, entry);
	if (!rc && !no_room(&s))
		rc = grouped(&s);
	if (!rc && pairs(&e->params) &&
	    e->params.backfill_join == CS_BACKFILL_JOIN_YES)
		rc = cs_place_beside(p, entry, false);
	return rc ? rc : cs_place_alone(p, entry);
}

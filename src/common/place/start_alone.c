/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job by itself: space sharing, and packing by core.
 *
 * Rules.
 *  1. place=space: empty nodes, nobody beside the job.  Processes a node as
 *     `layout` says: all cores (dense), by the self slowdown (model: 000,
 *     equation 8, in layout.c; one a node at low load, low_load.c), or by the
 *     gain (gain: early_start.c).
 *  2. place=pack: cores wherever they are free, as stock Slurm does.
 *  3. small=pack: so too, under any place, for a job without a profile.  Nodes
 *     with such jobs and nodes with others do not mix.
 *  4. --exclusive: whole nodes, whatever the rest says.
 *  5. share=no, of a job that rule 2 or 3 would pack: as densely, on nodes that
 *     nobody comes to, packed or not.
 *  6. share_scope: a job packed by rule 2 or 3 goes to nodes that its user, or
 *     account, has already, if it finds room there, else to empty ones; as many
 *     processes on each.  Where others are, by the host's doing, it does not go.
 *     So too, whatever share_scope is, for a job that keeps its nodes to its user
 *     (CS_JOB_USER_NODES); the host places that (cycle.c, rule 4).
 *  7. In a reservation of cores: by core, too (resv.c).  And where there are such
 *     cores on other nodes of its: if it ends earlier so, or, without a plan, if it
 *     does not fit otherwise.
 *  8. layout=auto packs every job, as rule 2, and under pair-first, pair-best and
 *     group those of whom something is known only where no group takes them
 *     (group_search.c).  A job goes to nodes that it suits (match.c, rule 5) where
 *     there is room on such, else to any: it starts when stock would start it.
 *  9. A job whose profile has self slowdowns gets fewer processes a node than all
 *     cores hold there where it does more work on each node for it, counted as by
 *     layout=gain (early_start.c, rule 1): other jobs may have the other cores.  Not
 *     with --exclusive or share=no, where nobody may.
 *
 * Source: 000 (see slowdown.h), section 4.3 and the SSP of section 5.1; rules 2
 * and 3 are what a site's users have today.
 */
#include "state/pass.h"

#include <errno.h>
#include <string.h>

#include "job/resv.h"
#include "model/topology.h"
#include "place/attempt.h"
#include "place/low_load.h"
#include "place/place.h"

bool cs_is_packed(const struct cs_engine *e, const struct cs_ejob *j)
{
	return e->params.place == CS_PLACE_PACK ||
	       e->params.layout == CS_LAYOUT_AUTO ||
	       (e->params.small == CS_SMALL_PACK &&
		j->profile == CS_PROFILE_NONE);
}

/* Nodes of the job's set that are up, in one part. */
static uint32_t nodes_up(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const uint64_t *down)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_topology *t = e->machine->topology;
	uint32_t k = 0;

	if (t && !(cs_job_flags(j, option) & CS_JOB_HOST))
		return cs_topology_most(t, set, down);
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
		k += cs_popcount(set[w] & ~(down ? down[w] : 0));
	return k;
}

/* The fewest processes a node with which the job fits on so many (layout.c rule
 * 6); 1 where it never does. */
static uint32_t least_ppn(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t option, const uint64_t *down)
{
	uint32_t nodes = nodes_up(e, j, option, down);

	return nodes ? cs_div_up(j->job.procs, nodes) : 1;
}

/* Processes a node by the self slowdown; without case 5 the job never has all
 * cores of a node. */
static uint32_t model_ppn(const struct cs_engine *e, const struct cs_job *job,
			  struct cs_who who, const struct cs_node *node)
{
	uint32_t ppn = cs_layout_model_ppn(&e->params, &e->model, job, who,
					   node);
	uint32_t all = cs_layout_procs(cs_node_cores(node), job->cpus_per_proc,
				       node->threads);

	if (ppn < all || ppn == 1 || e->params.place < CS_PLACE_PAIR_FIRST ||
	    strchr(e->params.cases, '5'))
		return ppn;
	return ppn > node->sockets ? ppn - node->sockets : 1;
}

/* Rule 9: fewer processes a node than @dense, if that pays. */
static uint32_t paying_ppn(const struct cs_engine *e, const struct cs_ejob *j,
			   uint32_t option, const struct cs_node *node,
			   uint32_t dense)
{
	const uint32_t alone = CS_JOB_HOST | CS_JOB_EXCLUSIVE | CS_JOB_NO_SHARE;
	uint32_t ppn = dense;

	if (cs_shares_packed(e) && !(cs_job_flags(j, option) & alone) &&
	    cs_slowdown_has_self(&e->model, cs_who_is(j)))
		ppn = cs_plus_ppn(e, j, option, node);
	return ppn < dense ? ppn : dense;
}

/* By core, as rules 2 and 3 say; on nodes of its own by rule 5, of its user's by
 * rule 6. */
static bool packed_shape(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const struct cs_job *job,
			 const struct cs_node *node, struct cs_shape *s)
{
	bool own = j->job.flags & CS_JOB_NO_SHARE;
	uint64_t owner = cs_match_owner(e, j, option);

	uint32_t dense = cs_layout_dense_ppn(job, node);
	uint32_t ppn = paying_ppn(e, j, option, node, dense);

	if (ppn == dense &&
	    (job->flags & CS_JOB_EXCLUSIVE || (!own && !owner)))
		return cs_shape_packed(s, job, node);
	if (!cs_shape_space(s, job, node, ppn))
		return false;
	if (s->exclusive)
		return true;
	if (!own) {
		s->kind = CS_SHAPE_PACKED;
		s->owner = owner;
	}
	return true;
}

bool cs_alone_least(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s)
{
	const struct cs_node *node =
		e->nodeset_node[j->job.option[option].nodeset];
	const struct cs_job job = {
		.flags = cs_job_flags(j, option),
		.procs = 1,
		.cpus_per_proc = 1,
		.min_nodes = 1,
	};

	return node && packed_shape(e, j, option, &job, node, s);
}

/* Its flags there; who is left to the host (refused.c) has no wish that the model does
 * not hold. */
static uint32_t wish_flags(const struct cs_ejob *j, uint32_t option)
{
	uint32_t flags = cs_job_flags(j, option);

	return cs_refused_left(j, option) ? flags & ~(uint32_t)CS_JOB_HOST
					  : flags;
}

/* The shape for nodes like @node, with the nodes of @down (NULL: none) away. */
static bool shape_like(const struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, const struct cs_node *node,
		       const uint64_t *down, struct cs_shape *s)
{
	struct cs_job job = j->job;
	uint32_t ppn, least = least_ppn(e, j, option, down);

	job.flags = wish_flags(j, option);
	if (cs_is_packed(e, j) || cs_job_flags(j, option) & CS_JOB_HOST ||
	    cs_resv_within_cores(e, j, option))
		return packed_shape(e, j, option, &job, node, s);
	ppn = cs_layout_dense_ppn(&job, node);
	if (e->params.layout == CS_LAYOUT_GAIN)
		ppn = cs_plus_ppn(e, j, option, node);
	if (e->params.layout == CS_LAYOUT_MODEL)
		ppn = model_ppn(e, &job, cs_who_is(j), node);
	return cs_shape_space(s, &job, node, ppn < least ? least : ppn);
}

/* The uneven shape for nodes like @node, or larger (layout.c, rule 6). */
static bool uneven_like(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t option, const struct cs_node *node,
			struct cs_shape *s)
{
	struct cs_job job = j->job;
	bool packs = cs_is_packed(e, j) ||
		     cs_job_flags(j, option) & CS_JOB_HOST;

	job.flags = wish_flags(j, option);
	if (job.procs_per_node ||
	    !cs_shape_uneven(s, &job, node,
			     !packs || job.flags & (CS_JOB_EXCLUSIVE |
						    CS_JOB_NO_SHARE)))
		return false;
	if (s->kind == CS_SHAPE_PACKED)
		s->owner = cs_match_owner(e, j, option);
	return true;
}

static bool uneven_shape(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const uint64_t *down,
			 struct cs_shape *s)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_node *node =
		e->nodeset_node[j->job.option[option].nodeset];
	struct cs_shape made, best = { .quota = 0 };

	for (; node; node = cs_layout_larger(e->machine, set, node))
		if (uneven_like(e, j, option, node, &made) &&
		    made.quota > best.quota)
			best = made;
	if (!best.quota || !cs_layout_holds(e->machine, down, &best, set))
		return false;
	*s = best;
	return true;
}

static bool alone_shape(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t option, const uint64_t *down,
			struct cs_shape *s)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_node *node =
		e->nodeset_node[j->job.option[option].nodeset];
	struct cs_shape made;
	bool any = false;

	for (; node; node = cs_layout_larger(e->machine, set, node)) {
		if (!shape_like(e, j, option, node, down, &made))
			continue;
		if (!any || (!made.even && made.quota > s->quota))
			*s = made;
		any = true;
		if (made.even && cs_layout_holds(e->machine, down, &made, set)) {
			*s = made;
			return true;
		}
	}
	if (any && !s->even)
		return true;
	return uneven_shape(e, j, option, down, s) || any;
}

bool cs_alone_shape(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s)
{
	return alone_shape(e, j, option, e->vm->now.down, s);
}

bool cs_alone_ever(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	struct cs_shape s;

	return alone_shape(e, j, option, NULL, &s) &&
	       cs_layout_holds(e->machine, NULL, &s, set);
}

double cs_alone_factor(const struct cs_engine *e, const struct cs_ejob *j,
		       const struct cs_shape *s)
{
	if (s->kind == CS_SHAPE_PACKED && j->job.base_procs)
		return 1;
	return cs_progress_factor(e, j, s->quota, s->like, 1);
}

bool cs_alone_too_slow(const struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, const struct cs_shape *s)
{
	double f = cs_alone_factor(e, j, s);

	return f > 1 && cs_stretch_us(j->job.estimate_us, f) >
				j->job.option[option].limit_max_us;
}

bool cs_alone_layout_by(const struct cs_engine *e, struct cs_ejob *j,
			uint32_t option, bool by_core)
{
	struct cs_planned *q = &j->plan;
	double f;

	q->made = 0;
	q->by_core = by_core;
	if (!cs_alone_shape(e, j, option, &q->shape))
		return false;
	if (by_core) {
		struct cs_job job = j->job;

		job.flags = wish_flags(j, option);
		if (!cs_shape_packed(&q->shape, &job, q->shape.like))
			return false;
	}
	f = cs_alone_factor(e, j, &q->shape);
	q->run_us = cs_stretch_us(j->job.estimate_us, f);
	if (f > 1 && q->run_us > j->job.option[option].limit_max_us)
		return false;
	q->option = option;
	q->made = e->layouts;
	return true;
}

bool cs_alone_layout(const struct cs_engine *e, struct cs_ejob *j,
		     uint32_t option)
{
	const struct cs_planned *q = &j->plan;
	bool same = q->option == option;

	if (q->made == e->layouts && same)
		return true;
	return cs_alone_layout_by(e, j, option, same && q->by_core && e->cuts);
}

static enum cs_hold hold_of(const struct cs_shape *s)
{
	return s->exclusive		     ? CS_HOLD_EXCLUSIVE
	       : s->kind == CS_SHAPE_PACKED ? CS_HOLD_PACKED
					     : CS_HOLD_COUNTED;
}

int cs_start_action(struct cs_engine *e, struct cs_ejob *j, uint32_t rule,
		    double gain)
{
	struct cs_action *act = cs_engine_action(e, CS_ACT_START);

	if (!act)
		return -ENOMEM;
	act->seq = j->seq;
	act->needs = j->needs;
	act->job_id = j->master ? j->master : j->job.id;
	act->option = j->option;
	act->alloc = j->alloc;
	for (uint32_t i = 0; i < j->alloc->n_node; i++)
		if (j->alloc->node[i].procs > act->procs_per_node)
			act->procs_per_node = j->alloc->node[i].procs;
	if (j->factor > 1)
		act->limit_us = cs_stretch_us(j->job.estimate_us, j->factor);
	act->group = j->group;
	act->role = j->role;
	act->with = j->with;
	act->packed = j->hold == CS_HOLD_PACKED;
	act->rule = rule;
	act->slowdown = j->factor;
	act->beside = j->cos;
	act->gain = gain;
	cs_campaign_note(e, j, act);
	return 0;
}

/* Leave in e->mask the nodes where nobody would suffer more than MAX_SL by @j. */
static void only_suiting(struct cs_engine *e, const struct cs_ejob *j,
			 const struct cs_occ *o)
{
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++) {
		uint64_t set = e->mask[w] & ~e->vm->now.empty[w];

		for (; set; set &= set - 1) {
			uint32_t n = w * 64 + (uint32_t)__builtin_ctzll(set);

			if (!o->node[n].free_cores ||
			    !cs_match_suits_node(e, j, n))
				cs_bit_clear(e->mask, n);
		}
	}
}

/* Rule 8: nodes of e->mask that suit a packed job; NULL: none, or no memory. */
static struct cs_alloc *suiting(struct cs_pass *p, const struct cs_ejob *j,
				const struct cs_occ *o,
				const struct cs_shape *s, int64_t end_us,
				bool *ret_nomem)
{
	struct cs_engine *e = cs_pass_engine(p);
	const size_t size = cs_node_words(e->machine) * sizeof(*e->mask);
	struct cs_alloc *a;

	memcpy(e->mask2, e->mask, size);
	only_suiting(e, j, o);
	a = cs_layout_choose(o, s, e->mask, ret_nomem);
	memcpy(e->mask, e->mask2, size);
	if (!a || cs_pass_leaves(p, a, hold_of(s), end_us))
		return a;
	cs_alloc_free(a);
	return NULL;
}

/*
 * Nodes of e->mask for a start until @end_us that leaves every promise: the first
 * that there are, else those of the classes that the job itself is promised.  Of a
 * head those that there are: a plan by cores may promise it less than it takes, and
 * the rest to others, who would all wait for each other.
 * NULL: none, or no memory (*ret_nomem).
 */
static struct cs_alloc *choose(struct cs_pass *p, const struct cs_ejob *j,
			       const struct cs_occ *o,
			       const struct cs_shape *s, int64_t end_us,
			       bool *ret_nomem)
{
	struct cs_engine *e = cs_pass_engine(p);
	bool due = cs_pass_plans(p) && cs_plan_due(p);
	struct cs_alloc *first, *a = NULL;

	*ret_nomem = false;
	if (s->kind == CS_SHAPE_PACKED && cs_shares_packed(e) &&
	    j->profile != CS_PROFILE_NONE)
		a = suiting(p, j, o, s, end_us, ret_nomem);
	if (a || *ret_nomem)
		return a;
	first = cs_layout_choose(o, s, e->mask, ret_nomem);
	if (!first || cs_pass_leaves(p, first, hold_of(s), end_us))
		return first;
	if (due) {
		cs_plan_as_promised(p, o, s, e->mask);
		a = cs_layout_choose(o, s, e->mask, ret_nomem);
	}
	if (a && cs_pass_leaves(p, a, hold_of(s), end_us)) {
		cs_alloc_free(first);
		return a;
	}
	cs_alloc_free(a);
	if (due && cs_pass_head(p) && !*ret_nomem) {
		e->vm->plan.stale = true; /* promises are made anew */
		return first;
	}
	cs_alloc_free(first);
	return NULL;
}

int cs_start_on(struct cs_engine *e, const struct cs_entry *entry,
		const struct cs_shape *s, struct cs_alloc *a, uint32_t rule,
		double gain)
{
	struct cs_ejob *j = cs_engine_propose(e, entry->job, entry->option, a,
					      hold_of(s));

	return !j || cs_start_action(e, j, rule, gain) ? -ENOMEM : 1;
}

/* Start the job with shape @s, for @run_us. */
static int start(struct cs_pass *p, const struct cs_entry *entry,
		 const struct cs_shape *s, int64_t run_us, uint32_t rule,
		 double gain)
{
	struct cs_engine *e = cs_pass_engine(p);
	struct cs_ejob *j = entry->job;
	int64_t end = e->now_us + run_us;
	const struct cs_occ *o;
	struct cs_alloc *a;
	bool nomem;

	if (cs_layout_crowded(&e->vm->now, s))
		return 0;
	o = cs_pass_room(e, j, entry->option, s, &e->vm->now, e->now_us,
			 run_us, e->mask);
	if (!cs_pass_may_leave(p, s, e->mask, end))
		return 0;
	a = choose(p, j, o, s, end, &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	return cs_start_on(e, entry, s, a, rule, gain);
}

uint32_t cs_alone_rule(const struct cs_shape *s)
{
	if (s->kind == CS_SHAPE_PACKED)
		return 0;
	return cs_shape_cores(s, s->like, s->quota) >= s->cores ? 5 : 4;
}

int cs_start_alone(struct cs_pass *p, const struct cs_entry *entry,
		   const struct cs_shape *s, uint32_t rule, double gain)
{
	const struct cs_job *j = &entry->job->job;
	double f = cs_alone_factor(cs_pass_engine(p), entry->job, s);
	int64_t run = cs_stretch_us(j->estimate_us, f);

	if (f > 1 && run > j->option[entry->option].limit_max_us)
		return 0;
	return start(p, entry, s, run, rule, gain);
}

/* Are all its nodes empty? */
static bool on_empty(const struct cs_engine *e, const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		if (!cs_bit(e->vm->now.empty, a->node[i].node))
			return false;
	return true;
}

/* @empty: some of them may be empty, not all. */
static struct cs_alloc *among_own_and(struct cs_pass *p,
				      const struct cs_entry *entry, bool empty,
				      bool *ret_nomem)
{
	struct cs_engine *e = cs_pass_engine(p);
	const struct cs_planned *q = &entry->job->plan;
	int64_t end = e->now_us + q->run_us;
	const struct cs_occ *o;
	struct cs_alloc *a;

	o = cs_pass_room(e, entry->job, entry->option, &q->shape, &e->vm->now,
			 e->now_us, q->run_us, e->mask);
	for (uint32_t w = 0; !empty && w < cs_node_words(e->machine); w++)
		e->mask[w] &= ~e->vm->now.empty[w];
	a = cs_layout_choose(o, &q->shape, e->mask, ret_nomem);
	if (!a || (!on_empty(e, a) && cs_pass_leaves(p, a, CS_HOLD_PACKED, end)))
		return a;
	cs_alloc_free(a);
	return NULL;
}

struct cs_alloc *cs_among_own(struct cs_pass *p, const struct cs_entry *entry,
			      bool *ret_nomem)
{
	struct cs_alloc *a = among_own_and(p, entry, false, ret_nomem);

	return a || *ret_nomem ? a : among_own_and(p, entry, true, ret_nomem);
}

/* Rule 6: on nodes that its user has, which a plan has as taken already. */
static int start_among_own(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_pass_engine(p);
	bool nomem;
	struct cs_alloc *a = cs_among_own(p, entry, &nomem);

	if (!a)
		return nomem ? -ENOMEM : 0;
	return cs_start_on(e, entry, &entry->job->plan.shape, a, 0, 0);
}

/* May it start there?  A promise in another partition is none of this one's. */
static bool among_own(const struct cs_pass *p, const struct cs_entry *entry)
{
	const struct cs_engine *e = cs_pass_engine(p);
	struct cs_ejob *j = entry->job;

	if (!cs_scoped(e) || !cs_is_packed(e, j) ||
	    (cs_pass_plans(p) && j->plan.option != entry->option))
		return false;
	return cs_alone_layout(e, j, entry->option) &&
	       j->plan.shape.kind == CS_SHAPE_PACKED;
}

/* Rule 7, without a plan. */
static int start_by_core(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_pass_engine(p);
	struct cs_ejob *j = entry->job;
	int rc = 0;

	if (!cs_resv_may_cut(e, j, entry->option, &j->plan.shape))
		return 0;
	if (cs_alone_layout_by(e, j, entry->option, true))
		rc = start(p, entry, &j->plan.shape, j->plan.run_us, 0, 0);
	if (!rc)
		cs_alone_layout_by(e, j, entry->option, false);
	return rc;
}

/* A plan has the cores of a node apart where some are reserved; a job that may have them
 * all, by its reservation or as one that borrows, may find them free together before its
 * promised start. */
static bool may_be_together(const struct cs_pass *p,
			    const struct cs_entry *entry)
{
	const struct cs_engine *e = cs_pass_engine(p);
	const struct cs_ejob *j = entry->job;
	const struct cs_resv_job of = cs_resv_of(e, j, entry->option);

	return e->cuts &&
	       (j->plan.option == entry->option ||
		j->plan.start_us == CS_TIME_NONE) &&
	       (of.in || of.borrows) &&
	       !cs_resv_within_cores(e, j, entry->option);
}

int cs_place_alone(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_pass_engine(p);
	const struct cs_shape *s = &entry->job->plan.shape;
	int rc = 0;

	if (e->params.place == CS_PLACE_SPACE &&
	    e->params.layout == CS_LAYOUT_MODEL)
		rc = cs_place_spread(p, entry);
	if (!rc && among_own(p, entry))
		rc = start_among_own(p, entry);
	if (rc)
		return rc;
	if (cs_pass_plans(p) && !cs_plan_due(p) && !may_be_together(p, entry))
		return 0;
	if (!cs_alone_layout(e, entry->job, entry->option))
		return 0;
	rc = start(p, entry, s, entry->job->plan.run_us, cs_alone_rule(s), 0);
	return rc || cs_pass_plans(p) ? rc : start_by_core(p, entry);
}

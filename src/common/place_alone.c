/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job by itself: space sharing, and packing by core.
 *
 * Rules.
 *  1. place=space: empty nodes, nobody beside the job.  Processes a node as
 *     `layout` says: all cores (dense), by the self slowdown (model: 000,
 *     equation 8, in layout.c; one a node at low load, place_light.c), or by the
 *     gain (gain: place_plus.c).
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
 *     (CS_JOB_USER_NODES); the host places that (pass.c, rule 4).
 *
 * Source: 000 (see slowdown.h), section 4.3 and the SSP of section 5.1; rules 2
 * and 3 are what a site's users have today.
 */
#include "pass.h"

#include <errno.h>
#include <string.h>

bool cs_is_packed(const struct cs_engine *e, const struct cs_ejob *j)
{
	return e->params.place == CS_PLACE_PACK ||
	       (e->params.small == CS_SMALL_PACK &&
		j->profile == CS_PROFILE_NONE);
}

/* Nodes of the job's set that are up. */
static uint32_t nodes_up(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const uint64_t *down)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	uint32_t k = 0;

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
 * cores of a node, which are @dense. */
static uint32_t model_ppn(const struct cs_engine *e, const struct cs_job *job,
			  struct cs_who who, const struct cs_node *node,
			  uint32_t dense)
{
	uint32_t ppn = cs_layout_model_ppn(&e->params, &e->model, job, who,
					   node);

	if (ppn < dense || ppn == 1 || e->params.place < CS_PLACE_PAIR_FIRST ||
	    strchr(e->params.cases, '5'))
		return ppn;
	return ppn > node->sockets ? ppn - node->sockets : 1;
}

/* By core, as rules 2 and 3 say; on nodes of its own by rule 5, of its user's by
 * rule 6. */
static bool packed_shape(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const struct cs_job *job,
			 const struct cs_node *node, struct cs_shape *s)
{
	bool own = j->job.flags & CS_JOB_NO_SHARE;
	uint64_t owner = cs_match_owner(e, j, option);

	if (job->flags & CS_JOB_EXCLUSIVE || (!own && !owner))
		return cs_shape_packed(s, job, node);
	if (!cs_shape_space(s, job, node, cs_layout_dense_ppn(job, node)))
		return false;
	if (!own) {
		s->kind = CS_SHAPE_PACKED;
		s->owner = owner;
	}
	return true;
}

/* The shape for nodes like @node, with the nodes of @down (NULL: none) away. */
static bool shape_like(const struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, const struct cs_node *node,
		       const uint64_t *down, struct cs_shape *s)
{
	struct cs_job job = j->job;
	uint32_t ppn, least = least_ppn(e, j, option, down);

	job.flags = cs_job_flags(j, option);
	if (cs_is_packed(e, j) || job.flags & CS_JOB_HOST)
		return packed_shape(e, j, option, &job, node, s);
	ppn = cs_layout_dense_ppn(&job, node);
	if (e->params.layout == CS_LAYOUT_GAIN)
		ppn = cs_plus_ppn(e, j, option, node);
	if (e->params.layout == CS_LAYOUT_MODEL)
		ppn = model_ppn(e, &job, cs_who_is(j), node, ppn);
	return cs_shape_space(s, &job, node, ppn < least ? least : ppn);
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
		if (!any || !made.even)
			*s = made;
		any = true;
		if (made.even && cs_layout_holds(e->machine, down, &made, set)) {
			*s = made;
			break;
		}
	}
	return any;
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

bool cs_alone_layout(const struct cs_engine *e, struct cs_ejob *j,
		     uint32_t option)
{
	struct cs_planned *q = &j->plan;
	double f;

	if (q->made == e->layouts && q->option == option)
		return true;
	q->made = 0;
	if (!cs_alone_shape(e, j, option, &q->shape))
		return false;
	f = cs_alone_factor(e, j, &q->shape);
	q->run_us = cs_stretch_us(j->job.estimate_us, f);
	if (f > 1 && q->run_us > j->job.option[option].limit_max_us)
		return false;
	q->option = option;
	q->made = e->layouts;
	return true;
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

/* Nodes of e->mask for a start until @end_us that leaves every promise: the first
 * that there are, else those of the classes that the job itself is promised.
 * NULL: none, or no memory (*ret_nomem). */
static struct cs_alloc *choose(struct cs_pass *p, const struct cs_shape *s,
			       int64_t end_us, bool *ret_nomem)
{
	struct cs_engine *e = cs_pass_engine(p);
	struct cs_alloc *a;

	a = cs_layout_choose(&e->vm->now, s, e->mask, ret_nomem);
	if (!a || cs_pass_leaves(p, a, hold_of(s), end_us))
		return a;
	cs_alloc_free(a);
	if (!cs_pass_plans(p) || !cs_plan_due(p))
		return NULL;
	cs_plan_as_promised(p, s, e->mask);
	a = cs_layout_choose(&e->vm->now, s, e->mask, ret_nomem);
	if (!a || cs_pass_leaves(p, a, hold_of(s), end_us))
		return a;
	cs_alloc_free(a);
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
	struct cs_alloc *a;
	bool nomem;

	if (cs_layout_crowded(&e->vm->now, s))
		return 0;
	cs_pass_nodes(e, j, entry->option, e->now_us, run_us, e->mask);
	if (!cs_pass_may_leave(p, s, e->mask, end))
		return 0;
	a = choose(p, s, end, &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	return cs_start_on(e, entry, s, a, rule, gain);
}

uint32_t cs_alone_rule(const struct cs_shape *s)
{
	if (s->kind == CS_SHAPE_PACKED)
		return 0;
	return s->quota * s->cpus_per_proc >= s->cores ? 5 : 4;
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

struct cs_alloc *cs_among_own(struct cs_pass *p, const struct cs_entry *entry,
			      bool *ret_nomem)
{
	struct cs_engine *e = cs_pass_engine(p);
	const struct cs_planned *q = &entry->job->plan;
	int64_t end = e->now_us + q->run_us;
	struct cs_alloc *a;

	cs_pass_nodes(e, entry->job, entry->option, e->now_us, q->run_us,
		      e->mask);
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
		e->mask[w] &= ~e->vm->now.empty[w];
	a = cs_layout_choose(&e->vm->now, &q->shape, e->mask, ret_nomem);
	if (!a || cs_pass_leaves(p, a, CS_HOLD_PACKED, end))
		return a;
	cs_alloc_free(a);
	return NULL;
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
	    (cs_pass_plans(p) && !j->job.reservation &&
	     j->plan.option != entry->option))
		return false;
	return cs_alone_layout(e, j, entry->option) &&
	       j->plan.shape.kind == CS_SHAPE_PACKED;
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
	if (cs_pass_plans(p) && !entry->job->job.reservation &&
	    !cs_plan_due(p))
		return 0;
	if (!cs_alone_layout(e, entry->job, entry->option))
		return 0;
	return start(p, entry, s, entry->job->plan.run_us, cs_alone_rule(s), 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start of a job by itself: nodes and cores for its shape alone (alone.c), if no
 * promise suffers; and among its own user's jobs.
 *
 * Rules.
 *  1. A packed job with known slowdowns goes to nodes that it suits, if there are any
 *     (alone.c, rule 8; match.c, rule 7); not to one that is to be booted while others
 *     hold it (event logs from before suit_wakes: also then).
 *  2. Else to the first available; if a promise suffers by that, to nodes of its own
 *     promised classes.
 *  3. Among its user's own (alone.c, rule 6) it takes empty nodes only along with some
 *     of the user's.
 *  4. Of the nodes that would do it gets those that the site wants for it: the least
 *     loaded, the last ones, those inside its reservation that does not confine it
 *     (model/layout.h).
 */
#include "place/start_alone.h"

#include <errno.h>
#include <string.h>

#include "backfill/backfill.h"
#include "backfill/plan.h"
#include "job/alone.h"
#include "job/match.h"
#include "job/resv.h"
#include "lifecycle/proposal.h"
#include "model/topology.h"
#include "job/site_room.h"
#include "place/attempt.h"
#include "place/site_start.h"

int cs_start_alone_action(struct cs_engine *e, struct cs_ejob *j, uint32_t rule,
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
	if (j->slowdown > 1)
		act->limit_us = cs_stretch_us(j->job.estimate_us, j->slowdown);
	/* a job that must be split may need more than its limit (site_ahead.c) */
	if (e->machine->sites &&
	    act->limit_us > j->job.option[j->option].limit_max_us)
		act->limit_us = j->job.option[j->option].limit_max_us;
	act->group = j->group;
	act->role = j->role;
	act->partner_id = j->partner_id;
	act->packed = j->hold == CS_NODE_PACKED;
	act->rule = rule;
	act->slowdown = j->slowdown;
	act->beside = j->co_slowdown * j->cores_slow;
	act->gain = gain;
	cs_tell(e->order, note, e, j, act);
	return 0;
}

bool cs_start_alone_anyway(const struct cs_pass *p, const struct cs_shape *s)
{
	return cs_attempt_is_head(p) ||
	       (cs_site_rules(cs_attempt_engine(p)) &&
		s->kind == CS_SHAPE_PACKED && cs_plan_first_due(p));
}

/* Leave in e->mask the nodes where @j would slow no job beyond MAX_SL. */
static void only_suiting(struct cs_engine *e, const struct cs_ejob *j,
			 const struct cs_occ *o)
{
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++) {
		uint64_t set = e->mask[w] & ~e->sm->now.empty[w];

		while (set) {
			uint32_t n = w * 64 + cs_bit_pop(&set);

			if (!o->node[n].free_cores ||
			    !cs_match_suits_node(e, j, n))
				cs_bit_clear(e->mask, n);
		}
	}
}

/* Lines with nodes that @entry may use and that are awake, inside @how and outside, into
 * e->lines; where lines do not count nothing changes. */
static void awake_lines(const struct cs_engine *e, const struct cs_entry *entry,
			struct cs_how *how)
{
	const struct cs_machine *m = e->machine;
	const uint64_t *set =
		cs_engine_set(e, &entry->job->job.option[entry->option]);
	uint32_t words = cs_bit_words(m->n_node + 1);
	uint64_t *inside = e->lines, *outside = e->lines + words;

	if (!how->inside || !cs_machine_first(m)->line)
		return;
	memset(e->lines, 0, 2 * words * sizeof(*e->lines));
	for (uint32_t n = 0; n < m->n_node; n++)
		if (cs_bit(set, n) && m->node[n].weight < CS_WEIGHT_ASLEEP)
			cs_bit_set(cs_bit(how->inside, n) ? inside : outside,
				   m->node[n].line);
	how->awake_inside = inside;
	how->awake_outside = outside;
}

/* Rule 4. */
static struct cs_how how_of(const struct cs_engine *e,
			    const struct cs_entry *entry)
{
	uint32_t flags = cs_job_flags(entry->job, entry->option);
	const struct cs_resv_job of = cs_resv_of(e, entry->job, entry->option);
	struct cs_how how = {
		.pick = flags & CS_JOB_LEAST_LOADED ? CS_PICK_LEAST_LOADED
			: flags & CS_JOB_LAST_NODE  ? CS_PICK_LAST
						    : CS_PICK_FIT,
		.inside = of.own && of.own->flags & CS_RESV_FLEX ? of.own->nodes
								 : NULL,
	};

	awake_lines(e, entry, &how);
	return how;
}

/* Has a node of @a to be booted? */
static bool wakes(const struct cs_engine *e, const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		if (e->machine->node[a->node[i].node].weight >=
		    CS_WEIGHT_ASLEEP)
			return true;
	return false;
}

/* Nodes of e->mask, as the placement prefers them; NULL: none, or no memory. */
static struct cs_alloc *nodes_for(const struct cs_pass *p,
				  const struct cs_occ *o,
				  const struct cs_shape *s, bool *ret_nomem)
{
	const struct cs_engine *e = cs_attempt_engine(p);
	const struct cs_how how = how_of(e, &p->queue[p->i]);

	if (e->place->choose)
		return e->place->choose(o, s, e->mask, ret_nomem);
	return cs_layout_choose_how(o, s, e->mask, &how, ret_nomem);
}

/* Rule 1: nodes of e->mask that suit a packed job; NULL: none, or no memory. */
static struct cs_alloc *suiting(struct cs_pass *p, const struct cs_ejob *j,
				const struct cs_occ *o,
				const struct cs_shape *s, int64_t end_us,
				bool *ret_nomem)
{
	struct cs_engine *e = cs_attempt_engine(p);
	const size_t size = cs_node_words(e->machine) * sizeof(*e->mask);
	struct cs_alloc *a;

	memcpy(e->mask2, e->mask, size);
	only_suiting(e, j, o);
	a = nodes_for(p, o, s, ret_nomem);
	memcpy(e->mask, e->mask2, size);
	if (!a || cs_backfill_leaves(p, a, cs_alone_hold(s), end_us))
		return a;
	cs_alloc_free(a);
	return NULL;
}

/*
 * Nodes of e->mask for a start until @end_us that keeps every promise: the first
 * available, else those of the job's own promised classes; for some any available
 * (cs_start_alone_anyway()).
 * NULL: none, or no memory (*ret_nomem).
 */
static struct cs_alloc *choose(struct cs_pass *p, const struct cs_ejob *j,
			       const struct cs_occ *o, const struct cs_shape *s,
			       int64_t end_us, bool *ret_nomem)
{
	struct cs_engine *e = cs_attempt_engine(p);
	bool due = cs_pass_plans(p) && cs_plan_due(p);
	struct cs_alloc *first, *a = NULL;

	*ret_nomem = false;
	if (s->kind == CS_SHAPE_PACKED &&
	    (cs_shares_packed(e) || e->params.pack_part) &&
	    j->profile != CS_PROFILE_NONE)
		a = suiting(p, j, o, s, end_us, ret_nomem);
	if ((a && (e->params.suit_wakes == CS_YES || !wakes(e, a))) ||
	    *ret_nomem)
		return a;
	first = nodes_for(p, o, s, ret_nomem);
	if (a && first && !wakes(e, first) &&
	    cs_backfill_leaves(p, first, cs_alone_hold(s), end_us)) {
		cs_alloc_free(a);
		return first;
	}
	if (a) {
		cs_alloc_free(first);
		return a;
	}
	if (!first || cs_backfill_leaves(p, first, cs_alone_hold(s), end_us))
		return first;
	if (due) {
		cs_plan_as_promised(p, o, s, e->mask);
		a = nodes_for(p, o, s, ret_nomem);
	}
	if (a && cs_backfill_leaves(p, a, cs_alone_hold(s), end_us)) {
		cs_alloc_free(first);
		return a;
	}
	cs_alloc_free(a);
	if (due && cs_start_alone_anyway(p, s) && !*ret_nomem) {
		e->sm->stale = true; /* promises must be remade */
		return first;
	}
	cs_alloc_free(first);
	return NULL;
}

int cs_start_alone_on(struct cs_engine *e, const struct cs_entry *entry,
		      const struct cs_shape *s, struct cs_alloc *a,
		      uint32_t rule, double gain)
{
	struct cs_ejob *j = cs_proposal_make(e, entry->job, entry->option, a,
					     cs_alone_hold(s));

	return !j || cs_start_alone_action(e, j, rule, gain) ? -ENOMEM : 1;
}

int cs_start_alone_for(struct cs_pass *p, const struct cs_entry *entry,
		       const struct cs_shape *s, int64_t run_us, uint32_t rule,
		       double gain)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_ejob *j = entry->job;
	int64_t end = e->now_us + run_us;
	const struct cs_occ *o;
	struct cs_alloc *a;
	bool nomem;

	if (cs_layout_crowded(&e->sm->now, s))
		return 0;
	if (cs_site_rules(e))
		return cs_site_start(p, entry, s, run_us, rule, gain);
	o = cs_resv_room(e, j, entry->option, s, &e->sm->now, e->now_us, run_us,
			 e->mask);
	cs_tell(e->backfill, confine, p, end, e->mask);
	if (!cs_backfill_may_leave(p, s, e->mask, end))
		return 0;
	a = choose(p, j, o, s, end, &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	return cs_start_alone_on(e, entry, s, a, rule, gain);
}

int cs_start_alone(struct cs_pass *p, const struct cs_entry *entry,
		   const struct cs_shape *s, uint32_t rule, double gain)
{
	const struct cs_job *j = &entry->job->job;
	double f = cs_alone_factor(cs_attempt_engine(p), entry->job, s);
	int64_t run = cs_stretch_us(j->estimate_us, f);

	if (f > 1 && run > j->option[entry->option].limit_max_us)
		return 0;
	return cs_start_alone_for(p, entry, s, run, rule, gain);
}

/* Are all its nodes empty? */
static bool on_empty(const struct cs_engine *e, const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		if (!cs_bit(e->sm->now.empty, a->node[i].node))
			return false;
	return true;
}

/* @empty: some of them, not all, may be empty. */
static struct cs_alloc *among_own_and(struct cs_pass *p,
				      const struct cs_entry *entry, bool empty,
				      bool *ret_nomem)
{
	struct cs_engine *e = cs_attempt_engine(p);
	const struct cs_planned *q = &entry->job->plan;
	int64_t end = e->now_us + q->run_us;
	const struct cs_occ *o;
	struct cs_alloc *a;

	o = cs_resv_room(e, entry->job, entry->option, &q->shape, &e->sm->now,
			 e->now_us, q->run_us, e->mask);
	for (uint32_t w = 0; !empty && w < cs_node_words(e->machine); w++)
		e->mask[w] &= ~e->sm->now.empty[w];
	a = nodes_for(p, o, &q->shape, ret_nomem);
	if (!a ||
	    (!on_empty(e, a) && cs_backfill_leaves(p, a, CS_NODE_PACKED, end)))
		return a;
	cs_alloc_free(a);
	return NULL;
}

struct cs_alloc *cs_start_alone_among_own(struct cs_pass *p,
					  const struct cs_entry *entry,
					  bool *ret_nomem)
{
	struct cs_alloc *a = among_own_and(p, entry, false, ret_nomem);

	return a || *ret_nomem ? a : among_own_and(p, entry, true, ret_nomem);
}

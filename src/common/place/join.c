/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A waiting job beside a running one.
 *
 * Rules.
 *  1. Candidates are running jobs, the least delayed first: being joined costs them
 *     time (Zeng09, 4.4 and 4.5).  RUNNING_PRIM_NUM are tried.
 *  2. The two pass the preselection (match.c), and so does every other job on the nodes
 *     used: no job may be slowed by more than MAX_SL by all its neighbours, and no
 *     limit may exceed its maximum, or reach into a reservation of others.
 *  3. The job takes nodes of the running one, on each a part as in shape.c rule
 *     4; if it is the larger of the two, it may add empty nodes, at most MATCHED_LARGER
 *     of the running job's.
 *  4. Two jobs a node: a job in a group admits no other (Zeng09, 4.4).  With more, a
 *     group grows until jobs_per_node is reached on every node.
 *  5. In backfill (backfill_join=yes) no slowed job may end so late that a reservation
 *     suffers.  With conservative this means a look at every promise, so a pass takes
 *     RUNNING_PRIM_NUM looks.
 *  6. Serial jobs first of all fill nodes with other serial jobs (low_load.c,
 *     rule 2).
 *  7. With a rule of sites it is on no more of them than it was promised
 *     (group_nodes.c, rule 4).
 *
 * Source: Zeng09 (see slowdown.h), sections 4.4 (cases 2 and 3) and 4.5.
 *
 * Differs: one partner at a time (the paper's groups of several come with
 * place=group); delay is time lost to sharing so far, not response over R_est;
 * rule 5 (the paper joins running jobs only for the head); rule 1 counts only suitable
 * jobs (cs_join_suits()): on a large machine the least delayed few may all be
 * strangers, too small, or in another partition, and would hide all behind them.  Rule
 * 6 is not limited: the paper treats serial jobs before any group, so there is no
 * primary job to count; without a second serial job, nodes would stay half empty.
 *
 * Cost: O(nodes of the running job * jobs a node).
 */
#include "place/join.h"

#include <errno.h>
#include <stdlib.h>

#include "backfill/backfill.h"
#include "job/crossing.h"
#include "job/group.h"
#include "job/match.h"
#include "job/progress.h"
#include "job/site_room.h"
#include "model/sites.h"
#include "place/attempt.h"
#include "place/joinable.h"
#include "place/start_alone.h"
#include "profile/gain.h"
#include "job/resv.h"
#include "lifecycle/proposal.h"

/* A node's answers about a job that would join it. */
struct visit {
	const struct cs_engine *e;
	const struct cs_ejob *j; /* the newcomer */
	uint32_t option;
	bool serial;
};

/* Slowdown of @of beside all others on a node and, if given, @more. */
static double beside_all(const struct cs_engine *e, const struct cs_slots *on,
			 const struct cs_ejob *of, const struct cs_ejob *more)
{
	struct cs_who beside[CS_BESIDE_MAX];
	size_t n = 0;

	if (more)
		beside[n++] = cs_who_is(more);
	for (uint32_t k = 0; k < on->n && n < CS_BESIDE_MAX; k++)
		if (e->slot[on->slot[k]] != of)
			beside[n++] = cs_who_is(e->slot[on->slot[k]]);
	return cs_slowdown_beside(&e->model, cs_who_is(of), beside, n);
}

/* The predicted end of @x on the host's clock, its slices taken into account. */
static int64_t host_end_us(const struct cs_engine *e, const struct cs_ejob *x)
{
	const struct cs_slice_machine *sm = cs_sm_of(e, x);

	return cs_sm_host_us(
		e, sm, cs_later_us(cs_progress_end_us(e, x), sm->ahead_us));
}

/* Does a reservation of others begin on @x's nodes in between? */
static bool meets_held(const struct cs_engine *e, const struct cs_ejob *x,
		       int64_t from_us, int64_t until_us)
{
	const struct cs_resv_job of = cs_resv_of(e, x, x->option);

	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];
		int64_t start_us = cs_resv_start_us(r, e->now_us);

		if (cs_resv_keeps(&of, r) == CS_KEEPS_NOTHING ||
		    start_us < from_us || start_us >= until_us)
			continue;
		for (uint32_t i = 0; i < x->alloc->n_node; i++)
			if (cs_bit(r->nodes, x->alloc->node[i].node))
				return true;
	}
	return false;
}

bool cs_join_slower_allows(const struct cs_engine *e, const struct cs_ejob *x,
			   double slowdown)
{
	struct cs_ejob at = *x;

	if (!x->job.base_procs)
		return true;
	cs_progress_bring(&at, e->now_us); /* progress at the old speed */
	at.slowdown = slowdown;
	return cs_progress_limit_us(e, &at) <=
		       x->job.option[x->option].limit_max_us &&
	       !meets_held(e, x, host_end_us(e, x), host_end_us(e, &at));
}

bool cs_join_limit_allows(const struct cs_engine *e, const struct cs_ejob *x,
			  double cos)
{
	return cos <= x->co_slowdown ||
	       cs_join_slower_allows(e, x, cs_progress_beside(e, x, cos));
}

/* Rule 2 for one node; *ret_cos: the newcomer's slowdown there. */
static enum cs_match node_allows(const struct visit *v, uint32_t n,
				 double *ret_cos)
{
	const struct cs_engine *e = v->e;
	const struct cs_slots *on = &e->sm->on[n];

	if (e->sm->now.node[n].counted >= e->params.jobs_per_node)
		return CS_MATCH_ROOM;
	*ret_cos = beside_all(e, on, v->j, NULL);
	if (*ret_cos > e->params.max_slowdown)
		return CS_MATCH_SLOWDOWN;
	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *x = e->slot[on->slot[k]];
		double cos = beside_all(e, on, x, v->j);
		enum cs_match m =
			cs_match_pair(e, v->j, v->option, x, x->option);

		if (m != CS_MATCH_OK)
			return m;
		if (v->serial && x->job.procs != 1)
			return CS_MATCH_UNWILLING;
		if (cos > e->params.max_slowdown)
			return CS_MATCH_SLOWDOWN;
		if (!cs_join_limit_allows(e, x, cos))
			return CS_MATCH_LIMIT;
	}
	return CS_MATCH_OK;
}

/* Leave in e->mask @want empty nodes that can hold @s, near the @n in @node. */
static bool leave_near(const struct cs_engine *e, const struct cs_shape *s,
		       const uint32_t *node, uint32_t n, uint32_t want)
{
	for (uint32_t i = 0; i < e->machine->n_node; i++)
		if (!cs_occ_empty(&e->sm->now.node[i]) ||
		    !cs_layout_usable(&e->sm->now, i, s))
			cs_bit_clear(e->mask, i);
	return cs_layout_near(&e->sm->now, node, n, want, e->mask);
}

/* Append up to @want empty nodes of e->mask that can hold @s to the @n in @node. */
static uint32_t add_empty(const struct cs_engine *e, const struct cs_shape *s,
			  uint32_t *node, uint32_t n, uint32_t want)
{
	if (want && e->machine->topology && !leave_near(e, s, node, n, want))
		return n;
	for (uint32_t i = 0; want && i < e->machine->n_node; i++)
		if (cs_bit(e->mask, i) && cs_occ_empty(&e->sm->now.node[i]) &&
		    cs_layout_usable(&e->sm->now, i, s)) {
			node[n++] = i;
			want--;
		}
	return n;
}

/* Choose the nodes (rule 3).  *ret_cos: the newcomer's worst. */
static enum cs_match choose(const struct visit *v, const struct cs_ejob *r,
			    const struct cs_shape *s, uint32_t *node,
			    uint32_t *ret_n, double *ret_cos)
{
	const struct cs_engine *e = v->e;
	uint32_t theirs = r->alloc->n_node, n = 0;
	uint32_t more = s->nodes > theirs ? s->nodes - theirs : 0;
	enum cs_match why = CS_MATCH_ROOM;

	for (uint32_t i = 0; i < theirs && n < s->nodes - more; i++) {
		uint32_t at = r->alloc->node[i].node;
		enum cs_match m;
		double cos;

		if (!cs_bit(e->mask, at) ||
		    !cs_layout_usable(&e->sm->now, at, s))
			continue;
		m = node_allows(v, at, &cos);
		if (m != CS_MATCH_OK) {
			why = m;
			continue;
		}
		node[n++] = at;
		*ret_cos = cos > *ret_cos ? cos : *ret_cos;
	}
	if (n < s->nodes - more)
		return why;
	n = add_empty(e, s, node, n, more);
	cs_layout_sort(node, n);
	*ret_n = n;
	return n == s->nodes ? CS_MATCH_OK : CS_MATCH_ROOM;
}

/* Lay it out on the @n nodes of @node; NULL: no room, more sites than @most (rule 7),
 * or no memory. */
static struct cs_alloc *lay_out(const struct cs_engine *e,
				const struct cs_shape *s, const uint32_t *node,
				uint32_t n, uint32_t most, bool *ret_nomem)
{
	struct cs_alloc *a = cs_layout_on(&e->sm->now, s, node, n, ret_nomem);

	if (!a || cs_sites_touched(e->machine->sites, a) <= most)
		return a;
	cs_alloc_free(a);
	return NULL;
}

/* Equation 6 for the newcomer and @r on the nodes of both. */
static double gain_with(const struct cs_engine *e, const struct cs_ejob *j,
			const struct cs_ejob *r, const struct cs_shape *s,
			double slowdown)
{
	const struct cs_node *node = &e->machine->node[r->alloc->node[0].node];
	uint32_t nodes =
		s->nodes > r->alloc->n_node ? s->nodes : r->alloc->n_node;
	struct cs_who beside = cs_who_is(j);
	double cos = cs_slowdown_beside(&e->model, cs_who_is(r), &beside, 1);
	struct cs_gain_job a = { j->job.procs, slowdown };
	struct cs_gain_job b = {
		r->job.procs,
		cs_progress_self(e, r, r->alloc->node[0].procs, node) *
			(cos > r->co_slowdown ? cos : r->co_slowdown)
	};

	return cs_gain_pair(&a, &b, nodes);
}

/* The two by themselves: their owners and sizes. */
static enum cs_match suits(const struct cs_engine *e,
			   const struct cs_entry *entry,
			   const struct cs_ejob *r, bool serial,
			   struct cs_shape *s)
{
	const struct cs_job *j = &entry->job->job;
	const struct cs_job_partition *o = &j->option[entry->option];
	const struct cs_node *like = cs_engine_like(e, o);
	uint32_t theirs = r->alloc->n_node, more, may = 0;
	enum cs_match m;

	if (serial && r->job.procs != 1)
		return CS_MATCH_UNWILLING;
	m = cs_match_pair(e, entry->job, entry->option, r, r->option);
	if (m != CS_MATCH_OK)
		return m;
	if (r->group && e->params.jobs_per_node == 2 && !serial)
		return CS_MATCH_GROUP;
	if (!like || !cs_match_part(e, entry->job, entry->option, like, s))
		return CS_MATCH_LAYOUT;
	more = s->nodes > theirs ? s->nodes - theirs : 0;
	if (more > (uint32_t)(e->params.matched_larger * theirs))
		return CS_MATCH_SIZE;
	for (uint32_t i = 0; may + more < s->nodes && i < theirs; i++)
		may += cs_bit(cs_engine_set(e, o), r->alloc->node[i].node);
	return may + more < s->nodes ? CS_MATCH_ROOM : CS_MATCH_OK;
}

enum cs_match cs_join_suits(const struct cs_engine *e,
			    const struct cs_entry *entry,
			    const struct cs_ejob *running, bool serial)
{
	struct cs_shape s;

	return suits(e, entry, running, serial, &s);
}

enum cs_match cs_join_try(const struct cs_engine *e,
			  const struct cs_entry *entry, struct cs_ejob *running,
			  bool serial, struct cs_join *ret, bool *ret_nomem)
{
	const struct cs_ejob *j = entry->job;
	const struct cs_job_partition *o = &j->job.option[entry->option];
	const struct cs_node *like = cs_engine_like(e, o);
	struct visit v = { e, j, entry->option, serial };
	struct cs_shape s;
	enum cs_match m = suits(e, entry, running, serial, &s);
	uint32_t *node, n = 0, most;
	double cos = 1, across, f;

	*ret = (struct cs_join){ .running = running };
	*ret_nomem = false;
	if (m != CS_MATCH_OK)
		return m;
	most = cs_site_room_beside(e, j, entry->option);
	across = cs_site_rules(e) ? cs_crossing_factor(e, j, most) : 1;
	f = across *
	    cs_progress_factor(e, j, s.quota, like, e->params.max_slowdown);
	cs_resv_nodes(e, j, entry->option, e->now_us,
		      cs_stretch_us(j->job.estimate_us, f), e->mask);
	node = calloc(s.nodes, sizeof(*node));
	*ret_nomem = !node;
	if (!node)
		return CS_MATCH_ROOM;
	m = choose(&v, running, &s, node, &n, &cos);
	f = across * cs_progress_factor(e, j, s.quota, like, cos);
	if (m == CS_MATCH_OK && f > 1 &&
	    cs_stretch_us(j->job.estimate_us, f) > o->limit_max_us)
		m = CS_MATCH_LIMIT;
	if (m == CS_MATCH_OK) {
		ret->alloc = lay_out(e, &s, node, n, most, ret_nomem);
		ret->rule = serial || n > running->alloc->n_node ? 2 : 3;
		ret->slowdown = cs_progress_self(e, j, s.quota, like) * cos;
		ret->gain = gain_with(e, j, running, &s, ret->slowdown);
		ret->end_us = e->now_us + cs_stretch_us(j->job.estimate_us, f);
		m = ret->alloc ? CS_MATCH_OK : CS_MATCH_ROOM;
	}
	free(node);
	return m;
}

/* Add @x to the @n jobs of @list, once; returns their number. */
static size_t add_once(struct cs_ejob **list, size_t n, struct cs_ejob *x)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == x)
			return n;
	list[n] = x;
	return n + 1;
}

/* Predicted end of @x with @j on the nodes of @a too. */
static int64_t end_beside(const struct cs_engine *e, const struct cs_ejob *x,
			  const struct cs_ejob *j, const struct cs_alloc *a)
{
	struct cs_ejob at = *x;
	double worst = x->co_slowdown;

	for (uint32_t i = 0; i < a->n_node; i++) {
		const struct cs_slots *on = &e->sm->on[a->node[i].node];

		for (uint32_t k = 0; k < on->n; k++)
			if (on->slot[k] == x->slot) {
				double cos = beside_all(e, on, x, j);

				worst = cos > worst ? cos : worst;
			}
	}
	cs_progress_bring(&at, e->now_us);
	at.slowdown = cs_progress_beside(e, x, worst);
	return cs_progress_end_us(e, &at);
}

/* Are the pass's reservations kept, by the new job and those it slows down? */
static bool leaves(struct cs_pass *p, const struct cs_entry *entry,
		   const struct cs_join *way)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_ejob *moved[CS_BESIDE_MAX];
	int64_t end_us[CS_BESIDE_MAX] = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < way->alloc->n_node; i++) {
		const struct cs_slots *on =
			&e->sm->on[way->alloc->node[i].node];

		for (uint32_t k = 0; k < on->n; k++) {
			if (n == CS_BESIDE_MAX)
				return false;
			n = add_once(moved, n, e->slot[on->slot[k]]);
		}
	}
	for (size_t i = 0; i < n; i++)
		end_us[i] = end_beside(e, moved[i], entry->job, way->alloc);
	return cs_backfill_leaves_moved(p, way->alloc, CS_NODE_COUNTED,
					way->end_us, moved, end_us, n);
}

/* Is @way better than @best, and allowed? */
static bool better(struct cs_pass *p, const struct cs_entry *entry, bool serial,
		   const struct cs_join *way, const struct cs_join *best)
{
	return (serial || cs_attempt_joins(p, way->rule)) &&
	       way->gain >= cs_attempt_engine(p)->params.min_util_gain &&
	       (!best->alloc || way->gain > best->gain) &&
	       leaves(p, entry, way);
}

int cs_join_best(struct cs_pass *p, const struct cs_entry *entry, bool serial,
		 struct cs_join *ret)
{
	const struct cs_engine *e = cs_attempt_engine(p);
	bool first = !serial && e->place->first;
	int64_t most = serial ? 0 : e->params.running_prim_num, tried = 0;
	struct cs_join best = { 0 };
	size_t n;
	struct cs_ejob **r = cs_joinable_jobs(p, &n);

	for (size_t i = 0;
	     r && i < n && (!most || tried < most) && !(first && best.alloc);
	     i++) {
		struct cs_join way;
		bool nomem, ok;

		if (cs_join_suits(e, entry, r[i], serial) != CS_MATCH_OK)
			continue;
		tried++;
		ok = cs_join_try(e, entry, r[i], serial, &way, &nomem) ==
			     CS_MATCH_OK &&
		     better(p, entry, serial, &way, &best);
		cs_alloc_free(ok ? best.alloc : way.alloc);
		if (ok)
			best = way;
		if (nomem) {
			cs_alloc_free(best.alloc);
			return -ENOMEM;
		}
	}
	*ret = best;
	return r ? 0 : -ENOMEM;
}

int cs_join_start(struct cs_engine *e, const struct cs_entry *entry,
		  const struct cs_join *way)
{
	struct cs_ejob *r = way->running, *j;
	bool primary = false;

	j = cs_proposal_make(e, entry->job, entry->option, way->alloc,
			     cs_group_hold(e));
	if (!j)
		return -ENOMEM;
	if (!r->group) {
		primary = j->alloc->n_node > r->alloc->n_node;
		if (cs_group_join(e, r,
				  primary ? CS_ROLE_MATCHED : CS_ROLE_PRIMARY,
				  NULL, j->job.id))
			return -ENOMEM;
	}
	cs_group_enter(e, j, primary ? CS_ROLE_PRIMARY : CS_ROLE_MATCHED, r,
		       r->job.id);
	/* a partner proposed in this same pass must have started; above all, other
	 * slices' jobs on the nodes must have been stopped */
	if (r->state == CS_PROPOSED && !j->needs)
		j->needs = r->seq;
	e->pairs++;
	return cs_start_alone_action(e, j, way->rule, way->gain);
}

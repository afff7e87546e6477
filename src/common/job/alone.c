/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job by itself, without neighbours: its shape, and how long it runs in it.  Space
 * sharing, and packing by core.
 *
 * Symbols	C name		unit
 *   S, N	procs, nodes	processes, the nodes they take
 *   PPN	ppn, quota	processes a node
 *   SL(p)	self		1, self slowdown with p processes on a node
 *
 * Rules.
 *  1. place=space: empty nodes, no neighbours.  `layout` sets the processes a node: all
 *     cores (dense), by the self slowdown (model: Zeng09, equation 8, in shape.c; one a
 *     node at low load, low_load.c), or by the gain (gain: rule 10).
 *  2. place=pack: cores wherever they are free, as stock Slurm does.
 *  3. unprofiled=pack: the same, under any place, for a job without a profile; and
 *     pack_part, for one that leaves room (match.c, rule 7).  Such jobs never share a
 *     node with others.
 *  4. --exclusive: whole nodes, whatever the other rules say.
 *  5. share=no, for a job that rule 2 or 3 would pack: as densely, on nodes that no
 *     other job, packed or not, gets.
 *  6. share_scope: a job packed by rule 2 or 3 goes to nodes of its user, or account,
 *     that have room, else to empty ones; as many processes on each.  It avoids nodes
 *     where the host has put others.  The same holds, whatever share_scope is, for a
 *     job that keeps its nodes to its user (CS_JOB_USER_NODES); the host places it
 *     (cycle.c, rule 4).
 *  7. In a reservation of cores: also by core (resv.c).  So too where cores are
 *     reserved on its other nodes: if it then ends earlier, or, without a plan, if it
 *     does not fit otherwise.
 *  8. layout=auto packs every job, as rule 2; under pair-first, pair-best and group a
 *     job with known slowdowns only where no group takes it (group_search.c).  A job
 *     goes to nodes that it suits (match.c, rule 5) if they have room, else to any: it
 *     starts when stock would start it.
 *  9. A job whose profile has self slowdowns gets fewer processes a node than the cores
 *     hold where each node then does more work, counted as by layout=gain (rule 10):
 *     other jobs may use the other cores.  Not with --exclusive or share=no, where none
 *     may.
 * 10. layout=gain: the PPN at which the job alone gains most by equation 6 as it
 *     stands for one job,
 *
 *	U(PPN) = S / (SL(q) N) - 1,	N = ceil(S / PPN), q = ceil(S / N) (1)
 *
 *     among 1 and those that load all sockets alike; fewer a node at a tie.  So
 *     it may be slowed beyond MAX_SL, by itself: MAX_SL bounds what others do to it.  A
 *     PPN for which the job's limit cannot be raised is left out.
 * 11. Where nodes differ, a job on whole nodes is laid out for the smallest that it may
 *     use (shape.c).  If it does not fit so at the moment, it starts as for the next
 *     larger ones, and so on, finally unevenly, if it fits so: stock would start it.
 * 12. A job with GPUs goes, with equal parts, to as few nodes as have so many on each; by
 *     rules 1 to 7 there.  It is never uneven.
 * 13. gpu_cores: a job without GPUs that is packed by core leaves so many cores on a node
 *     for each GPU there that no job uses.  A job that fits only beside jobs that use them
 *     has no planned start, and starts when it fits.
 *
 * Source: Zeng09 (see slowdown.h), section 4.3 and the SSP of section 5.1; rules 2, 3
 * and 11 are what users have today, rule 10 is ours, from equation 6.
 *
 * Example: 8 processes, SL 1, 1.05, 1.6 at 1, 2, 4 a node: U is 0, .90, 1.5: two
 * nodes, where equation 8 takes four (1.6 > MAX_SL).  With SL(4) = 2.2, U(4) is
 * .82: four nodes.
 *
 * Cost: O(cores of a node) a layout by rule 10.
 *
 * Known weakness: rule 10 assumes demand for the nodes it saves; on an empty machine a
 * job alone is slower than under equation 8, and R_est, computed with rule 10's layout,
 * is later.
 */
#include "job/alone.h"

#include <string.h>

#include "job/match.h"
#include "job/progress.h"
#include "job/refused.h"
#include "job/resv.h"
#include "model/topology.h"
#include "profile/gain.h"

/* Nodes of the job's set that are up, in one part of the topology. */
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

/* The fewest processes a node with which the job fits on so many nodes (shape.c rule
 * 5); 1 if it never fits. */
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
	uint32_t ppn =
		cs_layout_model_ppn(&e->params, &e->model, job, who, node);
	uint32_t all = cs_layout_procs(cs_node_cores(node), job->cpus_per_proc,
				       node->threads);

	if (ppn < all || ppn == 1 || e->place->alone ||
	    strchr(e->params.cases, '5'))
		return ppn;
	return ppn > node->sockets ? ppn - node->sockets : 1;
}

/* May it run for as long as @quota processes a node would take? */
static bool limit_allows(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const struct cs_node *node,
			 uint32_t quota)
{
	double f = cs_progress_factor(e, j, quota, node, 1);

	return f <= 1 || cs_stretch_us(j->job.estimate_us, f) <=
				 j->job.option[option].limit_max_us;
}

/* Rule 10: the processes a node by which @j gains most. */
static uint32_t gain_ppn(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const struct cs_node *node)
{
	uint32_t best = 1, most = cs_layout_procs(
				   cs_node_cores(node), j->job.cpus_per_proc,
				   cs_layout_threads(node, j->job.threads));
	double most_gain = -1;

	for (uint32_t ppn = 1; ppn <= most;
	     ppn = ppn < node->sockets ? node->sockets : ppn + node->sockets) {
		uint32_t nodes = cs_div_up(j->job.procs, ppn);
		uint32_t quota = cs_div_up(j->job.procs, nodes);
		double gain = cs_gain_alone(j->job.procs,
					    cs_progress_self(e, j, quota, node),
					    nodes);

		if (gain > most_gain &&
		    limit_allows(e, j, option, node, quota)) {
			most_gain = gain;
			best = ppn;
		}
	}
	return best;
}

/* Rule 9: fewer processes a node than @dense, if that pays and the job may use that
 * many nodes. */
static uint32_t paying_ppn(const struct cs_engine *e, const struct cs_ejob *j,
			   uint32_t option, const struct cs_node *node,
			   uint32_t dense)
{
	const uint32_t alone = CS_JOB_HOST | CS_JOB_EXCLUSIVE | CS_JOB_NO_SHARE;
	uint32_t ppn = dense, least = 1;

	if (j->job.max_nodes)
		least = cs_div_up(j->job.procs, j->job.max_nodes);

	if (cs_shares_packed(e) && !(cs_job_flags(j, option) & alone) &&
	    cs_slowdown_has_self(&e->model, cs_who_is(j)))
		ppn = gain_ppn(e, j, option, node);
	if (ppn < least)
		ppn = least;
	return ppn < dense ? ppn : dense;
}

/* By core (rules 2 and 3); on its own nodes by rule 5, on its user's by rule 6. */
static bool packed_shape(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const struct cs_job *job,
			 const struct cs_node *node, struct cs_shape *s)
{
	bool own = j->job.flags & CS_JOB_NO_SHARE;
	uint64_t owner = cs_match_owner(e, j, option);

	uint32_t dense = cs_layout_dense_ppn(job, node);
	uint32_t ppn = paying_ppn(e, j, option, node, dense);

	if (ppn == dense && (job->flags & CS_JOB_EXCLUSIVE || (!own && !owner)))
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
	const struct cs_node *node = cs_engine_like(e, &j->job.option[option]);
	const struct cs_job job = {
		.flags = cs_job_flags(j, option),
		.procs = 1,
		.cpus_per_proc = 1,
		.min_nodes = 1,
	};

	return node && packed_shape(e, j, option, &job, node, s);
}

/* Its request with its flags there, in *@copy if need be; a job left to the host
 * (refused.c) has no wish beyond the model. */
static const struct cs_job *wish(const struct cs_ejob *j, uint32_t option,
				 struct cs_job *copy)
{
	uint32_t flags = cs_job_flags(j, option);

	if (cs_refused_left(j, option))
		flags &= ~(uint32_t)CS_JOB_HOST;
	if (flags == j->job.flags)
		return &j->job;
	*copy = j->job;
	copy->flags = flags;
	return copy;
}

/* Rule 13: what a packed job without GPUs leaves. */
static void leave_cores(const struct cs_engine *e, struct cs_shape *s)
{
	if (s->kind == CS_SHAPE_PACKED && !s->gpus)
		s->gpu_keep = (uint32_t)e->params.gpu_cores;
}

/* The shape of @job, the request of @j, for nodes like @node, without the nodes of @down
 * (NULL: none). */
static bool shape_of(const struct cs_engine *e, const struct cs_ejob *j,
		     uint32_t option, const struct cs_job *job,
		     const struct cs_node *node, const uint64_t *down,
		     struct cs_shape *s)
{
	uint32_t ppn, least = least_ppn(e, j, option, down);

	if (cs_match_packed(e, j) || cs_job_flags(j, option) & CS_JOB_HOST ||
	    cs_resv_within_cores(e, j, option))
		return packed_shape(e, j, option, job, node, s);
	ppn = cs_layout_dense_ppn(job, node);
	if (e->params.layout == CS_LAYOUT_GAIN)
		ppn = gain_ppn(e, j, option, node);
	if (e->params.layout == CS_LAYOUT_MODEL)
		ppn = model_ppn(e, job, cs_who_is(j), node);
	return cs_shape_space(s, job, node, ppn < least ? least : ppn);
}

static bool shape_like(const struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, const struct cs_node *node,
		       const uint64_t *down, struct cs_shape *s)
{
	struct cs_job copy;

	if (!shape_of(e, j, option, wish(j, option, &copy), node, down, s))
		return false;
	leave_cores(e, s);
	return true;
}

/* The uneven shape for nodes like @node, or larger (shape.c, rule 5). */
static bool uneven_like(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t option, const struct cs_node *node,
			struct cs_shape *s)
{
	struct cs_job copy;
	const struct cs_job *job = wish(j, option, &copy);
	const uint32_t alone = CS_JOB_EXCLUSIVE | CS_JOB_NO_SHARE;
	bool packs =
		cs_match_packed(e, j) || cs_job_flags(j, option) & CS_JOB_HOST;

	if (job->procs_per_node ||
	    !cs_shape_uneven(s, job, node, !packs || job->flags & alone))
		return false;
	if (s->kind == CS_SHAPE_PACKED)
		s->owner = cs_match_owner(e, j, option);
	leave_cores(e, s);
	return true;
}

/* The next larger node that it may use; NULL: none. */
static const struct cs_node *larger(const struct cs_engine *e,
				    const struct cs_ejob *j, uint32_t option,
				    const struct cs_node *node)
{
	uint32_t set = j->job.option[option].nodeset;

	return cs_layout_larger(e->machine, e->nodeset[set],
				&e->nodeset_sizes[set], node);
}

static bool uneven_shape(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const uint64_t *down,
			 struct cs_shape *s)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_node *node = cs_engine_like(e, &j->job.option[option]);
	struct cs_shape made, best = { .quota = 0 };

	for (; node; node = larger(e, j, option, node))
		if (uneven_like(e, j, option, node, &made) &&
		    made.quota > best.quota)
			best = made;
	if (!best.quota || !cs_layout_holds(e->machine, down, &best, set))
		return false;
	*s = best;
	return true;
}

/* Rule 12, on @nodes nodes, or (@more) at least so many.  True: they hold it; else a shape
 * is in @s if *io_any. */
static bool gpus_on(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, uint32_t nodes, bool more,
		    const uint64_t *down, struct cs_shape *s, bool *io_any)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_node *node = cs_engine_like(e, &j->job.option[option]);
	struct cs_job copy, job = *wish(j, option, &copy);
	struct cs_shape made;

	job.min_nodes = nodes;
	for (; node; node = larger(e, j, option, node)) {
		if (!shape_of(e, j, option, &job, node, down, &made))
			continue;
		if (!*io_any)
			*s = made;
		*io_any = true;
		if ((more || made.nodes <= nodes) &&
		    cs_layout_holds(e->machine, down, &made, set)) {
			*s = made;
			return true;
		}
	}
	return false;
}

/* Rule 12: more nodes where fewer have too few GPUs, or cores, each. */
static bool gpu_shape(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option, const uint64_t *down, struct cs_shape *s)
{
	uint32_t nodes = j->job.min_nodes, most = e->machine->gpus_most;
	uint32_t last = j->job.gpus ? j->job.gpus : nodes, first;
	bool any = false;

	if (!most)
		return false;
	if (j->job.max_nodes && last > j->job.max_nodes)
		last = j->job.max_nodes;
	if (last > j->job.procs)
		last = j->job.procs;
	if (nodes < cs_div_up(j->job.gpus, most))
		nodes = cs_div_up(j->job.gpus, most);
	first = nodes;
	while (!gpus_on(e, j, option, nodes, false, down, s, &any)) {
		uint32_t each = cs_div_up(j->job.gpus, nodes);

		if (each < 2 || nodes >= last)
			return gpus_on(e, j, option, first, true, down, s,
				       &any) ||
			       any;
		nodes = cs_div_up(j->job.gpus, each - 1);
		if (nodes > last)
			nodes = last;
	}
	return true;
}

static bool alone_shape(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t option, const uint64_t *down,
			struct cs_shape *s)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_node *node = cs_engine_like(e, &j->job.option[option]);
	struct cs_shape made;
	bool any = false;

	if (cs_job_has_gpus(&j->job))
		return gpu_shape(e, j, option, down, s);
	for (; node; node = larger(e, j, option, node)) {
		if (!shape_like(e, j, option, node, down, &made))
			continue;
		if (!any || (!made.even && made.quota > s->quota))
			*s = made;
		any = true;
		if (made.even &&
		    cs_layout_holds(e->machine, down, &made, set)) {
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
	return alone_shape(e, j, option, e->sm->now.down, s);
}

static bool has_others(const struct cs_engine *e, const struct cs_shape *s)
{
	return !e->machine->alike && s->even && s->kind == CS_SHAPE_SPACE &&
	       !s->gpus;
}

bool cs_alone_other_might(const struct cs_engine *e, const struct cs_shape *s)
{
	uint64_t empty = e->machine->n_node - e->sm->now.used_nodes;

	return has_others(e, s) &&
	       empty * e->machine->most_threads >=
		       (uint64_t)s->procs * s->cpus_per_proc;
}

bool cs_alone_other(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const uint64_t *down = e->sm->now.down;
	const struct cs_node *node = s->like;
	struct cs_shape made;

	if (!has_others(e, s))
		return false;
	while ((node = larger(e, j, option, node)))
		if (shape_like(e, j, option, node, down, &made) && made.even &&
		    made.quota > s->quota &&
		    cs_layout_holds(e->machine, down, &made, set)) {
			*s = made;
			return true;
		}
	return uneven_shape(e, j, option, down, s);
}

bool cs_alone_ever(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	struct cs_shape s;

	if (!alone_shape(e, j, option, NULL, &s))
		return false;
	s.gpu_keep =
		0; /* other jobs may use the GPUs for which it leaves cores */
	return cs_layout_holds(e->machine, NULL, &s, set);
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

bool cs_alone_layout_other(const struct cs_engine *e, struct cs_ejob *j,
			   uint32_t option)
{
	struct cs_planned *q = &j->plan;
	struct cs_shape s = q->shape;

	do
		if (!cs_alone_other(e, j, option, &s))
			return false;
	while (cs_alone_too_slow(e, j, option, &s));
	q->shape = s;
	q->run_us =
		cs_stretch_us(j->job.estimate_us, cs_alone_factor(e, j, &s));
	return true;
}

bool cs_alone_layout_by(const struct cs_engine *e, struct cs_ejob *j,
			uint32_t option, bool by_core)
{
	struct cs_planned *q = &j->plan;
	struct cs_job copy;
	double f;

	q->made = 0;
	q->by_core = by_core;
	if (!cs_alone_shape(e, j, option, &q->shape))
		return false;
	if (by_core &&
	    !cs_shape_packed(&q->shape, wish(j, option, &copy), q->shape.like))
		return false;
	if (by_core)
		leave_cores(e, &q->shape);
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

uint32_t cs_alone_rule(const struct cs_shape *s)
{
	if (s->kind == CS_SHAPE_PACKED)
		return 0;
	return cs_shape_cores(s, s->like, s->quota) >= s->cores ? 5 : 4;
}

enum cs_node_use cs_alone_hold(const struct cs_shape *s)
{
	return s->exclusive		    ? CS_NODE_EXCLUSIVE
	       : s->kind == CS_SHAPE_PACKED ? CS_NODE_PACKED
					    : CS_NODE_COUNTED;
}

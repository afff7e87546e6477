/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes to nodes, processes to cores.
 *
 * Problem.  A user asks for processes; how many go on a node decides how long
 * the job runs (its processes disturb each other) and how many nodes it keeps
 * from others.
 *
 * Symbols	C name			unit
 *   S		job->procs		processes
 *   PPN	quota, ppn		processes a node
 *   SL(p)	cs_slowdown_self()	1, with p processes on a node
 *   MAX_SL	params->max_slowdown	1
 *   SELF_SL2	params->self_slowdown2	1
 *   M, s	cores, sockets of a node
 *
 * Rules.
 *  1. A layout that the user gave (nodes, processes a node) is kept.
 *  2. Dense: a node is filled: PPN = the processes its cores hold.
 *  3. Model (000, equation 8, for 2 sockets of 2 cores):
 *
 *	PPN = 1	S = 1, or SL(2) > SELF_SL2 and SL(4) > MAX_SL
 *	      2	SL(2) <= SELF_SL2 and SL(4) > MAX_SL
 *	      4	SL(4) <= MAX_SL
 *
 *     For any node: the largest p with SL(p) <= limit(p) of those that load all
 *     sockets alike (s, 2 s, ... M), where limit is SELF_SL2 up to one process a
 *     socket, MAX_SL on all cores, and linear between:
 *
 *	limit
 *	MAX_SL   |                    *
 *	         |             *
 *	SELF_SL2 |*-----*
 *	         +------+------------+-- p
 *	          1     s            M
 *
 *     p = 1 where there is none.
 *  4. In a group a job gets the same part of every socket: its s * max(1,
 *     floor(M / s / jobs_per_node)) cores of a node (000 has 2 of 4: one process
 *     a socket), so that jobs_per_node such jobs fill it.
 *  5. Cores: the processes of a job go round the sockets, first to the socket
 *     that has fewest of this job's, then to the one with most free cores, then
 *     to the lowest; in a socket the lowest free cores.  Packed jobs fill socket
 *     by socket.  (000, section 4.9: processes of one job on different sockets,
 *     those of different jobs on one.)
 *  6. Where a job would need more nodes than it may use, or more memory on a node
 *     than there is, it is laid out more, or less, densely, and if nodes of one
 *     size do not hold it, unevenly, on each as many processes as there is room
 *     for: what can run is not kept waiting for a better layout.  Of nodes that
 *     the user counts (-N) all get alike, as far as there is room.
 *  7. A core is given whole: with t hardware threads, of which the job uses no more
 *     than it says, it holds t / cpus_per_proc processes, and nobody else's.
 *  8. A job that must find so many hardware threads on a node, whatever its
 *     processes there need, takes the cores that have them.
 *  9. Where the machine has a topology the nodes are near each other, and in one
 *     part of it (topology.c); a packed job that one node holds goes to the tightest
 *     one all the same, of several such to the one where the fewest nodes are left.
 *     An uneven shape whose nodes are bounded gets them in the smallest group of
 *     which as many hold it, where those of the best fit do not.  What the host
 *     places it puts where it likes.
 *
 * Source: 000 (see slowdown.h), sections 4.3, 4.9, 5.1 (equation 8).
 *
 * Differs.
 *  1. The paper's PPN is 1, 2 or 4; here so many for any node (rule 3).
 *  2. Where nodes differ, the layout is made for the smallest that a job may
 *     use: it then fits on all of them and PPN is one number.  A job that nodes
 *     of that size cannot hold gets the layout of the next larger ones, and so
 *     on, and at last an uneven one; a packed job takes what each node has.
 *
 * Example: self slowdowns 1, 1.05, 1.2 at 1, 2, 4 processes give PPN 4; 1, 1.05,
 * 1.4 give 2; 1, 1.15, 1.4 give 1.
 *
 * Cost: O(M) for a layout, O(nodes) for a fit; to choose, O(nodes) for each weight
 * that comes up, O(nodes log nodes) for packed jobs of several nodes.
 */
#include "model/layout.h"

#include <stdlib.h>
#include <string.h>

#include "model/topology.h"

/* Fewer cores, or as many with fewer threads? */
static bool smaller(const struct cs_node *a, const struct cs_node *b)
{
	if (cs_node_cores(a) != cs_node_cores(b))
		return cs_node_cores(a) < cs_node_cores(b);
	return a->threads < b->threads;
}

const struct cs_node *cs_layout_node(const struct cs_machine *m,
				     const uint64_t *allowed)
{
	const struct cs_node *least = NULL;

	for (uint32_t n = 0; n < m->n_node; n++)
		if (cs_bit(allowed, n) &&
		    (!least || smaller(&m->node[n], least)))
			least = &m->node[n];
	return least;
}

const struct cs_node *cs_layout_larger(const struct cs_machine *m,
				       const uint64_t *allowed,
				       const struct cs_node *node)
{
	const struct cs_node *next = NULL;

	for (uint32_t n = 0; n < m->n_node; n++)
		if (cs_bit(allowed, n) && smaller(node, &m->node[n]) &&
		    (!next || smaller(&m->node[n], next)))
			next = &m->node[n];
	return next;
}

static void shape_init(struct cs_shape *s, const struct cs_job *j,
		       const struct cs_node *node, enum cs_shape_kind kind)
{
	*s = (struct cs_shape){
		.kind = kind,
		.exclusive = (j->flags & CS_JOB_EXCLUSIVE) != 0,
		.anywhere = (j->flags & CS_JOB_HOST) != 0,
		.even = true,
		.procs = j->procs,
		.max_nodes = j->max_nodes,
		.cpus_per_proc = j->cpus_per_proc,
		.least_cpus = j->least_cpus,
		.threads = j->threads,
		.mem_threads = j->mem_threads,
		.mem_node_mb = j->mem_node_mb,
		.mem_cpu_mb = j->mem_cpu_mb,
		.like = node,
		.sockets = node->sockets,
		.cores = cs_node_cores(node),
	};
}

/* Cores that a job of shape @s must find on @node. */
static uint32_t least_cores(const struct cs_shape *s, const struct cs_node *node)
{
	return cs_div_up(s->least_cpus, cs_layout_threads(node, s->threads));
}

uint32_t cs_shape_cores(const struct cs_shape *s, const struct cs_node *node,
			uint32_t procs)
{
	uint32_t cores = cs_layout_cores(procs, s->cpus_per_proc,
					 cs_layout_threads(node, s->threads));
	uint32_t least = least_cores(s, node);

	return cores > least ? cores : least;
}

uint32_t cs_job_cores(const struct cs_job *j, const struct cs_node *node,
		      uint32_t procs)
{
	return cs_layout_cores(procs, j->cpus_per_proc,
			       cs_layout_threads(node, j->threads));
}

/* Processes that @cores cores of @node hold. */
static uint32_t procs_on(const struct cs_shape *s, const struct cs_node *node,
			 uint32_t cores)
{
	if (cores < least_cores(s, node))
		return 0;
	return cs_layout_procs(cores, s->cpus_per_proc,
			       cs_layout_threads(node, s->threads));
}

/* Memory that a core of @node costs a job with memory a hardware thread. */
static uint64_t core_mb(const struct cs_node *node, const struct cs_shape *s)
{
	return s->mem_cpu_mb * cs_layout_threads(node, s->mem_threads);
}

uint64_t cs_layout_memory(const struct cs_node *node, const struct cs_shape *s,
			  uint32_t procs)
{
	uint32_t cores = s->exclusive ? cs_node_cores(node)
				      : cs_shape_cores(s, node, procs);

	if (s->mem_node_mb == CS_MEM_ALL)
		return node->memory_mb;
	if (s->mem_node_mb)
		return s->mem_node_mb;
	return core_mb(node, s) * cores;
}

/* The most processes, at most @procs, that fit in @free_mb. */
static uint32_t fit_memory(const struct cs_node *node, const struct cs_shape *s,
			   uint32_t procs, uint64_t free_mb)
{
	if (!s->mem_node_mb && s->mem_cpu_mb && !s->exclusive) {
		uint64_t cores = free_mb / core_mb(node, s);
		uint32_t fit;

		if (cores >= cs_node_cores(node))
			return procs;
		fit = procs_on(s, node, (uint32_t)cores);
		return fit < procs ? fit : procs;
	}
	return cs_layout_memory(node, s, procs) <= free_mb ? procs : 0;
}

/* Set quota and nodes for at most @ppn processes a node, evenly spread. */
static bool shape_nodes(struct cs_shape *s, const struct cs_job *j,
			const struct cs_node *node, uint32_t ppn)
{
	uint32_t most = cs_layout_dense_ppn(j, node);
	uint32_t fill = j->least_cpus / j->cpus_per_proc; /* it has those */

	if (j->procs_per_node)
		ppn = j->procs_per_node;
	else if (ppn < fill)
		ppn = fill < most ? fill : most;
	if (ppn > j->procs)
		ppn = j->procs;
	if (!j->procs_per_node && node->memory_mb)
		ppn = fit_memory(node, s, ppn, node->memory_mb);
	if (!ppn || ppn > most || least_cores(s, node) > cs_node_cores(node))
		return false;
	s->nodes = cs_div_up(j->procs, ppn);
	if (s->nodes < j->min_nodes)
		s->nodes = j->min_nodes;
	if (s->nodes > j->procs || (j->max_nodes && s->nodes > j->max_nodes))
		return false;
	s->quota = j->procs_per_node ? ppn : cs_div_up(j->procs, s->nodes);
	return true;
}

/* More processes a node where the user limits the nodes. */
static uint32_t ppn_for_max_nodes(const struct cs_job *j, uint32_t ppn)
{
	uint32_t least = j->max_nodes ? cs_div_up(j->procs, j->max_nodes) : 1;

	return ppn < least ? least : ppn;
}

bool cs_shape_space(struct cs_shape *s, const struct cs_job *j,
		    const struct cs_node *node, uint32_t ppn)
{
	shape_init(s, j, node, CS_SHAPE_SPACE);
	return shape_nodes(s, j, node, ppn_for_max_nodes(j, ppn));
}

bool cs_shape_shared(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node, uint32_t jobs_per_node)
{
	uint32_t part = node->cores_per_socket / jobs_per_node;
	uint32_t cores = node->sockets * (part ? part : 1);

	shape_init(s, j, node, CS_SHAPE_SHARED);
	if (s->exclusive)
		return false;
	return shape_nodes(s, j, node,
			   cs_layout_procs(cores, j->cpus_per_proc,
					   cs_layout_threads(node,
							     j->threads)));
}

bool cs_shape_packed(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node)
{
	bool whole = j->flags & CS_JOB_EXCLUSIVE;
	uint32_t dense = cs_layout_dense_ppn(j, node);

	if (!j->procs_per_node && !whole && j->max_nodes != 1)
		return cs_shape_uneven(s, j, node, false);
	if (!j->procs_per_node && j->min_nodes == 1 && !j->max_nodes)
		return cs_shape_uneven(s, j, node, whole);
	shape_init(s, j, node, whole ? CS_SHAPE_SPACE : CS_SHAPE_PACKED);
	return shape_nodes(s, j, node, ppn_for_max_nodes(j, dense));
}

bool cs_shape_uneven(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node, bool whole)
{
	shape_init(s, j, node, whole ? CS_SHAPE_SPACE : CS_SHAPE_PACKED);
	s->even = false;
	s->quota = cs_layout_dense_ppn(j, node);
	s->nodes = j->min_nodes;
	return s->quota && least_cores(s, node) <= cs_node_cores(node) &&
	       s->nodes <= s->procs &&
	       (!s->max_nodes || s->nodes <= s->max_nodes);
}

uint32_t cs_layout_dense_ppn(const struct cs_job *j, const struct cs_node *node)
{
	uint32_t p = cs_layout_procs(cs_node_cores(node), j->cpus_per_proc,
				     cs_layout_threads(node, j->threads));

	return p < j->procs ? p : j->procs;
}

/* limit(p) of rule 3, for a layout that takes @cores cores of a node. */
static double self_limit(const struct cs_params *p, uint32_t cores,
			 const struct cs_node *node)
{
	uint32_t all = cs_node_cores(node), s = node->sockets;

	if (cores >= all)
		return p->max_slowdown;
	if (cores <= s)
		return p->self_slowdown2;
	return p->self_slowdown2 + (p->max_slowdown - p->self_slowdown2) *
					   (cores - s) / (all - s);
}

uint32_t cs_layout_model_ppn(const struct cs_params *p,
			     const struct cs_slowdown *m,
			     const struct cs_job *j, struct cs_who who,
			     const struct cs_node *node)
{
	uint32_t most = cs_layout_procs(cs_node_cores(node), j->cpus_per_proc,
					cs_layout_threads(node, j->threads));

	if (j->procs == 1)
		return 1;
	for (uint32_t ppn = most - most % node->sockets; ppn > 1;
	     ppn -= node->sockets) {
		uint32_t cores = cs_job_cores(j, node, ppn);

		if (cs_slowdown_self(m, who, cores, node->sockets,
				     cs_node_cores(node)) <=
		    self_limit(p, cores, node))
			return ppn < j->procs ? ppn : j->procs;
		if (ppn <= node->sockets)
			break;
	}
	return 1;
}

uint32_t cs_layout_fit(const struct cs_occ *o, uint32_t n,
		       const struct cs_shape *s)
{
	const struct cs_occ_node *on = &o->node[n];
	const struct cs_node *node = &o->machine->node[n];
	uint32_t procs;

	if (cs_bit(o->down, n) || on->exclusive ||
	    (s->kind == CS_SHAPE_SPACE && !cs_occ_empty(on)) ||
	    (s->kind == CS_SHAPE_PACKED &&
	     (on->counted || !cs_occ_owned(on, s->owner))) ||
	    (s->kind == CS_SHAPE_SHARED &&
	     (s->among_packed
		      ? on->counted || !cs_occ_owned(on, s->owner)
		      : on->packed)))
		return 0;
	procs = procs_on(s, node, on->free_cores);
	if (procs > s->quota)
		procs = s->quota;
	return procs ? fit_memory(node, s, procs, cs_occ_free_mb(o, n)) : 0;
}

/* Of the 64 nodes from @w * 64 on, those of @allowed that need a closer look. */
static uint64_t worth(const struct cs_occ *o, const struct cs_shape *s,
		      const uint64_t *allowed, uint32_t w)
{
	uint64_t set = allowed[w] & ~o->down[w];

	return s->kind == CS_SHAPE_SPACE ? set & o->empty[w] : set;
}

/* The first node of @set, which is not empty and goes out of it. */
static uint32_t pop(uint64_t *set)
{
	uint32_t i = (uint32_t)__builtin_ctzll(*set);

	*set &= *set - 1;
	return i;
}

/* The topology that decides whether a job of shape @s fits; NULL: none does. */
static const struct cs_topology *parted(const struct cs_machine *m,
					const struct cs_shape *s)
{
	return m->topology && !m->topology->whole && !s->anywhere ? m->topology
								  : NULL;
}

/* What shape @s asks of the nodes of t->look, of which each takes t->fit. */
static struct cs_topology_ask ask_for(const struct cs_topology *t,
				      const struct cs_shape *s)
{
	return (struct cs_topology_ask){
		.set = t->look,
		.fit = s->even ? NULL : t->fit,
		.want = s->even ? s->nodes : s->procs,
		.nodes = s->nodes,
	};
}

/* Note that node @n takes @fit processes of shape @s. */
static void note(const struct cs_topology *t, const struct cs_shape *s,
		 uint32_t n, uint32_t fit)
{
	t->fit[n] = fit;
	if (s->even ? fit >= s->quota : fit)
		cs_bit_set(t->look, n);
}

/* Is an uneven shape's number of nodes given? */
static bool counts_nodes(const struct cs_shape *s)
{
	return !s->even && s->nodes > 1;
}

/* Is it so, or bounded? */
static bool bounds_nodes(const struct cs_shape *s)
{
	return counts_nodes(s) || (!s->even && s->max_nodes);
}

/* Do the nodes of t->look in @set, max_nodes of them at most, hold an uneven shape?
 * *ret_nodes: how many they are.  O(nodes) for each number of processes that one
 * takes, until there are enough. */
static bool set_holds(const struct cs_topology *t, const struct cs_shape *s,
		      const uint64_t *set, uint32_t *ret_nodes)
{
	uint32_t most = s->max_nodes ? s->max_nodes : t->n_node;
	uint32_t fit = UINT32_MAX, next = 1;
	uint64_t procs = 0;

	*ret_nodes = 0;
	for (; next && most && procs < s->procs; fit = next) {
		next = *ret_nodes = 0;
		for (uint32_t w = 0; w < t->words; w++)
			for (uint64_t x = set[w] & t->look[w]; x;) {
				uint32_t k = t->fit[w * 64 + pop(&x)];

				++*ret_nodes;
				if (k == fit && most) {
					procs += k;
					most--;
				} else if (k < fit && k > next) {
					next = k;
				}
			}
	}
	return *ret_nodes >= s->nodes && procs >= s->procs;
}

/* The highest level of groups that a job of @nodes nodes may be put in. */
static uint32_t highest(const struct cs_topology *t, uint32_t nodes)
{
	const uint32_t *part;

	if (!t->block || !cs_topology_parts(t, nodes, &part))
		return UINT32_MAX;
	return t->group[part[0]].level;
}

/* Of the groups that a job may have the whole of and whose nodes of t->look hold an
 * uneven shape the smallest, with the fewest of them; NULL: none does. */
static const struct cs_group *group_for(const struct cs_topology *t,
					const struct cs_shape *s)
{
	const struct cs_group *best = NULL, *loose = cs_topology_loose(t);
	uint32_t fewest = 0, nodes, most = highest(t, s->nodes);

	for (uint32_t i = 0; i < t->n_group; i++) {
		const struct cs_group *g = &t->group[i];

		if (g->level > most || !set_holds(t, s, g->nodes, &nodes))
			continue;
		if (!best || g->level < best->level ||
		    (g->level == best->level && nodes < fewest)) {
			best = g;
			fewest = nodes;
		}
	}
	return best || !loose || !set_holds(t, s, loose->nodes, &nodes) ? best
									: loose;
}

/* Do the nodes of t->look hold shape @s in one part? */
static bool one_part_holds(const struct cs_topology *t, const struct cs_shape *s)
{
	struct cs_topology_ask a = ask_for(t, s);

	return cs_topology_holds(t, &a) && (!bounds_nodes(s) || group_for(t, s));
}

static void forget(const struct cs_topology *t)
{
	memset(t->look, 0, t->words * sizeof(*t->look));
}

/* May it be on any empty node that is up, and on no other? */
static bool any_empty(const struct cs_machine *m, const struct cs_shape *s)
{
	return m->alike && s->kind == CS_SHAPE_SPACE && s->even &&
	       !s->mem_node_mb && !s->mem_cpu_mb;
}

bool cs_layout_plain(const struct cs_machine *m, const struct cs_shape *s)
{
	return any_empty(m, s) && !parted(m, s);
}

/* Processes of shape @s that an empty node takes. */
static uint32_t fit_empty(const struct cs_node *node, const struct cs_shape *s)
{
	uint32_t fit = procs_on(s, node, cs_node_cores(node));

	if (fit > s->quota)
		fit = s->quota;
	if (fit && node->memory_mb)
		fit = fit_memory(node, s, fit, node->memory_mb);
	return fit;
}

/* Do max_nodes of the nodes of @allowed that are not in @down hold an uneven shape,
 * in @o or (NULL) empty?  O(nodes) for each number of processes that nodes take. */
static bool few_hold(const struct cs_machine *m, const struct cs_occ *o,
		     const uint64_t *down, const struct cs_shape *s,
		     const uint64_t *allowed)
{
	uint32_t fit = UINT32_MAX, left = s->max_nodes;
	uint64_t procs = 0;

	while (fit && left && procs < s->procs) {
		uint32_t next = 0;

		for (uint32_t n = 0; n < m->n_node; n++) {
			uint32_t k;

			if (!cs_bit(allowed, n) || (down && cs_bit(down, n)))
				continue;
			k = o ? cs_layout_fit(o, n, s)
			      : fit_empty(&m->node[n], s);
			if (k == fit && left) {
				procs += k;
				left--;
			} else if (k < fit && k > next) {
				next = k;
			}
		}
		fit = next;
	}
	return procs >= s->procs;
}

/* Are @nodes nodes enough that take @procs processes, be they all or more than the
 * shape may have? */
static bool enough(const struct cs_shape *s, uint32_t nodes, uint64_t procs)
{
	return nodes >= s->nodes && (s->even || procs >= s->procs);
}

static bool too_many(const struct cs_shape *s, uint32_t nodes)
{
	return !s->even && s->max_nodes && nodes > s->max_nodes;
}

static bool fits_part(const struct cs_topology *t, const struct cs_occ *o,
		      const struct cs_shape *s, const uint64_t *allowed)
{
	bool plain = any_empty(o->machine, s);

	forget(t);
	for (uint32_t w = 0; plain && w < t->words; w++)
		t->look[w] = worth(o, s, allowed, w);
	for (uint32_t w = 0; !plain && w < t->words; w++)
		for (uint64_t set = worth(o, s, allowed, w); set;) {
			uint32_t n = w * 64 + pop(&set);

			note(t, s, n, cs_layout_fit(o, n, s));
		}
	return one_part_holds(t, s);
}

bool cs_layout_fits(const struct cs_occ *o, const struct cs_shape *s,
		    const uint64_t *allowed)
{
	const struct cs_topology *t = parted(o->machine, s);
	bool plain = cs_layout_plain(o->machine, s);
	uint64_t procs = 0;
	uint32_t nodes = 0;

	if (cs_layout_crowded(o, s))
		return false;
	if (t)
		return fits_part(t, o, s, allowed);
	for (uint32_t w = 0; w < cs_node_words(o->machine); w++) {
		uint64_t set = worth(o, s, allowed, w);

		if (plain) {
			nodes += cs_popcount(set);
			set = 0;
		}
		while (set) {
			uint32_t fit = cs_layout_fit(o, w * 64 + pop(&set), s);

			procs += fit;
			nodes += s->even ? fit >= s->quota : fit > 0;
		}
		if (enough(s, nodes, procs) && !too_many(s, nodes))
			return true;
	}
	return enough(s, nodes, procs) &&
	       few_hold(o->machine, o, o->down, s, allowed);
}

uint32_t cs_layout_count(const struct cs_occ *o, const struct cs_shape *s,
			 const uint64_t *allowed, uint64_t *ret_nodes)
{
	bool plain = any_empty(o->machine, s);
	uint32_t least = s->even ? s->quota : 1, k = 0;

	for (uint32_t w = 0; w < cs_node_words(o->machine); w++) {
		uint64_t set = worth(o, s, allowed, w), fit = set;

		while (!plain && set) {
			uint32_t n = pop(&set);

			if (cs_layout_fit(o, w * 64 + n, s) < least)
				fit &= ~(UINT64_C(1) << n);
		}
		if (ret_nodes)
			ret_nodes[w] = fit;
		k += cs_popcount(fit);
	}
	return k;
}

bool cs_layout_could(const struct cs_node *node, const struct cs_shape *s)
{
	return fit_empty(node, s) >= (s->even ? s->quota : 1);
}

static bool part_holds(const struct cs_topology *t, const struct cs_machine *m,
		       const uint64_t *down, const struct cs_shape *s,
		       const uint64_t *allowed)
{
	forget(t);
	for (uint32_t n = 0; n < m->n_node; n++)
		if (cs_bit(allowed, n) && !(down && cs_bit(down, n)))
			note(t, s, n, fit_empty(&m->node[n], s));
	return one_part_holds(t, s);
}

bool cs_layout_holds(const struct cs_machine *m, const uint64_t *down,
		     const struct cs_shape *s, const uint64_t *allowed)
{
	const struct cs_topology *t = parted(m, s);
	bool plain = cs_layout_plain(m, s);
	uint64_t procs = 0;
	uint32_t nodes = 0;

	if (t)
		return part_holds(t, m, down, s, allowed);

	for (uint32_t w = 0; w < cs_node_words(m); w++) {
		uint64_t set = allowed[w] & ~(down ? down[w] : 0);

		if (plain) {
			nodes += cs_popcount(set);
			set = 0;
		}
		while (set) {
			uint32_t fit = fit_empty(&m->node[w * 64 + pop(&set)],
						 s);

			procs += fit;
			nodes += s->even ? fit >= s->quota : fit > 0;
		}
		if (enough(s, nodes, procs) && !too_many(s, nodes))
			return true;
	}
	return enough(s, nodes, procs) &&
	       few_hold(m, NULL, down, s, allowed);
}

/* The free core that process comes next to, by rule 5; -1: none. */
static int next_core(const struct cs_node *node, const uint64_t *used,
		     const uint64_t *mine, bool packed)
{
	uint32_t per = node->cores_per_socket, best = 0, best_mine = 0,
		 best_free = 0;
	bool found = false;

	for (uint32_t s = 0; s < node->sockets; s++) {
		uint32_t own = 0, free_n = 0;

		for (uint32_t c = s * per; c < (s + 1) * per; c++) {
			own += cs_bit(mine, c);
			free_n += !cs_bit(used, c) && !cs_bit(mine, c);
		}
		if (!free_n)
			continue;
		if (!found || (!packed && (own < best_mine ||
					   (own == best_mine &&
					    free_n > best_free)))) {
			found = true;
			best = s;
			best_mine = own;
			best_free = free_n;
		}
	}
	if (!found)
		return -1;
	for (uint32_t c = best * per;; c++)
		if (!cs_bit(used, c) && !cs_bit(mine, c))
			return (int)c;
}

/* Give @a's @i-th node, for @procs processes, its cores. */
static bool take_cores(const struct cs_occ *o, const struct cs_shape *s,
		       struct cs_alloc *a, uint32_t i, uint32_t procs)
{
	uint32_t n = a->node[i].node;
	const struct cs_node *node = &o->machine->node[n];
	uint64_t *mine = cs_alloc_cores(a, i);
	uint32_t want = s->exclusive ? cs_node_cores(node)
				     : cs_shape_cores(s, node, procs);

	a->node[i].procs = procs;
	a->node[i].mem_mb = cs_layout_memory(node, s, procs);
	if (want == o->node[n].free_cores) {
		for (uint32_t w = 0; w < a->words; w++)
			mine[w] = cs_node_all_cores(node, w) &
				  ~cs_occ_used(o, n)[w];
		return true;
	}
	while (want--) {
		int c = next_core(node, cs_occ_used(o, n), mine,
				  s->kind == CS_SHAPE_PACKED);

		if (c < 0)
			return false;
		cs_bit_set(mine, (uint32_t)c);
	}
	return true;
}

/* Nodes @from to @end - 1 get the same as the one before them, which is equal. */
static void take_same(struct cs_alloc *a, uint32_t from, uint32_t end)
{
	const uint64_t words = a->words;
	const struct cs_alloc_node *like = &a->node[from - 1];

	for (struct cs_alloc_node *x = a->node + from; x < a->node + end; x++) {
		x->procs = like->procs;
		x->mem_mb = like->mem_mb;
	}
	for (uint64_t w = from * words; w < end * words; w++)
		a->cores[w] = a->cores[w - words];
}

/* Processes on a node that holds @fit of them at most, where @left are left and
 * @keep nodes follow, one for each of which is kept; 0: too few are left. */
static inline uint32_t part_of(uint32_t left, uint32_t keep, uint32_t fit)
{
	uint32_t procs = left > keep ? left - keep : left != 0;

	return procs < fit ? procs : fit;
}

/* The same where @nodes nodes are to get alike, this and others that hold @after of
 * them at most. */
static uint32_t share_of(uint32_t left, uint32_t nodes, uint32_t fit,
			 uint64_t after)
{
	uint32_t procs = cs_div_up(left, nodes);

	if (after < left && procs < left - after)
		procs = (uint32_t)(left - after);
	return procs < fit ? procs : fit;
}

/* Processes that the nodes of @a hold; 0: never mind, they get no equal shares. */
static uint64_t fit_all(const struct cs_occ *o, const struct cs_shape *s,
			const struct cs_alloc *a)
{
	uint64_t procs = 0;

	if (s->even || s->nodes < 2)
		return 0;
	for (uint32_t i = 0; i < a->n_node; i++)
		procs += cs_layout_fit(o, a->node[i].node, s);
	return procs;
}

/* Lay the job out on the nodes of @a, which are equal and empty if @alike: false,
 * there is no room. */
static bool lay_out(const struct cs_occ *o, const struct cs_shape *s,
		    struct cs_alloc *a, bool alike)
{
	const uint32_t n = a->n_node, quota = s->quota;
	uint64_t after = fit_all(o, s, a);
	bool counted = after > 0;
	uint32_t left = s->procs;

	for (uint32_t i = 0, k; i < n; i = k) {
		uint32_t fit = alike ? quota
				     : cs_layout_fit(o, a->node[i].node, s);
		uint32_t procs;

		after -= counted ? fit : 0;
		procs = counted ? share_of(left, n - i, fit, after)
				: part_of(left, n - i - 1, fit);
		if (!procs || !take_cores(o, s, a, i, procs))
			return false;
		left -= procs;
		for (k = i + 1; alike && k < n &&
				part_of(left, n - k - 1, quota) == procs; k++)
			left -= procs;
		take_same(a, i + 1, k);
	}
	return !left;
}

static bool all_empty(const struct cs_occ *o, const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		if (!cs_bit(o->empty, a->node[i].node) ||
		    cs_bit(o->down, a->node[i].node))
			return false;
	return true;
}

/* May a job of shape @s be on all nodes of @a? */
static bool joined(const struct cs_machine *m, const struct cs_shape *s,
		   const struct cs_alloc *a)
{
	const struct cs_topology *t = parted(m, s);

	if (!t)
		return true;
	forget(t);
	cs_alloc_mark(a, t->look);
	return cs_topology_joins(t, t->look);
}

struct cs_alloc *cs_layout_on(const struct cs_occ *o, const struct cs_shape *s,
			      const uint32_t *node, uint32_t n, bool *ret_nomem)
{
	struct cs_alloc *a = cs_alloc_create(n, o->machine->words);

	*ret_nomem = !a;
	for (uint32_t i = 0; a && i < n; i++)
		a->node[i].node = node[i];
	if (a)
		a->owner = s->owner;
	if (a && (!joined(o->machine, s, a) ||
		  !lay_out(o, s, a,
			   any_empty(o->machine, s) &&
				   all_empty(o, a)))) {
		cs_alloc_free(a);
		a = NULL;
	}
	return a;
}

struct candidate {
	uint32_t node, fit;
	uint64_t cost; /* weight, then crowd: the lower is used first */
};

static uint64_t cost_of(const struct cs_occ *o, uint32_t n)
{
	return (uint64_t)o->machine->node[n].weight << 16 |
	       (o->crowd ? o->crowd[n] : 0);
}

static int by_cost(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int by_room(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->fit != b->fit)
		return a->fit > b->fit ? -1 : 1;
	return by_cost(x, y);
}

static int by_node(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

void cs_layout_sort(uint32_t *node, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (node[i] < node[i - 1]) {
			qsort(node, n, sizeof(*node), by_node);
			return;
		}
}

/* The node with the least free cores that holds the whole job, lowest weight
 * first; -1: none does. */
static int64_t tightest(const struct cs_occ *o, const struct cs_shape *s,
			const struct candidate *c, uint32_t n)
{
	const struct candidate *best = NULL;

	for (uint32_t i = 0; i < n; i++) {
		const struct cs_node *node = o->machine->node;

		if (c[i].fit < s->procs)
			continue;
		if (!best || node[c[i].node].weight < node[best->node].weight ||
		    (node[c[i].node].weight == node[best->node].weight &&
		     o->node[c[i].node].free_cores <
			     o->node[best->node].free_cores))
			best = &c[i];
	}
	return best ? (int64_t)best->node : -1;
}

/* The same where there is a topology: of equal nodes the one below the switch with
 * the fewest candidates. */
static int64_t tightest_near(const struct cs_topology *t, const struct cs_occ *o,
			     const struct cs_shape *s,
			     const struct candidate *c, uint32_t n)
{
	const struct cs_node *node = o->machine->node;
	int64_t first = tightest(o, s, c, n);
	uint32_t best;

	if (first < 0)
		return first;
	memset(t->have, 0, t->words * sizeof(*t->have));
	forget(t);
	for (uint32_t i = 0; i < n; i++) {
		cs_bit_set(t->look, c[i].node);
		if (c[i].fit >= s->procs &&
		    node[c[i].node].weight == node[first].weight &&
		    o->node[c[i].node].free_cores == o->node[first].free_cores)
			cs_bit_set(t->have, c[i].node);
	}
	best = cs_topology_tightest(t, t->have, t->look);
	return best == UINT32_MAX ? first : best;
}

/* Put the @want cheapest of the candidates, which are in the order of nodes, into
 * the node set @ret.  O(n) for each cost that comes up. */
static void cheapest(const struct candidate *c, uint32_t n, uint32_t want,
		     uint64_t *ret)
{
	uint64_t cost = 0, next;

	for (; want; cost = next) {
		next = UINT64_MAX;
		for (uint32_t i = 0; i < n && want; i++) {
			if (c[i].cost == cost) {
				cs_bit_set(ret, c[i].node);
				want--;
			} else if (c[i].cost > cost && c[i].cost < next) {
				next = c[i].cost;
			}
		}
	}
}

/* The same for an uneven shape that needs so many nodes, if they have room; else
 * false, and @ret stays. */
static bool cheapest_hold(const struct cs_shape *s, const struct candidate *c,
			  uint32_t n, uint32_t words, uint64_t *ret)
{
	uint64_t procs = 0;

	if (s->nodes < 2 || n < s->nodes)
		return false;
	cheapest(c, n, s->nodes, ret);
	for (uint32_t i = 0; i < n; i++)
		procs += cs_bit(ret, c[i].node) ? c[i].fit : 0;
	if (procs >= s->procs)
		return true;
	memset(ret, 0, words * sizeof(*ret));
	return false;
}

/* Nodes of t->look that are near each other, and have room for shape @s, into @ret,
 * which is clear: the best fit where that does, else the smallest group. */
static bool near(const struct cs_topology *t, const struct cs_shape *s,
		 const uint64_t *cost, uint64_t *ret)
{
	struct cs_topology_ask a = ask_for(t, s);
	const struct cs_group *g;
	uint32_t nodes;

	a.cost = cost;
	if (counts_nodes(s)) {
		a.fit = NULL;
		a.want = s->nodes;
	}
	if ((!counts_nodes(s) || t->block) && cs_topology_choose(t, &a, ret) &&
	    (!bounds_nodes(s) || set_holds(t, s, ret, &nodes)))
		return true;
	g = bounds_nodes(s) ? group_for(t, s) : NULL;
	if (g)
		memcpy(ret, g->nodes, t->words * sizeof(*ret));
	return g != NULL;
}

/* Of the candidates leave those that are near each other, in one part; how many
 * they are, 0: they do not do.  @ret: scratch, clear before and after. */
static uint32_t nearest(const struct cs_occ *o, const struct cs_shape *s,
			struct candidate *c, uint32_t n, uint64_t *ret)
{
	const struct cs_topology *t = o->machine->topology;
	const uint64_t *cost = o->crowd || !o->machine->level ? t->cost : NULL;
	uint32_t k = 0;

	forget(t);
	for (uint32_t i = 0; i < n; i++) {
		t->cost[c[i].node] = c[i].cost;
		note(t, s, c[i].node, c[i].fit);
	}
	if (!near(t, s, cost, ret))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (cs_bit(ret, c[i].node))
			c[k++] = c[i];
	memset(ret, 0, t->words * sizeof(*ret));
	return k;
}

/* Those of the candidates that are below some switch; how many. */
static uint32_t members(const struct cs_topology *t, struct candidate *c,
			uint32_t n)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		if (t->block || cs_bit(t->member, c[i].node))
			c[k++] = c[i];
	return k;
}

/* Put those of the candidates that are taken into the node set @ret, and say how
 * many they are; 0: they do not do. */
static uint32_t pick(const struct cs_occ *o, const struct cs_shape *s,
		     struct candidate *c, uint32_t n, uint64_t *ret)
{
	const struct cs_topology *t = s->anywhere ? NULL : o->machine->topology;
	uint64_t procs = 0;
	int64_t whole;

	if (t)
		n = s->even ? nearest(o, s, c, n, ret) : members(t, c, n);
	if (s->even) {
		if (n >= s->nodes)
			cheapest(c, n, s->nodes, ret);
		return n >= s->nodes ? s->nodes : 0;
	}
	whole = s->nodes > 1 ? -1
		: t	     ? tightest_near(t, o, s, c, n)
			     : tightest(o, s, c, n);
	if (whole >= 0) {
		cs_bit_set(ret, (uint32_t)whole);
		return 1;
	}
	if (t)
		n = nearest(o, s, c, n, ret);
	if (cheapest_hold(s, c, n, cs_node_words(o->machine), ret))
		return s->nodes;
	qsort(c, n, sizeof(*c), by_room);
	for (uint32_t i = 0; i < n && !too_many(s, i + 1); i++) {
		cs_bit_set(ret, c[i].node);
		procs += c[i].fit;
		if (enough(s, i + 1, procs))
			return i + 1;
	}
	return 0;
}

bool cs_layout_near(const struct cs_occ *o, const uint32_t *node, uint32_t n,
		    uint32_t more, uint64_t *set)
{
	const struct cs_topology *t = o->machine->topology;
	struct cs_topology_ask a = { .set = t ? t->look : NULL,
				     .with = t ? t->have : NULL,
				     .want = (uint64_t)n + more,
				     .nodes = n + more };

	if (!t || !more)
		return true;
	memset(t->have, 0, t->words * sizeof(*t->have));
	for (uint32_t i = 0; i < n; i++)
		cs_bit_set(t->have, node[i]);
	for (uint32_t w = 0; w < t->words; w++)
		t->look[w] = set[w] | t->have[w];
	if (o->crowd || !o->machine->level)
		a.cost = t->cost;
	for (uint32_t i = 0; a.cost && i < t->n_node; i++)
		t->cost[i] = cost_of(o, i);
	if (!cs_topology_choose(t, &a, t->look))
		return false;
	for (uint32_t w = 0; w < t->words; w++)
		set[w] &= t->look[w] & ~t->have[w];
	return true;
}

/* Is any node that can take its part of the shape as good as any other? */
static bool any_does(const struct cs_occ *o, const struct cs_shape *s)
{
	return s->even && !o->crowd && o->machine->level &&
	       !o->machine->topology;
}

/* The nodes of @allowed that can take a part of shape @s, in increasing order;
 * no more than are needed where one is as good as the other. */
static uint32_t candidates(const struct cs_occ *o, const struct cs_shape *s,
			   const uint64_t *allowed, struct candidate *c)
{
	bool plain = any_empty(o->machine, s), any = any_does(o, s);
	uint32_t n = 0;

	for (uint32_t w = 0; w < cs_node_words(o->machine); w++) {
		uint64_t set = worth(o, s, allowed, w);

		while (set) {
			uint32_t i = w * 64 + pop(&set);
			uint32_t fit = plain ? s->quota
					     : cs_layout_fit(o, i, s);

			if (s->even ? fit < s->quota : !fit)
				continue;
			c[n++] = (struct candidate){ i, fit, cost_of(o, i) };
			if (any && n == s->nodes)
				return n;
		}
	}
	return n;
}

/* The first empty nodes of @allowed, for a plain shape. */
static struct cs_alloc *first_empty(const struct cs_occ *o,
				    const struct cs_shape *s,
				    const uint64_t *allowed, bool *ret_nomem)
{
	struct cs_alloc *a;
	uint32_t n = 0;

	if (!cs_layout_fits(o, s, allowed))
		return NULL;
	a = cs_alloc_create(s->nodes, o->machine->words);
	*ret_nomem = !a;
	for (uint32_t w = 0; a && n < s->nodes; w++)
		for (uint64_t set = worth(o, s, allowed, w);
		     set && n < s->nodes;)
			a->node[n++].node = w * 64 + pop(&set);
	if (a && !lay_out(o, s, a, true)) {
		cs_alloc_free(a);
		a = NULL;
	}
	return a;
}

/* Is only the topology to be minded, for which one empty node is like another? */
static bool alike(const struct cs_occ *o, const struct cs_shape *s)
{
	const struct cs_machine *m = o->machine;

	return m->topology && !s->anywhere && any_empty(m, s) && m->level &&
	       !o->crowd;
}

/* Then: those that are near each other into the node set @ret, and how many; 0: they
 * do not do. */
static uint32_t near_empty(const struct cs_occ *o, const struct cs_shape *s,
			   const uint64_t *allowed, uint64_t *ret)
{
	const struct cs_topology *t = o->machine->topology;
	struct cs_topology_ask a = ask_for(t, s);

	for (uint32_t w = 0; w < t->words; w++)
		t->look[w] = worth(o, s, allowed, w);
	return cs_topology_choose(t, &a, ret) ? s->nodes : 0;
}

struct cs_alloc *cs_layout_choose(const struct cs_occ *o,
				  const struct cs_shape *s,
				  const uint64_t *allowed, bool *ret_nomem)
{
	uint32_t n_node = o->machine->n_node, words = cs_node_words(o->machine);
	uint32_t take, n = 0, *node;
	struct cs_alloc *a = NULL;
	struct candidate *c;
	uint64_t *chosen;

	*ret_nomem = false;
	if (cs_layout_crowded(o, s))
		return NULL;
	if (any_does(o, s) && cs_layout_plain(o->machine, s))
		return first_empty(o, s, allowed, ret_nomem);
	c = malloc(n_node * (sizeof(*c) + sizeof(*node)) +
		   words * sizeof(*chosen));
	*ret_nomem = !c;
	if (!c)
		return NULL;
	chosen = (uint64_t *)(void *)(c + n_node);
	node = (uint32_t *)(void *)(chosen + words);
	memset(chosen, 0, words * sizeof(*chosen));
	take = alike(o, s) ? near_empty(o, s, allowed, chosen)
			   : pick(o, s, c, candidates(o, s, allowed, c),
				  chosen);
	for (uint32_t w = 0; take && w < words; w++)
		for (uint64_t set = chosen[w]; set;)
			node[n++] = w * 64 + pop(&set);
	if (take)
		a = cs_layout_on(o, s, node, take, ret_nomem);
	free(c);
	return a;
}

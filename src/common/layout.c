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
 *     For any node: the largest p with SL(p) <= limit(p), where limit is SELF_SL2
 *     up to one process a socket, MAX_SL on all cores, and linear between:
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
 *     than there is, it is laid out more, or less, densely: what can run is not
 *     kept waiting for a better layout.
 *  7. A core is given whole: with t hardware threads it holds t / cpus_per_proc
 *     processes, and nobody else's.
 *
 * Source: 000 (see slowdown.h), sections 4.3, 4.8 (equation 8), 4.9.
 *
 * Differs.
 *  1. The paper's PPN is 1, 2 or 4; here any count (rule 3).
 *  2. Where nodes differ, the layout is made for the smallest that a job may
 *     use: it then fits on all of them and PPN is one number.  A job that nodes
 *     of that size cannot hold gets the layout of the next larger ones, and so
 *     on; a packed job takes what each node has.
 *
 * Example: self slowdowns 1, 1.05, 1.2 at 1, 2, 4 processes give PPN 4; 1, 1.05,
 * 1.4 give 2; 1, 1.15, 1.4 give 1.
 *
 * Cost: O(M) for a layout, O(nodes) for a fit, O(nodes log nodes) to choose.
 */
#include "layout.h"

#include <stdlib.h>
#include <string.h>

const struct cs_node *cs_layout_node(const struct cs_machine *m,
				     const uint64_t *allowed)
{
	const struct cs_node *least = NULL;

	for (uint32_t n = 0; n < m->n_node; n++)
		if (cs_bit(allowed, n) &&
		    (!least ||
		     cs_node_cores(&m->node[n]) < cs_node_cores(least)))
			least = &m->node[n];
	return least;
}

const struct cs_node *cs_layout_larger(const struct cs_machine *m,
				       const uint64_t *allowed,
				       const struct cs_node *node)
{
	const struct cs_node *next = NULL;

	for (uint32_t n = 0; n < m->n_node; n++)
		if (cs_bit(allowed, n) &&
		    cs_node_cores(&m->node[n]) > cs_node_cores(node) &&
		    (!next ||
		     cs_node_cores(&m->node[n]) < cs_node_cores(next)))
			next = &m->node[n];
	return next;
}

static uint32_t div_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

static void shape_init(struct cs_shape *s, const struct cs_job *j,
		       const struct cs_node *node, enum cs_shape_kind kind)
{
	*s = (struct cs_shape){
		.kind = kind,
		.exclusive = (j->flags & CS_JOB_EXCLUSIVE) != 0,
		.even = true,
		.procs = j->procs,
		.max_nodes = j->max_nodes,
		.cpus_per_proc = j->cpus_per_proc,
		.mem_node_mb = j->mem_node_mb,
		.mem_cpu_mb = j->mem_cpu_mb,
		.like = node,
		.sockets = node->sockets,
		.cores = cs_node_cores(node),
	};
}

/* Memory that @procs processes need on a node. */
static uint64_t memory_of(const struct cs_node *node, const struct cs_shape *s,
			  uint32_t procs)
{
	uint32_t cores = s->exclusive
				 ? cs_node_cores(node)
				 : cs_layout_cores(procs, s->cpus_per_proc,
						   node->threads);

	if (s->mem_node_mb == CS_MEM_ALL)
		return node->memory_mb;
	if (s->mem_node_mb)
		return s->mem_node_mb;
	return s->mem_cpu_mb * cores * node->threads;
}

/* The most processes, at most @procs, that fit in @free_mb. */
static uint32_t fit_memory(const struct cs_node *node, const struct cs_shape *s,
			   uint32_t procs, uint64_t free_mb)
{
	if (!s->mem_node_mb && s->mem_cpu_mb && !s->exclusive) {
		uint64_t core_mb = s->mem_cpu_mb * node->threads;
		uint64_t cores = free_mb / core_mb;
		uint32_t fit;

		if (cores >= cs_node_cores(node))
			return procs;
		fit = cs_layout_procs((uint32_t)cores, s->cpus_per_proc,
				      node->threads);
		return fit < procs ? fit : procs;
	}
	return memory_of(node, s, procs) <= free_mb ? procs : 0;
}

/* Set quota and nodes for at most @ppn processes a node, evenly spread. */
static bool shape_nodes(struct cs_shape *s, const struct cs_job *j,
			const struct cs_node *node, uint32_t ppn)
{
	uint32_t most = cs_layout_dense_ppn(j, node);

	if (j->procs_per_node)
		ppn = j->procs_per_node;
	if (ppn > j->procs)
		ppn = j->procs;
	if (!j->procs_per_node && node->memory_mb)
		ppn = fit_memory(node, s, ppn, node->memory_mb);
	if (!ppn || ppn > most)
		return false;
	s->nodes = div_up(j->procs, ppn);
	if (s->nodes < j->min_nodes)
		s->nodes = j->min_nodes;
	if (s->nodes > j->procs || (j->max_nodes && s->nodes > j->max_nodes))
		return false;
	s->quota = j->procs_per_node ? ppn : div_up(j->procs, s->nodes);
	return true;
}

/* More processes a node where the user limits the nodes. */
static uint32_t ppn_for_max_nodes(const struct cs_job *j, uint32_t ppn)
{
	uint32_t least = j->max_nodes ? div_up(j->procs, j->max_nodes) : 1;

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
					   node->threads));
}

bool cs_shape_packed(struct cs_shape *s, const struct cs_job *j,
		     const struct cs_node *node)
{
	uint32_t dense = cs_layout_dense_ppn(j, node);

	shape_init(s, j, node,
		   j->flags & CS_JOB_EXCLUSIVE ? CS_SHAPE_SPACE
					       : CS_SHAPE_PACKED);
	if (j->procs_per_node || j->min_nodes > 1 || j->max_nodes)
		return shape_nodes(s, j, node, ppn_for_max_nodes(j, dense));
	s->even = false;
	s->quota = dense;
	s->nodes = 1;
	return dense > 0;
}

uint32_t cs_layout_dense_ppn(const struct cs_job *j, const struct cs_node *node)
{
	uint32_t p = cs_layout_procs(cs_node_cores(node), j->cpus_per_proc,
				     node->threads);

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
			     const struct cs_job *j, int profile,
			     const struct cs_node *node)
{
	for (uint32_t ppn = cs_layout_dense_ppn(j, node); ppn > 1; ppn--) {
		uint32_t cores = cs_layout_cores(ppn, j->cpus_per_proc,
						 node->threads);

		if (cs_slowdown_self(m, profile, cores, node->sockets,
				     cs_node_cores(node)) <=
		    self_limit(p, cores, node))
			return ppn;
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
	    (s->kind == CS_SHAPE_PACKED && on->counted) ||
	    (s->kind == CS_SHAPE_SHARED && on->packed))
		return 0;
	procs = cs_layout_procs(on->free_cores, s->cpus_per_proc,
				node->threads);
	if (procs > s->quota)
		procs = s->quota;
	return procs ? fit_memory(node, s, procs, cs_occ_free_mb(o, n)) : 0;
}

bool cs_layout_fits(const struct cs_occ *o, const struct cs_shape *s,
		    const uint64_t *allowed)
{
	uint64_t procs = 0;
	uint32_t nodes = 0;

	for (uint32_t n = 0; n < o->machine->n_node; n++) {
		uint32_t fit;

		if (!cs_bit(allowed, n))
			continue;
		fit = cs_layout_fit(o, n, s);
		procs += fit;
		nodes += s->even ? fit >= s->quota : fit > 0;
		if (nodes >= s->nodes && (s->even || procs >= s->procs))
			return true;
	}
	return false;
}

bool cs_layout_holds(const struct cs_occ *o, const struct cs_shape *s,
		     const uint64_t *allowed)
{
	uint64_t procs = 0;
	uint32_t nodes = 0;

	for (uint32_t n = 0; n < o->machine->n_node; n++) {
		const struct cs_node *node = &o->machine->node[n];
		uint32_t fit;

		if (!cs_bit(allowed, n) || cs_bit(o->down, n))
			continue;
		fit = cs_layout_procs(cs_node_cores(node), s->cpus_per_proc,
				      node->threads);
		if (fit > s->quota)
			fit = s->quota;
		if (fit && node->memory_mb)
			fit = fit_memory(node, s, fit, node->memory_mb);
		procs += fit;
		nodes += s->even ? fit >= s->quota : fit > 0;
		if (nodes >= s->nodes && (s->even || procs >= s->procs))
			return true;
	}
	return false;
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
	uint32_t want = s->exclusive
				? cs_node_cores(node)
				: cs_layout_cores(procs, s->cpus_per_proc,
						  node->threads);

	a->node[i].procs = procs;
	a->node[i].mem_mb = memory_of(node, s, procs);
	while (want--) {
		int c = next_core(node, cs_occ_used(o, n), mine,
				  s->kind == CS_SHAPE_PACKED);

		if (c < 0)
			return false;
		cs_bit_set(mine, (uint32_t)c);
	}
	return true;
}

struct cs_alloc *cs_layout_on(const struct cs_occ *o, const struct cs_shape *s,
			      const uint32_t *node, uint32_t n, bool *ret_nomem)
{
	struct cs_alloc *a = cs_alloc_create(n, o->machine->words);
	uint32_t left = s->procs;

	*ret_nomem = !a;
	for (uint32_t i = 0; a && i < n; i++) {
		/* leave one process for each node that follows */
		uint32_t keep = n - i - 1;
		uint32_t fit = cs_layout_fit(o, node[i], s), procs;

		procs = left > keep ? left - keep : 1;
		procs = procs < fit ? procs : fit;
		a->node[i].node = node[i];
		if (!procs || left < procs || !take_cores(o, s, a, i, procs)) {
			cs_alloc_free(a);
			return NULL;
		}
		left -= procs;
	}
	if (a && left) {
		cs_alloc_free(a);
		return NULL;
	}
	return a;
}

struct candidate {
	uint32_t node, fit, weight;
};

static int by_weight(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight < b->weight ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int by_room(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->fit != b->fit)
		return a->fit > b->fit ? -1 : 1;
	return by_weight(x, y);
}

static int by_node(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

void cs_layout_sort(uint32_t *node, uint32_t n)
{
	qsort(node, n, sizeof(*node), by_node);
}

/* The node with the least free cores that holds the whole job, lowest weight
 * first; -1: none does. */
static int64_t tightest(const struct cs_occ *o, const struct cs_shape *s,
			const struct candidate *c, uint32_t n)
{
	const struct candidate *best = NULL;

	for (uint32_t i = 0; i < n; i++) {
		if (c[i].fit < s->procs)
			continue;
		if (!best || c[i].weight < best->weight ||
		    (c[i].weight == best->weight &&
		     o->node[c[i].node].free_cores <
			     o->node[best->node].free_cores))
			best = &c[i];
	}
	return best ? (int64_t)best->node : -1;
}

/* Order the candidates and say how many of them to take; 0: they do not do. */
static uint32_t pick(const struct cs_occ *o, const struct cs_shape *s,
		     struct candidate *c, uint32_t n)
{
	uint64_t procs = 0;

	if (s->even) {
		qsort(c, n, sizeof(*c), by_weight);
		return n >= s->nodes ? s->nodes : 0;
	}
	if (tightest(o, s, c, n) >= 0) {
		c[0].node = (uint32_t)tightest(o, s, c, n);
		return 1;
	}
	qsort(c, n, sizeof(*c), by_room);
	for (uint32_t i = 0; i < n; i++) {
		procs += c[i].fit;
		if (procs >= s->procs)
			return i + 1;
	}
	return 0;
}

struct cs_alloc *cs_layout_choose(const struct cs_occ *o,
				  const struct cs_shape *s,
				  const uint64_t *allowed, bool *ret_nomem)
{
	uint32_t n_node = o->machine->n_node, n = 0, take;
	struct candidate *c = calloc(n_node, sizeof(*c));
	uint32_t *node = calloc(n_node, sizeof(*node));
	struct cs_alloc *a = NULL;

	*ret_nomem = !c || !node;
	for (uint32_t i = 0; !*ret_nomem && i < n_node; i++) {
		uint32_t fit = cs_bit(allowed, i) ? cs_layout_fit(o, i, s) : 0;

		if (s->even ? fit >= s->quota : fit > 0)
			c[n++] = (struct candidate){ i, fit,
						     o->machine->node[i].weight };
	}
	take = *ret_nomem ? 0 : pick(o, s, c, n);
	for (uint32_t i = 0; i < take; i++)
		node[i] = c[i].node;
	if (take) {
		cs_layout_sort(node, take);
		a = cs_layout_on(o, s, node, take, ret_nomem);
	}
	free(c);
	free(node);
	return a;
}

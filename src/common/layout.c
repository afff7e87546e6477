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
 *     than there is, it is laid out more, or less, densely: what can run is not
 *     kept waiting for a better layout.
 *  7. A core is given whole: with t hardware threads it holds t / cpus_per_proc
 *     processes, and nobody else's.
 *
 * Source: 000 (see slowdown.h), sections 4.3, 4.9, 5.1 (equation 8).
 *
 * Differs.
 *  1. The paper's PPN is 1, 2 or 4; here so many for any node (rule 3).
 *  2. Where nodes differ, the layout is made for the smallest that a job may
 *     use: it then fits on all of them and PPN is one number.  A job that nodes
 *     of that size cannot hold gets the layout of the next larger ones, and so
 *     on; a packed job takes what each node has.
 *
 * Example: self slowdowns 1, 1.05, 1.2 at 1, 2, 4 processes give PPN 4; 1, 1.05,
 * 1.4 give 2; 1, 1.15, 1.4 give 1.
 *
 * Cost: O(M) for a layout, O(nodes) for a fit; to choose, O(nodes) for each weight
 * that comes up, O(nodes log nodes) for packed jobs of several nodes.
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

uint64_t cs_layout_memory(const struct cs_node *node, const struct cs_shape *s,
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
	return cs_layout_memory(node, s, procs) <= free_mb ? procs : 0;
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
			     const struct cs_job *j, struct cs_who who,
			     const struct cs_node *node)
{
	uint32_t most = cs_layout_procs(cs_node_cores(node), j->cpus_per_proc,
					node->threads);

	if (j->procs == 1)
		return 1;
	for (uint32_t ppn = most - most % node->sockets; ppn > 1;
	     ppn -= node->sockets) {
		uint32_t cores = cs_layout_cores(ppn, j->cpus_per_proc,
						 node->threads);

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
	    (s->kind == CS_SHAPE_SHARED && on->packed))
		return 0;
	procs = cs_layout_procs(on->free_cores, s->cpus_per_proc,
				node->threads);
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

bool cs_layout_plain(const struct cs_machine *m, const struct cs_shape *s)
{
	return m->alike && s->kind == CS_SHAPE_SPACE && s->even &&
	       !s->mem_node_mb && !s->mem_cpu_mb;
}

bool cs_layout_fits(const struct cs_occ *o, const struct cs_shape *s,
		    const uint64_t *allowed)
{
	bool plain = cs_layout_plain(o->machine, s);
	uint64_t procs = 0;
	uint32_t nodes = 0;

	if (cs_layout_crowded(o, s))
		return false;
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
		if (nodes >= s->nodes && (s->even || procs >= s->procs))
			return true;
	}
	return false;
}

uint32_t cs_layout_count(const struct cs_occ *o, const struct cs_shape *s,
			 const uint64_t *allowed, uint64_t *ret_nodes)
{
	bool plain = cs_layout_plain(o->machine, s);
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

/* Processes of shape @s that an empty node takes. */
static uint32_t fit_empty(const struct cs_node *node, const struct cs_shape *s)
{
	uint32_t fit = cs_layout_procs(cs_node_cores(node), s->cpus_per_proc,
				       node->threads);

	if (fit > s->quota)
		fit = s->quota;
	if (fit && node->memory_mb)
		fit = fit_memory(node, s, fit, node->memory_mb);
	return fit;
}

bool cs_layout_could(const struct cs_node *node, const struct cs_shape *s)
{
	return fit_empty(node, s) >= (s->even ? s->quota : 1);
}

bool cs_layout_holds(const struct cs_machine *m, const uint64_t *down,
		     const struct cs_shape *s, const uint64_t *allowed)
{
	bool plain = cs_layout_plain(m, s);
	uint64_t procs = 0;
	uint32_t nodes = 0;

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

/* Word @w of the set of all cores of @node. */
static uint64_t all_cores(const struct cs_node *node, uint32_t w)
{
	uint32_t cores = cs_node_cores(node);

	if (cores <= 64 * w)
		return 0;
	return cores - 64 * w < 64 ? (UINT64_C(1) << (cores - 64 * w)) - 1
				   : UINT64_MAX;
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
	a->node[i].mem_mb = cs_layout_memory(node, s, procs);
	if (want == o->node[n].free_cores) {
		for (uint32_t w = 0; w < a->words; w++)
			mine[w] = all_cores(node, w) & ~cs_occ_used(o, n)[w];
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

/* Lay the job out on the nodes of @a, which are equal and empty if @alike: false,
 * there is no room. */
static bool lay_out(const struct cs_occ *o, const struct cs_shape *s,
		    struct cs_alloc *a, bool alike)
{
	const uint32_t n = a->n_node, quota = s->quota;
	uint32_t left = s->procs;

	for (uint32_t i = 0, k; i < n; i = k) {
		uint32_t fit = alike ? quota
				     : cs_layout_fit(o, a->node[i].node, s);
		uint32_t procs = part_of(left, n - i - 1, fit);

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

struct cs_alloc *cs_layout_on(const struct cs_occ *o, const struct cs_shape *s,
			      const uint32_t *node, uint32_t n, bool *ret_nomem)
{
	struct cs_alloc *a = cs_alloc_create(n, o->machine->words);

	*ret_nomem = !a;
	for (uint32_t i = 0; a && i < n; i++)
		a->node[i].node = node[i];
	if (a)
		a->owner = s->owner;
	if (a && !lay_out(o, s, a,
			  cs_layout_plain(o->machine, s) && all_empty(o, a))) {
		cs_alloc_free(a);
		a = NULL;
	}
	return a;
}

struct candidate {
	uint32_t node, fit;
	uint64_t cost; /* weight, then crowd: the lower is used first */
};

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

/* Put those of the candidates that are taken into the node set @ret, and say how
 * many they are; 0: they do not do. */
static uint32_t pick(const struct cs_occ *o, const struct cs_shape *s,
		     struct candidate *c, uint32_t n, uint64_t *ret)
{
	uint64_t procs = 0;
	int64_t whole;

	if (s->even) {
		if (n >= s->nodes)
			cheapest(c, n, s->nodes, ret);
		return n >= s->nodes ? s->nodes : 0;
	}
	whole = tightest(o, s, c, n);
	if (whole >= 0) {
		cs_bit_set(ret, (uint32_t)whole);
		return 1;
	}
	qsort(c, n, sizeof(*c), by_room);
	for (uint32_t i = 0; i < n; i++) {
		cs_bit_set(ret, c[i].node);
		procs += c[i].fit;
		if (procs >= s->procs)
			return i + 1;
	}
	return 0;
}

/* Is any node that can take its part of the shape as good as any other? */
static bool any_does(const struct cs_occ *o, const struct cs_shape *s)
{
	return s->even && !o->crowd && o->machine->level;
}

/* The nodes of @allowed that can take a part of shape @s, in increasing order;
 * no more than are needed where one is as good as the other. */
static uint32_t candidates(const struct cs_occ *o, const struct cs_shape *s,
			   const uint64_t *allowed, struct candidate *c)
{
	bool plain = cs_layout_plain(o->machine, s), any = any_does(o, s);
	uint32_t n = 0;

	for (uint32_t w = 0; w < cs_node_words(o->machine); w++) {
		uint64_t set = worth(o, s, allowed, w);

		while (set) {
			uint32_t i = w * 64 + pop(&set);
			uint32_t fit = plain ? s->quota
					     : cs_layout_fit(o, i, s);

			if (s->even ? fit < s->quota : !fit)
				continue;
			c[n++] = (struct candidate){
				i, fit,
				(uint64_t)o->machine->node[i].weight << 16 |
					(o->crowd ? o->crowd[i] : 0)
			};
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
	take = pick(o, s, c, candidates(o, s, allowed, c), chosen);
	for (uint32_t w = 0; take && w < words; w++)
		for (uint64_t set = chosen[w]; set;)
			node[n++] = w * 64 + pop(&set);
	if (take)
		a = cs_layout_on(o, s, node, take, ret_nomem);
	free(c);
	return a;
}

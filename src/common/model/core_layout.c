/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes to cores, on chosen nodes.
 *
 * Rules.
 *  1. Each node takes as many of the job's processes as it has room for, but leaves one
 *     for each node that follows; the last takes the rest.  Slurm does the same, also
 *     with a given number of nodes (-N).
 *  2. The processes of a job go round the sockets: first to the one with fewest of this
 *     job's, then with most free cores, then the lowest; in a socket to the lowest free
 *     cores.  Packed jobs fill socket by socket. (Zeng09, section 4.9: processes of one
 *     job on different sockets, those of different jobs on one.)
 *  3. A job without neighbours of a group gets the cores that its distribution asks for,
 *     as Slurm's own test chooses them.  CS_DIST_CYCLIC: of each socket in turn one, the
 *     lowest; processes of several CPUs fill socket by socket first, as long as whole ones
 *     fit.  CS_DIST_BLOCK: the socket with the fewest free cores that are enough for all,
 *     or the one with the most; then the next.
 *  4. CS_DIST_CYCLIC_WHOLE, CS_DIST_BLOCK_WHOLE: the same among the lowest free cores of
 *     the node, as many as whole processes of the job fill there, at most procs_per_node of
 *     them.  Slurm's test has cleared the others before it distributes (_allocate_sc(),
 *     from release 23.02.5 on).
 *
 *  5. GPUs: those that gpu_mix.c chooses, or the lowest that are free.
 *
 * Source: Zeng09 (see slowdown.h), section 4.9.
 *
 * Example, rule 4: two processes of 3 CPUs on a node of 4 sockets of 2 get cores 0-5, by
 * rule 3 alone 0-4 and 6; two of 2 CPUs where 1, 3 and 5-7 are free get 1, 3, 5 and 6, by
 * rule 3 alone 1, 3, 6 and 7.
 *
 * Cost: O(M^2) a node of M cores; no search if the job takes all free cores; equal
 * empty nodes get what the first one got.
 */
#include "model/layout.h"

#include "model/gpu_mix.h"
#include "model/layout_parts.h"

/* The free core for the next process, by rule 2; -1: none. */
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
		if (!found ||
		    (!packed && (own < best_mine ||
				 (own == best_mine && free_n > best_free)))) {
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

/* Cores of a node that a job may choose from. */
struct choice {
	const struct cs_node *node;
	const uint64_t *used; /* but for these */
	uint32_t end;	      /* and for those from here on: rule 4 */
};

static uint32_t sockets_of(const struct cs_node *node)
{
	return node->n_uneven ? node->n_uneven : node->sockets;
}

/* The first core of @socket, of as many as there are or the next. */
static uint32_t socket_begin(const struct cs_node *node, uint32_t socket)
{
	uint32_t first = 0;

	if (!node->n_uneven)
		return socket * node->cores_per_socket;
	for (uint32_t s = 0; s < socket; s++)
		first += node->uneven[s];
	return first;
}

/* Where those of @socket end that @c has. */
static uint32_t socket_end(const struct choice *c, uint32_t socket)
{
	uint32_t end = socket_begin(c->node, socket + 1);

	return end < c->end ? end : c->end;
}

static uint32_t free_in(const struct choice *c, const uint64_t *mine,
			uint32_t socket)
{
	uint32_t end = socket_end(c, socket), n = 0;

	for (uint32_t i = socket_begin(c->node, socket); i < end; i++)
		n += !cs_bit(c->used, i) && !cs_bit(mine, i);
	return n;
}

/* Up to @want of the lowest free cores of @socket into @mine; returns how many. */
static uint32_t take_lowest(const struct choice *c, uint64_t *mine,
			    uint32_t socket, uint32_t want)
{
	uint32_t end = socket_end(c, socket), n = 0;

	for (uint32_t i = socket_begin(c->node, socket); n < want && i < end;
	     i++)
		if (!cs_bit(c->used, i) && !cs_bit(mine, i)) {
			cs_bit_set(mine, i);
			n++;
		}
	return n;
}

/* Rule 3, cyclic.  False: too few are free. */
static bool take_cyclic(const struct cs_shape *s, const struct choice *c,
			uint64_t *mine, uint32_t want)
{
	uint32_t threads = cs_layout_threads(c->node, s->threads), got = 1;

	for (uint32_t i = 0; s->cpus_per_proc > 1 && i < sockets_of(c->node);
	     i++) {
		uint32_t cpus = free_in(c, mine, i) * threads;
		uint32_t whole =
			cs_div_up(cpus - cpus % s->cpus_per_proc, threads);

		want -= take_lowest(c, mine, i, want < whole ? want : whole);
	}
	while (want && got) {
		got = 0;
		for (uint32_t i = 0; want > got && i < sockets_of(c->node); i++)
			got += take_lowest(c, mine, i, 1);
		want -= got;
	}
	return !want;
}

/* Rule 3, by block.  False: too few are free. */
static bool take_block(const struct choice *c, uint64_t *mine, uint32_t want)
{
	const uint32_t all = want;

	while (want) {
		uint32_t best = 0, best_free = 0;

		for (uint32_t i = 0; i < sockets_of(c->node); i++) {
			uint32_t n = free_in(c, mine, i);
			bool enough = n >= all;

			if (!best_free ||
			    (enough ? best_free < all || n < best_free
				    : best_free < all && n > best_free)) {
				best = i;
				best_free = n;
			}
		}
		if (!best_free)
			return false;
		want -= take_lowest(c, mine, best, want);
	}
	return true;
}

/* Where those of @c's free cores end that rule 4 leaves, at least @want of its @free_n. */
static uint32_t whole_end(const struct cs_shape *s, const struct choice *c,
			  uint32_t free_n, uint32_t want)
{
	uint32_t threads = cs_layout_threads(c->node, s->threads), end = 0;
	uint32_t procs = cs_layout_procs(free_n, s->cpus_per_proc, threads);
	uint32_t keep;

	if (s->most && procs > s->most)
		procs = s->most;
	keep = cs_layout_cores(procs, s->cpus_per_proc, threads);
	if (keep < want)
		keep = want;
	while (keep && end < c->end)
		keep -= !cs_bit(c->used, end++);
	return end;
}

/* Rules 3 and 4. */
static bool take_as_asked(const struct cs_occ *o, const struct cs_shape *s,
			  uint32_t n, uint64_t *mine, uint32_t want)
{
	const struct cs_node *node = &o->machine->node[n];
	struct choice c = { node, cs_occ_used(o, n), cs_node_cores(node) };

	if (s->dist == CS_DIST_CYCLIC_WHOLE || s->dist == CS_DIST_BLOCK_WHOLE)
		c.end = whole_end(s, &c, o->node[n].free_cores, want);
	if (s->dist == CS_DIST_BLOCK || s->dist == CS_DIST_BLOCK_WHOLE)
		return take_block(&c, mine, want);
	return take_cyclic(s, &c, mine, want);
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
	if (s->kind != CS_SHAPE_SHARED && s->dist != CS_DIST_OURS &&
	    s->dist <= CS_DIST_LAST)
		return take_as_asked(o, s, n, mine, want);
	while (want--) {
		int c = next_core(node, cs_occ_used(o, n), mine,
				  s->kind == CS_SHAPE_PACKED);

		if (c < 0)
			return false;
		cs_bit_set(mine, (uint32_t)c);
	}
	return true;
}

/* Rule 5: give @a's @i-th node, which has its cores, @n GPUs.  False: they are not free. */
static bool take_gpus(const struct cs_occ *o, const struct cs_shape *s,
		      struct cs_alloc *a, uint32_t i, uint32_t n)
{
	struct cs_shape part = *s;

	part.gpus = n;
	a->node[i].gpus =
		cs_gpu_mix_take(o, a->node[i].node, &part, cs_alloc_count(a, i),
				a->node[i].mem_mb, NULL);
	return cs_popcount(a->node[i].gpus) == n;
}

/* Nodes @from to @end - 1 get the same as the equal one before them. */
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

/* Processes on a node that holds at most @fit, with @left left, one kept for each of
 * the @keep nodes that follow; 0: too few are left. */
static inline uint32_t part_of(uint32_t left, uint32_t keep, uint32_t fit)
{
	uint32_t procs = left > keep ? left - keep : left != 0;

	return procs < fit ? procs : fit;
}

bool cs_layout_fill(const struct cs_occ *o, const struct cs_shape *s,
		    struct cs_alloc *a, bool alike, const uint32_t *order)
{
	const uint32_t n = a->n_node, quota = s->quota;
	uint32_t left = s->procs;

	for (uint32_t i = 0, k; i < n; i = k) {
		uint32_t at = order ? order[i] : i;
		uint32_t fit =
			alike ? quota : cs_layout_fit(o, a->node[at].node, s);
		uint32_t procs = part_of(left, n - i - 1, fit);

		if (!procs || !take_cores(o, s, a, at, procs))
			return false;
		if (s->gpus &&
		    !take_gpus(o, s, a, at, cs_shape_gpus_at(s, i, n)))
			return false;
		left -= procs;
		for (k = i + 1;
		     alike && k < n && part_of(left, n - k - 1, quota) == procs;
		     k++)
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
	const struct cs_topology *t = cs_fit_topology(m, s);

	if (!t)
		return true;
	cs_fit_forget(t);
	cs_alloc_mark(a, t->look);
	return cs_topology_joins(t, t->look);
}

struct cs_alloc *cs_layout_on_by(const struct cs_occ *o,
				 const struct cs_shape *s, const uint32_t *node,
				 uint32_t n, const uint32_t *order,
				 bool *ret_nomem)
{
	struct cs_alloc *a = cs_alloc_create(n, o->machine->words);

	*ret_nomem = !a;
	for (uint32_t i = 0; a && i < n; i++)
		a->node[i].node = node[i];
	if (a) {
		a->owner = s->owner;
		a->gpu_share = s->gpus ? s->gpu_share : 0;
	}
	if (a &&
	    (!joined(o->machine, s, a) ||
	     !cs_layout_fill(o, s, a,
			     cs_fit_any_empty(o->machine, s) && all_empty(o, a),
			     order))) {
		cs_alloc_free(a);
		a = NULL;
	}
	return a;
}

struct cs_alloc *cs_layout_on(const struct cs_occ *o, const struct cs_shape *s,
			      const uint32_t *node, uint32_t n, bool *ret_nomem)
{
	return cs_layout_on_by(o, s, node, n, NULL, ret_nomem);
}

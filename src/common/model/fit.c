/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a shape fit: on a node, on a set of nodes now, or on the empty machine?
 *
 * Rules.
 *  1. An even shape fits if enough nodes take its quota each; an uneven one if at most
 *     max_nodes of them, those that take most, take all its processes.
 *  2. If the topology has parts (topology.c, rule 1), one of them must hold the job; an
 *     uneven shape with bounded nodes needs a group that holds it as a whole.  The host
 *     puts its jobs where it likes.
 *  3. A plain shape, empty nodes without memory on a machine of equal nodes, fits on
 *     any empty node: they are counted 64 at a time.
 *
 *  4. A node takes a part with GPUs if it has enough GPUs of the type of which so much is
 *     free.
 *
 * Cost: O(nodes), O(nodes / 64) for a plain shape; for an uneven one with bounded nodes
 * that times the different numbers of processes that nodes take.
 */
#include "model/fit.h"

#include "model/layout_parts.h"

/* Rule 4: has node @n the GPUs of one part? */
static bool gpus_fit(const struct cs_occ *o, uint32_t n,
		     const struct cs_shape *s)
{
	uint64_t may = cs_gpus_of(o->machine->node[n].gpus, s->gpu_id);
	const uint32_t *used;
	uint32_t k = 0;

	if (!may)
		return false;
	if (s->gpu_share >= CS_GPU_WHOLE)
		return cs_popcount(may & ~cs_occ_gpus(o, n)) >= s->gpus;
	used = cs_occ_gpu_used(o, n);
	while (may && k < s->gpus)
		k += used[cs_bit_pop(&may)] + s->gpu_share <= CS_GPU_WHOLE;
	return k >= s->gpus;
}

/* Free cores less those that it leaves. */
static inline uint32_t cores_for(const struct cs_shape *s, uint32_t free_cores,
				 uint32_t free_gpus)
{
	uint64_t keep = (uint64_t)s->gpu_keep * free_gpus;

	return free_cores > keep ? free_cores - (uint32_t)keep : 0;
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
	     (s->among_packed ? on->counted || !cs_occ_owned(on, s->owner)
			      : on->packed)))
		return 0;
	if (s->gpus && !gpus_fit(o, n, s))
		return 0;
	procs = cs_shape_procs(s, node,
			       s->gpu_keep ? cores_for(s, on->free_cores,
						       cs_occ_free_gpus(o, n))
					   : on->free_cores);
	if (procs > s->quota)
		procs = s->quota;
	return procs ? cs_shape_fit_memory(node, s, procs, cs_occ_free_mb(o, n))
		     : 0;
}

bool cs_fit_set(const struct cs_topology *t, const struct cs_shape *s,
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
				uint32_t k = t->fit[w * 64 + cs_bit_pop(&x)];

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

/* The highest level of groups for a job of @nodes nodes. */
static uint32_t highest(const struct cs_topology *t, uint32_t nodes)
{
	const uint32_t *part;

	if (!t->block || !cs_topology_parts(t, nodes, &part))
		return UINT32_MAX;
	return t->group[part[0]].level;
}

const struct cs_group *cs_fit_group(const struct cs_topology *t,
				    const struct cs_shape *s)
{
	const struct cs_group *best = NULL, *loose = cs_topology_loose(t);
	uint32_t fewest = 0, nodes, most = highest(t, s->nodes);

	for (uint32_t i = 0; i < t->n_group; i++) {
		const struct cs_group *g = &t->group[i];

		if (g->level > most || !cs_fit_set(t, s, g->nodes, &nodes))
			continue;
		if (!best || g->level < best->level ||
		    (g->level == best->level && nodes < fewest)) {
			best = g;
			fewest = nodes;
		}
	}
	return best || !loose || !cs_fit_set(t, s, loose->nodes, &nodes)
		       ? best
		       : loose;
}

/* Does one part of the nodes of t->look hold shape @s? */
static bool one_part_holds(const struct cs_topology *t,
			   const struct cs_shape *s)
{
	struct cs_topology_ask a = cs_fit_ask(t, s);

	return cs_topology_holds(t, &a) &&
	       (!cs_fit_bounds(s) || cs_fit_group(t, s));
}

bool cs_layout_any_empty(const struct cs_machine *m, const struct cs_shape *s)
{
	return cs_fit_any_empty(m, s);
}

bool cs_layout_plain(const struct cs_machine *m, const struct cs_shape *s)
{
	return cs_fit_any_empty(m, s) && !cs_fit_topology(m, s);
}

/* Processes of shape @s that an empty node takes. */
static uint32_t fit_empty(const struct cs_node *node, const struct cs_shape *s)
{
	uint32_t gpus = node->gpus ? node->gpus->n : 0;
	uint32_t fit = cs_shape_procs(s, node,
				      cores_for(s, cs_node_cores(node), gpus));

	if (s->gpus && cs_popcount(cs_gpus_of(node->gpus, s->gpu_id)) < s->gpus)
		return 0;
	if (fit > s->quota)
		fit = s->quota;
	if (fit && node->memory_mb)
		fit = cs_shape_fit_memory(node, s, fit, node->memory_mb);
	return fit;
}

/* Processes of shape @s that node @n takes in @o, or (NULL) empty. */
static inline uint32_t fit_in(const struct cs_machine *m,
			      const struct cs_occ *o, uint32_t n,
			      const struct cs_shape *s)
{
	return o ? cs_layout_fit(o, n, s) : fit_empty(&m->node[n], s);
}

/* Of the 64 nodes from @w * 64 on, those of @allowed that need a closer look. */
static inline uint64_t worth_in(const struct cs_occ *o, const uint64_t *down,
				const struct cs_shape *s,
				const uint64_t *allowed, uint32_t w)
{
	return o ? cs_fit_worth(o, s, allowed, w)
		 : allowed[w] & ~(down ? down[w] : 0);
}

/* Do max_nodes nodes of @allowed, not in @down, hold an uneven shape, in @o or (NULL)
 * empty?  O(nodes) for each number of processes that nodes take. */
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
			k = fit_in(m, o, n, s);
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

/* Do those in one part? */
static bool part_holds(const struct cs_topology *t, const struct cs_machine *m,
		       const struct cs_occ *o, const uint64_t *down,
		       const struct cs_shape *s, const uint64_t *allowed)
{
	bool plain = cs_fit_any_empty(m, s);

	cs_fit_forget(t);
	for (uint32_t w = 0; w < t->words; w++) {
		uint64_t set = worth_in(o, down, s, allowed, w);

		if (plain) {
			t->look[w] = set;
			set = 0;
		}
		while (set) {
			uint32_t n = w * 64 + cs_bit_pop(&set);

			cs_fit_note(t, s, n, fit_in(m, o, n, s));
		}
	}
	return one_part_holds(t, s);
}

/* Do they hold any shape? */
static bool holds(const struct cs_machine *m, const struct cs_occ *o,
		  const uint64_t *down, const struct cs_shape *s,
		  const uint64_t *allowed)
{
	const struct cs_topology *t = cs_fit_topology(m, s);
	bool plain = cs_layout_plain(m, s);
	uint64_t procs = 0;
	uint32_t nodes = 0;

	if (t)
		return part_holds(t, m, o, down, s, allowed);
	for (uint32_t w = 0; w < cs_node_words(m); w++) {
		uint64_t set = worth_in(o, down, s, allowed, w);

		if (plain) {
			nodes += cs_popcount(set);
			set = 0;
		}
		while (set) {
			uint32_t fit =
				fit_in(m, o, w * 64 + cs_bit_pop(&set), s);

			procs += fit;
			nodes += s->even ? fit >= s->quota : fit > 0;
		}
		if (cs_fit_enough(s, nodes, procs) &&
		    !cs_fit_too_many(s, nodes))
			return true;
	}
	return cs_fit_enough(s, nodes, procs) &&
	       few_hold(m, o, down, s, allowed);
}

bool cs_layout_fits(const struct cs_occ *o, const struct cs_shape *s,
		    const uint64_t *allowed)
{
	return !cs_layout_crowded(o, s) &&
	       holds(o->machine, o, o->down, s, allowed);
}

bool cs_layout_holds(const struct cs_machine *m, const uint64_t *down,
		     const struct cs_shape *s, const uint64_t *allowed)
{
	return holds(m, NULL, down, s, allowed);
}

uint32_t cs_layout_count(const struct cs_occ *o, const struct cs_shape *s,
			 const uint64_t *allowed, uint64_t *ret_nodes)
{
	bool plain = cs_fit_any_empty(o->machine, s);
	uint32_t least = s->even ? s->quota : 1, k = 0;

	for (uint32_t w = 0; w < cs_node_words(o->machine); w++) {
		uint64_t set = cs_fit_worth(o, s, allowed, w), fit = set;

		while (!plain && set) {
			uint32_t n = cs_bit_pop(&set);

			if (cs_layout_fit(o, w * 64 + n, s) < least)
				fit &= ~(UINT64_C(1) << n);
		}
		if (ret_nodes)
			ret_nodes[w] = fit;
		k += cs_popcount(fit);
	}
	return k;
}

/* Are they the same but for how much they ask for? */
static bool alike(const struct cs_shape *a, const struct cs_shape *b)
{
	return a->kind == b->kind && a->exclusive == b->exclusive &&
	       a->anywhere == b->anywhere && a->even == b->even &&
	       a->most == b->most &&
	       (a->even || a->max_nodes == b->max_nodes) &&
	       a->cpus_per_proc == b->cpus_per_proc &&
	       a->least_cpus == b->least_cpus && a->threads == b->threads &&
	       a->mem_threads == b->mem_threads && a->gpus == b->gpus &&
	       a->gpus_all == b->gpus_all && a->gpu_id == b->gpu_id &&
	       a->gpu_share == b->gpu_share && a->gpu_keep == b->gpu_keep &&
	       a->owner == b->owner && a->among_packed == b->among_packed &&
	       a->like == b->like && a->sockets == b->sockets &&
	       a->cores == b->cores;
}

/* Does @s need at least the memory of @than on each node?  All of a node may be little. */
static bool more_memory(const struct cs_shape *s, const struct cs_shape *than)
{
	uint64_t mb = s->mem_node_mb, least = than->mem_node_mb;

	if (mb == least)
		return mb || s->mem_cpu_mb >= than->mem_cpu_mb;
	return least && mb > least && mb != CS_MEM_ALL;
}

bool cs_layout_harder(const struct cs_shape *s, const struct cs_shape *than)
{
	/* processes that a node of @s certainly takes of @than, too */
	uint32_t quota = s->quota < than->procs ? s->quota : than->procs;

	return alike(s, than) && s->nodes >= than->nodes &&
	       s->procs >= than->procs && more_memory(s, than) &&
	       (s->even ? s->quota >= than->quota : than->quota >= quota);
}

bool cs_layout_could(const struct cs_node *node, const struct cs_shape *s)
{
	return fit_empty(node, s) >= (s->even ? s->quota : 1);
}

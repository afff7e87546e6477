/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job may have of nodes joined by switches, or in blocks.
 *
 * Problem.  If no switch joins two parts of a machine, no job can be on both: the host
 * refuses that start for ever.
 *
 * Symbols	C name			unit
 *   N		ask->nodes		nodes that the job asks for; 1 if it asks for
 *					none, as the host has it
 *   W		ask->want		nodes, or processes of a job laid out unevenly
 *   f(G)	cs_topology_offer()	what the nodes of group G offer: nodes, or
 *					processes
 *   B		t->block		nodes that a base block counts for
 *   S_i	level[i].size		base blocks in a block of level i
 *
 * Rule.
 *  1. A group is what one switch joins, or a block.  A part is a group that must hold a
 *     whole job: of switches one with none above it; of blocks one of the level
 *
 *	L(N) = the least i with S_i B >= N, the whole machine where there is none (1)
 *
 *     of whose blocks of level L(N) - 1 the job may use only
 *
 *	ceil(N / (S_(L(N) - 1) B))						(2)
 *
 *     Nodes below no switch take no job.  Those in no block, unknown to the host, are
 *     all equal: one more part, used when no block will do.
 *
 * Source: the host's own rules, topology/tree and topology/block of Slurm 22.05 and
 * 24.11, so that what is chosen here is allowed there.
 *
 * Cost: see topology.h.
 */
#include "model/topology.h"

#include <stddef.h>

#include "model/topology_parts.h"

uint32_t cs_topology_level(const struct cs_topology *t, uint32_t nodes)
{
	uint32_t i = 0;

	while (i + 1 < t->n_level &&
	       (uint64_t)t->level[i].size * t->block < nodes)
		i++;
	return i;
}

uint32_t cs_topology_bound(const struct cs_topology *t,
			   const struct cs_group *g, uint32_t nodes)
{
	uint64_t below;

	if (!t->block || !g->level || g->level != cs_topology_level(t, nodes))
		return 0;
	below = (uint64_t)t->level[g->level - 1].size * t->block;
	return (uint32_t)((nodes + below - 1) / below);
}

uint32_t cs_topology_parts(const struct cs_topology *t, uint32_t nodes,
			   const uint32_t **ret)
{
	const struct cs_block_level *l;

	if (!t->block) {
		*ret = t->part;
		return t->n_root;
	}
	l = &t->level[cs_topology_level(t, nodes)];
	*ret = t->part + l->first;
	return l->n;
}

const struct cs_group *cs_topology_loose(const struct cs_topology *t)
{
	const struct cs_group *g = &t->group[t->n_group];

	return g->end ? g : NULL;
}

uint32_t cs_topology_atoms(const struct cs_topology *t, const uint32_t **ret)
{
	return cs_topology_parts(t, 1, ret);
}

uint64_t cs_topology_offer(const struct cs_group *g, const uint64_t *set,
			   const uint32_t *fit)
{
	uint64_t k = 0;

	for (uint32_t w = g->from; w < g->end; w++) {
		uint64_t s = set[w] & g->nodes[w];

		if (!fit)
			k += cs_popcount(s);
		while (fit && s)
			k += fit[w * 64 + cs_bit_pop(&s)];
	}
	return k;
}

/* The most that @most blocks one level below block @g offer. */
static uint64_t best_of(const struct cs_topology *t, const struct cs_group *g,
			uint32_t most, const uint64_t *set, const uint32_t *fit)
{
	const struct cs_block_level *l = &t->level[g->level - 1];
	uint32_t from = l->first, end = l->first + l->n;
	uint64_t sum = 0;

	for (uint32_t i = from; i < end; i++)
		t->count[i] =
			t->group[i].parent == (uint32_t)(g - t->group)
				? cs_topology_offer(&t->group[i], set, fit)
				: 0;
	while (most--) {
		uint32_t best = from;

		for (uint32_t i = from; i < end; i++)
			if (t->count[i] > t->count[best])
				best = i;
		if (!t->count[best])
			break;
		sum += t->count[best];
		t->count[best] = 0;
	}
	return sum;
}

uint64_t cs_topology_may_have(const struct cs_topology *t,
			      const struct cs_group *g, uint32_t nodes,
			      const uint64_t *set, const uint32_t *fit)
{
	uint32_t most = cs_topology_bound(t, g, nodes);

	return most ? best_of(t, g, most, set, fit)
		    : cs_topology_offer(g, set, fit);
}

bool cs_topology_loose_holds(const struct cs_topology *t,
			     const struct cs_topology_ask *a)
{
	const struct cs_group *g = cs_topology_loose(t);

	return g && (!a->with || cs_bits_within(a->with, g->nodes, t->words)) &&
	       cs_topology_offer(g, a->set, a->fit) >= a->want;
}

bool cs_topology_holds(const struct cs_topology *t,
		       const struct cs_topology_ask *a)
{
	const uint32_t *part;
	uint32_t n = cs_topology_parts(t, a->nodes, &part);

	for (uint32_t i = 0; i < n; i++) {
		const struct cs_group *g = &t->group[part[i]];

		if ((!a->with || cs_bits_within(a->with, g->nodes, t->words)) &&
		    cs_topology_may_have(t, g, a->nodes, a->set, a->fit) >=
			    a->want)
			return true;
	}
	return cs_topology_loose_holds(t, a);
}

bool cs_topology_joins(const struct cs_topology *t, const uint64_t *set)
{
	uint32_t n = cs_bits_count(set, t->words);
	const struct cs_topology_ask a = { .set = set, .want = n, .nodes = n };

	return cs_topology_holds(t, &a);
}

uint32_t cs_topology_most(const struct cs_topology *t, const uint64_t *set,
			  const uint64_t *down)
{
	const uint32_t *part;
	uint32_t n = cs_topology_parts(t, UINT32_MAX, &part), most = 0;

	for (uint32_t i = 0; i <= n; i++) {
		const struct cs_group *g =
			&t->group[i < n ? part[i] : t->n_group];
		uint32_t k = 0;

		for (uint32_t w = g->from; w < g->end; w++)
			k += cs_popcount(set[w] & g->nodes[w] &
					 ~(down ? down[w] : 0));
		most = k > most ? k : most;
	}
	return most;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes near each other: which ones a job gets if switches join them, or if they are in
 * blocks.
 *
 * Problem.  A job whose processes communicate runs faster on nodes that share a switch,
 * and leaves more to others if it fills up the rest of one.
 *
 * Symbols and rule 1, which parts of a machine may hold a job: topology.c.
 *
 * Rules.
 *  2. Costs (weights) come first: take the part whose dearest necessary node is
 *     cheapest; there, all cheaper nodes, and as many of that cost as are missing.  If
 *     (2) does not allow that, costs are ignored.
 *  3. The nodes come from the smallest group that holds the job and its present nodes:
 *     the lowest level, then the least f(G) - W (best fit), then the lowest number.
 *  4. In it the fewest leaf switches (base blocks) possible: those with nodes of the
 *     job; then, while none holds the rest, the one with most; then of those that hold
 *     it the one with least.  Of equal ones the nearest to those taken, then the lowest
 *     number.  If (2) bounds the blocks of a level, these are first chosen the same
 *     way.
 *  5. In a leaf, the lowest numbers.
 *
 *	      top			job of 3:  b, the only leaf with 3
 *	   /       \			job of 2:  c: it fits best
 *	  x         y			job of 5:  x: f = 6 holds it, 3 of b, then
 *	 / \       / \				   2 of a
 *	a   b     c   d			job of 8:  top: 3 of b and 3 of a, then c,
 *	3   3     2   2				   which holds the rest
 *
 * Source: the host's own rules, topology/tree and topology/block of Slurm 22.05 and
 * 24.11, so that what is chosen here is allowed there.
 *
 * Differs from them.
 *  1. With switches Slurm may leave the smallest group if leaves of another come first
 *     in its table; and it searches only one part, the last of the highest level, even
 *     if another has room.
 *  2. Rule 4 takes the fewest leaves possible; Slurm also goes by distance.
 *
 * Cost: see topology.h.
 *
 * Known weakness: in rule 4 a level between the leaves and the group counts only for
 * nearness.  Dragonflies are treated as trees.
 */
#include "model/topology.h"

#include <string.h>

#include "model/topology_parts.h"

/* ---- rules 2 and 3 --------------------------------------------------------- */

/* What is available somewhere; less is better, field by field. */
struct choice {
	uint64_t dear; /* cost of the dearest nodes that must be taken */
	uint64_t few;  /* how much of these */
	uint32_t level;
	uint64_t left;
	uint32_t group;		     /* CS_GROUP_NONE: nothing is */
	const struct cs_group *part; /* whose costs count; NULL: none */
};

static bool better(const struct choice *a, const struct choice *b)
{
	if (b->group == CS_GROUP_NONE || a->dear != b->dear)
		return b->group == CS_GROUP_NONE || a->dear < b->dear;
	if (a->few != b->few)
		return a->few < b->few;
	if (a->level != b->level)
		return a->level < b->level;
	if (a->left != b->left)
		return a->left < b->left;
	return a->group < b->group;
}

/* What the nodes of @set offer. */
static uint64_t offer_all(const struct cs_topology *t, const uint64_t *set,
			  const uint32_t *fit)
{
	uint64_t k = 0;

	if (!fit)
		return cs_bits_count(set, t->words);
	for (uint32_t w = 0; w < t->words; w++)
		for (uint64_t s = set[w]; s;)
			k += fit[w * 64 + cs_bit_pop(&s)];
	return k;
}

/* Add the nodes of @part that cost @cost to t->pool; returns what they offer.  *next
 * becomes the least cost above, if that is less. */
static uint64_t add_at(const struct cs_topology *t,
		       const struct cs_topology_ask *a,
		       const struct cs_group *part, uint64_t cost,
		       uint64_t *next)
{
	uint64_t k = 0;

	for (uint32_t w = part->from; w < part->end; w++) {
		uint64_t s = a->set[w] & part->nodes[w] & ~t->pool[w];

		while (s) {
			uint32_t i = w * 64 + cs_bit_pop(&s);

			if (a->cost[i] == cost) {
				cs_bit_set(t->pool, i);
				k += a->fit ? a->fit[i] : 1;
			} else if (a->cost[i] > cost && a->cost[i] < *next) {
				*next = a->cost[i];
			}
		}
	}
	return k;
}

/* Rule 2 in @part: t->pool becomes what the job may take, t->must the part always
 * taken.  False: there is too little. */
static bool by_cost(const struct cs_topology *t,
		    const struct cs_topology_ask *a,
		    const struct cs_group *part, struct choice *c)
{
	uint64_t n = offer_all(t, t->must, a->fit), next;

	c->dear = c->few = 0;
	memcpy(t->pool, t->must, t->words * sizeof(*t->pool));
	for (uint64_t cost = 0; n < a->want; cost = next) {
		next = UINT64_MAX;
		memcpy(t->must, t->pool, t->words * sizeof(*t->must));
		c->dear = cost;
		c->few = a->want - n;
		n += add_at(t, a, part, cost, &next);
		if (n < a->want && next == UINT64_MAX)
			return false;
	}
	return true;
}

/* The initial state: all that the job may have, and what it has. */
static void begin(const struct cs_topology *t, const struct cs_topology_ask *a)
{
	memcpy(t->pool, a->set, t->words * sizeof(*t->pool));
	if (a->with)
		memcpy(t->must, a->with, t->words * sizeof(*t->must));
	else
		memset(t->must, 0, t->words * sizeof(*t->must));
}

/* Rule 3, into *best if better. */
static void smallest(const struct cs_topology *t,
		     const struct cs_topology_ask *a, struct choice *c,
		     struct choice *best)
{
	uint32_t most = t->block ? cs_topology_level(t, a->nodes) : UINT32_MAX;
	bool must = cs_bits_count(t->must, t->words) > 0;

	for (uint32_t i = 0; i < t->n_group; i++) {
		const struct cs_group *g = &t->group[i];
		uint64_t have;

		if (g->level > most ||
		    (must && !cs_bits_within(t->must, g->nodes, t->words)))
			continue;
		have = cs_topology_may_have(t, g, a->nodes, t->pool, a->fit);
		if (have < a->want)
			continue;
		c->level = g->level;
		c->left = have - a->want;
		c->group = i;
		if (better(c, best))
			*best = *c;
	}
}

/* ---- rules 4 and 5 --------------------------------------------------------- */

struct cover {
	const struct cs_topology *t;
	const uint32_t *fit;
	uint64_t left; /* still wanted; t->rest is available */
};

static void mark(const struct cs_topology *t, uint32_t i)
{
	for (; i != CS_GROUP_NONE; i = t->group[i].parent)
		t->used[i] = true;
}

/* Take what is wanted of @g. */
static void take(struct cover *v, const struct cs_group *g)
{
	const struct cs_topology *t = v->t;
	uint64_t all = cs_topology_offer(g, t->pool, v->fit);
	uint64_t nodes = v->fit ? UINT64_MAX : v->left;

	for (uint32_t w = g->from; w < g->end; w++) {
		uint64_t s = t->pool[w] & g->nodes[w];

		t->pool[w] &= ~s;
		for (; s && nodes; s &= s - 1, nodes--)
			t->rest[w] |= s & -s;
	}
	v->left -= all < v->left ? all : v->left;
	mark(t, (uint32_t)(g - t->group));
}

/* What rule 4 compares of a leaf, or block. */
struct leaf {
	bool used, holds;
	uint64_t offer;
	uint32_t near; /* level of the smallest used group around it */
};

static bool goes_before(const struct leaf *a, const struct leaf *b)
{
	if (a->used != b->used)
		return a->used;
	if (a->holds != b->holds)
		return a->holds;
	if (a->offer != b->offer)
		return a->holds ? a->offer < b->offer : a->offer > b->offer;
	return a->near < b->near;
}

/* The next group of level @level, within @of, by rule 4; CS_GROUP_NONE: all are
 * exhausted. */
static uint32_t next_group(const struct cover *v, uint32_t level,
			   const struct cs_group *of)
{
	const struct cs_topology *t = v->t;
	uint32_t best = CS_GROUP_NONE;
	struct leaf first = { 0 };

	for (uint32_t i = 0; i < t->n_group; i++) {
		const struct cs_group *g = &t->group[i];
		struct leaf x = { .near = UINT32_MAX };

		if (g->level != level || (t->block && !cs_group_within(g, of)))
			continue;
		x.offer = cs_topology_offer(g, t->pool, v->fit);
		if (!x.offer)
			continue;
		x.used = t->used[i];
		x.holds = x.offer >= v->left;
		for (uint32_t k = i; k != CS_GROUP_NONE; k = t->group[k].parent)
			if (t->used[k]) {
				x.near = t->group[k].level;
				break;
			}
		if (best == CS_GROUP_NONE || goes_before(&x, &first)) {
			best = i;
			first = x;
		}
	}
	return best;
}

/* Take what is left from groups of level @level in @of, at most @most of them (0: any
 * number).  False: too little. */
static bool cover(struct cover *v, uint32_t level, const struct cs_group *of,
		  uint32_t most)
{
	const struct cs_topology *t = v->t;
	uint32_t n = 0;

	for (uint32_t i = 0; most && i < t->n_group; i++)
		n += t->group[i].level == level && t->used[i];
	while (v->left && (!most || n <= most)) {
		uint32_t i = next_group(v, level, of);
		const struct cs_group *g;

		if (i == CS_GROUP_NONE)
			break;
		g = &t->group[i];
		n += !t->used[i];
		if (most && n > most)
			return false;
		if (!level || cs_topology_offer(g, t->pool, v->fit) <= v->left)
			take(v, g);
		else
			cover(v, 0, g, 0);
	}
	if (v->left && !most)
		take(v, of); /* nodes in no leaf */
	return !v->left && (!most || n <= most);
}

/* Rules 4 and 5 in group @g, into @ret. */
static bool narrow(const struct cs_topology *t, const struct cs_topology_ask *a,
		   const struct cs_group *g, uint64_t *ret)
{
	uint32_t most = cs_topology_bound(t, g, a->nodes);
	/* the nodes it has are not among those left */
	struct cover v = { t, a->fit, a->want - offer_all(t, t->must, a->fit) };

	for (uint32_t i = 0; i < t->n_group; i++)
		t->used[i] = cs_topology_offer(&t->group[i], t->must, NULL) > 0;
	for (uint32_t w = 0; w < t->words; w++) {
		t->pool[w] &= g->nodes[w] & ~t->must[w];
		t->rest[w] = t->must[w];
	}
	if (!cover(&v, most ? g->level - 1 : 0, g, most))
		return false;
	memcpy(ret, t->rest, t->words * sizeof(*ret));
	return true;
}

uint32_t cs_topology_tightest(const struct cs_topology *t, const uint64_t *set,
			      const uint64_t *all)
{
	uint64_t least = UINT64_MAX;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i <= t->n_group; i++) {
		const struct cs_group *g = &t->group[i];
		uint64_t k;

		if (g->level || !cs_topology_offer(g, set, NULL))
			continue;
		k = cs_topology_offer(g, all, NULL);
		if (k >= least)
			continue;
		least = k;
		for (uint32_t w = g->from;; w++)
			if (set[w] & g->nodes[w]) {
				best = w * 64 + (uint32_t)__builtin_ctzll(
							set[w] & g->nodes[w]);
				break;
			}
	}
	return best;
}

static bool try(const struct cs_topology *t, const struct cs_topology_ask *a,
		bool costs, uint64_t *ret)
{
	struct choice best = { .group = CS_GROUP_NONE }, c = { 0 };
	const uint32_t *part;
	uint32_t n = costs ? cs_topology_parts(t, a->nodes, &part) : 0;

	begin(t, a);
	if (!costs)
		smallest(t, a, &c, &best);
	for (uint32_t i = 0; i < n; i++) {
		c.part = &t->group[part[i]];
		begin(t, a);
		if (cs_bits_within(t->must, c.part->nodes, t->words) &&
		    by_cost(t, a, c.part, &c))
			smallest(t, a, &c, &best);
	}
	if (best.group == CS_GROUP_NONE)
		return false;
	begin(t, a);
	if (best.part)
		by_cost(t, a, best.part, &c);
	return narrow(t, a, &t->group[best.group], ret);
}

bool cs_topology_choose(const struct cs_topology *t,
			const struct cs_topology_ask *a, uint64_t *ret)
{
	const struct cs_group *loose = cs_topology_loose(t);
	struct choice c;

	/* what costs forbid, other blocks may have */
	if ((a->cost && try(t, a, true, ret)) ||
	    ((t->block || !a->cost) && try(t, a, false, ret)))
		return true;
	if (!cs_topology_loose_holds(t, a))
		return false;
	begin(t, a);
	if (a->cost)
		by_cost(t, a, loose, &c);
	return narrow(t, a, loose, ret);
}

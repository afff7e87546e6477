/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes near each other: which ones a job gets where switches join them, or where
 * they stand in blocks.
 *
 * Problem.  A job whose processes talk to each other runs faster on nodes that
 * share a switch, and leaves more to others if it fills up what is left of one.
 * Where no switch joins two parts of a machine no job can be on both: the host
 * refuses that start for ever.
 *
 * Symbols	C name			unit
 *   N		ask->nodes		nodes that the job asks for; 1 where it asks for
 *					none, as the host has it
 *   W		ask->want		nodes, or processes of a job laid out unevenly
 *   f(G)	offer()			what the nodes of group G offer: nodes, or
 *					processes
 *   B		t->block		nodes that a base block counts for
 *   S_i	level[i].size		base blocks in a block of level i
 *
 * Rules.
 *  1. A group is what one switch joins, or a block.  A part is a group that must
 *     hold the whole of a job: of switches one with none above it; of blocks one of
 *     the level
 *
 *	L(N) = the least i with S_i B >= N, the whole machine where there is none (1)
 *
 *     whose blocks of level L(N) - 1 the job may use only so many of:
 *
 *	ceil(N / (S_(L(N) - 1) B))						(2)
 *
 *     Nodes below no switch take no job.  Those in no block, of which the host knows
 *     nothing, are as good as each other: one part more, taken where no block does.
 *  2. Costs (weights) come first: of the part with the least dear node that must be
 *     taken all cheaper nodes are taken, and of those of that cost as many as are
 *     missing.  Where (2) does not allow that costs count for nothing.
 *  3. The nodes come from the smallest group that holds the job and the nodes that
 *     it has already: the lowest level, then the least f(G) - W (best fit), then the
 *     lowest number.
 *  4. In it as few leaf switches (base blocks) as can be: those that it has nodes
 *     of; then, as long as none holds the rest, the one with most; then of those
 *     that hold it the one with least.  Of equal ones the nearest to those taken,
 *     the lowest number.  Where (2) bounds the blocks of a level these are taken in
 *     the same way before.
 *  5. In a leaf the lowest numbers.
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
 *  1. Of switches Slurm may leave the smallest group, where leaves of another one
 *     come first in its table; and it looks into one part only, the last of those of
 *     the highest level, though another one has room.
 *  2. Rule 4 takes the fewest leaves that there are; Slurm goes by distance, too.
 *
 * Cost: see topology.h.
 *
 * Known weakness: in rule 4 a level between the leaves and the group is counted for
 * nearness only.  Dragonflies are taken for trees.
 */
#include "model/topology.h"

#include <stdlib.h>
#include <string.h>

#include "model/machine.h"

/* ---- what it is made of ---------------------------------------------------- */

static struct cs_topology *create(uint32_t n_node, uint32_t n_group)
{
	struct cs_topology *t = calloc(1, sizeof(*t));
	size_t words = cs_div_up(n_node, 64);

	if (!t)
		return NULL;
	t->n_node = n_node;
	t->words = (uint32_t)words;
	t->n_group = n_group;
	t->group = calloc(n_group + (size_t)1, sizeof(*t->group));
	t->part = calloc(n_group, sizeof(*t->part));
	t->count = calloc(n_group, sizeof(*t->count));
	t->used = calloc(n_group + (size_t)1, sizeof(*t->used));
	t->fit = calloc(n_node, sizeof(*t->fit));
	t->cost = calloc(n_node, sizeof(*t->cost));
	t->all = calloc(n_group + (size_t)7, words * sizeof(*t->all));
	if (!t->group || !t->part || !t->count || !t->used || !t->fit ||
	    !t->cost || !t->all) {
		cs_topology_free(t);
		return NULL;
	}
	for (uint32_t g = 0; g <= n_group; g++)
		t->group[g].nodes = t->all + g * words;
	t->member = t->all + (n_group + (size_t)1) * words;
	t->have = t->member + words;
	t->look = t->have + words;
	t->pool = t->look + words;
	t->must = t->pool + words;
	t->rest = t->must + words;
	return t;
}

void cs_topology_free(struct cs_topology *t)
{
	if (!t)
		return;
	for (uint32_t g = 0; t->group && g < t->n_group; g++)
		free(t->group[g].name);
	free(t->group);
	free(t->level);
	free(t->part);
	free(t->count);
	free(t->used);
	free(t->fit);
	free(t->cost);
	free(t->all);
	free(t);
}

/* Are all nodes of @in also in @of? */
static bool within(const struct cs_group *in, const struct cs_group *of)
{
	for (uint32_t w = in->from; w < in->end; w++)
		if (in->nodes[w] & ~of->nodes[w])
			return false;
	return true;
}

/* Where the nodes of @g are. */
static void bounds(const struct cs_topology *t, struct cs_group *g)
{
	g->parent = CS_GROUP_NONE;
	for (uint32_t w = t->words; w--;)
		if (g->nodes[w]) {
			g->from = w;
			g->end = g->end ? g->end : w + 1;
		}
}

/* The last word of all nodes. */
static uint64_t last_word(uint32_t n_node)
{
	return n_node % 64 ? (UINT64_C(1) << n_node % 64) - 1 : UINT64_MAX;
}

/* Words and parents; the nodes and levels are there. */
static void finish(struct cs_topology *t)
{
	struct cs_group *loose = &t->group[t->n_group];

	for (uint32_t i = 0; i < t->n_group; i++) {
		bounds(t, &t->group[i]);
		for (uint32_t w = 0; w < t->words; w++)
			t->member[w] |= t->group[i].nodes[w];
	}
	for (uint32_t w = 0; t->block && w < t->words; w++)
		loose->nodes[w] = ~t->member[w];
	loose->nodes[t->words - 1] &= last_word(t->n_node);
	bounds(t, loose);
	for (uint32_t i = 0; i < t->n_group; i++) {
		struct cs_group *g = &t->group[i];

		for (uint32_t k = 0; k < t->n_group; k++)
			if (t->group[k].level > g->level &&
			    (g->parent == CS_GROUP_NONE ||
			     t->group[k].level < t->group[g->parent].level) &&
			    within(g, &t->group[k]))
				g->parent = k;
	}
}

/* Set what @d says; false: no memory. */
static bool describe(struct cs_topology *t, const struct cs_group_desc *d,
		     uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		t->group[i].level = d[i].level;
		memcpy(t->group[i].nodes, d[i].nodes,
		       t->words * sizeof(*d[i].nodes));
		t->group[i].nodes[t->words - 1] &= last_word(t->n_node);
		t->group[i].name = d[i].name ? strdup(d[i].name) : NULL;
		if (d[i].name && !t->group[i].name)
			return false;
	}
	return true;
}

static uint32_t size_of(const struct cs_group *g)
{
	uint32_t k = 0;

	for (uint32_t w = g->from; w < g->end; w++)
		k += cs_popcount(g->nodes[w]);
	return k;
}

struct cs_topology *cs_topology_tree(uint32_t n_node,
				     const struct cs_group_desc *d, uint32_t n)
{
	struct cs_topology *t = n_node && n ? create(n_node, n) : NULL;

	if (!t || !describe(t, d, n)) {
		cs_topology_free(t);
		return NULL;
	}
	finish(t);
	for (uint32_t i = 0; i < n; i++) {
		if (t->group[i].parent != CS_GROUP_NONE)
			continue;
		t->part[t->n_root++] = i;
		t->whole |= size_of(&t->group[i]) == n_node;
	}
	return t;
}

/* Blocks of level @l from those of level 0. */
static void aggregate(struct cs_topology *t, const struct cs_block_level *l,
		      uint32_t level)
{
	for (uint32_t i = 0; i < t->level[0].n; i++) {
		struct cs_group *g = &t->group[l->first + i / l->size];

		g->level = level;
		for (uint32_t w = 0; w < t->words; w++)
			g->nodes[w] |= t->group[i].nodes[w];
	}
}

struct cs_topology *cs_topology_block(uint32_t n_node,
				      const struct cs_group_desc *d, uint32_t n,
				      uint32_t block, const uint32_t *size,
				      uint32_t n_size)
{
	struct cs_block_level *level;
	struct cs_topology *t = NULL;
	uint32_t n_level = 0, n_group = 0;

	if (!n_node || !n || !block || !n_size)
		return NULL;
	level = calloc(n_size + (size_t)1, sizeof(*level));
	if (!level)
		return NULL;
	/* up to the one that is the whole machine, last */
	while (n_level <= n_size) {
		uint32_t s = n_level < n_size && size[n_level] < n
				     ? size[n_level]
				     : n;

		level[n_level].first = n_group;
		level[n_level].n = cs_div_up(n, s);
		level[n_level].size = s;
		n_group += level[n_level++].n;
		if (s == n)
			break;
	}
	t = create(n_node, n_group);
	if (!t || !describe(t, d, n)) {
		free(level);
		cs_topology_free(t);
		return NULL;
	}
	t->block = block;
	t->level = level;
	t->n_level = n_level;
	for (uint32_t i = 0; i < n_level; i++)
		if (i)
			aggregate(t, &level[i], i);
	finish(t);
	for (uint32_t i = 0; i < n_group; i++)
		t->part[i] = i;
	t->whole = n_level == 1 && size_of(&t->group[0]) == n_node;
	return t;
}

struct cs_topology *cs_topology_copy(const struct cs_topology *t)
{
	struct cs_topology *to = create(t->n_node, t->n_group);

	if (!to)
		return NULL;
	to->block = t->block;
	to->whole = t->whole;
	to->n_root = t->n_root;
	to->n_level = t->n_level;
	memcpy(to->part, t->part, t->n_group * sizeof(*t->part));
	memcpy(to->all, t->all,
	       (t->n_group + (size_t)2) * t->words * sizeof(*t->all));
	if (t->level) {
		to->level = malloc(t->n_level * sizeof(*t->level));
		if (!to->level)
			goto fail;
		memcpy(to->level, t->level, t->n_level * sizeof(*t->level));
	}
	for (uint32_t i = 0; i <= t->n_group; i++) {
		const struct cs_group *g = &t->group[i];
		uint64_t *nodes = to->group[i].nodes;

		to->group[i] = *g;
		to->group[i].nodes = nodes;
		to->group[i].name = g->name ? strdup(g->name) : NULL;
		if (g->name && !to->group[i].name)
			goto fail;
	}
	return to;
fail:
	cs_topology_free(to);
	return NULL;
}

/* ---- rule 1 ---------------------------------------------------------------- */

/* The level that (1) names. */
static uint32_t level_for(const struct cs_topology *t, uint32_t nodes)
{
	uint32_t i = 0;

	while (i + 1 < t->n_level &&
	       (uint64_t)t->level[i].size * t->block < nodes)
		i++;
	return i;
}

/* How many of the blocks one level below group @g a job may use; 0: any number. */
static uint32_t bound(const struct cs_topology *t, const struct cs_group *g,
		      uint32_t nodes)
{
	uint64_t below;

	if (!t->block || !g->level || g->level != level_for(t, nodes))
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
	l = &t->level[level_for(t, nodes)];
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

/* f(G), of the nodes of @set. */
static uint64_t offer(const struct cs_group *g, const uint64_t *set,
		      const uint32_t *fit)
{
	uint64_t k = 0;

	for (uint32_t w = g->from; w < g->end; w++) {
		uint64_t s = set[w] & g->nodes[w];

		if (!fit)
			k += cs_popcount(s);
		for (; fit && s; s &= s - 1)
			k += fit[w * 64 + (uint32_t)__builtin_ctzll(s)];
	}
	return k;
}

/* The most that @most blocks one level below @g, which is one of blocks, offer. */
static uint64_t best_of(const struct cs_topology *t, const struct cs_group *g,
			uint32_t most, const uint64_t *set, const uint32_t *fit)
{
	const struct cs_block_level *l = &t->level[g->level - 1];
	uint32_t from = l->first, end = l->first + l->n;
	uint64_t sum = 0;

	for (uint32_t i = from; i < end; i++)
		t->count[i] = t->group[i].parent == (uint32_t)(g - t->group)
				      ? offer(&t->group[i], set, fit)
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

/* What a job with @nodes nodes may have of @g. */
static uint64_t may_have(const struct cs_topology *t, const struct cs_group *g,
			 uint32_t nodes, const uint64_t *set,
			 const uint32_t *fit)
{
	uint32_t most = bound(t, g, nodes);

	return most ? best_of(t, g, most, set, fit) : offer(g, set, fit);
}

static uint32_t count(const uint64_t *set, uint32_t words)
{
	uint32_t k = 0;

	for (uint32_t w = 0; w < words; w++)
		k += cs_popcount(set[w]);
	return k;
}

/* What the nodes of @set offer. */
static uint64_t offer_all(const struct cs_topology *t, const uint64_t *set,
			  const uint32_t *fit)
{
	uint64_t k = 0;

	if (!fit)
		return count(set, t->words);
	for (uint32_t w = 0; w < t->words; w++)
		for (uint64_t s = set[w]; s; s &= s - 1)
			k += fit[w * 64 + (uint32_t)__builtin_ctzll(s)];
	return k;
}

static bool inside(const uint64_t *set, const struct cs_group *g,
		   uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (set[w] & ~g->nodes[w])
			return false;
	return true;
}

static bool loose_holds(const struct cs_topology *t,
			const struct cs_topology_ask *a)
{
	const struct cs_group *g = cs_topology_loose(t);

	return g && (!a->with || inside(a->with, g, t->words)) &&
	       offer(g, a->set, a->fit) >= a->want;
}

bool cs_topology_holds(const struct cs_topology *t,
		       const struct cs_topology_ask *a)
{
	const uint32_t *part;
	uint32_t n = cs_topology_parts(t, a->nodes, &part);

	for (uint32_t i = 0; i < n; i++) {
		const struct cs_group *g = &t->group[part[i]];

		if ((!a->with || inside(a->with, g, t->words)) &&
		    may_have(t, g, a->nodes, a->set, a->fit) >= a->want)
			return true;
	}
	return loose_holds(t, a);
}

bool cs_topology_joins(const struct cs_topology *t, const uint64_t *set)
{
	uint32_t n = count(set, t->words);
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

/* ---- rules 2 and 3 --------------------------------------------------------- */

/* What is to be had somewhere; the less the better, field by field. */
struct choice {
	uint64_t dear; /* cost of the dearest nodes that must be taken */
	uint64_t few;  /* of which so much */
	uint32_t level;
	uint64_t left;
	uint32_t group;		     /* CS_GROUP_NONE: nothing is */
	const struct cs_group *part; /* whose costs count; NULL: none do */
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

/* Add the nodes of @part that cost @cost to t->pool; what they offer.  *next
 * becomes the least cost above, if that is less. */
static uint64_t add_at(const struct cs_topology *t,
		       const struct cs_topology_ask *a,
		       const struct cs_group *part, uint64_t cost,
		       uint64_t *next)
{
	uint64_t k = 0;

	for (uint32_t w = part->from; w < part->end; w++) {
		uint64_t s = a->set[w] & part->nodes[w] & ~t->pool[w];

		for (; s; s &= s - 1) {
			uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(s);

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

/* Rule 2 in @part: t->pool becomes what the job may take, t->must what of it is
 * taken in any case.  False: there is too little. */
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

/* What the job starts with: all that it may have, and what it has. */
static void begin(const struct cs_topology *t, const struct cs_topology_ask *a)
{
	memcpy(t->pool, a->set, t->words * sizeof(*t->pool));
	if (a->with)
		memcpy(t->must, a->with, t->words * sizeof(*t->must));
	else
		memset(t->must, 0, t->words * sizeof(*t->must));
}

/* Rule 3, into *best where it is better. */
static void smallest(const struct cs_topology *t,
		     const struct cs_topology_ask *a, struct choice *c,
		     struct choice *best)
{
	uint32_t most = t->block ? level_for(t, a->nodes) : UINT32_MAX;
	bool must = count(t->must, t->words) > 0;

	for (uint32_t i = 0; i < t->n_group; i++) {
		const struct cs_group *g = &t->group[i];
		uint64_t have;

		if (g->level > most ||
		    (must && !inside(t->must, g, t->words)))
			continue;
		have = may_have(t, g, a->nodes, t->pool, a->fit);
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
	uint64_t left; /* of what is wanted; what there is, is t->rest */
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
	uint64_t all = offer(g, t->pool, v->fit);
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
	uint32_t near; /* level of the least group around it that is used */
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

/* The next group of level @level, within @of, by rule 4; CS_GROUP_NONE: there is
 * nothing left in any. */
static uint32_t next_group(const struct cover *v, uint32_t level,
			   const struct cs_group *of)
{
	const struct cs_topology *t = v->t;
	uint32_t best = CS_GROUP_NONE;
	struct leaf first = { 0 };

	for (uint32_t i = 0; i < t->n_group; i++) {
		const struct cs_group *g = &t->group[i];
		struct leaf x = { .near = UINT32_MAX };

		if (g->level != level || (t->block && !within(g, of)))
			continue;
		x.offer = offer(g, t->pool, v->fit);
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

/* Take what is left from groups of level @level in @of, at most @most of them (0:
 * any number).  False: that is too little. */
static bool cover(struct cover *v, uint32_t level, const struct cs_group *of,
		  uint32_t most)
{
	const struct cs_topology *t = v->t;
	uint32_t n = 0;

	for (uint32_t i = 0; most && i < t->n_group; i++)
		n += t->group[i].level == level && t->used[i];
	while (v->left && (!most || n <= most)) {
		uint32_t i = next_group(v, level, of);
		const struct cs_group *g = &t->group[i];

		if (i == CS_GROUP_NONE)
			break;
		n += !t->used[i];
		if (most && n > most)
			return false;
		if (!level || offer(g, t->pool, v->fit) <= v->left)
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
	uint32_t most = bound(t, g, a->nodes);
	/* the nodes that it has are none of those that are left */
	struct cover v = { t, a->fit,
			   a->want - offer_all(t, t->must, a->fit) };

	for (uint32_t i = 0; i < t->n_group; i++)
		t->used[i] = offer(&t->group[i], t->must, NULL) > 0;
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

		if (g->level || !offer(g, set, NULL))
			continue;
		k = offer(g, all, NULL);
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
		if (inside(t->must, c.part, t->words) &&
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

	/* what costs forbid may be had in other blocks */
	if ((a->cost && try(t, a, true, ret)) ||
	    ((t->block || !a->cost) && try(t, a, false, ret)))
		return true;
	if (!loose_holds(t, a))
		return false;
	begin(t, a);
	if (a->cost)
		by_cost(t, a, loose, &c);
	return narrow(t, a, loose, ret);
}

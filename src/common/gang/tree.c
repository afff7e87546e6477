/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workload tree.
 *
 * Problem.  Where is there room for a job of p processors, and where is the least load?
 * Without re-packing every slot must be searched.  With it (repack.c) only one thing
 * counts: in how many slots of a round each processor is idle.
 *
 * Symbols	C name			unit
 *   P		procs			processors
 *   h		level			2^h processors a block
 *   v		value[]			idle slots
 *
 * Rule.  A leaf's value is the number of slots in which its processor is idle. A node's
 * value is the sum of its two children's, but 0 if either is 0:
 *
 *	8: 0 . . .		0
 *			    /	    \
 *	4: 		   0	      5
 *			 /   \	    /   \
 *	2:		0     2	   2	 3
 *		       / \   / \  / \	/ \
 *	1:	      0  0  1   1 1  1 1   2
 *
 * A block whose value is not 0 can be made idle on all its processors in one slot.  If
 * the root is not 0, a slot can be spared.
 *
 * The largest value of a level: each level has a tournament over its nodes.  In heap
 * order the nodes of level h and the matches of their tournament share one numbering,
 * so max[h][i], for a node i of level h or above, is the largest value of level h below
 * i.
 *
 * Source: Zhou00 (see repack.c), section 3, figure 2.
 *
 * Differs.
 *  1. P need not be a power of two: a node without processors has no value, and its
 *     parent has its sibling's.  A block may extend beyond the last processor if the
 *     job's first p exist.
 *  2. The paper compares all values of a level.
 *
 * Example: the tree above, after figure 2 (test_gang.c).
 *
 * Invariants: value[] and max[] equal a naive count (cs_gang_check()).
 *
 * Cost: a change of one leaf updates O(log P) values and O((log P)^2) matches, of n
 * neighbours O(n) more; a search is O(log P).
 */
#include "gang/tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gang/matrix.h"

static uint32_t width(const struct cs_gang_tree *t)
{
	return UINT32_C(1) << (t->levels - 1);
}

uint32_t cs_gang_level(uint32_t procs)
{
	uint32_t h = 0;

	while (procs > UINT64_C(1) << h)
		h++;
	return h;
}

int cs_gang_tree_init(struct cs_gang_tree *t, uint32_t procs)
{
	size_t n;

	*t = (struct cs_gang_tree){ .procs = procs,
				    .levels = cs_gang_level(procs) + 1 };
	n = 2 * (size_t)width(t);
	t->value = calloc(n, sizeof(*t->value));
	t->max = calloc(t->levels, sizeof(*t->max));
	for (uint32_t h = 0; t->max && h < t->levels; h++)
		t->max[h] = calloc(n >> h, sizeof(**t->max));
	for (uint32_t h = 0; t->max && h < t->levels; h++)
		if (!t->max[h])
			t->levels = 0;
	if (t->value && t->max && t->levels)
		return 0;
	t->levels = cs_gang_level(procs) + 1;
	cs_gang_tree_done(t);
	return -ENOMEM;
}

void cs_gang_tree_done(struct cs_gang_tree *t)
{
	for (uint32_t h = 0; t->max && h < t->levels; h++)
		free(t->max[h]);
	free(t->max);
	free(t->value);
	*t = (struct cs_gang_tree){ 0 };
}

void cs_gang_tree_copy(struct cs_gang_tree *to, const struct cs_gang_tree *from)
{
	size_t n = 2 * (size_t)width(from);

	memcpy(to->value, from->value, n * sizeof(*to->value));
	for (uint32_t h = 0; h < from->levels; h++)
		memcpy(to->max[h], from->max[h], (n >> h) * sizeof(**to->max));
}

/* The rule, for node @i of level @h >= 1. */
static uint64_t sum(const struct cs_gang_tree *t, uint32_t h, uint32_t i)
{
	uint64_t a = t->value[2 * i], b = t->value[2 * i + 1];
	uint64_t first = (uint64_t)(2 * i + 1) << (h - 1); /* b's leaf */

	if (first - width(t) >= t->procs)
		return a;
	return a && b ? a + b : 0;
}

void cs_gang_tree_add(struct cs_gang_tree *t, uint32_t from, uint32_t to,
		      int by)
{
	uint32_t a = width(t) + from, b = width(t) + to - 1; /* nodes */

	if (from >= to)
		return;
	for (uint32_t i = a; i <= b; i++)
		t->value[i] += (uint64_t)(int64_t)by;
	for (uint32_t h = 1; h < t->levels; h++)
		for (uint32_t i = a >> h; i <= b >> h; i++)
			t->value[i] = sum(t, h, i);
	for (uint32_t h = 0; h < t->levels; h++, a >>= 1, b >>= 1) {
		uint64_t *max = t->max[h];

		memcpy(max + a, t->value + a,
		       (b - a + (size_t)1) * sizeof(*max));
		for (uint32_t l = a >> 1, r = b >> 1; l; l >>= 1, r >>= 1)
			for (uint32_t i = l; i <= r; i++)
				max[i] = max[2 * i] >= max[2 * i + 1]
						 ? max[2 * i]
						 : max[2 * i + 1];
	}
}

uint64_t cs_gang_tree_leaf(const struct cs_gang_tree *t, uint32_t proc)
{
	return t->value[width(t) + proc];
}

uint64_t cs_gang_tree_block(const struct cs_gang_tree *t, uint32_t h,
			    uint32_t at)
{
	return t->value[(width(t) >> h) + (at >> h)];
}

uint64_t cs_gang_tree_root(const struct cs_gang_tree *t)
{
	return t->value[1];
}

/* The node with the largest value among the first @n of @of (a power of two), whose
 * tournament is @max: the root of the leftmost subtree that holds it. */
static uint32_t best_of(const uint64_t *max, uint32_t of, uint32_t n)
{
	uint32_t i = 1, best = 0;

	while (n) {
		uint32_t half = of / 2, all = n >= of	  ? i
					      : n >= half ? 2 * i
							  : 0;

		if (all && max[all] && (!best || max[all] > max[best]))
			best = all;
		if (n >= of)
			break;
		i = 2 * i + (n >= half);
		n -= n >= half ? half : 0;
		of = half;
	}
	return best;
}

uint32_t cs_gang_tree_best(const struct cs_gang_tree *t, uint32_t procs)
{
	uint32_t h = cs_gang_level(procs), of, i;

	if (!procs || procs > t->procs)
		return CS_GANG_NONE;
	of = width(t) >> h;
	i = best_of(t->max[h], of, ((t->procs - procs) >> h) + 1);
	if (!i)
		return CS_GANG_NONE;
	while (i < of)
		i = 2 * i + (t->max[h][2 * i] < t->max[h][2 * i + 1]);
	return (i - of) << h;
}

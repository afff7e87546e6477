/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a topology of switches or blocks: groups of nodes with their levels and
 * parents, and the parts of the machine.
 *
 * Cost: O(groups^2 x words) to make one, O(groups x words) to copy it.
 */
#include "model/topology.h"

#include <stdlib.h>
#include <string.h>

#include "model/topology_parts.h"

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

/* Set the bounds of the nodes of @g. */
static void bounds(const struct cs_topology *t, struct cs_group *g)
{
	g->parent = CS_GROUP_NONE;
	for (uint32_t w = t->words; w--;)
		if (g->nodes[w]) {
			g->from = w;
			g->end = g->end ? g->end : w + 1;
		}
}

/* Set words and parents; nodes and levels are set. */
static void finish(struct cs_topology *t)
{
	struct cs_group *loose = &t->group[t->n_group];

	for (uint32_t i = 0; i < t->n_group; i++) {
		bounds(t, &t->group[i]);
		cs_bits_or(t->member, t->group[i].nodes, t->words);
	}
	for (uint32_t w = 0; t->block && w < t->words; w++)
		loose->nodes[w] = ~t->member[w];
	loose->nodes[t->words - 1] &= cs_bit_all(t->n_node, t->words - 1);
	bounds(t, loose);
	for (uint32_t i = 0; i < t->n_group; i++) {
		struct cs_group *g = &t->group[i];

		for (uint32_t k = 0; k < t->n_group; k++)
			if (t->group[k].level > g->level &&
			    (g->parent == CS_GROUP_NONE ||
			     t->group[k].level < t->group[g->parent].level) &&
			    cs_group_within(g, &t->group[k]))
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
		t->group[i].nodes[t->words - 1] &=
			cs_bit_all(t->n_node, t->words - 1);
		t->group[i].name = d[i].name ? strdup(d[i].name) : NULL;
		if (d[i].name && !t->group[i].name)
			return false;
	}
	return true;
}

static uint32_t size_of(const struct cs_group *g)
{
	return cs_bits_count(g->nodes + g->from, g->end - g->from);
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
		cs_bits_or(g->nodes, t->group[i].nodes, t->words);
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
	/* up to the last one, the whole machine */
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

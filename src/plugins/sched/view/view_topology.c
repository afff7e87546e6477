/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The topology of the machine: switches, or blocks.
 *
 * None if Slurm's test ignores it for a plain job: TopologyParam=TopoOptional, or
 * CR_LLN.  For a job whose wishes bypass it (--contiguous, --spread-job) Slurm's test
 * finds the nodes anyway: CS_JOB_HOST.
 *
 * Sizes of blocks are Slurm's; up to 24.05, which does not tell them, as if BlockSizes
 * were unset, and a base block counts as the smallest one's number of nodes.
 */
#include "compat/topology.h"

#include "sched/view/view.h"

#include <errno.h>
#include <stdlib.h>

#include "common/model/topology.h"

#define LEVELS 16 /* of blocks, Slurm's limit */

/* Groups of one kind, and the words of their nodes. */
struct gather {
	struct cs_group_desc *d;
	uint64_t *words;
	uint32_t n;
};

static void gather_done(struct gather *g)
{
	free(g->d);
	free(g->words);
}

static int gather(struct gather *g, const struct cs_view *v,
		  const struct cs_switches *s)
{
	size_t words = cs_node_words(v->machine);

	g->d = calloc(s->n, sizeof(*g->d));
	g->words = calloc(s->n * words, sizeof(*g->words));
	if (!g->d || !g->words)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct cs_switch *sw = &s->sw[i];
		uint64_t *set = g->words + g->n * words;
		bitoff_t first = sw->nodes ? bit_ffs(sw->nodes) : -1;
		bitoff_t last = first >= 0 ? bit_fls(sw->nodes) : -1;

		if (s->blocks && sw->level)
			continue;
		for (bitoff_t b = first; b >= 0 && b <= last; b++)
			if (b < (bitoff_t)v->machine->n_node &&
			    bit_test(sw->nodes, b))
				cs_bit_set(set, (uint32_t)b);
		g->d[g->n++] = (struct cs_group_desc){ .name = sw->name,
						       .level = sw->level,
						       .nodes = set };
	}
	return 0;
}

/* The nominal nodes of a base block. */
static uint32_t block_size(const struct cs_switches *s)
{
	uint32_t least = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t k = s->sw[i].size;

		if (s->sw[i].level)
			continue;
		if (!k && s->sw[i].nodes)
			k = (uint32_t)bit_set_count(s->sw[i].nodes);
		if (k && (!least || k < least))
			least = k;
	}
	return least ? least : 1;
}

/* Base blocks in a block of each level, into @size; returns the number of levels. */
static uint32_t block_sizes(const struct cs_switches *s, uint32_t block,
			    uint32_t size[LEVELS])
{
	uint32_t n = 0;
	bool told = s->n && s->sw[0].size;

	for (uint32_t i = 0; i < LEVELS; i++) {
		uint32_t is = UINT32_C(1) << i;
		bool has = !i || (!told && i < 5);

		for (uint32_t k = 0; told && !has && k < s->n; k++)
			has = s->sw[k].level &&
			      s->sw[k].size == (uint64_t)is * block;
		if (has)
			size[n++] = is;
	}
	return n;
}

int cs_view_topology(struct cs_view *v)
{
	uint32_t n_node = v->machine->n_node;
	struct gather g = { 0 };
	struct cs_switches s;
	int rc;

	v->topology_counts = cs_switches_count();
	v->topology_mark = cs_switches_mark();
	if (!v->topology_counts)
		return 0;
	cs_switches_read(&s);
	if (!s.n)
		return 0;
	rc = gather(&g, v, &s);
	if (!rc && s.blocks && g.n) {
		uint32_t size[LEVELS], block = block_size(&s);
		uint32_t n = block_sizes(&s, block, size);

		v->machine->topology =
			cs_topology_block(n_node, g.d, g.n, block, size, n);
	} else if (!rc && g.n) {
		v->machine->topology = cs_topology_tree(n_node, g.d, g.n);
	}
	if (!rc && g.n && !v->machine->topology)
		rc = -ENOMEM;
	gather_done(&g);
	cs_switches_free(&s);
	return rc;
}

bool cs_view_topology_changed(const struct cs_view *v)
{
	return v->topology_counts != cs_switches_count() ||
	       v->topology_mark != cs_switches_mark();
}

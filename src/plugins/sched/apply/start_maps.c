/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's nodes and cores as Slurm's bitmaps, and Slurm's nodes as the engine's.
 */
#include "sched/apply/start_maps.h"

#include <stdlib.h>

#include "sched/view/view_table.h"

bitstr_t *cs_start_maps_nodes(const struct cs_adapter *b,
			      const struct cs_alloc *a)
{
	bitstr_t *nodes = bit_alloc(b->view->machine->n_node);

	for (uint32_t i = 0; i < a->n_node; i++)
		bit_set(nodes, a->node[i].node);
	return nodes;
}

bitstr_t *cs_start_maps_set(const struct cs_adapter *b, uint32_t set)
{
	const uint64_t *words = cs_view_set_words(b->view->sets, set);
	bitstr_t *nodes = bit_alloc(b->view->machine->n_node);

	for (uint32_t i = 0; words && i < b->view->machine->n_node; i++)
		if (cs_bit(words, i) &&
		    !cs_node_vacant(&b->view->machine->node[i]))
			bit_set(nodes, i);
	return nodes;
}

bitstr_t *cs_start_maps_cores(const struct cs_adapter *b,
			      const struct cs_alloc *a)
{
	bitstr_t *cores = bit_alloc(b->view->n_core);

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t node = a->node[i].node;
		uint32_t n = cs_view_system_cores(b->view, node);

		for (uint32_t c = 0; c < n; c++)
			if (cs_bit(cs_alloc_cores(a, i), c))
				bit_set(cores,
					cs_view_system_core(b->view, node, c));
	}
	return cores;
}

bitstr_t *cs_start_maps_open(const struct cs_adapter *b,
			     const struct cs_alloc *a)
{
	struct cs_alloc *open = cs_alloc_copy(a);
	bitstr_t *cores;

	if (!open)
		return NULL;
	for (uint32_t i = 0; i < open->n_node; i++)
		cs_engine_free_cores(b->engine, open->node[i].node,
				     cs_alloc_cores(open, i));
	cores = cs_start_maps_cores(b, open);
	cs_alloc_free(open);
	return cores;
}

struct mark {
	bool whole;  /* set all cores of the job's nodes; else clear its own */
	bool packed; /* also if it is packed ... */
	const bitstr_t *but; /* ... but not on these; NULL: none */
};

/* Set, or clear, cores of the nodes of job @id in @map. */
static void mark(const struct cs_adapter *b, uint32_t id, const struct mark *m,
		 bitstr_t *map)
{
	struct cs_running r;

	if (cs_engine_running(b->engine, id, &r) || r.suspended ||
	    (r.packed && !m->packed))
		return;
	for (uint32_t i = 0; i < r.alloc->n_node; i++) {
		uint32_t node = r.alloc->node[i].node;
		uint32_t n = cs_view_system_cores(b->view, node);

		if (r.packed && m->but && bit_test((bitstr_t *)m->but, node))
			continue;
		for (uint32_t c = 0; c < n; c++) {
			uint32_t at = cs_view_system_core(b->view, node, c);

			if (m->whole)
				bit_set(map, at);
			else if (cs_bit(cs_alloc_cores(r.alloc, i), c))
				bit_clear(map, at);
		}
	}
}

bitstr_t *cs_start_maps_kept(const struct cs_adapter *b, uint32_t id,
			     const bitstr_t *checked)
{
	const struct cs_known_job *k = cs_known_find(&b->known, id);
	const struct cs_view_desc *d = k ? cs_known_desc(k) : NULL;
	bitstr_t *kept = bit_alloc(b->view->n_core);
	bool alone = d && d->flags & CS_JOB_NO_SHARE;
	const struct mark nodes = {
		.whole = true,
		.packed = alone || b->params.share_scope != CS_SCOPE_ANY,
		.but = alone ? NULL : checked,
	};
	const struct mark own = { .packed = true };

	for (uint32_t i = 0; i < b->known.n; i++)
		mark(b, b->known.list[i]->id, &nodes, kept);
	for (uint32_t i = 0; i < b->known.n; i++)
		mark(b, b->known.list[i]->id, &own, kept);
	return kept;
}

bool cs_start_maps_forecast(const struct cs_adapter *b, time_t start,
			    const bitstr_t *nodes, struct cs_forecast *ret)
{
	uint32_t *node = NULL;

	*ret = (struct cs_forecast){ .start_us = (int64_t)start * 1000000 +
						 b->view->ahead_us };
	if (start)
		node = calloc(b->view->machine->n_node, sizeof(*node));
	for (uint32_t n = 0; node && n < b->view->machine->n_node; n++)
		if (bit_test((bitstr_t *)nodes, n))
			node[ret->n++] = n;
	ret->node = node;
	return ret->n > 0;
}

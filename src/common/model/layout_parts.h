/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by fit.c, core_layout.c and layout.c: small tests of a shape, and the nodes to
 * ask a topology about, in its scratch (look, fit).
 */
#ifndef CS_MODEL_LAYOUT_PARTS_H
#define CS_MODEL_LAYOUT_PARTS_H

#include <string.h>

#include "model/layout.h"
#include "model/topology.h"

/* Of the 64 nodes from @w * 64 on, those of @allowed that need a closer look. */
static inline uint64_t cs_fit_worth(const struct cs_occ *o,
				    const struct cs_shape *s,
				    const uint64_t *allowed, uint32_t w)
{
	uint64_t set = allowed[w] & ~o->down[w];

	return s->kind == CS_SHAPE_SPACE ? set & o->empty[w] : set;
}

/* The topology that decides whether a job of shape @s fits; NULL: none. */
static inline const struct cs_topology *
cs_fit_topology(const struct cs_machine *m, const struct cs_shape *s)
{
	return m->topology && !m->topology->whole && !s->anywhere ? m->topology
								  : NULL;
}

/* The request of shape @s for nodes of t->look, each of which takes t->fit. */
static inline struct cs_topology_ask cs_fit_ask(const struct cs_topology *t,
						const struct cs_shape *s)
{
	return (struct cs_topology_ask){
		.set = t->look,
		.fit = s->even ? NULL : t->fit,
		.want = s->even ? s->nodes : s->procs,
		.nodes = s->nodes,
	};
}

/* Record that node @n takes @fit processes of shape @s. */
static inline void cs_fit_note(const struct cs_topology *t,
			       const struct cs_shape *s, uint32_t n,
			       uint32_t fit)
{
	t->fit[n] = fit;
	if (s->even ? fit >= s->quota : fit)
		cs_bit_set(t->look, n);
}

/* Is an uneven shape's number of nodes given? */
static inline bool cs_fit_counts(const struct cs_shape *s)
{
	return !s->even && s->nodes > 1;
}

/* Is it given, or bounded? */
static inline bool cs_fit_bounds(const struct cs_shape *s)
{
	return cs_fit_counts(s) || (!s->even && s->max_nodes);
}

static inline void cs_fit_forget(const struct cs_topology *t)
{
	memset(t->look, 0, t->words * sizeof(*t->look));
}

/* May it be on any empty node that is up, and on no other? */
static inline bool cs_fit_any_empty(const struct cs_machine *m,
				    const struct cs_shape *s)
{
	return m->alike && s->kind == CS_SHAPE_SPACE && s->even &&
	       !s->mem_node_mb && !s->mem_cpu_mb && !s->gpus && !s->gpu_keep;
}

/* Are @nodes nodes that take @procs processes enough, even if the shape may not have
 * them all? */
static inline bool cs_fit_enough(const struct cs_shape *s, uint32_t nodes,
				 uint64_t procs)
{
	return nodes >= s->nodes && (s->even || procs >= s->procs);
}

static inline bool cs_fit_too_many(const struct cs_shape *s, uint32_t nodes)
{
	return !s->even && s->max_nodes && nodes > s->max_nodes;
}

/* Do at most max_nodes nodes of t->look in @set hold an uneven shape?  *ret_nodes: how
 * many.  O(nodes) for each number of processes that one takes, until there are
 * enough. */
bool cs_fit_set(const struct cs_topology *t, const struct cs_shape *s,
		const uint64_t *set, uint32_t *ret_nodes);

/* The smallest group that a job may have all of and whose nodes of t->look hold an
 * uneven shape, with the fewest of them; NULL: none. */
const struct cs_group *cs_fit_group(const struct cs_topology *t,
				    const struct cs_shape *s);

/* Lay the job out on the nodes of @a, equal and empty if @alike, one after the other or,
 * an uneven shape, in @order (their indexes in @a).  False: no room. */
bool cs_layout_fill(const struct cs_occ *o, const struct cs_shape *s,
		    struct cs_alloc *a, bool alike, const uint32_t *order);

/* As cs_layout_on(), in @order (NULL: as they come). */
struct cs_alloc *cs_layout_on_by(const struct cs_occ *o,
				 const struct cs_shape *s, const uint32_t *node,
				 uint32_t n, const uint32_t *order,
				 bool *ret_nomem);

#endif

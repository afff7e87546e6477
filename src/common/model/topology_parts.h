/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by topology.c, topology_make.c and topology_choose.c. */
#ifndef CS_MODEL_TOPOLOGY_PARTS_H
#define CS_MODEL_TOPOLOGY_PARTS_H

#include "base/bits.h"
#include "model/topology.h"

/* Are all nodes of @in also in @of? */
static inline bool cs_group_within(const struct cs_group *in,
				   const struct cs_group *of)
{
	return cs_bits_within(in->nodes + in->from, of->nodes + in->from,
			      in->end - in->from);
}

/* The level L(N) of (1). */
uint32_t cs_topology_level(const struct cs_topology *t, uint32_t nodes);

/* How many blocks one level below group @g a job may use; 0: any number. */
uint32_t cs_topology_bound(const struct cs_topology *t,
			   const struct cs_group *g, uint32_t nodes);

/* f(G), of the nodes of @set. */
uint64_t cs_topology_offer(const struct cs_group *g, const uint64_t *set,
			   const uint32_t *fit);

/* What a job with @nodes nodes may have of @g. */
uint64_t cs_topology_may_have(const struct cs_topology *t,
			      const struct cs_group *g, uint32_t nodes,
			      const uint64_t *set, const uint32_t *fit);

/* Do the nodes in no block hold it? */
bool cs_topology_loose_holds(const struct cs_topology *t,
			     const struct cs_topology_ask *a);

#endif

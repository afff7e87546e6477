/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sites of a machine, one for each node, and the cost of running over several of
 * them.  Sites are clusters of a grid, racks, or the nodes below a leaf switch.
 *
 * Symbols	C name		unit
 *   r		estimate_us	us, runtime on one site
 *   p		across		1, from 0
 *   k		fragments	sites that the job is on
 *
 *	r* = (1 + p) r			across_grows=constant	(1), k > 1
 *	r* = (1 + p (k - 1) / 3) r	linear
 *	r* = (1 + p log2(k) / 2) r	log
 *
 * so that four fragments cost p by all three.
 *
 * Source: Ernemann02 (Ernemann, Hamscher, Streit, Yahyapour, Enhanced Algorithms for
 * Multi-Site Scheduling, GRID 2002), section 3, equation 1; the other two are ours.
 */
#ifndef CS_MODEL_SITES_H
#define CS_MODEL_SITES_H

#include <stdint.h>

#include "base/bits.h"
#include "model/machine.h"
#include "params/params.h"

struct cs_site {
	char *name;	 /* may be NULL */
	uint32_t n_node; /* >= 1 */
	/* the words of `nodes` from the first to past the last non-zero */
	uint32_t from, end;
	uint64_t *nodes; /* [words] */
};

struct cs_sites {
	uint32_t n, n_node, words;
	struct cs_site *site; /* [n] */
	uint32_t *of;	      /* [n_node] */
	uint64_t *all;	      /* memory of the node sets */
};

/*
 * Sites for @n_node nodes: node k is in site @of[k] < @n, and every site has a node.
 * @name [n] are copied, each may be NULL; NULL: none has one.  The result is the
 * caller's.  NULL: no memory, or a site that is empty or out of range. O(nodes + sites
 * * nodes / 64).
 */
struct cs_sites *cs_sites_create(uint32_t n_node, const uint32_t *of,
				 uint32_t n, const char *const *name);
struct cs_sites *cs_sites_copy(const struct cs_sites *s);
void cs_sites_free(struct cs_sites *s);

/* Nodes of site @i in @set.  O(nodes of the site / 64). */
static inline uint32_t cs_site_count(const struct cs_sites *s, uint32_t i,
				     const uint64_t *set)
{
	const struct cs_site *site = &s->site[i];
	uint32_t k = 0;

	for (uint32_t w = site->from; w < site->end; w++)
		k += cs_popcount(set[w] & site->nodes[w]);
	return k;
}

/* Sites that @a is on; 1 if @s is NULL.  O(nodes of @a). */
uint32_t cs_sites_touched(const struct cs_sites *s, const struct cs_alloc *a);

/* Nodes of @a in site @i.  O(nodes of @a). */
uint32_t cs_sites_nodes(const struct cs_sites *s, uint32_t i,
			const struct cs_alloc *a);

/* r* / r over @fragments (>= 1) sites, for @p >= 0. */
double cs_sites_crossing(enum cs_across_grows grows, double p,
			 uint32_t fragments);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes and cores of a shape on the present machine: layout.c and core_layout.c.
 */
#ifndef CS_MODEL_LAYOUT_H
#define CS_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fit.h"
#include "model/occupancy.h"
#include "model/shape.h"

/* Which of the nodes that would do are chosen: by weight, then ... */
enum cs_pick {
	CS_PICK_FIT,	      /* as below */
	CS_PICK_LEAST_LOADED, /* those with the most of their cores free */
	CS_PICK_LAST,	      /* those of the highest index */
};

struct cs_how {
	enum cs_pick pick;
	const uint64_t *inside; /* node set: the others come after, but before
				   nodes to be booted; NULL: all */
	/* Sets of lines (struct cs_node): those with a node inside that is awake,
	 * and outside; NULL: they do not count. */
	const uint64_t *awake_inside, *awake_outside;
};

/*
 * Choose nodes of @allowed and exact cores.  NULL: it does not fit, or no
 * memory (*ret_nomem).  Order: uneven shapes go to the node with the least room that
 * holds the whole job, or if they need several, to as many by weight and index, else to
 * those with most room; others by weight and index.  The caller owns the result.
 */
struct cs_alloc *cs_layout_choose(const struct cs_occ *o,
				  const struct cs_shape *s,
				  const uint64_t *allowed, bool *ret_nomem);

/* The same, chosen in that way. */
struct cs_alloc *cs_layout_choose_how(const struct cs_occ *o,
				      const struct cs_shape *s,
				      const uint64_t *allowed,
				      const struct cs_how *how,
				      bool *ret_nomem);

/*
 * Leave in @set only @more nodes near each other and the @n of @node, in one part of
 * the machine; all are equal except for weight and crowd.  False: too few; @set is
 * unchanged.  Without a topology: true, @set unchanged.
 */
bool cs_layout_near(const struct cs_occ *o, const uint32_t *node, uint32_t n,
		    uint32_t more, uint64_t *set);

/* Put node indexes in increasing order. */
void cs_layout_sort(uint32_t *node, uint32_t n);

/*
 * Lay the job out on exactly the @n nodes @node (increasing), quota each, the
 * rest on the last; cores by core_layout.c.  NULL: no room or no memory.
 */
struct cs_alloc *cs_layout_on(const struct cs_occ *o, const struct cs_shape *s,
			      const uint32_t *node, uint32_t n,
			      bool *ret_nomem);

#endif

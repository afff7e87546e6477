/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes and cores a shape becomes on a machine as it is: layout.c and
 * core_layout.c.
 */
#ifndef CS_MODEL_LAYOUT_H
#define CS_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fit.h"
#include "model/occupancy.h"
#include "model/shape.h"

/*
 * Choose nodes of @allowed and exact cores.  NULL: it does not fit, or no
 * memory (*ret_nomem).  Order: uneven shapes go to the node with the least room
 * that holds the whole job, or where they need several, to so many by weight and
 * index, else to those with most room; others by weight and index.  The caller
 * owns the result.
 */
struct cs_alloc *cs_layout_choose(const struct cs_occ *o,
				  const struct cs_shape *s,
				  const uint64_t *allowed, bool *ret_nomem);

/*
 * Of the nodes of @set leave only @more that are near each other and the @n of
 * @node, in one part of the machine; each does as well, but for its weight and
 * crowd.  False: there are not so many; @set is as before.  Without a topology true,
 * and @set is as before.
 */
bool cs_layout_near(const struct cs_occ *o, const uint32_t *node, uint32_t n,
		    uint32_t more, uint64_t *set);

/* Put node indexes in increasing order. */
void cs_layout_sort(uint32_t *node, uint32_t n);

/*
 * Lay the job out on exactly the @n nodes @node (increasing), quota each, the
 * rest on the last; cores as core_layout.c has it.  NULL: no room or no memory.
 */
struct cs_alloc *cs_layout_on(const struct cs_occ *o, const struct cs_shape *s,
			      const uint32_t *node, uint32_t n,
			      bool *ret_nomem);

#endif

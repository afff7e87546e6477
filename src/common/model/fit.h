/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a shape fit on nodes, now or empty?  The rules are in fit.c.
 */
#ifndef CS_MODEL_FIT_H
#define CS_MODEL_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/occupancy.h"
#include "model/shape.h"

/*
 * Processes of a job of shape @s that node @n could take in @o, with any neighbours if
 * the shape is shared; 0: none.
 */
uint32_t cs_layout_fit(const struct cs_occ *o, uint32_t n,
		       const struct cs_shape *s);

/* Does node @n count towards the nodes of an even shape? */
static inline bool cs_layout_usable(const struct cs_occ *o, uint32_t n,
				    const struct cs_shape *s)
{
	return cs_layout_fit(o, n, s) >= s->quota;
}

/* Does one node's part of @s fit on any empty node that is up, and on no other? */
bool cs_layout_any_empty(const struct cs_machine *m, const struct cs_shape *s);

/* The same, and any such nodes hold it together. */
bool cs_layout_plain(const struct cs_machine *m, const struct cs_shape *s);

/* Are there fewer empty nodes on the whole machine than @s needs?  O(1). */
static inline bool cs_layout_crowded(const struct cs_occ *o,
				     const struct cs_shape *s)
{
	return s->kind == CS_SHAPE_SPACE && s->even &&
	       s->nodes > o->machine->n_node - o->used_nodes;
}

/*
 * Does a job of shape @s fit on the nodes of @allowed in @o?  Does not choose them:
 * O(nodes), O(nodes / 64) for a plain shape.
 */
bool cs_layout_fits(const struct cs_occ *o, const struct cs_shape *s,
		    const uint64_t *allowed);

/* How many nodes of @allowed, and which (@ret_nodes, may be NULL), could each take
 * their part of shape @s in @o.  The same cost. */
uint32_t cs_layout_count(const struct cs_occ *o, const struct cs_shape *s,
			 const uint64_t *allowed, uint64_t *ret_nodes);

/* Does shape @than fit wherever shape @s does?  False if that is not known; without a
 * topology. */
bool cs_layout_harder(const struct cs_shape *s, const struct cs_shape *than);

/* Could one empty node like @node take its part of shape @s? */
bool cs_layout_could(const struct cs_node *node, const struct cs_shape *s);

/* The same on an empty machine without the nodes of @down (NULL: none): could it ever
 * fit? */
bool cs_layout_holds(const struct cs_machine *m, const uint64_t *down,
		     const struct cs_shape *s, const uint64_t *allowed);

#endif

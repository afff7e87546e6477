/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matched jobs above each other on the nodes of a group; the theory is in
 * group_layers.c. */
#ifndef CS_PLACE_GROUP_LAYERS_H
#define CS_PLACE_GROUP_LAYERS_H

#include "place/candidate.h"

#define CS_NO_PLACE UINT32_MAX

/*
 * Where candidate @c would stand beside the matched jobs of @g with at most @layers
 * of them on a node: its first node, as in cs_formed.from; CS_NO_PLACE.  O(1) for
 * one layer where f->layers is 1, else O(g->n^3).
 */
uint32_t cs_group_layers_place(const struct cs_forming *f,
			       const struct cs_formed *g, uint32_t c,
			       uint32_t layers);

/*
 * The coscheduling slowdowns of the matched jobs of @g into @ret_cos [g->n], while
 * those with @gone [g->n] have ended (NULL: none has); returns the primary job's.
 * 1 for who has nobody beside him.  O(n), beyond one layer O(n^2).
 */
double cs_group_layers_suffer(const struct cs_forming *f,
			      const struct cs_formed *g, const bool *gone,
			      double *ret_cos);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proposed starts.
 */
#ifndef CS_LIFECYCLE_PROPOSAL_H
#define CS_LIFECYCLE_PROPOSAL_H

#include <stdint.h>

#include "model/machine.h"
#include "model/occupancy.h"

struct cs_ejob;
struct cs_engine;

/* A proposed start: @j, or a task split off where it is an array, moves from
 * waiting to proposed.  Takes ownership of @a, also on error.  NULL: no memory. */
struct cs_ejob *cs_proposal_make(struct cs_engine *e, struct cs_ejob *j,
				 uint32_t option, struct cs_alloc *a,
				 enum cs_node_use hold);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Would a job run on what is set aside for it, node by node?  The rule is in gather.c.
 */
#ifndef CS_MODEL_GATHER_H
#define CS_MODEL_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"
#include "model/machine.h"
#include "model/shape.h"

struct cs_gather {
	struct cs_shape shape;
	uint32_t min_nodes;
	uint32_t n_node;   /* nodes that hold a part of it */
	uint32_t most;	   /* processes on one of them */
	uint32_t *holding; /* [most + 1] nodes that hold so many */
};

/* For @j, whose strings and options do not count; @whole: it takes whole nodes.  Nothing is
 * set aside yet.  0; -ENOMEM. */
int cs_gather_init(struct cs_gather *g, const struct cs_machine *m,
		   const struct cs_job *j, bool whole);
void cs_gather_done(struct cs_gather *g);

/* Processes of the job that @cores cores and @free_mb of @node hold. */
uint32_t cs_gather_fit(const struct cs_gather *g, const struct cs_node *node,
		       uint32_t cores, uint64_t free_mb);

/* Set them aside, of one more node. */
void cs_gather_add(struct cs_gather *g, const struct cs_node *node,
		   uint32_t cores, uint64_t free_mb);

/* Do the nodes hold the job?  O(processes of a node). */
bool cs_gather_enough(const struct cs_gather *g);

#endif

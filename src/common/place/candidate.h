/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of a primary job and its matched jobs; the theory is in group_form.c. */
#ifndef CS_PLACE_CANDIDATE_H
#define CS_PLACE_CANDIDATE_H

#include "state/state.h"

#define CS_MATCHED_MAX 64 /* matched jobs of a group */

/* A running or waiting job that may join a given primary job. */
struct cs_candidate {
	struct cs_ejob *job;
	uint32_t option;
	struct cs_shape shape; /* of a waiting one */
	uint32_t procs, nodes;
	double rest_us;	 /* of its estimate */
	double pace;	 /* time that a us of it takes without neighbours */
	double crossing; /* ... of this on as many sites as it may be on */
	uint32_t sites;	 /* ... if it waits */
	double self;	 /* Zeng09's SL_self */
	double cos;	 /* its slowdown by the primary job */
	double harm;	 /* the primary job's slowdown by it */
	double bearable; /* cos beyond which it is better off packed */
	/* where several matched jobs may be on a node: */
	double most;	 /* its maximum coscheduling slowdown */
	uint32_t cores;	 /* of a node; of a running primary job: 0 */
	uint64_t mem_mb; /* ... */
};

struct cs_formed {
	uint32_t n;
	uint32_t nodes; /* reached by matched jobs */
	double gain;	/* equation 6 */
	double harm;	/* the primary job's largest slowdown */
	uint32_t matched[CS_MATCHED_MAX]; /* indexes of candidates */
	uint32_t from[CS_MATCHED_MAX];	  /* first node of each, from the
					     primary job's first */
};

struct cs_forming {
	const struct cs_params *params;
	uint32_t most;			 /* matched jobs, <= CS_MATCHED_MAX */
	uint32_t layers;		 /* of them on a node, >= 1 */
	const struct cs_slowdown *model; /* beyond one layer, and ... */
	uint32_t cores;			 /* ... of a node of the group, ... */
	uint64_t mem_mb; /* ... UINT64_MAX: memory is not accounted */
	bool first;	 /* the first suitable group, not the best */
	bool every;	 /* every candidate, in its order: group_unplanned.c */
	struct cs_candidate primary;	/* cos and harm unused */
	struct cs_candidate *candidate; /* [n], step 2's order before blocks */
	uint32_t n;
	int32_t must; /* a candidate that must be matched; -1: none */
	struct cs_formed *group; /* [n_group] gain decreasing */
	uint32_t n_group, cap_group;
};

/* How long the candidate would last from now beside the primary job. */
static inline double cs_candidate_lasts_us(const struct cs_candidate *c,
					   double cos)
{
	return c->rest_us * c->pace * cos;
}

/* Nodes that a group takes. */
static inline uint32_t cs_formed_nodes(const struct cs_forming *f,
				       const struct cs_formed *g)
{
	return g->nodes > f->primary.nodes ? g->nodes : f->primary.nodes;
}

/* Steps 2 to 5: fill f->group with the groups worth a fairness check, the best first.
 * Reorders f->candidate within its blocks.  0, -ENOMEM. */
int cs_group_form(struct cs_forming *f);

#endif

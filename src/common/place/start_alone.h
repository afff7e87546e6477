/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The start of a job by itself; the rules are in start_alone.c. */
#ifndef CS_PLACE_START_ALONE_H
#define CS_PLACE_START_ALONE_H

#include "state/pass.h"

/* Propose a start alone with shape @s; @rule as in cs_action. */
int cs_start_alone(struct cs_pass *p, const struct cs_entry *entry,
		   const struct cs_shape *s, uint32_t rule, double gain);
/* The same, for a run of @run_us.  1, 0: not now, -ENOMEM. */
int cs_start_alone_for(struct cs_pass *p, const struct cs_entry *entry,
		       const struct cs_shape *s, int64_t run_us, uint32_t rule,
		       double gain);

/* May a job of shape @s, whose promise is due, start on any available nodes, so that
 * others' promises must be remade?  The head of the queue may: a plan by cores may promise
 * a job less than it takes, and the rest to others, and all would wait for each other.
 * Where site_rule holds, nodes that are free may lie on too many sites for the head, so
 * by core the first that is due may, too. */
bool cs_start_alone_anyway(const struct cs_pass *p, const struct cs_shape *s);

/* Nodes and cores for a packed job on nodes of its user, or account, if no promise
 * suffers; its layout must exist.  NULL: none, or no memory (*ret_nomem).  Uses
 * e->mask. */
struct cs_alloc *cs_start_alone_among_own(struct cs_pass *p,
					  const struct cs_entry *entry,
					  bool *ret_nomem);

/* Propose a start alone on @a, laid out as @s.  Takes ownership of @a, also on
 * error.  1, -ENOMEM. */
int cs_start_alone_on(struct cs_engine *e, const struct cs_entry *entry,
		      const struct cs_shape *s, struct cs_alloc *a,
		      uint32_t rule, double gain);
/* Fill the START action of a job just proposed. */
int cs_start_alone_action(struct cs_engine *e, struct cs_ejob *j, uint32_t rule,
			  double gain);

#endif

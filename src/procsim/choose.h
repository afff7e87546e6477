/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which ready process runs next, and whether that was a false decision; rules in
 * choose.c. */
#ifndef CS_PROCSIM_CHOOSE_H
#define CS_PROCSIM_CHOOSE_H

#include "procsim/world.h"

struct cs_choice {
	struct cs_process *process; /* NULL: none is ready */
	int64_t cost_ns;	    /* of the decision */
	bool conflict, is_false;
};

/* Choose for node @n, which has no current process; changes nothing but entries of
 * Algorithm 1. */
struct cs_choice cs_choose(struct cs_world *w, struct cs_world_node *n);
/* Count the choice @c as a switch. */
void cs_choose_count(struct cs_world_node *n, const struct cs_choice *c);
/* The CPU switches to @to, or to none (NULL): the node measures itself. */
void cs_choose_switched(struct cs_world *w, struct cs_world_node *n,
			const struct cs_process *to);
/* Does @p have pending messages, by the reading in use? */
bool cs_choose_pending(const struct cs_world *w, const struct cs_process *p);
/* Add the pending messages of @p to w->pending, which has @k; how many then. */
size_t cs_choose_add(struct cs_world *w, const struct cs_process *p, size_t k);

#endif

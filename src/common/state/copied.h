/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of an engine in the making (engine/copy.c): what points into the one that is
 * copied, moved to its copy.
 */
#ifndef CS_STATE_COPIED_H
#define CS_STATE_COPIED_H

#include "state/state.h"

/* In @to, what @j is in the engine that it copies; NULL: nobody. */
static inline struct cs_ejob *cs_copied_job(const struct cs_engine *to,
					    const struct cs_ejob *j)
{
	return j ? to->slot[j->slot] : NULL;
}

/* @s, of a job of @from, is a job's of @to. */
static inline void cs_copied_shape(const struct cs_engine *to,
				   const struct cs_engine *from,
				   struct cs_shape *s)
{
	if (s->like)
		s->like = to->machine->node + (s->like - from->machine->node);
}

#endif

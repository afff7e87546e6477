/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a copy share. */
#ifndef CS_ENGINE_COPY_PARTS_H
#define CS_ENGINE_COPY_PARTS_H

#include "state/state.h"

/* The next jobs of @from, up to @most slots, into the same slots of @to.  0; 1: there are
 * more; -ENOMEM. */
int cs_copy_slots(struct cs_engine *to, const struct cs_engine *from,
		  uint32_t most);
/* Put the jobs, which are all copied, into the lists and queues that they are in in @from;
 * campaigns are left out.  0, -ENOMEM.  O(jobs). */
int cs_copy_jobs(struct cs_engine *to, const struct cs_engine *from);

#endif

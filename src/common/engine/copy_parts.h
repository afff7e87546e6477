/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a copy share. */
#ifndef CS_ENGINE_COPY_PARTS_H
#define CS_ENGINE_COPY_PARTS_H

#include "state/state.h"

/* The jobs of @from into the same lists and queues of @to, which is new; their
 * campaigns are left out.  0, -ENOMEM.  O(jobs, and what they hold). */
int cs_copy_jobs(struct cs_engine *to, const struct cs_engine *from);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who preempts, and the cores that are kept for him.  Under write locks.
 */
#ifndef CS_SCHED_APPLY_FREED_H
#define CS_SCHED_APPLY_FREED_H

#include "compat/job.h"

#include "sched/feed/adapter_state.h"

/* A waiting job that the engine cannot place but that may preempt others: may it,
 * now or at its next attempt? */
bool cs_freed_preempts(const struct cs_adapter *b,
		       const struct cs_known_job *k);

/* The cores of all jobs that go are kept for @k, which preempts them; not
 * any more. */
void cs_freed_begin(struct cs_adapter *b, struct cs_known_job *k);
void cs_freed_end(struct cs_adapter *b, struct cs_known_job *k);
/* What is kept for others than job @id, cores of the system; NULL: nothing.  The
 * caller frees it.  The same set in @map, and what is kept for job @id cleared.
 * Where one of the others wants generic resources, and @id does, all cores of the
 * nodes. */
bitstr_t *cs_freed_map(const struct cs_adapter *b, uint32_t id);
void cs_freed_forbid(const struct cs_adapter *b, uint32_t id, bitstr_t *map);

/* Each cycle: forget what is kept for jobs that preempt no more. */
void cs_freed_tidy(struct cs_adapter *b);

#endif

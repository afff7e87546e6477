/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preempting jobs, and the cores kept for them.  Under write locks.
 */
#ifndef CS_SCHED_APPLY_FREED_H
#define CS_SCHED_APPLY_FREED_H

#include "compat/job.h"

#include "sched/feed/adapter_state.h"

/* The options (bits, by number) in which a waiting job that the engine cannot place may
 * preempt others, now or at its next attempt; 0: none. */
uint64_t cs_freed_preempts(const struct cs_adapter *b,
			   const struct cs_known_job *k);

/* Keep the cores of all leaving jobs for @k, which preempts them in its option @o; stop
 * keeping them. */
void cs_freed_begin(struct cs_adapter *b, struct cs_known_job *k,
		    const struct cs_view_option *o);
void cs_freed_end(struct cs_adapter *b, struct cs_known_job *k);
/* Cores of the system kept for jobs other than @id; NULL: none.  The caller frees it.
 * Set the same in @map, and clear those kept for @id.  If one of the others wants
 * generic resources, and @id does, all cores of the nodes. */
bitstr_t *cs_freed_map(const struct cs_adapter *b, uint32_t id);
void cs_freed_forbid(const struct cs_adapter *b, uint32_t id, bitstr_t *map);

/* Each cycle: free what is kept for jobs that no longer preempt. */
void cs_freed_tidy(struct cs_adapter *b);

#endif

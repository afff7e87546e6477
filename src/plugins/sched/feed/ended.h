/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs whose run is over, with a limit that we had raised (the theory is in ended.c).
 */
#ifndef CS_SCHED_FEED_ENDED_H
#define CS_SCHED_FEED_ENDED_H

#include "sched/feed/adapter_state.h"

/* The run @was has ended.  Without memory it is forgotten. */
void cs_ended_add(struct cs_adapter *b, const struct cs_kept *was);

/* The run @was is over: the job waits again. */
void cs_ended_requeued(struct cs_adapter *b, const struct cs_kept *was);

/* Is @was, of those that were kept, the last run of its job (rule 3)? */
bool cs_ended_counts(const struct cs_adapter *b, const struct cs_kept *was);

/* What was kept of job @id; NULL: nothing.  Valid until the next call. */
const struct cs_kept *cs_ended_find(const struct cs_adapter *b, uint32_t id);

/* Remove those that run again, and those that slurmctld has purged or saved by now. */
void cs_ended_tidy(struct cs_adapter *b);

#endif

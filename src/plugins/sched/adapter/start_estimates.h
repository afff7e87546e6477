/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When waiting jobs probably start (start_estimates=yes, mode act): the estimates of
 * common/estimate, made by the scheduling thread between its cycles.  The rules are in
 * start_estimates.c; the steps of that work are in adapter.h.
 */
#ifndef CS_SCHED_ADAPTER_START_ESTIMATES_H
#define CS_SCHED_ADAPTER_START_ESTIMATES_H

#include "sched/feed/adapter_state.h"

/* For a new engine.  0, -ENOMEM. */
int cs_start_estimates_init(struct cs_adapter *b);
void cs_start_estimates_done(struct cs_start_estimates *x);

/* A log that has nothing before it was opened: what outlives a restart is written to it,
 * and is all that the estimates go by from now on. */
void cs_start_estimates_log(struct cs_adapter *b);

/* When @k, which waits, probably starts, by the last set; NULL: that is not known.  O(1). */
const struct cs_estimate *cs_start_estimates_of(const struct cs_adapter *b,
						const struct cs_known_job *k);

#endif

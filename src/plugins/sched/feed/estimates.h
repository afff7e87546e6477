/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates of starts, as far as the adapter has them.  Feed gives the estimator the
 * engine's events; the rest is adapter/start_estimates.c's.
 */
#ifndef CS_SCHED_FEED_ESTIMATES_H
#define CS_SCHED_FEED_ESTIMATES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/estimate/estimate.h"

struct cs_start_estimates {
	struct cs_estimator *by;  /* NULL: they are not made */
	struct cs_estimate *said; /* [n_said] of the last set */
	uint32_t n_said, cap_said;
	bool making;			/* a set has begun */
	bool said_failed, said_dropped; /* in the log, once */
	bool changed;	  /* events since the last set began may change them */
	bool unsaved;	  /* what outlives a restart has changed */
	int64_t began_us; /* the last set, cs_gate_now_us() */
	int64_t due_us;	  /* the next piece of work, the same */
};

#endif

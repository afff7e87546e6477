/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's limits are full minutes: a raised one is rounded up, so that no job is ended
 * for a fraction of a second that its neighbours cost it.  Up to CS_DUST_US over a full
 * minute is rounding error, not running time, and gives no further minute.
 *
 * The end of a running job is Slurm's: it counts from the start, or from the instant when
 * its nodes had booted and its PrologSlurmctld was over, less what ran before a suspend,
 * and operators set it.  So a new limit moves the end that Slurm has, by the difference
 * of the limits, and never computes one.
 */
#ifndef CS_SCHED_APPLY_MINUTES_H
#define CS_SCHED_APPLY_MINUTES_H

#include <stdint.h>

#define CS_MINUTE_US INT64_C(60000000)
#define CS_DUST_US 1000

/* @limit_us (>= 0) in full minutes, at least one. */
static inline int64_t cs_apply_minutes(int64_t limit_us)
{
	int64_t minutes =
		(limit_us - CS_DUST_US + CS_MINUTE_US - 1) / CS_MINUTE_US;

	return minutes < 1 ? 1 : minutes;
}

/* The end of a started job that ended at @end_s by a limit of @had minutes, by one of
 * @minutes.  Neither is INFINITE or NO_VAL. */
static inline int64_t cs_apply_end_s(int64_t end_s, uint32_t had,
				     uint32_t minutes)
{
	return end_s + ((int64_t)minutes - had) * 60;
}

#endif

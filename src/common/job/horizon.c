/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which planned starts keep nodes.
 *
 * Problem.  A waiting job whose start is certain only in a year, because the jobs before it
 * have no time limit, would keep idle nodes from all others for that year.
 *
 * Symbols	C name		unit
 *   H		horizon_s	s, 0: none
 *   A		reserve_age_s	s, 0: none
 *
 * Rules.
 *  1. A start later than now + H keeps nothing.  The job has it as an estimate, is looked
 *     at again in each decide, and starts as soon as it fits.
 *  2. So it is with a job that has not been eligible for A, and with one that the host
 *     says keeps nothing (CS_JOB_KEEPS_NOTHING: Slurm's priority thresholds).
 *  3. A start now keeps what it takes, whatever the rules above say.
 *  4. With backfill=none no job passes another, so H and A do not count.
 *
 *	nodes
 *	 |#########################...	 # no time limit
 *	 |   b b b b		   hhh	 h starts beyond the horizon: b may pass
 *	 +--------------|----------- time
 *	now	      now + H
 *
 * Source: Slurm's sched/backfill, bf_window, bf_min_age_reserve, bf_min_prio_reserve and
 * the MinPrioThreshold of QOS and associations.
 *
 * Known weakness: a job beyond the horizon can be passed for ever, as under Slurm.
 */
#include "job/horizon.h"

static bool counts(const struct cs_engine *e, int64_t seconds)
{
	return seconds > 0 && (e->backfill->all || e->backfill->behind);
}

int64_t cs_horizon_enters_us(const struct cs_engine *e, const struct cs_ejob *j,
			     uint32_t option, int64_t start_us)
{
	const struct cs_params *p = &e->params;
	int64_t at_us = INT64_MIN, old_us;

	if (cs_job_flags(j, option) & CS_JOB_KEEPS_NOTHING)
		return CS_TIME_NONE;
	if (counts(e, p->horizon_s))
		at_us = start_us - p->horizon_s * CS_SECOND_US;
	old_us = j->job.eligible_us + p->reserve_age_s * CS_SECOND_US;
	if (counts(e, p->reserve_age_s) && old_us > at_us)
		at_us = old_us;
	return at_us;
}

bool cs_horizon_keeps(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option, int64_t start_us)
{
	return start_us <= e->now_us ||
	       cs_horizon_enters_us(e, j, option, start_us) <= e->now_us;
}

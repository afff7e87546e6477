/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a site has set in Slurm's own keys that bears on our decisions: read as Slurm reads
 * it, by substring, with Slurm's ranges and defaults.
 */
#ifndef CS_COMPAT_SITE_KEYS_H
#define CS_COMPAT_SITE_KEYS_H

#include "slurm.h"

#include "common/params/params.h"

/* What a job's age is worth, by PriorityType, PriorityWeightAge and PriorityMaxAge. */
struct cs_site_age {
	double points;	/* of a second; -1: priorities do not follow it */
	int64_t most_s; /* PriorityMaxAge; 0: none */
};
/* As they stand now. */
struct cs_site_age cs_site_keys_age(void);
/* @age into those keys of @p that follow it (age_points=-2). */
void cs_site_keys_take_age(struct cs_params *p, const struct cs_site_age *age);

/* bf_min_prio_reserve of @sched (SchedulerParameters; NULL: none); 0: none. */
uint32_t cs_site_keys_least_priority(const char *sched);

/* How Slurm's schedulers hold back for the sake of requests. */
struct cs_site_pace {
	uint32_t most_rpcs; /* max_rpc_cnt: neither look nor start while so many
			       requests are in work; 0: no limit */
	uint32_t few_rpcs; /* no more: at once again, as backfill's yield has it */
	int64_t rest_us; /* sched_min_interval: least rest between two cycles */
	int64_t defer_us; /* defer, or defer_batch: batch_sched_delay, least rest
			       before one that only a change calls for; else 0 */
};

/* Of @sched.  The rests are at most bf_interval: by then stock's backfill would have
 * looked. */
struct cs_site_pace cs_site_keys_pace(const char *sched);

/* How often stock's schedulers ask for the next burst buffers to be filled (>= 1 s): the
 * main one each batch_sched_delay, backfill each bf_interval. */
int64_t cs_site_keys_stage_us(const char *sched);

/* PreemptParameters; NULL: none, or the release has no such key. */
const char *cs_site_keys_preempt(void);

/* Seconds that a job of @part_ptr may run beyond its limit (OverTimeLimit), and take to
 * end (KillWait); CS_OVER_ANY: no one knows. */
uint32_t cs_site_keys_over_s(const part_record_t *part_ptr);

#endif

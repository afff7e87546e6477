/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a site has set in Slurm's own keys that bears on our decisions: read as Slurm reads
 * it, by substring, with Slurm's ranges and defaults.
 */
#ifndef CS_COMPAT_SITE_KEYS_H
#define CS_COMPAT_SITE_KEYS_H

#include "slurm.h"

#include "common/params/params.h"

/* bf_window and bf_min_age_reserve of @sched (SchedulerParameters; NULL: none) into those
 * keys of @p that follow Slurm's. */
void cs_site_keys_take(struct cs_params *p, const char *sched);

/* bf_min_prio_reserve of @sched; 0: none. */
uint32_t cs_site_keys_least_priority(const char *sched);

/* Seconds that a job of @part_ptr may run beyond its limit (OverTimeLimit), and take to
 * end (KillWait); CS_OVER_ANY: no one knows. */
uint32_t cs_site_keys_over_s(const part_record_t *part_ptr);

#endif

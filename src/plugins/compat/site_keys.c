/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/site_keys.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/job.h"

#define DAY_S (24 * 60 * 60)
#define MOST_S (30 * INT64_C(86400)) /* Slurm's, of both */

/* The number after @key in @sched; @otherwise: the key is absent, or the number is not
 * between @least and @most. */
static int64_t number(const char *sched, const char *key, int64_t least,
		      int64_t most, int64_t otherwise)
{
	const char *at = sched ? xstrcasestr(sched, key) : NULL;
	int64_t n = at ? strtoll(at + strlen(key), NULL, 10) : otherwise;

	return n >= least && n <= most ? n : otherwise;
}

void cs_site_keys_take(struct cs_params *p, const char *sched)
{
	if (p->horizon_s < 0)
		p->horizon_s = 60 * number(sched, "bf_window=", 1, MOST_S / 60,
					   DAY_S / 60);
	if (p->reserve_age_s < 0)
		p->reserve_age_s =
			number(sched, "bf_min_age_reserve=", 0, MOST_S, 0);
}

uint32_t cs_site_keys_least_priority(const char *sched)
{
	return (uint32_t)number(sched, "bf_min_prio_reserve=", 1, INFINITE, 0);
}

uint32_t cs_site_keys_over_s(const part_record_t *part_ptr)
{
	uint16_t over_min = part_ptr->over_time_limit;

	if (over_min == NO_VAL16)
		over_min = slurm_conf.over_time_limit;
	return over_min == INFINITE16
		       ? CS_OVER_ANY
		       : slurm_conf.kill_wait + over_min * UINT32_C(60);
}

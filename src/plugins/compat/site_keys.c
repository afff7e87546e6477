/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/site_keys.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/job.h"

#define DAY_S (24 * 60 * 60)
#define DELAY_S 3		     /* batch_sched_delay's default */
#define INTERVAL_S 30		     /* bf_interval's */
#define RPCS_MOST 1000		     /* Slurm's */
#define RPCS_FEW 20		     /* the same */
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

/* In seconds.  A larger delay than what stock's backfill waits delays no start longer. */
static int64_t batch_delay_s(const char *sched)
{
	int64_t s = number(sched, "batch_sched_delay=", 0, INT32_MAX, DELAY_S);

	return s < INTERVAL_S ? s : INTERVAL_S;
}

struct cs_site_pace cs_site_keys_pace(const char *sched)
{
	const char *key = xstrcasestr(sched, "max_rpc_cnt=") ? "max_rpc_cnt="
							     : "max_rpc_count=";
	int64_t most = number(sched, key, 0, RPCS_MOST, 0);
	int64_t rest_us = number(sched, "sched_min_interval=", 0, INT32_MAX, 0);

	return (struct cs_site_pace){
		.most_rpcs = (uint32_t)most,
		.few_rpcs =
			most / 10 > RPCS_FEW ? (uint32_t)(most / 10) : RPCS_FEW,
		.rest_us = rest_us < INTERVAL_S * INT64_C(1000000)
				   ? rest_us
				   : INTERVAL_S * INT64_C(1000000),
		.defer_us = xstrcasestr(sched, "defer")
				    ? batch_delay_s(sched) * 1000000
				    : 0,
	};
}

int64_t cs_site_keys_stage_us(const char *sched)
{
	int64_t s = number(sched, "bf_interval=", 1, 10800, INTERVAL_S);
	int64_t main_s = batch_delay_s(sched);

	s = main_s < s ? main_s : s;
	return (s > 1 ? s : 1) * 1000000;
}

const char *cs_site_keys_preempt(void)
{
#if CS_SLURM_AT_LEAST(23, 2)
	return slurm_conf.preempt_params;
#else
	return NULL;
#endif
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

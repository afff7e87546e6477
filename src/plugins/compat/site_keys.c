/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/site_keys.h"

#include "common/model/job.h"
#include "common/params/host_number.h"

#define RPCS_FEW 20 /* Slurm's */

struct cs_site_age cs_site_keys_age(void)
{
	struct cs_site_age age = { .points = -1 };

	if (xstrcmp(slurm_conf.priority_type, "priority/multifactor"))
		return age;
	age.most_s = slurm_conf.priority_max_age;
	age.points = age.most_s ? (double)slurm_conf.priority_weight_age /
					  (double)age.most_s
				: 0;
	return age;
}

void cs_site_keys_take_age(struct cs_params *p, const struct cs_site_age *age)
{
	if (p->age_points >= -1)
		return;
	p->age_points = age->points;
	if (!p->age_most_s)
		p->age_most_s = age->most_s;
}

uint32_t cs_site_keys_least_priority(const char *sched)
{
	return (uint32_t)cs_host_number(sched, "bf_min_prio_reserve=");
}

static int64_t less(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t batch_delay_s(const char *sched)
{
	return less(cs_host_number(sched, "batch_sched_delay="),
		    cs_host_number(sched, "bf_interval="));
}

struct cs_site_pace cs_site_keys_pace(const char *sched)
{
	const char *key = xstrcasestr(sched, "max_rpc_cnt=") ? "max_rpc_cnt="
							     : "max_rpc_count=";
	int64_t most = cs_host_number(sched, key);
	int64_t rest_us = cs_host_number(sched, "sched_min_interval=");

	return (struct cs_site_pace){
		.most_rpcs = (uint32_t)most,
		.few_rpcs =
			most / 10 > RPCS_FEW ? (uint32_t)(most / 10) : RPCS_FEW,
		.rest_us = less(rest_us, cs_host_number(sched, "bf_interval=") *
						 1000000),
		.defer_us = xstrcasestr(sched, "defer")
				    ? batch_delay_s(sched) * 1000000
				    : 0,
	};
}

int64_t cs_site_keys_stage_us(const char *sched)
{
	int64_t s = batch_delay_s(sched);

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

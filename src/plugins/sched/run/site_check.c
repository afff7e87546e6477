/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings of the site that make sharing useless or impossible.
 *
 *  1. Without a task plugin that binds (task/cgroup does only with ConstrainCores),
 *     disjoint cores mean nothing: the processes of all jobs on a node run on all its
 *     cores.
 *  2. If memory is a resource and no default is set, for the cluster or the partition,
 *     a job that asks for none owns all memory of its nodes, and never shares.
 *  3. Priorities that the site weighs do not count where the order ignores them.
 *  4. Exact cores require CR_Core: without it Slurm's own test places all jobs, or those
 *     of a partition that has another; with MCS it places all.
 *  5. Keys of Slurm's that mode act does not honour are named (params/host_key.h).
 */
#include "compat/slurm.h"

#include "sched/run/site_check.h"

#include "common/params/host_key.h"
#include "compat/calls.h"
#include "compat/site_keys.h"

const char *const cs_site_text[CS_SITE_N] = {
	[CS_SITE_UNBOUND] =
		"TaskPlugin has neither task/affinity nor task/cgroup with ConstrainCores=yes: jobs that share a node are not kept to their cores",
	[CS_SITE_ALL_MEMORY] =
		"memory is a resource and DefMemPerCPU is not set, neither for the cluster nor for some partition: a job without --mem owns all memory of its nodes and shares with nobody",
	[CS_SITE_NO_CORE] =
		"SelectTypeParameters has no CR_Core: Slurm's own test places all jobs, and none shares a node by the plan; expected CR_Core or CR_Core_Memory",
	[CS_SITE_LABELS] =
		"MCSPlugin is set: Slurm's own test places all jobs, and none shares a node by the plan",
	[CS_SITE_PART_NO_CORE] =
		"SelectTypeParameters of a partition has no CR_Core: Slurm's own test places its jobs, and none shares a node by the plan; expected CR_Core or CR_Core_Memory",
	[CS_SITE_UNRANKED] =
		"cosched_order (of this preset) is fcfs, expansion or work: jobs do not go by the priorities that this site weighs (PriorityWeight...); expected cosched_order=slurm beside cosched_policy",
};

static int has_no_memory(void *x, void *arg)
{
	const part_record_t *part_ptr = x;

	(void)arg;
	return !part_ptr->def_mem_per_cpu;
}

/* Does a partition accept a job without --mem and give it no default? */
static bool all_memory(void)
{
	return !slurm_conf.def_mem_per_cpu && part_list &&
	       list_find_first(part_list, has_no_memory, NULL);
}

static int has_no_cores(void *x, void *arg)
{
	const part_record_t *part_ptr = x;

	(void)arg;
	return part_ptr->cr_type && !(part_ptr->cr_type & CS_SELECT_CORE);
}

static bool binds(void)
{
	const char *task = slurm_conf.task_plugin;

	return xstrcasestr(task, "affinity") ||
	       (xstrcasestr(task, "cgroup") && cs_slurm_constrains_cores());
}

static bool weighs(void)
{
	return !xstrcmp(slurm_conf.priority_type, "priority/multifactor") &&
	       (slurm_conf.priority_weight_age ||
		slurm_conf.priority_weight_fs ||
		slurm_conf.priority_weight_js ||
		slurm_conf.priority_weight_part ||
		slurm_conf.priority_weight_qos ||
		slurm_conf.priority_weight_assoc ||
		slurm_conf.priority_weight_tres);
}

unsigned cs_site_look(bool unranked)
{
	uint32_t given = slurm_conf.select_type_param;
	unsigned found = 0;

	if (!binds())
		found |= 1 << CS_SITE_UNBOUND;
	if ((given & CS_SELECT_MEMORY) && all_memory())
		found |= 1 << CS_SITE_ALL_MEMORY;
	if (!(given & CS_SELECT_CORE))
		found |= 1 << CS_SITE_NO_CORE;
	if (slurm_conf.mcs_plugin && xstrcmp(slurm_conf.mcs_plugin, "mcs/none"))
		found |= 1 << CS_SITE_LABELS;
	if (part_list && list_find_first(part_list, has_no_cores, NULL))
		found |= 1 << CS_SITE_PART_NO_CORE;
	if (unranked && weighs())
		found |= 1 << CS_SITE_UNRANKED;
	return found;
}

bool cs_site_factor(void)
{
	return !xstrcmp(slurm_conf.site_factor_plugin, "site_factor/ostrich") &&
	       !xstrcmp(slurm_conf.priority_type, "priority/multifactor");
}

void cs_site_warn(unsigned found)
{
	for (int i = 0; i < CS_SITE_N; i++)
		if (found & 1 << i)
			info("cosched: warning: %s", cs_site_text[i]);
}

static void tell_key(void *arg, size_t at, const char *text)
{
	(void)arg;
	(void)at;
	info("cosched: %s", text);
}

/* FNV-1a, including the end of the text. */
static uint64_t fold(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ULL;
	return h * 1099511628211ULL;
}

void cs_site_tell_keys(uint64_t *told)
{
	const char *const value[CS_HOST_LISTS] = {
		[CS_HOST_LIST_SCHED] = slurm_conf.sched_params,
		[CS_HOST_LIST_PREEMPT] = cs_site_keys_preempt(),
		[CS_HOST_LIST_CTLD] = slurm_conf.slurmctld_params,
		[CS_HOST_LIST_TOPOLOGY] = slurm_conf.topology_param,
	};
	uint64_t now = 14695981039346656037ULL;

	for (int i = 0; i < CS_HOST_LISTS; i++)
		now = fold(now, value[i]);
	if (now == *told)
		return;
	*told = now;
	for (int i = 0; i < CS_HOST_LISTS; i++)
		cs_host_key_tell((enum cs_host_list)i, value[i], "cosched_",
				 tell_key, NULL);
}

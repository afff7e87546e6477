/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings of the site that make sharing useless or impossible.
 *
 *  1. Without a task plugin that binds, disjoint cores are only words: the
 *     processes of all jobs of a node run on all of its cores.
 *  2. Where memory is a resource and no default is set, a job that asks for none
 *     owns all memory of its nodes, and nobody ever shares with it.
 */
#include "compat/slurm.h"

#include "site.h"

#include "src/common/xstring.h"

void cs_site_warn(void)
{
	slurmctld_lock_t locks = { .conf = READ_LOCK };
	bool binds, all_memory;

	lock_slurmctld(locks);
	binds = xstrcasestr(slurm_conf.task_plugin, "affinity") ||
		xstrcasestr(slurm_conf.task_plugin, "cgroup");
	all_memory = (slurm_conf.select_type_param & CR_MEMORY) &&
		     !slurm_conf.def_mem_per_cpu;
	unlock_slurmctld(locks);
	if (!binds)
		info("cosched: warning: TaskPlugin has neither task/affinity nor task/cgroup: jobs that share a node are not kept to their cores");
	if (all_memory)
		info("cosched: warning: memory is a resource and DefMemPerCPU is not set: a job without --mem owns all memory of its nodes and shares with nobody");
}

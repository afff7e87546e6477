/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a site_factor plugin that Slurm calls, and nothing else.
 *
 * priority/multifactor calls set and update under its own locks, update once per
 * PriorityCalcPeriod, which is at least a minute.  That is too rare: our own thread
 * (factor.c) writes factors, and multifactor finds them in the jobs.  set, called at
 * once for a new job, gives it a factor until then.
 *
 * init() never fails: slurmctld would exit.
 */
#include "compat/slurm.h"

#include "factor.h"

const char plugin_name[] = "slurm-cosched: OStrich as a site factor";
const char plugin_type[] = "site_factor/ostrich";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

extern int init(void);
extern int fini(void);
extern void site_factor_p_reconfig(void);
extern void site_factor_p_set(job_record_t *job_ptr);
extern void site_factor_p_update(void);

extern int init(void)
{
	if (running_in_slurmctld())
		cs_factor_start();
	return SLURM_SUCCESS;
}

extern int fini(void)
{
	cs_factor_stop();
	return SLURM_SUCCESS;
}

/* Up to 23.02; the thread itself notices changes. */
extern void site_factor_p_reconfig(void)
{
}

extern void site_factor_p_set(job_record_t *job_ptr)
{
	cs_factor_first(job_ptr);
}

extern void site_factor_p_update(void)
{
}

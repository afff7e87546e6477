/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the select shadow act, or only forward?
 */
#include "compat/slurm.h"

#include "select.h"

#include "compat/abi_check.h"
#include "gate/gate.h"

static bool layout_good(job_record_t *job_ptr)
{
	static enum { UNKNOWN, GOOD, BAD } layout; /* under the job lock */
	char why[256];

	if (layout != UNKNOWN)
		return layout == GOOD;
	if (!cs_abi_check_job(job_ptr, why, sizeof(why))) {
		layout = GOOD;
		return true;
	}
	layout = BAD;
	cs_gate_select_live(0);
	cs_gate_off();
	cs_gate_wake(CS_WAKE_CONFIG);
	/* the sched shadow finds the same, and reports it more loudly */
	info("cosched: our select_cons_tres.so: built for another Slurm than the one that runs (%s): hands everything on to stock select/cons_tres; rebuild with the headers of exactly this slurmctld",
	     why);
	return false;
}

bool cs_select_live(job_record_t *job_ptr)
{
	/* a table of another interface may lack every other symbol */
	if (!running_in_slurmctld() || cs_plan_abi() != CS_GATE_ABI ||
	    !cs_gate_select_release())
		return false;
	if (!job_ptr)
		return true;
	/* the sched shadow's init() precedes any start */
	cs_select_miss_sched();
	return layout_good(job_ptr);
}

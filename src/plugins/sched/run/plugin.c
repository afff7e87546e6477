/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that Slurm calls in a sched plugin, and nothing else.
 *
 * init() never fails: slurmctld would exit.  init() and fini() alternate any
 * number of times in one process (backup controller, failed reconfigure), with
 * this file's statics new or old and the gate old.
 */
#include "compat/slurm.h"

#include <inttypes.h>

#include "sched/run/early.h"
#include "gate/gate.h"
#include "sched/run/stock.h"
#include "sched/run/thread.h"

const char plugin_name[] = "slurm-cosched: shadow of sched/backfill";
const char plugin_type[] = "sched/backfill";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

extern int init(void);
extern void fini(void);
extern int sched_p_reconfig(void);

/* Does the table in memory belong to another installation? */
static bool foreign_plan(void)
{
	return cs_plan_abi() != CS_GATE_ABI;
}

/* Reset the table, the gate as in early.h. */
static void reset_plan(void)
{
	struct cs_early early;
	bool close = cs_early_wanted(&early);

	cs_gate_reset();
	if (close && !cs_gate_on(early.hang_s, early.gated, early.except))
		info("cosched: mode act was in force: the gate is closed from the start");
}

extern int init(void)
{
	char why[PATH_MAX + 256];

	if (foreign_plan()) {
		int rc = cs_stock_load(why, sizeof(why));

		error("cosched: libcosched_plan.so in memory is of interface %u, this plugin of %u: stock scheduling goes on until slurmctld is restarted%s%s",
		      cs_plan_abi(), CS_GATE_ABI,
		      rc ? ", without backfill: " : "", rc ? why : "");
		return SLURM_SUCCESS;
	}
	reset_plan();
	cs_gate_sched_seen(SLURM_VERSION_NUMBER);
	if (cs_thread_start())
		cs_gate_off();
	return SLURM_SUCCESS;
}

extern void fini(void)
{
	if (foreign_plan())
		cs_stock_stop();
	else
		cs_thread_stop();
}

extern int sched_p_reconfig(void)
{
	if (foreign_plan())
		cs_stock_reconfigure();
	else
		cs_gate_wake(CS_WAKE_CONFIG);
	return SLURM_SUCCESS;
}

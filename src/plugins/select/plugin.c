/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that Slurm calls in a select plugin, and nothing else.
 *
 * init() loads the stock plugin and fills cs_select_stock from it; every operation
 * listed in CS_SELECT_PLAIN becomes a function here that calls the stock one.
 */
#include "compat/slurm.h"

#include "select.h"

#include <inttypes.h>
#include <stdio.h>

#include "compat/stockfile.h"
#include "gate/gate.h"

const char plugin_name[] = "slurm-cosched: shadow of select/cons_tres";
const char plugin_type[] = "select/cons_tres";
const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

extern int init(void);
extern CS_SELECT_FINI fini(void);

struct cs_select_ops cs_select_stock;

static struct cs_stockfile stock;

/* Fill cs_select_stock; 0, or -1 with the name of the first missing operation in
 * @ret_why. */
static int link_stock(char *ret_why, size_t size)
{
	const char *missing = NULL;

#define LINK(type, op, params, args)                                       \
	cs_select_stock.op = cs_stockfile_symbol(&stock, "select_p_" #op); \
	if (!cs_select_stock.op)                                           \
		missing = "select_p_" #op;
	CS_SELECT_PLAIN(LINK)
	CS_SELECT_OWN(LINK)
#if CS_SELECT_MEM_REDUCE
	LINK(void, job_mem_reduce, (job_record_t *), (job_ptr))
#endif
#undef LINK
	if (!missing)
		return 0;
	snprintf(ret_why, size, "%s has no %s", stock.path, missing);
	return -1;
}

extern int init(void)
{
	char why[PATH_MAX + 256];

	if (cs_stockfile_open(&stock, "select_cons_tres.so", why,
			      sizeof(why)) ||
	    link_stock(why, sizeof(why))) {
		error("cosched: our select_cons_tres.so: cannot load Slurm's own select/cons_tres: %s; remove our folder from PluginDir or repair the installation",
		      why);
		cs_stockfile_close(&stock);
		return SLURM_ERROR;
	}
	if (!running_in_slurmctld())
		return SLURM_SUCCESS;
	if (cs_plan_abi() == CS_GATE_ABI) {
		cs_gate_select_live(SLURM_VERSION_NUMBER);
		cs_select_watch_start();
	}
	info("cosched: our select/cons_tres for Slurm %s is loaded, in front of %s; it acts only in mode act",
	     SLURM_VERSION_STRING, stock.path);
	return SLURM_SUCCESS;
}

extern CS_SELECT_FINI fini(void)
{
	if (running_in_slurmctld() && cs_plan_abi() == CS_GATE_ABI) {
		cs_select_watch_stop();
		cs_gate_select_live(0);
	}
	cs_stockfile_close(&stock);
	return CS_SELECT_FINI_DONE;
}

#define FORWARD(type, op, params, args)         \
	extern type select_p_##op params;       \
	extern type select_p_##op params        \
	{                                       \
		return cs_select_stock.op args; \
	}
CS_SELECT_PLAIN(FORWARD)
#undef FORWARD

#if CS_SELECT_MEM_REDUCE
extern void select_p_job_mem_reduce(job_record_t *job_ptr);
extern void select_p_job_mem_reduce(job_record_t *job_ptr)
{
	cs_select_stock.job_mem_reduce(job_ptr);
}
#endif

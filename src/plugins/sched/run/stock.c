/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own backfill scheduler.
 *
 * The stock plugin does nothing until something changes after its start, so
 * last_job_update is set once it is loaded.  It cannot restart after its fini() unless
 * unmapped in between: its stop flag stays set.
 *
 * At its end it leaves nodes PLANNED, and from 24.11 slurmctld saves that with the nodes'
 * states.  Its successor in another slurmctld takes such flags over; mode act removes them.
 */
#include "compat/slurm.h"

#include "sched/run/stock.h"

#include "compat/calls.h"
#include "compat/stockfile.h"

static struct cs_stockfile stock;

bool cs_stock_runs(void)
{
	return stock.handle != NULL;
}

int cs_stock_load(char *ret_why, size_t size)
{
	if (stock.handle)
		return 0;
	return cs_stockfile_open(&stock, "sched_backfill.so", ret_why, size);
}

int cs_stock_start(char *ret_why, size_t size)
{
	slurmctld_lock_t locks = cs_slurm_write_locks();

	if (stock.handle)
		return 0;
	if (cs_stock_load(ret_why, size))
		return -1;
	lock_slurmctld(locks);
	last_job_update = time(NULL);
	unlock_slurmctld(locks);
	return 0;
}

void cs_stock_stop(void)
{
	cs_stockfile_close(&stock);
}

void cs_stock_end(void)
{
	slurmctld_lock_t locks = cs_slurm_write_locks();

	cs_stock_stop();
	lock_slurmctld(locks);
	cs_slurm_unplan();
	unlock_slurmctld(locks);
}

void cs_stock_reconfigure(void)
{
	int (*reconfig)(void);

	if (!stock.handle)
		return;
	reconfig = cs_stockfile_symbol(&stock, "sched_p_reconfig");
	if (reconfig)
		reconfig();
}

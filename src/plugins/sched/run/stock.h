/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own backfill scheduler, loaded and unloaded by us.
 *
 * It runs in modes off and shadow, and beside us in act where a partition is not
 * ours.  Only the scheduling thread calls this, and holds none of Slurm's locks:
 * unloading joins the stock thread, which may be waiting for them.
 */
#ifndef CS_SCHED_RUN_STOCK_H
#define CS_SCHED_RUN_STOCK_H

#include <stdbool.h>
#include <stddef.h>

/* 0 (also when it runs already), or -1 with one line in @ret_why[@size]. */
int cs_stock_start(char *ret_why, size_t size);

/* The same for init(), which holds Slurm's locks: what is new after it wakes it,
 * what waits already does not. */
int cs_stock_load(char *ret_why, size_t size);
void cs_stock_stop(void);
bool cs_stock_runs(void);

/* Its parameters may have changed. */
void cs_stock_reconfigure(void);

#endif

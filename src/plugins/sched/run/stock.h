/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own backfill scheduler, loaded and unloaded by us.
 *
 * It runs in modes off and shadow, and alongside us in act for partitions that are not
 * ours.  Only the scheduling thread calls this, without Slurm's locks: unloading joins
 * the stock thread, which may be waiting for them.
 */
#ifndef CS_SCHED_RUN_STOCK_H
#define CS_SCHED_RUN_STOCK_H

#include <stdbool.h>
#include <stddef.h>

/* 0 (also if already running), or -1 with one line in @ret_why[@size]. */
int cs_stock_start(char *ret_why, size_t size);

/* The same for init(), which holds Slurm's locks: changes after it wake it, jobs
 * already waiting do not. */
int cs_stock_load(char *ret_why, size_t size);
void cs_stock_stop(void);
/* The same, and its plan ends, also that of an earlier process: no node is PLANNED. */
void cs_stock_end(void);
bool cs_stock_runs(void);

/* Its parameters may have changed. */
void cs_stock_reconfigure(void);

#endif

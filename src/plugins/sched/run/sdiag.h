/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our cycles in Slurm's own figures: the backfill part of sdiag.
 */
#ifndef CS_SCHED_RUN_SDIAG_H
#define CS_SCHED_RUN_SDIAG_H

#include <stdint.h>

struct cs_sdiag_cycle {
	int64_t work_us; /* without waiting for locks */
	uint32_t queue;	 /* waiting jobs */
	uint32_t looked; /* of them examined */
	uint32_t started;
	uint32_t reserved;
};

/* Count one cycle in slurmctld_diag_stats.  No lock, like sched/backfill. */
void cs_sdiag_count(const struct cs_sdiag_cycle *cycle);

#endif

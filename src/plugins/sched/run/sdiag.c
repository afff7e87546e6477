/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our cycles in Slurm's own figures.
 *
 * Filled like sched/backfill's, with: depth = jobs examined, depth tried = jobs
 * started, table size = reservations held. bf_active stays 0: it tells slurmctld not to
 * purge jobs because pointers are held across an unlock, and we hold none.
 */
#include "compat/slurm.h"

#include "sched/run/sdiag.h"

#include <time.h>

void cs_sdiag_count(const struct cs_sdiag_cycle *cycle)
{
	diag_stats_t *s = &slurmctld_diag_stats;
	uint32_t us = cycle->work_us > UINT32_MAX ? UINT32_MAX
						  : (uint32_t)cycle->work_us;

	s->bf_cycle_counter++;
	s->bf_cycle_last = us;
	s->bf_cycle_sum += us;
	if (us > s->bf_cycle_max)
		s->bf_cycle_max = us;
	s->bf_when_last_cycle = time(NULL);
	s->bf_queue_len = cycle->queue;
	s->bf_queue_len_sum += cycle->queue;
	s->bf_last_depth = cycle->looked;
	s->bf_depth_sum += cycle->looked;
	s->bf_last_depth_try = cycle->started;
	s->bf_depth_try_sum += cycle->started;
	s->bf_table_size = cycle->reserved;
	s->bf_table_size_sum += cycle->reserved;
	s->backfilled_jobs += cycle->started;
	s->last_backfilled_jobs += cycle->started;
#if CS_SLURM_AT_LEAST(23, 11)
	s->bf_exit[BF_EXIT_END]++;
#endif
}

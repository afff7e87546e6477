/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that a time slice stops: Slurm's suspend and resume as we use them.
 *
 * A job that we stopped is suspended and keeps its priority; one that an administrator
 * suspended has priority 0.  Slurm's own gang scheduler does as we do, so where
 * PreemptMode has GANG no suspended job is taken for ours.
 */
#ifndef CS_COMPAT_STOP_H
#define CS_COMPAT_STOP_H

#include "slurm.h"

/* PreemptMode has GANG. */
static inline bool cs_stop_gang(void)
{
	return slurm_conf.preempt_mode & PREEMPT_MODE_GANG;
}

/* Is @job_ptr stopped by us? */
static inline bool cs_stopped(const job_record_t *job_ptr)
{
	return IS_JOB_SUSPENDED(job_ptr) && job_ptr->priority &&
	       !cs_stop_gang();
}

/* May @job_ptr be stopped?  It runs, its nodes are ready, it is no component. */
bool cs_stop_may(const job_record_t *job_ptr);

/* Stop job @job_id, or let it go on.  SLURM_SUCCESS, or one of Slurm's error codes
 * and all is as before.  Write locks; the records want to be saved. */
int cs_stop_job(uint32_t job_id, bool stop);

/* Say again to its nodes what @job_ptr is, stopped or running: a message may have been
 * lost, or slurmctld killed before its record was saved.  For a node that knows, it is
 * nothing.  Write locks. */
void cs_stop_say_again(const job_record_t *job_ptr);

#endif

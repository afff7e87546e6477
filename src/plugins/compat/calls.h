/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls into slurmctld whose form depends on the release.
 *
 * Unless it says otherwise a function wants cs_slurm_write_locks() held.
 */
#ifndef CS_COMPAT_CALLS_H
#define CS_COMPAT_CALLS_H

#include "slurm.h"

/* Locks to look at jobs, nodes, partitions, reservations and settings. */
slurmctld_lock_t cs_slurm_read_locks(void);

/* Locks to start or change jobs: those of sched/backfill. */
slurmctld_lock_t cs_slurm_write_locks(void);

/*
 * Is slurmctld past its start, as controller?  False while it reads its
 * configuration and state, in `slurmctld -t`, in a backup.  No lock needed.
 *
 * The thread that purges job files is created last before the scheduler is
 * really started, in every release from 22.05 to 26.05, and its id is cleared
 * when slurmctld gives up control.
 */
static inline bool cs_slurm_in_service(void)
{
	return slurmctld_config.thread_id_purge_files &&
	       !slurmctld_config.shutdown_time;
}

/* Was this process started by `scontrol reconfigure`?  (23.11 on; it may die
 * soon, and the process before it go on.)  No lock needed. */
bool cs_slurm_reconfigured(void);

/*
 * Has anything changed that is looked at, since a look that began at @looked_s?
 * Seconds are all that Slurm notes, so a change in the second of the look may or may
 * not have been seen: true then, too.  A clock that was set back notes what comes as
 * if it were long past: true.  No lock needed.
 */
bool cs_slurm_changed(time_t looked_s);

/* Does task/cgroup, where it is used, keep jobs on their cores?  ConstrainCores in
 * cgroup.conf, as slurmctld has read it.  No lock needed. */
bool cs_slurm_constrains_cores(void);

/*
 * Slurm's own test and, unless @test_only, allocation of @job_ptr in
 * job_ptr->part_ptr.  SLURM_SUCCESS or one of its error codes.  The task of an
 * array gets its own job id in here.
 */
int cs_slurm_select_nodes(job_record_t *job_ptr, bool test_only);

/* Make @job_ptr a candidate as the queue record @rec has it. */
void cs_slurm_take_queue_record(job_record_t *job_ptr, job_queue_rec_t *rec);

/* What follows a select_nodes() that has allocated: launch, or tell srun. */
void cs_slurm_launch(job_record_t *job_ptr);

/* Have jobs and nodes written to StateSaveLocation, within 5 s.  Slurm does so for
 * its main loop and for most of what it is asked for, for a plugin never.  No lock
 * needed; cheap, but once a batch will do. */
void cs_slurm_save(void);

#endif

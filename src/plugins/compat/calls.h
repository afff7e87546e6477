/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls into slurmctld whose form depends on the release.
 *
 * Unless stated otherwise, a function requires cs_slurm_write_locks().
 */
#ifndef CS_COMPAT_CALLS_H
#define CS_COMPAT_CALLS_H

#include "slurm.h"
#include "stamps.h"

/* Locks to read jobs, nodes, partitions, reservations and settings. */
slurmctld_lock_t cs_slurm_read_locks(void);

/* Locks to start or change jobs: those of sched/backfill. */
slurmctld_lock_t cs_slurm_write_locks(void);

/*
 * Is slurmctld in service as controller?  False while it reads its configuration and
 * state, in `slurmctld -t`, in a backup.  No lock needed.
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

/* Requests in work, as max_rpc_cnt counts them.  With or without locks. */
uint32_t cs_slurm_rpcs(void);

/* Was this process started by `scontrol reconfigure`?  (23.11 on; it may die soon while
 * the old process continues.) No lock needed. */
bool cs_slurm_reconfigured(void);

/* Under any locks: a look begins; other locks were acquired, or are about to be released
 * (stamps.h). */
void cs_slurm_look(struct cs_stamps *s);
void cs_slurm_locked(struct cs_stamps *s);
void cs_slurm_unlock(struct cs_stamps *s);
/* Has anything in the view changed since that look?  No lock needed. */
bool cs_slurm_changed(const struct cs_stamps *s);

/* Does task/cgroup, if used, keep jobs on their cores?  ConstrainCores in cgroup.conf,
 * as slurmctld has read it.  No lock needed. */
bool cs_slurm_constrains_cores(void);

/*
 * Slurm's own test and, unless @test_only, allocation of @job_ptr in
 * job_ptr->part_ptr.  SLURM_SUCCESS or one of its error codes.  An array task gets its
 * own job id here.
 *
 * A job whose reason is Priority keeps that reason when the test fails: it is what the
 * main loop writes for every job behind the first of its partition, whatever the job
 * itself lacks.  A limit's reason stays, as under stock's backfill.
 */
int cs_slurm_select_nodes(job_record_t *job_ptr, bool test_only);

/* Make @job_ptr a candidate as in the queue record @rec. */
void cs_slurm_take_queue_record(job_record_t *job_ptr, job_queue_rec_t *rec);

/* The step after a select_nodes() that allocated: launch, or tell srun. */
void cs_slurm_launch(job_record_t *job_ptr);

/* Set or clear PLANNED of @node_ptr as stock's backfill does for a node with a planned
 * start: not if jobs run there, from 24.11 on only if they hold all of it (@full). */
void cs_slurm_plan(node_record_t *node_ptr, bool planned, bool full);

/* Clear PLANNED of all nodes: stock's backfill clears it in the next of its own cycles
 * only, not at its end. */
void cs_slurm_unplan(void);

/* Slurm's word for @reason, an enum job_state_reason.  No lock needed. */
const char *cs_slurm_reason_word(uint32_t reason);

/* Is there a slurmdbd, and how many messages wait for it?  No lock needed. */
bool cs_slurm_accounting(void);
uint32_t cs_slurm_accounting_queue(void);

/* Does slurmctld end because another one takes control?  That one may have it already: what
 * is saved from now on may fall upon its state.  No lock needed. */
bool cs_slurm_hands_over(void);

/* Have jobs and nodes written to StateSaveLocation within 5 s, unless it hands over.  Slurm does so for its
 * main loop and for most requests, never for a plugin.  No lock needed; cheap, but once
 * a batch will do. */
void cs_slurm_save(void);

#endif

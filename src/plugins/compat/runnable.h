/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's tests of one waiting job: may it start now, and where?
 *
 * The same as build_job_queue() asks of all jobs under one lock: dependencies, begin
 * time, hold, throttled arrays, states and limits of partitions.  They write to the
 * job's record: its reason, its eligible time, its part_ptr and qos_ptr.
 */
#ifndef CS_COMPAT_RUNNABLE_H
#define CS_COMPAT_RUNNABLE_H

#include "slurm.h"

#include "src/slurmctld/job_scheduler.h"

/* Where @rec's job may start: a partition, of several QOS one, of several reservations,
 * or of those that attract it, one.  @rec is borrowed for the call. */
typedef void cs_runnable_fn(void *arg, job_queue_rec_t *rec);

/* Test @job_ptr and hand each of its entries to @entry, in the order of its partitions;
 * @magnetic: some reservation attracts jobs.  cs_slurm_write_locks(), no lock of
 * associations. */
void cs_slurm_runnable(job_record_t *job_ptr, bool magnetic,
		       cs_runnable_fn *entry, void *arg);

/* Does build_job_queue() split tasks off this array: for burst buffers, or since each
 * depends on its own task of another array? */
bool cs_slurm_splits(const job_record_t *job_ptr);

#endif

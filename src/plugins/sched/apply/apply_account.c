/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changed limits of running jobs, for the accounting storage.
 *
 * Problem: sacct learns a new limit only by a further message of the job's start.  Limits
 * change with each group that forms or disbands.  While slurmdbd is down, slurmctld keeps
 * all messages for it, MaxDBDMsgs at most, and then it loses starts and ends of jobs.
 *
 * Rules.
 *  1. A changed limit is noted, and the present one sent when slurmdbd keeps up: while
 *     fewer than QUEUE_MAX messages wait for it.  So at most that many of ours are ever
 *     in its queue, and one a job is sent when it is back.
 *  2. Not before the storage has answered the job's start with its index: in 22.05 such
 *     a message waits for the answer, under the locks.
 *  3. Not of a suspended job, which would count as running: when it has resumed.
 */
#include "sched/apply/apply.h"

#define QUEUE_MAX 10
#define RETRY_US INT64_C(5000000)

void cs_apply_account_later(struct cs_adapter *b, struct cs_known_job *k)
{
	if (cs_slurm_accounting())
		k->untold = b->untold = true;
}

/* Is nothing left to send of it? */
static bool account(struct cs_known_job *k, uint32_t *room)
{
	job_record_t *job_ptr = find_job_record(k->id);

	if (!job_ptr ||
	    (!IS_JOB_RUNNING(job_ptr) && !IS_JOB_SUSPENDED(job_ptr)))
		return true;
	if (!*room || IS_JOB_SUSPENDED(job_ptr) || !job_ptr->db_index ||
	    job_ptr->db_index == NO_VAL64)
		return false;
	cs_job_account(job_ptr);
	--*room;
	return true;
}

void cs_apply_account(struct cs_adapter *b)
{
	uint32_t queue, room;

	if (!b->untold)
		return;
	queue = cs_slurm_accounting_queue();
	room = queue < QUEUE_MAX ? QUEUE_MAX - queue : 0;
	b->untold = false;
	for (uint32_t i = 0; i < b->known.n; i++) {
		struct cs_known_job *k = b->known.list[i];

		k->untold = k->untold && !account(k, &room);
		b->untold |= k->untold;
	}
	if (b->untold)
		cs_view_wake(b->view, b->now_us + RETRY_US);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs stopped by a time slice: Slurm's suspend and resume as we use them.
 *
 * A job that we stopped is suspended and keeps its priority; one that an administrator
 * suspended has priority 0.  So has one that is held (scontrol hold), which has no effect
 * on a job that runs, and none on one of ours.  Which of the two it is, its reason and
 * system comment tell: while we have a job stopped its comment has the second of that,
 * which is the record's suspend_time until somebody else moves the job.
 *
 * A suspend of a job that we have stopped changes only the priority: at the next look at
 * the jobs, where there are slices, the mark is taken away (apply_slice.c).  If the job was
 * held, or is before that look, the suspend leaves no trace, and does nothing.  A job whose
 * mark is lost, or had no room beside the site's comment, counts as an administrator's
 * until it is released.  Slurm's own gang scheduler knows nothing of this, so if
 * PreemptMode has GANG no suspended job counts as ours.
 */
#ifndef CS_COMPAT_STOP_H
#define CS_COMPAT_STOP_H

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "grace.h"
#include "slurm.h"

#define CS_STOP_MARK 48 /* bytes */

/* PreemptMode has GANG. */
static inline bool cs_stop_gang(void)
{
	return slurm_conf.preempt_mode & PREEMPT_MODE_GANG;
}

/* Is @job_ptr held?  Its priority comes back only by a release. */
static inline bool cs_stop_held(const job_record_t *job_ptr)
{
	return !job_ptr->priority && !job_ptr->het_job_id &&
	       (job_ptr->state_reason == WAIT_HELD ||
		job_ptr->state_reason == WAIT_HELD_USER);
}

/* What the system comment of @job_ptr has if we stopped it at its suspend_time. */
static inline void cs_stop_mark(const job_record_t *job_ptr,
				char mark[CS_STOP_MARK])
{
	char at[CS_STOP_MARK / 2] = "";
	struct tm tm;

	if (!gmtime_r(&job_ptr->suspend_time, &tm) ||
	    !strftime(at, sizeof(at), "%FT%TZ", &tm))
		at[0] = '\0';
	snprintf(mark, CS_STOP_MARK, ", since %s", at);
}

static inline bool cs_stop_marked(const job_record_t *job_ptr)
{
	char mark[CS_STOP_MARK];

	cs_stop_mark(job_ptr, mark);
	return job_ptr->system_comment && strstr(job_ptr->system_comment, mark);
}

/* Is @job_ptr suspended by us or the gang scheduler, and keeps its cores? */
static inline bool cs_stop_keeps(const job_record_t *job_ptr)
{
	return IS_JOB_SUSPENDED(job_ptr) &&
	       (job_ptr->priority ||
		(!cs_stop_gang() && cs_stop_held(job_ptr) &&
		 cs_stop_marked(job_ptr)));
}

/* Did we stop @job_ptr? */
static inline bool cs_stopped(const job_record_t *job_ptr)
{
	return cs_stop_keeps(job_ptr) && !cs_stop_gang();
}

/* How long a job may run after it is told to stop, in s: PreemptParameters'
 * suspend_grace_time, read by nodes from 23.11 on; else 2.  Read lock of conf, or
 * write lock of jobs: settings are read again under both. */
static inline uint32_t cs_stop_grace_s(void)
{
#if CS_SLURM_AT_LEAST(23, 11)
	return cs_grace_s(slurm_conf.preempt_params);
#else
	return cs_grace_s(NULL);
#endif
}

/* Did we stop @job_ptr just now, so that it may still run?  SIGTSTP, a grace time later
 * SIGSTOP.  Locks as of cs_stop_grace_s(). */
static inline bool cs_stop_ends(const job_record_t *job_ptr)
{
	return cs_stopped(job_ptr) &&
	       time(NULL) - job_ptr->suspend_time <= cs_stop_grace_s();
}

/* May @job_ptr be stopped?  It runs, its nodes are ready, it is not a component. */
bool cs_stop_may(const job_record_t *job_ptr);

/* Stop or resume job @job_id, which keeps its priority.  SLURM_SUCCESS, or one of Slurm's
 * error codes and nothing changed.  Write locks; the records should then be saved. */
int cs_stop_job(uint32_t job_id, bool stop);

/*
 * A time slice stopped @job_ptr at second @moved_s or (negative) resumed it, as we have
 * saved.  If Slurm's record knows nothing of that, tell the accounting that the job runs, or
 * is suspended, again: it was told then, and counts suspended time between one message and
 * the next, whatever they say.  Was that so?  Write locks.
 */
bool cs_stop_account(job_record_t *job_ptr, int64_t moved_s);

/* Tell its nodes again whether @job_ptr is stopped or running: a message may have been
 * lost, or slurmctld killed before saving its record.  A node that knows ignores it.
 * Write locks. */
void cs_stop_say_again(const job_record_t *job_ptr);

#endif

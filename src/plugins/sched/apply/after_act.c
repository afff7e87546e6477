/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mode act is over, its jobs run on.
 *
 * Rules.
 *  1. A running job keeps the limit that was raised for its neighbours: they stay where
 *     they are.  It loses the administrator's mark (apply_limit.c, rule 2): Slurm checks
 *     the limit of a waiting job only, and shall then do as without us.
 *  2. A job that waits again gets the limit from before the raise.  One that differs from
 *     the raised limit was set by others and stays; so does none at all, which Slurm
 *     gives to a job whose limit was its partition's.
 *  3. Its comment shows with which job it shares its nodes, until it waits again.
 *  4. Each slurmctld reads these jobs from the state of the last one in mode act.  A run
 *     is known by Slurm's count of restarts, in older states by its start.  A job whose
 *     run has ended meanwhile, and that waits with the limit that act left, gets the
 *     original one at once.  An ended one is watched until it is purged: it may be
 *     requeued.
 *
 * A requeued job may begin only when its credential has run out, so that a look a second
 * finds it before it starts.
 */
#include "sched/apply/after_act.h"

#include <stdlib.h>

#include "sched/apply/apply.h"

#define TURN 64 /* jobs, until the clock is read */

struct cs_after_job {
	uint32_t id;
	uint32_t restarts; /* Slurm's count, of this run */
	uint32_t from;	   /* minutes: its limit before the raise; 0: none */
	uint32_t to;	   /* minutes: its limit as act left it */
	uint16_t flag;	   /* limit_set.time before the raise */
};

static bool runs(const job_record_t *job_ptr)
{
	return IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr);
}

/* Rules 2 and 3. */
static void waits_again(const struct cs_after_job *j, job_record_t *job_ptr)
{
	if (j->from && job_ptr->time_limit == j->to) {
		job_ptr->time_limit = j->from;
		job_ptr->limit_set.time = j->flag;
	}
	if (job_ptr->system_comment)
		cs_apply_comment(job_ptr, &cs_no_comment);
	last_job_update = time(NULL);
}

/* Rule 4: is @job_ptr in the run that @was saved? */
static bool same_run(const struct cs_kept *was, const job_record_t *job_ptr)
{
	if (was->restarts == UINT32_MAX)
		return job_ptr->start_time == was->start_us / 1000000;
	return job_ptr->restart_cnt == was->restarts;
}

static void add(struct cs_after *a, const struct cs_kept *was)
{
	job_record_t *job_ptr = find_job_record(was->id);
	struct cs_after_job j;
	bool ours; /* its limit is the one that act left */

	if (!job_ptr)
		return;
	ours = was->raised_from &&
	       (!was->limit_us || cs_apply_limit_us(job_ptr) == was->limit_us);
	j = (struct cs_after_job){
		.id = was->id,
		.restarts = job_ptr->restart_cnt,
		.from = ours ? was->raised_from : 0,
		.to = job_ptr->time_limit,
		.flag = (uint16_t)was->raised_flag,
	};
	if (IS_JOB_PENDING(job_ptr) && ours && was->limit_us)
		waits_again(&j, job_ptr);
	if ((!runs(job_ptr) && !(IS_JOB_FINISHED(job_ptr) && ours)) ||
	    !same_run(was, job_ptr))
		return;
	a->job[a->n++] = j;
	if (ours)
		job_ptr->limit_set.time = (uint16_t)was->raised_flag;
}

void cs_after_read(struct cs_after *a, const char *state, size_t len)
{
	struct cs_kept *kept = NULL;
	uint32_t n = state ? cs_checkpoint_jobs(state, len, &kept) : 0;

	cs_after_end(a);
	for (uint32_t i = 0; i < n; i++)
		if (kept[i].raised_from || kept[i].shared || kept[i].stops)
			kept[a->n_kept++] = kept[i];
	a->kept = kept;
	a->job = a->n_kept ? calloc(a->n_kept, sizeof(*a->job)) : NULL;
	if (!a->job)
		a->n_kept = 0;
}

int cs_after_step(struct cs_after *a, int64_t until_us)
{
	while (a->next < a->n_kept) {
		add(a, &a->kept[a->next++]);
		if (!(a->next % TURN) && cs_gate_now_us() >= until_us)
			break;
	}
	if (a->next < a->n_kept)
		return 1;
	free(a->kept);
	a->kept = NULL;
	a->n_kept = a->next = 0;
	return 0;
}

bool cs_after_look(struct cs_after *a)
{
	bool changed = false;
	uint32_t left = 0;

	cs_slurm_look(&a->stamps);
	for (uint32_t i = 0; i < a->n; i++) {
		job_record_t *job_ptr = find_job_record(a->job[i].id);

		if (!job_ptr)
			continue;
		if (IS_JOB_PENDING(job_ptr)) {
			waits_again(&a->job[i], job_ptr);
			changed = true;
		} else if ((runs(job_ptr) || a->job[i].from) &&
			   job_ptr->restart_cnt == a->job[i].restarts) {
			a->job[left++] = a->job[i];
		}
	}
	a->n = left;
	cs_slurm_unlock(&a->stamps);
	return changed;
}

void cs_after_end(struct cs_after *a)
{
	free(a->job);
	free(a->kept);
	*a = (struct cs_after){ 0 };
}

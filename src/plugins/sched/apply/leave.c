/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What waiting jobs and nodes show of ours is taken back.
 *
 * Rules.
 *  1. When mode act ends: planned starts and nodes (apply_text.c), and our part of
 *     comments.  Stock's backfill writes its own with its next cycle.
 *  2. Earlier builds of ours wrote reasons, which Slurm has saved with its jobs: they are
 *     taken back when a mode begins.
 *  3. The jobs are those that wait at the first step.  In a later one each is looked up by
 *     its id, and what does not wait any more is left alone.  A job submitted meanwhile has
 *     nothing of ours.
 *
 * Without memory for the list of jobs all is done in one step.
 */
#include "compat/slurm.h"

#include "sched/apply/leave.h"

#include <stdlib.h>

#include "compat/calls.h"
#include "gate/gate.h"
#include "sched/apply/apply.h"

#define TURN 64 /* jobs, until the clock is read */

/* Did an earlier build of ours write this reason? */
static bool ours(const char *desc)
{
	return desc && (!xstrncmp(desc, "Priority, cosched: ", 19) ||
			!xstrncmp(desc, "Resources, cosched: ", 20) ||
			!xstrncmp(desc, "cosched: ", 9));
}

/* Rules 1 and 2. */
static int take_back(void *x, void *arg)
{
	const struct cs_leave *l = arg;
	job_record_t *job_ptr = x;
	bool reason = ours(job_ptr->state_desc);

	if (!IS_JOB_PENDING(job_ptr) || (!l->ends && !reason))
		return 0;
	if (reason)
		xfree(job_ptr->state_desc);
	if (l->predicted && !IS_JOB_COMPLETING(job_ptr)) {
		xfree(job_ptr->sched_nodes);
		job_ptr->start_time = 0;
	}
	if (l->ends && job_ptr->system_comment)
		cs_apply_comment(job_ptr, &cs_no_comment);
	last_job_update = time(NULL);
	return 0;
}

static int note(void *x, void *arg)
{
	const job_record_t *job_ptr = x;
	struct cs_leave *l = arg;

	if (IS_JOB_PENDING(job_ptr))
		l->id[l->n++] = job_ptr->job_id;
	return 0;
}

static void begin(struct cs_leave *l)
{
	size_t most = job_list ? (size_t)list_count(job_list) : 0;

	l->id = malloc((most + 1) * sizeof(*l->id));
	if (most)
		list_for_each(job_list, l->id ? note : take_back, l);
	if (l->ends && l->predicted)
		cs_slurm_unplan();
}

int cs_leave_step(struct cs_leave *l, int64_t until_us)
{
	if (!l->id)
		begin(l);
	while (l->next < l->n) {
		job_record_t *job_ptr = find_job_record(l->id[l->next++]);

		if (job_ptr)
			take_back(job_ptr, l);
		if (!(l->next % TURN) && cs_gate_now_us() >= until_us)
			break;
	}
	return l->next < l->n;
}

void cs_leave_done(struct cs_leave *l)
{
	free(l->id);
	*l = (struct cs_leave){ 0 };
}

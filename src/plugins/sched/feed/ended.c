/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that ended with a limit that we had raised.
 *
 * Problem.  The raised limit stays in Slurm's record of an ended job.  The job may wait
 * again with it: by scontrol requeue, for MinJobAge after its end.  Or slurmctld is killed
 * before it has saved the end: then the job runs again as far as its record says, and is
 * requeued when its node does not know it.  Who has forgotten the raise takes the raised
 * limit for what the user asked for.
 *
 * Rule.  What the state file has of such a job stays there, as if it ran, until the job
 * waits or runs again, or slurmctld must have purged its record: MinJobAge and a minute
 * after its end.  From there feed.c, rule 9, restores it.
 *
 * Cost: O(ended jobs) a new job; they are those of the last minutes.
 */
#include "sched/feed/ended.h"

#include <stdlib.h>

#include "common/base/array.h"

#define MORE_US INT64_C(60000000)

const struct cs_kept *cs_ended_find(const struct cs_adapter *b, uint32_t id)
{
	for (uint32_t i = 0; i < b->ended.n; i++)
		if (b->ended.job[i].was.id == id)
			return &b->ended.job[i].was;
	return NULL;
}

void cs_ended_add(struct cs_adapter *b, const struct cs_kept *was)
{
	if (cs_array_room(&b->ended.job, &b->ended.cap, b->ended.n + 1))
		return;
	b->ended.job[b->ended.n++] = (struct cs_ended_job){
		.was = *was,
		.until_us = b->now_us + b->view->purge_us + MORE_US,
	};
}

void cs_ended_tidy(struct cs_adapter *b)
{
	for (uint32_t i = 0; i < b->ended.n; i++)
		if (b->ended.job[i].until_us <= b->now_us ||
		    cs_known_find(&b->known, b->ended.job[i].was.id))
			b->ended.job[i--] = b->ended.job[--b->ended.n];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs whose run is over, with a limit that we had raised.
 *
 * Problem.  The raised limit stays in Slurm's record of an ended job.  The job may wait
 * again with it: by scontrol requeue, for MinJobAge after its end.  Or slurmctld is killed
 * before it has saved the end, or the requeue of a running job, which takes it up to 5 s:
 * then the job runs again as far as its record says, and is requeued when its node does
 * not know it.  Who has forgotten the raise takes the raised limit for what the user asked
 * for.
 *
 * Rules.
 *  1. What the state file has of a job that has ended stays there, as if it ran, until
 *     slurmctld must have purged its record: MinJobAge and a minute after its end.
 *  2. The same for a requeued job, for a minute: slurmctld must have saved it by then.
 *  3. A job that runs again has a line of its own, which counts.
 *
 * From there feed.c, rule 9, restores it; the limit must be the one that we left.
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

/* Keep @was until @until_us, in place of what was kept of the job before. */
static void keep(struct cs_adapter *b, const struct cs_kept *was,
		 int64_t until_us)
{
	const struct cs_ended_job now = { .was = *was, .until_us = until_us };

	for (uint32_t i = 0; i < b->ended.n; i++) {
		if (b->ended.job[i].was.id != was->id)
			continue;
		b->ended.job[i] = now;
		return;
	}
	if (cs_array_room(&b->ended.job, &b->ended.cap, b->ended.n + 1))
		return;
	b->ended.job[b->ended.n++] = now;
}

void cs_ended_add(struct cs_adapter *b, const struct cs_kept *was)
{
	keep(b, was, b->now_us + b->view->purge_us + MORE_US);
}

void cs_ended_requeued(struct cs_adapter *b, const struct cs_kept *was)
{
	keep(b, was, b->now_us + MORE_US);
}

bool cs_ended_counts(const struct cs_adapter *b, const struct cs_kept *was)
{
	const struct cs_known_job *k = cs_known_find(&b->known, was->id);

	return !k || k->state == CS_VIEW_WAITING;
}

void cs_ended_tidy(struct cs_adapter *b)
{
	for (uint32_t i = 0; i < b->ended.n; i++)
		if (b->ended.job[i].until_us <= b->now_us ||
		    !cs_ended_counts(b, &b->ended.job[i].was))
			b->ended.job[i--] = b->ended.job[--b->ended.n];
}

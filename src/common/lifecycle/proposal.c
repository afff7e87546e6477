/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A start is proposed: the job, or a task of it, stops waiting and holds its nodes
 * until the host answers.  Steps that may fail come first.
 */
#include "lifecycle/proposal.h"

#include "job/refused.h"
#include "lifecycle/booking.h"
#include "lifecycle/lifecycle.h"
#include "state/state.h"

struct cs_ejob *cs_proposal_make(struct cs_engine *e, struct cs_ejob *j,
				 uint32_t option, struct cs_alloc *a,
				 enum cs_node_use hold)
{
	int64_t turn_us = j->plan.turn_us;
	struct cs_ejob *task = j;
	uint32_t needs = 0;

	/* A proposal without its action would never be answered: the room for
	 * those of both members of a new pair comes first. */
	if (cs_ask(e->slice, clear, 0, e, a, &needs) ||
	    cs_actions_reserve(e, 2))
		task = NULL;
	else if (j->job.array_id)
		task = cs_lifecycle_split(e, j);
	if (!task) {
		cs_alloc_free(a);
		return NULL;
	}
	cs_tell(e->backfill, takes, e, j, a, hold);
	cs_tell(e->backfill, dropped, e, j);
	if (!(cs_job_flags(j, option) & CS_JOB_HOST))
		cs_refused_exact(e, j, option);
	j = task;
	j->plan.turn_us = turn_us;
	cs_lifecycle_move(e, j, CS_PROPOSED);
	j->alloc = a;
	j->option = option;
	j->hold = hold;
	j->seq = e->next_seq++;
	j->needs = needs;
	j->start_us = j->at_us = e->now_us;
	j->ran_us = j->done_us = 0;
	j->slowdown = j->co_slowdown = j->cores_slow = 1;
	j->limit_us = j->job.estimate_us;
	j->told_us = j->floor_us = 0;
	j->placed_by_host = (cs_job_flags(j, option) & CS_JOB_HOST) != 0;
	if (!j->placed_by_host && cs_booking_add(e, j)) {
		cs_lifecycle_waits_again(e, j);
		cs_lifecycle_merge(e, j);
		return NULL;
	}
	j->limit_dirty = false;
	e->open++;
	return j;
}

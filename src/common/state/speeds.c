/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs whose speed has changed: a host that simulates time must look at them again.
 *
 * A job is in engine->speeds from a change until the host asks; ejob->speed is its
 * index, so it is there once and leaves in O(1).  The list has room for every job
 * (jobtable.c), so adding one never fails.
 */
#include "state/state.h"

void cs_speed_note(struct cs_engine *e, struct cs_ejob *j)
{
	if (j->speed)
		return;
	e->speeds.slot[e->speeds.n++] = j->slot;
	j->speed = e->speeds.n;
}

void cs_speed_forget(struct cs_engine *e, struct cs_ejob *j)
{
	uint32_t last;

	if (!j->speed)
		return;
	last = e->speeds.slot[--e->speeds.n];
	e->speeds.slot[j->speed - 1] = last;
	e->slot[last]->speed = j->speed;
	j->speed = 0;
}

size_t cs_engine_speeds(struct cs_engine *e, const struct cs_speed **ret)
{
	size_t n = 0;

	for (uint32_t i = 0; i < e->speeds.n; i++) {
		struct cs_ejob *j = e->slot[e->speeds.slot[i]];

		j->speed = 0;
		if (j->state == CS_WAITING || j->state == CS_PROPOSED)
			continue;
		e->speed[n++] = (struct cs_speed){
			.job_id = j->job.id,
			.at_us = j->at_us,
			.done_us = j->done_us,
			.slowdown = j->state == CS_RUNNING && !j->seq
					    ? j->slowdown
					    : 0,
		};
	}
	e->speeds.n = 0;
	*ret = e->speed;
	return n;
}

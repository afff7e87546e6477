/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits that follow the slowdown: a running job whose neighbours have changed
 * gets the limit that lets it end as predicted (progress.c).
 *
 * Rules.
 *  1. Not above its maximum (limit_max_us), nor below what the host chose, nor below
 *     what it got for running over several sites: it runs as it does whatever the host's
 *     settings say by now, and would be ended early.
 *  2. In mode shadow nobody gives one: the job ends by its own.
 *  3. A limit that is high enough and less than a minute too high stays: the host sees
 *     no useless change.
 *  4. A job that has run as long as its limit lets it gets no other one (overdue=end): the
 *     host is about to end it, Slurm within half a minute.  Else each neighbour that comes
 *     or goes until then would raise the limit to the time that the job has run, and it
 *     might never end.  Event logs from before that key were written by overdue=raise.
 *  5. The neighbours of a start get theirs with the decide after it.  A host that decides
 *     no more asks for them (cs_engine_limit_due()).
 */
#include "job/limit.h"
#include "job/progress.h"

#include <errno.h>

/* Rule 4. */
static bool is_overdue(const struct cs_engine *e, const struct cs_ejob *j)
{
	return e->params.overdue == CS_OVERDUE_END &&
	       cs_progress_ran_us(j, e->now_us) >= j->limit_us;
}

/* Rules 1 to 4: the limit that @j needs, with its neighbours of now; 0: the one it has. */
static int64_t needed_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	int64_t limit;

	if (e->params.mode == CS_MODE_SHADOW || is_overdue(e, j))
		return 0;
	limit = cs_progress_limit_us(e, j);
	if (limit > j->job.option[j->option].limit_max_us)
		limit = j->job.option[j->option].limit_max_us;
	if (limit < j->told_us)
		limit = j->told_us;
	if (limit < j->floor_us)
		limit = j->floor_us;
	if (limit <= j->limit_us && limit > j->limit_us - 60 * INT64_C(1000000))
		return 0;
	return limit;
}

static void give(const struct cs_ejob *j, int64_t limit_us,
		 struct cs_action *act)
{
	act->type = CS_ACT_LIMIT;
	act->job_id = j->job.id;
	act->option = j->option;
	act->limit_us = limit_us;
	act->group = j->group;
	act->role = j->role;
	act->partner_id = j->partner_id;
	act->slowdown = j->slowdown;
	act->beside = j->co_slowdown * j->cores_slow;
}

/* Give running jobs with new neighbours the limit they now need. */
int cs_limit_notes(struct cs_engine *e)
{
	bool left = false;

	for (size_t i = 0; e->limits && i < e->started.n; i++) {
		struct cs_ejob *j = e->started.job[i];
		struct cs_action *act;
		int64_t limit_us;

		if (!j->limit_dirty || !j->job.base_procs)
			continue;
		if (j->state != CS_RUNNING) {
			left = true;
			continue;
		}
		j->limit_dirty = false;
		e->changed = true;
		limit_us = needed_us(e, j);
		if (!limit_us)
			continue;
		act = cs_engine_action(e, CS_ACT_LIMIT);
		if (!act)
			return -ENOMEM;
		give(j, limit_us, act);
		j->limit_us = limit_us;
	}
	e->limits = left;
	return 0;
}

bool cs_limit_due(const struct cs_engine *e, size_t *at, struct cs_action *ret)
{
	while (*at < e->started.n) {
		const struct cs_ejob *j = e->started.job[(*at)++];
		int64_t limit_us = 0;

		if (j->limit_dirty && j->job.base_procs &&
		    j->state == CS_RUNNING)
			limit_us = needed_us(e, j);
		if (!limit_us)
			continue;
		*ret = (struct cs_action){ 0 };
		give(j, limit_us, ret);
		return true;
	}
	return false;
}

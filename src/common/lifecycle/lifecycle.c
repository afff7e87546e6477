/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job arrives, waits, is split and leaves: the one place that tells all who keep
 * state of it, always in the same order.
 *
 * A job is waiting, proposed, running or suspended:
 *
 *	submit --> waiting --decide--> proposed --started--> running <-> suspended
 *	              ^  |                 |                    |  |
 *	              |  cancel            refused              |  finish
 *	              +--+-----------------+--- requeue --------+
 */
#include "lifecycle/lifecycle.h"

#include <errno.h>
#include <stdlib.h>

#include "backfill/endings.h"
#include "job/forecast.h"
#include "job/lesson.h"
#include "job/pledge.h"
#include "job/refused.h"
#include "order/queue.h"
#include "slice/slice.h"
#include "state/jobtable.h"

/* Room for one more job in every list of all jobs, so that a move never fails. */
static int reserve(struct cs_engine *e)
{
	size_t jobs = e->waiting.n + e->started.n + 1;

	if (cs_jobtable_reserve(e, jobs) || cs_endings_reserve(e, jobs) ||
	    cs_ask(e->order, reserve, 0, e, jobs))
		return -ENOMEM;
	return 0;
}

void cs_lifecycle_move(struct cs_engine *e, struct cs_ejob *j,
		       enum cs_state state)
{
	cs_jobtable_move(e, j, state);
	if (state == CS_WAITING)
		cs_order_add(e, j);
	else if (j->queued && state != CS_PROPOSED)
		cs_order_drop(e, j);
}

int cs_lifecycle_add(struct cs_engine *e, const struct cs_job *job,
		     struct cs_err *err)
{
	struct cs_ejob *j;

	if (cs_engine_job(e, job->id))
		return cs_err_set(err, -EEXIST, "job %u is known already",
				  job->id);
	j = cs_jobtable_new();
	if (!j || reserve(e) || cs_order_reserve(e, job->n_option) ||
	    cs_jobtable_reserve_id(e) ||
	    cs_jobtable_describe(&j->job, &j->own, job)) {
		free(j);
		return cs_err_set(err, -ENOMEM, "job %u: out of memory",
				  job->id);
	}
	if (cs_ask(e->order, added, 0, e, j)) {
		free(j->own);
		free(j);
		return cs_err_set(err, -ENOMEM, "job %u: out of memory",
				  job->id);
	}
	j->profile = cs_jobtable_profile(e, job);
	j->class = cs_slice_class(e, job->estimate_us);
	cs_lesson_describe(e, j);
	cs_jobtable_enter(e, j);
	cs_order_add(e, j);
	cs_jobtable_add_id(e, j);
	return 0;
}

int cs_lifecycle_replace(struct cs_engine *e, struct cs_ejob *j,
			 const struct cs_job *job, struct cs_err *err)
{
	struct cs_job copy, was;
	void *own, *old;
	int rc;

	if (cs_order_reserve(e, job->n_option) ||
	    cs_jobtable_describe(&copy, &own, job))
		return cs_err_set(err, -ENOMEM, "job %u: out of memory",
				  job->id);
	if (j->queued)
		cs_order_drop(e, j);
	if (j->state == CS_WAITING) {
		cs_tell(e->backfill, dropped, e, j);
		cs_sm_of(e, j)->stale = true;
	}
	e->n_option += copy.n_option;
	e->n_option -= j->job.n_option;
	was = j->job;
	old = j->own;
	j->own = own;
	j->job = copy;
	cs_refused_changed(e, j, &was);
	free(old);
	j->plan.made = 0;
	j->part.made = false;
	rc = cs_ask(e->order, changed, 0, e, j);
	if (j->state == CS_WAITING) {
		j->class = cs_slice_class(e, j->job.estimate_us);
		cs_order_add(e, j);
	}
	j->profile = cs_jobtable_profile(e, &j->job);
	cs_lesson_describe(e, j);
	return rc;
}

void cs_lifecycle_remove(struct cs_engine *e, struct cs_ejob *j)
{
	if (j->job.id)
		cs_jobtable_remove_id(e, j->job.id);
	cs_forecast_drop(e, j);
	cs_lesson_drop(e, j);
	cs_speed_forget(e, j);
	if (j->queued)
		cs_order_drop(e, j);
	cs_tell(e->order, leaving, e, j);
	cs_jobtable_leave(e, j);
	cs_jobtable_free(j);
}

void cs_lifecycle_cancel(struct cs_engine *e, struct cs_ejob *j)
{
	cs_tell(e->backfill, dropped, e, j);
	cs_sm_of(e, j)->stale = true; /* others may move up */
	cs_tell(e->order, cancelled, e, j);
	cs_lifecycle_remove(e, j);
}

void cs_lifecycle_waits_again(struct cs_engine *e, struct cs_ejob *j)
{
	cs_alloc_free(j->alloc);
	j->alloc = NULL;
	cs_lesson_drop(e, j);
	j->seq = 0;
	j->needs = 0;
	j->placed_by_host = false;
	j->limit_dirty = j->resized = false;
	j->from_us = 0;
	j->plan.start_us = j->plan.end_us = CS_TIME_NONE;
	j->plan.far_us = 0;
	cs_lifecycle_move(e, j, CS_WAITING);
}

/* What @from was promised goes to @to, unless that has the shorter promise. */
static void hand_over(struct cs_ejob *to, struct cs_ejob *from)
{
	if (from->est_us && (!to->est_us || from->est_us < to->est_us)) {
		to->est_us = from->est_us;
		to->max_us = from->max_us;
	}
	from->est_us = from->max_us = 0;
	cs_pledge_hand_over(to, from);
}

struct cs_ejob *cs_lifecycle_split(struct cs_engine *e, struct cs_ejob *master)
{
	struct cs_ejob *j = cs_jobtable_new();

	if (!j || reserve(e) ||
	    cs_jobtable_describe(&j->job, &j->own, &master->job)) {
		free(j);
		return NULL;
	}
	j->job.id = 0;
	j->job.tasks = 1;
	j->master = master->job.id;
	j->profile = master->profile;
	j->class = master->class;
	hand_over(j, master);
	cs_lesson_describe(e, j);
	cs_jobtable_enter(e, j);
	master->job.tasks--;
	master->proposed++;
	cs_tell(e->order, split, e, master, j);
	return j;
}

struct cs_ejob *cs_lifecycle_merge(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_ejob *master = cs_engine_job(e, j->master);

	if (!j->master || !master)
		return j;
	master->job.tasks++;
	if (master->proposed) /* not if the id was used again */
		master->proposed--;
	hand_over(master, j);
	master->asked_beside = j->asked_beside;
	cs_tell(e->order, merged, master, j);
	if (j->plan.turn_us < master->plan.turn_us)
		master->plan.turn_us = j->plan.turn_us;
	cs_lifecycle_remove(e, j);
	return master;
}

int cs_lifecycle_name(struct cs_engine *e, struct cs_ejob *j, uint32_t id)
{
	struct cs_ejob *master = cs_engine_job(e, j->master);

	if (j->job.id == id)
		return 0;
	if (cs_jobtable_reserve_id(e) || cs_order_reserve(e, j->job.n_option))
		return -ENOMEM;
	if (master && master->proposed)
		master->proposed--;
	if (master && !master->job.tasks && !master->proposed)
		cs_lifecycle_remove(e, master);
	j->job.id = id;
	j->master = 0;
	cs_jobtable_add_id(e, j);
	return 0;
}

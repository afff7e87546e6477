/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running jobs: they end, wait again, are stopped and resume.
 */
#include "engine/event_parts.h"

#include <errno.h>

#include "job/crossing.h"
#include "job/group.h"
#include "job/lesson.h"
#include "job/progress.h"
#include "lifecycle/booking.h"
#include "lifecycle/keepers.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/rest.h"
#include "state/jobtable.h"

/* It will not come back by itself. */
static void no_more_rest(struct cs_engine *e, struct cs_ejob *j)
{
	cs_booking_forget(e, j);
	cs_tell(e->slice, booked, e, j, -1);
}

static void leave(struct cs_engine *e, struct cs_ejob *j)
{
	cs_keepers_set(e, j, false);
	e->sm = cs_sm_of(e, j);
	if (j->state == CS_SUSPENDED)
		cs_booking_give_memory(e, j);
	else if (cs_rests(e, j))
		no_more_rest(e, j);
	else
		cs_booking_remove(e, j);
	e->epoch++;
	cs_group_leave(e, j, true);
}

int cs_event_finish(struct cs_engine *e, uint32_t id, bool failed,
		    struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = cs_event_started_job(e, id, &j, err);

	if (rc)
		return rc;
	leave(e, j);
	cs_tell(e->order, ended, e, j);
	cs_lesson_ended(e, j, failed);
	cs_crossing_ended(e, j, failed);
	cs_lifecycle_remove(e, j);
	cs_lesson_learn(e);
	return 0;
}

int cs_event_requeue(struct cs_engine *e, const struct cs_job *job,
		     struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = cs_event_started_job(e, job->id, &j, err);

	if (!rc)
		rc = cs_jobtable_check(e, job, err);
	if (!rc)
		rc = cs_lifecycle_replace(e, j, job, err);
	if (rc)
		return rc;
	leave(e, j);
	cs_lifecycle_waits_again(e, j);
	j->est_us = j->max_us = 0; /* it counts from its new submission */
	return 0;
}

/* A job that a slice stopped before this engine existed, or that was resumed by hand:
 * the host reports it unasked.  -ENOENT: it is no such. */
static int slice_moved(struct cs_engine *e, struct cs_ejob *j, bool stopped,
		       struct cs_err *err)
{
	int rc = 0;

	if (j->seq || !(e->slice->moved || e->slice->rests) ||
	    j->state != (stopped ? CS_RUNNING : CS_STOPPED))
		return -ENOENT;
	if (!e->slice->rests) {
		e->slice->moved(e, j, stopped);
	} else {
		if (!stopped)
			rc = cs_event_check_free(cs_sm_of(e, j), j->alloc, NULL,
						 err);
		rc = rc ?: cs_rest_moved(e, j, stopped);
	}
	e->epoch++;
	return rc;
}

/* The host did what a slice asked. */
static bool slice_done(struct cs_engine *e, struct cs_ejob *j,
		       enum cs_state state)
{
	if (!j->seq || j->state != state)
		return false;
	if (state == CS_RUNNING) { /* it has stood still until now */
		cs_sm_of(e, j)->stale |= j->at_us < e->now_us;
		cs_progress_bring(j, e->now_us);
		cs_speed_note(e, j);
	}
	j->seq = 0;
	e->open--;
	return true;
}

int cs_event_suspend(struct cs_engine *e, uint32_t id, bool keeps,
		     struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = cs_event_started_job(e, id, &j, err);

	if (rc)
		return rc;
	if (slice_done(e, j, CS_STOPPED))
		return 0;
	rc = keeps ? slice_moved(e, j, true, err) : -ENOENT;
	if (rc != -ENOENT)
		return rc;
	if (j->state == CS_SUSPENDED && j->keeps == keeps)
		return cs_err_set(err, -EINVAL, "job %u is suspended", id);
	if (j->state == CS_SUSPENDED) { /* by others, too, or given back */
		if (keeps && e->slice->rests)
			cs_rest_begin(e, j);
		else
			cs_keepers_set(e, j, keeps);
		e->epoch++;
		return 0;
	}
	if (cs_rests(e, j))
		no_more_rest(e, j);
	else
		cs_booking_remove(e, j);
	cs_booking_keep_memory(e, j);
	cs_lifecycle_move(e, j, CS_SUSPENDED);
	cs_speed_note(e, j);
	cs_keepers_set(e, j, keeps);
	e->epoch++;
	return 0;
}

int cs_event_resume(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = cs_event_started_job(e, id, &j, err);

	if (rc)
		return rc;
	if (slice_done(e, j, CS_RUNNING))
		return 0;
	rc = slice_moved(e, j, false, err);
	if (rc != -ENOENT)
		return rc;
	if (j->state != CS_SUSPENDED)
		return cs_err_set(err, -EINVAL, "job %u is not suspended", id);
	e->sm = cs_sm_of(e, j);
	rc = cs_event_make_room(e, e->sm, j->alloc, err);
	if (rc)
		return rc;
	cs_progress_bring(j, e->now_us);
	cs_booking_give_memory(e, j);
	cs_lifecycle_move(e, j, CS_RUNNING);
	cs_speed_note(e, j);
	rc = cs_booking_add(e, j);
	if (rc) {
		cs_lifecycle_move(e, j, CS_SUSPENDED);
		cs_booking_keep_memory(e, j);
	} else {
		cs_keepers_set(e, j, false);
	}
	return rc;
}

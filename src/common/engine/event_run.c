/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running jobs: they end, wait again, are stopped and resume; begin after their start, and
 * change their size.
 *
 * Rules.
 *  1. A job's time counts from the instant when its nodes had booted and what the host
 *     runs before it was over (BEGIN), as its limit does; until that is reported, from
 *     its start.  It holds its nodes since its start.
 *  2. A job that has fewer nodes or cores than before (RESIZE) gives the others back;
 *     one that has more takes them, which must be free.  Its request stays, and so do its
 *     estimate, limit and progress; the limits of its neighbours, old and new, follow.
 *     It leaves its group if it shares no node with another member.  What such a run
 *     took measures nothing.
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

/* It holds nothing any more. */
static void give(struct cs_engine *e, struct cs_ejob *j)
{
	e->sm = cs_sm_of(e, j);
	if (j->state == CS_SUSPENDED)
		cs_booking_give_memory(e, j);
	else if (cs_rests(e, j))
		no_more_rest(e, j);
	else
		cs_booking_remove(e, j);
}

/* It holds j->alloc as its state says.  0, -ENOMEM. */
static int take(struct cs_engine *e, struct cs_ejob *j)
{
	if (j->state == CS_SUSPENDED)
		cs_booking_keep_memory(e, j);
	else if (cs_rests(e, j))
		cs_booking_await(e, j);
	else
		return cs_booking_add(e, j);
	return 0;
}

static void leave(struct cs_engine *e, struct cs_ejob *j)
{
	cs_keepers_set(e, j, false);
	give(e, j);
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
	rc = cs_event_make_room(e, j, j->option, j->alloc, err);
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

int cs_event_begin(struct cs_engine *e, uint32_t id, int64_t start_us,
		   int64_t from_us, struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = cs_event_started_job(e, id, &j, err);
	int64_t left;

	if (rc)
		return rc;
	if (from_us < start_us)
		return cs_err_set(err, -EINVAL,
				  "job %u begins before its start", id);
	e->sm = cs_sm_of(e, j);
	left = cs_progress_end_us(e, j);
	cs_lesson_begun(e, j);
	j->start_us = start_us;
	j->from_us = from_us > start_us ? from_us : 0;
	j->at_us = from_us;
	j->ran_us = j->done_us = 0;
	/* what it seemed to have done beside a partner is still to be done */
	j->limit_dirty |=
		cs_stretch_us(j->job.estimate_us, j->slowdown) > j->limit_us;
	e->limits |= j->limit_dirty;
	cs_tell(e->backfill, longer, e, j, left);
	return 0;
}

/* Rule 2. */
static int change_alloc(struct cs_engine *e, struct cs_ejob *j,
			const struct cs_alloc *a)
{
	struct cs_alloc *old = j->alloc, *given = cs_alloc_copy(a);

	if (!given)
		return -ENOMEM;
	give(e, j);
	j->alloc = given;
	if (take(e, j)) {
		/* as it was: its old slots are certainly there */
		j->alloc = old;
		take(e, j);
		cs_alloc_free(given);
		return -ENOMEM;
	}
	cs_alloc_free(old);
	cs_sm_of(e, j)->stale = true;
	e->epoch++;
	cs_group_apart(e, j);
	return 0;
}

int cs_event_resize(struct cs_engine *e, uint32_t id, const struct cs_alloc *a,
		    struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = cs_event_started_job(e, id, &j, err)
			 ?: cs_event_check_alloc(e, a, err);

	if (!rc && j->state != CS_SUSPENDED && !cs_rests(e, j))
		rc = cs_event_check_cores(e, j, j->option, a, j->alloc, err);
	if (!rc && !cs_alloc_equal(a, j->alloc))
		rc = change_alloc(e, j, a);
	if (!rc)
		j->resized = true;
	return rc;
}

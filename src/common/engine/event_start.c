/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts: the host confirms or refuses a proposal, or reports a running job.
 */
#include "engine/event_parts.h"

#include <errno.h>

#include "job/crossing.h"
#include "job/forecast.h"
#include "job/group.h"
#include "job/pledge.h"
#include "job/refused.h"
#include "lifecycle/booking.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/rest.h"
#include "state/jobtable.h"

/* Did the host give the proposal, which is booked? */
static bool as_proposed(const struct cs_ejob *j, const struct cs_started *s)
{
	return !j->placed_by_host && s->alloc &&
	       cs_alloc_equal(j->alloc, s->alloc);
}

/* What the host gave to proposed job @j. */
static int take_given(struct cs_engine *e, struct cs_ejob *j,
		      const struct cs_started *s, struct cs_err *err)
{
	if (as_proposed(j, s)) {
		e->rescan |= j->at_us != e->now_us;
		j->start_us = s->start_us;
		return 0;
	}
	return cs_event_check_alloc(e, s->alloc, err) ?:
	       cs_event_check_cores(e, j, j->option, s->alloc,
				    j->placed_by_host ? NULL : j->alloc,
				    err) ?:
	       cs_booking_add_given(e, j, s, j->hold);
}

/* An array task has its id now: tell its partners. */
static void named(const struct cs_ejob *j)
{
	for (struct cs_ejob *x = j->mate; x && x != j; x = x->mate)
		if (!x->partner_id)
			x->partner_id = j->job.id;
}

/* @j, or a task of it, has started in that partition. */
static void took_off(struct cs_engine *e, struct cs_ejob *j, uint32_t option)
{
	cs_refused_started(j, option);
	cs_forecast_drop(e, j);
}

/* What running over several sites makes of its limit; it keeps that (limit.c, rule 1).
 * Not above what it got. */
static int64_t floor_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	double f = cs_crossing_of(e, j);
	int64_t at = cs_stretch_us(j->job.estimate_us, f);

	if (!j->job.base_procs || f <= 1)
		return 0;
	return at < j->limit_us ? at : j->limit_us;
}

int cs_event_confirmed(struct cs_engine *e, const struct cs_started *s,
		       struct cs_err *err)
{
	struct cs_ejob *j = cs_event_asked(e, s->seq, CS_PROPOSED);
	struct cs_ejob *same, *of_array;
	uint32_t array;
	int rc;

	if (!j)
		return cs_event_unknown(err, "seq", s->seq);
	same = cs_engine_job(e, s->job_id);
	/* the last task of an array may keep the array's id */
	if (same && same != j &&
	    (j->master != s->job_id || same->job.tasks || same->proposed > 1))
		return cs_err_set(err, -EEXIST, "job %u is known already",
				  s->job_id);
	e->sm = cs_sm_of(e, j);
	array = j->master;
	rc = take_given(e, j, s, err) ?: cs_lifecycle_name(e, j, s->job_id);
	if (rc)
		return rc;
	if (j->placed_by_host)
		cs_refused_unasked(e, j);
	cs_lifecycle_move(e, j, CS_RUNNING);
	cs_speed_note(e, j);
	j->at_us = e->now_us;
	j->from_us = e->now_us != s->start_us ? e->now_us : 0;
	j->limit_us = s->limit_us;
	j->floor_us = floor_us(e, j);
	/* that limit ignores jobs put beside it after its start was proposed */
	e->limits |= j->limit_dirty;
	j->seq = 0;
	e->open--;
	e->starts++;
	cs_pledge_started(e, j, s->start_us);
	took_off(e, j, j->option);
	of_array = array ? cs_engine_job(e, array) : NULL;
	if (of_array)
		took_off(e, of_array, j->option);
	named(j);
	return 0;
}

/* @j runs as @s says, except for its nodes. */
static void runs_as(struct cs_engine *e, struct cs_ejob *j,
		    const struct cs_started *s)
{
	int64_t from_us = s->from_us ? s->from_us : s->start_us;

	cs_lifecycle_move(e, j, CS_RUNNING);
	cs_speed_note(e, j);
	j->option = s->option;
	j->from_us = s->from_us;
	j->at_us = s->at_us ? s->at_us : from_us;
	j->ran_us = j->at_us - from_us;
	if (s->ran_us > 0)
		j->ran_us = s->ran_us;
	j->done_us = s->done_us;
	j->slowdown = s->slowdown > 1 ? s->slowdown : 1;
	j->co_slowdown = j->cores_slow = 1;
	j->limit_us = s->limit_us;
	j->told_us = 0;
	j->floor_us = s->floor_us;
}

static enum cs_node_use hold_of(const struct cs_ejob *j,
				const struct cs_started *s)
{
	if (cs_job_flags(j, s->option) & CS_JOB_EXCLUSIVE)
		return CS_NODE_EXCLUSIVE;
	return s->packed ? CS_NODE_PACKED : CS_NODE_COUNTED;
}

/* A job that ran before we did, or that the host started by itself. */
int cs_event_found_running(struct cs_engine *e, const struct cs_started *s,
			   struct cs_err *err)
{
	struct cs_ejob *j = cs_engine_job(e, s->job_id);
	int rc;

	if (!j)
		return cs_event_unknown(err, "job", s->job_id);
	if (j->state != CS_WAITING)
		return cs_err_set(err, -EINVAL, "job %u does not wait",
				  s->job_id);
	if (s->option >= j->job.n_option)
		return cs_err_set(err, -EINVAL, "job %u: no partition %u",
				  s->job_id, s->option);
	e->sm = cs_sm_of(e, j);
	rc = cs_event_check_alloc(e, s->alloc, err)
		     ?: cs_event_make_room(e, j, s->option, s->alloc, err);
	if (rc)
		return rc;
	if (cs_ask(e->order, found, 0, e, j))
		return -ENOMEM;
	cs_tell(e->backfill, dropped, e, j);
	took_off(e, j, s->option);
	cs_pledge_drop(j);
	runs_as(e, j, s);
	rc = cs_booking_add_given(e, j, s, hold_of(j, s));
	if (rc) {
		cs_lifecycle_waits_again(e, j);
		return rc;
	}
	if (s->group)
		cs_group_told(e, j, s->group, s->role);
	/* raised for a partner that may have ended meanwhile; else as booking
	 * found its neighbours */
	j->limit_dirty |= s->slowdown > 1;
	/* one that we did not raise is not cut */
	if (!(s->slowdown > 1))
		j->told_us = s->limit_us;
	e->limits |= j->limit_dirty;
	named(j);
	return 0;
}

/* A stop or resume that the host could not do: as before. */
static int slice_refused(struct cs_engine *e, uint32_t seq, struct cs_err *err)
{
	struct cs_ejob *j = cs_event_asked(e, seq, CS_STOPPED);

	if (!j)
		j = cs_event_asked(e, seq, CS_RUNNING);
	if (!j)
		return cs_event_unknown(err, "seq", seq);
	if (!e->slice->rests)
		cs_tell(e->slice, refused, e, j);
	else if (cs_rest_refused(e, j))
		return cs_err_set(err, -EINVAL,
				  "job %u cannot be back on its cores",
				  j->job.id);
	j->seq = 0;
	e->open--;
	e->refusals++;
	return 0;
}

/* The job that keeps the answer to proposed @j: for a task, its array. */
static struct cs_ejob *master_of(const struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_ejob *master = cs_engine_job(e, j->master);

	return j->master && master ? master : j;
}

int cs_event_refused(struct cs_engine *e, const struct cs_event *ev,
		     struct cs_err *err)
{
	struct cs_ejob *j = cs_event_asked(e, ev->refused.seq, CS_PROPOSED),
		       *waits;
	enum cs_refused class = ev->refused.class;
	uint32_t option;

	if (!j)
		return slice_refused(e, ev->refused.seq, err);
	if (cs_forecast_check(e, ev->refused.forecast, err))
		return -EINVAL;
	if (cs_refused_reserve(master_of(e, j)))
		return cs_err_set(err, -ENOMEM, "no memory for a refusal");
	option = j->option;
	if (!j->placed_by_host)
		cs_booking_remove(e, j);
	else if (class == CS_REFUSED_GROUP)
		cs_refused_unasked(e, j);
	cs_group_leave(e, j, false);
	cs_lifecycle_waits_again(e, j);
	if (class != CS_REFUSED_GROUP)
		j->plan.turn_us = CS_TURN_QUEUE;
	waits = cs_lifecycle_merge(e, j);
	e->open--;
	e->refusals++;
	if (!waits->job.id) {
		cs_lifecycle_cancel(
			e, waits); /* its array was cancelled meanwhile */
		return 0;
	}
	if (option >= waits->job.n_option)
		return 0; /* or it asks for other partitions */
	if (class != CS_REFUSED_GROUP)
		cs_forecast_take(e, waits, option, class, ev->refused.forecast);
	cs_refused_note(e, waits, option, class, ev->refused.why);
	return 0;
}

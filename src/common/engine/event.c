/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dispatch of events, and those about waiting jobs and limits.  Each is checked as a whole
 * before anything changes.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/plan.h"
#include "engine/event_parts.h"
#include "engine/gpu_use.h"
#include "job/crossing.h"
#include "job/lesson.h"
#include "learn/crossed.h"
#include "job/progress.h"
#include "job/refused.h"
#include "job/resv.h"
#include "lifecycle/keepers.h"
#include "lifecycle/lifecycle.h"
#include "order/shifted.h"
#include "slice/slice.h"
#include "state/jobtable.h"
#include "state/pass.h"

/* Count what @job asks for on a node (gpu_mix.c, rule 4). */
static void note_gpus(struct cs_engine *e, const struct cs_job *job)
{
	struct cs_gpu_request r;

	if (cs_gpu_use_request(e, job, &r))
		cs_gpu_mix_note(&e->gpu_mix, &r, job->tasks);
}

static int on_submit(struct cs_engine *e, const struct cs_job *job,
		     struct cs_err *err)
{
	int rc =
		cs_jobtable_check(e, job, err) ?: cs_lifecycle_add(e, job, err);

	if (!rc)
		note_gpus(e, job);
	return rc;
}

static int on_change(struct cs_engine *e, const struct cs_job *job,
		     struct cs_err *err)
{
	struct cs_ejob *j = cs_engine_job(e, job->id);

	if (!j)
		return cs_event_unknown(err, "job", job->id);
	if (j->state != CS_WAITING)
		return cs_err_set(err, -EINVAL, "job %u does not wait",
				  job->id);
	return cs_jobtable_check(e, job, err)
		       ?: cs_lifecycle_replace(e, j, job, err);
}

static bool may_use(const struct cs_ejob *j, uint32_t nodeset)
{
	for (uint32_t i = 0; i < j->job.n_option; i++)
		if (j->job.option[i].nodeset == nodeset)
			return true;
	return false;
}

/* As a change of @j in which nothing but the node sets is new. */
static int renew_nodeset(struct cs_engine *e, struct cs_ejob *j, uint32_t from,
			 uint32_t to, struct cs_err *err)
{
	uint32_t n = j->job.n_option;
	struct cs_job_partition *o = malloc(n * sizeof(*o));
	struct cs_job job = j->job;
	int rc;

	if (!o)
		return cs_err_set(err, -ENOMEM, "job %u: out of memory",
				  job.id);
	memcpy(o, job.option, n * sizeof(*o));
	for (uint32_t i = 0; i < n; i++) {
		if (cs_refused_left(j, i)) /* the host did not say so */
			o[i].flags &= ~(uint32_t)CS_JOB_HOST;
		if (o[i].nodeset == from)
			o[i].nodeset = to;
	}
	job.option = o;
	rc = cs_lifecycle_replace(e, j, &job, err);
	free(o);
	return rc;
}

/* O(waiting jobs), and what a change costs for each that may use @from. */
static int on_nodeset(struct cs_engine *e, uint32_t from, uint32_t to,
		      struct cs_err *err)
{
	int rc = 0;

	if (from >= e->n_nodeset || to >= e->n_nodeset)
		return cs_event_unknown(err, "node set",
					from >= e->n_nodeset ? from : to);
	for (size_t i = 0; !rc && i < e->waiting.n; i++)
		if (e->waiting.job[i]->job.id &&
		    may_use(e->waiting.job[i], from))
			rc = renew_nodeset(e, e->waiting.job[i], from, to, err);
	return rc;
}

static int on_cancel(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j = cs_engine_job(e, id);

	if (!j)
		return cs_event_unknown(err, "job", id);
	if (j->state != CS_WAITING)
		return cs_err_set(err, -EINVAL, "job %u does not wait", id);
	cs_lifecycle_cancel(e, j);
	return 0;
}

/* The host changed a limit: fit the estimate to it; we never cut what was granted. */
static int on_limit(struct cs_engine *e, uint32_t id, int64_t limit_us,
		    struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = cs_event_started_job(e, id, &j, err);
	int64_t rest, left;

	if (rc)
		return rc;
	e->sm = cs_sm_of(e, j);
	cs_progress_bring(j, e->now_us);
	left = cs_progress_end_us(e, j);
	rest = limit_us > j->ran_us ? limit_us - j->ran_us : 0;
	j->job.estimate_us = j->done_us + (int64_t)((double)rest / j->slowdown);
	if (j->job.estimate_us < 1)
		j->job.estimate_us = 1;
	j->limit_us = j->told_us = limit_us;
	j->floor_us = 0;
	cs_tell(e->backfill, longer, e, j, left);
	return cs_ask(e->order, changed, 0, e, j); /* the job is known: 0 */
}

static int dispatch(struct cs_engine *e, const struct cs_event *ev,
		    struct cs_err *err)
{
	switch (ev->type) {
	case CS_EV_SUBMIT:
		return on_submit(e, ev->job, err);
	case CS_EV_CHANGE:
		return on_change(e, ev->job, err);
	case CS_EV_CANCEL:
		return on_cancel(e, ev->job_id, err);
	case CS_EV_STARTED:
		return ev->start->seq
			       ? cs_event_confirmed(e, ev->start, err)
			       : cs_event_found_running(e, ev->start, err);
	case CS_EV_REFUSED:
		return cs_event_refused(e, ev, err);
	case CS_EV_FINISH:
		return cs_event_finish(e, ev->job_id, ev->failed, err);
	case CS_EV_REQUEUE:
		return cs_event_requeue(e, ev->job, err);
	case CS_EV_SUSPEND:
		return cs_event_suspend(e, ev->job_id, ev->keeps, err);
	case CS_EV_RESUME:
		return cs_event_resume(e, ev->job_id, err);
	case CS_EV_BEGIN:
		return cs_event_begin(e, ev->begin.job_id, ev->begin.start_us,
				      ev->begin.from_us, err);
	case CS_EV_RESIZE:
		return cs_event_resize(e, ev->resize.job_id, ev->resize.alloc,
				       err);
	case CS_EV_LIMIT:
		return on_limit(e, ev->limit.job_id, ev->limit.limit_us, err);
	case CS_EV_NODESET:
		return on_nodeset(e, ev->nodeset.from, ev->nodeset.to, err);
	case CS_EV_NODE:
		return cs_event_node(e, ev, err);
	case CS_EV_RESERVATION:
		return cs_resv_event(e, ev->reservation, err);
	case CS_EV_TICK:
		e->epoch += ev->freed;
		return 0;
	case CS_EV_KEPT: /* read above */
		return 0;
	}
	return cs_err_set(err, -EINVAL, "event of type %d", (int)ev->type);
}

/* Does the event mean that the host moved a job, or frees what a keeper waits for? */
static bool moves(const struct cs_engine *e, const struct cs_event *ev)
{
	return ev->type == CS_EV_STARTED || ev->type == CS_EV_FINISH ||
	       ev->type == CS_EV_REQUEUE || ev->type == CS_EV_SUSPEND ||
	       ev->type == CS_EV_RESUME || ev->type == CS_EV_RESIZE ||
	       (ev->type == CS_EV_REFUSED && e->slice->moved);
}

int cs_engine_event(struct cs_engine *e, const struct cs_event *ev,
		    struct cs_err *err)
{
	int rc;

	e->changes++;
	cs_slice_clock(e, ev->t_us);
	cs_lesson_clock(e);
	if (ev->type == CS_EV_KEPT && cs_past_is_line(ev->kept))
		return cs_lesson_read(e, ev->kept, err);
	if (ev->type == CS_EV_KEPT && cs_crossed_is_line(ev->kept))
		return cs_crossing_read(e, ev->kept, err);
	if (ev->type == CS_EV_KEPT && !e->shifted &&
	    cs_shifted_is_line(ev->kept))
		return 0; /* from before the policy changed */
	if (ev->type == CS_EV_KEPT)
		return cs_ask(e->order, restore, 0, e, ev->kept, err);
	cs_tell(e->order, clock, e);
	if (e->pass->open && !e->pass->heard)
		cs_plan_settle(e); /* while all jobs of its order are there */
	cs_pass_heard(e, ev);
	/* a start confirmed as proposed changes nothing: see event_start.c */
	e->rescan |= ev->type != CS_EV_SUBMIT &&
		     (ev->type != CS_EV_TICK || ev->freed) &&
		     !(ev->type == CS_EV_STARTED && ev->start->seq);
	if (!moves(e, ev))
		return dispatch(e, ev, err);
	cs_keepers_let_go(e);
	rc = dispatch(e, ev, err);
	if (cs_keepers_keep(e))
		return cs_err_set(err, -ENOMEM,
				  "no memory for what suspended jobs keep");
	return rc;
}

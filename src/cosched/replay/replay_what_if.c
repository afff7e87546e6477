/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rule 4: what the engine would decide now, with the log's starts as facts. */
#include "replay/replay_what_if.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "replay/replay_engine.h"

#define ASKED_MAX 1000 /* decides between two lines */

static const struct cs_decide_part whole = { 0 };

/* ---- the lines after a decide --------------------------------------------- */

struct answer {
	struct cs_replay_line x;
	struct cs_replay_event e;
	struct cs_alloc *planned; /* if it got something else, or NULL */
	size_t act; /* the proposal that it answers, plus 1; 0: none */
};

struct answers {
	struct answer *v;
	size_t n, cap;
};

static void answers_done(struct answers *w)
{
	for (size_t i = 0; i < w->n; i++) {
		cs_alloc_free(w->v[i].planned);
		cs_replay_event_done(&w->v[i].e);
		cs_replay_line_done(&w->v[i].x);
	}
	free(w->v);
}

static struct answer *room(struct answers *w)
{
	return cs_array_room(&w->v, &w->cap, w->n + 1) ? NULL : &w->v[w->n];
}

/* The error of line @x, if it cannot be read. */
static int unread(const struct cs_replay_line *x, int rc,
		  const struct cs_err *why, struct cs_err *err)
{
	if (rc != -EINVAL)
		return rc;
	return cs_err_set(err, rc, "line %llu: %s",
			  (unsigned long long)x->number, why->text);
}

/* Renew pointers into the array, which moved as it grew. */
static void settle(struct answers *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].x.l.ev == CS_LOG_START)
			w->v[i].e.ev.start = &w->v[i].e.start;
}

/* Take the lines that result from a decide; keep starts and refusals. */
static int gather(struct cs_replay *r, struct answers *w, struct cs_err *err)
{
	const struct cs_replay_line *next;
	struct cs_err why = { "" };
	int rc;

	while (!(rc = cs_replay_peek(&r->in, &next, err)) && next &&
	       cs_replay_is_action(r, next)) {
		struct answer *a = room(w);

		if (!a)
			return -ENOMEM;
		*a = (struct answer){ .x = cs_replay_take(&r->in) };
		rc = cs_replay_event_read(&r->on, &a->x.l, &a->e, &why);
		if (!rc)
			rc = cs_log_read_alloc(r->machine, a->x.l.json,
					       &cs_log_planned_keys,
					       &a->planned, &why);
		if (!rc &&
		    (a->x.l.ev == CS_LOG_START || a->x.l.ev == CS_LOG_REFUSE)) {
			w->n++;
			continue;
		}
		rc = rc == -ENOENT ? 0 : unread(&a->x, rc, &why, err);
		cs_alloc_free(a->planned);
		cs_replay_event_done(&a->e);
		cs_replay_line_done(&a->x);
		if (rc)
			break;
	}
	settle(w);
	return rc;
}

/* ---- proposals and facts ------------------------------------------------- */

static bool is_start(const struct cs_action *a)
{
	return a->type == CS_ACT_START || a->type == CS_ACT_HOST_START;
}

static uint32_t waited_as(const struct cs_started *s)
{
	return s->array_id ? s->array_id : s->job_id;
}

/* Is @w the outcome of proposal @a? */
static bool meets(const struct answer *w, const struct cs_action *a)
{
	const struct cs_started *s = &w->e.start;

	if (w->act || !is_start(a))
		return false;
	if (w->x.l.ev == CS_LOG_REFUSE)
		return w->x.l.job == a->job_id;
	return waited_as(s) == a->job_id && s->option == a->option &&
	       (a->type == CS_ACT_HOST_START ||
		cs_alloc_equal(w->planned ? w->planned : s->alloc, a->alloc));
}

static int take_back(struct cs_replay *r, const struct cs_action *a,
		     int64_t t_us, struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_REFUSED,
		.t_us = t_us,
		.refused = { .seq = a->seq,
			     .class = CS_REFUSED_GROUP,
			     .why = "it is not what was done" },
	};

	return cs_replay_tell(r, &ev, r->in.in.line, err);
}

/* Record the engine's proposals; revoke those not in the log. */
static int propose(struct cs_replay *r, struct answers *w, int64_t t_us,
		   struct cs_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->acts.n; i++) {
		const struct cs_action *a = &r->acts.a[i];
		const struct cs_alloc *on = a->alloc;
		bool met = false;

		if (!a->seq)
			continue;
		for (size_t k = 0; !met && k < w->n; k++) {
			met = meets(&w->v[k], a);
			if (met)
				w->v[k].act = i + 1;
			if (met && w->v[k].e.alloc)
				on = w->v[k].e.alloc; /* the host chose */
		}
		rc = cs_replay_would_start(&r->would, a->job_id, t_us, on);
		if (!rc && !met)
			rc = take_back(r, a, t_us, err);
	}
	return rc;
}

/* Make an array's task a waiting job of its own: line @text describes the array, of
 * which @left tasks remain. */
static int split(struct cs_replay *r, const char *text, uint32_t left,
		 const struct cs_started *s, int64_t t_us, uint64_t number,
		 struct cs_err *err)
{
	struct cs_replay_event e = { 0 };
	struct cs_log_line l;
	struct cs_event ev = { .type = CS_EV_CANCEL, .t_us = t_us };
	int rc = cs_logread_line(r->in.reader, text, strlen(text), &l, err);

	if (rc)
		return rc;
	rc = cs_replay_event_read(&r->on, &l, &e, err);
	for (uint32_t i = 0; !rc && i < e.job.n_option; i++) {
		int64_t now =
			cs_engine_job_nodeset(r->on.engine, s->array_id, i);

		/* of a nodeset line since */
		if (now >= 0)
			e.option[i].nodeset = (uint32_t)now;
	}
	e.job.tasks = left;
	ev.job_id = s->array_id;
	if (!rc && left) {
		ev.type = CS_EV_CHANGE;
		ev.job = &e.job;
	}
	if (!rc)
		rc = cs_replay_tell(r, &ev, number, err);
	e.job.id = s->job_id;
	e.job.tasks = 1;
	ev.type = CS_EV_SUBMIT;
	ev.job = &e.job;
	if (!rc)
		rc = cs_replay_tell(r, &ev, number, err);
	cs_replay_event_done(&e);
	cs_log_line_done(&l);
	return rc;
}

/* Return the proposed tasks of array @id to waiting: the log's lines about them are
 * facts from here on. */
static int take_back_tasks(struct cs_replay *r, struct answers *w, uint32_t id,
			   int64_t t_us, struct cs_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < w->n; i++) {
		struct answer *a = &w->v[i];

		if (!a->act || r->acts.a[a->act - 1].job_id != id)
			continue;
		rc = take_back(r, &r->acts.a[a->act - 1], t_us, err);
		a->act = 0;
	}
	return rc;
}

/* A start that the engine did not propose. */
static int fact(struct cs_replay *r, struct answers *all, struct answer *w,
		struct cs_err *err)
{
	struct cs_started s = w->e.start;
	struct cs_event ev = w->e.ev;
	uint32_t tasks = 0;
	const char *text = cs_replay_would_array(&r->would, s.array_id, &tasks);
	int rc = take_back_tasks(r, all, waited_as(&s), ev.t_us, err);

	s.seq = 0;
	ev.start = &s;
	if (!rc && s.array_id && s.array_id != s.job_id && text)
		rc = split(r, text, tasks - 1, &s, ev.t_us, w->x.number, err);
	return rc ? rc : cs_replay_tell(r, &ev, w->x.number, err);
}

static int started(struct cs_replay *r, struct answers *all, struct answer *w,
		   int64_t t_us, struct cs_err *err)
{
	int64_t soon = cs_engine_predicted_start_us(
		r->on.engine, waited_as(&w->e.start), NULL);
	int rc;

	if (w->act) {
		w->e.start.seq = r->acts.a[w->act - 1].seq;
		w->act = 0;
		rc = cs_replay_tell(r, &w->e.ev, w->x.number, err);
	} else {
		rc = fact(r, all, w, err);
	}
	cs_replay_did_start(&r->would, &w->e.start, t_us, soon);
	r->actions++;
	return rc;
}

int cs_replay_if_decide(struct cs_replay *r, int64_t t_us, struct cs_err *err)
{
	struct answers w = { NULL, 0, 0 };
	int rc = gather(r, &w, err);

	if (!rc)
		rc = cs_replay_ask(r, t_us, &whole, err);
	if (!rc)
		rc = propose(r, &w, t_us, err);
	for (size_t i = 0; !rc && i < w.n; i++) {
		struct answer *a = &w.v[i];

		if (a->x.l.ev == CS_LOG_START) {
			rc = started(r, &w, a, t_us, err);
		} else if (a->act) {
			a->e.ev.refused.seq = r->acts.a[a->act - 1].seq;
			rc = cs_replay_tell(r, &a->e.ev, a->x.number, err);
		}
	}
	answers_done(&w);
	r->news = false;
	return rc;
}

/* ---- between ------------------------------------------------------------- */

/* Decide where the log has no decide: revoke all proposals. */
static int ask(struct cs_replay *r, int64_t t_us, struct cs_err *err)
{
	struct answers none = { NULL, 0, 0 };
	int64_t decided_us = r->decided_us;
	int rc = cs_replay_ask(r, t_us, &whole, err);

	if (!rc)
		rc = propose(r, &none, t_us, err);
	r->news = false;
	r->decided_us = decided_us;
	return rc;
}

int cs_replay_if_before(struct cs_replay *r, const struct cs_replay_line *x,
			struct cs_err *err)
{
	int64_t t_us = x->l.event.t_us, at = r->last_us, wake;
	int rc = 0;

	if (r->news && t_us > at && x->l.ev != CS_LOG_DECIDE)
		rc = ask(r, at, err);
	for (int i = 0; !rc && !r->news && i < ASKED_MAX; i++) {
		wake = cs_engine_next_wakeup_us(r->on.engine);
		if (wake <= at || wake >= t_us)
			break;
		at = wake;
		rc = ask(r, at, err);
	}
	return rc;
}

/* In mode shadow the host's own starts are compared, except of jobs that ran before. */
static void host_started(struct cs_replay *r, const struct cs_replay_event *e)
{
	struct cs_started s = e->start;
	int64_t soon;

	s.array_id = 0;
	if (r->params.mode != CS_MODE_SHADOW ||
	    !cs_replay_would_waited(&r->would, s.job_id, e->ev.t_us)) {
		cs_replay_would_gone(&r->would, s.job_id);
		return;
	}
	soon = cs_engine_predicted_start_us(r->on.engine, s.job_id, NULL);
	cs_replay_did_start(&r->would, &s, e->ev.t_us, soon);
}

int cs_replay_if_event(struct cs_replay *r, const struct cs_replay_line *x,
		       const struct cs_replay_event *e, struct cs_err *err)
{
	int rc = 0;

	switch (e->ev.type) {
	case CS_EV_SUBMIT:
	case CS_EV_CHANGE:
	case CS_EV_REQUEUE:
		rc = cs_replay_would_waits(&r->would, &e->job, e->ev.t_us,
					   x->text);
		break;
	case CS_EV_CANCEL:
		cs_replay_would_gone(&r->would, e->ev.job_id);
		break;
	case CS_EV_STARTED:
		host_started(r, e);
		break;
	default:
		break;
	}
	return rc ? rc : cs_replay_tell(r, &e->ev, x->number, err);
}

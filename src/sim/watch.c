/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch.h"
#include "common/base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a job holds on a node of the window. */
struct piece {
	uint32_t node;
	uint64_t cores;
};

struct cs_watched {
	uint64_t cores;	     /* on all nodes */
	int64_t since_us;    /* it runs; -1: it does not */
	struct piece *piece; /* [n_piece] */
	uint32_t n_piece;
};

/* ---- use over time ------------------------------------------------------- */

/* Room for step @i. */
static int grow_steps(struct cs_watch *w, size_t i)
{
	size_t room = 2 * i + 64;
	double *p;

	if (i < w->room_step)
		return 0;
	p = realloc(w->core_us, room * sizeof(*p));
	if (!p)
		return w->rc = -ENOMEM;
	memset(p + w->room_step, 0, (room - w->room_step) * sizeof(*p));
	w->core_us = p;
	w->room_step = room;
	return 0;
}

/* The cores have been held until @now_us. */
static void use(struct cs_watch *w, int64_t now_us)
{
	while (w->at_us < now_us) {
		size_t i = (size_t)(w->at_us / w->o.step_us);
		int64_t end = ((int64_t)i + 1) * w->o.step_us;

		if (i >= w->o.steps_max || grow_steps(w, i)) {
			w->at_us = now_us;
			return;
		}
		end = end < now_us ? end : now_us;
		w->core_us[i] += (double)w->cores * (double)(end - w->at_us);
		w->n_step = i + 1;
		w->at_us = end;
	}
}

/* ---- spans --------------------------------------------------------------- */

static void add_span(struct cs_watch *w, struct cs_span s)
{
	if (s.from_us < w->o.from_us)
		s.from_us = w->o.from_us;
	if (s.to_us > w->o.to_us)
		s.to_us = w->o.to_us;
	if (s.from_us >= s.to_us || w->n_span == w->o.spans_max)
		return;
	if (cs_array_room(&w->span, &w->room_span, w->n_span + 1))
		w->rc = -ENOMEM;
	else
		w->span[w->n_span++] = s;
}

static void stop(struct cs_watch *w, uint32_t job, int64_t now_us)
{
	struct cs_watched *j = &w->job[job];

	if (j->since_us < 0)
		return;
	for (uint32_t i = 0; i < j->n_piece; i++)
		add_span(w, (struct cs_span){ job, j->piece[i].node,
					      j->piece[i].cores, j->since_us,
					      now_us });
	j->since_us = -1;
	w->cores -= j->cores;
}

static void go(struct cs_watch *w, uint32_t job, int64_t now_us)
{
	w->job[job].since_us = now_us;
	w->cores += w->job[job].cores;
}

static void take(struct cs_watch *w, uint32_t job, const struct cs_alloc *a)
{
	struct cs_watched *j = &w->job[job];

	j->cores = cs_alloc_count_all(a);
	j->n_piece = 0;
	free(j->piece);
	j->piece = calloc(w->o.nodes + 1, sizeof(*j->piece));
	if (!j->piece)
		w->rc = -ENOMEM;
	for (uint32_t i = 0; j->piece && i < a->n_node; i++)
		if (a->node[i].node < w->o.nodes)
			j->piece[j->n_piece++] =
				(struct piece){ a->node[i].node,
						cs_alloc_cores(a, i)[0] };
}

/* ---- life ---------------------------------------------------------------- */

int cs_watch_init(struct cs_watch *w, const struct cs_trace *t,
		  const struct cs_watch_options *o)
{
	int rc;

	*w = (struct cs_watch){ .o = *o, .n_job = t->n };
	w->job = calloc(t->n + 1, sizeof(*w->job));
	rc = w->job ? cs_jobids_init(&w->ids, t, NULL) : -ENOMEM;
	for (size_t i = 0; !rc && i < t->n; i++)
		w->job[i].since_us = -1;
	if (rc)
		cs_watch_done(w);
	return rc;
}

void cs_watch_hear(void *watch, const struct cs_event *ev)
{
	struct cs_watch *w = watch;
	bool start = ev->type == CS_EV_STARTED;
	uint32_t job;

	if (!start && ev->type != CS_EV_FINISH && ev->type != CS_EV_SUSPEND &&
	    ev->type != CS_EV_RESUME)
		return;
	job = cs_jobids_find(&w->ids, start ? ev->start->job_id : ev->job_id);
	if (job == UINT32_MAX)
		return;
	use(w, ev->t_us);
	if (start)
		take(w, job, ev->start->alloc);
	if (start || ev->type == CS_EV_RESUME)
		go(w, job, ev->t_us);
	else
		stop(w, job, ev->t_us);
	if (ev->type == CS_EV_FINISH) {
		free(w->job[job].piece);
		w->job[job].piece = NULL;
		w->job[job].n_piece = 0;
	}
}

void cs_watch_done(struct cs_watch *w)
{
	for (size_t i = 0; w->job && i < w->n_job; i++)
		free(w->job[i].piece);
	free(w->job);
	free(w->core_us);
	free(w->span);
	cs_jobids_done(&w->ids);
	memset(w, 0, sizeof(*w));
}

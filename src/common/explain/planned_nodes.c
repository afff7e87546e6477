/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of planned starts.
 *
 * Problem.  Under a plan that counts cores (plan.c) a job has a start but no nodes: they
 * are chosen when it starts.  Slurm's commands show a planned job's nodes before.
 *
 * Rule.  Planned starts are made one after the other, by start and id, on the machine as it
 * is: before each, running jobs whose limits have ended by then leave, and so do jobs
 * placed before.  Each takes the nodes that it would be given then, if no other job came.
 * A job that the simple walk finds no room for has no nodes, nor has one whose start is an
 * estimate that keeps nothing (horizon.c).  Nothing is decided by it.
 *
 * Cost: O(nodes) a job.  With time slices nobody's nodes are told: each class has its own
 * machine.
 */
#include <errno.h>
#include <stdlib.h>

#include "explain/explain.h"
#include "job/alone.h"
#include "job/progress.h"
#include "job/resv.h"
#include "state/pass.h"

struct planned {
	struct cs_ejob *job;
	int64_t start_us;
	struct cs_alloc *alloc; /* NULL: none, or it has ended */
	enum cs_node_use hold;
};

/* By start and id; of equal ids there is one. */
static int by_start(const void *x, const void *y)
{
	const struct planned *a = x, *b = y;

	if (a->start_us != b->start_us)
		return a->start_us < b->start_us ? -1 : 1;
	return cs_ejob_cmp(a->job, b->job);
}

/* The jobs with a start until @until_us and without nodes, in order. */
static size_t planned_until(const struct cs_engine *e, int64_t until_us,
			    struct planned *p)
{
	size_t n = 0;

	for (size_t i = 0; i < e->waiting.n; i++) {
		struct cs_ejob *j = e->waiting.job[i];
		const uint64_t *nodes;
		int64_t at_us =
			cs_engine_predicted_start_us(e, j->job.id, &nodes);

		if (j->job.id && at_us != CS_TIME_NONE && at_us <= until_us &&
		    !nodes && cs_pass_why(e, j) != CS_WHY_FAR)
			p[n++] =
				(struct planned){ .job = j, .start_us = at_us };
	}
	qsort(p, n, sizeof(*p), by_start);
	return n;
}

/* Jobs of @p [@n] that have ended by @at_us leave @then. */
static void leave(struct cs_occ *then, struct planned *p, size_t n,
		  int64_t at_us)
{
	for (size_t i = 0; i < n; i++) {
		if (!p[i].alloc ||
		    p[i].start_us + p[i].job->job.estimate_us > at_us)
			continue;
		cs_occ_remove(then, p[i].alloc, p[i].hold);
		cs_alloc_free(p[i].alloc);
		p[i].alloc = NULL;
	}
}

/* Place @p on @then; false: there is no room, or no memory. */
static bool place(const struct cs_engine *e, struct cs_occ *then,
		  struct planned *p)
{
	uint32_t option = p->job->verdict.option;
	const struct cs_occ *room;
	struct cs_shape shape;
	bool nomem;

	if (!cs_alone_shape(e, p->job, option, &shape))
		return false;
	room = cs_resv_room(e, p->job, option, &shape, then, p->start_us,
			    p->job->job.estimate_us, e->mask);
	p->alloc = cs_layout_choose(room, &shape, e->mask, &nomem);
	p->hold = cs_alone_hold(&shape);
	if (p->alloc)
		cs_occ_add(then, p->alloc, p->hold);
	return p->alloc;
}

int cs_explain_nodes(const struct cs_engine *e, int64_t until_us, uint32_t most,
		     uint32_t *ret_id, uint64_t *ret_nodes)
{
	struct planned *p = calloc(e->waiting.n + 1, sizeof(*p));
	struct cs_ending *end = calloc(e->started.n + 1, sizeof(*end));
	struct cs_occ then = { 0 };
	size_t n, n_end, gone = 0;
	int ret = 0;

	if (!p || !end || cs_occ_init(&then, e->machine)) {
		ret = -ENOMEM;
		goto out;
	}
	if (e->n_sm > 1)
		goto out;
	cs_occ_copy(&then, &e->sms[0].now);
	n = planned_until(e, until_us, p);
	n = n < most ? n : most;
	n_end = cs_room_ends(e, &e->sms[0], end);
	for (size_t i = 0; i < n; i++) {
		for (; gone < n_end && end[gone].end_us <= p[i].start_us;
		     gone++)
			cs_occ_remove(&then, end[gone].job->alloc,
				      end[gone].job->hold);
		leave(&then, p, i, p[i].start_us);
		if (!place(e, &then, &p[i]))
			continue;
		ret_id[ret] = p[i].job->job.id;
		cs_alloc_mark(p[i].alloc,
			      ret_nodes +
				      (size_t)ret * cs_node_words(e->machine));
		ret++;
	}
	leave(&then, p, n, CS_TIME_NONE);
out:
	cs_occ_done(&then);
	free(end);
	free(p);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * passing: in which order jobs behind a head are tried.
 *
 * Problem.  What is free beside a head's planned start goes to the job that is tried
 * first.  In the queue's order that is the one that came first, though many short jobs would
 * fit there.
 *
 * Symbols	C name		unit
 *   a		now - eligible	us, how long it has been eligible
 *   L		estimate_us	us, its limit
 *   c		cores		hardware threads that it asks for
 *   d		passing_lead	s, or with order=shifted a multiple of U (shifted.c)
 *   P		key		1
 *
 * Rules.
 *  1. queue: as they stand in the queue.  Else those of the highest precedence and
 *     partition tier first, of these by shortest: the least L first; expansion: the largest
 *
 *	P = (a + d) c / L					(1)
 *
 *     first.  Equal ones as they stand in the queue.
 *  2. After passing_tries tries the others wait for the next walk.  A try is a job that
 *     fits what is free and would delay a head; one that starts, or finds no room, is none.
 *     The next walk begins behind the last one tried.
 *
 * Example: d = 0; a job of 1 core and 1 h that came 2 h ago has P = 2, one of 4 cores and
 * 8 h that came 3 h ago 1.5.
 *
 * Source: rule 1 as in order=expansion (expansion.c); with d what has just come counts,
 * too.
 *
 * Cost: O(jobs behind heads) a walk, and O(log n) for each one that is tried.
 */
#include "order/passing.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/heap.h"

struct cs_passer {
	double key; /* the largest is first */
	size_t at;  /* its place in the queue */
	bool late;  /* after those that are not */
	uint32_t precedence, tier;
	uint32_t job, option;
	uint32_t before; /* in the queue, of those that the host places */
};

static bool before(const struct cs_passer *a, const struct cs_passer *b)
{
	if (a->late != b->late)
		return b->late;
	if (a->precedence != b->precedence)
		return a->precedence > b->precedence;
	if (a->tier != b->tier)
		return a->tier > b->tier;
	return a->key != b->key ? a->key > b->key : a->at < b->at;
}

/* @a and @b by value, for CS_HEAP. */
static bool is_before(const struct cs_passers *w, struct cs_passer a,
		      struct cs_passer b)
{
	(void)w;
	return before(&a, &b);
}

#define AT(w, i) ((w)->passer[i])
#define PUT(w, i, x) ((void)((w)->passer[i] = (x)))

CS_HEAP(passers, struct cs_passers, struct cs_passer, 4, AT, PUT, is_before);

void cs_passing_done(struct cs_passers *w)
{
	free(w->passer);
}

void cs_passing_begin(struct cs_engine *e)
{
	e->passing.n = 0;
	e->passing.tries = 0;
	e->passing.stopped = false;
}

static double key_of(const struct cs_engine *e, const struct cs_ejob *j)
{
	int64_t age_us = e->now_us - j->job.eligible_us;
	double lead_us = e->params.passing_lead *
			 (double)cs_ask(e->order, unit_us, CS_SECOND_US, j);

	if (e->params.passing == CS_PASSING_SHORTEST)
		return -(double)j->job.estimate_us;
	return ((double)(age_us > 0 ? age_us : 0) + lead_us) *
	       (double)j->job.procs * (double)j->job.cpus_per_proc /
	       (double)j->job.estimate_us;
}

int cs_passing_add(struct cs_pass *p, size_t at)
{
	struct cs_passers *w = &p->e->passing;
	const struct cs_entry *entry = &p->queue[at];
	const struct cs_job_partition *o =
		&entry->job->job.option[entry->option];

	if (cs_array_room(&w->passer, &w->cap, w->n + 1))
		return -ENOMEM;
	w->passer[w->n++] = (struct cs_passer){
		.key = key_of(p->e, entry->job),
		.at = at,
		.precedence = o->precedence,
		.tier = o->tier,
		.before = p->before,
		.job = entry->job->job.id,
		.option = entry->option,
	};
	return 0;
}

/* Rule 2: the last one tried by the last walk, if it still waits. */
static const struct cs_passer *last_tried(const struct cs_passers *w)
{
	for (size_t i = 0; w->last_job && i < w->n; i++)
		if (w->passer[i].job == w->last_job &&
		    w->passer[i].option == w->last_option)
			return &w->passer[i];
	return NULL;
}

void cs_passing_sort(struct cs_engine *e)
{
	struct cs_passers *w = &e->passing;
	const struct cs_passer *last = last_tried(w);

	if (last) {
		const struct cs_passer x = *last;

		for (size_t i = 0; i < w->n; i++)
			w->passer[i].late = !before(&x, &w->passer[i]);
	}
	w->last_job = w->last_option = 0;
	w->stopped = false; /* a head, by another */
	for (size_t i = w->n; i--;)
		passers_sift(w, w->n, i);
}

bool cs_passing_next(const struct cs_engine *e, size_t *ret_at)
{
	const struct cs_passers *w = &e->passing;

	if (!w->n || w->tries >= e->params.passing_tries)
		return false;
	*ret_at = w->passer[0].at;
	return true;
}

uint32_t cs_passing_before(const struct cs_engine *e)
{
	return e->passing.passer[0].before;
}

void cs_passing_tried(struct cs_engine *e)
{
	struct cs_passers *w = &e->passing;

	w->tries += w->stopped;
	if (w->tries >= e->params.passing_tries) {
		w->last_job = w->passer[0].job;
		w->last_option = w->passer[0].option;
	}
	w->stopped = false;
	w->n = passers_drop(w, w->n, 0);
}

void cs_passing_left(struct cs_engine *e, size_t at)
{
	struct cs_passers *w = &e->passing;
	size_t gone = w->n;

	for (size_t i = 0; i < w->n; i++) {
		if (w->passer[i].at == at)
			gone = i;
		w->passer[i].at -= w->passer[i].at > at;
	}
	if (gone < w->n)
		w->n = passers_drop(w, w->n, gone);
}

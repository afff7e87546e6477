/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When licences are free.
 *
 * Problem.  A job that needs many licences finds them free at once only by chance while
 * others that need one each come and go.  It is to be promised a start like those that
 * wait for nodes, and nobody who would still hold what it needs then may pass.
 *
 * Rules.
 *  1. Licences are counted by kind over time: started jobs give theirs back at their
 *     limit.
 *  2. Who lacks some gets the first instant at which all that it needs is free for as
 *     long as it runs, and takes them from then on; in the order of the queue.
 *  3. Who finds enough for as long as it runs, beside what rule 2 gave, may start; it
 *     takes nothing before it has started, so that no licence idles for a job that waits
 *     for nodes.
 *
 * Example: of 4, one job holds 3 until 10.  A needs 4 for 5: from 10 to 15.  B needs 1: it
 * may start now if it ends by 10, else at 15.  (test_licence.c)
 *
 * Source: the idea is that of Slurm's bf_licenses; ours holds no nodes meanwhile.
 *
 * Known weakness: a start that then waits for nodes does not move what others were given.
 */
#include "model/licence.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/job.h"

void cs_licences_done(struct cs_licences *l)
{
	free(l->step);
	l->step = NULL;
	l->n = l->cap = l->sorted = 0;
}

static int by_time(const void *x, const void *y)
{
	const struct cs_licence_step *a = x, *b = y;

	if (a->at_us != b->at_us)
		return a->at_us < b->at_us ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->more < b->more ? -1 : a->more > b->more;
}

static void sort(struct cs_licences *l)
{
	if (l->sorted < l->n)
		qsort(l->step, l->n, sizeof(*l->step), by_time);
	l->sorted = l->n;
}

int cs_licences_take(struct cs_licences *l, const struct cs_licence_need *need,
		     uint32_t n, int64_t from_us, int64_t until_us)
{
	if (cs_array_room(&l->step, &l->cap, l->n + 2 * (size_t)n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (from_us != INT64_MIN)
			l->step[l->n++] =
				(struct cs_licence_step){ from_us, need[i].kind,
							  -(int64_t)need[i].n };
		l->step[l->n++] =
			(struct cs_licence_step){ until_us, need[i].kind,
						  need[i].n };
	}
	return 0;
}

/* Are @need [n] free? */
static int enough(const int64_t *left, const struct cs_licence_need *need,
		  uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (left[need[i].kind] < need[i].n)
			return 0;
	return 1;
}

int64_t cs_licences_find(struct cs_licences *l,
			 const struct cs_licence_need *need, uint32_t n,
			 int64_t from_us, int64_t run_us)
{
	int64_t left[CS_LICENCE_KINDS], start = from_us;
	size_t i = 0;

	sort(l);
	for (uint32_t k = 0; k < l->n_kind; k++)
		left[k] = l->free[k];
	for (; i < l->n && l->step[i].at_us <= from_us; i++)
		left[l->step[i].kind] += l->step[i].more;
	for (;;) {
		int64_t at;

		if (!enough(left, need, n))
			start = CS_TIME_NONE;
		if (i == l->n)
			return start;
		at = l->step[i].at_us;
		if (start != CS_TIME_NONE && at - start >= run_us)
			return start;
		for (; i < l->n && l->step[i].at_us == at; i++)
			left[l->step[i].kind] += l->step[i].more;
		if (start == CS_TIME_NONE)
			start = at;
	}
}

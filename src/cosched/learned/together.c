/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A history that has only node lists and times.
 *
 * Problem.  A site that begins to share has years of accounting, and no event log.  Jobs
 * were neighbours if they had a node and time in common; how many cores of it each had is
 * not recorded, nor how many a node has.
 *
 * Rules.
 *  1. A job's cpus are spread evenly over its nodes.  A node has as many as were ever
 *     held there at a time, if the caller does not know.
 *  2. A job without neighbours is alone on full nodes, if it has no more nodes than its
 *     cpus fill, or could not fill one; else it is spread.
 *  3. With neighbours of several kinds at a time only the one on most of its nodes counts;
 *     a job that meets more than KINDS kinds, or a node with more than ON jobs, teaches
 *     nothing.
 *  4. Nor do jobs that did not come to an end of their own, those that were suspended for
 *     more than cs_past_ended() tolerates or beside one that was, and those that
 *     began before since_us, or before the last end of those dropped: their neighbours are
 *     not all known.
 *  5. At the same instant ends come before starts.
 *  6. If there is no room, the half of the jobs that ended first is dropped.
 *
 * Differs from the engine (job/lesson.c): there, what is believed so far chooses between
 * neighbours of several kinds (3), and cores are known (1, 2).
 *
 * Known weakness: overlapping allocations (gang, suspended jobs) make nodes look larger,
 * so jobs look spread; then the caller has to say the cores.
 */
#include "learned/together_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/rng.h"
#include "import/node_list.h"

struct cs_together *cs_together_create(int64_t since_us, uint32_t threads,
				       uint32_t cores)
{
	struct cs_together *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->since_us = since_us;
	t->threads = threads;
	t->cores = cores;
	return t;
}

void cs_together_free(struct cs_together *t)
{
	if (!t)
		return;
	free(t->job);
	free(t->place);
	cs_idmap_done(&t->nodes);
	free(t);
}

const struct cs_together_counts *cs_together_counts(const struct cs_together *t)
{
	return &t->counts;
}

/* ---- rule 6 -------------------------------------------------------------- */

static int by_end(const void *x, const void *y)
{
	const struct cs_together_held *a = x, *b = y;

	if (a->end_us != b->end_us)
		return a->end_us < b->end_us ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int by_place(const void *x, const void *y)
{
	const struct cs_together_held *a = x, *b = y;

	return a->place < b->place ? -1 : a->place > b->place;
}

static void drop_half(struct cs_together *t)
{
	size_t drop = (t->n_job + 1) / 2;

	qsort(t->job, t->n_job, sizeof(*t->job), by_end);
	if (t->job[drop - 1].end_us > t->since_us)
		t->since_us = t->job[drop - 1].end_us;
	t->n_job -= drop;
	t->counts.dropped += drop;
	memmove(t->job, t->job + drop, t->n_job * sizeof(*t->job));
	qsort(t->job, t->n_job, sizeof(*t->job), by_place);
	t->n_place = 0;
	for (size_t i = 0; i < t->n_job; i++) {
		struct cs_together_held *j = &t->job[i];

		memmove(t->place + t->n_place, t->place + j->place,
			j->n_place * sizeof(*t->place));
		j->place = (uint32_t)t->n_place;
		t->n_place += j->n_place;
	}
}

/* ---- nodes --------------------------------------------------------------- */

static int number_of(struct cs_together *t, const char *name, uint32_t *ret)
{
	uint64_t key = 1;
	void *at;

	while (*name)
		key = cs_rng_hash(key, (unsigned char)*name++);
	at = cs_idmap_find(&t->nodes, key);
	if (!at) {
		if (t->n_node == CS_TOGETHER_NODES)
			return -E2BIG;
		if (cs_idmap_reserve(&t->nodes, t->n_node + 1))
			return -ENOMEM;
		at = (void *)(uintptr_t)++t->n_node;
		cs_idmap_add(&t->nodes, key, at);
	}
	*ret = (uint32_t)(uintptr_t)at - 1;
	return 0;
}

static int add_place(void *arg, const char *name)
{
	struct cs_together *t = arg;
	uint32_t node;
	int rc = number_of(t, name, &node);

	if (!rc && t->n_place == CS_TOGETHER_PLACES)
		rc = -ENOSPC;
	if (!rc)
		rc = cs_array_room(&t->place, &t->cap_place, t->n_place + 1);
	if (!rc)
		t->place[t->n_place++] = node;
	return rc;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

/* A list may name a node twice. */
static void add_once(struct cs_together *t, uint32_t first)
{
	size_t n = first;

	qsort(t->place + first, t->n_place - first, sizeof(*t->place),
	      by_number);
	for (size_t i = first; i < t->n_place; i++)
		if (i == first || t->place[i] != t->place[n - 1])
			t->place[n++] = t->place[i];
	t->n_place = n;
}

/* Each time there is no room, half of the jobs go. */
static int add_places(struct cs_together *t, const char *nodes,
		      uint32_t *ret_first)
{
	int rc;

	do {
		*ret_first = (uint32_t)t->n_place;
		rc = cs_node_list_each(nodes, add_place, t);
		if (rc)
			t->n_place = *ret_first;
		if (rc == -ENOSPC)
			drop_half(t);
	} while (rc == -ENOSPC);
	if (!rc && t->n_place > *ret_first)
		add_once(t, *ret_first);
	return rc;
}

/* ---- a job --------------------------------------------------------------- */

static int refuse(int rc, struct cs_err *err)
{
	if (rc == -E2BIG)
		return cs_err_set(err, rc, "expected at most %u nodes",
				  CS_TOGETHER_NODES);
	return cs_err_set(err, rc, "%s",
			  rc == -ENOMEM ? "no memory"
					: "expected nodes such as n[1-3],x7");
}

int cs_together_add(struct cs_together *t, const struct cs_together_job *j,
		    struct cs_err *err)
{
	uint64_t procs = j->cpus / t->threads + (j->cpus % t->threads > 0);
	struct cs_together_held *to;
	uint32_t first;
	int rc;

	if (j->start_us < 0 || j->end_us <= j->start_us || j->run_us < 0 ||
	    j->end_us > INT64_MAX / 2 || !procs || procs > UINT32_MAX)
		return cs_err_set(err, -EINVAL,
				  "a job of %llu cpus from %lld to %lld, "
				  "expected some, and an end after the start",
				  (unsigned long long)j->cpus,
				  (long long)(j->start_us / 1000000),
				  (long long)(j->end_us / 1000000));
	if (t->n_job == CS_TOGETHER_JOBS)
		drop_half(t);
	rc = cs_array_room(&t->job, &t->cap_job, t->n_job + 1);
	if (!rc)
		rc = add_places(t, j->nodes, &first);
	if (rc)
		return refuse(rc, err);
	t->counts.jobs++;
	if (t->n_place == first) {
		t->counts.no_nodes++;
		return 0;
	}
	to = &t->job[t->n_job++];
	*to = (struct cs_together_held){
		.start_us = j->start_us,
		.end_us = j->end_us,
		.run_us = j->run_us,
		.place = first,
		.n_place = (uint32_t)t->n_place - first,
		.cpus = (uint32_t)procs,
		.teaches = j->teaches,
	};
	cs_kin_make(&to->kin, j->user, j->name, j->partition, to->cpus,
		    j->limit_us > 0 ? j->limit_us : INT64_MAX);
	return 0;
}

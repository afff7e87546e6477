/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waiting jobs in numbers, for `cosched status` and its exporter.
 *
 * Problem.  Sites compare these figures with those of their other exporters, which count
 * lines of `squeue -r`.
 *
 * Rules.
 *  1. A task of an array counts as a job, as does a component of a heterogeneous job.
 *  2. Blocked jobs are a part of those that wait: all tasks of an array that may not start
 *     at all, none of one whose "%" lets only some of them run.
 *  3. A row has a user, partitions as squeue's %P, and the word of Slurm's reason, without
 *     the node names or the like that may follow it in squeue: each such text would be a
 *     time series of its own.
 *  4. With PrivateData=jobs, usage or users no row names a user, whoever asks: an answer
 *     is kept, and a metrics page has no reader.
 *  5. There are at most ROWS rows, in order of partitions, user and reason.  Jobs beyond
 *     them are counted in a last one with empty labels.
 *
 * Cost: O(waiting jobs), without a lock.
 */
#include "compat/calls.h"

#include "sched/adapter/queue_reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/adapter/reply_json.h"
#include "sched/view/view_table.h"

#define ROWS 1000
#define SLOTS 4096 /* of a hash table, a power of two above ROWS */

struct row {
	char partitions[256], user[64];
	const char *reason;
	int64_t jobs;
};

struct rows {
	struct row row[ROWS]; /* [n] */
	uint32_t n;
	int64_t others;	      /* jobs that have no row */
	uint16_t slot[SLOTS]; /* index + 1 of a row, by hash; 0: none */
};

/* As squeue has them: "main,short", each once, in the job's order. */
static void put_partitions(const struct cs_adapter *b,
			   const struct cs_known_job *k, char *buf, size_t size)
{
	const struct cs_view_option *o = cs_known_options(k);
	size_t len = 0;

	buf[0] = '\0';
	for (uint32_t i = 0; i < cs_known_desc(k)->n_option; i++) {
		bool seen = false;

		for (uint32_t before = 0; before < i && !seen; before++)
			seen = o[before].partition == o[i].partition;
		if (seen || len >= size)
			continue;
		len += (size_t)snprintf(
			buf + len, size - len, "%s%s", len ? "," : "",
			cs_view_name_of(b->view->partitions, o[i].partition));
	}
}

static void put_user(const struct cs_adapter *b, const struct cs_known_job *k,
		     char *buf, size_t size)
{
	if (b->view->private_users)
		buf[0] = '\0';
	else if (k->user && *k->user)
		snprintf(buf, size, "%s", k->user);
	else
		snprintf(buf, size, "%u", cs_known_desc(k)->uid);
}

static bool same_row(const struct row *x, const struct row *y)
{
	return !strcmp(x->partitions, y->partitions) &&
	       !strcmp(x->user, y->user) && !strcmp(x->reason, y->reason);
}

static void count(struct rows *rows, const struct row *r)
{
	uint64_t h = cs_view_hash_text(1, r->partitions);

	h = cs_view_hash_text(cs_view_hash_text(h, r->user), r->reason);
	for (uint64_t at = h % SLOTS;; at = (at + 1) % SLOTS) {
		uint16_t i = rows->slot[at];

		if (i && !same_row(&rows->row[i - 1], r))
			continue;
		if (i) {
			rows->row[i - 1].jobs += r->jobs;
		} else if (rows->n < ROWS) {
			rows->row[rows->n++] = *r;
			rows->slot[at] = (uint16_t)rows->n;
		} else {
			rows->others += r->jobs;
		}
		return;
	}
}

static int in_order(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	int d = strcmp(a->partitions, b->partitions);

	if (!d)
		d = strcmp(a->user, b->user);
	return d ? d : strcmp(a->reason, b->reason);
}

static void put_row(struct json_object *list, const struct row *r)
{
	struct json_object *o = json_object_new_object();

	cs_put_string(o, "partition", r->partitions);
	cs_put_string(o, "user", r->user);
	cs_put_string(o, "reason", r->reason);
	cs_put_number(o, "jobs", r->jobs);
	json_object_array_add(list, o);
}

static struct json_object *rows_json(struct rows *rows)
{
	struct json_object *list = json_object_new_array();
	const struct row others = { .reason = "", .jobs = rows->others };

	qsort(rows->row, rows->n, sizeof(rows->row[0]), in_order);
	for (uint32_t i = 0; i < rows->n; i++)
		put_row(list, &rows->row[i]);
	if (rows->others)
		put_row(list, &others);
	return list;
}

static bool waits(const struct cs_known_job *k)
{
	return k->state == CS_VIEW_WAITING && cs_known_desc(k);
}

struct json_object *cs_queue_reply(const struct cs_adapter *b)
{
	struct rows *rows = calloc(1, sizeof(*rows));
	struct json_object *list;

	if (!rows)
		return json_object_new_array();
	for (uint32_t i = 0; i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];
		struct row r = { .jobs = k->lines };

		if (!waits(k))
			continue;
		put_partitions(b, k, r.partitions, sizeof(r.partitions));
		put_user(b, k, r.user, sizeof(r.user));
		r.reason = cs_slurm_reason_word(k->reason);
		count(rows, &r);
	}
	list = rows_json(rows);
	free(rows);
	return list;
}

int64_t cs_queue_reply_waiting(const struct cs_adapter *b, int64_t *ret_blocked)
{
	int64_t waiting = 0, blocked = 0;

	for (uint32_t i = 0; i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];

		if (!waits(k))
			continue;
		waiting += k->lines;
		if (cs_known_desc(k)->flags & CS_JOB_BLOCKED)
			blocked += k->lines;
	}
	if (ret_blocked)
		*ret_blocked = blocked;
	return waiting;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When licences that waiting jobs lack are free (common/model/licence.c).
 *
 * Slurm's own test tells whether a job has its licences now; if a job lacks any, this
 * look makes a table of how many each job holds until when.
 *
 * Rules.
 *  1. Jobs that lack licences get a time in order of Slurm's priorities, the first
 *     GIVEN_MOST of them; the others wait without one.
 *  2. No job starts that would keep from these what they got.
 *  3. If the table shows no reason (licences of reservations, or used outside Slurm),
 *     the job waits without a time; so does one whose licences Slurm chooses (-L a|b,
 *     HRES).
 *  4. A time beyond the horizon is an estimate that keeps nothing, as a start there (job/
 *     horizon.c): where jobs have no limit it would keep the others waiting for a year.
 *  5. What a job beyond its limit holds is back when Slurm ends it (OverTimeLimit and
 *     KillWait), and past that, or if nobody knows when, within the next minute.
 *
 * Known weakness: with any order but slurm the table's order is not the queue's.
 * Heterogeneous jobs get no time.
 */
#include "sched/view/view_slurm.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/job.h"
#include "common/model/licence.h"
#include "compat/site_keys.h"

#define GIVEN_MOST 64
#define MINUTE_US INT64_C(60000000)

struct cs_view_licences {
	struct cs_licences table;
	char *name[CS_LICENCE_KINDS]; /* [table.n_kind] */
	int64_t now_us;
	int64_t horizon_us;	 /* rule 4; 0: none */
	job_queue_rec_t **later; /* [n_later] */
	uint32_t n_later, next;
	uint32_t given;
	struct { /* the last answer: consecutive jobs are often alike */
		struct cs_licence_need need[CS_LICENCE_KINDS];
		uint32_t n, given;
		int64_t run_us, at;
	} last;
};

void cs_view_licences_free(struct cs_view_licences *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->table.n_kind; i++)
		free(l->name[i]);
	cs_licences_done(&l->table);
	free(l->later);
	free(l);
}

/* The number of kind @name; UINT32_MAX: none, and none made. */
static uint32_t kind(struct cs_view_licences *l, const char *name, bool make)
{
	uint32_t i = 0;

	while (i < l->table.n_kind && strcmp(l->name[i], name))
		i++;
	if (i < l->table.n_kind)
		return i;
	if (!make || i == CS_LICENCE_KINDS || !(l->name[i] = strdup(name)))
		return UINT32_MAX;
	l->table.free[i] = get_total_license_cnt(l->name[i]);
	l->table.n_kind++;
	return i;
}

/* The job's needs, into @need; UINT32_MAX: too many kinds, or it is not yet known which.
 * Without @make: what it holds. */
static uint32_t needs(struct cs_view_licences *l, const job_record_t *job_ptr,
		      bool make, struct cs_licence_need *need)
{
	list_itr_t *it = list_iterator_create(job_ptr->license_list);
	licenses_t *entry;
	uint32_t n = 0;

	while (n != UINT32_MAX && (entry = list_next(it))) {
		uint32_t k;

		if (make && !cs_compat_licence_counts(entry)) {
			n = UINT32_MAX;
			break;
		}
		k = kind(l, entry->name, make);
		if (make && k == UINT32_MAX)
			n = UINT32_MAX;
		else if (k != UINT32_MAX && n < CS_LICENCE_KINDS)
			need[n++] = (struct cs_licence_need){
				k, make ? entry->total
					: cs_compat_licence_held(entry)
			};
	}
	list_iterator_destroy(it);
	return n;
}

/* Rule 5. */
static int64_t held_until_us(const struct cs_view_licences *l,
			     const job_record_t *job_ptr)
{
	int64_t until = (int64_t)job_ptr->end_time * 1000000;
	uint32_t over_s =
		job_ptr->part_ptr ? cs_site_keys_over_s(job_ptr->part_ptr) : 0;

	if (until <= l->now_us && over_s != CS_OVER_ANY)
		until += over_s * INT64_C(1000000);
	return until > l->now_us ? until
				 : (l->now_us / MINUTE_US + 1) * MINUTE_US;
}

/* Add what the started job holds, and until when.  False: no memory. */
static bool hold(struct cs_view_licences *l, const job_record_t *job_ptr)
{
	struct cs_licence_need need[CS_LICENCE_KINDS];
	int64_t until = held_until_us(l, job_ptr);
	uint32_t n = needs(l, job_ptr, false, need);

	for (uint32_t i = 0; i < n; i++)
		l->table.free[need[i].kind] -= need[i].n;
	return !cs_licences_take(&l->table, need, n, INT64_MIN, until);
}

static bool hold_all(struct cs_view_licences *l)
{
	list_itr_t *it = list_iterator_create(job_list);
	job_record_t *job_ptr;
	bool ok = true;

	while (ok && (job_ptr = list_next(it)))
		if (job_ptr->license_list &&
		    (IS_JOB_RUNNING(job_ptr) || IS_JOB_SUSPENDED(job_ptr) ||
		     IS_JOB_COMPLETING(job_ptr))) /* Slurm counts its, too */
			ok = hold(l, job_ptr);
	list_iterator_destroy(it);
	return ok;
}

job_queue_rec_t *cs_view_licences_next(struct cs_view_licences *l)
{
	return l->next < l->n_later ? l->later[l->next++] : NULL;
}

static int by_priority(const void *x, const void *y)
{
	const job_queue_rec_t *a = *(job_queue_rec_t *const *)x;
	const job_queue_rec_t *b = *(job_queue_rec_t *const *)y;

	if (a->part_ptr->priority_tier != b->part_ptr->priority_tier)
		return a->part_ptr->priority_tier > b->part_ptr->priority_tier
			       ? -1
			       : 1;
	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	if (a->job_ptr->job_id != b->job_ptr->job_id)
		return a->job_ptr->job_id < b->job_ptr->job_id ? -1 : 1;
	return strcmp(a->part_ptr->name, b->part_ptr->name);
}

/* The entries of @queue, and the kinds that they need.  False: no job lacks any, or
 * no memory. */
static bool gather(struct cs_view_licences *l, list_t *queue)
{
	struct cs_licence_need need[CS_LICENCE_KINDS];
	list_itr_t *it = list_iterator_create(queue);
	job_queue_rec_t *rec;
	bool lacks = false;

	while ((rec = list_next(it))) {
		if (!l->later)
			l->later = calloc((size_t)list_count(queue),
					  sizeof(job_queue_rec_t *));
		if (!l->later)
			break;
		needs(l, rec->job_ptr, true, need);
		lacks = lacks ||
			license_job_test(rec->job_ptr, time(NULL), true);
		l->later[l->n_later++] = rec;
	}
	list_iterator_destroy(it);
	if (l->n_later > 1)
		qsort(l->later, l->n_later, sizeof(job_queue_rec_t *),
		      by_priority);
	return lacks;
}

struct cs_view_licences *cs_view_licences(struct cs_view *v, list_t *queue)
{
	struct cs_view_licences *l = calloc(1, sizeof(*l));

	if (!l) {
		v->nomem = true;
		return NULL;
	}
	l->now_us = v->now_us;
	l->horizon_us = v->params->horizon_s * INT64_C(1000000);
	if (!gather(l, queue) || !hold_all(l)) {
		cs_view_licences_free(l);
		return NULL;
	}
	return l;
}

/* When @need [n] becomes free for @run_us. */
static int64_t find(struct cs_view_licences *l,
		    const struct cs_licence_need *need, uint32_t n,
		    int64_t run_us)
{
	if (l->last.n != n || l->last.run_us != run_us ||
	    l->last.given != l->given ||
	    memcmp(l->last.need, need, n * sizeof(*need))) {
		l->last.at =
			cs_licences_find(&l->table, need, n, l->now_us, run_us);
		l->last.n = n;
		l->last.run_us = run_us;
		l->last.given = l->given;
		memcpy(l->last.need, need, n * sizeof(*need));
	}
	return l->last.at;
}

int64_t cs_view_licences_at(struct cs_view_licences *l,
			    const job_record_t *job_ptr, int64_t run_us,
			    bool lacks)
{
	struct cs_licence_need need[CS_LICENCE_KINDS];
	uint32_t n = needs(l, job_ptr, true, need);
	int64_t at;

	if (n == UINT32_MAX)
		return lacks ? CS_TIME_NONE : l->now_us;
	if (lacks && l->given >= GIVEN_MOST)
		return CS_TIME_NONE;
	at = find(l, need, n, run_us);
	if (at <= l->now_us)
		return lacks ? CS_TIME_NONE : at;
	if (at != CS_TIME_NONE && l->horizon_us &&
	    at > l->now_us + l->horizon_us)
		return at;
	if (at == CS_TIME_NONE || l->given >= GIVEN_MOST ||
	    cs_licences_take(&l->table, need, n, at, at + run_us))
		return CS_TIME_NONE;
	l->given++;
	return at;
}

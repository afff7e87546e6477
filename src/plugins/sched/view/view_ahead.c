/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's records of jobs, fetched before they are read: view_ahead.h. */
#include "sched/view/view_ahead.h"

#define RECORD_AHEAD 8 /* jobs, of the array that is described */
#define REQUEST_AHEAD \
	4 /* the record, which says where the request is, has come by then */
#define CACHE_LINE 64 /* bytes */

job_record_t *cs_view_ahead_next(struct cs_view_ahead *a)
{
	job_record_t **place = &a->job[a->at++ % CS_VIEW_AHEAD];
	job_record_t *now = *place, *then = list_next(a->it);

	if (then) {
		__builtin_prefetch(&then->job_state);
		__builtin_prefetch(&then->job_id);
		__builtin_prefetch(&then->details);
		__builtin_prefetch(&then->part_ptr);
		__builtin_prefetch(&then->array_recs);
	}
	*place = then;
	return now;
}

void cs_view_ahead_begin(struct cs_view_ahead *a)
{
	*a = (struct cs_view_ahead){ .it = list_iterator_create(job_list) };
	while (a->at < CS_VIEW_AHEAD)
		cs_view_ahead_next(a);
}

void cs_view_ahead_end(struct cs_view_ahead *a)
{
	list_iterator_destroy(a->it);
}

static void fetch_bytes(const void *p, size_t n)
{
	for (size_t i = 0; i < n; i += CACHE_LINE)
		__builtin_prefetch((const char *)p + i);
}

void cs_view_ahead_fetch(job_record_t *const *job, uint32_t n, uint32_t at)
{
	if (at + RECORD_AHEAD < n && job[at + RECORD_AHEAD])
		fetch_bytes(job[at + RECORD_AHEAD], sizeof(**job));
	if (at + REQUEST_AHEAD < n && job[at + REQUEST_AHEAD] &&
	    job[at + REQUEST_AHEAD]->details)
		fetch_bytes(job[at + REQUEST_AHEAD]->details,
			    sizeof(*job[at]->details));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A copy's jobs: each keeps its slot. */
#include "engine/copy_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/refused.h"
#include "state/copied.h"
#include "state/jobtable.h"

/* Copy @n elements of @size bytes; *ret is NULL if @n is 0.  0, -ENOMEM. */
static int duplicate(void *ret, const void *from, size_t n, size_t size)
{
	void *copy = from && n ? calloc(n, size) : NULL;

	if (copy)
		memcpy(copy, from, n * size);
	memcpy(ret, &copy, sizeof(copy));
	return from && n && !copy ? -ENOMEM : 0;
}

static int copy_alloc(struct cs_alloc **ret, const struct cs_alloc *from)
{
	*ret = from ? cs_alloc_copy(from) : NULL;
	return from && !*ret ? -ENOMEM : 0;
}

/* Copy what @was owns into @j, which still shares it. */
static int own(struct cs_engine *to, const struct cs_engine *from,
	       struct cs_ejob *j, const struct cs_ejob *was)
{
	j->own = NULL;
	j->alloc = j->whole = NULL;
	j->plan.cores = NULL;
	j->refusals = NULL;
	j->lesson = NULL;
	j->campaign = NULL;
	j->mate = NULL;
	cs_copied_shape(to, from, &j->plan.shape);
	cs_copied_shape(to, from, &j->part.shape);
	return cs_jobtable_describe(&j->job, &j->own, &was->job)
		       ?: copy_alloc(&j->alloc, was->alloc)
		       ?: copy_alloc(&j->whole, was->whole)
		       ?: duplicate(&j->plan.cores, was->plan.cores,
				    was->plan.n_class, sizeof(*j->plan.cores))
		       ?: duplicate(&j->refusals, was->refusals,
				    was->job.n_option, sizeof(*j->refusals));
}

int cs_copy_slots(struct cs_engine *to, const struct cs_engine *from,
		  uint32_t most)
{
	if (!to->slot && from->cap_slot) {
		to->slot = calloc(from->cap_slot, sizeof(struct cs_ejob *));
		if (!to->slot)
			return -ENOMEM;
		to->cap_slot = from->cap_slot;
	}
	while (to->n_slot < from->n_slot && most--) {
		uint32_t i = to->n_slot++;

		if (!from->slot[i])
			continue;
		to->slot[i] = malloc(sizeof(struct cs_ejob));
		if (!to->slot[i])
			return -ENOMEM;
		*to->slot[i] = *from->slot[i];
		if (own(to, from, to->slot[i], from->slot[i]))
			return -ENOMEM;
	}
	return to->n_slot < from->n_slot;
}

static void copy_mates(struct cs_engine *to, const struct cs_engine *from)
{
	for (uint32_t i = 0; i < from->n_slot; i++)
		if (from->slot[i])
			to->slot[i]->mate =
				cs_copied_job(to, from->slot[i]->mate);
}

static int copy_list(const struct cs_engine *e, struct cs_list *to,
		     const struct cs_list *from)
{
	to->job = calloc(from->cap, sizeof(struct cs_ejob *));
	if (!to->job)
		return -ENOMEM;
	to->n = from->n;
	to->cap = from->cap;
	for (size_t i = 0; i < from->n; i++)
		to->job[i] = cs_copied_job(e, from->job[i]);
	return 0;
}

static int copy_ids(struct cs_engine *to, const struct cs_engine *from)
{
	const struct cs_idmap *ids = &from->ids;

	if (cs_idmap_reserve(&to->ids, ids->n))
		return -ENOMEM;
	for (size_t i = 0; i < ids->cap; i++)
		if (ids->at[i].thing)
			cs_idmap_add(&to->ids, ids->at[i].id,
				     cs_copied_job(to, ids->at[i].thing));
	return 0;
}

static int copy_queue(const struct cs_engine *e, struct cs_queue *to,
		      const struct cs_queue *from)
{
	if (!from->cap)
		return 0;
	to->entry = calloc(from->cap, sizeof(*to->entry));
	if (!to->entry)
		return -ENOMEM;
	to->cap = from->cap;
	to->begin = from->begin;
	to->end = from->end;
	to->sorted = from->sorted;
	for (size_t i = from->begin; i < from->end; i++)
		to->entry[i] =
			(struct cs_entry){ cs_copied_job(e, from->entry[i].job),
					   from->entry[i].option };
	return 0;
}

int cs_copy_jobs(struct cs_engine *to, const struct cs_engine *from)
{
	int rc = 0;

	if (!from->cap_slot) /* there was never a job */
		return 0;
	copy_mates(to, from);
	rc = copy_list(to, &to->waiting, &from->waiting)
		     ?: copy_list(to, &to->started, &from->started)
		     ?: duplicate(&to->hole, from->hole, from->cap_slot,
				  sizeof(*to->hole))
		     ?: duplicate(&to->speeds.slot, from->speeds.slot,
				  from->cap_slot, sizeof(*to->speeds.slot))
		     ?: duplicate(&to->speed, from->speed, from->cap_slot,
				  sizeof(*to->speed))
		     ?: copy_ids(to, from);
	to->n_hole = from->n_hole;
	to->speeds.n = from->speeds.n;
	to->scratch.cap = rc ? 0 : from->scratch.cap;
	if (!rc)
		to->scratch.job =
			calloc(from->scratch.cap, sizeof(struct cs_ejob *));
	if (!rc && !to->scratch.job)
		rc = -ENOMEM;
	for (uint32_t i = 0; !rc && i < from->n_sm; i++)
		rc = copy_queue(to, &to->sms[i].queue, &from->sms[i].queue);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/jobtable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct cs_ejob *cs_engine_job(const struct cs_engine *e, uint32_t id)
{
	return cs_idmap_find(&e->ids, id);
}

int cs_jobtable_reserve_id(struct cs_engine *e)
{
	return cs_idmap_reserve(&e->ids, e->ids.n + 1);
}

void cs_jobtable_add_id(struct cs_engine *e, struct cs_ejob *j)
{
	cs_idmap_add(&e->ids, j->job.id, j);
	e->n_option += j->job.n_option;
}

void cs_jobtable_remove_id(struct cs_engine *e, uint32_t id)
{
	const struct cs_ejob *j = cs_idmap_remove(&e->ids, id);

	e->n_option -= j->job.n_option;
}

/* The lists. */

static struct cs_list *list_of(struct cs_engine *e, enum cs_state state)
{
	return state == CS_WAITING ? &e->waiting : &e->started;
}

static int list_reserve(struct cs_list *l, size_t n)
{
	return cs_array_room(&l->job, &l->cap, n);
}

static void list_add(struct cs_list *l, struct cs_ejob *j)
{
	j->pos = (uint32_t)l->n;
	l->job[l->n++] = j;
}

static void list_remove(struct cs_list *l, struct cs_ejob *j)
{
	struct cs_ejob *last = l->job[--l->n];

	l->job[j->pos] = last;
	last->pos = j->pos;
}

void cs_jobtable_move(struct cs_engine *e, struct cs_ejob *j,
		      enum cs_state state)
{
	struct cs_list *from = list_of(e, j->state), *to = list_of(e, state);

	if (from != to) {
		list_remove(from, j);
		list_add(to, j);
	}
	j->state = state;
}

int cs_jobtable_reserve(struct cs_engine *e, size_t jobs)
{
	uint32_t cap = e->cap_slot ? 2 * e->cap_slot : 16;
	void *p;

	if (list_reserve(&e->waiting, jobs) ||
	    list_reserve(&e->started, jobs) || list_reserve(&e->scratch, jobs))
		return -ENOMEM;
	if (e->n_slot < e->cap_slot || e->n_hole)
		return 0;
	p = realloc(e->slot, cap * sizeof(struct cs_ejob *));
	if (p)
		e->slot = p;
	else
		return -ENOMEM;
	p = realloc(e->hole, cap * sizeof(*e->hole));
	if (!p)
		return -ENOMEM;
	e->hole = p;
	p = realloc(e->speeds.slot, cap * sizeof(*e->speeds.slot));
	if (!p)
		return -ENOMEM;
	e->speeds.slot = p;
	p = realloc(e->speed, cap * sizeof(*e->speed));
	if (!p)
		return -ENOMEM;
	e->speed = p;
	e->cap_slot = cap;
	return 0;
}

void cs_jobtable_enter(struct cs_engine *e, struct cs_ejob *j)
{
	j->slot = e->n_hole ? e->hole[--e->n_hole] : e->n_slot++;
	e->slot[j->slot] = j;
	list_add(&e->waiting, j);
}

void cs_jobtable_leave(struct cs_engine *e, struct cs_ejob *j)
{
	list_remove(list_of(e, j->state), j);
	e->slot[j->slot] = NULL;
	e->hole[e->n_hole++] = j->slot;
}

/* Descriptions. */

static size_t text_size(const char *s)
{
	return s ? strlen(s) + 1 : 0;
}

static const char *text_copy(char **at, const char *s)
{
	size_t n = text_size(s);
	char *to = *at;

	if (!s)
		return NULL;
	memcpy(to, s, n);
	*at += n;
	return to;
}

int cs_jobtable_describe(struct cs_job *to, void **ret_own,
			 const struct cs_job *job)
{
	size_t options = job->n_option * sizeof(*job->option);
	size_t size = options + text_size(job->user) + text_size(job->account) +
		      text_size(job->name) + text_size(job->partition) +
		      text_size(job->profile) + text_size(job->campaign) +
		      text_size(job->gpu_type);
	char *own = malloc(size ? size : 1), *at;

	if (!own)
		return -ENOMEM;
	*to = *job;
	memcpy(own, job->option, options);
	to->option = (struct cs_job_partition *)(void *)own;
	at = own + options;
	to->user = text_copy(&at, job->user);
	to->account = text_copy(&at, job->account);
	to->name = text_copy(&at, job->name);
	to->partition = text_copy(&at, job->partition);
	to->profile = text_copy(&at, job->profile);
	to->campaign = text_copy(&at, job->campaign);
	to->gpu_type = text_copy(&at, job->gpu_type);
	*ret_own = own;
	return 0;
}

int cs_jobtable_profile(const struct cs_engine *e, const struct cs_job *job)
{
	return job->profile && *job->profile
		       ? cs_profiles_find(e->profiles, job->profile)
		       : CS_PROFILE_NONE;
}

int cs_jobtable_check(const struct cs_engine *e, const struct cs_job *job,
		      struct cs_err *err)
{
	if (!job->id || !job->tasks || !job->procs || !job->cpus_per_proc ||
	    !job->min_nodes || job->estimate_us <= 0 || !job->n_option)
		return cs_err_set(err, -EINVAL,
				  "job %u: id, tasks, procs, cpus_per_proc, "
				  "min_nodes, estimate and options must be "
				  "above 0",
				  job->id);
	if (job->flags & CS_JOB_ACROSS &&
	    !(job->across >= 0 && job->across <= CS_ACROSS_MAX))
		return cs_err_set(err, -EINVAL,
				  "job %u: across is %g, expected 0 to %d",
				  job->id, job->across, CS_ACROSS_MAX);
	if ((job->gpus && job->gpus_node) || job->gpu_share > CS_GPU_WHOLE)
		return cs_err_set(err, -EINVAL,
				  "job %u: %u GPUs a node, %u in all, %u "
				  "thousandths of each, expected one of the "
				  "first two and at most %d",
				  job->id, job->gpus_node, job->gpus,
				  job->gpu_share, CS_GPU_WHOLE);
	for (uint32_t i = 0; i < job->n_option; i++)
		if (job->option[i].nodeset >= e->n_nodeset)
			return cs_err_set(err, -EINVAL,
					  "job %u: no node set %u", job->id,
					  job->option[i].nodeset);
	return 0;
}

struct cs_ejob *cs_jobtable_new(void)
{
	struct cs_ejob *j = malloc(sizeof(*j)); /* as in cs_alloc_create() */

	if (j)
		*j = (struct cs_ejob){ .state = CS_WAITING,
				       .plan = { .start_us = CS_TIME_NONE,
						 .end_us = CS_TIME_NONE,
						 .turn_us = CS_TIME_NONE } };
	return j;
}

void cs_jobtable_free(struct cs_ejob *j)
{
	cs_alloc_free(j->alloc);
	cs_alloc_free(j->whole);
	free(j->plan.cores);
	free(j->refusals);
	free(j->lesson);
	free(j->own);
	free(j);
}

bool cs_jobtable_free_some(struct cs_engine *e, uint32_t most)
{
	for (; e->n_slot && most; most--)
		if (e->slot[--e->n_slot])
			cs_jobtable_free(e->slot[e->n_slot]);
	return e->n_slot;
}

void cs_jobtable_done(struct cs_engine *e)
{
	cs_jobtable_free_some(e, UINT32_MAX);
	free(e->slot);
	free(e->hole);
	cs_idmap_done(&e->ids);
	free(e->speeds.slot);
	free(e->speed);
	free(e->scratch.job);
	free(e->waiting.job);
	free(e->started.job);
}

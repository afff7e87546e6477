/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check_jobs.h"

#include <errno.h>
#include <stdlib.h>

struct group {
	struct cs_id id;  /* first */
	uint32_t members; /* running or suspended ones */
};

static void free_job(void *thing)
{
	struct cs_check_job *j = thing;

	cs_log_alloc_free(j->alloc);
	free(j->gpus.part);
	free(j);
}

void cs_check_jobs_unseat(struct cs_check_jobs *c)
{
	cs_held_done(&c->held);
	cs_check_gpus_done(&c->gpus);
	cs_idtab_clear(&c->groups, free);
}

void cs_check_jobs_turn(struct cs_check_jobs *c, bool returning)
{
	cs_idtab_clear(&c->before, free_job);
	c->before = c->jobs;
	c->jobs = (struct cs_idtab){ 0 };
	if (!returning)
		cs_idtab_clear(&c->before, free_job);
}

void cs_check_jobs_done(struct cs_check_jobs *c)
{
	cs_check_jobs_unseat(c);
	cs_idtab_clear(&c->jobs, free_job);
	cs_idtab_clear(&c->before, free_job);
}

/* ---- their life ---------------------------------------------------------- */

struct cs_check_job *cs_check_jobs_find(const struct cs_check_jobs *c,
					uint32_t id)
{
	return cs_idtab_find(&c->jobs, id);
}

struct cs_check_job *cs_check_jobs_add(struct cs_check_jobs *c, uint32_t id,
				       uint64_t line, uint32_t tasks)
{
	struct cs_check_job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->id.id = id;
	j->submitted = line;
	j->tasks = tasks;
	if (!cs_idtab_add(&c->jobs, j))
		return j;
	free(j);
	return NULL;
}

struct cs_check_job *cs_check_jobs_split(struct cs_check_jobs *c,
					 struct cs_check_job *array,
					 uint32_t id)
{
	struct cs_check_job *j = cs_check_jobs_add(c, id, array->submitted, 1);

	if (!j)
		return NULL;
	j->asks = array->asks;
	array->tasks--;
	if (!array->tasks && array->run == CS_CHECK_WAITS)
		cs_check_jobs_stop(c, array);
	return j;
}

static void leave_group(struct cs_check_jobs *c, struct cs_check_job *j)
{
	struct group *g = cs_idtab_find(&c->groups, j->group);

	if (j->group && g && !--g->members) {
		cs_idtab_remove(&c->groups, g);
		free(g);
	}
	j->group = 0;
}

void cs_check_jobs_stop(struct cs_check_jobs *c, struct cs_check_job *j)
{
	cs_check_jobs_give(c, j);
	cs_check_gpus_give(&c->gpus, &j->gpus);
	leave_group(c, j);
	cs_log_alloc_free(j->alloc);
	j->alloc = NULL;
	j->run = CS_CHECK_WAITS;
	if (j->tasks)
		return;
	cs_idtab_remove(&c->jobs, j);
	free_job(j);
}

bool cs_check_jobs_ran(const struct cs_check_jobs *c, uint32_t id)
{
	const struct cs_check_job *was = cs_idtab_find(&c->before, id);

	return was && was->run != CS_CHECK_WAITS;
}

/* ---- cores --------------------------------------------------------------- */

void cs_check_jobs_take(struct cs_check_jobs *c, struct cs_check_job *j)
{
	cs_held_take(&c->held, j->alloc, !j->packed);
	j->holds = true;
}

void cs_check_jobs_give(struct cs_check_jobs *c, struct cs_check_job *j)
{
	if (j->holds)
		cs_held_give(&c->held, j->alloc, !j->packed);
	j->holds = false;
}

static int holds(const void *thing, void *arg)
{
	const struct cs_check_job *j = thing;

	return j->holds && cs_core_map_holds(j->alloc, arg);
}

uint32_t cs_check_jobs_holder(const struct cs_check_jobs *c,
			      struct cs_place_of at)
{
	const struct cs_check_job *j = cs_idtab_search(&c->jobs, holds, &at);

	return j ? j->id.id : 0;
}

/* ---- groups -------------------------------------------------------------- */

int cs_check_jobs_join(struct cs_check_jobs *c, struct cs_check_job *j,
		       bool *ret_new)
{
	struct group *g = cs_idtab_find(&c->groups, j->group);

	*ret_new = j->group && !g;
	if (*ret_new) {
		g = calloc(1, sizeof(*g));
		if (g)
			g->id.id = j->group;
		if (!g || cs_idtab_add(&c->groups, g)) {
			free(g);
			j->group = 0;
			return -ENOMEM;
		}
	}
	if (j->group)
		g->members++;
	return 0;
}

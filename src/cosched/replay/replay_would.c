/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/replay_would.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

struct would_start {
	int64_t us;
	struct cs_alloc *alloc;
};

struct job {
	struct cs_id id;
	uint32_t tasks;	  /* waiting */
	int64_t since_us; /* when the log first named it */
	char *text;	  /* of an array: the line that describes it */
	/* When and where it would first have started; for an array one entry for each
	 * task that would have, earliest first. */
	struct would_start *would;
	size_t n_would, cap;
	int64_t asked_us; /* the last decide that would start tasks, ... */
	size_t asked;	  /* ... and how many of them so far */
};

static void forget_start(struct job *j, size_t i)
{
	cs_alloc_free(j->would[i].alloc);
	j->n_would--;
	memmove(&j->would[i], &j->would[i + 1],
		(j->n_would - i) * sizeof(*j->would));
}

static void job_free(void *p)
{
	struct job *j = p;

	while (j->n_would)
		forget_start(j, j->n_would - 1);
	free(j->would);
	free(j->text);
	free(j);
}

static struct job *job_of(struct cs_replay_would *w, uint32_t id)
{
	struct job *j = cs_idtab_find(&w->jobs, id);

	if (j)
		return j;
	j = calloc(1, sizeof(*j));
	if (!j)
		return NULL;
	j->id.id = id;
	j->tasks = 1;
	if (!cs_idtab_add(&w->jobs, j))
		return j;
	free(j);
	return NULL;
}

int cs_replay_would_waits(struct cs_replay_would *w, const struct cs_job *job,
			  int64_t t_us, const char *text)
{
	bool new = !cs_idtab_find(&w->jobs, job->id);
	struct job *j = job_of(w, job->id);

	if (!j)
		return -ENOMEM;
	if (new)
		j->since_us = t_us;
	free(j->text);
	j->text = NULL;
	j->tasks = job->tasks;
	if (!job->array_id && job->tasks == 1)
		return 0;
	j->text = strdup(text);
	return j->text ? 0 : -ENOMEM;
}

void cs_replay_would_gone(struct cs_replay_would *w, uint32_t id)
{
	struct job *j = cs_idtab_find(&w->jobs, id);

	if (!j)
		return;
	cs_idtab_remove(&w->jobs, j);
	job_free(j);
}

bool cs_replay_would_waited(const struct cs_replay_would *w, uint32_t id,
			    int64_t t_us)
{
	const struct job *j = cs_idtab_find(&w->jobs, id);

	return j && j->since_us < t_us;
}

const char *cs_replay_would_array(const struct cs_replay_would *w, uint32_t id,
				  uint32_t *ret_tasks)
{
	const struct job *j = cs_idtab_find(&w->jobs, id);

	if (!j || !j->text)
		return NULL;
	*ret_tasks = j->tasks;
	return j->text;
}

int cs_replay_would_start(struct cs_replay_would *w, uint32_t id,
			  int64_t now_us, const struct cs_alloc *alloc)
{
	struct job *j = job_of(w, id);
	struct would_start x = { now_us, NULL };

	if (!j)
		return -ENOMEM;
	if (j->asked_us != now_us)
		j->asked = 0;
	j->asked_us = now_us;
	/* as many were recorded before */
	if (j->asked++ < j->n_would)
		return 0;
	if (cs_array_room(&j->would, &j->cap, j->n_would + 1))
		return -ENOMEM;
	x.alloc = cs_alloc_copy(alloc);
	if (!x.alloc)
		return -ENOMEM;
	j->would[j->n_would++] = x;
	return 0;
}

/* ---- the comparison ------------------------------------------------------ */

static bool same_cores(const struct cs_alloc *a, const struct cs_alloc *b)
{
	if (a->n_node != b->n_node)
		return false;
	for (uint32_t i = 0; i < a->n_node; i++)
		if (a->node[i].node != b->node[i].node ||
		    memcmp(cs_alloc_cores(a, i), cs_alloc_cores(b, i),
			   a->words * sizeof(*a->cores)))
			return false;
	return true;
}

static void report(struct cs_replay_would *w, const struct cs_replay_start *s)
{
	if (w->differs)
		w->differs(w->arg, s);
}

/* The recorded start of @j that equals @then, if any; else its first; NULL: none. */
static struct would_start *start_of(const struct job *j,
				    const struct cs_alloc *then)
{
	if (!j || !j->n_would)
		return NULL;
	for (size_t i = 0; i < j->n_would; i++)
		if (same_cores(j->would[i].alloc, then))
			return &j->would[i];
	return j->would;
}

static void compare(struct cs_replay_would *w, const struct would_start *x,
		    struct cs_replay_start *s, int64_t decided_us,
		    int64_t predicted_us)
{
	s->now = x ? x->alloc : NULL;
	s->now_us = x ? x->us : predicted_us;
	if (!s->now) {
		w->later++;
		if (predicted_us != CS_TIME_NONE) {
			w->known++;
			w->later_s += (double)(predicted_us - decided_us) / 1e6;
		}
	} else if (s->now_us < decided_us) {
		w->earlier++;
		w->earlier_s += (double)(decided_us - s->now_us) / 1e6;
	} else if (!same_cores(s->now, s->then)) {
		w->elsewhere++;
	} else {
		w->same++;
		return;
	}
	report(w, s);
}

void cs_replay_did_start(struct cs_replay_would *w, const struct cs_started *s,
			 int64_t decided_us, int64_t predicted_us)
{
	uint32_t id = s->array_id ? s->array_id : s->job_id;
	struct job *j = cs_idtab_find(&w->jobs, id);
	struct cs_replay_start x = { .job = s->job_id,
				     .then = s->alloc,
				     .then_us = decided_us };
	struct would_start *would = start_of(j, s->alloc);

	w->starts++;
	compare(w, would, &x, decided_us, predicted_us);
	if (!j)
		return;
	if (would)
		forget_start(j, (size_t)(would - j->would));
	if (!--j->tasks)
		cs_replay_would_gone(w, id);
}

static int would_have(const void *thing, void *arg)
{
	(void)arg;
	return ((const struct job *)thing)->n_would != 0;
}

void cs_replay_would_end(struct cs_replay_would *w)
{
	struct job *j;

	while ((j = cs_idtab_search(&w->jobs, would_have, NULL))) {
		w->more++;
		report(w, &(struct cs_replay_start){ .job = j->id.id,
						     .then_us = CS_TIME_NONE,
						     .now_us = j->would->us,
						     .now = j->would->alloc });
		forget_start(j, 0);
	}
	cs_idtab_clear(&w->jobs, job_free);
}

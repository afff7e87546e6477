/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check_state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/core_map.h"
#include "check/id_table.h"

enum run { NOT_RUNNING, RUNNING, SUSPENDED };

struct job {
	struct cs_id id;    /* first */
	uint64_t submitted; /* line */
	uint32_t tasks;	    /* waiting ones; a job that runs has none */
	uint32_t group;
	enum run run;
	bool packed, host;
	bool holds; /* its cores are marked in `held` */
	struct cs_log_alloc *alloc;
};

struct group {
	struct cs_id id;  /* first */
	uint32_t members; /* that run or are suspended */
};

struct cs_checkstate {
	struct cs_log_header *header; /* NULL: no valid one yet */
	bool headless;		      /* the missing header was reported */
	bool timed;		      /* there was a t behind the header */
	double t_s;
	double service; /* V of the last start that had one */
	double finish;	/* F of the last start behind this decide; or -inf */
	struct cs_held held;
	struct cs_idtab jobs, groups;
	struct cs_idtab before; /* jobs alive in front of the last header */
	struct cs_check_counts counts;
};

static void free_job(void *thing)
{
	struct job *j = thing;

	cs_log_alloc_free(j->alloc);
	free(j);
}

struct cs_checkstate *cs_checkstate_create(void)
{
	return calloc(1, sizeof(struct cs_checkstate));
}

static void forget_header(struct cs_checkstate *c)
{
	cs_log_header_free(c->header);
	c->header = NULL;
	cs_held_done(&c->held);
	cs_idtab_clear(&c->groups, free);
	c->timed = false;
	c->service = 0;
	c->finish = -INFINITY;
}

void cs_checkstate_free(struct cs_checkstate *c)
{
	if (!c)
		return;
	forget_header(c);
	cs_idtab_clear(&c->jobs, free_job);
	cs_idtab_clear(&c->before, free_job);
	free(c);
}

/* The jobs alive become those of before. */
static void turn_page(struct cs_checkstate *c)
{
	forget_header(c);
	cs_idtab_clear(&c->before, free_job);
	c->before = c->jobs;
	c->jobs = (struct cs_idtab){ 0 };
}

/* The jobs stay until the header says whether they may come again. */
void cs_checkstate_begin(struct cs_checkstate *c)
{
	forget_header(c);
	c->headless = false;
	c->counts = (struct cs_check_counts){ 0 };
}

void cs_checkstate_counts(const struct cs_checkstate *c,
			  struct cs_check_counts *ret)
{
	*ret = c->counts;
	ret->alive = c->header ? c->jobs.n : 0;
}

static int no_memory(struct cs_err *err)
{
	return cs_err_set(err, -ENOMEM, "no memory");
}

/* ---- the header (rule 1) ------------------------------------------------- */

static int on_header(struct cs_checkstate *c, struct cs_log_line *l,
		     struct cs_err *err)
{
	turn_page(c);
	if (!l->header->boot)
		cs_idtab_clear(&c->before, free_job);
	if (cs_held_init(&c->held, l->header->machine))
		return no_memory(err);
	c->header = l->header;
	l->header = NULL;
	c->headless = false;
	return 0;
}

void cs_checkstate_lost(struct cs_checkstate *c)
{
	forget_header(c);
	c->headless = true;
}

static int need_header(struct cs_checkstate *c, struct cs_err *err)
{
	if (c->headless)
		return 0;
	c->headless = true;
	return cs_err_set(err, -EINVAL,
			  "a line without a good header before it, expected "
			  "{\"ev\":\"header\",...}");
}

/* ---- cores (rules 3 to 7) ------------------------------------------------ */

static int holds(const void *thing, void *arg)
{
	const struct job *j = thing;

	return j->holds && cs_core_map_holds(j->alloc, arg);
}

/* A job that holds @at, for the message; 0: none is found. */
static uint32_t holder(const struct cs_checkstate *c, struct cs_place_of at)
{
	const struct job *j = cs_idtab_search(&c->jobs, holds, &at);

	return j ? j->id.id : 0;
}

static int check_there(const struct cs_checkstate *c,
		       const struct cs_log_alloc *a, const char *what,
		       uint32_t job, struct cs_err *err)
{
	struct cs_place_of at;

	if (!a || !cs_held_absent(&c->held, a, &at))
		return 0;
	if (at.core == UINT32_MAX)
		return cs_err_set(err, -EINVAL,
				  "%s of job %u on node %u, expected a node of "
				  "0 to %u",
				  what, job, at.node, c->held.n_node - 1);
	return cs_err_set(err, -EINVAL,
			  "%s of job %u on core %u of node %u, expected a core "
			  "of 0 to %llu",
			  what, job, at.core, at.node,
			  (unsigned long long)(c->held.base[at.node + 1] -
					       c->held.base[at.node] - 1));
}

static int check_free(const struct cs_checkstate *c, const struct job *j,
		      const char *what, struct cs_err *err)
{
	uint32_t limit = c->header->jobs_per_node;
	struct cs_place_of at;

	if (cs_held_overlaps(&c->held, j->alloc, &at))
		return cs_err_set(err, -EINVAL,
				  "%s of job %u on core %u of node %u, which "
				  "job %u holds, expected a free core",
				  what, j->id.id, at.core, at.node,
				  holder(c, at));
	if (!j->packed && !j->host &&
	    cs_held_full(&c->held, j->alloc, limit, &at))
		return cs_err_set(err, -EINVAL,
				  "%s of job %u on node %u beside %u jobs, "
				  "expected at most %u jobs there "
				  "(jobs_per_node)",
				  what, j->id.id, at.node,
				  c->held.counted[at.node], limit);
	return 0;
}

/* Mark the cores of @j if nothing is wrong with that. */
static int take(struct cs_checkstate *c, struct job *j, const char *what,
		struct cs_err *err)
{
	int rc = check_free(c, j, what, err);

	if (!rc) {
		cs_held_take(&c->held, j->alloc, !j->packed);
		j->holds = true;
	}
	return rc;
}

static void give(struct cs_checkstate *c, struct job *j)
{
	if (j->holds)
		cs_held_give(&c->held, j->alloc, !j->packed);
	j->holds = false;
}

/* ---- groups -------------------------------------------------------------- */

static int join_group(struct cs_checkstate *c, struct job *j, bool known)
{
	struct group *g = cs_idtab_find(&c->groups, j->group);

	if (!j->group)
		return 0;
	if (!g) {
		g = calloc(1, sizeof(*g));
		if (!g)
			return -ENOMEM;
		g->id.id = j->group;
		if (cs_idtab_add(&c->groups, g)) {
			free(g);
			return -ENOMEM;
		}
		c->counts.groups += !known;
	}
	g->members++;
	return 0;
}

static void leave_group(struct cs_checkstate *c, struct job *j)
{
	struct group *g = cs_idtab_find(&c->groups, j->group);

	if (j->group && g && !--g->members) {
		cs_idtab_remove(&c->groups, g);
		free(g);
	}
	j->group = 0;
}

/* ---- jobs: coming and going (rules 8 to 10) ------------------------------ */

static struct job *add_job(struct cs_checkstate *c, uint32_t id, uint64_t line,
			   uint32_t tasks)
{
	struct job *j = calloc(1, sizeof(*j));

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

/* @j no longer runs; it is gone unless tasks of it wait. */
static void stop(struct cs_checkstate *c, struct job *j)
{
	give(c, j);
	leave_group(c, j);
	cs_log_alloc_free(j->alloc);
	j->alloc = NULL;
	j->run = NOT_RUNNING;
	if (j->tasks)
		return;
	cs_idtab_remove(&c->jobs, j);
	free_job(j);
}

/* What is wrong with a line of job @l->job, which is not there. */
static int unknown(const struct cs_log_line *l, struct cs_err *err)
{
	return cs_err_set(err, -EINVAL,
			  "%s of job %u, which is not there, expected one that "
			  "was submitted and has not ended",
			  cs_log_ev_name(l->ev), l->job);
}

static int wrong_state(const struct cs_log_line *l, const struct job *j,
		       const char *expected, struct cs_err *err)
{
	static const char *const is[] = {
		[NOT_RUNNING] = "waits", [RUNNING] = "runs", [SUSPENDED] = "is suspended"
	};

	return cs_err_set(err, -EINVAL, "%s of job %u, which %s, expected %s",
			  cs_log_ev_name(l->ev), l->job, is[j->run], expected);
}

static int on_submit(struct cs_checkstate *c, uint64_t number,
		     const struct cs_log_line *l, struct cs_err *err)
{
	const struct job *j = cs_idtab_find(&c->jobs, l->job);

	if (j)
		return cs_err_set(err, -EINVAL,
				  "submit of job %u, which is there since line "
				  "%llu, expected its end first",
				  l->job, (unsigned long long)j->submitted);
	if (!add_job(c, l->job, number, l->submitted.tasks))
		return no_memory(err);
	if (!cs_idtab_find(&c->before, l->job))
		c->counts.jobs += l->submitted.tasks;
	return 0;
}

static int on_change(struct cs_checkstate *c, const struct cs_log_line *l,
		     struct cs_err *err)
{
	struct job *j = cs_idtab_find(&c->jobs, l->job);

	if (!j)
		return unknown(l, err);
	if (j->tasks)
		j->tasks = l->submitted.tasks;
	return 0;
}

/* A job that runs may be cancelled as well: that ends it. */
static int on_cancel(struct cs_checkstate *c, const struct cs_log_line *l,
		     struct cs_err *err)
{
	struct job *j = cs_idtab_find(&c->jobs, l->job);
	bool waited = j && j->tasks;

	if (!j)
		return unknown(l, err);
	j->tasks = 0;
	if (j->run == NOT_RUNNING || !waited)
		stop(c, j);
	return 0;
}

/* The job of @l, which runs or is suspended. */
static int started_job(struct cs_checkstate *c, const struct cs_log_line *l,
		       struct job **ret, struct cs_err *err)
{
	*ret = cs_idtab_find(&c->jobs, l->job);
	if (!*ret)
		return unknown(l, err);
	if ((*ret)->run == NOT_RUNNING)
		return wrong_state(l, *ret, "its start first", err);
	return 0;
}

static int on_finish(struct cs_checkstate *c, const struct cs_log_line *l,
		     struct cs_err *err)
{
	struct job *j;
	int rc = started_job(c, l, &j, err);

	if (!rc)
		stop(c, j);
	return rc;
}

static int on_requeue(struct cs_checkstate *c, const struct cs_log_line *l,
		      struct cs_err *err)
{
	struct job *j;
	int rc = started_job(c, l, &j, err);

	if (rc)
		return rc;
	j->tasks += l->submitted.tasks;
	stop(c, j);
	return 0;
}

static int on_suspend(struct cs_checkstate *c, const struct cs_log_line *l,
		      struct cs_err *err)
{
	struct job *j = cs_idtab_find(&c->jobs, l->job);

	if (!j)
		return unknown(l, err);
	/* by an administrator, of one that a time slice had stopped */
	if (j->run == SUSPENDED && l->host)
		return 0;
	if (j->run != RUNNING)
		return wrong_state(l, j, "a running job", err);
	give(c, j);
	j->run = SUSPENDED;
	return 0;
}

static int on_resume(struct cs_checkstate *c, const struct cs_log_line *l,
		     struct cs_err *err)
{
	struct job *j = cs_idtab_find(&c->jobs, l->job);

	if (!j)
		return unknown(l, err);
	if (j->run != SUSPENDED)
		return wrong_state(l, j, "a suspended job", err);
	j->run = RUNNING;
	j->host |= l->host;
	if (!j->alloc)
		return 0;
	if (l->alloc && !cs_log_alloc_equal(l->alloc, j->alloc))
		return cs_err_set(err, -EINVAL,
				  "resume of job %u on other cores, expected "
				  "those it had",
				  l->job);
	return take(c, j, "resume", err);
}

/* ---- start --------------------------------------------------------------- */

/* The task's own record: split off its array. */
static struct job *split(struct cs_checkstate *c, struct job *array,
			 uint32_t id)
{
	struct job *j = add_job(c, id, array->submitted, 1);

	if (!j)
		return NULL;
	array->tasks--;
	if (!array->tasks && array->run == NOT_RUNNING)
		stop(c, array);
	return j;
}

/* The job that starts, waiting; NULL: none, with @rc set. */
static struct job *starter(struct cs_checkstate *c, uint64_t number,
			   const struct cs_log_line *l, int *rc,
			   struct cs_err *err)
{
	struct job *j = cs_idtab_find(&c->jobs, l->job), *array;

	*rc = 0;
	if (j && (j->run != NOT_RUNNING || !j->tasks)) {
		*rc = wrong_state(l, j, "a waiting job", err);
		return NULL;
	}
	if (j)
		return j;
	array = cs_idtab_find(&c->jobs, l->start.array_id);
	if (array && array->tasks) {
		j = split(c, array, l->job);
	} else {
		*rc = cs_err_set(err, -EINVAL,
				 "start of job %u, expected its submit first",
				 l->job);
		j = add_job(c, l->job, number, 1);
	}
	if (!j)
		*rc = no_memory(err);
	return j;
}

/* Is this start one that was known in front of the header? */
static bool repeated(const struct cs_checkstate *c, const struct job *j)
{
	const struct job *was = cs_idtab_find(&c->before, j->id.id);

	return was && was->run != NOT_RUNNING;
}

static int check_up(const struct cs_checkstate *c, const struct cs_log_line *l,
		    struct cs_err *err)
{
	struct cs_place_of at;

	if (!cs_held_down(&c->held, l->alloc, l->since, &at))
		return 0;
	return cs_err_set(err, -EINVAL,
			  "start of job %u on node %u, which is down since "
			  "%.6f, expected a node that is up",
			  l->job, at.node, c->held.down_s[at.node]);
}

static int place(struct cs_checkstate *c, struct job *j, struct cs_log_line *l,
		 struct cs_err *err)
{
	int rc = check_there(c, l->alloc, "start", l->job, err);

	if (!rc)
		rc = check_up(c, l, err);
	if (rc)
		return rc;
	j->alloc = l->alloc;
	l->alloc = NULL;
	return take(c, j, "start", err);
}

/* Rule 11. */
static int check_campaign(struct cs_checkstate *c, const struct cs_log_line *l,
			  struct cs_err *err)
{
	double service = c->service, before = c->finish;

	if (!l->action.campaign)
		return 0;
	c->service = l->action.service;
	c->finish = l->action.finish;
	if (l->action.service < service)
		return cs_err_set(err, -EINVAL,
				  "start of job %u at service %.6f behind "
				  "%.6f, expected it never to decrease",
				  l->job, l->action.service, service);
	if (l->action.finish >= before || !c->header->strict)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "start of job %u, whose campaign ends virtually at "
			  "service %.6f, behind one that does at %.6f, "
			  "expected the other order",
			  l->job, l->action.finish, before);
}

static int on_start(struct cs_checkstate *c, uint64_t number,
		    struct cs_log_line *l, struct cs_err *err)
{
	int unsubmitted, rc, unfair = check_campaign(c, l, err);
	struct job *j = starter(c, number, l, &unsubmitted, err);
	bool known;

	if (!j)
		return unsubmitted;
	known = repeated(c, j);
	j->tasks--;
	j->run = RUNNING;
	j->packed = l->start.packed;
	j->host = l->host;
	j->group = l->start.group;
	c->counts.starts += !known;
	if (join_group(c, j, known)) {
		j->group = 0;
		return no_memory(err);
	}
	rc = place(c, j, l, unsubmitted || unfair ? NULL : err);
	return unsubmitted ? unsubmitted : unfair ? unfair : rc;
}

/* ---- nodes --------------------------------------------------------------- */

static int on_node(struct cs_checkstate *c, const struct cs_log_line *l,
		   struct cs_err *err)
{
	struct cs_held *h = &c->held;

	if (l->node[l->n_node - 1].last >= h->n_node)
		return cs_err_set(err, -EINVAL,
				  "node %u is %s, expected a node of 0 to %u",
				  l->node[l->n_node - 1].last,
				  l->event.node.up ? "up" : "down",
				  h->n_node - 1);
	for (size_t i = 0; i < l->n_node; i++)
		for (uint32_t n = l->node[i].first; n <= l->node[i].last; n++) {
			if (l->event.node.up)
				h->down_s[n] = INFINITY;
			else if (h->down_s[n] > l->t)
				h->down_s[n] = l->t;
		}
	return 0;
}

/* ---- a line -------------------------------------------------------------- */

/* Rule 2.  The time goes on from here either way: one step, one breach. */
static int check_time(struct cs_checkstate *c, const struct cs_log_line *l,
		      struct cs_err *err)
{
	double before = c->t_s;
	bool timed = c->timed;

	c->t_s = l->t;
	c->timed = true;
	if (!timed || l->t >= before)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "t is %.6f behind %.6f, expected it never to "
			  "decrease",
			  l->t, before);
}

static int dispatch(struct cs_checkstate *c, uint64_t number,
		    struct cs_log_line *l, struct cs_err *err)
{
	switch (l->ev) {
	case CS_LOG_SUBMIT:
		return on_submit(c, number, l, err);
	case CS_LOG_CHANGE:
		return on_change(c, l, err);
	case CS_LOG_CANCEL:
		return on_cancel(c, l, err);
	case CS_LOG_FINISH:
		return on_finish(c, l, err);
	case CS_LOG_REQUEUE:
		return on_requeue(c, l, err);
	case CS_LOG_SUSPEND:
		return on_suspend(c, l, err);
	case CS_LOG_RESUME:
		return on_resume(c, l, err);
	case CS_LOG_START:
		return on_start(c, number, l, err);
	case CS_LOG_NODE:
		return on_node(c, l, err);
	case CS_LOG_DECIDE:
		c->finish = -INFINITY;
		return 0;
	case CS_LOG_WOULD:
		return check_there(c, l->alloc, "would", l->job, err);
	default:
		return 0;
	}
}

int cs_checkstate_line(struct cs_checkstate *c, uint64_t number,
		       struct cs_log_line *l, struct cs_err *err)
{
	struct cs_err time_err;
	int late, rc;

	if (l->ev == CS_LOG_HEADER)
		return on_header(c, l, err);
	if (!c->header)
		return need_header(c, err);
	late = check_time(c, l, &time_err);
	rc = dispatch(c, number, l, err);
	if (late && (!rc || rc == -EINVAL)) {
		if (err)
			*err = time_err;
		return late;
	}
	return rc;
}

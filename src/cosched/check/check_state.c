/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check_state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_jobs.h"
#include "common/log/read_field.h"

struct cs_checkstate {
	struct cs_log_header *header; /* NULL: no valid one yet */
	bool headless;		      /* the missing header was reported */
	bool timed;		      /* there was a t after the header */
	double t_s;
	double service; /* V of the last start with one */
	double finish;	/* F of the last start since this decide; or -inf */
	struct cs_check_jobs jobs;
	struct cs_check_counts counts;
};

struct cs_checkstate *cs_checkstate_create(void)
{
	return calloc(1, sizeof(struct cs_checkstate));
}

static void forget_header(struct cs_checkstate *c)
{
	cs_log_header_free(c->header);
	c->header = NULL;
	cs_check_jobs_unseat(&c->jobs);
	c->timed = false;
	c->service = 0;
	c->finish = -INFINITY;
}

void cs_checkstate_free(struct cs_checkstate *c)
{
	if (!c)
		return;
	cs_log_header_free(c->header);
	cs_check_jobs_done(&c->jobs);
	free(c);
}

/* The jobs stay until the header says whether they may return. */
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
	ret->alive = c->header ? c->jobs.jobs.n : 0;
}

static int no_memory(struct cs_err *err)
{
	return cs_err_set(err, -ENOMEM, "no memory");
}

/* ---- the header (rule 1) ------------------------------------------------- */

static int on_header(struct cs_checkstate *c, struct cs_log_line *l,
		     struct cs_err *err)
{
	forget_header(c);
	cs_check_jobs_turn(&c->jobs, l->header->boot);
	if (cs_held_init(&c->jobs.held, l->header->machine, l->header->mpl) ||
	    cs_check_gpus_init(&c->jobs.gpus, l->header->machine))
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

static int check_there(const struct cs_checkstate *c,
		       const struct cs_log_alloc *a, const char *what,
		       uint32_t job, struct cs_err *err)
{
	struct cs_place_of at;

	if (!a || !cs_held_absent(&c->jobs.held, a, &at))
		return 0;
	if (at.core == UINT32_MAX)
		return cs_err_set(err, -EINVAL,
				  "%s of job %u on node %u, expected a node of "
				  "0 to %u",
				  what, job, at.node, c->jobs.held.n_node - 1);
	if (!c->jobs.held.cores[at.node])
		return cs_err_set(
			err, -EINVAL,
			"%s of job %u on node %u, which is not there, "
			"expected another",
			what, job, at.node);
	return cs_err_set(err, -EINVAL,
			  "%s of job %u on core %u of node %u, expected a core "
			  "of 0 to %u",
			  what, job, at.core, at.node,
			  c->jobs.held.cores[at.node] - 1);
}

static int check_free(const struct cs_checkstate *c,
		      const struct cs_check_job *j, const char *what,
		      struct cs_err *err)
{
	uint32_t limit = c->header->jobs_per_node, mpl = c->header->mpl;
	struct cs_place_of at;

	if (mpl > 1 && cs_held_overlaps(&c->jobs.held, j->alloc, &at))
		return cs_err_set(err, -EINVAL,
				  "%s of job %u on core %u of node %u, which "
				  "job %u and others hold, expected at most "
				  "%u jobs there (mpl)",
				  what, j->id.id, at.core, at.node,
				  cs_check_jobs_holder(&c->jobs, at), mpl);
	if (cs_held_overlaps(&c->jobs.held, j->alloc, &at))
		return cs_err_set(err, -EINVAL,
				  "%s of job %u on core %u of node %u, which "
				  "job %u holds, expected a free core",
				  what, j->id.id, at.core, at.node,
				  cs_check_jobs_holder(&c->jobs, at));
	if (!j->packed && !j->host &&
	    cs_held_full(&c->jobs.held, j->alloc, limit, &at))
		return cs_err_set(err, -EINVAL,
				  "%s of job %u on node %u beside %u jobs, "
				  "expected at most %u jobs there "
				  "(jobs_per_node)",
				  what, j->id.id, at.node,
				  c->jobs.held.counted[at.node], limit);
	return 0;
}

/* Mark the cores of @j unless that breaks a rule. */
static int take(struct cs_checkstate *c, struct cs_check_job *j,
		const char *what, struct cs_err *err)
{
	int rc = check_free(c, j, what, err);

	if (!rc)
		cs_check_jobs_take(&c->jobs, j);
	return rc;
}

/* Rule 13: the GPUs of the line @l, which exist and are free. */
static int take_gpus(struct cs_checkstate *c, struct cs_check_job *j,
		     const struct cs_log_line *l, struct cs_err *err)
{
	return cs_check_gpus_take(&c->jobs.gpus, l->json, j->id.id,
				  j->asks.share, &j->gpus, err);
}

/* Rule 13 for a start by us: has the job as many GPUs as it asks for, or more if it has its
 * nodes whole? */
static int check_asked(const struct cs_checkstate *c,
		       const struct cs_check_job *j,
		       const struct cs_log_line *l, struct cs_err *err)
{
	uint64_t nodes = 0;

	if ((!j->asks.node && !j->asks.all) || !j->alloc || l->host ||
	    !c->jobs.gpus.most || cs_log_says(l->json, "placed", "host"))
		return 0;
	for (size_t i = 0; i < j->alloc->n_part; i++)
		nodes += j->alloc->part[i].nodes.last -
			 j->alloc->part[i].nodes.first + 1;
	return cs_check_gpus_enough(&j->gpus, nodes, &j->asks, j->id.id, err);
}

static void ask_gpus(struct cs_check_job *j, const struct cs_log_line *l)
{
	const struct cs_job *job = &l->submitted;
	uint32_t flags = job->flags;

	for (uint32_t i = 0; i < job->n_option; i++)
		flags |= job->option[i].flags;
	j->asks = (struct cs_check_gpu_ask){
		.node = job->gpus_node,
		.all = job->gpus,
		.share = job->gpu_share,
		.nodes_whole = flags & CS_JOB_EXCLUSIVE,
	};
}

/* ---- jobs: arrival and end (rules 8 to 10) ------------------------------- */

/* The error of a line of job @l->job, which does not exist. */
static int unknown(const struct cs_log_line *l, struct cs_err *err)
{
	return cs_err_set(err, -EINVAL,
			  "%s of job %u, which is not there, expected one that "
			  "was submitted and has not ended",
			  cs_log_ev_name(l->ev), l->job);
}

static int wrong_state(const struct cs_log_line *l,
		       const struct cs_check_job *j, const char *expected,
		       struct cs_err *err)
{
	static const char *const is[] = { [CS_CHECK_WAITS] = "waits",
					  [CS_CHECK_RUNS] = "runs",
					  [CS_CHECK_SUSPENDED] =
						  "is suspended" };

	return cs_err_set(err, -EINVAL, "%s of job %u, which %s, expected %s",
			  cs_log_ev_name(l->ev), l->job, is[j->run], expected);
}

static int on_submit(struct cs_checkstate *c, uint64_t number,
		     const struct cs_log_line *l, struct cs_err *err)
{
	struct cs_check_job *j = cs_check_jobs_find(&c->jobs, l->job);

	if (j)
		return cs_err_set(err, -EINVAL,
				  "submit of job %u, which is there since line "
				  "%llu, expected its end first",
				  l->job, (unsigned long long)j->submitted);
	j = cs_check_jobs_add(&c->jobs, l->job, number, l->submitted.tasks);
	if (!j)
		return no_memory(err);
	ask_gpus(j, l);
	if (!cs_idtab_find(&c->jobs.before, l->job))
		c->counts.jobs += l->submitted.tasks;
	return 0;
}

static int on_change(struct cs_checkstate *c, const struct cs_log_line *l,
		     struct cs_err *err)
{
	struct cs_check_job *j = cs_check_jobs_find(&c->jobs, l->job);

	if (!j)
		return unknown(l, err);
	if (j->tasks)
		j->tasks = l->submitted.tasks;
	if (j->run == CS_CHECK_WAITS)
		ask_gpus(j, l);
	return 0;
}

/* A running job may be cancelled, too: that ends it. */
static int on_cancel(struct cs_checkstate *c, const struct cs_log_line *l,
		     struct cs_err *err)
{
	struct cs_check_job *j = cs_check_jobs_find(&c->jobs, l->job);
	bool waited = j && j->tasks;

	if (!j)
		return unknown(l, err);
	j->tasks = 0;
	if (j->run == CS_CHECK_WAITS || !waited)
		cs_check_jobs_stop(&c->jobs, j);
	return 0;
}

/* The running or suspended job of @l. */
static int started_job(struct cs_checkstate *c, const struct cs_log_line *l,
		       struct cs_check_job **ret, struct cs_err *err)
{
	*ret = cs_check_jobs_find(&c->jobs, l->job);
	if (!*ret)
		return unknown(l, err);
	if ((*ret)->run == CS_CHECK_WAITS)
		return wrong_state(l, *ret, "its start first", err);
	return 0;
}

static int on_finish(struct cs_checkstate *c, const struct cs_log_line *l,
		     struct cs_err *err)
{
	struct cs_check_job *j;
	int rc = started_job(c, l, &j, err);

	if (!rc)
		cs_check_jobs_stop(&c->jobs, j);
	return rc;
}

static int on_requeue(struct cs_checkstate *c, const struct cs_log_line *l,
		      struct cs_err *err)
{
	struct cs_check_job *j;
	int rc = started_job(c, l, &j, err);

	if (rc)
		return rc;
	j->tasks += l->submitted.tasks;
	ask_gpus(j, l);
	cs_check_jobs_stop(&c->jobs, j);
	return 0;
}

static int on_suspend(struct cs_checkstate *c, const struct cs_log_line *l,
		      struct cs_err *err)
{
	struct cs_check_job *j = cs_check_jobs_find(&c->jobs, l->job);

	if (!j)
		return unknown(l, err);
	/* by an administrator, a job stopped by a time slice */
	if (j->run == CS_CHECK_SUSPENDED && l->host)
		return 0;
	if (j->run != CS_CHECK_RUNS)
		return wrong_state(l, j, "a running job", err);
	cs_check_jobs_give(&c->jobs, j);
	j->run = CS_CHECK_SUSPENDED;
	return 0;
}

static int on_resume(struct cs_checkstate *c, const struct cs_log_line *l,
		     struct cs_err *err)
{
	struct cs_check_job *j = cs_check_jobs_find(&c->jobs, l->job);

	if (!j)
		return unknown(l, err);
	if (j->run != CS_CHECK_SUSPENDED)
		return wrong_state(l, j, "a suspended job", err);
	j->run = CS_CHECK_RUNS;
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

static int on_begin(struct cs_checkstate *c, const struct cs_log_line *l,
		    struct cs_err *err)
{
	const struct cs_event *ev = &l->event;
	struct cs_check_job *j;
	int rc = started_job(c, l, &j, err);

	if (rc || ev->begin.from_us >= ev->begin.start_us)
		return rc;
	return cs_err_set(err, -EINVAL,
			  "begin of job %u before its start, expected \"from\" "
			  "of %.6f or later",
			  l->job, (double)ev->begin.start_us / 1e6);
}

static int on_resize(struct cs_checkstate *c, struct cs_log_line *l,
		     struct cs_err *err)
{
	struct cs_check_job *j;
	int rc = started_job(c, l, &j, err)
			 ?: check_there(c, l->alloc, "resize", l->job, err);

	if (rc)
		return rc;
	cs_check_jobs_give(&c->jobs, j);
	cs_log_alloc_free(j->alloc);
	j->alloc = l->alloc;
	l->alloc = NULL;
	j->host = true;
	cs_check_gpus_give(&c->jobs.gpus, &j->gpus);
	rc = take_gpus(c, j, l, err);
	return j->run == CS_CHECK_RUNS
		       ? take(c, j, "resize", rc ? NULL : err) ?: rc
		       : rc;
}

/* ---- start --------------------------------------------------------------- */

/* The job that starts, waiting; NULL: none, with @rc set. */
static struct cs_check_job *starter(struct cs_checkstate *c, uint64_t number,
				    const struct cs_log_line *l, int *rc,
				    struct cs_err *err)
{
	struct cs_check_job *j = cs_check_jobs_find(&c->jobs, l->job), *array;

	*rc = 0;
	if (j && (j->run != CS_CHECK_WAITS || !j->tasks)) {
		*rc = wrong_state(l, j, "a waiting job", err);
		return NULL;
	}
	if (j)
		return j;
	array = cs_check_jobs_find(&c->jobs, l->start.array_id);
	if (array && array->tasks) {
		j = cs_check_jobs_split(&c->jobs, array, l->job);
	} else {
		*rc = cs_err_set(err, -EINVAL,
				 "start of job %u, expected its submit first",
				 l->job);
		j = cs_check_jobs_add(&c->jobs, l->job, number, 1);
	}
	if (!j)
		*rc = no_memory(err);
	return j;
}

static int check_up(const struct cs_checkstate *c, const struct cs_log_line *l,
		    struct cs_err *err)
{
	struct cs_place_of at;

	if (!cs_held_down(&c->jobs.held, l->alloc, l->since, &at))
		return 0;
	return cs_err_set(err, -EINVAL,
			  "start of job %u on node %u, which is down since "
			  "%.6f, expected a node that is up",
			  l->job, at.node, c->jobs.held.down_s[at.node]);
}

static int place(struct cs_checkstate *c, struct cs_check_job *j,
		 struct cs_log_line *l, struct cs_err *err)
{
	int rc = check_there(c, l->alloc, "start", l->job, err);

	if (!rc)
		rc = check_up(c, l, err);
	if (rc)
		return rc;
	j->alloc = l->alloc;
	l->alloc = NULL;
	rc = take_gpus(c, j, l, err) ?: check_asked(c, j, l, err);
	return take(c, j, "start", rc ? NULL : err) ?: rc;
}

/* Rule 11: service and ends of campaigns are in order. */
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
	struct cs_check_job *j = starter(c, number, l, &unsubmitted, err);
	bool known, first;

	if (!j)
		return unsubmitted;
	known = cs_check_jobs_ran(&c->jobs, j->id.id);
	j->tasks--;
	j->run = CS_CHECK_RUNS;
	j->packed = l->start.packed;
	j->host = l->host;
	j->group = l->start.group;
	c->counts.starts += !known;
	if (cs_check_jobs_join(&c->jobs, j, &first))
		return no_memory(err);
	c->counts.groups += first && !known;
	rc = place(c, j, l, unsubmitted || unfair ? NULL : err);
	return unsubmitted ? unsubmitted : unfair ? unfair : rc;
}

/* ---- nodes --------------------------------------------------------------- */

/* Rule 12: node @n, down and unused, gets other cores. */
static int becomes(struct cs_held *h, uint32_t n, const struct cs_log_line *l,
		   struct cs_err *err)
{
	uint32_t cores = cs_node_cores(&l->now);

	if (cores == h->cores[n])
		return 0;
	if (h->down_s[n] > l->t || cs_held_any(h, n))
		return cs_err_set(err, -EINVAL,
				  "node %u has %u cores from now on, but %s, "
				  "expected it down and unused",
				  n, cores,
				  h->down_s[n] > l->t ? "is up"
						      : "a job holds it");
	return cs_held_become(h, n, cores) ? no_memory(err) : 0;
}

static int on_node(struct cs_checkstate *c, const struct cs_log_line *l,
		   struct cs_err *err)
{
	struct cs_held *h = &c->jobs.held;
	int rc = 0;

	if (l->node[l->n_node - 1].last >= h->n_node)
		return cs_err_set(err, -EINVAL,
				  "node %u is %s, expected a node of 0 to %u",
				  l->node[l->n_node - 1].last,
				  l->event.node.up ? "up" : "down",
				  h->n_node - 1);
	for (size_t i = 0; i < l->n_node; i++)
		for (uint32_t n = l->node[i].first; n <= l->node[i].last; n++) {
			if (!rc && l->becomes)
				rc = becomes(h, n, l, err)
					     ?: cs_check_gpus_become(
							&c->jobs.gpus, n,
							&l->now, err);
			if (!rc && l->event.node.up && !h->cores[n])
				rc = cs_err_set(err, -EINVAL,
						"node %u is up, but not there, "
						"expected it down",
						n);
			if (l->event.node.up)
				h->down_s[n] = INFINITY;
			else if (h->down_s[n] > l->t)
				h->down_s[n] = l->t;
		}
	return rc;
}

/* ---- a line -------------------------------------------------------------- */

/* Rule 2.  Time continues from here either way: one step, one breach. */
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
	case CS_LOG_BEGIN:
		return on_begin(c, l, err);
	case CS_LOG_RESIZE:
		return on_resize(c, l, err);
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

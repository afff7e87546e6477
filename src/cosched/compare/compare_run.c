/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulations of a comparison: one process each, which returns its figures through
 * a pipe (sim/parallel.h); with those of the first case, what the page shows of it.
 */
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cli/options.h"
#include "common/base/duration.h"
#include "compare/compare_parts.h"
#include "compare/compare_users.h"
#include "sim/parallel.h"

#define STEPS 400      /* of the use over time, up to the last submit */
#define STEPS_MAX 2000 /* and in all */
#define WINDOW_S 86400 /* of the Gantt picture, by default */

/* ---- progress ------------------------------------------------------------- */

#define PARTS 1000 /* counted per run */

/* Shared by all processes; each adds its parts and draws. */
struct cs_compare_bar {
	struct cs_bar bar;
	_Atomic size_t parts;
};

/* The progress of one run. */
struct report {
	const struct cs_compare_work *k;
	size_t parts; /* so far */
};

static void progress(void *arg, size_t done, size_t all)
{
	struct report *r = arg;
	struct cs_compare_bar *b = r->k->bar;
	size_t parts = all ? done * PARTS / all : PARTS, sum;
	size_t runs = r->k->c.n_case * r->k->c.n_policy;

	if (!b || parts <= r->parts)
		return;
	sum = atomic_fetch_add(&b->parts, parts - r->parts) + parts - r->parts;
	r->parts = parts;
	cs_bar_draw(&b->bar, 100 * sum / (PARTS * runs), 100);
}

/* Without memory, no bar. */
static void open_bar(struct cs_compare_work *k)
{
	void *p = mmap(NULL, sizeof(*k->bar), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	k->bar = p == MAP_FAILED ? NULL : p;
	if (!k->bar)
		return;
	cs_bar_init(&k->bar->bar);
	k->bar->bar.unit = "% of the runs";
}

static void close_bar(struct cs_compare_work *k)
{
	if (!k->bar)
		return;
	cs_bar_done(&k->bar->bar);
	munmap(k->bar, sizeof(*k->bar));
	k->bar = NULL;
}

/* ---- what is watched ----------------------------------------------------- */

/* The window of WINDOW_S, beginning at a submit, with the most work. */
static int64_t busiest(const struct cs_trace *t)
{
	double work = 0, most = -1;
	int64_t ret = 0;
	size_t end = 0;

	for (size_t i = 0; i < t->n; i++) {
		int64_t to = t->job[i].submit_us + WINDOW_S * CS_SECOND_US;

		for (; end < t->n && t->job[end].submit_us < to; end++)
			work += (double)t->job[end].runtime_us *
				t->job[end].procs;
		if (work > most) {
			most = work;
			ret = t->job[i].submit_us;
		}
		work -= (double)t->job[i].runtime_us * t->job[i].procs;
	}
	return ret;
}

void cs_compare_watch(struct cs_watch_options *o, const struct cs_trace *t,
		      const struct cs_machine *m)
{
	o->step_us = t->job[t->n - 1].submit_us / STEPS;
	if (o->step_us < CS_SECOND_US)
		o->step_us = CS_SECOND_US;
	o->steps_max = STEPS_MAX;
	o->spans_max = CS_PAGE_SPANS;
	o->nodes = m->n_node < CS_PAGE_NODES ? m->n_node : CS_PAGE_NODES;
	if (o->to_us)
		return;
	o->from_us = busiest(t);
	o->to_us = o->from_us + WINDOW_S * CS_SECOND_US;
}

/* ---- runs ---------------------------------------------------------------- */

/* As in a trace that is read, the first job is submitted at 0. */
static int generate(struct cs_compare_work *k, size_t at, struct cs_err *err)
{
	struct cs_trace *t = &k->trace[at];
	int rc;

	k->workload.seed = k->c.cases[at].seed;
	rc = cs_workload_generate(t, &k->workload, err);
	for (size_t i = rc ? 0 : t->n; i--;)
		t->job[i].submit_us -= t->job[0].submit_us;
	return rc;
}

/* Generate a case's jobs before its first run, and free those of the case before. */
static int begin(void *arg, size_t task, struct cs_err *err)
{
	struct cs_compare_work *k = arg;
	size_t at = task / k->c.n_policy;

	if (k->begun == at + 1)
		return 0;
	if (k->begun > 1 ||
	    (k->begun && !k->view)) /* the page shows the first */
		cs_trace_done(&k->trace[k->begun - 1]);
	k->begun = at + 1;
	if (k->workload.model && generate(k, at, err))
		return -EINVAL;
	if (!at && k->view)
		cs_compare_watch(&k->watch, &k->trace[0], k->c.machine);
	return 0;
}

static uint32_t *bin(uint32_t *bins, double i)
{
	return &bins[i < 0		   ? 0
		     : i < CS_COMPARE_BINS ? (size_t)i
					   : CS_COMPARE_BINS - 1];
}

void cs_compare_count(struct cs_compare_run *ret, double *response_s,
		      const struct cs_compare_case *at,
		      const struct cs_trace *t, const struct cs_sim_result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct cs_trace_job *j = &t->job[i];
		double wait = (double)(r->job[i].start_us - j->submit_us) / 1e6;
		double response =
			(double)(r->job[i].end_us - j->submit_us) / 1e6;
		double alone = (double)j->runtime_us / 1e6;
		double slow = response / (alone > 10 ? alone : 10);

		++*bin(ret->wait,
		       wait < 1 ? 0 : 1 + floor(CS_WAIT_BINS * log10(wait)));
		++*bin(ret->slow,
		       slow <= 1 ? 0 : ceil(CS_SLOW_BINS * log10(slow)));
		if (at && at->n_user && j->user >= 0)
			response_s[cs_compare_user(at, j->user)] += response;
	}
}

/* @watch NULL: none. */
static int simulate(const struct cs_compare_work *k, size_t task,
		    const struct cs_params *params, struct cs_watch *watch,
		    struct cs_compare_run *ret, double *response_s,
		    struct cs_err *err)
{
	const struct cs_compare_policy *p = &k->c.policy[task % k->c.n_policy];
	const struct cs_trace *t = &k->trace[task / k->c.n_policy];
	struct report report = { .k = k };
	struct cs_sim_options o = { .machine = k->c.machine,
				    .params = params,
				    .profiles = p->profiles,
				    .truth = k->truth.truth,
				    .truth_noise = k->truth.noise_percent / 100,
				    .version = COSCHED_VERSION,
				    .heard = watch ? cs_watch_hear : NULL,
				    .heard_arg = watch,
				    .progress = progress,
				    .arg = &report };
	struct cs_sim_result result;
	double from = cs_cmd_clock_s();
	int rc = cs_sim_run(&o, t, &result, err);

	if (rc)
		return rc;
	progress(&report, 1, 1);
	ret->wall_s = cs_cmd_clock_s() - from;
	rc = cs_metrics(&ret->figures, t, &result, k->c.machine, params);
	cs_compare_count(ret, response_s, &k->c.cases[task / k->c.n_policy], t,
			 &result);
	cs_sim_result_done(&result);
	return rc;
}

/* A run, then the responses of its users. */
static void send_run(FILE *out, const struct cs_compare_run *run,
		     const double *response_s, size_t n_user)
{
	fwrite(run, sizeof(*run), 1, out);
	if (n_user)
		fwrite(response_s, sizeof(*response_s), n_user, out);
}

/* After the run: the numbers of steps and spans, then both. */
static void send_view(FILE *out, const struct cs_watch *w)
{
	size_t n[2] = { w->n_step, w->n_span };

	fwrite(n, sizeof(n), 1, out);
	if (n[0])
		fwrite(w->core_us, sizeof(*w->core_us), n[0], out);
	if (n[1])
		fwrite(w->span, sizeof(*w->span), n[1], out);
}

static int work(void *arg, size_t task, FILE *out, struct cs_err *err)
{
	struct cs_compare_work *k = arg;
	const struct cs_compare_policy *p = &k->c.policy[task % k->c.n_policy];
	const struct cs_compare_case *at = &k->c.cases[task / k->c.n_policy];
	const struct cs_trace *t = &k->trace[task / k->c.n_policy];
	struct cs_compare_run run = { .wall_s = 0 };
	struct cs_watch watch = { .rc = 0 };
	bool watched = k->view && task < k->c.n_policy;
	struct cs_params params = { .seed = 0 };
	double *response_s = calloc(at->n_user + 1, sizeof(*response_s));
	struct cs_err why = { "" };
	int rc = response_s
			 ? cs_compare_params(&k->c, p, at->seed, &params, &why)
			 : -ENOMEM;

	if (!rc)
		cs_sim_clock(&params, t);
	if (!rc && watched)
		rc = cs_watch_init(&watch, t, &k->watch);
	if (!rc)
		rc = simulate(k, task, &params, watched ? &watch : NULL, &run,
			      response_s, &why);
	if (!rc && watched)
		rc = watch.rc;
	if (rc)
		cs_err_set(err, rc, "%.60s on %.60s: %s", p->title, at->title,
			   *why.text ? why.text : strerror(-rc));
	else
		send_run(out, &run, response_s, at->n_user);
	if (!rc && watched)
		send_view(out, &watch);
	free(response_s);
	cs_watch_done(&watch);
	cs_params_done(&params);
	return rc;
}

/* A copy of the next @n elements of @size bytes at *data; NULL: no memory, or too few
 * bytes. */
static void *piece(const char **data, size_t *left, size_t n, size_t size)
{
	void *p = n > *left / size ? NULL : malloc(n * size + 1);

	if (!p)
		return NULL;
	memcpy(p, *data, n * size);
	*data += n * size;
	*left -= n * size;
	return p;
}

static int take_view(struct cs_compare_view *v, const char *data, size_t left)
{
	size_t n[2];

	if (left < sizeof(n))
		return -EIO;
	memcpy(n, data, sizeof(n));
	data += sizeof(n);
	left -= sizeof(n);
	v->core_us = piece(&data, &left, n[0], sizeof(*v->core_us));
	v->span = piece(&data, &left, n[1], sizeof(*v->span));
	if (!v->core_us || !v->span)
		return -ENOMEM;
	v->n_step = n[0];
	v->n_span = n[1];
	return left ? -EIO : 0;
}

static int take_run(struct cs_compare_work *k, size_t task, const char *data,
		    size_t left)
{
	size_t n = k->c.cases[task / k->c.n_policy].n_user;
	struct cs_compare_run *run = &k->c.run[task];

	if (left < sizeof(*run) + n * sizeof(double))
		return -EIO;
	memcpy(run, data, sizeof(*run));
	data += sizeof(*run);
	left -= sizeof(*run);
	k->c.response_s[task] = piece(&data, &left, n, sizeof(double));
	if (!k->c.response_s[task])
		return -ENOMEM;
	return k->view && task < k->c.n_policy
		       ? take_view(&k->view[task], data, left)
		       : 0;
}

static int take(void *arg, size_t task, const void *data, size_t size,
		struct cs_err *err)
{
	struct cs_compare_work *k = arg;
	int rc = take_run(k, task, data, size);

	if (rc)
		return cs_err_set(err, rc, "a simulation's result: %s",
				  strerror(-rc));
	return 0;
}

int cs_compare_runs(const struct cs_compare_wish *w, struct cs_compare_work *k)
{
	struct cs_parallel all = { .n = k->c.n_case * k->c.n_policy,
				   .width = (size_t)w->width,
				   .arg = k,
				   .begin = begin,
				   .work = work,
				   .take = take };
	struct cs_err err = { "" };
	int rc = 0;

	if (w->task) {
		rc = cs_sweep_task_run(w->task, &all, &err);
	} else if (w->sbatch) {
		/* the page needs the first case's jobs */
		if (k->view)
			rc = begin(k, 0, &err);
		if (!rc)
			rc = cs_compare_sweep(w, k, &all, &err);
	} else {
		open_bar(k);
		rc = cs_parallel(&all, &err);
		close_bar(k);
	}
	return rc ? cs_cmd_bad("compare: %s", err.text) : CS_EXIT_OK;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched compare TRACE...: several policies on the same jobs.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "compare.h"
#include "comparepage.h"
#include "profilefile.h"
#include "sim/outfile.h"
#include "sim/parallel.h"
#include "sim/watch.h"
#include "sim/workload.h"
#include "simsay.h"

#define POLICIES_MAX 64
#define REPLICAS_MAX 100000
#define RUNS_MAX 1000000
#define STEPS 400	  /* of the use over time, up to the last submit */
#define STEPS_MAX 2000	  /* and in all */
#define WINDOW_S 86400	  /* of the Gantt picture, where none is given */
#define SECOND_US INT64_C(1000000)
#define HOURS_MAX 1000000 /* of a window */

/* ---- options ------------------------------------------------------------- */

enum {
	MACHINE,
	POLICIES,
	PROFILES,
	ESTIMATES,
	WORKLOAD,
	REPLICAS,
	SEED,
	JOBS,
	SUMMARY,
	HTML,
	WINDOW,
	N_OPTION
};

static const char *const names[N_OPTION] = {
	"machine",  "policies", "profiles", "estimates", "workload",
	"replicas", "seed",	"jobs",	    "summary",   "html",
	"window",
};

struct wish {
	const char *of[N_OPTION]; /* as given, or NULL */
	const char *const *set;	  /* [n_set] --set key=value */
	size_t n_set;
	char *const *trace; /* [n_trace] */
	size_t n_trace;
	int64_t replicas, seed, jobs;
	int64_t from_us, to_us; /* the window; both 0: ours to choose */
	int64_t width; /* -j */
};

/* @value NULL: *ret stays. */
static int whole(const char *option, const char *value, int64_t low,
		 int64_t high, int64_t *ret)
{
	return value ? cs_whole("compare", option, value, low, high, ret) : 0;
}

/* What goes with what. */
static int check(const struct wish *w)
{
	static const int of_workload[] = { REPLICAS, SEED, JOBS };

	if (!w->of[MACHINE])
		return cs_bad("compare: no --machine, expected "
			      "NODESxSOCKETSxCORES such as 128x2x2");
	if (!w->of[POLICIES])
		return cs_bad("compare: no --policies, expected presets such "
			      "as easy,glts:slice=pect");
	if (w->of[ESTIMATES] && strcmp(w->of[ESTIMATES], "trace") &&
	    strcmp(w->of[ESTIMATES], "exact"))
		return cs_bad("compare: --estimates is '%.100s', expected "
			      "trace or exact", w->of[ESTIMATES]);
	if (w->of[WORKLOAD] ? w->n_trace : !w->n_trace)
		return cs_bad("compare: %s, expected traces or --workload",
			      w->n_trace ? "both a trace and --workload"
					 : "no trace");
	for (size_t i = 0; !w->of[WORKLOAD] && i < 3; i++)
		if (w->of[of_workload[i]])
			return cs_bad("compare: --%s without --workload, "
				      "expected both",
				      names[of_workload[i]]);
	if (w->of[WINDOW] && !w->of[HTML])
		return cs_bad("compare: --window without --html, expected "
			      "both");
	if (w->of[HTML] && w->of[SUMMARY] && !strcmp(w->of[HTML], "-") &&
	    !strcmp(w->of[SUMMARY], "-"))
		return cs_bad("compare: '-' given twice, expected once");
	return CS_EXIT_OK;
}

/* "FROM-TO", in hours. */
static int read_window(struct wish *w)
{
	const char *value = w->of[WINDOW];
	double from = 0, to = 0;
	char *end;

	if (!value)
		return 0;
	if (!value[strspn(value, "0123456789.-")] && *value != '-') {
		from = strtod(value, &end);
		if (*end == '-' && end[1] && end[1] != '-') {
			to = strtod(end + 1, &end);
			to = *end ? 0 : to;
		}
	}
	w->from_us = (int64_t)(from < HOURS_MAX ? from * 3600e6 : 0);
	w->to_us = (int64_t)(to < HOURS_MAX ? to * 3600e6 : 0);
	if (from >= to || w->to_us <= w->from_us)
		return cs_bad("compare: --window is '%.100s', expected hours "
			      "since the first submit such as 24-48", value);
	return 0;
}

static int numbers(struct wish *w, const char *width)
{
	int rc;

	w->replicas = w->seed = 1;
	w->jobs = 10000;
	w->width = (int64_t)cs_parallel_cores();
	rc = whole("-j", width, 1, CS_PARALLEL_MAX, &w->width);
	if (!rc)
		rc = whole("--replicas", w->of[REPLICAS], 1, REPLICAS_MAX,
			   &w->replicas);
	if (!rc)
		rc = whole("--seed", w->of[SEED], 0,
			   CS_WORKLOAD_SEED_MAX - REPLICAS_MAX, &w->seed);
	if (!rc)
		rc = whole("--jobs", w->of[JOBS], 1, CS_WORKLOAD_JOBS_MAX,
			   &w->jobs);
	return rc ? rc : read_window(w);
}

/* @set has room for every argument. */
static int read_options(int argc, char **argv, struct wish *w, const char **set)
{
	static struct option options[N_OPTION + 4] = {
		{ "help", 0, NULL, 'h' },
		{ "set", 1, NULL, 's' },
		{ "j", 1, NULL, 'j' },
	};
	const char *width = NULL;
	int c, rc;

	for (int i = 0; i < N_OPTION; i++)
		options[i + 3] = (struct option){ names[i], 1, NULL, 256 + i };
	w->set = set;
	while ((c = cs_getopt(&cs_cmd_compare, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'j')
			width = optarg;
		else if (c == 's')
			set[w->n_set++] = optarg;
		else
			w->of[c - 256] = optarg;
	}
	w->trace = argv + optind;
	w->n_trace = (size_t)(argc - optind);
	rc = numbers(w, width);
	return rc ? rc : check(w);
}

/* ---- policies ------------------------------------------------------------ */

/* Is there a setting of the key of @item in the list @settings? */
static bool has_key(const char *settings, const char *item)
{
	size_t n = strcspn(item, "=");

	for (const char *at = settings; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, item, n) && at[n] == '=')
			return true;
	}
	return false;
}

/* ',' and @item behind *list. */
static int append(char **list, const char *item)
{
	char *longer = NULL;

	if (asprintf(&longer, "%s,%s", *list, item) < 0)
		return cs_bad("compare: no memory");
	free(*list);
	*list = longer;
	return 0;
}

/* "PRESET:key=value:..." as a list of settings; --set gives what it lacks. */
static int settings_of(const struct wish *w, const char *title, char **ret)
{
	int rc = 0;

	if (asprintf(ret, "policy=%s", title) < 0) {
		*ret = NULL;
		return cs_bad("compare: no memory");
	}
	for (char *at = *ret; *at; at++)
		if (*at == ':')
			*at = ',';
	for (size_t i = 0; !rc && i < w->n_set; i++) {
		if (strchr(w->set[i], ',') || !strchr(w->set[i], '='))
			return cs_bad("compare: --set '%.100s', expected "
				      "key=value without ','", w->set[i]);
		if (!has_key(*ret, w->set[i]))
			rc = append(ret, w->set[i]);
	}
	if (!rc && w->of[PROFILES] && !has_key(*ret, "profiles=")) {
		char item[CS_PATH_MAX + 16];

		snprintf(item, sizeof(item), "profiles=%s", w->of[PROFILES]);
		rc = append(ret, item);
	}
	return rc;
}

/* The parameters of @p with the case's seed, if it has one. */
static int parse(const struct cs_compare_policy *p, int64_t seed,
		 struct cs_params *ret, struct cs_err *err)
{
	char *list = NULL;
	int rc;

	if (seed < 0)
		return cs_params_parse(ret, CS_HOST_SIM, p->settings, "", err);
	if (asprintf(&list, "%s,seed=%" PRId64, p->settings, seed) < 0)
		return cs_err_set(err, -ENOMEM, "no memory");
	rc = cs_params_parse(ret, CS_HOST_SIM, list, "", err);
	free(list);
	return rc;
}

static int add_policy(const struct wish *w, struct cs_compare *c,
		      const char *title)
{
	struct cs_compare_policy *p = &c->policy[c->n_policy];
	struct cs_err err = { "" };
	int rc;

	if (!*title || *title == ':')
		return cs_bad("compare: --policies '%.100s': an empty name",
			      w->of[POLICIES]);
	if (c->n_policy == POLICIES_MAX)
		return cs_bad("compare: more than %d policies", POLICIES_MAX);
	for (size_t i = 0; i < c->n_policy; i++)
		if (!strcmp(c->policy[i].title, title))
			return cs_bad("compare: policy '%.100s' is given twice",
				      title);
	c->n_policy++;
	p->title = strdup(title);
	if (!p->title)
		return cs_bad("compare: no memory");
	rc = settings_of(w, title, &p->settings);
	if (rc)
		return rc;
	if (parse(p, w->of[WORKLOAD] ? w->seed : -1, &p->params, &err))
		return cs_bad("compare: %.100s: %s", title, err.text);
	if (*p->params.profiles)
		rc = cs_profilefile("compare", p->params.profiles,
				    &p->profiles);
	return rc;
}

static int read_policies(const struct wish *w, struct cs_compare *c)
{
	char *list = strdup(w->of[POLICIES]), *rest = list, *title;
	int rc = 0;

	c->policy = calloc(POLICIES_MAX, sizeof(*c->policy));
	if (!c->policy || !list)
		rc = cs_bad("compare: no memory");
	while (!rc && (title = strsep(&rest, ",")))
		rc = add_policy(w, c, title);
	free(list);
	return rc;
}

/* ---- cases --------------------------------------------------------------- */

struct work {
	struct cs_compare c;
	struct cs_workload workload; /* model NULL: traces */
	struct cs_trace *trace;	     /* [n_case] as far as they are needed */
	struct cs_outfile summary, html;
	struct cs_compare_view *view; /* [n_policy] NULL: no page is made */
	struct cs_watch_options watch;
	struct cs_bar bar;
	size_t done;
};

static int add_case(struct work *k, int64_t seed, const char *name)
{
	struct cs_compare_case *at = &k->c.cases[k->c.n_case];
	int n = seed < 0 ? asprintf(&at->title, "%s", name)
			 : asprintf(&at->title, "%s, seed %" PRId64, name,
				    seed);

	if (n < 0) {
		at->title = NULL;
		return cs_bad("compare: no memory");
	}
	at->seed = seed;
	k->c.n_case++;
	return 0;
}

/* Traces are all read first, so that a bad one costs no simulation. */
static int read_traces(const struct wish *w, struct work *k)
{
	struct cs_trace_options options = { cs_machine_cores(k->c.machine),
					    k->c.estimates };
	struct cs_err err = { "" };
	int rc = 0;

	for (size_t i = 0; !rc && i < w->n_trace; i++) {
		rc = add_case(k, -1, w->trace[i]);
		if (!rc && cs_trace_read(&k->trace[i], w->trace[i], &options,
					 &err))
			rc = cs_bad("compare: %s", err.text);
	}
	return rc;
}

static int read_cases(const struct wish *w, struct work *k)
{
	size_t n = w->of[WORKLOAD] ? (size_t)w->replicas : w->n_trace;
	int rc = 0;

	if (n * k->c.n_policy > RUNS_MAX)
		return cs_bad("compare: %zu runs, expected %d at most",
			      n * k->c.n_policy, RUNS_MAX);
	k->c.cases = calloc(n, sizeof(*k->c.cases));
	k->trace = calloc(n, sizeof(*k->trace));
	k->c.run = calloc(n * k->c.n_policy, sizeof(*k->c.run));
	if (!k->c.cases || !k->trace || !k->c.run)
		return cs_bad("compare: no memory");
	if (!w->of[WORKLOAD])
		return read_traces(w, k);
	if (cs_workload_model(&k->workload, w->of[WORKLOAD]))
		return cs_bad("compare: --workload is '%.100s', expected "
			      CS_WORKLOAD_NAMES, w->of[WORKLOAD]);
	k->workload.nodes = k->c.machine->n_node;
	k->workload.jobs = w->jobs;
	for (size_t i = 0; !rc && i < n; i++)
		rc = add_case(k, w->seed + (int64_t)i, w->of[WORKLOAD]);
	return rc;
}

static int prepare(const struct wish *w, struct work *k)
{
	struct cs_err err = { "" };
	int rc;

	k->c.machine_text = w->of[MACHINE];
	if (w->of[ESTIMATES] && !strcmp(w->of[ESTIMATES], "exact"))
		k->c.estimates = CS_ESTIMATES_EXACT;
	if (cs_sim_machine(w->of[MACHINE], &k->c.machine, &err))
		return cs_bad("compare: %s", err.text);
	rc = read_policies(w, &k->c);
	if (!rc)
		rc = read_cases(w, k);
	if (rc)
		return rc;
	for (size_t i = 0; i < w->n_trace; i++)
		if ((w->of[SUMMARY] &&
		     cs_outfile_over(w->of[SUMMARY], w->trace[i])) ||
		    (w->of[HTML] && cs_outfile_over(w->of[HTML], w->trace[i])))
			return cs_bad("compare: '%s' is a trace, expected "
				      "another file for an output",
				      w->trace[i]);
	if (w->of[SUMMARY] &&
	    cs_outfile_open(&k->summary, w->of[SUMMARY], &err))
		return cs_bad("compare: %s", err.text);
	if (w->of[HTML] && cs_outfile_open(&k->html, w->of[HTML], &err))
		return cs_bad("compare: %s", err.text);
	if (w->of[HTML])
		k->view = calloc(k->c.n_policy, sizeof(*k->view));
	if (w->of[HTML] && !k->view)
		return cs_bad("compare: no memory");
	k->watch.from_us = w->from_us;
	k->watch.to_us = w->to_us;
	return CS_EXIT_OK;
}

/* The window of WINDOW_S, beginning at a submit, with the most work. */
static int64_t busiest(const struct cs_trace *t)
{
	double work = 0, most = -1;
	int64_t ret = 0;
	size_t end = 0;

	for (size_t i = 0; i < t->n; i++) {
		int64_t to = t->job[i].submit_us + WINDOW_S * SECOND_US;

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

/* What the page shows of the first case. */
static void choose_watch(struct work *k)
{
	const struct cs_trace *t = &k->trace[0];
	struct cs_watch_options *o = &k->watch;

	o->step_us = t->job[t->n - 1].submit_us / STEPS;
	if (o->step_us < SECOND_US)
		o->step_us = SECOND_US;
	o->steps_max = STEPS_MAX;
	o->spans_max = CS_PAGE_SPANS;
	o->nodes = k->c.machine->n_node < CS_PAGE_NODES ? k->c.machine->n_node
							: CS_PAGE_NODES;
	if (o->to_us)
		return;
	o->from_us = busiest(t);
	o->to_us = o->from_us + WINDOW_S * SECOND_US;
}

/* ---- runs ---------------------------------------------------------------- */

/* As a trace that is read: the first job is submitted at 0. */
static int generate(struct work *k, size_t at, struct cs_err *err)
{
	struct cs_trace *t = &k->trace[at];
	int rc;

	k->workload.seed = k->c.cases[at].seed;
	rc = cs_workload_generate(t, &k->workload, err);
	for (size_t i = rc ? 0 : t->n; i--;)
		t->job[i].submit_us -= t->job[0].submit_us;
	return rc;
}

/* Generate a case's jobs at its first run; those before it are done with. */
static int begin(void *arg, size_t task, struct cs_err *err)
{
	struct work *k = arg;
	size_t at = task / k->c.n_policy;

	if (task % k->c.n_policy)
		return 0;
	if (at > 1 || (at && !k->view)) /* the first is shown on the page */
		cs_trace_done(&k->trace[at - 1]);
	if (k->workload.model && generate(k, at, err))
		return -EINVAL;
	if (!at && k->view)
		choose_watch(k);
	return 0;
}

static uint32_t *bin(uint32_t *bins, double i)
{
	return &bins[i < 0 ? 0 : i < CS_COMPARE_BINS ? (size_t)i
						     : CS_COMPARE_BINS - 1];
}

static void count(struct cs_compare_run *ret, const struct cs_trace *t,
		  const struct cs_sim_result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct cs_trace_job *j = &t->job[i];
		double wait = (double)(r->job[i].start_us - j->submit_us) / 1e6;
		double response = (double)(r->job[i].end_us - j->submit_us) /
				  1e6;
		double alone = (double)j->runtime_us / 1e6;
		double slow = response / (alone > 10 ? alone : 10);

		++*bin(ret->wait, wait < 1 ? 0
					   : 1 + floor(CS_WAIT_BINS *
						       log10(wait)));
		++*bin(ret->slow,
		       slow <= 1 ? 0 : ceil(CS_SLOW_BINS * log10(slow)));
	}
}

/* @watch NULL: nothing is watched. */
static int simulate(const struct work *k, const struct cs_compare_policy *p,
		    const struct cs_trace *t, const struct cs_params *params,
		    struct cs_watch *watch, struct cs_compare_run *ret,
		    struct cs_err *err)
{
	struct cs_sim_options o = { .machine = k->c.machine,
				    .params = params,
				    .profiles = p->profiles,
				    .version = COSCHED_VERSION,
				    .heard = watch ? cs_watch_hear : NULL,
				    .heard_arg = watch };
	struct cs_sim_result result;
	double from = cs_clock_s();
	int rc = cs_sim_run(&o, t, &result, err);

	if (rc)
		return rc;
	ret->wall_s = cs_clock_s() - from;
	rc = cs_metrics(&ret->figures, t, &result, k->c.machine, params);
	count(ret, t, &result);
	cs_sim_result_done(&result);
	return rc;
}

/* Behind the run: the numbers of steps and spans, and they. */
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
	struct work *k = arg;
	const struct cs_compare_policy *p = &k->c.policy[task % k->c.n_policy];
	const struct cs_compare_case *at = &k->c.cases[task / k->c.n_policy];
	const struct cs_trace *t = &k->trace[task / k->c.n_policy];
	struct cs_compare_run run = { .wall_s = 0 };
	struct cs_watch watch = { .rc = 0 };
	bool watched = k->view && task < k->c.n_policy;
	struct cs_params params = { .seed = 0 };
	struct cs_err why = { "" };
	int rc = parse(p, at->seed, &params, &why);

	if (!rc)
		cs_sim_clock(&params, t);
	if (!rc && watched)
		rc = cs_watch_init(&watch, t, &k->watch);
	if (!rc)
		rc = simulate(k, p, t, &params, watched ? &watch : NULL, &run,
			      &why);
	if (!rc && watched)
		rc = watch.rc;
	if (rc)
		cs_err_set(err, rc, "%.60s on %.60s: %s", p->title, at->title,
			   *why.text ? why.text : strerror(-rc));
	else
		fwrite(&run, sizeof(run), 1, out);
	if (!rc && watched)
		send_view(out, &watch);
	cs_watch_done(&watch);
	cs_params_done(&params);
	return rc;
}

/* A copy of the next @n of @size at *data; NULL: no memory, or too few. */
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

static int take(void *arg, size_t task, const void *data, size_t size,
		struct cs_err *err)
{
	struct work *k = arg;
	struct cs_compare_run *run = &k->c.run[task];
	int rc = size < sizeof(*run) ? -EIO : 0;

	if (!rc)
		memcpy(run, data, sizeof(*run));
	if (!rc && k->view && task < k->c.n_policy)
		rc = take_view(&k->view[task],
			       (const char *)data + sizeof(*run),
			       size - sizeof(*run));
	if (rc)
		return cs_err_set(err, rc, "a simulation's result: %s",
				  strerror(-rc));
	cs_bar_draw(&k->bar, ++k->done, k->c.n_case * k->c.n_policy);
	return 0;
}

static int run_all(const struct wish *w, struct work *k)
{
	struct cs_parallel all = { .n = k->c.n_case * k->c.n_policy,
				   .width = (size_t)w->width,
				   .arg = k,
				   .begin = begin,
				   .work = work,
				   .take = take };
	struct cs_err err = { "" };
	int rc;

	cs_bar_init(&k->bar);
	k->bar.unit = "runs";
	rc = cs_parallel(&all, &err);
	cs_bar_done(&k->bar);
	return rc ? cs_bad("compare: %s", err.text) : CS_EXIT_OK;
}

/* A window of our own choice ends with what is in it. */
static void end_window(struct work *k)
{
	int64_t last = k->watch.from_us;

	for (size_t i = 0; i < k->c.n_policy; i++)
		for (size_t s = 0; s < k->view[i].n_span; s++)
			if (k->view[i].span[s].to_us > last)
				last = k->view[i].span[s].to_us;
	if (last > k->watch.from_us)
		k->watch.to_us = last;
}

static int put_out(const struct wish *w, struct work *k)
{
	struct cs_outfile *out[] = { &k->summary, &k->html };
	struct cs_page page = { &k->c, &k->trace[0], k->view,
				k->watch.step_us, k->watch.from_us, 0 };
	const char *name = w->of[SUMMARY];
	struct cs_err err = { "" };
	int rc = 0;

	if (k->view && !w->of[WINDOW])
		end_window(k);
	page.to_us = k->watch.to_us;
	if (name)
		rc = cs_compare_summary(k->summary.file, &k->c);
	if (!rc && w->of[HTML]) {
		name = w->of[HTML];
		rc = cs_compare_page(k->html.file, &page);
	}
	if (rc)
		return cs_bad("compare: '%s': %s", name, strerror(-rc));
	for (int i = 0; i < 2; i++)
		if (out[i]->file && cs_outfile_flush(out[i], &err))
			return cs_bad("compare: %s", err.text);
	for (int i = 0; i < 2; i++)
		if (out[i]->file && cs_outfile_keep(out[i], &err))
			return cs_bad("compare: %s", err.text);
	return CS_EXIT_OK;
}

static bool to_stdout(const struct wish *w)
{
	return (w->of[SUMMARY] && !strcmp(w->of[SUMMARY], "-")) ||
	       (w->of[HTML] && !strcmp(w->of[HTML], "-"));
}

static void work_done(struct work *k)
{
	cs_outfile_drop(&k->summary);
	cs_outfile_drop(&k->html);
	for (size_t i = 0; k->view && i < k->c.n_policy; i++) {
		free(k->view[i].core_us);
		free(k->view[i].span);
	}
	free(k->view);
	for (size_t i = 0; i < k->c.n_policy; i++) {
		free(k->c.policy[i].title);
		free(k->c.policy[i].settings);
		cs_params_done(&k->c.policy[i].params);
		cs_profiles_free(k->c.policy[i].profiles);
	}
	for (size_t i = 0; i < k->c.n_case; i++) {
		free(k->c.cases[i].title);
		cs_trace_done(&k->trace[i]);
	}
	free(k->c.policy);
	free(k->c.cases);
	free(k->c.run);
	free(k->trace);
	cs_machine_free(k->c.machine);
}

static int run(int argc, char **argv)
{
	const char **set = calloc((size_t)argc, sizeof(*set));
	struct wish w = { .n_set = 0 };
	struct work k = { .done = 0 };
	int rc;

	if (!set)
		return cs_bad("compare: no memory");
	rc = read_options(argc, argv, &w, set);
	if (!rc)
		rc = prepare(&w, &k);
	if (!rc)
		rc = run_all(&w, &k);
	if (!rc)
		rc = put_out(&w, &k);
	if (!rc && !to_stdout(&w))
		cs_compare_say(&k.c);
	work_done(&k);
	free(set);
	return rc;
}

const struct cs_cmd cs_cmd_compare = {
	"compare", "OPTION... TRACE...",
	"What several policies would have done with them.", run,
	"  --machine NxSxC    nodes, sockets a node, cores a socket\n"
	"  --policies A,B     presets of cosched-params(5), the first is the "
	"yardstick;\n"
	"                     each perhaps with settings: glts:slice=pect:"
	"block_size=12\n"
	"  --set KEY=VALUE    a parameter of all that do not set it\n"
	"  --profiles FILE    how jobs slow each other down\n"
	"  --estimates exact  the runtimes, not what users estimated\n"
	"  --workload MODEL   in place of traces: w1, w2, lublin or "
	"uniform-log\n"
	"  --replicas N       of the model, each with a seed (1)\n"
	"  --seed N           of the first; slowdowns=table4 draws by it too "
	"(1)\n"
	"  --jobs N           of a workload (10000)\n"
	"  -j N               simulations at a time (all cores)\n"
	"  --summary FILE     means, changes and all runs as JSON\n"
	"  --html FILE        one page with tables and plots\n"
	"  --window H-H       hours of its Gantt picture, of the first trace "
	"(the day\n"
	"                     with the most work)\n"
	"TRACE is a workload log (SWF), plain or packed, or - for standard "
	"input.\n"
};

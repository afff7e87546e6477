/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is compared: policies with their settings, traces or seeds. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/trace_file.h"
#include "compare/compare_parts.h"
#include "compare/compare_users.h"
#include "cli/profile_file.h"
#include "common/slice/slice.h"

#define POLICIES_MAX 64
#define RUNS_MAX 1000000

/* ---- policies ------------------------------------------------------------ */

/* Does the list @settings have the key of @item? */
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

/* Append ',' and @item to *list. */
static int append(char **list, const char *item)
{
	char *longer = NULL;

	if (asprintf(&longer, "%s,%s", *list, item) < 0)
		return cs_cmd_bad("compare: no memory");
	free(*list);
	*list = longer;
	return 0;
}

/* "PRESET:key=value:..." as a list of settings; --set adds the keys that it lacks. */
static int settings_of(const struct cs_compare_wish *w, const char *title,
		       char **ret)
{
	int rc = 0;

	if (asprintf(ret, "policy=%s", title) < 0) {
		*ret = NULL;
		return cs_cmd_bad("compare: no memory");
	}
	for (char *at = *ret; *at; at++)
		if (*at == ':')
			*at = ',';
	for (size_t i = 0; !rc && i < w->n_set; i++) {
		if (strchr(w->set[i], ',') || !strchr(w->set[i], '='))
			return cs_cmd_bad("compare: --set '%.100s', expected "
					  "key=value without ','",
					  w->set[i]);
		if (cs_cmd_setting_here("compare", w->set[i]))
			return CS_EXIT_USAGE;
		if (!has_key(*ret, w->set[i]))
			rc = append(ret, w->set[i]);
	}
	if (!rc && w->of[CS_CMP_PROFILES] && !has_key(*ret, "profiles=")) {
		char item[CS_PATH_MAX + 16];

		snprintf(item, sizeof(item), "profiles=%s",
			 w->of[CS_CMP_PROFILES]);
		rc = append(ret, item);
	}
	return rc;
}

int cs_compare_params(const struct cs_compare *c,
		      const struct cs_compare_policy *p, int64_t seed,
		      struct cs_params *ret, struct cs_err *err)
{
	const char *sched = c->site ? c->site->sched : NULL;
	char *list = NULL;
	int rc;

	if (seed < 0)
		return cs_params_parse_at(ret, c->host, sched, p->settings, "",
					  err);
	if (asprintf(&list, "%s,seed=%" PRId64, p->settings, seed) < 0)
		return cs_err_set(err, -ENOMEM, "no memory");
	rc = cs_params_parse_at(ret, c->host, sched, list, "", err);
	free(list);
	return rc;
}

static int add_policy(const struct cs_compare_wish *w, struct cs_compare *c,
		      const char *title)
{
	struct cs_compare_policy *p = &c->policy[c->n_policy];
	struct cs_err err = { "" };
	int rc;

	if (!*title || *title == ':')
		return cs_cmd_bad("compare: --policies '%.100s': an empty name",
				  w->of[CS_CMP_POLICIES]);
	if (c->n_policy == POLICIES_MAX)
		return cs_cmd_bad("compare: more than %d policies",
				  POLICIES_MAX);
	for (size_t i = 0; i < c->n_policy; i++)
		if (!strcmp(c->policy[i].title, title))
			return cs_cmd_bad(
				"compare: policy '%.100s' is given twice",
				title);
	c->n_policy++;
	p->title = strdup(title);
	if (!p->title)
		return cs_cmd_bad("compare: no memory");
	rc = settings_of(w, title, &p->settings);
	if (!rc && c->site && c->site->settings && *c->site->settings &&
	    p == c->policy)
		rc = append(&p->settings, c->site->settings);
	if (rc)
		return rc;
	if (cs_compare_params(c, p, w->of[CS_CMP_WORKLOAD] ? w->seed : -1,
			      &p->params, &err))
		return cs_cmd_bad("compare: %.100s: %s", title, err.text);
	if (c->machine->gpus_most && cs_slice_choose(&p->params)->seat)
		return cs_cmd_bad("compare: %.100s: --gpus with slice=gang, "
				  "expected slice=none or pect",
				  title);
	if (*p->params.profiles)
		rc = cs_profile_file("compare", p->params.profiles,
				     &p->profiles);
	return rc;
}

int cs_compare_policies(const struct cs_compare_wish *w, struct cs_compare *c)
{
	char *list = strdup(w->of[CS_CMP_POLICIES]), *rest = list, *title;
	int rc = 0;

	c->policy = calloc(POLICIES_MAX, sizeof(*c->policy));
	if (!c->policy || !list)
		rc = cs_cmd_bad("compare: no memory");
	while (!rc && (title = strsep(&rest, ",")))
		rc = add_policy(w, c, title);
	free(list);
	return rc;
}

/* ---- cases --------------------------------------------------------------- */

static int add_case(struct cs_compare_work *k, int64_t seed, const char *name)
{
	struct cs_compare_case *at = &k->c.cases[k->c.n_case];
	const char *folder = k->c.site ? strrchr(name, '/') : NULL;
	int n;

	name = folder ? folder + 1 : name;
	n = seed < 0 ? asprintf(&at->title, "%s", name)
		     : asprintf(&at->title, "%s, seed %" PRId64, name, seed);

	if (n < 0) {
		at->title = NULL;
		return cs_cmd_bad("compare: no memory");
	}
	at->seed = seed;
	k->c.n_case++;
	return 0;
}

/* Does the task simulate case @at? */
static bool needed(const struct cs_sweep_task *t, const struct cs_compare *c,
		   size_t at)
{
	return t->from < (at + 1) * c->n_policy && at * c->n_policy < t->to;
}

/* All traces are read first, so that a bad one costs no simulation. */
static int read_traces(const struct cs_compare_wish *w,
		       struct cs_compare_work *k)
{
	struct cs_trace_options options = { .max_procs = cs_machine_cores(
						    k->c.machine),
					    .machine = k->c.machine,
					    .estimates = k->c.estimates,
					    .strict = w->strict };
	int rc = 0;

	for (size_t i = 0; !rc && i < w->n_trace; i++) {
		char path[CS_SWEEP_PATH + 32];

		rc = add_case(k, -1, w->trace[i]);
		if (w->task && !needed(w->task, &k->c, i))
			continue;
		if (w->task)
			snprintf(path, sizeof(path), "%.4096s/input.%zu",
				 w->task->folder, i);
		if (!rc)
			rc = cs_trace_file(
				"compare", w->task ? path : w->trace[i],
				k->c.machine_text, &options, &k->trace[i]);
		if (!rc && cs_compare_users(&k->c.cases[i], &k->trace[i]))
			rc = cs_cmd_bad("compare: no memory");
	}
	return rc;
}

int cs_compare_cases(const struct cs_compare_wish *w, struct cs_compare_work *k)
{
	size_t n = w->of[CS_CMP_WORKLOAD] ? (size_t)w->replicas : w->n_trace;
	int rc = 0;

	if (n * k->c.n_policy > RUNS_MAX)
		return cs_cmd_bad("compare: %zu runs, expected %d at most",
				  n * k->c.n_policy, RUNS_MAX);
	k->c.cases = calloc(n, sizeof(*k->c.cases));
	k->trace = calloc(n, sizeof(*k->trace));
	k->c.run = calloc(n * k->c.n_policy, sizeof(*k->c.run));
	k->c.response_s = calloc(n * k->c.n_policy, sizeof(*k->c.response_s));
	if (!k->c.cases || !k->trace || !k->c.run || !k->c.response_s)
		return cs_cmd_bad("compare: no memory");
	if (!w->of[CS_CMP_WORKLOAD])
		return read_traces(w, k);
	if (cs_workload_model(&k->workload, w->of[CS_CMP_WORKLOAD]))
		return cs_cmd_bad(
			"compare: --workload is '%.100s', expected " CS_WORKLOAD_NAMES,
			w->of[CS_CMP_WORKLOAD]);
	k->workload.nodes = k->c.machine->n_node;
	k->workload.jobs = w->jobs;
	for (size_t i = 0; !rc && i < n; i++)
		rc = add_case(k, w->seed + (int64_t)i, w->of[CS_CMP_WORKLOAD]);
	return rc;
}

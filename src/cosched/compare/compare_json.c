/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as JSON. */
#include <math.h>

#include "compare/compare.h"
#include "sim/json_build.h"
#include "sim/output.h"

/* The means of @policy, or its changes. */
static struct cs_build figures(const struct cs_compare *c, size_t policy,
			       bool change)
{
	struct cs_build o = cs_build_object();

	for (size_t k = 0; k < cs_compare_n_figure; k++) {
		const struct cs_compare_figure *f = &cs_compare_figures[k];
		double error;

		cs_build_real(&o, f->key,
			      change ? cs_compare_change(c, policy, f, &error)
				     : cs_compare_mean(c, policy, f) /
					       f->scale);
	}
	return o;
}

static void add_policy(struct cs_build *list, const struct cs_compare *c,
		       size_t i)
{
	struct cs_build o = cs_build_object();
	struct cs_build means = figures(c, i, false);
	struct cs_build changes = figures(c, i, true);

	cs_build_text(&o, "policy", c->policy[i].title);
	cs_build_add(&o, "params", cs_output_params(&c->policy[i].params));
	cs_build_part(&o, "mean", &means);
	if (i)
		cs_build_part(&o, "change_percent", &changes);
	else
		json_object_put(cs_build_take(&changes));
	cs_build_flag(&o, "spread_jobs", cs_compare_spread(c, i).there);
	cs_build_part(list, NULL, &o);
}

static void add_run(struct cs_build *list, const struct cs_compare *c, size_t i)
{
	const struct cs_compare_case *at = &c->cases[i / c->n_policy];
	struct json_object *run = cs_output_figures(&c->run[i].figures);
	struct cs_build o = { run, !run };

	cs_build_text(&o, "policy", c->policy[i % c->n_policy].title);
	cs_build_text(&o, "case", at->title);
	if (at->seed >= 0)
		cs_build_add(&o, "seed", json_object_new_int64(at->seed));
	cs_build_real(&o, "wall_seconds", c->run[i].wall_s);
	cs_build_part(list, NULL, &o);
}

static void add_site_figures(struct cs_build *to, const char *key,
			     const struct cs_site_figures *f)
{
	struct cs_build o = cs_build_object();

	cs_build_real(&o, "mean_wait", f->wait_s);
	cs_build_real(&o, "mean_response", f->response_s);
	cs_build_real(&o, "makespan", f->makespan_s);
	cs_build_part(to, key, &o);
}

static void add_site(struct cs_build *to, const struct cs_compare_site *s)
{
	struct cs_build o = cs_build_object();
	struct cs_site_figures error =
		cs_site_error(&s->simulated, &s->recorded);

	cs_build_text(&o, "policy", s->policy);
	add_site_figures(&o, "simulated", &s->simulated);
	add_site_figures(&o, "recorded", &s->recorded);
	add_site_figures(&o, "error_percent", &error);
	cs_build_count(&o, "larger_than_machine", s->large);
	cs_build_part(to, "site", &o);
}

int cs_compare_summary(FILE *file, const struct cs_compare *c)
{
	struct cs_build o = cs_build_object();
	struct cs_build policies = cs_build_list(), runs = cs_build_list();

	for (size_t i = 0; i < c->n_policy; i++)
		add_policy(&policies, c, i);
	for (size_t i = 0; i < c->n_policy * c->n_case; i++)
		add_run(&runs, c, i);
	cs_build_text(&o, "machine", c->machine_text);
	cs_build_text(&o, "version", COSCHED_VERSION);
	if (c->site)
		add_site(&o, c->site);
	cs_build_part(&o, "policies", &policies);
	cs_build_part(&o, "runs", &runs);
	return cs_build_print(&o, file);
}

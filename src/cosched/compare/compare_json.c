/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as JSON. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "compare/compare_answer.h"
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

		cs_build_real(
			&o, f->key,
			change ? cs_compare_change(c, policy, 0, f, &error)
			       : cs_compare_mean(c, policy, f) / f->scale);
	}
	return o;
}

static void add_loser(struct cs_build *list, const struct cs_loser *l)
{
	struct cs_build o = cs_build_object();

	cs_build_text(&o, "user", l->user->title);
	if (l->at)
		cs_build_text(&o, "case", l->at->title);
	cs_build_count(&o, "jobs", l->user->jobs);
	cs_build_real(&o, "response_first", l->first_s);
	cs_build_real(&o, "response", l->here_s);
	cs_build_real(&o, "change_percent", l->change);
	cs_build_real(&o, "error_percent", l->error);
	cs_build_part(list, NULL, &o);
}

static void add_users(struct cs_build *to, const struct cs_compare *c, size_t i)
{
	struct cs_build o = cs_build_object(), list = cs_build_list();
	struct cs_losers l;

	if (cs_compare_losers(c, i, &l)) {
		o.nomem = true;
		l = (struct cs_losers){ .users = 0 };
	}
	cs_build_count(&o, "users", l.users);
	cs_build_count(&o, "shorter", l.shorter);
	cs_build_count(&o, "longer", l.n);
	cs_build_count(&o, "longer_by_ten_percent", l.much);
	if (l.n && !isnan(l.list[0].error))
		cs_build_count(&o, "longer_by_more_than_error", l.sure);
	cs_build_real(&o, "median_percent", l.median);
	cs_build_real(&o, "most_percent", l.most);
	for (size_t k = 0; k < l.n; k++)
		add_loser(&list, &l.list[k]);
	cs_build_part(&o, "losers", &list);
	cs_build_part(to, "users", &o);
	free(l.list);
}

static void add_verdict(struct cs_build *to, const struct cs_compare *c,
			size_t i)
{
	struct cs_build o = cs_build_object(), best = cs_build_list();
	struct cs_verdict v;

	if (cs_compare_verdict(c, i, &v)) {
		for (size_t p = 0; p < c->n_policy; p++)
			if (cs_verdict_best(c, &v, p))
				cs_build_text(&best, NULL, c->policy[p].title);
		cs_build_part(&o, "best", &best);
		cs_build_real(&o, "value", v.value / v.figure->scale);
		cs_build_real(&o, "change_percent", v.change);
		cs_build_real(&o, "error_percent", v.error);
		if (v.next != SIZE_MAX) {
			cs_build_text(&o, "next", c->policy[v.next].title);
			cs_build_real(&o, "next_percent", v.next_change);
			cs_build_real(&o, "next_error_percent", v.next_error);
		}
		cs_build_part(to, cs_verdict_key[i], &o);
		return;
	}
	json_object_put(cs_build_take(&o));
	json_object_put(cs_build_take(&best));
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
	if (i) {
		cs_build_part(&o, "change_percent", &changes);
		if (c->site)
			cs_build_flag(&o, "withheld",
				      cs_compare_doubt(c, i) != CS_ANSWER_SURE);
		add_users(&o, c, i);
	} else {
		json_object_put(cs_build_take(&changes));
	}
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
	cs_build_real(&o, "left_out_percent", 100 * s->left_part);
	cs_build_part(to, "site", &o);
	if (s->use.there)
		cs_build_add(to, "learn_use", cs_use_gain_json(&s->use));
}

int cs_compare_summary(FILE *file, const struct cs_compare *c)
{
	struct cs_build o = cs_build_object();
	struct cs_build policies = cs_build_list(), runs = cs_build_list();
	struct cs_build verdict = cs_build_object();

	for (size_t i = 0; i < c->n_policy; i++)
		add_policy(&policies, c, i);
	for (size_t i = 0; i < c->n_policy * c->n_case; i++)
		add_run(&runs, c, i);
	for (size_t i = 0; i < CS_VERDICTS; i++)
		add_verdict(&verdict, c, i);
	cs_build_text(&o, "machine", c->machine_text);
	cs_build_text(&o, "version", COSCHED_VERSION);
	if (c->site)
		add_site(&o, c->site);
	cs_build_part(&o, "verdict", &verdict);
	cs_build_part(&o, "policies", &policies);
	cs_build_part(&o, "runs", &runs);
	return cs_build_print(&o, file);
}

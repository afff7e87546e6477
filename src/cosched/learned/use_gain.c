/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "learned/use_gain.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/table.h"
#include "compare/compare_verdict.h"
#include "learned/learned.h"
#include "sim/json_build.h"
#include "sweep/sweep_files.h"

static int withhold(struct cs_use_gain *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int withhold(struct cs_use_gain *g, const char *fmt, ...)
{
	int n = snprintf(g->text, sizeof(g->text),
			 "What learn=use would gain is withheld, since ");
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(g->text + n, sizeof(g->text) - (size_t)n, fmt, ap);
	va_end(ap);
	g->withheld = true;
	*g->losers = '\0';
	return 0;
}

/* The pairs of kinds, and of runs of one kind, that may share. */
static int pairs_of(const struct cs_learned_file *f, double max_slowdown)
{
	int n = 0;

	for (int a = 0; a < cs_learned_kinds(f); a++)
		for (int b = a; b < cs_learned_kinds(f); b++)
			n += cs_learned_pair(f, a, b, max_slowdown).may_share;
	return n;
}

/* What was learned, as a profile file would say it for nodes as those of @m. */
static int profiles_of(const struct cs_learned_file *f,
		       const struct cs_machine *m, struct cs_profiles **ret,
		       struct cs_err *err)
{
	uint32_t cores = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int rc = out ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < m->n_node; i++)
		if (cs_node_cores(&m->node[i]) > cores)
			cores = cs_node_cores(&m->node[i]);
	if (!rc)
		rc = cs_learned_export(f, cores, out);
	if (out && fclose(out))
		rc = -ENOMEM;
	if (rc)
		cs_err_set(err, rc, "%s", strerror(-rc));
	else
		rc = cs_profiles_read(ret, text, size, "what was learned", err);
	free(text);
	return rc;
}

static double change(double from, double to)
{
	return from > 0 ? 100 * (to / from - 1) : NAN;
}

/* Rule 3, of a comparison of the two runs. */
static int take_losers(const struct cs_compare *c, struct cs_use_gain *g)
{
	struct cs_losers l;
	int rc = cs_compare_losers(c, 1, &l);
	char *text = rc ? NULL : cs_losers_text(c, 1, &l);

	if (!text) {
		free(l.list);
		return -ENOMEM;
	}
	snprintf(g->losers, sizeof(g->losers), "%s", text);
	g->users = l.users;
	g->shorter = l.shorter;
	g->longer = l.n;
	g->much = l.much;
	g->median = l.median;
	g->most = l.most;
	free(text);
	free(l.list);
	return 0;
}

/* Rule 3; @r: of propose and of use. */
static int who_loses(const struct cs_trace *t, const struct cs_sim_result *r,
		     struct cs_use_gain *g)
{
	char propose[] = "learn=propose", use[] = "learn=use";
	struct cs_compare_policy policy[2] = { { .title = propose },
					       { .title = use } };
	const struct cs_compare_site site = { .policy = propose };
	struct cs_compare_case at = { .seed = -1 };
	struct cs_compare_run counts = { .wall_s = 0 };
	double *sums[2] = { NULL, NULL };
	const struct cs_compare c = { .site = &site,
				      .policy = policy,
				      .n_policy = 2,
				      .cases = &at,
				      .n_case = 1,
				      .response_s = sums };
	int rc = cs_compare_users(&at, t);

	for (int i = 0; !rc && i < 2; i++) {
		sums[i] = calloc(at.n_user + 1, sizeof(*sums[i]));
		rc = sums[i] ? 0 : -ENOMEM;
		if (!rc)
			cs_compare_count(&counts, sums[i], &at, t, &r[i]);
	}
	if (!rc)
		rc = take_losers(&c, g);
	cs_compare_users_done(&at);
	free(sums[0]);
	free(sums[1]);
	return rc;
}

/* Rule 1. */
static int simulate(const struct cs_sim_options *with, const struct cs_trace *t,
		    const struct cs_profiles *learned, struct cs_use_gain *g,
		    struct cs_err *err)
{
	struct cs_sim_options o = *with;
	struct cs_sim_result r[2] = { { .n = 0 }, { .n = 0 } };
	int rc = 0;

	o.truth = learned;
	for (int i = 0; !rc && i < 2; i++) {
		o.profiles = i ? learned : NULL;
		rc = cs_sim_run(&o, t, &r[i], err);
	}
	if (!rc) {
		struct cs_site_figures was = cs_site_error_result(t, &r[0]);
		struct cs_site_figures is = cs_site_error_result(t, &r[1]);

		g->response = change(was.response_s, is.response_s);
		g->wait = change(was.wait_s, is.wait_s);
		rc = who_loses(t, r, g);
		if (rc)
			cs_err_set(err, rc, "%s", strerror(-rc));
	}
	cs_sim_result_done(&r[0]);
	cs_sim_result_done(&r[1]);
	return rc;
}

/* Rule 2. */
static int say(struct cs_use_gain *g, const char *policy, double off_by,
	       double left_part)
{
	char wait[64] = "";

	if (fabs(g->response) < fabs(off_by))
		return withhold(g,
				"the site's own policy is simulated %+.1f %% "
				"off from what happened, more than it changes.",
				off_by);
	if (left_part > CS_SITE_LEFT_OUT_MOST)
		return withhold(g,
				"jobs that are left out have %.0f %% of the "
				"core time, expected at most %.0f.",
				100 * left_part, 100 * CS_SITE_LEFT_OUT_MOST);
	if (!isnan(g->wait))
		snprintf(wait, sizeof(wait), ", mean wait %+.1f %%", g->wait);
	snprintf(g->text, sizeof(g->text),
		 "learn=use against learn=propose, under %.60s and with the "
		 "slowdowns learned so far (%d kinds of jobs, %d pairs that "
		 "may share): mean response %+.1f %%%s.",
		 policy, g->kinds, g->pairs, g->response, wait);
	return 0;
}

int cs_use_gain_text(char *text, const struct cs_sim_options *o,
		     const struct cs_trace *t, double off_by, double left_part,
		     struct cs_use_gain *ret, struct cs_err *err)
{
	struct cs_use_gain g = { .there = true };
	struct cs_profiles *learned = NULL;
	struct cs_learned_file f;
	int rc = cs_learned_read(&f, text, err);

	free(text);
	if (rc == -ENOENT) { /* no whole state, or no kind in it */
		withhold(&g, "%.300s.", err->text);
		*ret = g;
		return 0;
	}
	if (rc)
		return rc;
	g.kinds = cs_learned_kinds(&f);
	g.pairs = pairs_of(&f, o->params->max_slowdown);
	if (!g.pairs) {
		withhold(&g,
			 "no two of the %d kinds of jobs are known to slow "
			 "each other little enough to share (max_slowdown).",
			 g.kinds);
	} else {
		rc = profiles_of(&f, o->machine, &learned, err);
		if (!rc)
			rc = simulate(o, t, learned, &g, err);
		if (!rc)
			rc = say(&g, o->params->policy, off_by, left_part);
	}
	cs_profiles_free(learned);
	cs_learned_done(&f);
	if (!rc)
		*ret = g;
	return rc;
}

int cs_use_gain(const char *path, const struct cs_sim_options *o,
		const struct cs_trace *t, double off_by, double left_part,
		struct cs_use_gain *ret, struct cs_err *err)
{
	char *text;
	size_t size;
	int rc = cs_sweep_read(path, &text, &size);

	if (rc)
		return cs_err_set(err, rc, "'%.250s': %s", path, strerror(-rc));
	return cs_use_gain_text(text, o, t, off_by, left_part, ret, err);
}

/* ---- output -------------------------------------------------------------- */

void cs_use_gain_say(const struct cs_use_gain *g)
{
	cs_table_print_wrapped(g->text, 0, cs_cmd_columns());
	if (*g->losers)
		cs_table_print_wrapped(g->losers, 0, cs_cmd_columns());
}

static void add_users(struct cs_build *to, const struct cs_use_gain *g)
{
	struct cs_build o = cs_build_object();

	cs_build_count(&o, "users", g->users);
	cs_build_count(&o, "shorter", g->shorter);
	cs_build_count(&o, "longer", g->longer);
	cs_build_count(&o, "longer_by_ten_percent", g->much);
	cs_build_real(&o, "median_percent", g->median);
	cs_build_real(&o, "most_percent", g->most);
	cs_build_text(&o, "text", g->losers);
	cs_build_part(to, "users", &o);
}

struct json_object *cs_use_gain_json(const struct cs_use_gain *g)
{
	struct cs_build o = cs_build_object();

	cs_build_count(&o, "kinds", (uint64_t)g->kinds);
	cs_build_count(&o, "pairs_that_may_share", (uint64_t)g->pairs);
	cs_build_flag(&o, "withheld", g->withheld);
	if (!g->withheld) {
		cs_build_real(&o, "mean_response_percent", g->response);
		cs_build_real(&o, "mean_wait_percent", g->wait);
		add_users(&o, g);
	}
	cs_build_text(&o, "text", g->text);
	return cs_build_take(&o);
}

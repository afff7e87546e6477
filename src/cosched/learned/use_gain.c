/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "learned/use_gain.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learned/learned.h"
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

/* Rule 1. */
static int simulate(const struct cs_sim_options *with, const struct cs_trace *t,
		    const struct cs_profiles *learned, struct cs_use_gain *g,
		    struct cs_err *err)
{
	struct cs_sim_options o = *with;
	struct cs_site_figures before, after;
	int rc;

	o.truth = learned;
	o.profiles = NULL;
	rc = cs_site_error_simulated(&o, t, &before, err);
	o.profiles = learned;
	if (!rc)
		rc = cs_site_error_simulated(&o, t, &after, err);
	if (rc)
		return rc;
	g->response = change(before.response_s, after.response_s);
	g->wait = change(before.wait_s, after.wait_s);
	return 0;
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

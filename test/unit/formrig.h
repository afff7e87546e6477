/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups formed by hand: a primary job and candidates, without an engine. */
#ifndef CS_FORMRIG_H
#define CS_FORMRIG_H

#include "cs_test.h"

#include "common/place/candidate.h"

struct formation {
	struct cs_params params;
	struct cs_forming f;
	struct cs_ejob primary;
	struct cs_candidate c[8];
	struct cs_ejob job[8];
};

/* A primary job of @nodes nodes, two processes on each, that lasts 1000 s. */
static inline void form_begin(struct formation *f, uint32_t nodes,
			      const char *params)
{
	struct cs_err err = { "" };

	memset(f, 0, sizeof(*f));
	if (cs_params_parse(&f->params, CS_HOST_LIVE, params, "", &err))
		fail_msg("%s", err.text);
	f->f.params = &f->params;
	f->f.most = CS_MATCHED_MAX;
	f->f.layers = 1;
	f->f.first = f->params.first_suitable;
	f->f.must = -1;
	f->f.candidate = f->c;
	f->f.primary = (struct cs_candidate){ .procs = 2 * nodes,
					      .nodes = nodes,
					      .rest_us = 1e9,
					      .pace = 1,
					      .self = 1 };
}

static inline void form_add(struct formation *f, uint32_t nodes, double rest_s,
			    double cos, double harm)
{
	uint32_t i = f->f.n++;

	f->job[i].job.id = i + 1;
	f->c[i] = (struct cs_candidate){ .job = &f->job[i],
					 .procs = 2 * nodes,
					 .nodes = nodes,
					 .rest_us = rest_s * 1e6,
					 .pace = 1,
					 .self = 1,
					 .cos = cos,
					 .harm = harm };
}

/* "2 3": the jobs of the @k-th best group in increasing order. */
static inline const char *form_group(const struct formation *f, uint32_t k)
{
	static char text[64];
	size_t len = 0;

	if (k >= f->f.n_group)
		return "none";
	text[0] = '\0';
	for (uint32_t id = 1; id <= f->f.n; id++)
		for (uint32_t i = 0; i < f->f.group[k].n; i++)
			if (f->c[f->f.group[k].matched[i]].job->job.id == id)
				len += (size_t)snprintf(text + len, 64 - len,
							"%s%u", len ? " " : "",
							id);
	return text;
}

static inline void form_end(struct formation *f)
{
	free(f->f.group);
	cs_params_done(&f->params);
}

#endif

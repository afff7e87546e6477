/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What explain says of sites: what the site rule weighed, and on which a job runs. */
#include "explain/explain.h"

#include <stdio.h>

#include "job/crossing.h"
#include "model/sites.h"

/* "in 0:01:00" */
static void put_in(struct cs_text *t, const struct cs_engine *e, int64_t at_us)
{
	cs_put(t, "in ");
	cs_explain_put_span(t, at_us > e->now_us ? at_us - e->now_us : 0);
}

/* What would come of it to split the job now. */
static void put_split(struct cs_text *t, const struct cs_engine *e,
		      const struct cs_ejob *j, uint32_t option)
{
	const struct cs_site_wait *s = &j->site;

	if (!s->split)
		return;
	cs_put(t, "; split over %u now it would ", s->split);
	if (s->lacks_us) {
		cs_put(t, "need a time limit of ");
		cs_explain_put_span(t, s->lacks_us);
		cs_put(t, ", and partition, QOS or association (MaxTime, "
			  "MaxWall) allow ");
		cs_explain_put_span(t, j->job.option[option].limit_max_us);
		return;
	}
	cs_put(t, "end ");
	put_in(t, e, s->split_end_us);
	/* by site_rule=look only */
	if (s->start_us != CS_TIME_NONE && s->split_end_us < s->end_us)
		cs_put(t, ", but what crossing takes counts for others, too");
}

void cs_explain_put_site_wait(struct cs_text *t, const struct cs_engine *e,
			      const struct cs_ejob *j, uint32_t option,
			      bool when)
{
	const struct cs_site_wait *s = &j->site;

	cs_put(t, "no site has room for it");
	if (!when)
		return;
	if (s->start_us != CS_TIME_NONE) {
		if (s->fragments > 1)
			cs_put(t, "; waits for room on %u ", s->fragments);
		else
			cs_put(t, "; waits for one ");
		put_in(t, e, s->start_us);
		cs_put(t, ", ends ");
		put_in(t, e, s->end_us);
	}
	put_split(t, e, j, option);
}

void cs_explain_put_sites(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j)
{
	const struct cs_sites *sites = e->machine->sites;
	const struct cs_alloc *a = j->whole ? j->whole : j->alloc;
	uint32_t k = a ? cs_sites_touched(sites, a) : 1;
	const char *before = ":";
	double f;

	if (k < 2)
		return;
	cs_put(t, "  over %u sites", k);
	for (uint32_t i = 0; i < sites->n; i++) {
		uint32_t n = cs_sites_nodes(sites, i, a);

		if (!n)
			continue;
		cs_put(t, "%s %u node%s of ", before, n, cs_plural(n));
		if (sites->site[i].name)
			cs_put(t, "%s", sites->site[i].name);
		else
			cs_put(t, "site %u", i + 1);
		before = ",";
	}
	f = cs_crossing_factor(e, j, k);
	cs_put(t, "; counted as %.2f times its time on one", f);
	if (j->job.base_procs &&
	    j->limit_us < cs_stretch_us(j->job.estimate_us, f))
		cs_put(t, ", which its limit does not cover");
	cs_put(t, "\n");
}

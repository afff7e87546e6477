/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job/crossing.h"

#include <errno.h>
#include <stdlib.h>

#include "job/progress.h"
#include "job/site_room.h"
#include "learn/crossed.h"
#include "model/sites.h"

#define CUT .98 /* of its limit: a run of that length was ended by it */

double cs_crossing_factor(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t fragments)
{
	double p = e->params.across;

	if (j->job.flags & CS_JOB_ACROSS)
		p = j->job.across;
	else
		p = cs_profiles_across(e->profiles, j->profile, p);
	return cs_sites_crossing((enum cs_across_grows)e->params.across_grows,
				 p, fragments);
}

double cs_crossing_of(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_sites *s = e->machine->sites;

	return s ? cs_crossing_factor(e, j, cs_sites_touched(s, j->alloc)) : 1;
}

/* ---- what it turned out to be ---------------------------------------------- */

int cs_crossing_init(struct cs_engine *e)
{
	if (!cs_site_rules(e))
		return 0;
	e->crossed = calloc(1, sizeof(*e->crossed));
	return e->crossed ? 0 : -ENOMEM;
}

void cs_crossing_ended(struct cs_engine *e, const struct cs_ejob *j,
		       bool failed)
{
	int64_t ran_us = cs_progress_ran_us(j, e->now_us);
	const struct cs_job *job = &j->job;
	struct cs_kin kin;
	int64_t limit_us;

	if (!e->crossed || failed || j->resized || !j->alloc || e->now_us < 0)
		return;
	limit_us = job->base_procs ? j->limit_us : cs_progress_limit_us(e, j);
	if (ran_us <= 0 || ran_us < e->params.learn_least_s * 1000000 ||
	    (double)ran_us >= CUT * (double)limit_us)
		return;
	cs_kin_make(&kin, job->user, job->name, job->partition, job->procs,
		    job->estimate_us);
	cs_crossed_ended(e->crossed, &kin, job->procs, e->now_us, ran_us,
			 cs_sites_touched(e->machine->sites, j->alloc));
}

void cs_crossing_write(const struct cs_engine *e, struct cs_textbuf *t)
{
	if (e->crossed)
		cs_crossed_write(e->crossed, t);
}

int cs_crossing_read(struct cs_engine *e, const char *line, struct cs_err *err)
{
	return e->crossed ? cs_crossed_read(e->crossed, line, err) : 0;
}

/* g(k) of crossed.h */
static double growth(const void *arg, uint32_t sites)
{
	const struct cs_engine *e = arg;

	return cs_sites_crossing((enum cs_across_grows)e->params.across_grows,
				 1, sites) -
	       1;
}

bool cs_crossing_learned(const struct cs_engine *e, uint32_t i, double *ret)
{
	return cs_crossed_across(&e->crossed->kind[i], growth, e, ret);
}

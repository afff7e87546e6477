/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job/crossing.h"

#include "model/sites.h"

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

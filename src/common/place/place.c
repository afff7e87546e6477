/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of a placing function: the key `place` says which, but for a job that
 * the host's own test places, and that under a plan pairs are groups of two.
 */
#include "place/place.h"

static cs_place_fn *const place[] = {
	[CS_PLACE_SPACE] = cs_place_alone,
	[CS_PLACE_PACK] = cs_place_alone,
	[CS_PLACE_PAIR_FIRST] = cs_place_pair,
	[CS_PLACE_PAIR_BEST] = cs_place_pair,
	[CS_PLACE_GROUP] = cs_place_group,
};

int cs_place_one(struct cs_pass *p, const struct cs_entry *entry)
{
	if (cs_job_flags(entry->job, entry->option) & CS_JOB_HOST)
		return cs_place_host(p, entry);
	/* under a plan pairs are groups of two */
	if (cs_pass_plans(p) && p->e->params.place >= CS_PLACE_PAIR_FIRST)
		return cs_place_group(p, entry);
	return place[p->e->params.place](p, entry);
}

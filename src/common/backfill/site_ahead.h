/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When, and over how many sites, a job would start by the rule; the theory is in
 * site_ahead.c. */
#ifndef CS_BACKFILL_SITE_AHEAD_H
#define CS_BACKFILL_SITE_AHEAD_H

#include "job/site_room.h"

struct cs_site_way {
	int64_t start_us; /* CS_TIME_NONE: no end of those that run makes room */
	uint32_t fragments;	  /* 0: ditto */
	struct cs_site_wait wait; /* what was weighed, but for its walk */
};

/*
 * How @site_rule makes @j, of shape @s, run, which takes @run_us on one site: by the
 * predicted ends of running jobs, and as if no other job waited nor, with slices, any
 * class but its own ran. O(endings * (sites * fragments) + nodes that they free +
 * nodes).
 */
struct cs_site_way cs_site_ahead(struct cs_engine *e, const struct cs_ejob *j,
				 uint32_t option, const struct cs_shape *s,
				 int64_t run_us);

/* May one more job behind the head be looked at in this walk (SPENT_MOST)? */
bool cs_site_ahead_may(const struct cs_engine *e);

/* May a job not split now be split later though nothing frees a node? */
static inline bool cs_site_weighs(const struct cs_engine *e)
{
	return cs_site_rules(e) && e->site_work->rule->weighs;
}

#endif

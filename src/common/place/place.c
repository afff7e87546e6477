/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the job of an entry starts, and with which neighbours.
 *
 *	space		by itself, on its own nodes		space.c
 *	pack		by itself, by core			space.c
 *	pair-first	in a group of two, the first suitable	group_search.c
 *	pair-best	in the group of two with most gain	group_search.c
 *	group		in a group of several			group_search.c
 *	cover		spread, if others cover its nodes	cover.c
 *
 * Jobs that the host's own test places are left to it whatever the key says
 * (host_start.c).
 *
 * One matcher, cs_match_pair() and cs_match_part() of job/match.c, tells which jobs may
 * share, and how.  Three searches ask it, for three problems:
 *
 *	group_search.c	Which new group?  Its members are chosen together, each alone on
 *			its nodes or still waiting (group_match.c, rule 3), and others
 *			may be delayed by it as far as is fair (group_fair.c).  A pair
 *			is a group with one matched job: there is no search for pairs.
 *	join.c		Which running job does one more join?  Its nodes may have several
 *			jobs, in different company on each, so each node is judged by
 *			all that are there, and no promise may suffer.  A group of
 *			jobs_per_node grows so, and serial jobs fill nodes (low_load.c).
 *	cover.c		Which jobs cover a spread one?  Each has other parts of its
 *			nodes; work per node against full nodes counts (its (1)), not
 *			equation 6 of Zeng09, which a partly covered job never reaches.
 *
 * A placement that only prefers other nodes is cs_place_alone() with a `choose` of its
 * own: test/unit/test_stage.c has one.
 */
#include "place/place.h"

#include "backfill/plan.h"
#include "state/pass.h"

const struct cs_place_ops *cs_place_choose(const struct cs_params *p)
{
	static const struct cs_place_ops ops[] = {
		[CS_PLACE_SPACE] = { .alone = true,
				     .spreads = true,
				     .place = cs_place_alone },
		[CS_PLACE_PACK] = { .alone = true,
				    .packs = true,
				    .place = cs_place_alone },
		[CS_PLACE_PAIR_FIRST] = { .shares = true,
					  .first = true,
					  .joins = true,
					  .matched = 1,
					  .place = cs_place_group },
		[CS_PLACE_PAIR_BEST] = { .shares = true,
					 .joins = true,
					 .matched = 1,
					 .place = cs_place_group },
		[CS_PLACE_GROUP] = { .shares = true, .place = cs_place_group },
		[CS_PLACE_COVER] = { .shares = true,
				     .parts = true,
				     .place = cs_place_cover,
				     .planned = cs_place_alone },
	};

	return &ops[p->place];
}

int cs_place_one(struct cs_pass *p, const struct cs_entry *entry)
{
	const struct cs_place_ops *place = p->e->place;
	bool host = cs_job_flags(entry->job, entry->option) & CS_JOB_HOST;
	bool planned = cs_pass_plans(p) && place->planned;
	int rc;

	if (host)
		cs_plan_settle(p->e);
	rc = host      ? cs_place_host(p, entry)
	     : planned ? place->planned(p, entry)
		       : place->place(p, entry);
	if (rc <= 0)
		cs_plan_settle(p->e);
	return rc;
}

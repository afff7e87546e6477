/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before matchmaking: low load, and serial jobs.
 *
 * Rules.
 *  1. Low load: if every job, running or waiting, fits into the machine with one
 *     process a node, they are space shared that way (`low_load`=spread).  Jobs that
 *     may not start yet (held, dependent, begin time) are no load.
 *  2. A serial job (one process) looks for running serial ones before any
 *     matchmaking: it goes to a node where all are serial and fewer than jobs_per_node,
 *     all pairs there pass the preselection, and no promise suffers; of these the one
 *     with the highest gain, of at least MIN_UTILGAIN (join.c, over all running jobs).
 *     If there is none it is matched, or starts alone, like any other job.  This is for
 *     the head of the queue and, with backfill_join=yes, others.
 *
 * Why.  A serial job beside a parallel one slows all its processes down, since they
 * wait for each other, for the sake of one node; alone it idles a node's other cores.
 * Bursts of them, a quarter of all jobs, fill nodes among themselves by rule 2 and
 * leave the parallel ones to each other.
 *
 * Source: Zeng09 (see slowdown.h), sections 4.3 and 4.4.
 *
 * Differs.
 *  1. Load is judged over the whole machine and all classes of runtime (the paper says
 *     "all jobs fit into the machine").
 *  2. Rule 2 is ours: by section 4.4 serial jobs are treated "specially as described
 *     in Section 4.5, before attempting other forms of coscheduling", but that section
 *     does not return to them.
 *
 * Cost: O(jobs) until they no longer fit; O(running) for a serial job.
 */
#include "place/low_load.h"

#include "job/eligible.h"
#include "place/attempt.h"
#include "place/join.h"
#include "place/start_alone.h"

/* Held, dependent, or not before a time, in all its partitions? */
static bool stays_out(const struct cs_engine *e, struct cs_ejob *j)
{
	for (uint32_t o = 0; o < j->job.n_option; o++) {
		enum cs_why why =
			cs_eligible_why_not(e, &(struct cs_entry){ j, o });

		if (why != CS_WHY_BLOCKED && why != CS_WHY_BEGIN)
			return false;
	}
	return true;
}

/* Does every job fit with one process a node? */
static bool all_fit(const struct cs_engine *e)
{
	uint64_t procs = 0, up;

	if (e->params.low_load != CS_LOW_LOAD_SPREAD)
		return false;
	up = e->machine->n_node -
	     cs_bits_count(e->sm->now.down, cs_node_words(e->machine));
	for (size_t i = 0; i < e->started.n && procs <= up; i++)
		procs += e->started.job[i]->job.procs;
	for (size_t i = 0; i < e->waiting.n && procs <= up; i++) {
		struct cs_ejob *j = e->waiting.job[i];

		if (!stays_out(e, j))
			procs += (uint64_t)j->job.procs * j->job.tasks;
	}
	return procs <= up;
}

/* Rule 1.  Starts do not affect it, so a pass asks once. */
static bool low_load(struct cs_pass *p)
{
	if (!p->light)
		p->light = all_fit(p->e) ? 1 : -1;
	return p->light > 0;
}

int cs_place_spread(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	const struct cs_job *j = &entry->job->job;
	const struct cs_node *like =
		cs_engine_like(e, &j->option[entry->option]);
	struct cs_shape s;

	if (cs_job_has_gpus(j) || !low_load(p))
		return 0;
	if (!like || !cs_shape_space(&s, j, like, 1))
		return 0;
	return cs_start_alone(p, entry, &s, 4, 0);
}

int cs_place_beside(struct cs_pass *p, const struct cs_entry *entry,
		    bool serial)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_join way;
	int rc = cs_join_best(p, entry, serial, &way);

	if (rc || !way.alloc)
		return rc;
	rc = cs_join_start(e, entry, &way);
	e->sm->stale = true;
	return rc ? rc : 1;
}

int cs_place_light(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	bool join = cs_attempt_is_head(p) ||
		    e->params.backfill_join == CS_BACKFILL_JOIN_YES;
	int rc = cs_place_spread(p, entry);

	if (!rc && entry->job->job.procs == 1 && join)
		rc = cs_place_beside(p, entry, true);
	return rc;
}

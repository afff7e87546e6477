/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place=space and place=pack: a job starts by itself as soon as it fits and no promise
 * suffers; under a plan at its promised start.
 *
 * The rules are alone.c's.  Earlier starts: at low load one process a node
 * (low_load.c); among its user's own jobs, on nodes already taken in the plan (rule 6);
 * where a reservation's cores are free together, or, without a plan, where it fits
 * only on such cores (rule 7); and on larger nodes (rule 11).
 */
#include "place/place.h"

#include <errno.h>

#include "backfill/plan.h"
#include "job/alone.h"
#include "job/match.h"
#include "job/resv.h"
#include "place/attempt.h"
#include "place/low_load.h"
#include "place/start_alone.h"

/* Rule 6: on its user's nodes, already taken in a plan. */
static int start_among_own(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	bool nomem;
	struct cs_alloc *a = cs_start_alone_among_own(p, entry, &nomem);

	if (!a)
		return nomem ? -ENOMEM : 0;
	return cs_start_alone_on(e, entry, &entry->job->plan.shape, a, 0, 0);
}

/* May it start there?  Promises are per partition. */
static bool among_own(const struct cs_pass *p, const struct cs_entry *entry)
{
	const struct cs_engine *e = cs_attempt_engine(p);
	struct cs_ejob *j = entry->job;

	if (!cs_scoped(e) || !cs_match_packed(e, j) ||
	    (cs_pass_plans(p) && j->plan.option != entry->option))
		return false;
	return cs_alone_layout(e, j, entry->option) &&
	       j->plan.shape.kind == CS_SHAPE_PACKED;
}

/* Rule 7, without a plan. */
static int start_by_core(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_ejob *j = entry->job;
	int rc = 0;

	if (!cs_resv_may_cut(e, j, entry->option, &j->plan.shape))
		return 0;
	if (cs_alone_layout_by(e, j, entry->option, true))
		rc = cs_start_alone_for(p, entry, &j->plan.shape,
					j->plan.run_us, 0, 0);
	if (!rc)
		cs_alone_layout_by(e, j, entry->option, false);
	return rc;
}

/* A plan separates a node's reserved cores from the others; a job that may use all, by
 * its reservation or by borrowing, may find them free together before its promised
 * start. */
static bool may_be_together(const struct cs_pass *p,
			    const struct cs_entry *entry)
{
	const struct cs_engine *e = cs_attempt_engine(p);
	const struct cs_ejob *j = entry->job;
	const struct cs_resv_job of = cs_resv_of(e, j, entry->option);

	return e->cuts &&
	       (j->plan.option == entry->option ||
		j->plan.start_us == CS_TIME_NONE) &&
	       (of.in || of.borrows) &&
	       !cs_resv_within_cores(e, j, entry->option);
}

/* Rule 11; under a plan before its promised start, too. */
static int start_on_others(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	const struct cs_planned *q = &entry->job->plan;
	struct cs_shape s;
	int rc = 0;

	if (q->made != e->layouts || q->option != entry->option ||
	    !cs_alone_other_might(e, &q->shape))
		return 0;
	s = q->shape;
	while (!rc && cs_alone_other(e, entry->job, entry->option, &s))
		rc = cs_start_alone(p, entry, &s, cs_alone_rule(&s), 0);
	return rc;
}

int cs_place_alone(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	const struct cs_shape *s = &entry->job->plan.shape;
	int rc = 0;

	if (e->place->spreads && e->params.layout == CS_LAYOUT_MODEL)
		rc = cs_place_spread(p, entry);
	if (!rc && among_own(p, entry))
		rc = start_among_own(p, entry);
	if (rc)
		return rc;
	if (cs_pass_plans(p) && !cs_plan_due(p) && !may_be_together(p, entry))
		return start_on_others(p, entry);
	if (!cs_alone_layout(e, entry->job, entry->option))
		return 0;
	rc = cs_start_alone_for(p, entry, s, entry->job->plan.run_us,
				cs_alone_rule(s), 0);
	if (!rc && !cs_pass_plans(p))
		rc = start_by_core(p, entry);
	return rc ? rc : start_on_others(p, entry);
}

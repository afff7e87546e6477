/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue entry being placed: what a placing function asks about its turn, and how
 * the walk goes on after a start.
 *
 * `cases` names the cases of Zeng09, section 4.4, tried for a head, `backfill_cases`
 * those behind one; with backfill_join a job behind a head may join a running one as a
 * head would.
 */
#include "place/attempt.h"

#include <errno.h>
#include <string.h>

#include "backfill/plan.h"
#include "job/refused.h"
#include "place/joinable.h"

struct cs_engine *cs_attempt_engine(const struct cs_pass *p)
{
	return p->e;
}

const struct cs_entry *cs_attempt_behind(const struct cs_pass *p, size_t *ret_n)
{
	*ret_n = p->n - p->i - 1;
	return p->queue + p->i + 1;
}

bool cs_attempt_is_head(const struct cs_pass *p)
{
	return p->head;
}

bool cs_attempt_tries(const struct cs_pass *p, uint32_t rule)
{
	const struct cs_params *a = &p->e->params;

	return strchr(p->head ? a->cases : a->backfill_cases,
		      (int)('0' + rule)) != NULL;
}

bool cs_attempt_joins(const struct cs_pass *p, uint32_t rule)
{
	const struct cs_params *a = &p->e->params;

	return cs_attempt_tries(p, rule) ||
	       (a->backfill_join == CS_BACKFILL_JOIN_YES &&
		strchr(a->cases, (int)('0' + rule)));
}

bool cs_attempt_ready(const struct cs_engine *e, const struct cs_entry *x)
{
	return cs_waits(x->job) &&
	       !(cs_job_flags(x->job, x->option) & CS_JOB_BLOCKED) &&
	       x->job->job.eligible_us <= e->now_us &&
	       x->job->job.after_us <= e->now_us &&
	       !cs_refused_holds(e, x->job, x->option);
}

/* Starts or promises differ from the plan: update it. */
static int replan(struct cs_pass *p, const struct cs_entry *entry)
{
	if (cs_waits(entry->job))
		return cs_plan_next_task(p, entry->job);
	return p->e->sm->stale ? cs_plan_update(p) : 0;
}

int cs_attempt_started(struct cs_pass *p, const struct cs_entry *entry)
{
	cs_joinable_forget(p);
	return p->ended || !replan(p, entry) ? 0 : -ENOMEM;
}

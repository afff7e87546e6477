/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The next instant at which a decide may differ without an event: a promised start, the
 * end of a pause or a reservation, a time that a job or campaign waits for.
 */
#include "engine/engine.h"
#include "backfill/easy.h"
#include "engine/wakeup.h"

#include "job/horizon.h"
#include "job/refused.h"
#include "state/pass.h"

/* The wake-up at @next_us, or sooner by a promise or a time that @j waits for. */
static int64_t sooner(const struct cs_engine *e, int64_t at_us, int64_t next_us)
{
	return at_us > e->now_us && at_us < next_us ? at_us : next_us;
}

static int64_t with_promise(const struct cs_engine *e, const struct cs_ejob *j,
			    int64_t next_us)
{
	/* a predicted start is also when a job may take its nodes */
	return cs_pass_promised(e, j) && cs_sm_serves(e, cs_sm_of(e, j))
		       ? sooner(e, j->verdict.start_us, next_us)
		       : next_us;
}

static int64_t with_timers(const struct cs_engine *e, const struct cs_ejob *j,
			   int64_t next_us)
{
	next_us = sooner(e, j->job.eligible_us, next_us);
	next_us = sooner(e, j->job.after_us, next_us);
	if (cs_pass_why(e, j) == CS_WHY_FAR)
		next_us = sooner(e,
				 cs_horizon_enters_us(e, j, j->verdict.option,
						      j->verdict.start_us),
				 next_us);
	return sooner(e, cs_refused_ends_us(e, j), next_us);
}

static int64_t with_heads(const struct cs_engine *e, int64_t next_us)
{
	for (uint32_t i = 0; i < e->n_sm; i++)
		for (size_t k = 0; k < e->sms[i].heads.n; k++) {
			const struct cs_ejob *j = cs_engine_job(
				e, e->sms[i].heads.promise[k].job_id);

			if (j && j->state == CS_WAITING)
				next_us = with_promise(e, j, next_us);
		}
	return next_us;
}

int64_t cs_engine_next_wakeup_us(const struct cs_engine *e)
{
	bool plans = e->backfill->all;
	int64_t next = cs_ask(e->slice, wakeup_us, CS_TIME_NONE, e);

	for (size_t i = 0; (plans || e->timers) && i < e->waiting.n; i++) {
		next = with_timers(e, e->waiting.job[i], next);
		if (plans)
			next = with_promise(e, e->waiting.job[i], next);
	}
	if (!plans)
		next = with_heads(e, next);
	for (uint32_t h = 0; h < e->n_held; h++)
		if (!(e->held[h].flags & CS_RESV_FLOAT))
			next = sooner(e, e->held[h].end_us, next);
	next = sooner(e, cs_ask(e->backfill, wakeup_us, CS_TIME_NONE, e), next);
	next = sooner(e, cs_refused_asks_us(e), next);
	return sooner(e, cs_ask(e->order, wakeup_us, CS_TIME_NONE, e), next);
}

uint64_t cs_engine_changes(const struct cs_engine *e)
{
	return e->changes;
}

bool cs_engine_timers(const struct cs_engine *e)
{
	int64_t next = CS_TIME_NONE;

	for (size_t i = 0; i < e->waiting.n; i++)
		next = with_timers(e, e->waiting.job[i], next);
	return next != CS_TIME_NONE;
}

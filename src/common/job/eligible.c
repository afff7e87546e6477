/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Eligibility: may a job of the queue be considered now?
 *
 * Rules.
 *  1. A job that lacks licences, or whose burst buffer is not filled, is promised a
 *     start under a plan, but does not start.
 *     One that is blocked, not yet eligible, refused by the host, or whose campaign
 *     must wait, is passed over and holds nothing.
 *  2. Jobs that the host's own test places (host_start.c) are counted in queue order
 *     (forecast.c, rules 1, 4 and 6).
 *  3. That one option is blocked is no verdict on a job that another has given one:
 *     it is the other in which the job may start.
 */
#include "job/eligible.h"

#include "job/forecast.h"
#include "job/refused.h"
#include "state/pass.h"

enum cs_why cs_eligible_why_not(const struct cs_engine *e,
				const struct cs_entry *entry)
{
	const struct cs_ejob *j = entry->job;

	if (cs_job_flags(j, entry->option) & CS_JOB_BLOCKED)
		return CS_WHY_BLOCKED;
	if (j->job.eligible_us > e->now_us)
		return CS_WHY_BEGIN;
	if (cs_ask(e->order, held, false, e, j))
		return CS_WHY_VIRTUAL;
	if (cs_refused_holds(e, j, entry->option))
		return CS_WHY_REFUSED;
	return j->job.after_us > e->now_us ? CS_WHY_AFTER : CS_WHY_NEW;
}

bool cs_eligible_now(struct cs_engine *e, const struct cs_entry *entry)
{
	enum cs_why why = cs_eligible_why_not(e, entry);
	enum cs_why so_far = cs_pass_why(e, entry->job);

	if (why == CS_WHY_NEW)
		return true;
	if (why == CS_WHY_BLOCKED && so_far != CS_WHY_NEW)
		return false; /* rule 3 */
	if (so_far != CS_WHY_HEAD &&
	    (so_far != CS_WHY_PLANNED || e->backfill->all))
		cs_pass_verdict(e, entry->job, why);
	if (entry->job->forecast)
		entry->job->verdict.start_us =
			cs_forecast_of(e, entry->job)->start_us;
	else if (why == CS_WHY_AFTER &&
		 entry->job->plan.start_us != CS_TIME_NONE)
		entry->job->verdict.start_us =
			entry->job->plan.start_us -
			cs_sm_of(e, entry->job)->ahead_us;
	return false;
}

uint32_t cs_eligible_hosts_before(const struct cs_engine *e,
				  const struct cs_entry *entry,
				  struct cs_hosts *hosts)
{
	enum cs_why why = cs_eligible_why_not(e, entry);

	return why == CS_WHY_NEW || why == CS_WHY_REFUSED
		       ? cs_forecast_count(entry->job, hosts)
		       : 0;
}

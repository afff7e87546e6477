/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host has refused, and when it is asked again.
 *
 * Problem.  The host's own test knows wishes that the model does not hold, so it may
 * refuse for ever what the model has room for.  No job may wait because of that, and
 * refused jobs, however many, may not take all the host's time.
 *
 * Rules.
 *  1. Refusals are kept by partition of a job, as long as its request stays the same: a
 *     new priority or a hold does not change it.
 *  2. Exact nodes and cores that the host refuses (class PLACE) are tried once more
 *     after SETTLE_US, since the machine may have been changing; refused again, the job
 *     is left to the host's own test from then on (CS_JOB_HOST), on the nodes that the
 *     plan leaves.
 *  3. So is, at once, a job that the model could not place on the empty machine.
 *  4. A refused job is tried again after a pause that doubles with each refusal in a
 *     row,
 *
 *	pause = retry_s * 2^(n - 1), at most CS_REFUSED_LIFE * retry_s	(1)
 *
 *     or as soon as a change may have freed resources (engine->epoch), unless the host
 *     says that only time helps (class TIMED); and at its promised start (forecast.c).
 *  5. At most host_tries starts left to the host's own test are refused in a second,
 *     at most half of them of jobs whose pause a change has ended.  Exact starts count
 *     if a limit of the host refused them (class LIMIT) and a change has ended the
 *     pause: a user may have thousands above a limit.
 *  6. The host's own test settles for nodes before it counts all of the job's memory
 *     there, and refuses then, though others are idle (Slurm, where memory goes by the
 *     CPU and CPUs by the core).  So a start refused on nodes of which enough are idle
 *     (class PLACE) is tried at once on these alone, and so are the array's next tasks,
 *     until the host refuses that, too.  Only the second refusal counts in (1).
 *
 * Example, retry_s 10: an exact start is refused at 0 and 0.5 s, the host's own test
 * at 0.5, 10.5, 30.5 and 70.5 s if nothing changes (test_refused.c).
 */
#include "job/refused.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/forecast.h"
#include "job/pledge.h"
#include "state/state.h"

#define SETTLE_US INT64_C(500000)
#define WINDOW_US CS_SECOND_US
#define EXACT_MOST 2 /* refusals of exact starts in a row */

int cs_refused_reserve(struct cs_ejob *j)
{
	if (!j->refusals)
		j->refusals = calloc(j->job.n_option, sizeof(*j->refusals));
	return j->refusals ? 0 : -ENOMEM;
}

const struct cs_refusals *cs_refused_of(const struct cs_ejob *j,
					uint32_t option)
{
	return j->refusals && *j->refusals[option].why ? &j->refusals[option]
						       : NULL;
}

bool cs_refused_left(const struct cs_ejob *j, uint32_t option)
{
	return j->refusals && j->refusals[option].by_host;
}

/* Rule 5: has this second had its share of jobs whose pause a change has ended? */
static bool early_over(const struct cs_engine *e)
{
	const struct cs_asks *a = &e->asks;
	int64_t most = e->params.host_tries;

	return most && e->now_us - a->since_us < WINDOW_US &&
	       a->early >= most / 2;
}

/* Equation 1. */
static int64_t pause_us(const struct cs_engine *e, uint32_t n)
{
	uint32_t times = n > 5 ? CS_REFUSED_LIFE : UINT32_C(1) << (n - 1);

	if (times > CS_REFUSED_LIFE)
		times = CS_REFUSED_LIFE;
	return e->params.retry_s * times * INT64_C(1000000);
}

/* From now on the host's own test places @j. */
static void leave_to_host(struct cs_engine *e, struct cs_ejob *j,
			  uint32_t option)
{
	struct cs_job_partition *o =
		(struct cs_job_partition *)&j->job.option[option]; /* its own */

	j->refusals[option].by_host = true;
	j->refusals[option].n = 0;
	o->flags |= CS_JOB_HOST;
	j->plan.made = 0;
	j->part.made = false;
	cs_tell(e->backfill, dropped, e, j);
}

void cs_refused_note(struct cs_engine *e, struct cs_ejob *j, uint32_t option,
		     enum cs_refused class, const char *why)
{
	struct cs_refusals *r = &j->refusals[option];
	const struct cs_held_nodes *kept = cs_forecast_of(e, j);
	bool exact = !(cs_job_flags(j, option) & CS_JOB_HOST);

	if (class == CS_REFUSED_GROUP)
		return; /* that was another's */
	r->idle = !exact && class == CS_REFUSED_PLACE && j->asked_beside;
	snprintf(r->why, sizeof(r->why), "%s",
		 why && *why ? why : "no reason given");
	e->timers = true;
	r->class = class;
	if (r->idle)
		return; /* as early as before (5): its pause has ended */
	r->n += r->n < UINT32_MAX;
	r->epoch = e->epoch;
	r->retry_us = e->now_us + pause_us(e, r->n);
	if (class == CS_REFUSED_CHANGED)
		r->retry_us = e->now_us + CS_REFUSED_LIFE * e->params.retry_s *
						  INT64_C(1000000);
	if (kept && kept->start_us > e->now_us && kept->start_us < r->retry_us)
		r->retry_us = kept->start_us;
	if (class != CS_REFUSED_PLACE || !exact)
		return;
	r->class = CS_REFUSED_TIMED;
	r->retry_us = e->now_us + SETTLE_US;
	if (r->n < EXACT_MOST)
		return;
	r->retry_us = 0;
	leave_to_host(e, j, option);
}

void cs_refused_started(struct cs_ejob *j, uint32_t option)
{
	if (!j->refusals)
		return;
	j->refusals[option].n = 0;
	j->refusals[option].retry_us = 0;
}

bool cs_refused_by_model(struct cs_engine *e, struct cs_ejob *j,
			 uint32_t option)
{
	if (cs_job_flags(j, option) & CS_JOB_HOST || cs_refused_reserve(j))
		return false;
	leave_to_host(e, j, option);
	return true;
}

static bool same_option(const struct cs_job_partition *a,
			const struct cs_job_partition *b)
{
	const uint32_t ours = CS_JOB_BLOCKED | CS_JOB_HOST;

	return a->partition == b->partition && a->nodeset == b->nodeset &&
	       a->reservation == b->reservation &&
	       (a->flags | ours) == (b->flags | ours);
}

static bool same_gpus(const struct cs_job *a, const struct cs_job *b)
{
	return a->gpus == b->gpus && a->gpus_node == b->gpus_node &&
	       a->gpu_share == b->gpu_share &&
	       !strcmp(a->gpu_type ? a->gpu_type : "",
		       b->gpu_type ? b->gpu_type : "");
}

/* Is the request the same (rule 1)? */
static bool same_wish(const struct cs_job *a, const struct cs_job *b)
{
	bool same =
		a->procs == b->procs && a->cpus_per_proc == b->cpus_per_proc &&
		a->min_nodes == b->min_nodes && a->max_nodes == b->max_nodes &&
		a->procs_per_node == b->procs_per_node &&
		a->mem_node_mb == b->mem_node_mb &&
		a->mem_cpu_mb == b->mem_cpu_mb &&
		a->least_cpus == b->least_cpus && a->threads == b->threads &&
		a->mem_threads == b->mem_threads && same_gpus(a, b) &&
		a->reservation == b->reservation && a->warn_s == b->warn_s &&
		a->wishes == b->wishes && a->estimate_us == b->estimate_us &&
		(a->flags | CS_JOB_BLOCKED) == (b->flags | CS_JOB_BLOCKED) &&
		a->n_option == b->n_option;

	for (uint32_t i = 0; same && i < a->n_option; i++)
		same = same_option(&a->option[i], &b->option[i]);
	return same;
}

void cs_refused_changed(struct cs_engine *e, struct cs_ejob *j,
			const struct cs_job *was)
{
	bool same = same_wish(&j->job, was);

	if (!same || j->job.flags & CS_JOB_BLOCKED)
		cs_forecast_drop(e, j);
	if (!same || j->job.flags & CS_JOB_BLOCKED ||
	    j->job.eligible_us != was->eligible_us)
		cs_pledge_drop(j);
	if (!same) {
		j->broken = 0;
		free(j->refusals);
		j->refusals = NULL;
	}
	for (uint32_t i = 0; j->refusals && i < j->job.n_option; i++)
		if (j->refusals[i].by_host)
			((struct cs_job_partition *)&j->job.option[i])->flags |=
				CS_JOB_HOST;
}

bool cs_refused_holds(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option)
{
	const struct cs_refusals *r = j->refusals ? &j->refusals[option] : NULL;

	if (!r || r->retry_us <= e->now_us)
		return false;
	return r->class == CS_REFUSED_TIMED || r->epoch == e->epoch ||
	       (r->class == CS_REFUSED_LIMIT && early_over(e));
}

int64_t cs_refused_ends_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	int64_t next = CS_TIME_NONE;

	for (uint32_t i = 0; j->refusals && i < j->job.n_option; i++)
		if (cs_refused_holds(e, j, i) && j->refusals[i].retry_us < next)
			next = j->refusals[i].retry_us;
	return next;
}

/* Those of this second. */
static struct cs_asks *asks_now(struct cs_engine *e)
{
	if (e->now_us - e->asks.since_us >= WINDOW_US)
		e->asks = (struct cs_asks){ .since_us = e->now_us };
	return &e->asks;
}

static bool is_early(const struct cs_engine *e, const struct cs_refusals *r)
{
	return r && r->retry_us > e->now_us;
}

void cs_refused_exact(struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option)
{
	const struct cs_refusals *r = j->refusals ? &j->refusals[option] : NULL;
	struct cs_asks *a;

	if (!is_early(e, r) || r->class != CS_REFUSED_LIMIT)
		return;
	a = asks_now(e);
	a->n++;
	a->early++;
	a->over |= early_over(e);
}

bool cs_refused_may_ask(struct cs_engine *e, struct cs_ejob *j, uint32_t option)
{
	const struct cs_refusals *r = j->refusals ? &j->refusals[option] : NULL;
	bool early = is_early(e, r);
	struct cs_asks *a = asks_now(e);
	int64_t most = e->params.host_tries;

	a->over = most && (a->n >= most || (early && early_over(e)));
	if (a->over)
		return false;
	a->n++;
	a->early += early;
	j->asked_us = a->since_us;
	j->asked_early = early;
	return true;
}

void cs_refused_unasked(struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_asks *a = &e->asks;

	if (j->asked_us != a->since_us)
		return; /* of a second that is over */
	a->n -= a->n > 0;
	a->early -= j->asked_early && a->early > 0;
}

bool cs_refused_spent(const struct cs_engine *e)
{
	return e->params.host_tries && e->asks.n >= e->params.host_tries &&
	       e->now_us - e->asks.since_us < WINDOW_US;
}

int64_t cs_refused_asks_us(const struct cs_engine *e)
{
	return e->asks.over ? e->asks.since_us + WINDOW_US : CS_TIME_NONE;
}

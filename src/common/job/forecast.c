/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Promises to jobs that the host's own test places.
 *
 * Problem.  A job that wants all devices of a node finds them free at once only by
 * chance while others want one each.  The model knows no devices but GPUs; the host can
 * say when and where the job would start.
 *
 * Rules.
 *  1. A refusal of a job of this kind (CS_JOB_HOST) brings a forecast if the job is
 *     among the first host_promises of them in the queue.
 *  2. From its start on, for the job's estimate, the nodes are kept as by an advance
 *     reservation of the host: no job starts that would still run there.  It begins no
 *     earlier than the unpacked jobs there end, beside which the host could put it by
 *     chance, and not now: it has just been refused.  Jobs ahead in the queue may use
 *     the nodes; in a plan it is a promise like others, of what jobs ahead leave
 *     (plan_promise.c).
 *  3. At its start, and after any change, the job is tried again, on these nodes too.
 *     Each refusal brings a new forecast, or ends the old one.  In between the host has
 *     not seen the change, and a plan promises the job what the model finds: else the
 *     jobs behind it would be promised what was freed.
 *  4. A job refused on the nodes kept for it BROKEN_MOST times in a row gets no
 *     forecast until its request changes.  So too a job for which the host gave no time
 *     as often, but where it is tried once more at once (refused.c, rule 6).  Both are
 *     counted apart from the others.  A refusal that is not about nodes (a limit, a
 *     time) ends the forecast, uncounted.
 *  5. If more than host_promises jobs hold one, the last in the queue loses its own.
 *  6. Behind the first host_promises of its kind a refused job has no promise by the
 *     model either, which has been wrong about it: it would keep cores from others
 *     until its turn (host_tries).  Nor has one not refused, while the host has refused
 *     its fill in this second.  They are tried on what promises leave.
 *  7. A forecast of a start at once, just after a refusal, does not count while the job
 *     may be tried in another partition.
 *  8. In a plan it is promised what the model finds for it in another partition, if that
 *     is sooner.
 *  9. A forecast of a start that may keep nothing (horizon.c) does not count.
 *
 * Differs: Zeng09 has no such jobs.  Slurm's backfill also keeps whole nodes.
 *
 * Known weakness: the host's forecast sees running jobs, not promises.
 */
#include "job/forecast.h"

#include <errno.h>
#include <stdlib.h>

#include "job/horizon.h"
#include "job/progress.h"
#include "job/refused.h"
#include "state/pass.h"

#define SOON_US CS_SECOND_US
#define BROKEN_MOST 3

bool cs_forecast_keeps_off(const struct cs_engine *e,
			   const struct cs_held_nodes *h,
			   const struct cs_entry *x)
{
	struct cs_ejob *holder = h->job ? cs_engine_job(e, h->job) : NULL;

	return holder && holder != x->job &&
	       e->order_cmp(&(struct cs_entry){ holder, h->option }, x) < 0;
}

static struct cs_held_nodes *find(const struct cs_engine *e,
				  const struct cs_ejob *j)
{
	for (uint32_t i = 0; j->forecast && i < e->n_held; i++)
		if (e->held[i].job && e->held[i].job == j->job.id)
			return &e->held[i];
	return NULL;
}

const struct cs_held_nodes *cs_forecast_of(const struct cs_engine *e,
					   const struct cs_ejob *j)
{
	return find(e, j);
}

const struct cs_held_nodes *cs_forecast_promised(const struct cs_engine *e,
						 const struct cs_ejob *j)
{
	const struct cs_held_nodes *h = find(e, j);

	return h && cs_pass_promised(e, j) && j->verdict.option != h->option &&
			       j->verdict.start_us < h->start_us
		       ? NULL
		       : h;
}

static bool given_up(const struct cs_ejob *j)
{
	return j->broken >= BROKEN_MOST;
}

uint32_t cs_forecast_count(const struct cs_ejob *j, struct cs_hosts *hosts)
{
	return given_up(j) ? hosts->given_up++ : hosts->asked++;
}

bool cs_forecast_late(const struct cs_engine *e, uint32_t before)
{
	return before >= e->params.host_promises;
}

bool cs_forecast_wanted(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t before)
{
	return !cs_forecast_late(e, before) && !given_up(j);
}

bool cs_forecast_waits(const struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, bool late)
{
	return late && !j->forecast && cs_job_flags(j, option) & CS_JOB_HOST &&
	       ((j->refusals && j->refusals[option].n) || cs_refused_spent(e));
}

static void regroup(struct cs_engine *e)
{
	for (uint32_t i = 0; i < e->n_sm; i++)
		e->sms[i].regroup = true;
	e->rescan = true;
}

void cs_forecast_drop(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_held_nodes *h = find(e, j);

	j->forecast = false;
	if (!h)
		return;
	free(h->nodes);
	*h = e->held[--e->n_held];
	e->n_forecast--;
	regroup(e);
}

int cs_forecast_check(const struct cs_engine *e, const struct cs_forecast *f,
		      struct cs_err *err)
{
	for (uint32_t i = 0; f && i < f->n; i++)
		if (f->node[i] >= e->machine->n_node)
			return cs_err_set(err, -EINVAL, "forecast: no node %u",
					  f->node[i]);
	return 0;
}

/* Rule 2: when the unpacked jobs leave node @n. */
static int64_t left_us(const struct cs_engine *e,
		       const struct cs_slice_machine *sm, uint32_t n)
{
	const struct cs_slots *on = &sm->on[n];
	int64_t last = 0;

	for (uint32_t i = 0; i < on->n; i++) {
		const struct cs_ejob *x = e->slot[on->slot[i]];
		int64_t at = cs_progress_end_us(e, x);

		if (x->hold != CS_NODE_PACKED && at > last)
			last = at;
	}
	return last;
}

static int64_t start_of(const struct cs_engine *e, const struct cs_ejob *j,
			const struct cs_forecast *f)
{
	const struct cs_slice_machine *sm = cs_sm_of(e, j);
	int64_t start = e->now_us + SOON_US;

	if (f->start_us > start)
		start = f->start_us;
	for (uint32_t i = 0; i < f->n; i++) {
		int64_t at = left_us(e, sm, f->node[i]);

		if (at > start)
			start = at;
	}
	return start;
}

/* The last in the queue that holds one. */
static struct cs_ejob *last_holder(const struct cs_engine *e)
{
	struct cs_ejob *last = NULL;

	for (uint32_t i = 0; i < e->n_held; i++) {
		struct cs_ejob *j = e->held[i].job
					    ? cs_engine_job(e, e->held[i].job)
					    : NULL;

		if (j &&
		    (!last || e->order_cmp(&(struct cs_entry){ j, 0 },
					   &(struct cs_entry){ last, 0 }) > 0))
			last = j;
	}
	return last;
}

/* Room for one more.  False: no memory. */
static bool reserve(struct cs_engine *e)
{
	void *p = realloc(e->held, (e->n_held + 1) * sizeof(*e->held));

	if (p)
		e->held = p;
	return p != NULL;
}

bool cs_forecast_elsewhere(const struct cs_engine *e, const struct cs_ejob *j,
			   uint32_t option)
{
	for (uint32_t o = 0; o < j->job.n_option; o++)
		if (o != option && !(cs_job_flags(j, o) & CS_JOB_BLOCKED) &&
		    !cs_refused_holds(e, j, o))
			return true;
	return false;
}

void cs_forecast_take(struct cs_engine *e, struct cs_ejob *j, uint32_t option,
		      enum cs_refused class, const struct cs_forecast *f)
{
	const struct cs_held_nodes *was = find(e, j);
	bool came = was && was->start_us <= e->now_us;
	bool none = j->asked && !f && !j->asked_beside;
	uint64_t *nodes = NULL;
	int64_t start_us;

	if (class == CS_REFUSED_PLACE)
		j->broken += came || none;
	j->asked = false;
	cs_forecast_drop(e, j);
	if (!f || !f->n || !reserve(e))
		return;
	start_us = start_of(e, j, f);
	if (start_us <= e->now_us + SOON_US &&
	    cs_forecast_elsewhere(e, j, option))
		return; /* rule 7 */
	if (!cs_horizon_keeps(e, j, option, start_us))
		return; /* rule 9 */
	nodes = calloc(cs_node_words(e->machine), sizeof(*nodes));
	if (!nodes)
		return;
	for (uint32_t i = 0; i < f->n; i++)
		cs_bit_set(nodes, f->node[i]);
	e->held[e->n_held++] = (struct cs_held_nodes){
		.job = j->job.id,
		.option = option,
		.nodes = nodes,
		.start_us = start_us,
		.end_us = start_us + j->job.estimate_us,
	};
	j->forecast = true;
	if (++e->n_forecast > e->params.host_promises)
		cs_forecast_drop(e, last_holder(e));
	regroup(e);
}

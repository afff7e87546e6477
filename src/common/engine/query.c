/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries to the engine: lists, figures, predictions.  They change nothing.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/backfill.h"
#include "backfill/easy.h"
#include "job/alone.h"
#include "job/forecast.h"
#include "job/crossing.h"
#include "job/lesson.h"
#include "job/limit.h"
#include "learn/crossed.h"
#include "order/shifted.h"
#include "job/oversub.h"
#include "job/progress.h"
#include "job/refused.h"
#include "state/pass.h"

int64_t cs_engine_as_of(struct cs_engine *e, int64_t now_us)
{
	int64_t before_us = e->now_us;

	if (now_us > before_us)
		e->now_us = now_us;
	return before_us;
}

void cs_engine_asked(struct cs_engine *e, int64_t before_us)
{
	e->now_us = before_us;
}

bool cs_engine_limit_due(const struct cs_engine *e, size_t *at,
			 struct cs_action *ret)
{
	return cs_limit_due(e, at, ret);
}

int cs_engine_promised(const struct cs_engine *e, uint32_t job_id,
		       int64_t *ret_est_us, int64_t *ret_max_us)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);

	if (!j || !j->est_us)
		return -ENOENT;
	*ret_est_us = j->est_us;
	*ret_max_us = j->max_us;
	return 0;
}

int cs_engine_running(const struct cs_engine *e, uint32_t job_id,
		      struct cs_running *ret)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);

	if (!j || j->state == CS_WAITING || j->state == CS_PROPOSED)
		return -ENOENT;
	*ret = (struct cs_running){
		.job_id = j->job.id,
		.array_id = j->job.array_id,
		.group = j->group,
		.role = j->role,
		.partner_id = j->partner_id,
		.slowdown = j->slowdown,
		.beside = j->co_slowdown * j->cores_slow,
		.waits = cs_oversub_waits(e, j),
		.eligible_us = j->job.eligible_us,
		.start_us = j->start_us,
		.from_us = j->from_us,
		.limit_us = j->limit_us,
		.floor_us = j->floor_us,
		.done_us = j->done_us,
		.ran_us = j->ran_us,
		.at_us = j->at_us,
		.estimate_us = j->job.estimate_us,
		.end_us = cs_progress_end_us(e, j),
		.suspended = j->state != CS_RUNNING,
		.resized = j->resized,
		.stopped = j->state == CS_STOPPED,
		.profile = j->profile,
		.class = j->class,
		.keeps = j->keeps || j->state == CS_STOPPED,
		.packed =
			(j->whole ? j->whole_hold : j->hold) == CS_NODE_PACKED,
		.alloc = j->whole ? j->whole : j->alloc,
	};
	return 0;
}

int64_t cs_engine_latest_us(const struct cs_engine *e, uint32_t job_id)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);

	if (!j || j->state == CS_WAITING || j->state == CS_PROPOSED)
		return CS_TIME_NONE;
	return cs_progress_host_us(e, j, cs_progress_latest_us(e, j));
}

int cs_engine_slice(const struct cs_engine *e, struct cs_slice_now *ret)
{
	return cs_ask(e->slice, now, -ENOENT, e, ret);
}

int cs_engine_slot(const struct cs_engine *e, uint32_t slot,
		   struct cs_slot_now *ret)
{
	return cs_ask(e->slice, slot, -ENOENT, e, slot, ret);
}

int64_t cs_engine_again_us(const struct cs_engine *e, uint32_t job_id)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);

	return j ? cs_ask(e->slice, again_us, CS_TIME_NONE, e, j)
		 : CS_TIME_NONE;
}

uint32_t cs_engine_class(const struct cs_engine *e, uint32_t job_id)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);

	return j ? j->class : CS_CLASSES;
}

int64_t cs_engine_predicted_start_us(const struct cs_engine *e, uint32_t job_id,
				     const uint64_t **ret_nodes)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	bool head = j && j->state == CS_WAITING && cs_pass_promised(e, j);
	const struct cs_held_nodes *kept =
		j ? cs_forecast_promised(e, j) : NULL;
	uint32_t option;

	if (kept && ret_nodes)
		*ret_nodes = kept->nodes;
	if (kept)
		return kept->start_us;
	if (ret_nodes)
		*ret_nodes = head ? cs_backfill_nodes(e, j) : NULL;
	if (j && j->state == CS_WAITING &&
	    (cs_pass_why(e, j) == CS_WHY_BEHIND ||
	     cs_pass_why(e, j) == CS_WHY_NEW))
		return cs_backfill_planned_us(e, j, &option);
	return head || (j && j->state == CS_WAITING &&
			cs_pass_why(e, j) == CS_WHY_FAR && !j->verdict.bound)
		       ? j->verdict.start_us
		       : CS_TIME_NONE;
}

int64_t cs_engine_host_start_us(const struct cs_engine *e, uint32_t job_id,
				const uint64_t **ret_nodes)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	int64_t start_us = cs_engine_predicted_start_us(e, job_id, ret_nodes);

	return j ? cs_progress_host_start_us(e, j, start_us) : start_us;
}

int64_t cs_engine_wants_from_us(const struct cs_engine *e, uint32_t job_id)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	int64_t start_us = cs_engine_predicted_start_us(e, job_id, NULL);
	enum cs_why why;

	if (!j || j->state != CS_WAITING)
		return CS_TIME_NONE;
	why = cs_pass_why(e, j);
	if (why == CS_WHY_FAR)
		return CS_TIME_NONE;
	if (start_us != CS_TIME_NONE)
		return start_us;
	return why == CS_WHY_BEHIND || why == CS_WHY_NEVER ? CS_TIME_NONE : 0;
}

bool cs_engine_came_to(const struct cs_engine *e, uint32_t job_id)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	enum cs_why why;

	if (!j || j->state != CS_WAITING)
		return false;
	why = cs_pass_why(e, j);
	return why != CS_WHY_NEW && why != CS_WHY_DEPTH && why != CS_WHY_ROUND;
}

bool cs_engine_could_run(const struct cs_engine *e, uint32_t job_id)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	bool could = !j;

	for (uint32_t i = 0; j && !could && i < j->job.n_option; i++)
		could = (cs_job_flags(j, i) & CS_JOB_HOST &&
			 !cs_refused_left(j, i)) ||
			cs_alone_ever(e, j, i);
	return could;
}

size_t cs_engine_save(const struct cs_engine *e, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };

	cs_campaign_keep(e, &t);
	cs_shifted_keep(e, &t);
	cs_lesson_write(e, &t);
	cs_crossing_write(e, &t);
	return cs_textbuf_end(&t);
}

void cs_engine_stats(const struct cs_engine *e, struct cs_engine_stats *ret)
{
	uint32_t last = 0;

	*ret = (struct cs_engine_stats){
		.decides = e->decides,
		.starts = e->starts,
		.pairs = e->pairs,
		.searches = e->searches,
		.pledges = e->pledges,
		.refusals = e->refusals,
		.reservations = e->reservations,
	};
	ret->learned = cs_lesson_now(e);
	for (size_t i = 0; i < e->waiting.n; i++)
		ret->waiting += e->waiting.job[i]->job.tasks;
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		ret->running += j->state == CS_RUNNING;
		ret->suspended +=
			j->state == CS_SUSPENDED || j->state == CS_STOPPED;
		/* one member is primary, but for groups of a restart */
		ret->groups += j->role == CS_ROLE_PRIMARY && j->group != last;
		last = j->role == CS_ROLE_PRIMARY ? j->group : last;
	}
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		struct cs_node_now now = cs_engine_node(e, n);

		if (!now.up)
			continue;
		ret->cores += now.cores;
		ret->cores_used += now.used;
	}
}

/* The jobs that run on node @n, and their cores, on all slice machines: a stopped job
 * holds its cores on its own, but nobody runs there. */
static void count_running(const struct cs_engine *e, uint32_t n,
			  struct cs_node_now *ret)
{
	uint32_t words = e->machine->words;

	for (uint32_t w = 0; w < words; w++) {
		uint64_t used = 0;

		for (uint32_t i = 0; i < e->n_sm; i++) {
			const struct cs_slots *on = &e->sms[i].on[n];

			for (uint32_t k = 0; k < on->n; k++) {
				const struct cs_ejob *j = e->slot[on->slot[k]];

				if (j->state == CS_STOPPED ||
				    j->state == CS_SUSPENDED)
					continue;
				used |= cs_alloc_cores_on(j->alloc, n)[w];
				ret->jobs += !w;
			}
		}
		ret->used += cs_popcount(used);
	}
}

int cs_engine_broken(const struct cs_engine *e, char *buf, size_t size)
{
	return cs_lesson_broken(e, buf, size);
}

struct cs_node_now cs_engine_node(const struct cs_engine *e, uint32_t n)
{
	const struct cs_occ *o = &e->sm->now;
	uint32_t cores = cs_node_cores(&e->machine->node[n]);
	const struct cs_gpus *gpus = e->machine->node[n].gpus;
	struct cs_node_now now = { .cores = cores, .up = !cs_bit(o->down, n) };

	if (gpus) {
		now.gpus = gpus->n;
		now.gpus_used = cs_popcount(cs_occ_gpus(o, n));
	}
	if (e->n_sm > 1) {
		count_running(e, n, &now);
	} else {
		now.used = cores - o->node[n].free_cores;
		now.jobs = cs_occ_jobs(&o->node[n]);
	}
	return now;
}

struct cs_engine_use cs_engine_use(const struct cs_engine *e)
{
	struct cs_engine_use use = {
		.cores = e->sm->now.used_cores,
		.nodes = e->sm->now.used_nodes,
		.waiting = (uint32_t)e->waiting.n,
	};

	cs_tell(e->slice, use, e, &use);
	return use;
}

static int by_id(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

size_t cs_engine_list(const struct cs_engine *e, bool running, uint32_t *id,
		      size_t n)
{
	const struct cs_list *l = running ? &e->started : &e->waiting;
	uint32_t *all = calloc(l->n + 1, sizeof(*all));
	size_t k = 0;

	for (size_t i = 0; all && i < l->n; i++)
		if (l->job[i]->job.id)
			all[k++] = l->job[i]->job.id;
	if (all)
		qsort(all, k, sizeof(*all), by_id);
	for (size_t i = 0; all && i < k && i < n; i++)
		id[i] = all[i];
	free(all);
	return k;
}

bool cs_engine_crossed(const struct cs_engine *e, uint32_t *at,
		       struct cs_crossed_now *ret)
{
	uint32_t n = e->crossed ? e->crossed->n : 0;
	double p;

	while (*at < n && !cs_crossing_learned(e, *at, &p))
		++*at;
	if (*at >= n)
		return false;
	*ret = (struct cs_crossed_now){ .kind = &e->crossed->kind[(*at)++],
					.across = p };
	return true;
}

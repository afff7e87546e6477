/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The current state as events, after the header of a log opened while the engine runs.
 * A new engine's log has everything after its header.
 */
#include "sched/feed/log_state.h"

#include <stdlib.h>
#include <string.h>

#include "common/slice/slice.h"
#include "sched/feed/feed_event.h"
#include "sched/view/view_table.h"

static void log_suspend(struct cs_adapter *b, const struct cs_known_job *k,
			bool keeps)
{
	const struct cs_event ev = {
		.type = CS_EV_SUSPEND,
		.t_us = b->now_us,
		.keeps = keeps,
		.job_id = k->id,
	};

	cs_feed_log_event(b, &ev, NULL);
}

/* The start has what it holds now: for the reader it is of a changed size, too. */
static void log_resize(struct cs_adapter *b, const struct cs_running *r)
{
	const struct cs_event ev = {
		.type = CS_EV_RESIZE,
		.t_us = b->now_us,
		.resize = { .job_id = r->job_id, .alloc = r->alloc },
	};

	cs_feed_log_event(b, &ev, NULL);
}

/* Does it wait for cores that others of its slices have (lifecycle/keepers.c)? */
static bool waits_for_cores(const struct cs_adapter *b,
			    const struct cs_running *r)
{
	return cs_slice_choose(&b->params)->stops && r->keeps && !r->stopped;
}

static void log_job(struct cs_adapter *b, struct cs_known_job *k)
{
	struct cs_feed_store store;
	struct cs_running r;
	struct cs_started s;
	struct cs_job job;
	struct cs_event ev = {
		.type = CS_EV_SUBMIT,
		.t_us = b->now_us,
		.job = &job,
	};

	if (k->ghost || !k->bytes || cs_feed_job(b, k, &store, &job))
		return;
	if (k->state != CS_VIEW_WAITING)
		job.estimate_us = k->estimate_us;
	cs_feed_log_event(b, &ev, NULL);
	if (k->state == CS_VIEW_WAITING ||
	    cs_engine_running(b->engine, k->id, &r))
		return;
	s = (struct cs_started){
		.job_id = k->id,
		.array_id = k->array_id,
		.option = k->option,
		.start_us = r.start_us,
		.from_us = r.from_us,
		.limit_us = r.limit_us,
		.packed = r.packed,
		.alloc = r.alloc,
		.group = r.group,
		.role = r.role,
		.done_us = r.done_us,
		/* else for the reader it runs until the suspend below */
		.at_us = k->state == CS_VIEW_SUSPENDED ? b->now_us : r.at_us,
		.ran_us = r.ran_us,
		.slowdown = r.slowdown,
		.floor_us = r.floor_us,
	};
	ev.type = CS_EV_STARTED;
	ev.start = &s;
	cs_feed_log_event(b, &ev, NULL);
	if (r.resized)
		log_resize(b, &r);
	if (k->state == CS_VIEW_SUSPENDED)
		log_suspend(b, k, r.keeps && !waits_for_cores(b, &r));
}

static void log_down(struct cs_adapter *b)
{
	const struct cs_machine *m = cs_engine_machine(b->engine);

	for (uint32_t n = 0; n < m->n_node; n++) {
		struct cs_event ev = {
			.type = CS_EV_NODE,
			.t_us = b->now_us,
			.node = { .index = n, .why = "not available" },
		};

		if (!cs_bit(b->told.up, n) && !cs_node_vacant(&m->node[n]))
			cs_feed_log_event(b, &ev, NULL);
	}
}

/* As in the engine: the log's reader gets the same. */
static void log_reservation(struct cs_adapter *b, const struct cs_view_resv *of,
			    const uint64_t *set)
{
	uint32_t n_node = b->view->machine->n_node;
	uint32_t *node = calloc(n_node, sizeof(*node));
	struct cs_reservation r = {
		.id = of->id,
		.node = node,
		.start_us = of->start_us,
		.end_us = of->end_us,
		.flags = of->flags,
		.delay_s = of->delay_s,
		.cores = of->cores,
	};
	struct cs_event ev = {
		.type = CS_EV_RESERVATION,
		.t_us = b->now_us,
		.reservation = &r,
	};

	for (uint32_t k = 0; node && set && k < n_node; k++)
		if (cs_bit(set, k))
			node[r.n++] = k;
	if (r.n)
		cs_feed_log_event(b, &ev, NULL);
	free(node);
}

/* Nodes for no job: feed.c, keep_off(). */
static void log_kept_off(struct cs_adapter *b, uint32_t id, const uint64_t *set,
			 int64_t until_us)
{
	struct cs_view_resv kept = cs_feed_kept_off(b, id, until_us);

	log_reservation(b, &kept, set);
}

static void log_reservations(struct cs_adapter *b)
{
	for (uint32_t i = 0; i < b->told.n_resv; i++)
		log_reservation(
			b, &b->told.resv[i],
			cs_view_set_words(b->view->sets, b->told.resv[i].set));
	log_kept_off(b, CS_FEED_UNREADY, b->told.unready, b->told.unready_us);
	log_kept_off(b, CS_FEED_REBOOTING, b->told.rebooting,
		     b->told.rebooting_us);
	log_kept_off(b, CS_FEED_HAUNTED, b->told.haunted, b->told.haunted_us);
}

/* Suspended jobs come first: see feed.c, rule 1.  Those that wait for cores do so once
 * all that have some are there. */
static int by_id(const void *x, const void *y)
{
	const struct cs_known_job *a = *(struct cs_known_job *const *)x;
	const struct cs_known_job *b = *(struct cs_known_job *const *)y;
	bool stopped = a->state == CS_VIEW_SUSPENDED;

	if (stopped != (b->state == CS_VIEW_SUSPENDED))
		return stopped ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void log_jobs(struct cs_adapter *b)
{
	struct cs_known_job **list;
	uint32_t n = b->known.n;

	list = n ? malloc(n * sizeof(struct cs_known_job *)) : NULL;
	if (!list)
		return;
	memcpy(list, b->known.list, n * sizeof(*list));
	qsort(list, n, sizeof(struct cs_known_job *), by_id);
	for (uint32_t i = 0; i < n; i++)
		log_job(b, list[i]);
	for (uint32_t i = 0; i < n; i++) {
		struct cs_running r;

		if (list[i]->state == CS_VIEW_SUSPENDED &&
		    !cs_engine_running(b->engine, list[i]->id, &r) &&
		    waits_for_cores(b, &r))
			log_suspend(b, list[i], true);
	}
	free(list);
}

void cs_feed_log_state(struct cs_adapter *b, bool ended)
{
	struct cs_event tick = { .type = CS_EV_TICK, .t_us = b->now_us };

	if (!b->log)
		return;
	log_down(b);
	log_reservations(b);
	cs_checkpoint_log(b);
	log_jobs(b);
	if (ended)
		cs_feed_log_event(b, &tick, NULL);
}

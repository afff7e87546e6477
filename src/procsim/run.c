/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run: the world is made, its events are taken one by one, and what happened is summed
 * up.
 *
 * The horizon is `horizon` times the last arrival and the time in which all nodes could do
 * the work.  A scheme that reaches it is capped, which the result says: its means are
 * lower bounds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "procsim/allocator.h"
#include "procsim/cpu.h"
#include "procsim/network.h"
#include "procsim/periodic.h"
#include "procsim/process.h"
#include "procsim/procsim.h"
#include "procsim/rows.h"

/* ---------------------------------------------------------------- the world */

static int make_node(const struct cs_world *w, struct cs_world_node *n,
		     uint32_t id)
{
	n->id = id;
	n->slot = calloc(w->mpl, sizeof(*n->slot));
	if (!n->slot)
		return -ENOMEM;
	cs_ts_init(&n->ready);
	cs_proc_node_init(&n->measure, w->set.weight, 0);
	return cs_scheme_reorders(w->scheme)
		       ? cs_proc_tables_init(&n->tables, w->n_node, w->mpl)
		       : 0;
}

static void make_job(struct cs_world *w, const struct cs_procsim *ask,
		     uint32_t id, uint32_t first)
{
	struct cs_world_job *j = &w->job[id];

	j->mix = ask->job[id];
	j->first = first;
	j->start_ns = j->end_ns = -1;
	for (uint32_t r = 0; r < j->mix.size; r++) {
		struct cs_process *p = &w->process[first + r];

		p->id = first + r;
		p->job = id;
		p->rank = r;
		p->state = CS_STATE_BLOCKED;
		cs_rng_init(&p->rng, ask->seed, 16 + (uint64_t)p->id);
	}
	cs_world_at(w, j->mix.arrive_ns, CS_WORLD_ARRIVAL, 0, id);
}

/* The least latency of a message. */
static int64_t least_latency_ns(const struct cs_world *w)
{
	int64_t least = INT64_MAX;

	for (uint32_t i = 0; i < w->n_job; i++) {
		const struct cs_mix_job *j = &w->job[i].mix;

		for (uint32_t loop = 0; !loop || loop < j->n_cycle; loop++)
			if (cs_world_latency_ns(w, j, loop) < least)
				least = cs_world_latency_ns(w, j, loop);
	}
	return least;
}

static int make(struct cs_world *w, const struct cs_procsim *ask)
{
	const struct cs_setting *set = ask->set;
	uint32_t first = 0;
	int rc = 0;

	w->set = *set;
	w->scheme = ask->scheme;
	w->mpl = w->scheme->space == CS_SPACE_ALONE ? 1 : (uint32_t)set->mpl;
	w->latency_ns = cs_mix_latency_ns(set, set->message_bytes);
	w->spin_ns = cs_setting_ns(set->spin_us);
	w->switch_ns = cs_setting_ns(set->switch_us);
	w->n_node = (uint32_t)set->nodes;
	w->n_job = (uint32_t)set->jobs;
	w->message_free = UINT32_MAX;
	w->events = ask->events;
	cs_rng_init(&w->rng, ask->seed, 2);
	for (uint32_t i = 0; i < w->n_job; i++)
		w->n_process += ask->job[i].size;
	w->node = calloc(w->n_node, sizeof(*w->node));
	w->job = calloc(w->n_job, sizeof(*w->job));
	w->process = calloc(w->n_process, sizeof(*w->process));
	w->oracle = calloc(w->n_node, sizeof(*w->oracle));
	if (!w->node || !w->job || !w->process || !w->oracle)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < w->n_node; i++)
		rc = make_node(w, &w->node[i], i);
	for (uint32_t i = 0; !rc && i < w->n_job; i++) {
		make_job(w, ask, i, first);
		first += ask->job[i].size;
	}
	return rc ? rc : w->rc;
}

static void done(struct cs_world *w)
{
	for (uint32_t i = 0; w->node && i < w->n_node; i++) {
		free(w->node[i].slot);
		cs_proc_tables_done(&w->node[i].tables);
	}
	for (uint32_t i = 0; w->process && i < w->n_process; i++)
		free(w->process[i].mail);
	cs_event_queue_done(&w->queue);
	free(w->node);
	free(w->job);
	free(w->process);
	free(w->oracle);
	free(w->message);
	free(w->pending);
}

/* --------------------------------------------------------------- the events */

static void handle(struct cs_world *w, const struct cs_queued_event *e)
{
	struct cs_world_node *n = &w->node[e->node];

	switch ((enum cs_world_event)e->kind) {
	case CS_WORLD_ARRIVAL:
		cs_allocator_arrive(w, e->about);
		return;
	case CS_WORLD_BURST:
		if (n->current && e->about == n->timer)
			cs_cpu_burst(w, n);
		return;
	case CS_WORLD_IO:
		cs_network_interrupt(w, &w->process[e->about], true);
		return;
	case CS_WORLD_SENT:
		cs_network_sent(w, &w->process[e->about]);
		return;
	case CS_WORLD_MESSAGE:
		cs_network_arrive(w, n, e->about);
		return;
	case CS_WORLD_INTERRUPT:
		cs_network_served(w, &w->process[e->about]);
		return;
	case CS_WORLD_PERIOD:
		cs_periodic_run(w, n);
		return;
	case CS_WORLD_STARVED:
		cs_cpu_starved(w, n);
		return;
	case CS_WORLD_ROWS:
		cs_rows_turn(w);
		return;
	}
}

/* No sum over nodes or processes may overflow, and a process that spins for ever must not
 * come to an end before. */
static double horizon_most(const struct cs_world *w)
{
	double most_ns = 4e18 / w->n_node / w->mpl;

	return most_ns < 1e18 ? most_ns : 1e18;
}

static int64_t horizon_of(const struct cs_world *w)
{
	double work_ns = 0, last_ns = 0, most_ns = horizon_most(w);

	for (uint32_t i = 0; i < w->n_job; i++) {
		work_ns += (double)w->job[i].mix.alone_ns * w->job[i].mix.size;
		last_ns = (double)w->job[i].mix.arrive_ns;
	}
	last_ns = w->set.horizon * (last_ns + work_ns / w->n_node);
	return (int64_t)(last_ns < most_ns ? last_ns : most_ns);
}

/* Take events until all jobs have ended.  True: the horizon was reached. */
static bool take_events(struct cs_world *w)
{
	int64_t horizon_ns = horizon_of(w);

	while (!w->rc && w->ended < w->n_job) {
		struct cs_queued_event e = { .at_ns = INT64_MAX };

		if (w->queue.n)
			e = cs_event_queue_take(&w->queue);
		if (e.at_ns > horizon_ns) {
			w->now_ns = horizon_ns;
			return true;
		}
		w->n_event++;
		w->now_ns = e.at_ns;
		handle(w, &e);
	}
	return false;
}

/* --------------------------------------------------------------- the result */

static void sum_jobs(const struct cs_world *w, struct cs_procsim_result *r)
{
	uint32_t drop = (uint32_t)(w->n_job * w->set.drop / 100);
	double response_ns = 0, wait_ns = 0;

	for (uint32_t i = drop; i < w->n_job - drop; i++) {
		const struct cs_world_job *j = &w->job[i];
		int64_t start_ns = j->start_ns < 0 ? w->now_ns : j->start_ns;
		int64_t end_ns = j->end_ns < 0 ? w->now_ns : j->end_ns;

		wait_ns += (double)(start_ns - j->mix.arrive_ns);
		response_ns += (double)(end_ns - j->mix.arrive_ns);
		r->n_mean++;
	}
	r->response_s = response_ns / r->n_mean / 1e9;
	r->wait_s = wait_ns / r->n_mean / 1e9;
	r->execution_s = r->response_s - r->wait_s;
	r->n_ended = w->ended;
	r->makespan_s = (double)w->now_ns / 1e9;
	r->throughput = r->makespan_s > 0 ? w->ended / r->makespan_s : 0;
}

static void sum_slowdowns(const struct cs_world *w, struct cs_procsim_result *r)
{
	uint32_t n[CS_MIX_TYPES] = { 0 };

	for (uint32_t i = 0; i < w->n_job; i++) {
		const struct cs_world_job *j = &w->job[i];

		if (j->end_ns < 0 || j->mix.alone_ns <= 0)
			continue;
		n[j->mix.type]++;
		r->slowdown[j->mix.type] += (double)(j->end_ns - j->start_ns) /
					    (double)j->mix.alone_ns;
	}
	for (unsigned t = 0; t < CS_MIX_TYPES; t++)
		r->slowdown[t] = n[t] ? r->slowdown[t] / n[t] : -1;
}

static void sum_ratios(const struct cs_world *w, struct cs_procsim_result *r)
{
	struct cs_proc_counts all = { 0 };
	uint32_t n_bcr = 0, n_fdr = 0;
	double bcr = 0, fdr = 0;

	for (uint32_t i = 0; i < w->n_node; i++) {
		const struct cs_proc_counts *c = &w->node[i].counts;

		all.switches += c->switches;
		all.conflicts += c->conflicts;
		all.falses += c->falses;
		bcr += cs_proc_counts_bcr(c);
		fdr += cs_proc_counts_fdr(c);
		n_bcr += c->switches > 0;
		n_fdr += c->conflicts > 0;
	}
	r->switches = all.switches;
	r->conflicts = all.conflicts;
	r->falses = all.falses;
	r->bcr = r->fdr = -1;
	if (w->scheme->space != CS_SPACE_SHARED)
		return;
	if (w->set.averages == CS_AVERAGES_SUMS) {
		bcr = cs_proc_counts_bcr(&all);
		fdr = cs_proc_counts_fdr(&all);
		n_bcr = n_bcr > 0;
		n_fdr = n_fdr > 0;
	}
	if (n_bcr)
		r->bcr = bcr / n_bcr;
	if (n_fdr)
		r->fdr = fdr / n_fdr;
}

static void sum_times(struct cs_world *w, struct cs_procsim_result *r)
{
	for (uint32_t i = 0; i < w->n_node; i++)
		cs_cpu_settle(w, &w->node[i]);
	r->compute_s = (double)w->time_ns[CS_TIME_COMPUTE] / 1e9;
	r->communicate_s = (double)w->time_ns[CS_TIME_COMMUNICATE] / 1e9;
	r->spin_s = (double)w->time_ns[CS_TIME_SPIN] / 1e9;
	r->switch_s = (double)w->time_ns[CS_TIME_SWITCH] / 1e9;
	r->overhead_s = (double)w->time_ns[CS_TIME_OVERHEAD] / 1e9;
	r->idle_s = (double)w->time_ns[CS_TIME_IDLE] / 1e9;
	r->empty_s = (double)w->time_ns[CS_TIME_EMPTY] / 1e9;
	r->blocked_s = (double)w->blocked_ns / 1e9;
	r->events = w->n_event;
}

int cs_procsim_run(const struct cs_procsim *ask, struct cs_procsim_result *ret,
		   struct cs_err *err)
{
	struct cs_procsim_result r = { 0 };
	struct cs_world w = { 0 };
	int rc = make(&w, ask);

	if (!rc) {
		cs_world_note(&w, "H %u %u %" PRId64 " %" PRId64 "\n", w.n_node,
			      w.mpl, least_latency_ns(&w),
			      cs_setting_ns(w.set.starvation_s * 1e6));
		r.capped = take_events(&w);
		if (r.capped)
			cs_world_note(&w, "C %" PRId64 "\n", w.now_ns);
		rc = w.rc;
	}
	if (!rc && ask->events && ferror(ask->events))
		rc = -EIO;
	if (!rc) {
		sum_jobs(&w, &r);
		sum_slowdowns(&w, &r);
		sum_ratios(&w, &r);
		sum_times(&w, &r);
		*ret = r;
	}
	done(&w);
	return rc ? cs_err_set(err, rc,
			       rc == -EIO ? "cannot write the events"
					  : "no memory for the simulation")
		  : 0;
}

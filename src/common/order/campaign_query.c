/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries about campaigns: listings, and the state that outlives a restart. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/textbuf.h"
#include "job/progress.h"
#include "order/campaign.h"
#include "order/campaign_query.h"
#include "order/campaign_rank.h"
#include "order/campaign_work.h"
#include "state/state.h"

/* ---- state --------------------------------------------------------------- */

/* A proposed task goes by its array. */
static uint32_t id_of(const struct cs_ejob *j)
{
	return j->job.id ? j->job.id : j->master;
}

/* An array before its tasks. */
static int by_id(const void *x, const void *y)
{
	const struct cs_ejob *a = *(struct cs_ejob *const *)x;
	const struct cs_ejob *b = *(struct cs_ejob *const *)y;

	if (id_of(a) != id_of(b))
		return id_of(a) < id_of(b) ? -1 : 1;
	return -cs_ejob_cmp(a, b);
}

/* Append the list's jobs in campaigns to the @n of @all. */
static size_t collect(const struct cs_list *l, struct cs_ejob **all, size_t n)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->job[i]->campaign)
			all[n++] = l->job[i];
	return n;
}

/* Work that @j has done by now. */
static cs_u128 done_of(const struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_ejob at = *j;
	cs_u128 done;

	if (j->state == CS_WAITING || j->state == CS_PROPOSED)
		return 0;
	cs_progress_bring(&at, e->now_us);
	done = (cs_u128)cs_campaign_cores_of(e, j) *
	       (cs_u128)(at.done_us > 0 ? at.done_us : 0);
	return done < j->work ? done : j->work;
}

static void add_job(const struct cs_engine *e, const struct cs_ejob *j,
		    cs_u128 work, struct cs_textbuf *t)
{
	cs_u128 done = done_of(e, j);

	cs_textbuf_print(t, "job %" PRIu32 " %" PRIu64 " %" PRIx64 " %" PRIx64,
			 j->job.id, j->campaign->seq, (uint64_t)(work >> 64),
			 (uint64_t)work);
	if (done)
		cs_textbuf_print(t, " %" PRIx64 " %" PRIx64,
				 (uint64_t)(done >> 64), (uint64_t)done);
	cs_textbuf_print(t, "\n");
}

static void add_jobs(const struct cs_engine *e, struct cs_textbuf *t)
{
	size_t n = 0;
	struct cs_ejob **all = calloc(e->waiting.n + e->started.n + 1,
				      sizeof(struct cs_ejob *));

	if (!all)
		return; /* without them their campaigns only end virtually */
	n = collect(&e->waiting, all, n);
	n = collect(&e->started, all, n);
	qsort(all, n, sizeof(struct cs_ejob *), by_id);
	for (size_t i = 0, to; i < n; i = to) {
		cs_u128 work = all[i]->work;

		/* whether a proposed task starts is unknown: saved, it waits with its
		 * array */
		for (to = i + 1; to < n && id_of(all[to]) == id_of(all[i]);
		     to++)
			work += all[to]->work;
		if (all[i]->job.id)
			add_job(e, all[i], work, t);
	}
	free(all);
}

/* One p for all campaigns: a restart brings no bound forward. */
static void add_longest(const struct cs_engine *e, struct cs_textbuf *t)
{
	const struct cs_ostrich *o = cs_campaign_schedule(e);
	int64_t us = e->campaigns->longest_us;

	for (struct cs_ostrich_user *u = o->first; u; u = u->next)
		for (struct cs_campaign *c = u->first; c; c = c->next)
			us = c->longest_us > us ? c->longest_us : us;
	if (us)
		cs_textbuf_print(t, "longest %" PRId64 "\n", us);
}

void cs_campaign_keep(const struct cs_engine *e, struct cs_textbuf *t)
{
	struct cs_ostrich_walk walk = { 0 };
	char line[CS_OSTRICH_LINE];

	if (!cs_campaign_schedule(e))
		return;
	while (cs_ostrich_print(cs_campaign_schedule(e), &walk, line))
		cs_textbuf_print(t, "%s\n", line);
	add_longest(e, t);
	add_jobs(e, t);
}

/* ---- listings ------------------------------------------------------------- */

int64_t cs_campaign_ranked(struct cs_engine *e, uint32_t *id, size_t n)
{
	struct cs_entry *x;
	size_t all = 0;

	if (!cs_campaign_schedule(e))
		return 0;
	x = calloc(e->waiting.n + 1, sizeof(*x));
	if (!x)
		return -1;
	cs_campaign_clock(e);
	e->rescan |= cs_campaign_refresh(e);
	for (size_t i = 0; i < e->waiting.n; i++)
		if (e->waiting.job[i]->job.id)
			x[all++].job = e->waiting.job[i];
	if (n)
		cs_order_rank(e, x, all);
	for (size_t i = 0; i < all && i < n; i++)
		id[i] = x[i].job->job.id;
	free(x);
	return (int64_t)all;
}

uint32_t cs_campaign_active_users(const struct cs_engine *e)
{
	return cs_campaign_schedule(e) ? cs_campaign_schedule(e)->active : 0;
}

/*
 * The real end.  A campaign without waiting jobs ends with its last running one.  Until
 * the last waiting job of another, which has begun virtually, starts, all m processors
 * work on running jobs or on jobs waiting in campaigns with no later virtual end: let W
 * core seconds be left of all of them, and p be its longest waiting job.  A job of that
 * length that starts last ends by
 *
 *	now + (W - p) / m + p						(1)
 *
 * at the latest, a shorter one earlier, if no job is submitted and jobs use their
 * limits: proved, like the bound, for jobs of one processor and order=ostrich.  For a
 * campaign that waits virtually it is unknown: those that end later may go first until
 * it begins, and under campaign_hold=strict processors may idle.
 */
struct entry { /* of a listing */
	const struct cs_campaign *campaign;
	uint32_t waiting, running;
	double waiting_s, running_s; /* core seconds left */
	int64_t longest_us;
	int64_t longest_waiting_us;
	int64_t last_end_us; /* of running jobs; 0: none */
	int64_t ended_us;    /* virtual end */
	double ahead_s;	     /* W of eq. (1) */
};

/* The current order, which the queue has from the next decide on. */
static int cmp(const struct cs_campaign *a, const struct cs_campaign *b)
{
	bool x = a->state == CS_CAMPAIGN_WAITS,
	     y = b->state == CS_CAMPAIGN_WAITS;

	if (x != y)
		return x ? 1 : -1;
	if (a->finish != b->finish)
		return a->finish < b->finish ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static int by_rank(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	return cmp(a->campaign, b->campaign);
}

static double seconds(cs_u128 work)
{
	return (double)work / 1e6;
}

static int64_t longer(int64_t a_us, int64_t b_us)
{
	return a_us > b_us ? a_us : b_us;
}

static void count(const struct cs_engine *e, const struct cs_ejob *j,
		  struct entry *x)
{
	struct cs_ejob at = *j;
	double left_s;
	int64_t left;

	cs_progress_bring(&at, e->now_us);
	left = j->job.estimate_us - at.done_us;
	if (!j->campaign)
		return;
	left_s = left > 0 ? (double)left / 1e6 * j->job.tasks *
				    cs_campaign_cores_of(e, j)
			  : 0;
	x += j->campaign->counted;
	x->longest_us = longer(x->longest_us, j->job.estimate_us);
	if (j->state == CS_WAITING) {
		x->waiting += j->job.tasks;
		x->waiting_s += left_s;
		x->longest_waiting_us =
			longer(x->longest_waiting_us, j->job.estimate_us);
	} else {
		x->running++;
		x->running_s += left_s;
		x->last_end_us = longer(
			x->last_end_us,
			cs_progress_host_us(e, j, cs_progress_end_us(e, j)));
	}
}

/* All campaigns with their counts, unsorted; NULL: no memory. */
static struct entry *entries(const struct cs_engine *e, size_t *ret_n)
{
	const struct cs_ostrich *o = cs_campaign_schedule(e);
	struct entry *x;
	uint32_t n = 0;

	for (struct cs_ostrich_user *u = o->first; u; u = u->next)
		for (struct cs_campaign *c = u->first; c; c = c->next)
			c->counted = n++;
	x = calloc(n + 1, sizeof(*x));
	if (!x)
		return NULL;
	for (struct cs_ostrich_user *u = o->first; u; u = u->next)
		for (struct cs_campaign *c = u->first; c; c = c->next)
			x[c->counted].campaign = c;
	for (size_t i = 0; i < e->waiting.n; i++)
		count(e, e->waiting.job[i], x);
	for (size_t i = 0; i < e->started.n; i++)
		count(e, e->started.job[i], x);
	*ret_n = n;
	return x;
}

static int by_end(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->ended_us != b->ended_us)
		return a->ended_us < b->ended_us ? -1 : 1;
	return by_rank(x, y);
}

/* W of each; leaves @x sorted by virtual end. */
static void add_up(struct entry *x, size_t n)
{
	double sum = 0;

	qsort(x, n, sizeof(*x), by_end);
	for (size_t i = 0; i < n; i++)
		sum += x[i].running_s;
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && x[to].ended_us == x[from].ended_us;
		     to++)
			sum += x[to].waiting_s;
		for (size_t i = from; i < to; i++)
			x[i].ahead_s = sum;
	}
}

static int64_t real_end_us(const struct cs_engine *e, const struct entry *x)
{
	double m = (double)cs_campaign_schedule(e)->procs;
	double p_us = (double)x->longest_waiting_us, us;

	if (!x->waiting)
		return x->running ? x->last_end_us : CS_TIME_NONE;
	if (!(m > 0) || x->campaign->state == CS_CAMPAIGN_WAITS)
		return CS_TIME_NONE;
	us = (x->ahead_s * 1e6 - p_us) / m;
	us = p_us + (us > 0 ? us : 0);
	if (us >= (double)(CS_TIME_NONE - e->now_us))
		return CS_TIME_NONE;
	return longer(e->now_us + (int64_t)us, x->last_end_us);
}

/* All but its rank and real end. */
static struct cs_campaign_view view(const struct cs_engine *e,
				    const struct entry *x)
{
	const struct cs_ostrich *o = cs_campaign_schedule(e);
	const struct cs_campaign *c = x->campaign;
	const struct cs_ostrich_user *u = c->user;
	int64_t projected_us = cs_ostrich_projected_us(o, c);
	int64_t p_us = cs_campaign_longest_us(e, c);
	int64_t late_us = cs_later_us(cs_later_us(projected_us, p_us), p_us);

	return (struct cs_campaign_view){
		.user = u->name,
		.name = c->name,
		.number = c->number,
		.id = c->seq,
		.array = c->array,
		.weight = u->weight,
		.share = u->head ? (double)u->weight / (double)o->weights : 0,
		.waiting = x->waiting,
		.running = x->running,
		.began = c->state != CS_CAMPAIGN_WAITS,
		.ended = c->state == CS_CAMPAIGN_ENDED,
		.submit_us = c->submit_us,
		.began_us = c->start_us,
		.ended_us = x->ended_us,
		.projected_us = projected_us,
		.work_s = seconds(c->work),
		.virtual_left_s = seconds(cs_ostrich_left(o, c)),
		.real_left_s = x->waiting_s + x->running_s,
		.bound_us = cs_later_us(late_us, x->longest_us),
		.real_end_us = CS_TIME_NONE,
	};
}

int64_t cs_campaign_query_all(const struct cs_engine *e,
			      struct cs_campaign_view *ret, size_t n)
{
	struct cs_ostrich_ends ends;
	struct entry *x;
	size_t all = 0;

	if (!cs_campaign_schedule(e))
		return 0;
	if (cs_ostrich_ends_init(&ends, cs_campaign_schedule(e)))
		return -1;
	x = entries(e, &all);
	if (!x) {
		cs_ostrich_ends_done(&ends);
		return -1;
	}
	for (size_t i = 0; i < all; i++)
		x[i].ended_us = cs_ostrich_ends_us(&ends, x[i].campaign);
	add_up(x, all);
	qsort(x, all, sizeof(*x), by_rank);
	for (size_t i = 0; i < all && i < n; i++) {
		ret[i] = view(e, &x[i]);
		ret[i].rank = (uint32_t)i + 1;
		ret[i].real_end_us = real_end_us(e, &x[i]);
	}
	cs_ostrich_ends_done(&ends);
	free(x);
	return (int64_t)all;
}

int cs_campaign_query(const struct cs_engine *e, uint32_t job_id,
		      struct cs_campaign_view *ret)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	struct entry *x, *mine;
	size_t all = 0;

	if (!j || !j->campaign)
		return -ENOENT;
	x = entries(e, &all);
	if (!x)
		return -ENOMEM;
	mine = &x[j->campaign->counted];
	mine->ended_us =
		cs_ostrich_end_us(cs_campaign_schedule(e), mine->campaign);
	*ret = view(e, mine);
	ret->rank = 1;
	for (size_t i = 0; i < all; i++)
		ret->rank += cmp(x[i].campaign, mine->campaign) < 0;
	free(x);
	return 0;
}

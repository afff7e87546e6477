/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EASY backfill: what a waiting head is promised, and which jobs may pass it.
 *
 * Problem.  When the first job of the queue does not fit, jobs behind it may use what
 * is free, but must not delay it.
 *
 * Rules.
 *  1. Promise: the first instant at which the head fits alone, by the predicted ends,
 *     including all jobs that end at that instant.
 *  2. A job behind a head starts if it fits now and ends by the promised instant, or
 *     leaves the head its room then.  The test is on the machine of that instant, node
 *     by node, so that cores, memory and node sets count as at a start.  The queue is
 *     scanned once.
 *  3. A start beside running jobs moves their predicted ends: they are tested like the
 *     starting job.
 *  4. A head that can use any empty node (cs_layout_plain()) is promised by counting:
 *     while no node has two jobs and no reservation of the host interferes, a node
 *     suits it then if it does now or the job there has ended.
 *
 *  5. With a rule of sites the head is promised what the rule makes it do
 *     (site_ahead.c), and it fits where it needs no more sites than that.
 *
 *  6. head_slack = F > 1: when a job becomes a head, R is the response time that rule 1
 *     promises it.  Rule 2 then uses the last instant at which its response is within
 *     F * R, not the first at which it fits: others may delay it that far.  It still
 *     starts as soon as it fits.
 *
 *     head_slack_max = S > 0: others may delay it by S at most, too.
 *
 *  7. A head may wait for other nodes than it needs alone, where the placement says so
 *     (place=cover): it is promised these.
 *
 *  8. A head whose start may keep nothing (horizon.c) holds back no job: the next of the
 *     queue that does not fit is a head, too.  There may be thousands of them, and each
 *     reservation is an instant at which one may start: of the first FAR_MOST of a pass
 *     the start is sought, of the others the first such instant beyond the horizon is a
 *     bound.  A search begins where those for other heads ended (sought.c).
 *
 *  9. Where the order pins heads (shifted.c), one that is not pinned forgets rule 6's R
 *     when it is no longer a head; a pinned one keeps it until it starts.
 *
 *  10. planned_starts = N > 1: so many jobs of those that share nodes are promised a
 *      start, in the queue's order; planned.c tests them together.
 *
 *	nodes
 *	 |#########|            | # running jobs
 *	 |#####|   :            | a ends by the promised instant: may pass
 *	 |aaaaa|   :hhhhhhhh    | h the head, promised
 *	 |bbbbbbbbb:bbbbb       | b outlasts it on a node that h leaves: may pass
 *	 +---------+------------- time
 *
 * Source: EASY as in Mu'alem and Feitelson, Utilization, Predictability,
 * Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
 * Backfilling, IEEE TPDS 12(6), 2001, section 2.
 *
 * Source of 6: related to Talby and Feitelson, Supporting Priorities and Improving
 * Utilization of the IBM SP Scheduler Using Slack-Based Backfilling, IPPS/SPDP 1999,
 * for the head only.
 *
 * Differs: `extra` processors are not a count but the machine at the promised instant
 * (rule 2): the same if all nodes are alike and taken whole.
 *
 * Cost: O(nodes + running) a promise and a start behind one (the ends stay sorted from
 * pass to pass), O(nodes) a candidate; by counting, O(nodes / 64) a candidate, O(1) if
 * it needs too many.
 */
#include "backfill/backfill.h"
#include "backfill/easy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/endings.h"
#include "backfill/planned.h"
#include "backfill/site_ahead.h"
#include "backfill/sought.h"
#include "job/alone.h"
#include "job/horizon.h"
#include "job/progress.h"
#include "job/resv.h"
#include "model/sites.h"

#define FAR_MOST 16

/* The machine at the promised instant. */

static bool may_count(const struct cs_engine *e, const struct cs_shape *s)
{
	return cs_layout_plain(e->machine, s) && !e->n_held &&
	       !e->sm->now.shared_nodes && !cs_planned_several(e);
}

/* The present machine. */
static void begin(const struct cs_engine *e, struct cs_promise *r)
{
	r->counted = may_count(e, &r->shape);
	if (r->counted)
		r->n_room = cs_layout_count(&e->sm->now, &r->shape, r->nodes,
					    r->room);
	else
		cs_occ_copy(&r->at, &e->sm->now);
}

/* @j will have ended by then. */
static void without(const struct cs_engine *e, struct cs_promise *r,
		    const struct cs_ejob *j)
{
	const uint64_t *nodes = r->nodes, *down = e->sm->now.down;
	const struct cs_alloc *a = j->alloc;
	uint64_t *room = r->room;

	if (!r->counted) {
		cs_occ_remove(&r->at, a, j->hold);
		return;
	}
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t w = a->node[i].node / 64;
		uint64_t bit = UINT64_C(1) << a->node[i].node % 64;

		bit &= nodes[w] & ~down[w];
		room[w] |= bit;
		r->n_room += bit != 0;
	}
}

/* Do the @n nodes of @set suit the counted head? */
static bool enough(const struct cs_engine *e, const struct cs_promise *r,
		   const uint64_t *set, uint32_t n)
{
	struct cs_site_room *room;

	if (n < r->shape.nodes || !cs_site_rules(e))
		return n >= r->shape.nodes;
	room = &e->site_work->then;
	cs_site_room_of(room, e->machine, &r->shape, set);
	return cs_site_room_fewest(room) <= r->fragments;
}

/* The same of the machine @at, on r->nodes. */
static bool fits(const struct cs_engine *e, const struct cs_promise *r,
		 const struct cs_occ *at)
{
	struct cs_site_room *room;
	uint32_t k;

	if (!cs_site_rules(e))
		return cs_layout_fits(at, &r->shape, r->nodes);
	room = &e->site_work->then;
	cs_site_room_in(room, at, &r->shape, r->nodes);
	k = cs_site_room_fewest(room);
	return k && k <= r->fragments;
}

/* Does the head fit there, on r->nodes? */
static bool has_room(const struct cs_engine *e, const struct cs_promise *r)
{
	const struct cs_occ *at = &r->at;

	if (r->counted)
		return enough(e, r, r->room, r->n_room);
	if (e->cuts)
		at = cs_resv_room(e, r->job, r->option, &r->shape, at,
				  r->start_us, r->job->job.estimate_us,
				  e->mask2);
	return fits(e, r, at);
}

/* Can head @r start at its start_us, and every other head at its own? */
static bool may_start_then(struct cs_engine *e, struct cs_promise *r)
{
	return has_room(e, r) &&
	       (!cs_planned_several(e) || cs_planned_fit(e, r->job, r, NULL));
}

/* Take the nodes of @a out of @set; returns how many it had. */
static uint32_t lost(uint64_t *set, const struct cs_alloc *a)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t w = a->node[i].node / 64;
		uint64_t bit = UINT64_C(1) << a->node[i].node % 64;

		k += (set[w] & bit) != 0;
		set[w] &= ~bit;
	}
	return k;
}

/* Rebuild @r's machine of that instant. */
static void again(const struct cs_engine *e, struct cs_promise *r)
{
	const struct cs_endings *x = &e->sm->endings;

	begin(e, r);
	for (uint32_t k = 0; k < x->n; k++)
		if (cs_progress_end_us(e, x->ending[k].job) <= r->start_us)
			without(e, r, x->ending[k].job);
}

/* Jobs just started took empty nodes: these suit it then if the job has ended. */
static void with_new(const struct cs_engine *e, struct cs_promise *r)
{
	const struct cs_endings *x = &e->sm->endings;

	for (uint32_t k = x->seen; k < x->n; k++)
		if (cs_progress_end_us(e, x->ending[k].job) > r->start_us)
			r->n_room -= lost(r->room, x->ending[k].job->alloc);
}

void cs_backfill_refresh(struct cs_pass *p)
{
	struct cs_engine *e = p->e;

	for (size_t i = 0; i < p->heads->n; i++) {
		struct cs_promise *r = &p->heads->promise[i];

		if (r->counted && may_count(e, &r->shape))
			with_new(e, r);
		else
			again(e, r);
	}
	e->sm->endings.seen = e->sm->endings.n;
}

/* Which jobs may pass. */

static bool may_leave(const struct cs_pass *p, const struct cs_shape *s,
		      const uint64_t *allowed, int64_t end_us)
{
	uint32_t words = cs_node_words(p->e->machine);

	for (size_t i = 0; i < p->heads->n; i++) {
		const struct cs_promise *r = &p->heads->promise[i];
		bool within = true;

		if (end_us <= r->start_us || cs_promise_own(p, r) ||
		    !r->counted || s->kind != CS_SHAPE_SPACE || !s->even ||
		    r->n_room >= r->shape.nodes + s->nodes)
			continue;
		/* the nodes it gets are empty, so they are in r->room */
		for (uint32_t w = 0; w < words; w++)
			within &= !(allowed[w] & ~r->nodes[w]);
		if (!within)
			continue;
		p->e->passing.stopped = true;
		return false;
	}
	return true;
}

/* Does a start on @a until @end_us leave room for each head?  No two heads share nodes. */
static bool leaves_each(struct cs_pass *p, const struct cs_alloc *a,
			enum cs_node_use hold, int64_t end_us)
{
	bool ok = true;
	uint32_t n;

	for (size_t i = 0; ok && i < p->heads->n; i++) {
		struct cs_promise *r = &p->heads->promise[i];

		if (end_us <= r->start_us || cs_promise_own(p, r))
			continue;
		if (r->counted) {
			memcpy(r->rest, r->room,
			       cs_node_words(p->e->machine) * sizeof(*r->rest));
			n = r->n_room - lost(r->rest, a);
			ok = enough(p->e, r, r->rest, n);
			continue;
		}
		cs_occ_add(&r->at, a, hold);
		ok = has_room(p->e, r);
		cs_occ_remove(&r->at, a, hold);
	}
	return ok;
}

static bool leaves(struct cs_pass *p, const struct cs_alloc *a,
		   enum cs_node_use hold, int64_t end_us)
{
	const struct cs_planned_try start = { .alloc = a,
					      .hold = hold,
					      .end_us = end_us };
	bool ok =
		cs_planned_several(p->e)
			? cs_planned_fit(p->e, p->queue[p->i].job, NULL, &start)
			: leaves_each(p, a, hold, end_us);

	p->e->turned_away |= !ok;
	p->e->passing.stopped |= !ok;
	return ok;
}

/* Has none of those before promise @i the same job, in another partition? */
static bool is_first_of_job(const struct cs_promises *h, size_t i)
{
	size_t k = 0;

	while (h->promise[k].job_id != h->promise[i].job_id)
		k++;
	return k == i;
}

bool cs_backfill_may_plan(const struct cs_pass *p, const uint64_t *set)
{
	const struct cs_engine *e = p->e;
	int64_t n = 0;

	for (size_t i = 0; i < p->heads->n; i++)
		n += is_first_of_job(p->heads, i) &&
		     cs_sets_meet(e->nodeset[p->heads->promise[i].nodeset], set,
				  cs_node_words(e->machine));
	return n < e->params.planned_starts;
}

/* Is there still room for @r if it and jobs @moved [n] end then? */
static bool room_with_moved(const struct cs_engine *e, struct cs_promise *r,
			    const struct cs_alloc *a, enum cs_node_use hold,
			    int64_t a_end_us, struct cs_ejob *const *moved,
			    const int64_t *end_us, size_t n)
{
	uint32_t k = 0;
	bool ok;

	memcpy(r->rest, r->room, cs_node_words(e->machine) * sizeof(*r->rest));
	/* jobs that end by then, but no longer would */
	for (size_t i = 0; i < n; i++)
		if (end_us[i] > r->start_us &&
		    cs_progress_end_us(e, moved[i]) <= r->start_us) {
			if (r->counted)
				k += lost(r->rest, moved[i]->alloc);
			else
				cs_occ_add(&r->at, moved[i]->alloc,
					   moved[i]->hold);
		}
	if (r->counted) {
		k += a_end_us > r->start_us ? lost(r->rest, a) : 0;
		return enough(e, r, r->rest, r->n_room - k);
	}
	if (a_end_us > r->start_us)
		cs_occ_add(&r->at, a, hold);
	ok = has_room(e, r);
	if (a_end_us > r->start_us)
		cs_occ_remove(&r->at, a, hold);
	for (size_t i = 0; i < n; i++)
		if (end_us[i] > r->start_us &&
		    cs_progress_end_us(e, moved[i]) <= r->start_us)
			cs_occ_remove(&r->at, moved[i]->alloc, moved[i]->hold);
	return ok;
}

/* Does a start that moves the ends of running jobs leave room for each head? */
static bool leaves_each_moved(struct cs_pass *p, const struct cs_alloc *a,
			      enum cs_node_use hold, int64_t a_end_us,
			      struct cs_ejob *const *moved,
			      const int64_t *end_us, size_t n)
{
	bool ok = true;

	for (size_t i = 0; ok && i < p->heads->n; i++) {
		struct cs_promise *r = &p->heads->promise[i];

		ok = cs_promise_own(p, r) ||
		     room_with_moved(p->e, r, a, hold, a_end_us, moved, end_us,
				     n);
	}
	return ok;
}

static bool leaves_moved(struct cs_pass *p, const struct cs_alloc *a,
			 enum cs_node_use hold, int64_t a_end_us,
			 struct cs_ejob *const *moved, const int64_t *end_us,
			 size_t n)
{
	const struct cs_planned_try start = { .alloc = a,
					      .hold = hold,
					      .end_us = a_end_us,
					      .moved = moved,
					      .moved_end_us = end_us,
					      .n_moved = n };
	bool ok =
		cs_planned_several(p->e)
			? cs_planned_fit(p->e, p->queue[p->i].job, NULL, &start)
			: leaves_each_moved(p, a, hold, a_end_us, moved, end_us,
					    n);

	p->e->passing.stopped |= !ok;
	return ok;
}

/* Promises. */

static void from_now(const struct cs_engine *e, struct cs_promise *r,
		     uint32_t option)
{
	r->option = option;
	r->start_us = e->now_us;
	cs_resv_room(e, r->job, option, &r->shape, &e->sm->now, e->now_us,
		     r->job->job.estimate_us, r->nodes);
	begin(e, r);
}

/* The first instant after @t_us at which @r may have more room, with @next the next end of
 * a running job; CS_TIME_NONE: none. */
static int64_t next_us(const struct cs_engine *e, const struct cs_promise *r,
		       uint32_t option, uint32_t next, int64_t t_us)
{
	int64_t end_us = cs_endings_next_us(e, r->job, option, next, t_us);

	return cs_planned_several(e) ? cs_planned_next_us(e, t_us, end_us)
				     : end_us;
}

/* Rule 1, of a job that does not fit now, nor before @after_us: set start_us, nodes and the
 * machine then.  True: found, or (@near, rule 8) start_us is a bound beyond the horizon. */
static bool earliest(struct cs_engine *e, struct cs_promise *r, uint32_t option,
		     int64_t after_us, bool near)
{
	const struct cs_ejob *j = r->job;
	const struct cs_endings *x = &e->sm->endings;
	int64_t t = after_us == CS_TIME_NONE && !near ? after_us : e->now_us;
	uint32_t ended = 0, gone = 0;
	bool made = false;

	cs_endings_sort(e);
	while (t != CS_TIME_NONE &&
	       (t = next_us(e, r, option, ended, t)) != CS_TIME_NONE) {
		if (near && !cs_horizon_keeps(e, j, option, t))
			break;
		while (ended < x->n && x->ending[ended].end_us <= t)
			ended++;
		if (t < after_us)
			continue;
		if (!made)
			from_now(e, r, option);
		made = true;
		r->start_us = t;
		while (gone < ended)
			without(e, r, x->ending[gone++].job);
		if (!r->counted) {
			if (cs_layout_crowded(&r->at, &r->shape))
				continue;
			cs_resv_room(e, j, option, &r->shape, &r->at, t,
				     j->job.estimate_us, r->nodes);
		}
		if (may_start_then(e, r))
			break;
	}
	r->start_us = t;
	return t != CS_TIME_NONE;
}

/* The same with sites: the start and the number of sites by the rule. */
static bool earliest_on_sites(struct cs_engine *e, struct cs_promise *r,
			      uint32_t option)
{
	const struct cs_ejob *j = r->job;
	struct cs_site_way way =
		cs_site_ahead(e, j, option, &r->shape, j->job.estimate_us);
	bool guests = e->guests;

	if (!way.fragments)
		return false;
	r->option = option;
	r->start_us = way.start_us;
	r->fragments = way.fragments;
	e->guests = false; /* it is promised nodes of its own slice machine */
	cs_resv_room(e, j, option, &r->shape, &e->sm->now, way.start_us,
		     j->job.estimate_us, r->nodes);
	e->guests = guests;
	again(e, r);
	return true;
}

/* Rule 6: the latest response of @j, if @est_us is what it was predicted first. */
static int64_t latest(const struct cs_engine *e, const struct cs_ejob *j,
		      int64_t est_us)
{
	double most = e->params.head_slack_max *
		      (double)cs_ask(e->order, unit_us, CS_SECOND_US, j);
	int64_t max_us = cs_stretch_us(est_us, e->params.head_slack);

	if (e->params.head_slack_max > 0 && (double)(max_us - est_us) > most)
		max_us = cs_later_us(est_us, (int64_t)most);
	return max_us;
}

/* Rule 6: what it is predicted first. */
static void predict(struct cs_engine *e, struct cs_ejob *j, int64_t first_us,
		    int64_t run_us)
{
	if (j->est_us)
		return;
	j->est_us = cs_later_us(first_us, run_us) - j->job.submit_us;
	j->max_us = latest(e, j, j->est_us);
	e->changed = true; /* later decides go by it */
}

/* Rule 9: the order says from when on the head keeps its planned start; one that has
 * become impossible is made anew, for the last time. */
static void pin(struct cs_engine *e, struct cs_ejob *j, int64_t first_us,
		int64_t run_us)
{
	if (cs_ask(e->order, pin, false, e, j) &&
	    cs_later_us(first_us, run_us) - j->job.submit_us > j->max_us)
		j->est_us = 0;
}

bool cs_backfill_within_slack(struct cs_pass *p, const struct cs_entry *entry,
			      int64_t first_us, int64_t run_us, int64_t end_us)
{
	struct cs_ejob *j = entry->job;
	int64_t est_us =
		j->est_us ? j->est_us
			  : cs_later_us(first_us, run_us) - j->job.submit_us;

	if (end_us - j->job.submit_us > latest(p->e, j, est_us))
		return false;
	predict(p->e, j, first_us, run_us);
	return true;
}

int64_t cs_backfill_first_us(struct cs_pass *p, const struct cs_entry *entry,
			     const struct cs_shape *s)
{
	struct cs_promise *r = cs_promise_new(p->e, p->heads);

	if (!r)
		return CS_TIME_NONE;
	r->job = entry->job;
	r->job_id = entry->job->job.id;
	r->shape = *s;
	r->run_us = 0;
	cs_endings_sort(p->e);
	from_now(p->e, r, entry->option);
	if (may_start_then(p->e, r) ||
	    earliest(p->e, r, entry->option, p->e->now_us, false))
		return r->start_us;
	return CS_TIME_NONE;
}

/* Rule 6: its last allowed start, if it runs for @run_us. */
static void put_off(struct cs_engine *e, struct cs_promise *r, int64_t run_us)
{
	struct cs_ejob *j = r->job;
	int64_t first_us = r->start_us;

	predict(e, j, first_us, run_us);
	r->start_us = j->job.submit_us + j->max_us - run_us;
	if (r->start_us > first_us) {
		again(e, r);
		if (may_start_then(e, r))
			return;
	}
	r->start_us = first_us;
	again(e, r);
}

static void promise_done(struct cs_promise *r)
{
	cs_occ_done(&r->at);
	free(r->nodes);
	free(r->room);
	free(r->rest);
}

void cs_backfill_clear(struct cs_slice_machine *sm)
{
	sm->heads.n = 0;
	cs_sought_forget(&sm->heads);
}

void cs_backfill_done(struct cs_slice_machine *sm)
{
	for (size_t i = 0; i < sm->heads.cap; i++)
		promise_done(&sm->heads.promise[i]);
	free(sm->heads.promise);
	free(sm->heads.sought);
	free(sm->endings.ending);
}

struct cs_promise *cs_promise_new(const struct cs_engine *e,
				  struct cs_promises *h)
{
	uint32_t words = cs_node_words(e->machine);
	struct cs_promise *r;

	if (h->n < h->cap)
		return &h->promise[h->n];
	r = realloc(h->promise, (h->cap + 1) * sizeof(*r));
	if (!r)
		return NULL;
	h->promise = r;
	r += h->cap;
	*r = (struct cs_promise){ .nodes = calloc(words, sizeof(*r->nodes)),
				  .room = calloc(words, sizeof(*r->room)),
				  .rest = calloc(words, sizeof(*r->rest)) };
	if (!r->nodes || !r->room || !r->rest ||
	    cs_occ_init(&r->at, e->machine)) {
		promise_done(r);
		return NULL;
	}
	h->cap++;
	return r;
}

bool cs_promise_does_for(const struct cs_promise *r, uint32_t n)
{
	return r->counted ? cs_bit(r->room, n)
			  : cs_bit(r->nodes, n) &&
				    cs_layout_fit(&r->at, n, &r->shape);
}

/* With sites: nodes that suit it then, of the sites it would be on. */
static void reserve_on_sites(const struct cs_engine *e,
			     const struct cs_promise *r, uint64_t *reserved)
{
	const struct cs_sites *sites = e->machine->sites;
	struct cs_site_work *w = e->site_work;
	uint32_t left = r->shape.nodes, site = UINT32_MAX;

	memset(w->nodes, 0, sites->words * sizeof(*w->nodes));
	memset(reserved, 0, sites->words * sizeof(*reserved));
	for (uint32_t n = 0; n < e->machine->n_node; n++)
		if (cs_promise_does_for(r, n))
			cs_bit_set(w->nodes, n);
	cs_site_room_of(&w->then, e->machine, &r->shape, w->nodes);
	w->then.need = left;
	while (left) {
		site = r->fragments == 1 ? cs_site_room_tightest(&w->then, site)
					 : cs_site_room_next(&w->then, site);
		if (site == UINT32_MAX)
			return;
		for (uint32_t i = sites->site[site].from;
		     i < sites->site[site].end; i++)
			for (uint64_t set =
				     sites->site[site].nodes[i] & w->nodes[i];
			     left && set; left--)
				cs_bit_set(reserved, i * 64 + cs_bit_pop(&set));
	}
}

/* The first nodes that suit it then. */
static void reserve_first(const struct cs_engine *e, const struct cs_promise *r,
			  uint64_t *reserved)
{
	uint32_t left = r->shape.nodes;
	bool nomem;
	struct cs_alloc *a =
		!r->counted && e->machine->topology
			? cs_layout_choose(&r->at, &r->shape, r->nodes, &nomem)
			: NULL;

	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		cs_bit_clear(reserved, n);
		if (left && !a && cs_promise_does_for(r, n)) {
			cs_bit_set(reserved, n);
			left--;
		}
	}
	if (a)
		cs_alloc_mark(a, reserved);
	cs_alloc_free(a);
}

const uint64_t *cs_backfill_nodes(const struct cs_engine *e,
				  const struct cs_ejob *j)
{
	const struct cs_promises *h = &cs_sm_of(e, j)->heads;

	for (size_t i = h->n; i--;)
		if (h->promise[i].job_id == j->job.id) {
			(cs_site_rules(e) ? reserve_on_sites : reserve_first)(
				e, &h->promise[i], h->promise[i].rest);
			return h->promise[i].rest;
		}
	return NULL;
}

/* The nodes that the head waits for, and how long it runs there.  False: none. */
static bool waits_for(struct cs_engine *e, const struct cs_entry *entry,
		      struct cs_shape *ret, int64_t *ret_run_us)
{
	struct cs_ejob *j = entry->job;

	if (cs_alone_layout(e, j, entry->option)) {
		*ret = j->plan.shape;
		*ret_run_us = j->plan.run_us;
		return true;
	}
	if (!cs_alone_shape(e, j, entry->option, ret))
		return false; /* else it just may not run that long */
	*ret_run_us =
		cs_stretch_us(j->job.estimate_us, cs_alone_factor(e, j, ret));
	return true;
}

int cs_backfill_promise(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	const uint64_t *set = cs_engine_set(e, &j->job.option[entry->option]);
	struct cs_shape shape = p->wide;
	int64_t run_us = p->wide_run_us;
	bool wide = p->awaits == entry, found;
	struct cs_promise *r = cs_promise_new(e, p->heads);

	if (!cs_pass_promised(e, j)) /* in another partition */
		cs_pass_verdict(e, j, CS_WHY_NEVER);
	if (!r)
		return -ENOMEM;
	if (!wide && !waits_for(e, entry, &shape, &run_us))
		return 0;
	r->job = j;
	r->job_id = j->job.id;
	r->nodeset = j->job.option[entry->option].nodeset;
	r->shape = shape;
	r->run_us = run_us;
	found = cs_site_rules(e)
			? earliest_on_sites(e, r, entry->option)
			: earliest(e, r, entry->option,
				   cs_sought_after_us(e, r, entry->option),
				   p->far >= FAR_MOST);
	cs_sought_note(e, r, entry->option, found ? r->start_us : CS_TIME_NONE);
	if (!found)
		return 0;
	if (!cs_horizon_keeps(e, j, entry->option, r->start_us)) {
		cs_pass_far(e, j, entry->option, r->start_us);
		j->verdict.bound = !cs_site_rules(e) && p->far >= FAR_MOST;
		p->far++;
		return 0;
	}
	pin(e, j, r->start_us, run_us);
	if (e->params.head_slack > 1)
		put_off(e, r, run_us);
	e->sm->endings.seen = e->sm->endings.n;
	cs_pass_verdict(e, j, p->head ? CS_WHY_HEAD : CS_WHY_PLANNED);
	j->verdict.option = entry->option;
	j->verdict.start_us = r->start_us;
	j->verdict.wide = wide ? shape.nodes : 0;
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
		e->waited[w] |= set[w];
	p->heads->n++;
	return 0;
}

#define HEADS_OPS                                               \
	.promise = cs_backfill_promise, .may_leave = may_leave, \
	.leaves = leaves, .leaves_moved = leaves_moved, .stays_us = stays_us

/* Is one of the first nodes that suit @r in @nodes? */
static bool reserves_any(const struct cs_engine *e, const struct cs_promise *r,
			 const uint64_t *nodes)
{
	const uint64_t *may = r->counted ? r->room : r->nodes;
	uint32_t left = r->shape.nodes;

	if (!cs_sets_meet(may, nodes, cs_node_words(e->machine)))
		return false;
	for (uint32_t n = 0; left && n < e->machine->n_node; n++)
		if (cs_promise_does_for(r, n)) {
			if (cs_bit(nodes, n))
				return true;
			left--;
		}
	return false;
}

/* Until the first promised start of a head that would get nodes of it. */
static int64_t stays_us(struct cs_engine *e, const struct cs_alloc *a,
			enum cs_node_use hold, int64_t from_us,
			int64_t until_us)
{
	const struct cs_promises *h = &e->sm->heads;
	uint64_t *nodes = calloc(cs_node_words(e->machine), sizeof(*nodes));

	(void)hold;
	(void)from_us;
	if (!nodes)
		return e->now_us;
	cs_alloc_mark(a, nodes);
	for (size_t i = 0; i < h->n; i++) {
		const struct cs_promise *r = &h->promise[i];
		const struct cs_ejob *j = cs_engine_job(e, r->job_id);

		if (r->start_us < until_us && j && cs_waits(j) &&
		    reserves_any(e, r, nodes))
			until_us = r->start_us;
	}
	free(nodes);
	return until_us;
}

const struct cs_backfill_ops cs_backfill_none = { HEADS_OPS };
const struct cs_backfill_ops cs_backfill_easy = { .behind = true, HEADS_OPS };

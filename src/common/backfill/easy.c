/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EASY backfilling: what a waiting head is promised, and who may pass it.
 *
 * Problem.  When the first job of the queue does not fit, others behind it may
 * use what is free, but must not make it wait longer.
 *
 * Rules.
 *  1. Promise: the first instant at which the head fits alone, by the predicted
 *     ends, counting all jobs that end at that instant.
 *  2. A job behind a head starts if it fits now and ends by the promised instant,
 *     or leaves the head its room then.  The test is made on the machine as it
 *     will be then, node by node, so that cores, memory and node sets count as at
 *     a start.  One scan of the queue, no second one.
 *  3. A start beside running jobs moves their predicted ends: they are judged as
 *     the starting job is.
 *  4. A head that can use just any empty node (cs_layout_plain()) is promised by
 *     counting: while no node has two jobs and no reservation of the host comes
 *     in between, a node does for it then if it does now or the job there has
 *     ended.
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
 * Differs: `extra` processors are not a count but the machine at the promised
 * instant (rule 2), the same thing where all nodes are alike and taken whole.
 *
 * Cost: O(nodes + running) a promise and a start behind one (the ends are kept in
 * order from pass to pass), O(nodes) a candidate; by counting, O(nodes / 64) a
 * candidate and O(1) one that needs too many.
 */
#include "state/pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/alone.h"
#include "job/resv.h"

/* Ends. */

int cs_endings_reserve(struct cs_engine *e, size_t jobs)
{
	for (uint32_t i = 0; i < e->n_vm; i++) {
		struct cs_endings *x = &e->vms[i].endings;
		uint32_t cap = x->cap ? x->cap : 16;
		struct cs_ending *p;

		while (cap < jobs)
			cap *= 2;
		if (cap == x->cap)
			continue;
		p = realloc(x->ending, cap * sizeof(*p));
		if (!p)
			return -ENOMEM;
		x->ending = p;
		x->cap = cap;
	}
	return 0;
}

void cs_endings_add(struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_endings *x = &e->vm->endings;

	x->ending[x->n++] = (struct cs_ending){ .job = j };
}

void cs_endings_remove(struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_endings *x = &e->vm->endings;
	uint32_t i = 0;

	while (i < x->n && x->ending[i].job != j)
		i++;
	if (i == x->n)
		return;
	x->n--;
	x->sorted -= i < x->sorted;
	x->seen -= i < x->seen;
	memmove(&x->ending[i], &x->ending[i + 1],
		(x->n - i) * sizeof(*x->ending));
}

/* Bring them up to date and in order, which most are from the last time. */
static void sort_endings(const struct cs_engine *e)
{
	struct cs_endings *x = &e->vm->endings;
	struct cs_ending *a = x->ending;

	for (uint32_t i = 0, k; i < x->n; i++) {
		struct cs_ending new = { cs_progress_end_us(e, a[i].job),
					 a[i].job };

		for (k = i; k && a[k - 1].end_us > new.end_us; k--)
			a[k] = a[k - 1];
		a[k] = new;
	}
	x->sorted = x->n;
}

bool cs_endings_hold(const struct cs_engine *e)
{
	const struct cs_endings *x = &e->vm->endings;

	/* those that are past, now or then, were put at most a second on */
	for (uint32_t i = 0; i < x->n; i++) {
		if (i < x->sorted &&
		    x->ending[i].end_us > e->now_us + INT64_C(1000000)) {
			i = x->sorted - 1;
			continue;
		}
		if (cs_progress_rest_end_us(e, x->ending[i].job) <= e->now_us)
			return false;
	}
	return true;
}

/* The first instant after @t_us at which there may be more room for the job, where
 * @next is the next end of another; CS_TIME_NONE: none. */
static int64_t next_instant(const struct cs_engine *e, const struct cs_ejob *j,
			    uint32_t option, uint32_t next, int64_t t_us)
{
	const struct cs_endings *x = &e->vm->endings;
	const struct cs_resv_job of = cs_resv_of(e, j, option);
	const struct cs_held_nodes *own = cs_resv_confines(&of);
	int64_t t = next < x->n ? x->ending[next].end_us : CS_TIME_NONE;

	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];
		int64_t at = r == own ? r->start_us : r->end_us;

		if (!(r->flags & CS_RESV_FLOAT) && at > t_us && at < t)
			t = at;
	}
	return t;
}

/* The machine at the promised instant. */

static bool may_count(const struct cs_engine *e, const struct cs_shape *s)
{
	return cs_layout_plain(e->machine, s) && !e->n_held &&
	       !e->vm->now.shared_nodes;
}

/* As it is now. */
static void begin(const struct cs_engine *e, struct cs_promise *r)
{
	r->counted = may_count(e, &r->shape);
	if (r->counted)
		r->n_room = cs_layout_count(&e->vm->now, &r->shape, r->nodes,
					    r->room);
	else
		cs_occ_copy(&r->at, &e->vm->now);
}

/* @j has ended by then. */
static void without(const struct cs_engine *e, struct cs_promise *r,
		    const struct cs_ejob *j)
{
	const uint64_t *nodes = r->nodes, *down = e->vm->now.down;
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

/* Does the head fit there, on r->nodes? */
static bool has_room(const struct cs_engine *e, const struct cs_promise *r)
{
	const struct cs_occ *at = &r->at;

	if (r->counted)
		return r->n_room >= r->shape.nodes;
	if (e->cuts)
		at = cs_pass_room(e, r->job, r->option, &r->shape, at,
				  r->start_us, r->job->job.estimate_us,
				  e->mask2);
	return cs_layout_fits(at, &r->shape, r->nodes);
}

/* Take the nodes of @a out of @set; how many were there. */
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

/* Make @r's machine then anew. */
static void again(const struct cs_engine *e, struct cs_promise *r)
{
	const struct cs_endings *x = &e->vm->endings;

	begin(e, r);
	for (uint32_t k = 0; k < x->n; k++)
		if (cs_progress_end_us(e, x->ending[k].job) <= r->start_us)
			without(e, r, x->ending[k].job);
}

/* Who has just started took empty nodes: they do for it then if he has ended. */
static void with_new(const struct cs_engine *e, struct cs_promise *r)
{
	const struct cs_endings *x = &e->vm->endings;

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
	e->vm->endings.seen = e->vm->endings.n;
}

/* Who may pass. */

bool cs_pass_may_leave(const struct cs_pass *p, const struct cs_shape *s,
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
		/* whatever nodes it gets are empty, so they are in r->room */
		for (uint32_t w = 0; w < words; w++)
			within &= !(allowed[w] & ~r->nodes[w]);
		if (within)
			return false;
	}
	return true;
}

bool cs_pass_leaves(struct cs_pass *p, const struct cs_alloc *a,
		    enum cs_hold hold, int64_t end_us)
{
	bool ok = true;

	if (cs_pass_plans(p))
		return cs_plan_leaves(p->e, p->queue[p->i].job, a, hold, end_us);
	for (size_t i = 0; ok && i < p->heads->n; i++) {
		struct cs_promise *r = &p->heads->promise[i];

		if (end_us <= r->start_us || cs_promise_own(p, r))
			continue;
		if (r->counted) {
			memcpy(r->rest, r->room,
			       cs_node_words(p->e->machine) * sizeof(*r->rest));
			ok = r->n_room - lost(r->rest, a) >= r->shape.nodes;
			continue;
		}
		cs_occ_add(&r->at, a, hold);
		ok = has_room(p->e, r);
		cs_occ_remove(&r->at, a, hold);
	}
	p->e->turned_away |= !ok;
	return ok;
}

/* Is there still room for @r if it ends then, and jobs @moved [n] then? */
static bool leaves_moved(const struct cs_engine *e, struct cs_promise *r,
			 const struct cs_alloc *a, int64_t a_end_us,
			 struct cs_ejob *const *moved, const int64_t *end_us,
			 size_t n)
{
	uint32_t k = 0;
	bool ok;

	memcpy(r->rest, r->room, cs_node_words(e->machine) * sizeof(*r->rest));
	/* who ends by then, but would no more */
	for (size_t i = 0; i < n; i++)
		if (end_us[i] > r->start_us &&
		    cs_progress_end_us(e, moved[i]) <= r->start_us) {
			if (r->counted)
				k += lost(r->rest, moved[i]->alloc);
			else
				cs_occ_add(&r->at, moved[i]->alloc,
					   moved[i]->hold);
		}
	if (r->counted)
		return r->n_room - k -
			       (a_end_us > r->start_us ? lost(r->rest, a) : 0) >=
		       r->shape.nodes;
	if (a_end_us > r->start_us)
		cs_occ_add(&r->at, a, CS_HOLD_COUNTED);
	ok = has_room(e, r);
	if (a_end_us > r->start_us)
		cs_occ_remove(&r->at, a, CS_HOLD_COUNTED);
	for (size_t i = 0; i < n; i++)
		if (end_us[i] > r->start_us &&
		    cs_progress_end_us(e, moved[i]) <= r->start_us)
			cs_occ_remove(&r->at, moved[i]->alloc, moved[i]->hold);
	return ok;
}

bool cs_pass_leaves_moved(struct cs_pass *p, const struct cs_alloc *a,
			  int64_t a_end_us, struct cs_ejob *const *moved,
			  const int64_t *end_us, size_t n)
{
	bool ok = true;

	if (cs_pass_plans(p))
		return cs_plan_leaves_moved(p, a, a_end_us, moved, end_us, n);
	for (size_t i = 0; ok && i < p->heads->n; i++) {
		struct cs_promise *r = &p->heads->promise[i];

		ok = cs_promise_own(p, r) ||
		     leaves_moved(p->e, r, a, a_end_us, moved, end_us, n);
	}
	return ok;
}

/* Promises. */

/* Rule 1: set start_us, nodes and the machine then.  Found? */
static bool earliest(const struct cs_engine *e, struct cs_promise *r,
		     uint32_t option)
{
	const struct cs_ejob *j = r->job;
	const struct cs_endings *x = &e->vm->endings;
	int64_t t = e->now_us;
	uint32_t i = 0;

	sort_endings(e);
	r->option = option;
	cs_pass_room(e, j, option, &r->shape, &e->vm->now, t,
		     j->job.estimate_us, r->nodes);
	begin(e, r);
	while ((t = next_instant(e, j, option, i, t)) != CS_TIME_NONE) {
		for (; i < x->n && x->ending[i].end_us <= t; i++)
			without(e, r, x->ending[i].job);
		if (!r->counted) {
			if (cs_layout_crowded(&r->at, &r->shape))
				continue;
			cs_pass_room(e, j, option, &r->shape, &r->at, t,
				     j->job.estimate_us, r->nodes);
		}
		r->start_us = t;
		if (has_room(e, r))
			return true;
	}
	return false;
}

static void promise_done(struct cs_promise *r)
{
	cs_occ_done(&r->at);
	free(r->nodes);
	free(r->room);
	free(r->rest);
}

void cs_backfill_clear(struct cs_vm *vm)
{
	vm->heads.n = 0;
}

void cs_backfill_done(struct cs_vm *vm)
{
	for (size_t i = 0; i < vm->heads.cap; i++)
		promise_done(&vm->heads.promise[i]);
	free(vm->heads.promise);
	free(vm->endings.ending);
}

/* One more; its memory is that of an earlier pass, if there was one.  NULL: no
 * memory. */
static struct cs_promise *new_promise(const struct cs_engine *e,
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

/* Write the head's promise where explain and the host find it. */
static int write_down(struct cs_engine *e, const struct cs_promise *r,
		      uint32_t option)
{
	struct cs_ejob *j = r->job;

	if (!j->reserved)
		j->reserved = calloc(cs_node_words(e->machine),
				     sizeof(*j->reserved));
	if (!j->reserved)
		return -ENOMEM;
	cs_pass_verdict(e, j, CS_WHY_HEAD);
	j->verdict.option = option;
	j->verdict.start_us = r->start_us;
	return 0;
}

/* Does node @n do for one of its nodes then? */
static bool does_for(const struct cs_promise *r, uint32_t n)
{
	return r->counted ? cs_bit(r->room, n)
			  : cs_bit(r->nodes, n) &&
				    cs_layout_fit(&r->at, n, &r->shape);
}

/* The first nodes that do for it then, into its job's. */
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
		if (left && !a && does_for(r, n)) {
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
	const struct cs_promises *h = &cs_vm_of(e, j)->heads;

	for (size_t i = h->n; j->reserved && i--;)
		if (h->promise[i].job_id == j->job.id) {
			reserve_first(e, &h->promise[i], j->reserved);
			break;
		}
	return j->reserved;
}

int cs_backfill_promise(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	const uint64_t *set = cs_engine_set(e, &j->job.option[entry->option]);
	struct cs_promise *r = new_promise(e, p->heads);

	cs_pass_verdict(e, j, CS_WHY_NEVER);
	if (!r)
		return -ENOMEM;
	r->job = j;
	r->job_id = j->job.id;
	if (cs_alone_layout(e, j, entry->option))
		r->shape = j->plan.shape;
	else if (!cs_alone_shape(e, j, entry->option, &r->shape))
		return 0; /* else it may just not run so long */
	if (!earliest(e, r, entry->option))
		return 0;
	e->vm->endings.seen = e->vm->endings.n;
	if (write_down(e, r, entry->option))
		return -ENOMEM;
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
		e->waited[w] |= set[w];
	p->heads->n++;
	return 0;
}

/* ---- who would stay ---------------------------------------------------------- */

/* Is one of the first nodes that do for @r in @nodes? */
static bool reserves_any(const struct cs_engine *e, const struct cs_promise *r,
			 const uint64_t *nodes)
{
	const uint64_t *may = r->counted ? r->room : r->nodes;
	uint32_t left = r->shape.nodes;

	if (!cs_sets_meet(may, nodes, cs_node_words(e->machine)))
		return false;
	for (uint32_t n = 0; left && n < e->machine->n_node; n++)
		if (does_for(r, n)) {
			if (cs_bit(nodes, n))
				return true;
			left--;
		}
	return false;
}

/* ... before the first promised start of a head on nodes of @a. */
static int64_t before_heads(const struct cs_engine *e, const struct cs_alloc *a,
			    int64_t until_us)
{
	const struct cs_promises *h = &e->vm->heads;
	uint64_t *nodes = calloc(cs_node_words(e->machine), sizeof(*nodes));

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

/* ... before any promised start: while the plan is out of date. */
static int64_t before_all(const struct cs_engine *e, int64_t from_us,
			  int64_t until_us)
{
	for (size_t i = 0; i < e->waiting.n; i++) {
		const struct cs_ejob *j = e->waiting.job[i];

		if (cs_waits(j) && j->plan.start_us >= from_us &&
		    j->plan.start_us < until_us)
			until_us = j->plan.start_us;
	}
	return until_us;
}

int64_t cs_engine_stays_us(struct cs_engine *e, const struct cs_alloc *a,
			   bool packed, int64_t from_us, int64_t until_us)
{
	const struct cs_plan *p;

	e->vm = &e->vms[0];
	p = &e->vm->plan;
	if (until_us <= from_us)
		return from_us;
	if (e->params.backfill == CS_BACKFILL_CONSERVATIVE)
		until_us = p->line && !p->stale ?
				   cs_plan_stays_us(e, a,
						    packed ? CS_HOLD_PACKED
							   : CS_HOLD_COUNTED,
						    from_us, until_us) :
				   before_all(e, from_us, until_us);
	else
		until_us = before_heads(e, a, until_us);
	return until_us > from_us ? until_us : from_us;
}

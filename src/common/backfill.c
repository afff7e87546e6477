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
 * Cost: O(running * nodes) a promise and a start behind one, O(nodes) a
 * candidate.
 */
#include "pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cs_pass_nodes(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option, int64_t from_us, int64_t run_us,
		   uint64_t *mask)
{
	uint32_t words = cs_node_words(e->machine);
	int64_t until = run_us < CS_TIME_NONE - from_us ? from_us + run_us
							: CS_TIME_NONE;

	memcpy(mask, cs_engine_set(e, &j->job.option[option]),
	       words * sizeof(*mask));
	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];

		if (r->id == j->job.reservation || r->end_us <= from_us ||
		    r->start_us >= until)
			continue;
		for (uint32_t w = 0; w < words; w++)
			mask[w] &= ~r->nodes[w];
	}
}

bool cs_pass_leaves(struct cs_pass *p, const struct cs_alloc *a,
		    enum cs_hold hold, int64_t end_us)
{
	bool ok = true;

	for (size_t i = 0; ok && i < p->n_promise; i++) {
		struct cs_promise *r = &p->promise[i];

		if (end_us <= r->start_us || cs_promise_own(p, r))
			continue;
		cs_occ_add(&r->at, a, hold);
		ok = cs_layout_fits(&r->at, &r->shape, r->nodes);
		cs_occ_remove(&r->at, a, hold);
	}
	return ok;
}

bool cs_pass_leaves_moved(struct cs_pass *p, const struct cs_alloc *a,
			  int64_t a_end_us, struct cs_ejob *const *moved,
			  const int64_t *end_us, size_t n)
{
	bool ok = true;

	for (size_t i = 0; ok && i < p->n_promise; i++) {
		struct cs_promise *r = &p->promise[i];

		if (cs_promise_own(p, r))
			continue;
		/* who ends by then, but would no more */
		for (size_t k = 0; k < n; k++)
			if (end_us[k] > r->start_us &&
			    cs_progress_end_us(p->e, moved[k]) <= r->start_us)
				cs_occ_add(&r->at, moved[k]->alloc,
					   moved[k]->hold);
		if (a_end_us > r->start_us)
			cs_occ_add(&r->at, a, CS_HOLD_COUNTED);
		ok = cs_layout_fits(&r->at, &r->shape, r->nodes);
		if (a_end_us > r->start_us)
			cs_occ_remove(&r->at, a, CS_HOLD_COUNTED);
		for (size_t k = 0; k < n; k++)
			if (end_us[k] > r->start_us &&
			    cs_progress_end_us(p->e, moved[k]) <= r->start_us)
				cs_occ_remove(&r->at, moved[k]->alloc,
					      moved[k]->hold);
	}
	return ok;
}

/* The machine at @t_us as the predicted ends have it. */
static void machine_at(const struct cs_engine *e, int64_t t_us,
		       struct cs_occ *at)
{
	cs_occ_copy(at, &e->now);
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];

		if (j->state != CS_SUSPENDED && cs_progress_end_us(e, j) <= t_us)
			cs_occ_remove(at, j->alloc, j->hold);
	}
}

void cs_backfill_refresh(struct cs_pass *p)
{
	for (size_t i = 0; i < p->n_promise; i++)
		machine_at(p->e, p->promise[i].start_us, &p->promise[i].at);
}

struct ending {
	int64_t end_us;
	const struct cs_ejob *job; /* NULL: a reservation of the host ends */
};

static int by_end(const void *x, const void *y)
{
	const struct ending *a = x, *b = y;

	if (a->end_us != b->end_us)
		return a->end_us < b->end_us ? -1 : 1;
	if (!a->job || !b->job)
		return !a->job - !b->job;
	return cs_ejob_cmp(a->job, b->job);
}

/* Every later instant at which there may be more room; NULL: no memory. */
static struct ending *endings(const struct cs_engine *e, size_t *ret_n)
{
	struct ending *x = calloc(e->started.n + e->n_held + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; x && i < e->started.n; i++)
		if (e->started.job[i]->state != CS_SUSPENDED)
			x[n++] = (struct ending){
				cs_progress_end_us(e, e->started.job[i]),
				e->started.job[i]
			};
	for (uint32_t h = 0; x && h < e->n_held; h++)
		if (e->held[h].end_us > e->now_us)
			x[n++] = (struct ending){ e->held[h].end_us, NULL };
	if (x)
		qsort(x, n, sizeof(*x), by_end);
	*ret_n = n;
	return x;
}

/* Rule 1: set start_us, at and nodes.  1: found, 0: never, -ENOMEM. */
static int earliest(const struct cs_engine *e, struct cs_promise *r,
		    uint32_t option)
{
	const struct cs_ejob *j = r->job;
	size_t n, i = 0;
	struct ending *x = endings(e, &n);
	int found = x ? 0 : -ENOMEM;

	if (x)
		cs_occ_copy(&r->at, &e->now);
	while (x && i < n && !found) {
		int64_t t = x[i].end_us;

		for (; i < n && x[i].end_us == t; i++)
			if (x[i].job)
				cs_occ_remove(&r->at, x[i].job->alloc,
					      x[i].job->hold);
		cs_pass_nodes(e, j, option, t, j->job.estimate_us, r->nodes);
		found = cs_layout_fits(&r->at, &r->shape, r->nodes);
		r->start_us = t;
	}
	free(x);
	return found;
}

uint32_t cs_pass_room(const struct cs_engine *e,
			     const struct cs_shape *s, const uint64_t *mask)
{
	uint32_t k = 0;

	for (uint32_t n = 0; n < e->machine->n_node; n++)
		k += cs_bit(mask, n) && (s->even ? cs_layout_usable(&e->now, n, s)
						 : cs_layout_fit(&e->now, n, s) > 0);
	return k;
}

static void promise_done(struct cs_promise *r)
{
	cs_occ_done(&r->at);
	free(r->nodes);
}

static int grow(struct cs_pass *p)
{
	size_t cap = p->cap_promise ? 2 * p->cap_promise : 4;
	struct cs_promise *r;

	if (p->n_promise < p->cap_promise)
		return 0;
	r = realloc(p->promise, cap * sizeof(*r));
	if (!r)
		return -ENOMEM;
	p->promise = r;
	p->cap_promise = cap;
	return 0;
}

/* Write the head's promise where explain and the host find it. */
static int write_down(struct cs_pass *p, const struct cs_promise *r)
{
	uint32_t words = cs_node_words(p->e->machine);
	struct cs_ejob *j = r->job;

	if (!j->reserved)
		j->reserved = calloc(words, sizeof(*j->reserved));
	if (!j->reserved)
		return -ENOMEM;
	for (uint32_t n = 0, left = r->shape.nodes; n < p->e->machine->n_node;
	     n++) {
		bool use = left && cs_bit(r->nodes, n) &&
			   cs_layout_fit(&r->at, n, &r->shape) > 0;

		j->reserved[n / 64] &= ~(UINT64_C(1) << (n % 64));
		if (use) {
			cs_bit_set(j->reserved, n);
			left--;
		}
	}
	j->verdict.start_us = r->start_us;
	return 0;
}

int cs_backfill_promise(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	uint32_t words = cs_node_words(e->machine);
	const uint64_t *set = cs_engine_set(e, &j->job.option[entry->option]);
	struct cs_promise r = { .job = j };
	int found;

	cs_pass_verdict(j, CS_WHY_NEVER);
	if (!cs_alone_shape(e, j, entry->option, &r.shape))
		return 0;
	r.nodes = calloc(words, sizeof(*r.nodes));
	if (!r.nodes || cs_occ_init(&r.at, e->machine) || grow(p)) {
		promise_done(&r);
		return -ENOMEM;
	}
	found = earliest(e, &r, entry->option);
	if (found > 0) {
		cs_pass_nodes(e, j, entry->option, e->now_us,
			      j->job.estimate_us, e->mask);
		cs_pass_verdict(j, CS_WHY_HEAD);
		j->verdict.nodes = r.shape.nodes;
		j->verdict.room = cs_pass_room(e, &r.shape, e->mask);
		found = write_down(p, &r) ? -ENOMEM : 1;
	}
	if (found <= 0) {
		promise_done(&r);
		return found;
	}
	for (uint32_t w = 0; w < words; w++)
		p->waited[w] |= set[w];
	p->promise[p->n_promise++] = r;
	return 0;
}

void cs_backfill_done(struct cs_pass *p)
{
	for (size_t i = 0; i < p->n_promise; i++)
		promise_done(&p->promise[i]);
	free(p->promise);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A start against the plan: are all promises kept, and what it takes once made.
 *
 * A node with running jobs is taken until the last of them ends, so a start there takes
 * it only from then on.
 */
#include "backfill/plan_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "job/progress.h"
#include "state/pass.h"

/* Entries that taken_by() needs for the nodes of @a. */
static uint32_t most_taken(const struct cs_engine *e, const struct cs_alloc *a)
{
	uint32_t gpus = e->machine->gpus_most ? 1 : 0;

	return a->n_node * (gpus + (e->cuts ? 1 + 3 * e->n_held : 1));
}

/* The same for node @n, @a's @i-th, with reserved cores: while the reservation lasts
 * they are not the node's. */
static uint32_t taken_of_cut(const struct cs_engine *e, const struct cs_plan *p,
			     const struct cs_alloc *a, uint32_t i,
			     int64_t since_us, struct cs_release *r)
{
	uint32_t n = a->node[i].node, c = p->class_of[n], k = 0;
	int32_t rest = (int32_t)cs_alloc_count(a, i);

	for (uint32_t h = 0; h < e->n_held; h++) {
		uint32_t v = cs_plan_class_within(p, h, c);
		int64_t start = cs_plan_held_start(e, h);
		int64_t end = cs_plan_held_end(e, h);
		int32_t in = 0;

		if (v != c && end > since_us)
			in = (int32_t)cs_plan_within(e, h, n,
						     cs_alloc_cores(a, i));
		if (!in)
			continue;
		if (start > since_us)
			r[k++] = (struct cs_release){ start, c, -in };
		else
			rest -= in;
		if (start < since_us)
			start = since_us;
		r[k++] = (struct cs_release){ start, v, in };
		if (end != CS_TIME_NONE)
			r[k++] = (struct cs_release){ end, c, in };
	}
	if (rest)
		r[k++] = (struct cs_release){ since_us, c, rest };
	return k;
}

/* Fill @r with what @a takes beyond what the plan has taken, node by node: from at_us
 * (@since_us at the earliest) until the caller's end. */
static uint32_t taken_by(const struct cs_engine *e, const struct cs_plan *p,
			 const struct cs_alloc *a, enum cs_node_use hold,
			 int64_t since_us, struct cs_release *r)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;
		int32_t cores = cs_plan_node_cores(e, n), gpus;
		uint32_t line = cs_plan_gpu_line(p, p->class_of[n]);
		bool whole = cs_plan_whole_on(e, hold, a, n);
		int64_t from = since_us;

		if (whole && e->sm->on[n].n && p->release[n] > since_us)
			from = p->release[n];
		gpus = line ? cs_plan_gpus_of(e, a, i, whole) : 0;
		if (gpus)
			r[k++] = (struct cs_release){ from, line, gpus };
		if (cs_resv_cut(e, n)) {
			k += taken_of_cut(e, p, a, i, since_us, r + k);
			continue;
		}
		if (!whole)
			cores = (int32_t)cs_alloc_count(a, i);
		r[k++] = (struct cs_release){ from, p->class_of[n], cores };
	}
	cs_plan_releases_sort(r, k);
	return k;
}

/* Are the cores of sorted @r [n] free until @end? */
static bool are_free(const struct cs_plan *p, const struct cs_release *r,
		     uint32_t n, int64_t end)
{
	int32_t sum[CS_PLAN_LINES] = { 0 };

	for (uint32_t i = 0, k; i < n && r[i].at_us < end; i = k) {
		int64_t to = end;

		for (k = i; k < n && !cs_release_cmp(&r[i], &r[k]); k++)
			sum[r[i].class] += r[k].cores;
		/* until more is taken of the same class */
		for (uint32_t m = k; m < n && to == end; m++)
			if (r[m].class == r[i].class && r[m].at_us < end)
				to = r[m].at_us;
		if (cs_timeline_least(p->line, r[i].class, r[i].at_us, to) <
		    sum[r[i].class])
			return false;
	}
	return true;
}

bool cs_plan_leaves(struct cs_pass *pass, const struct cs_alloc *a,
		    enum cs_node_use hold, int64_t end_us)
{
	struct cs_engine *e = pass->e;
	struct cs_plan *p = e->sm->plan;
	const struct cs_planned *q = &pass->queue[pass->i].job->plan;
	int64_t end =
		end_us == CS_TIME_NONE ? end_us : end_us + e->sm->ahead_us;
	struct cs_release *r = calloc(most_taken(e, a), sizeof(*r));
	bool lifted = q->start_us != CS_TIME_NONE, ok;
	uint32_t n;

	if (!r)
		return false;
	n = taken_by(e, p, a, hold, cs_sm_time(e, e->sm), r);
	if (p->ahead && cs_plan_within_own(e, p, q, r, n, end)) {
		free(r);
		return true; /* rule 5 of plan_tasks.c */
	}
	cs_plan_settle(e);
	if (lifted)
		lifted = !cs_plan_lift(e, p, p->line, q);
	ok = are_free(p, r, n, end);
	if (lifted &&
	    cs_plan_add_all(e, p, p->line, q->start_us, q->end_us, q->cores, 1))
		e->sm->stale = true;
	free(r);
	return ok;
}

/* Take the cores of sorted @r [n] out of both lines until @end. */
static int take(struct cs_plan *p, const struct cs_release *r, uint32_t n,
		int64_t end)
{
	int rc = 0;

	for (uint32_t i = 0, k; !rc && i < n && r[i].at_us < end; i = k) {
		uint32_t class = r[i].class;
		int32_t cores = 0;

		for (k = i; k < n && !cs_release_cmp(&r[i], &r[k]); k++)
			cores += r[k].cores;
		rc = cs_plan_add(p, p->line, class, r[i].at_us, end, -cores);
		if (!rc)
			rc = cs_plan_add(p, p->base, class, r[i].at_us, end,
					 -cores);
	}
	return rc;
}

/* Is packed @a, which takes whole nodes, on one already taken in the plan? */
static bool beside(const struct cs_engine *e, const struct cs_plan *p,
		   const struct cs_alloc *a)
{
	int64_t now = cs_sm_time(e, e->sm);

	for (uint32_t i = 0; i < a->n_node; i++)
		if (cs_plan_whole_on(e, CS_NODE_PACKED, a, a->node[i].node) &&
		    p->release[a->node[i].node] > now)
			return true;
	return false;
}

void cs_plan_takes(struct cs_engine *e, const struct cs_ejob *j,
		   const struct cs_alloc *a, enum cs_node_use hold)
{
	struct cs_slice_machine *sm = cs_sm_of(e, j);
	struct cs_plan *p = sm->plan;
	int32_t left[CS_PLAN_LINES];
	bool same = !j->refusals;

	p->due_end_us = INT64_MIN;
	if (!p->line || sm->stale || j->plan.start_us > cs_sm_time(e, sm))
		return;
	for (uint32_t c = 0; c < p->n_line; c++)
		left[c] = -j->plan.cores[c];
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node, class = p->class_of[n];
		uint32_t line = cs_plan_gpu_line(p, class);
		bool whole = cs_plan_whole_on(e, hold, a, n);

		left[class] -= whole ? cs_plan_node_cores(e, n)
				     : (int32_t)cs_alloc_count(a, i);
		if (line)
			left[line] -= cs_plan_gpus_of(e, a, i, whole);
	}
	for (uint32_t c = 0; c < p->n_line; c++) {
		p->left |= left[c] > 0;
		same &= left[c] == 0;
	}
	if (same)
		p->due_end_us = j->plan.end_us;
}

void cs_plan_booked(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_plan *p = e->sm->plan;
	int64_t now = cs_sm_time(e, e->sm), end;
	struct cs_release *r;
	uint32_t n;
	int rc = -ENOMEM;

	if (!p->line || e->sm->stale)
		return;
	end = cs_plan_left_us(e, j);
	r = calloc(most_taken(e, j->alloc), sizeof(*r));
	if (r) {
		n = taken_by(e, p, j->alloc, j->hold, now, r);
		cs_plan_took(e, p, r, n, end);
		rc = take(p, r, n, end);
	}
	/* beside others: its promised place goes to jobs behind it */
	p->left |= j->hold == CS_NODE_PACKED && beside(e, p, j->alloc);
	free(r);
	for (uint32_t i = 0; i < j->alloc->n_node; i++)
		cs_plan_release(e, p, j->alloc->node[i].node);
	if (end < p->next_end_us)
		p->next_end_us = end > now ? end : now;
	e->sm->stale = rc != 0;
}

int64_t cs_plan_stays_us(struct cs_engine *e, const struct cs_alloc *a,
			 enum cs_node_use hold, int64_t from_us,
			 int64_t until_us)
{
	struct cs_plan *p = e->sm->plan;
	struct cs_release *r = calloc(most_taken(e, a), sizeof(*r));
	uint32_t n = r ? taken_by(e, p, a, hold, from_us, r) : 0;

	cs_plan_settle(e);
	if (r && are_free(p, r, n, until_us))
		from_us = until_us;
	while (r && until_us - from_us > 1) {
		int64_t mid = from_us + (until_us - from_us) / 2;

		if (are_free(p, r, n, mid))
			from_us = mid;
		else
			until_us = mid;
	}
	free(r);
	return from_us;
}

void cs_plan_longer(struct cs_engine *e, struct cs_ejob *j, int64_t from_us)
{
	struct cs_plan *p = e->sm->plan;
	int64_t end = cs_plan_left_us(e, j);
	struct cs_release *r = NULL;
	int rc = -ENOMEM;

	cs_plan_settle(e);
	if (!p->line || e->sm->stale)
		return;
	if (from_us != CS_TIME_NONE)
		from_us += e->sm->ahead_us;
	if (end >= from_us && cs_sm_holds(j))
		r = calloc(most_taken(e, j->alloc), sizeof(*r));
	if (r)
		rc = take(p, r, taken_by(e, p, j->alloc, j->hold, from_us, r),
			  end);
	free(r);
	for (uint32_t i = 0; i < j->alloc->n_node; i++)
		cs_plan_release(e, p, j->alloc->node[i].node);
	e->sm->stale = rc || !cs_plan_holds_all(e, p, p->line);
}

void cs_plan_leaving(struct cs_engine *e, struct cs_ejob *j)
{
	/* the plan may count what the host lets it run beyond its end */
	e->sm->stale = e->sm->stale || j->job.option[j->option].over_s ||
		       cs_progress_rest_end_us(e, j) != e->now_us ||
		       !cs_sm_serves(e, e->sm);
}

static bool has_class(const struct cs_classes *set, uint32_t c)
{
	uint32_t i = 0;

	while (i < set->n && set->class[i] != c)
		i++;
	return i < set->n;
}

bool cs_plan_room(struct cs_engine *e, const struct cs_ejob *own,
		  uint32_t nodeset, uint32_t cores, int64_t run_us)
{
	const struct cs_plan *p = e->sm->plan;
	const struct cs_classes *set = &p->set[nodeset];
	int64_t now = cs_sm_time(e, e->sm), end = cs_later_us(now, run_us),
		sum = 0;

	/* all reserved cores, its own or not */
	for (uint32_t c = 0; c < p->n_class; c++) {
		int32_t least;

		if (!has_class(set, p->of[c]))
			continue;
		least = cs_timeline_least(p->line, c, now, end);
		/* it may use its own promise */
		if (own->plan.start_us < end)
			least -= own->plan.cores[c];
		sum += least > 0 ? least : 0;
	}
	return sum >= cores;
}

/* For nodes of @mask, empty or not: take their free cores in @o out of @left, by class;
 * if there are too few, the node out of @mask. */
static void spare(const struct cs_engine *e, const struct cs_occ *o, bool empty,
		  int32_t *left, uint64_t *mask)
{
	const struct cs_plan *p = e->sm->plan;

	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		int32_t cores = (int32_t)o->node[n].free_cores;

		if (!cs_bit(mask, n) || cs_bit(e->sm->now.empty, n) != empty)
			continue;
		if (left[p->class_of[n]] < cores)
			cs_bit_clear(mask, n);
		else
			left[p->class_of[n]] -= cores;
	}
}

/* Add to @left, by the class of their nodes, the reserved cores that the entry may
 * take; for one in a reservation of cores nothing else. */
static void with_reserved(const struct cs_engine *e, const struct cs_entry *x,
			  int64_t run_us, int32_t *left)
{
	const struct cs_plan *p = e->sm->plan;
	const struct cs_resv_job of = cs_resv_of(e, x->job, x->option);
	const struct cs_held_nodes *own = cs_resv_confines(&of);
	bool within = own && own->cores;

	for (uint32_t c = 0; within && c < p->n_kind; c++)
		left[c] = 0;
	for (uint32_t c = p->n_kind; c < p->n_class; c++)
		if (within ? &e->held[p->held[c]] == own
			   : cs_plan_crosses(e, p, &of, c, e->now_us, run_us))
			left[p->of[c]] += left[c];
}

void cs_plan_spare(const struct cs_pass *pass, const struct cs_occ *o,
		   const struct cs_shape *s, int64_t run_us, uint64_t *mask)
{
	const struct cs_engine *e = pass->e;
	const struct cs_plan *p = e->sm->plan;
	const struct cs_planned *q = &pass->queue[pass->i].job->plan;
	int64_t now = cs_sm_time(e, e->sm), end = cs_later_us(now, run_us);
	int32_t left[CS_PLAN_CLASSES];

	for (uint32_t c = 0; c < p->n_class; c++) {
		left[c] = cs_timeline_least(p->line, c, now, end);
		if (q->start_us < end)
			left[c] -= q->cores[c];
	}
	with_reserved(e, &pass->queue[pass->i], run_us, left);
	spare(e, o, true, left, mask);
	if (s->kind != CS_SHAPE_SPACE)
		spare(e, o, false, left, mask);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A start against the plan: would everybody keep his promise, and what it takes
 * once it was made.
 *
 * A node on which jobs run already is taken until the last of them ends, so a
 * start there takes it from then on only.
 */
#include "plan_parts.h"

#include <errno.h>
#include <stdlib.h>

/* Fill @r with what @a takes that the plan does not have taken yet, node by
 * node: from at_us on, until the caller's end. */
static uint32_t taken_by(const struct cs_engine *e, const struct cs_plan *p,
			 const struct cs_ejob *own, const struct cs_alloc *a,
			 enum cs_hold hold, struct cs_release *r)
{
	int64_t now = cs_vm_time(e, e->vm);
	uint32_t k = 0;

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;
		int32_t cores = cs_plan_node_cores(e, n);
		int64_t from = now;

		if (own && cs_node_held_for(e, own, n))
			continue;
		if (!cs_plan_whole(e, hold, a))
			cores = (int32_t)cs_alloc_count(a, i);
		else if (e->vm->on[n].n && p->release[n] > now)
			from = p->release[n];
		r[k++] = (struct cs_release){ from, p->class_of[n], cores };
	}
	cs_releases_sort(r, k);
	return k;
}

/* Are the cores of @r [n], which is sorted, free until @end? */
static bool are_free(const struct cs_plan *p, const struct cs_release *r,
		     uint32_t n, int64_t end)
{
	int32_t sum[CS_PLAN_CLASSES] = { 0 };

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

bool cs_plan_leaves(struct cs_engine *e, const struct cs_ejob *own,
		    const struct cs_alloc *a, enum cs_hold hold, int64_t end_us)
{
	struct cs_plan *p = &e->vm->plan;
	const struct cs_planned *q = own ? &own->plan : NULL;
	int64_t end =
		end_us == CS_TIME_NONE ? end_us : end_us + e->vm->ahead_us;
	struct cs_release *r = calloc(a->n_node, sizeof(*r));
	bool lifted = q && q->start_us != CS_TIME_NONE, ok;
	uint32_t n;

	if (!r)
		return false;
	if (lifted)
		lifted = !cs_plan_lift(p, p->line, q);
	n = taken_by(e, p, own, a, hold, r);
	ok = are_free(p, r, n, end);
	if (lifted &&
	    cs_timeline_add(p->line, q->start_us, q->end_us, q->cores))
		p->stale = true;
	free(r);
	return ok;
}

/* Take the cores of @r [n], which is sorted, out of both lines until @end. */
static int take(struct cs_plan *p, const struct cs_release *r, uint32_t n,
		int64_t end)
{
	int rc = 0;

	for (uint32_t i = 0, k; !rc && i < n; i = k) {
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

void cs_plan_booked(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_plan *p = &e->vm->plan;
	int64_t now = cs_vm_time(e, e->vm), end;
	struct cs_release *r;
	int rc = -ENOMEM;

	if (!p->line || p->stale)
		return;
	end = cs_plan_left_us(e, j);
	r = calloc(j->alloc->n_node, sizeof(*r));
	if (r)
		rc = take(p, r, taken_by(e, p, j, j->alloc, j->hold, r), end);
	/* beside others: what it was promised is left to who comes behind */
	p->left |= r && j->hold == CS_HOLD_PACKED &&
		   r[j->alloc->n_node - 1].at_us > now;
	free(r);
	for (uint32_t i = 0; i < j->alloc->n_node; i++)
		cs_plan_release(e, p, j->alloc->node[i].node);
	if (end < p->next_end_us)
		p->next_end_us = end > now ? end : now;
	p->stale = rc != 0;
}

void cs_plan_leaving(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_plan *p = &e->vm->plan;

	p->stale = p->stale || cs_progress_rest_end_us(e, j) != e->now_us ||
		   !cs_slice_serves(e, e->vm);
}

bool cs_plan_room(struct cs_engine *e, const struct cs_ejob *own,
		  uint32_t nodeset, uint32_t cores, int64_t run_us)
{
	const struct cs_plan *p = &e->vm->plan;
	const struct cs_classes *set = &p->set[nodeset];
	int64_t now = cs_vm_time(e, e->vm),
		end = cs_plan_end_after(now, run_us), sum = 0;

	for (uint32_t i = 0; i < set->n; i++) {
		uint32_t c = set->class[i];
		int32_t least = cs_timeline_least(p->line, c, now, end);

		/* what it is promised itself it may have */
		if (own->plan.start_us < end)
			least -= own->plan.cores[c];
		sum += least > 0 ? least : 0;
	}
	return sum >= cores;
}

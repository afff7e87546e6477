/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What started jobs and the host's reservations leave of the machine: rule 1 of
 * plan.c.
 *
 * Cost: O(nodes log nodes + packed jobs + reservations x nodes).
 */
#include "plan_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int64_t cs_plan_left_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	int64_t end = cs_progress_end_us(e, j);

	return end == CS_TIME_NONE ? end : end + e->vm->ahead_us;
}

int cs_plan_add(struct cs_plan *p, struct cs_timeline *t, uint32_t class,
		int64_t from, int64_t to, int32_t cores)
{
	p->cores[class] = cores;
	return cs_timeline_add(t, from, to, p->cores) +
	       (p->cores[class] = 0); /* scratch is all 0 between calls */
}

int cs_release_cmp(const void *x, const void *y)
{
	const struct cs_release *a = x, *b = y;

	if (a->at_us != b->at_us)
		return a->at_us < b->at_us ? -1 : 1;
	return a->class < b->class ? -1 : a->class > b->class;
}

/* One node more behind the @n of @r: nodes of one job mostly follow each other. */
static uint32_t append(struct cs_release *r, uint32_t n, int64_t at_us,
		       uint32_t class, int32_t cores)
{
	struct cs_release x = { at_us, class, cores };

	if (n && !cs_release_cmp(&r[n - 1], &x))
		r[n - 1].cores += x.cores;
	else
		r[n++] = x;
	return n;
}

/* Those of one job are mostly equal. */
void cs_releases_sort(struct cs_release *r, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (cs_release_cmp(&r[i - 1], &r[i]) > 0) {
			qsort(r, n, sizeof(*r), cs_release_cmp);
			return;
		}
}

/* Put what the nodes @r [n] hold from @from_us on into @t, sorting @r. */
static int take_releases(struct cs_plan *p, struct cs_timeline *t,
			 struct cs_release *r, uint32_t n, int64_t from_us)
{
	int rc = 0;

	cs_releases_sort(r, n);
	for (uint32_t i = 0, k; !rc && i < n; i = k) {
		int32_t cores = 0;

		for (k = i; k < n && !cs_release_cmp(&r[i], &r[k]); k++)
			cores += r[k].cores;
		rc = cs_plan_add(p, t, r[i].class, from_us, r[i].at_us, -cores);
	}
	return rc;
}

/* Free cores of each class, as if nobody ran. */
static void all_free(struct cs_engine *e, struct cs_plan *p)
{
	memset(p->cores, 0, p->n_class * sizeof(*p->cores));
	memset(p->up, 0, p->n_class * sizeof(*p->up));
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		if (cs_bit(e->vm->now.down, n))
			continue;
		p->cores[p->class_of[n]] += cs_plan_node_cores(e, n);
		p->up[p->class_of[n]]++;
	}
}

void cs_plan_release(struct cs_engine *e, struct cs_plan *p, uint32_t n)
{
	const struct cs_slots *on = &e->vm->on[n];

	p->release[n] = INT64_MIN;
	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *j = e->slot[on->slot[k]];
		int64_t at;

		if (!cs_plan_whole(e, j->hold, j->alloc))
			continue;
		at = cs_plan_left_us(e, j);
		if (at > p->release[n])
			p->release[n] = at;
	}
}

/* Does the same job have either node for itself? */
static bool same_job(const struct cs_slots *a, const struct cs_slots *b)
{
	return a->n == 1 && b->n == 1 && a->slot[0] == b->slot[0];
}

/* A packed job's cores until it ends. */
static int take_packed(struct cs_engine *e, struct cs_plan *p,
		       struct cs_timeline *t, const struct cs_alloc *a,
		       int64_t from_us, int64_t to_us)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < a->n_node; i++) {
		uint32_t n = a->node[i].node;

		if (!cs_bit(e->vm->now.down, n))
			rc = cs_plan_add(p, t, p->class_of[n], from_us, to_us,
					 -(int32_t)cs_alloc_count(a, i));
	}
	return rc;
}

/* What the host's reservations take. */
static int take_held(struct cs_engine *e, struct cs_plan *p,
		     struct cs_timeline *t)
{
	int rc = 0;

	for (uint32_t h = 0; !rc && h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];

		for (uint32_t n = 0; !rc && n < e->machine->n_node; n++)
			if (cs_bit(r->nodes, n) && !cs_bit(e->vm->now.down, n))
				rc = cs_plan_add(
					p, t, p->class_of[n],
					r->start_us + e->vm->ahead_us,
					r->end_us == CS_TIME_NONE
						? CS_TIME_NONE
						: r->end_us + e->vm->ahead_us,
					-cs_plan_node_cores(e, n));
	}
	return rc;
}

int cs_plan_make_base(struct cs_engine *e, struct cs_plan *p)
{
	int64_t now = cs_vm_time(e, e->vm);
	struct cs_release *r = calloc(e->machine->n_node, sizeof(*r));
	uint32_t n_release = 0;
	int rc = r ? 0 : -ENOMEM;

	all_free(e, p);
	cs_timeline_reset(p->base, now, p->cores);
	memset(p->cores, 0, p->n_class * sizeof(*p->cores));
	p->next_end_us = CS_TIME_NONE;
	for (uint32_t n = 0; r && n < e->machine->n_node; n++) {
		if (n && same_job(&e->vm->on[n], &e->vm->on[n - 1]))
			p->release[n] = p->release[n - 1];
		else
			cs_plan_release(e, p, n);
		if (p->release[n] > now && !cs_bit(e->vm->now.down, n))
			n_release = append(r, n_release, p->release[n],
					   p->class_of[n],
					   cs_plan_node_cores(e, n));
	}
	if (!rc)
		rc = take_releases(p, p->base, r, n_release, now);
	free(r);
	for (size_t i = 0; !rc && i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];
		int64_t at = cs_plan_left_us(e, j);

		if (cs_vm_of(e, j) != e->vm || !cs_vm_holds(j))
			continue;
		if (at < p->next_end_us)
			p->next_end_us = at;
		if (!cs_plan_whole(e, j->hold, j->alloc))
			rc = take_packed(e, p, p->base, j->alloc, now, at);
	}
	return rc ? rc : take_held(e, p, p->base);
}

bool cs_plan_outlasted(struct cs_engine *e, struct cs_plan *p)
{
	int64_t now = cs_vm_time(e, e->vm), next = CS_TIME_NONE;

	if (now < p->next_end_us)
		return false;
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];
		int64_t at;

		if (cs_vm_of(e, j) != e->vm || !cs_vm_holds(j))
			continue;
		at = cs_plan_left_us(e, j);
		if (at < next)
			next = at;
		if (j->at_us + cs_stretch_us(j->job.estimate_us - j->done_us,
					     j->factor) <=
		    e->now_us)
			return true;
	}
	e->changed |= next != p->next_end_us;
	p->next_end_us = next;
	return false;
}

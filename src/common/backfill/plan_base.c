/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What started jobs and the host's reservations leave of the machine: rule 1 of
 * plan.c.
 *
 * Cost: O(nodes log nodes), and a change of the line for each started job that is packed, and
 * for each reservation.
 */
#include "backfill/plan_parts.h"
#include "job/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "state/pass.h"

int64_t cs_plan_left_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	int64_t end = cs_progress_end_us(e, j);

	return end == CS_TIME_NONE ? end : end + e->sm->ahead_us;
}

int cs_plan_add(struct cs_plan *p, struct cs_timeline *t, uint32_t class,
		int64_t from, int64_t to, int32_t cores)
{
	p->cores[class] = cores;
	return cs_timeline_add(t, from, to, p->cores) +
	       (p->cores[class] = 0); /* scratch is all 0 between calls */
}

/* Add what is gathered in p->cores, which is all 0 afterwards. */
static int add_gathered(struct cs_plan *p, struct cs_timeline *t, int64_t from,
			int64_t to)
{
	int rc = cs_timeline_add(t, from, to, p->cores);

	memset(p->cores, 0, p->n_line * sizeof(*p->cores));
	return rc;
}

int64_t cs_plan_held_start(const struct cs_engine *e, uint32_t h)
{
	const struct cs_held_nodes *r = &e->held[h];

	return r->flags & CS_RESV_FLOAT ? INT64_MIN
					: r->start_us + e->sm->ahead_us;
}

int64_t cs_plan_held_end(const struct cs_engine *e, uint32_t h)
{
	const struct cs_held_nodes *r = &e->held[h];

	return r->flags & CS_RESV_FLOAT || r->end_us == CS_TIME_NONE
		       ? CS_TIME_NONE
		       : r->end_us + e->sm->ahead_us;
}

int cs_plan_add_all(const struct cs_engine *e, struct cs_plan *p,
		    struct cs_timeline *t, int64_t from, int64_t to,
		    const int32_t *cores, int32_t sign)
{
	int rc;

	for (uint32_t c = 0; c < p->n_line; c++)
		p->cores[c] = sign * cores[c];
	rc = cs_timeline_add(t, from, to, p->cores);
	memset(p->cores, 0, p->n_line * sizeof(*p->cores));
	for (uint32_t c = p->n_kind; !rc && c < p->n_class; c++) {
		int64_t start = cs_plan_held_start(e, p->held[c]);
		int64_t end = cs_plan_held_end(e, p->held[c]);

		if (cores[c] && from < start)
			rc = cs_plan_add(p, t, p->of[c], from,
					 start < to ? start : to,
					 sign * cores[c]);
		if (!rc && cores[c] && end < to)
			rc = cs_plan_add(p, t, p->of[c],
					 end > from ? end : from, to,
					 sign * cores[c]);
	}
	if (rc) /* it may be partly there */
		e->sm->stale = true;
	return rc;
}

uint32_t cs_plan_within(const struct cs_engine *e, uint32_t h, uint32_t n,
			const uint64_t *cores)
{
	const uint64_t *held = cs_resv_cores(&e->held[h], n);

	return held ? cs_bits_common(held, cores, e->machine->words) : 0;
}

int cs_release_cmp(const void *x, const void *y)
{
	const struct cs_release *a = x, *b = y;

	if (a->at_us != b->at_us)
		return a->at_us < b->at_us ? -1 : 1;
	return a->class < b->class ? -1 : a->class > b->class;
}

/* Append a node to the @n of @r: nodes of one job are mostly in a row. */
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
void cs_plan_releases_sort(struct cs_release *r, uint32_t n)
{
	cs_sort(r, n, sizeof(*r), cs_release_cmp);
}

/* Put what the nodes @r [n] hold from @from_us on into @t, sorting @r. */
static int take_releases(struct cs_plan *p, struct cs_timeline *t,
			 struct cs_release *r, uint32_t n, int64_t from_us)
{
	int rc = 0;

	cs_plan_releases_sort(r, n);
	for (uint32_t i = 0, k; !rc && i < n; i = k) {
		for (k = i; k < n && r[k].at_us == r[i].at_us; k++)
			p->cores[r[k].class] -= r[k].cores;
		rc = add_gathered(p, t, from_us, r[i].at_us);
	}
	return rc;
}

/* Free cores of each class, as if no job ran. */
static void all_free(struct cs_engine *e, struct cs_plan *p)
{
	memset(p->cores, 0, p->n_line * sizeof(*p->cores));
	memset(p->up, 0, p->n_class * sizeof(*p->up));
	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		if (cs_bit(e->sm->now.down, n))
			continue;
		p->cores[p->class_of[n]] += cs_plan_node_cores(e, n);
		p->up[p->class_of[n]]++;
		if (cs_plan_gpu_line(p, p->class_of[n]))
			p->cores[cs_plan_gpu_line(p, p->class_of[n])] +=
				cs_plan_node_gpus(e, n);
	}
	for (uint32_t c = p->n_kind; c < p->n_class; c++) {
		const struct cs_alloc *a = e->held[p->held[c]].cores;

		for (uint32_t i = 0; i < a->n_node; i++)
			if (p->class_of[a->node[i].node] == p->of[c] &&
			    !cs_bit(e->sm->now.down, a->node[i].node)) {
				p->cores[c] += (int32_t)cs_alloc_count(a, i);
				p->up[c]++;
			}
	}
}

void cs_plan_release(struct cs_engine *e, struct cs_plan *p, uint32_t n)
{
	const struct cs_slots *on = &e->sm->on[n];

	p->release[n] = INT64_MIN;
	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *j = e->slot[on->slot[k]];
		int64_t at;

		if (!cs_plan_whole_on(e, j->hold, j->alloc, n))
			continue;
		at = cs_plan_left_us(e, j);
		if (at > p->release[n])
			p->release[n] = at;
	}
}

/* Does one job hold both nodes alone? */
static bool same_job(const struct cs_slots *a, const struct cs_slots *b)
{
	return a->n == 1 && b->n == 1 && a->slot[0] == b->slot[0];
}

/* The cores on node @n, @a's @i-th, where some are reserved. */
static int take_cut(struct cs_engine *e, struct cs_plan *p,
		    struct cs_timeline *t, const struct cs_alloc *a, uint32_t i,
		    int64_t from_us, int64_t to_us)
{
	uint32_t n = a->node[i].node, c = p->class_of[n];
	int32_t rest = (int32_t)cs_alloc_count(a, i);
	int32_t cores[CS_PLAN_LINES] = { 0 };

	for (uint32_t v = p->n_kind; v < p->n_class; v++) {
		if (p->of[v] == c)
			cores[v] = -(int32_t)cs_plan_within(
				e, p->held[v], n, cs_alloc_cores(a, i));
		rest += cores[v];
	}
	cores[c] = rest > 0 ? -rest : 0;
	return cs_plan_add_all(e, p, t, from_us, to_us, cores, 1);
}

/* The cores, until it ends, of a job that does not take all its nodes whole. */
static int take_cores(struct cs_engine *e, struct cs_plan *p,
		      struct cs_timeline *t, const struct cs_ejob *j,
		      int64_t from_us, int64_t to_us)
{
	const struct cs_alloc *a = j->alloc;
	int rc;

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;
		uint32_t line = cs_plan_gpu_line(p, p->class_of[n]);

		if (cs_bit(e->sm->now.down, n) ||
		    cs_plan_whole_on(e, j->hold, a, n))
			continue;
		if (line)
			p->cores[line] -= cs_plan_gpus_of(e, a, i, false);
		if (!cs_resv_cut(e, n))
			p->cores[p->class_of[n]] -=
				(int32_t)cs_alloc_count(a, i);
	}
	rc = add_gathered(p, t, from_us, to_us);
	for (uint32_t i = 0; !rc && e->cuts && i < a->n_node; i++)
		if (!cs_bit(e->sm->now.down, a->node[i].node) &&
		    cs_resv_cut(e, a->node[i].node))
			rc = take_cut(e, p, t, a, i, from_us, to_us);
	return rc;
}

/* Does node @n differ from its class for reservation @h? (There may be no class left
 * for it.) */
static bool odd_one(const struct cs_plan *p, const struct cs_held_nodes *h,
		    uint32_t n)
{
	return !cs_bit(h->nodes, p->like[p->class_of[n]]);
}

/* Gather what reservation @h takes of the classes of its nodes: its cores; of whole nodes
 * those that differ from their class. */
static void gather_held(struct cs_engine *e, struct cs_plan *p,
			const struct cs_held_nodes *h)
{
	for (uint32_t w = 0; w < cs_node_words(e->machine); w++) {
		uint64_t nodes = h->nodes[w] & ~e->sm->now.down[w];

		while (nodes) {
			uint32_t n = 64 * w + cs_bit_pop(&nodes);
			const uint64_t *cores = cs_resv_cores(h, n);
			int32_t *sum = &p->cores[p->class_of[n]];

			if (cores)
				*sum -= (int32_t)cs_bits_count(
					cores, e->machine->words);
			else if (h->cores || odd_one(p, h, n))
				*sum -= cs_plan_node_cores(e, n);
		}
	}
}

/* The cores that the host's reservations keep from all but their own jobs.  Reserved
 * whole nodes are tested when a job is put (plan_promise.c). */
static int take_held(struct cs_engine *e, struct cs_plan *p,
		     struct cs_timeline *t)
{
	int rc = 0;

	for (uint32_t h = 0; !rc && h < e->n_held; h++) {
		if (e->held[h].job) /* a promise (plan_promise.c) */
			continue;
		gather_held(e, p, &e->held[h]);
		rc = add_gathered(p, t, cs_plan_held_start(e, h),
				  cs_plan_held_end(e, h));
	}
	return rc;
}

/* The GPUs of nodes that jobs take whole, behind the @n of @r; returns how many there are
 * then. */
static uint32_t append_gpus(const struct cs_engine *e, const struct cs_plan *p,
			    int64_t now, struct cs_release *r, uint32_t n)
{
	if (p->n_line == p->n_class)
		return n;
	for (uint32_t i = 0; i < e->machine->n_node; i++) {
		uint32_t line = cs_plan_gpu_line(p, p->class_of[i]);

		if (line && p->release[i] > now && !cs_bit(e->sm->now.down, i))
			n = append(r, n, p->release[i], line,
				   cs_plan_node_gpus(e, i));
	}
	return n;
}

int cs_plan_make_base(struct cs_engine *e, struct cs_plan *p)
{
	int64_t now = cs_sm_time(e, e->sm);
	uint32_t each = p->n_line > p->n_class ? 2 : 1; /* of a node */
	struct cs_release *r =
		calloc((size_t)each * e->machine->n_node, sizeof(*r));
	uint32_t n_release = 0;
	int rc = r ? 0 : -ENOMEM;

	cs_step(e, (int64_t)(e->machine->n_node + e->started.n) / 16);
	all_free(e, p);
	cs_timeline_reset(p->base, now, p->cores);
	memset(p->cores, 0, p->n_line * sizeof(*p->cores));
	p->next_end_us = CS_TIME_NONE;
	for (uint32_t n = 0; r && n < e->machine->n_node; n++) {
		if (n && same_job(&e->sm->on[n], &e->sm->on[n - 1]))
			p->release[n] = p->release[n - 1];
		else
			cs_plan_release(e, p, n);
		if (p->release[n] > now && !cs_bit(e->sm->now.down, n))
			n_release = append(r, n_release, p->release[n],
					   p->class_of[n],
					   cs_plan_node_cores(e, n));
	}
	if (!rc)
		rc = take_releases(p, p->base, r,
				   append_gpus(e, p, now, r, n_release), now);
	free(r);
	for (size_t i = 0; !rc && i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];
		int64_t at = cs_plan_left_us(e, j);

		if (cs_sm_of(e, j) != e->sm || !cs_sm_holds(j))
			continue;
		if (at < p->next_end_us)
			p->next_end_us = at;
		if (e->cuts || !cs_plan_whole(e, j->hold, j->alloc))
			rc = take_cores(e, p, p->base, j, now, at);
	}
	return rc ? rc : take_held(e, p, p->base);
}

bool cs_plan_outlasted(struct cs_engine *e, struct cs_plan *p)
{
	int64_t now = cs_sm_time(e, e->sm), next = CS_TIME_NONE;

	if (now < p->next_end_us)
		return false;
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *j = e->started.job[i];
		int64_t at;

		if (cs_sm_of(e, j) != e->sm || !cs_sm_holds(j))
			continue;
		at = cs_plan_left_us(e, j);
		if (at < next)
			next = at;
		if (j->state != CS_SUSPENDED &&
		    j->at_us + cs_stretch_us(j->job.estimate_us - j->done_us,
					     j->slowdown) <=
			    e->now_us)
			return true;
	}
	e->changed |= next != p->next_end_us;
	p->next_end_us = next;
	return false;
}

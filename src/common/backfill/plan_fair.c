/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What if: the fairness check (Zeng09, section 4.5, step 6; see slowdown.h).
 *
 * If nodes were left at other times, promises are made again in a trial line, in the
 * order in which they would be remade (plan.c, rule 3): each job there gets what it
 * would get then.
 *
 * Cost: O(steps) if all promises stay, else that a promise.
 */
#include "backfill/plan_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "job/alone.h"
#include "state/pass.h"

/* A node would be left at @to_us instead of @from_us. */
struct shift {
	int64_t from_us, to_us;
	uint32_t class;
	int32_t cores;
};

static int by_shift(const void *x, const void *y)
{
	const struct shift *a = x, *b = y;

	if (a->from_us != b->from_us)
		return a->from_us < b->from_us ? -1 : 1;
	if (a->to_us != b->to_us)
		return a->to_us < b->to_us ? -1 : 1;
	return a->class < b->class ? -1 : a->class > b->class;
}

static int shift_all(struct cs_plan *p, struct shift *s, uint32_t n)
{
	int rc = 0;

	cs_sort(s, n, sizeof(*s), by_shift);
	for (uint32_t i = 0, k; !rc && i < n; i = k) {
		int32_t cores = 0;

		for (k = i; k < n && !by_shift(&s[i], &s[k]); k++)
			cores += s[k].cores;
		if (s[i].to_us > s[i].from_us)
			rc = cs_plan_add(p, p->trial, s[i].class, s[i].from_us,
					 s[i].to_us, -cores);
		else
			rc = cs_plan_add(p, p->trial, s[i].class, s[i].to_us,
					 s[i].from_us, cores);
	}
	return rc;
}

/* p->trial: @from with @l. */
static int what_if(struct cs_engine *e, struct cs_plan *p,
		   const struct cs_timeline *from, const struct cs_leave *l,
		   uint32_t n)
{
	int64_t now = cs_sm_time(e, e->sm);
	struct shift *s = calloc(n, sizeof(*s));
	int rc = s ? cs_timeline_copy(p->trial, from) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++) {
		uint32_t at = l[i].node;
		bool held = e->sm->on[at].n && p->release[at] > now;

		s[i] = (struct shift){ held ? p->release[at] : now, l[i].at_us,
				       p->class_of[at],
				       cs_plan_node_cores(e, at) };
	}
	if (!rc)
		rc = shift_all(p, s, n);
	free(s);
	return rc;
}

bool cs_plan_may_end(const struct cs_engine *e, const struct cs_ejob *j,
		     int64_t end_us)
{
	return !j->max_us || cs_plan_response_us(e, j, end_us) <= j->max_us;
}

/* Could all promises stay, but those of jobs that would no longer wait?  Then they do
 * (rule 3).  1, 0, -ENOMEM. */
static int all_stay(struct cs_engine *e, struct cs_plan *p,
		    const struct cs_leave *l, uint32_t n)
{
	int rc;

	if (e->sm->stale || !e->order->lasting)
		return 0;
	cs_search_step(e, (int64_t)p->n_order);
	rc = what_if(e, p, p->line, l, n);
	for (size_t i = 0; !rc && i < p->n_order; i++) {
		const struct cs_planned *q = &p->order[i]->plan;

		if (q->out && q->start_us != CS_TIME_NONE)
			rc = cs_plan_lift(e, p, p->trial, q);
	}
	return rc ? rc : cs_plan_holds_all(e, p, p->trial);
}

/* When @j would end; puts it into p->trial. */
static int try_again(struct cs_engine *e, struct cs_plan *p, struct cs_ejob *j,
		     int64_t *ret_end)
{
	uint32_t option = j->plan.option;
	bool by_core = j->plan.by_core;
	int64_t start = cs_plan_seek(e, p, p->trial, j, p->what_if);

	*ret_end = start == CS_TIME_NONE ? start
					 : cs_later_us(start, j->plan.run_us);
	if (j->plan.option != option || j->plan.by_core != by_core)
		cs_alone_layout_by(e, j, option, by_core);
	else
		cs_alone_layout(e, j, option);
	if (start == CS_TIME_NONE)
		return 0;
	return cs_plan_add_all(e, p, p->trial, start, *ret_end, p->what_if, 1);
}

int cs_plan_fair(struct cs_engine *e, const struct cs_leave *l, uint32_t n,
		 bool strict)
{
	struct cs_plan *p = e->sm->plan;
	int rc;

	cs_plan_settle(e);
	rc = all_stay(e, p, l, n);
	if (rc)
		return rc;
	rc = what_if(e, p, p->base, l, n);
	for (size_t i = 0; !rc && i < p->n_order; i++) {
		struct cs_ejob *j = p->order[i];
		int64_t end;

		if (!cs_waits(j) || j->plan.out ||
		    j->plan.start_us == CS_TIME_NONE)
			continue;
		cs_search_step(e, 1);
		rc = try_again(e, p, j, &end);
		if (end > j->plan.end_us &&
		    (strict || !cs_plan_may_end(e, j, end)))
			return 0;
	}
	return rc ? rc : 1;
}

/* When node @n would be left, by the jobs there then.  If that moves no job, it is the
 * plan's time: a host that confirms a start a moment later must not look like a
 * delay. */
static int64_t left_at(const struct cs_engine *e, uint32_t n,
		       struct cs_ejob *const *moved, const int64_t *ends_us,
		       size_t n_moved)
{
	const struct cs_slots *on = &e->sm->on[n];
	const struct cs_plan *p = e->sm->plan;
	int64_t at = INT64_MIN, was = INT64_MIN;

	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *j = e->slot[on->slot[k]];
		int64_t end = cs_plan_left_us(e, j);

		was = end > was ? end : was;
		for (size_t i = 0; i < n_moved; i++)
			if (moved[i] == j)
				end = ends_us[i] + e->sm->ahead_us;
		at = end > at ? end : at;
	}
	return at == was && p->release[n] > cs_sm_time(e, e->sm) ? p->release[n]
								 : at;
}

/* Are all nodes left no later than planned? */
static bool in_time(const struct cs_engine *e, const struct cs_leave *l,
		    uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (l[i].at_us > e->sm->plan->release[l[i].node])
			return false;
	return true;
}

/* Thousands of jobs may try to backfill beside running ones, and each look at all
 * promises is costly: RUNNING_PRIM_NUM of them in a pass. */
static bool may_look(struct cs_pass *pass)
{
	int64_t most = pass->e->params.running_prim_num;

	return pass->head || !most || pass->looks++ < most;
}

/* Into @l, which has room for all, when the nodes of @a, held until @end_us, and those
 * of @moved [n] would be left; returns how many. */
static uint32_t leaves(const struct cs_engine *e, const struct cs_alloc *a,
		       int64_t end_us, struct cs_ejob *const *moved,
		       const int64_t *ends_us, size_t n, struct cs_leave *l)
{
	uint32_t k = 0;

	memset(e->mask2, 0, cs_node_words(e->machine) * sizeof(*e->mask2));
	cs_alloc_mark(a, e->mask2);
	for (size_t i = 0; i < n; i++)
		cs_alloc_mark(moved[i]->alloc, e->mask2);
	for (uint32_t m = 0; m < e->machine->n_node; m++)
		if (cs_bit(e->mask2, m))
			l[k++] = (struct cs_leave){ m, left_at(e, m, moved,
							       ends_us, n) };
	/* those of @a are all present, and in order */
	for (uint32_t i = 0, m = 0; i < a->n_node; i++) {
		while (l[m].node < a->node[i].node)
			m++;
		if (l[m].at_us < end_us + e->sm->ahead_us)
			l[m].at_us = end_us + e->sm->ahead_us;
	}
	return k;
}

bool cs_plan_leaves_moved(struct cs_pass *pass, const struct cs_alloc *a,
			  enum cs_node_use hold, int64_t end_us,
			  struct cs_ejob *const *moved, const int64_t *ends_us,
			  size_t n)
{
	struct cs_engine *e = pass->e;
	struct cs_ejob *own = pass->queue[pass->i].job;
	uint32_t nodes = a->n_node, k;
	struct cs_leave *l;
	bool ok;

	(void)hold; /* it goes by when nodes are free of all jobs */
	for (size_t i = 0; i < n; i++) {
		if (!cs_plan_may_end(e, moved[i], ends_us[i] + e->sm->ahead_us))
			return false;
		nodes += moved[i]->alloc->n_node;
	}
	l = calloc(nodes, sizeof(*l));
	if (!l)
		return false;
	k = leaves(e, a, end_us, moved, ends_us, n, l);
	own->plan.out = true;
	ok = in_time(e, l, k) ||
	     (may_look(pass) && cs_plan_fair(e, l, k, !pass->head) > 0);
	own->plan.out = false;
	free(l);
	return ok;
}

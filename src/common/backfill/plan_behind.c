/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A start on cores that others hold.
 *
 * Problem.  If the host gives a core to several jobs (CS_JOB_SHARES_CORES), one of them
 * may outlast its present holders.  A job promised the cores that they leave would wait
 * for it.
 *
 * Rule.  A job of w cores, which others hold on node n until the ends t_1 <= ... <=
 * t_k, has there after t_i at most what they have left,
 *
 *	need(t_i) = min(w, c_1 + ... + c_i)				(1)
 *
 * with c_i the cores of the job that ends at t_i. n will do if for each t_i before the
 * job's own end the plan, without the job's own promise, has need(t_i) cores left from
 * t_i until then, beside those on nodes already examined.
 *
 * Example.  A node of four cores is held until 100, then promised to another.  It will
 * do for a job of four cores that ends by 100, not for a longer one (test_plan_behind.c).
 *
 * Cost: O(nodes without room) times what holds them, squared; search_steps bounds the
 * holders examined in a pass, over all jobs (host_start.c, rule 6).
 */
#include "backfill/plan_parts.h"

#include "state/pass.h"

struct behind {
	const struct cs_engine *e;
	const struct cs_plan *p;
	int64_t now_us, end_us;
	int64_t cores;			/* w */
	int64_t taken[CS_PLAN_CLASSES]; /* of nodes examined before */
};

/* Cores of node @n that @j has, or keeps from others. */
static int64_t held_on(const struct behind *b, const struct cs_ejob *j,
		       uint32_t n)
{
	const uint64_t *cores = cs_alloc_cores_on(j->alloc, n);

	if (cs_plan_whole_on(b->e, j->hold, j->alloc, n))
		return cs_plan_node_cores(b->e, n);
	return cores ? cs_bits_count(cores, j->alloc->words) : 0;
}

/* Equation 1, at @at_us. */
static int64_t need(const struct behind *b, uint32_t n, int64_t at_us)
{
	const struct cs_slots *on = &b->e->sm->on[n];
	int64_t left = 0, most = cs_plan_node_cores(b->e, n);

	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *j = b->e->slot[on->slot[k]];

		if (cs_plan_left_us(b->e, j) <= at_us)
			left += held_on(b, j, n);
	}
	most = most < b->cores ? most : b->cores;
	return left < most ? left : most;
}

/* Cores beyond those of earlier nodes, up to as many as it wants. */
static int64_t more(const struct behind *b, uint32_t c, int64_t cores)
{
	int64_t rest = b->cores - b->taken[c];

	return b->taken[c] + (cores < rest ? cores : rest);
}

/* Will node @n do? */
static bool will_do(struct behind *b, uint32_t n)
{
	const struct cs_slots *on = &b->e->sm->on[n];
	uint32_t c = b->p->class_of[n];
	int64_t most = 0;

	for (uint32_t k = 0; k < on->n; k++) {
		int64_t at = cs_plan_left_us(b->e, b->e->slot[on->slot[k]]);
		int64_t cores;

		at = at > b->now_us ? at : b->now_us;
		if (at >= b->end_us)
			continue;
		cores = need(b, n, at);
		if (cs_timeline_least(b->p->line, c, at, b->end_us) <
		    more(b, c, cores))
			return false;
		most = cores > most ? cores : most;
	}
	b->taken[c] = more(b, c, most);
	return true;
}

void cs_plan_behind(const struct cs_pass *pass, const struct cs_occ *o,
		    const struct cs_shape *s, int64_t run_us, uint32_t cores,
		    uint64_t *mask)
{
	struct cs_engine *e = pass->e;
	struct cs_plan *p = e->sm->plan;
	const struct cs_planned *q = &pass->queue[pass->i].job->plan;
	bool lifted =
		q->start_us != CS_TIME_NONE && !cs_plan_lift(e, p, p->line, q);
	struct behind b = { .e = e, .p = p, .cores = cores };

	b.now_us = cs_sm_time(e, e->sm);
	b.end_us = cs_later_us(b.now_us, run_us);
	for (uint32_t n = 0; n < e->machine->n_node; n++)
		if (cs_bit(mask, n) && !cs_layout_fit(o, n, s)) {
			cs_search_step(e, e->sm->on[n].n);
			if (!will_do(&b, n))
				cs_bit_clear(mask, n);
		}
	if (lifted &&
	    cs_plan_add_all(e, p, p->line, q->start_us, q->end_us, q->cores, 1))
		e->sm->stale = true;
}

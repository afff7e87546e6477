/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long could somebody stay where he is, with every promise as it is?  What the
 * host asks before it raises a limit by itself.
 *
 *	easy		before the first promised start of a head that would have nodes
 *			of his
 *	conservative	as the plan has it (plan_start.c); while that is out of date,
 *			before any promised start
 */
#include "backfill/easy.h"

#include <stdlib.h>

#include "backfill/plan.h"

/* Is one of the first nodes that do for @r in @nodes? */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long could somebody stay where he is with the promises of heads as they are?
 * Before the first promised start of a head that would have nodes of his.
 */
#include "backfill/easy.h"

#include <stdlib.h>

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

int64_t cs_backfill_stays_us(struct cs_engine *e, const struct cs_alloc *a,
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

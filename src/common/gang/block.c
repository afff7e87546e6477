/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processors a job gets.  Rule 2 of gang.c.
 *
 * `any` examines every window of p neighbours.  The smallest idle count of each window
 * comes from a monotonic queue: a processor stays in it while all processors to its
 * right in the window have more idle slots, so the head has the fewest.  Each processor
 * enters and leaves once: O(P).
 *
 * Source: first, buddy: Zhou00 (see repack.c), sections 1, 3 and 4.1; the order among
 * idle blocks (lowest slot, leftmost block) is our reading.
 */
#include "gang/gang_parts.h"
#include "gang/repack.h"

static uint32_t first(const struct cs_gang *g, uint32_t procs,
		      uint32_t *ret_row)
{
	uint32_t step = UINT32_C(1) << cs_gang_level(procs);

	for (uint32_t r = 0; r < g->m.rows; r++)
		for (uint32_t at = 0; procs <= g->m.procs - at; at += step) {
			if (cs_gang_idle_run(&g->m, r, at, at + procs) ==
			    procs) {
				*ret_row = r;
				return at;
			}
			if (step > g->m.procs - at)
				break;
		}
	return CS_GANG_NONE;
}

static uint32_t any(struct cs_gang *g, uint32_t procs)
{
	uint32_t *queue = g->window, head = 0, tail = 0, at = CS_GANG_NONE;
	uint64_t best = 0;

	for (uint32_t i = 0; i < g->m.procs; i++) {
		uint64_t v = cs_gang_tree_leaf(&g->room, i);

		while (tail > head &&
		       cs_gang_tree_leaf(&g->room, queue[tail - 1]) >= v)
			tail--;
		queue[tail++] = i;
		head += queue[head] + procs <= i;
		v = cs_gang_tree_leaf(&g->room, queue[head]);
		if (i + 1 < procs || v <= best)
			continue;
		best = v;
		at = i + 1 - procs;
	}
	return at;
}

uint32_t cs_gang_block(struct cs_gang *g, uint32_t procs, uint32_t *ret_row)
{
	uint32_t at;

	if (g->rules.block == CS_GANG_BLOCK_FIRST)
		return first(g, procs, ret_row);
	at = g->rules.block == CS_GANG_BLOCK_BUDDY
		     ? cs_gang_tree_best(&g->room, procs)
		     : any(g, procs);
	if (at != CS_GANG_NONE)
		*ret_row = cs_gang_gather(&g->m, at, at + procs);
	return at;
}

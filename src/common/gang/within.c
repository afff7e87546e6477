/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks when a job cannot use every processor: rule 2 of gang.c on the nodes of a real
 * machine, some of which are down, in another partition, or too small.
 *
 * Rules.
 *  1. A job of p processors gets p of the set A that it can use, and all processors
 *     between the first and the last: it occupies those in the matrix too, and no other
 *     job has them in its slots.  So it stays one piece, and legal shifts stay legal.
 *  2. first, buddy: the first p of A in a block.  If no block of the level of p has
 *     that many, blocks of the next level.
 *  3. any: the ranges from each processor of A to the p-th of A from there; of them the
 *     one whose most loaded processor has the most idle slots, then the narrowest, then
 *     the leftmost.
 *
 *	A	x . x x . x x x		p = 3, all idle: buddy 0-3, any 5-7
 *		0 1 2 3 4 5 6 7
 *
 * Source: ours; with every processor in A the blocks of Zhou00 (see repack.c).
 *
 * Invariants: if A has all processors, cs_gang_block() finds the same (test_gang.c).
 *
 * Cost: buddy O(P) per level, `first` O(n P) per level, `any` O(P) times the width of a
 * range.
 *
 * Known weakness: processors in between that a job cannot use idle in its slots.  A set
 * with holes costs its whole width.
 */
#include "base/bits.h"
#include "gang/gang_parts.h"
#include "gang/repack.h"

/* Width of the range from @from to the @procs-th of @allowed after it, before @to; 0:
 * there are not that many. */
static uint32_t reach(const uint64_t *allowed, uint32_t from, uint32_t to,
		      uint32_t procs)
{
	uint32_t at = from;

	for (; at < to && procs; at++)
		procs -= cs_bit(allowed, at);
	return procs ? 0 : at - from;
}

/* In the block of level @h that begins at @at: the first processor of @allowed, and in
 * *ret_procs the width of the range with @procs of them; 0: it has not that many. */
static uint32_t in_block(const struct cs_gang *g, const uint64_t *allowed,
			 uint32_t procs, uint32_t h, uint32_t at,
			 uint32_t *ret_procs)
{
	uint64_t end = at + (UINT64_C(1) << h);
	uint32_t to = end < g->m.procs ? (uint32_t)end : g->m.procs;

	while (at < to && !cs_bit(allowed, at))
		at++;
	*ret_procs = reach(allowed, at, to, procs);
	return at;
}

/* The first block that is idle in @row as it is; *ret_any: some block has enough of
 * @allowed. */
static uint32_t idle_in(const struct cs_gang *g, const uint64_t *allowed,
			uint32_t procs, uint32_t h, uint32_t row, bool *ret_any,
			uint32_t *ret_procs)
{
	for (uint64_t at = 0; at < g->m.procs; at += UINT64_C(1) << h) {
		uint32_t n,
			from = in_block(g, allowed, procs, h, (uint32_t)at, &n);

		*ret_any |= n != 0;
		*ret_procs = n;
		if (n && cs_gang_idle_run(&g->m, row, from, from + n) == n)
			return from;
	}
	return CS_GANG_NONE;
}

/* Rule 2, first. */
static uint32_t first_on(const struct cs_gang *g, const uint64_t *allowed,
			 uint32_t procs, uint32_t *ret_procs, uint32_t *ret_row)
{
	uint32_t top = g->room.levels;
	bool any = false;

	for (uint32_t h = cs_gang_level(procs); h < top && !any; h++)
		for (uint32_t r = 0; r < g->m.rows; r++) {
			uint32_t at = idle_in(g, allowed, procs, h, r, &any,
					      ret_procs);

			*ret_row = r;
			if (at != CS_GANG_NONE)
				return at;
		}
	return CS_GANG_NONE;
}

/* Rule 2, buddy. */
static uint32_t buddy_on(const struct cs_gang *g, const uint64_t *allowed,
			 uint32_t procs, uint32_t *ret_procs)
{
	uint32_t best = CS_GANG_NONE, top = g->room.levels;
	uint64_t most = 0;
	bool any = false;

	for (uint32_t h = cs_gang_level(procs); h < top && !any; h++)
		for (uint64_t at = 0; at < g->m.procs; at += UINT64_C(1) << h) {
			uint32_t n, from = in_block(g, allowed, procs, h,
						    (uint32_t)at, &n);
			uint64_t v =
				cs_gang_tree_block(&g->room, h, (uint32_t)at);

			any |= n != 0;
			if (!n || v <= most)
				continue;
			most = v;
			best = from;
			*ret_procs = n;
		}
	return best;
}

/* The idle slots of the most loaded processor of [@from, @to). */
static uint64_t least(const struct cs_gang *g, uint32_t from, uint32_t to)
{
	uint64_t v = UINT64_MAX;

	for (uint32_t i = from; i < to; i++) {
		uint64_t at = cs_gang_tree_leaf(&g->room, i);

		v = at < v ? at : v;
	}
	return v;
}

/* Rule 3. */
static uint32_t any_on(const struct cs_gang *g, const uint64_t *allowed,
		       uint32_t procs, uint32_t *ret_procs)
{
	uint32_t best = CS_GANG_NONE, p = g->m.procs;
	uint64_t most = 0;

	for (uint32_t at = 0; at < p; at++) {
		uint32_t n =
			cs_bit(allowed, at) ? reach(allowed, at, p, procs) : 0;
		uint64_t v = n ? least(g, at, at + n) : 0;

		if (!v || v < most || (v == most && n >= *ret_procs))
			continue;
		most = v;
		best = at;
		*ret_procs = n;
	}
	return best;
}

uint32_t cs_gang_block_on(struct cs_gang *g, uint32_t procs,
			  const uint64_t *allowed, uint32_t *ret_procs,
			  uint32_t *ret_row)
{
	uint32_t at;

	if (g->rules.block == CS_GANG_BLOCK_FIRST)
		return first_on(g, allowed, procs, ret_procs, ret_row);
	at = g->rules.block == CS_GANG_BLOCK_BUDDY
		     ? buddy_on(g, allowed, procs, ret_procs)
		     : any_on(g, allowed, procs, ret_procs);
	if (at != CS_GANG_NONE)
		*ret_row = cs_gang_gather(&g->m, at, at + *ret_procs);
	return at;
}

uint32_t cs_gang_row_for(struct cs_gang *g, uint32_t first, uint32_t procs)
{
	if (g->rules.block != CS_GANG_BLOCK_FIRST)
		return least(g, first, first + procs)
			       ? cs_gang_gather(&g->m, first, first + procs)
			       : CS_GANG_NONE;
	for (uint32_t r = 0; r < g->m.rows; r++)
		if (cs_gang_idle_run(&g->m, r, first, first + procs) == procs)
			return r;
	return CS_GANG_NONE;
}

static bool is_idle(const struct cs_gang *g, uint32_t row, uint32_t proc)
{
	return g->rules.block == CS_GANG_BLOCK_FIRST
		       ? g->m.row[row][proc] == CS_GANG_NONE
		       : !row && cs_gang_tree_leaf(&g->room, proc);
}

uint32_t cs_gang_idle(const struct cs_gang *g, uint32_t row, uint32_t *from)
{
	uint32_t to;

	while (*from < g->m.procs && !is_idle(g, row, *from))
		++*from;
	for (to = *from; to < g->m.procs && is_idle(g, row, to);)
		to++;
	return to;
}

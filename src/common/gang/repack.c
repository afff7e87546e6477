/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Re-packing by legal shifts.
 *
 * Problem.  Jobs end, and their processors stay idle in pieces, spread over the slots.
 * A job that would fit into all pieces together needs them in one slot.  Moving a job
 * to other processors is expensive; running it in another slot of the round is free, as
 * long as all its processes move together: then the shift is legal.
 *
 * Rules.
 *  1. Two neighbouring fragments: [f, b) is idle in row r, [b, t) in row s.  The rows
 *     are exchanged on [l, b), where l is the first boundary at or left of f that no
 *     job of either row spans.  None spans b, as r is idle on its left and s on its
 *     right: the shift is legal, and s is now idle on [f, t).
 *
 *	s | 4 4 . .      s | . . . .
 *	r | . . 3 3  ->  r | 4 4 3 3	f = 0, b = 2, t = 4
 *
 *  2. Any number of fragments: from the left, each is joined to those already gathered.
 *     The next is the longest that begins where the gathered one ends, in the lowest
 *     row on ties, so that few are needed.
 *
 * Source: Zhou, Walsh and Brent, Resource Allocation Schemes for Gang Scheduling, JSSPP
 * 2000 ("Zhou00"), section 2: property 1, two adjacent fragments become one; property
 * 2, a slot can be spared if every processor is idle in some slot (rule 2 on the whole
 * machine).
 *
 * Differs.  The paper says that it can be done, not how; rule 1 shifts only what it
 * must.
 *
 * Example: figure 1 of the paper, whose three slots become two (test_gang.c).
 *
 * Invariants: every job stays on its processors and whole in its rows; the number of
 * rows idle on a processor stays the same.
 */
#include "gang/repack.h"

void cs_gang_shift(struct cs_gang_matrix *m, uint32_t a, uint32_t b,
		   uint32_t from, uint32_t to)
{
	if (a == b)
		return;
	while (cs_gang_crossed(m, a, from) || cs_gang_crossed(m, b, from))
		from--;
	for (uint32_t i = from; i < to; i++) {
		uint32_t job = m->row[a][i];

		m->row[a][i] = m->row[b][i];
		m->row[b][i] = job;
	}
}

/* The row with the longest idle fragment from @from on; *ret_end: its end, at most
 * @to. */
static uint32_t longest(const struct cs_gang_matrix *m, uint32_t from,
			uint32_t to, uint32_t *ret_end)
{
	uint32_t best = 0, row = CS_GANG_NONE;

	for (uint32_t i = 0; i < m->rows && best < to - from; i++) {
		uint32_t n = cs_gang_idle_run(m, i, from, to);

		if (n <= best)
			continue;
		best = n;
		row = i;
	}
	*ret_end = from + best;
	return row;
}

uint32_t cs_gang_gather(struct cs_gang_matrix *m, uint32_t from, uint32_t to)
{
	uint32_t at, row = longest(m, from, to, &at);

	while (row != CS_GANG_NONE && at < to) {
		uint32_t end, next = longest(m, at, to, &end);

		if (next != CS_GANG_NONE)
			cs_gang_shift(m, row, next, from, at);
		row = next;
		at = end;
	}
	return row;
}

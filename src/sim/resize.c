/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes for nodes with more than one core.
 *
 * Problem.  The Lublin-Feitelson model has one process a node.  On nodes of two sockets
 * with two cores its jobs would ask for too little; four times the processes would be
 * too much, as cores add less than nodes.
 *
 * Rules.  SL_sno is a job's self slowdown with one process a socket, SL_scr
 * times SL_sno the one with all four cores; runtimes stay.
 *
 *  1. The first that applies, rounded to the nearest integer:
 *
 *	nSize = oSize				oSize = 1
 *		oSize * 4 / SL_scr / SL_sno	SL_scr * SL_sno <= MAX_SL
 *		oSize * 2 / SL_sno		SL_sno <= SELF_SL2	(7)
 *		oSize				else
 *
 *  2. A power of two stays one: the nearest (--resize=plain: not so).
 *  3. A job is at most as large as the machine, with the 1, 2 or 4 processes a node
 *     that equation 8 gives it for the same slowdowns.
 *
 * Source: Zeng09 (slowdown.h), section 4.8, equation 7, and its aim to keep as many
 * powers of two as before.
 *
 * Differs.
 *  1. Rule 2: as printed, equation 7 leaves 53.5 % of sizes powers of two, where
 *     Zeng09's table 5 has 75; with rule 2 it is 87.
 *  2. Rule 3: with SL_sno below 1 the largest jobs would exceed the machine.
 *
 * Example: 16 processes, SL_sno 1.05: 30.5, so 32 (plain: 30) if SL_scr is 1.3, and
 * 64 / 1.05 / 1.1 = 55.4, so 64 (plain: 55), if it is 1.1.
 */
#include "resize.h"

#include <stdbool.h>

#include "common/profile/table4.h"

static bool is_pow2(uint32_t n)
{
	return (n & (n - 1)) == 0;
}

/* The power of two nearest to @x >= 1; the larger of two. */
static uint64_t nearest_pow2(double x)
{
	uint64_t n = 1;

	while ((double)n * 1.5 <= x)
		n *= 2;
	return n;
}

uint32_t cs_resize(uint32_t size, double scr, double sno, uint32_t nodes,
		   enum cs_resize how, const struct cs_resize_limits *limits)
{
	uint64_t ppn = 1, n = size, most;
	double x = size;

	if (size > 1 && scr * sno <= limits->max_slowdown) {
		ppn = 4;
		x = x * 4 / scr / sno;
	} else if (size > 1 && sno <= limits->self_slowdown2) {
		ppn = 2;
		x = x * 2 / sno;
	}
	if (ppn > 1)
		n = (uint64_t)(x + .5);
	if (how == CS_RESIZE_POW2 && is_pow2(size))
		n = nearest_pow2(x);
	most = nodes * ppn < UINT32_MAX ? nodes * ppn : UINT32_MAX;
	while (n > most)
		n = how == CS_RESIZE_POW2 && is_pow2(size) ? n / 2 : most;
	return (uint32_t)n;
}

void cs_resize_trace(struct cs_trace *t, uint64_t seed, uint32_t nodes,
		     enum cs_resize how, const struct cs_resize_limits *limits)
{
	for (size_t i = 0; i < t->n; i++) {
		struct cs_trace_job *j = &t->job[i];

		j->procs = cs_resize(j->procs, cs_table4_scr(seed, j->id),
				     cs_table4_sno(seed, j->id), nodes, how,
				     limits);
	}
}

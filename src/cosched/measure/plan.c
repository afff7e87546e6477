/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules.
 *  1. A measurement may end with n runs if the half of its interval, as a part of its
 *     value, is so small that
 *
 *	half (1 + FEW_RUNS / (n (n - 1))) <= part			(1)
 *
 *     Who looks after each run and ends at the first small interval ends with those that
 *     are small by chance.  Without the factor, 88 % of the intervals hold the truth if
 *     runs scatter by 5 %; with it 92 to 96 %, whatever the scatter (test_measure).  It
 *     matters for few runs: three must have a third of the width that many may have.
 *  2. A program alone is measured well enough with half the part that slowdowns may have:
 *     its times are in the slowdowns of all its pairs, and leave a pair
 *     (1 - 1/4)^1/2 = 87 % of that part.  A pair is measured well enough if the
 *     slowdowns of both directions are, over full nodes and over spread ones.
 *  3. An attempt ends with FIRST_RUNS times, a later one with twice those before, so
 *     that a program of wide scatter does not use the budget before others have had a
 *     turn.
 *  4. Where times alone are known, the limit of an attempt is START_S, for its start and
 *     its partner's, and MARGIN times what its runs take alone.  Its jobs are cancelled
 *     when it has what it needs: what the limit is longer costs nothing, unless nobody
 *     is there to cancel them.
 */
#include "measure/plan.h"

#include <math.h>

#define FEW_RUNS 12.
#define FIRST_RUNS 8
#define START_S 120 /* two minutes, as the least limit of a pair */
#define MARGIN 3

/* ---- experiments ------------------------------------------------------------- */

size_t cs_measure_experiments(size_t programs)
{
	return 2 * programs + programs * (programs + 1) / 2;
}

struct cs_measure_experiment cs_measure_experiment(size_t programs, size_t i)
{
	struct cs_measure_experiment e = { .kind = i < programs
							   ? CS_MEASURE_FULL
							   : CS_MEASURE_SPREAD,
					   .a = i % programs };

	e.b = e.a;
	if (i < 2 * programs)
		return e;
	e.kind = CS_MEASURE_PAIR;
	i -= 2 * programs;
	for (e.a = 0; i >= programs - e.a; e.a++)
		i -= programs - e.a;
	e.b = e.a + i;
	return e;
}

size_t cs_measure_cell_alone(size_t programs, enum cs_measure_kind kind,
			     size_t program)
{
	return kind == CS_MEASURE_FULL ? program : programs + program;
}

size_t cs_measure_cell_beside(size_t programs, size_t of, size_t other)
{
	return 2 * programs + of * programs + other;
}

static struct cs_measure_mean alone(const struct cs_measure_plan *p,
				    enum cs_measure_kind kind, size_t program)
{
	return p->cell[cs_measure_cell_alone(p->n, kind, program)];
}

static struct cs_measure_mean beside(const struct cs_measure_plan *p, size_t of,
				     size_t other)
{
	return p->cell[cs_measure_cell_beside(p->n, of, other)];
}

/* ---- results ------------------------------------------------------------------ */

struct cs_measure_interval cs_measure_slowdown(const struct cs_measure_plan *p,
					       size_t of, size_t other,
					       enum cs_measure_kind kind)
{
	return cs_measure_quotient(beside(p, of, other), alone(p, kind, of));
}

struct cs_measure_interval cs_measure_dense(const struct cs_measure_plan *p,
					    size_t program)
{
	return cs_measure_quotient(alone(p, CS_MEASURE_FULL, program),
				   alone(p, CS_MEASURE_SPREAD, program));
}

/* Is @i, from @n runs, small enough to end with?  Rule 1. */
static bool ends(struct cs_measure_interval i, size_t n, double part)
{
	return n >= CS_MEASURE_LEAST &&
	       cs_measure_part(i) * (1 + FEW_RUNS / (double)(n * (n - 1))) <=
		       part;
}

static bool narrow(const struct cs_measure_plan *p, size_t of, size_t other)
{
	size_t n = beside(p, of, other).n;

	return ends(cs_measure_slowdown(p, of, other, CS_MEASURE_FULL), n,
		    p->part) &&
	       ends(cs_measure_slowdown(p, of, other, CS_MEASURE_SPREAD), n,
		    p->part);
}

bool cs_measure_enough(const struct cs_measure_plan *p, size_t i)
{
	struct cs_measure_experiment e = cs_measure_experiment(p->n, i);

	if (e.kind != CS_MEASURE_PAIR)
		return ends(cs_measure_mean_interval(alone(p, e.kind, e.a)),
			    alone(p, e.kind, e.a).n, p->part / 2);
	return narrow(p, e.a, e.b) && narrow(p, e.b, e.a);
}

size_t cs_measure_least(const struct cs_measure_plan *p, size_t i)
{
	struct cs_measure_experiment e = cs_measure_experiment(p->n, i);
	size_t of_a, of_b;

	if (e.kind != CS_MEASURE_PAIR)
		return alone(p, e.kind, e.a).n;
	of_a = beside(p, e.a, e.b).n;
	of_b = beside(p, e.b, e.a).n;
	return of_a < of_b ? of_a : of_b;
}

/* ---- what next ------------------------------------------------------------------ */

/* Does experiment @e wait for @program alone, or in vain? */
static bool held_by(const struct cs_measure_plan *p, size_t program)
{
	for (size_t kind = 0; kind < 2; kind++) {
		size_t own = kind * p->n + program;

		if (p->given_up[own] ||
		    cs_measure_least(p, own) < CS_MEASURE_LEAST)
			return true;
	}
	return false;
}

static bool possible(const struct cs_measure_plan *p, size_t i)
{
	struct cs_measure_experiment e = cs_measure_experiment(p->n, i);

	if (p->busy[i] || p->given_up[i] || cs_measure_enough(p, i))
		return false;
	if (e.kind == CS_MEASURE_SPREAD)
		return !p->given_up[e.a];
	return e.kind == CS_MEASURE_FULL ||
	       (!held_by(p, e.a) && !held_by(p, e.b));
}

size_t cs_measure_next(const struct cs_measure_plan *p)
{
	size_t best = CS_MEASURE_NONE;

	for (size_t i = 0; i < cs_measure_experiments(p->n); i++)
		if (possible(p, i) &&
		    (best == CS_MEASURE_NONE ||
		     cs_measure_least(p, i) < cs_measure_least(p, best)))
			best = i;
	return best;
}

size_t cs_measure_goal(const struct cs_measure_plan *p, size_t i)
{
	size_t have = cs_measure_least(p, i);

	return 2 * have > FIRST_RUNS ? 2 * have : FIRST_RUNS;
}

/* The longest time alone of a program of @e; 0: not known. */
static double longest(const struct cs_measure_plan *p,
		      struct cs_measure_experiment e)
{
	double s = 0;

	for (size_t kind = 0; kind < 2; kind++) {
		s = fmax(s, alone(p, kind, e.a).mean);
		s = fmax(s, alone(p, kind, e.b).mean);
	}
	return s;
}

uint32_t cs_measure_limit(const struct cs_measure_plan *p, size_t i,
			  uint32_t limit_s, double left_node_s, uint32_t nodes)
{
	struct cs_measure_experiment e = cs_measure_experiment(p->n, i);
	double run_s = longest(p, e), paid_s = left_node_s / nodes;
	size_t runs = cs_measure_goal(p, i) - cs_measure_least(p, i) + 1;
	double s = limit_s;

	if (run_s > 0)
		s = fmin(s, START_S + MARGIN * run_s * (double)runs);
	s = ceil(s / 60) * 60;
	if (s > paid_s)
		s = floor(paid_s / 60) * 60;
	/* the partner's limit is a minute or more below */
	return s < (e.kind == CS_MEASURE_PAIR ? 120 : 60) || s < run_s
		       ? 0
		       : (uint32_t)s;
}

uint32_t cs_measure_nodes(const struct cs_measure_shape *shape,
			  enum cs_measure_kind kind)
{
	return kind == CS_MEASURE_FULL ? shape->nodes : 2 * shape->nodes;
}

uint32_t cs_measure_per_socket(const struct cs_measure_shape *shape,
			       enum cs_measure_kind kind)
{
	uint32_t cores =
		kind == CS_MEASURE_FULL ? shape->cores : shape->cores / 2;

	return cores / shape->per_task;
}

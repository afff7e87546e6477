/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Utilisation gain: the nodes a decision saves, as a fraction of those it uses.
 *
 * Problem.  Among the ways to start a job (alone, beside this partner, beside that
 * one), find the one that leaves most of the machine to others.
 *
 * Symbols	C name		unit
 *   S_i	procs		processes
 *   SL_i	slowdown	1, self times coscheduling
 *   t_q	t		s, a period in which no job of the group ends
 *   S_A/PPN_A	nodes		nodes that the group holds
 *
 * Rule.  In a period of t_q seconds job i does the work of t_q * S_i / SL_i node
 * seconds, since alone with one process a node it would have used S_i nodes for
 * t_q / SL_i.  The group used t_q * nodes for all of it (Zeng09, equation 6):
 *
 *	U = sum_q sum_i (t_q S_i / SL_i) / (sum_q t_q * S_A / PPN_A) - 1
 *
 * Equation 5 is the same for one period, with T_i = t_q / SL_i.
 *
 * Source: Zeng09 (see slowdown.h), section 4.6, equations 5 and 6.
 *
 * Differs: the denominator counts the group's real nodes (rounded up, including those
 * by which a matched job exceeds the primary one), not S_A / PPN_A.
 *
 * Example: A (8 processes) and B (8), two a node on 4 nodes, SL 1.1 and 1.25:
 * 8 / 1.1 + 8 / 1.25 = 13.67 nodes' work on 4 nodes: U = 2.42.  A alone with
 * four a node (2 nodes) at SL 1.5: 8 / 1.5 / 2 - 1 = 1.67.
 *
 * Known weakness: work is counted in nodes, not in users' waiting time.
 */
#include "profile/gain.h"

void cs_gain_add(struct cs_gain *g, double t, const struct cs_gain_job *job,
		 size_t n, uint32_t nodes)
{
	double alone = 0;

	for (size_t i = 0; i < n; i++)
		alone += job[i].procs / job[i].slowdown;
	g->work += t * alone;
	g->used += t * nodes;
}

double cs_gain(const struct cs_gain *g)
{
	return g->used > 0 ? g->work / g->used - 1 : 0;
}

double cs_gain_alone(uint32_t procs, double slowdown, uint32_t nodes)
{
	const struct cs_gain_job j = { procs, slowdown };
	struct cs_gain g = { 0 };

	cs_gain_add(&g, 1, &j, 1, nodes);
	return cs_gain(&g);
}

double cs_gain_pair(const struct cs_gain_job *a, const struct cs_gain_job *b,
		    uint32_t nodes)
{
	const struct cs_gain_job both[] = { *a, *b };
	struct cs_gain g = { 0 };

	cs_gain_add(&g, 1, both, 2, nodes);
	return cs_gain(&g);
}

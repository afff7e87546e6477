/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Utilisation gain of a group; the theory is in gain.c. */
#ifndef CS_GAIN_H
#define CS_GAIN_H

#include <stddef.h>
#include <stdint.h>

/* One job of a group over one period in which nothing changes. */
struct cs_gain_job {
	uint32_t procs;	 /* S_i */
	double slowdown; /* SL_i: self times coscheduling, > 0 */
};

/* A period of the group's life. */
struct cs_gain_period {
	double t_s;		       /* t_q, its length, >= 0 */
	const struct cs_gain_job *job; /* [n] who runs, the primary job too */
	size_t n;
};

/*
 * Equation 6: over @n periods on @nodes nodes
 *
 *	sum_q (t_q * sum_i S_i / SL_i) / (sum_q t_q * nodes) - 1
 *
 * 0 where no time passes.  O(jobs of all periods).
 */
double cs_gain(const struct cs_gain_period *period, size_t n, uint32_t nodes);

/* A job alone on its @nodes nodes (cases 4 and 5): S / SL / nodes - 1. */
double cs_gain_alone(uint32_t procs, double slowdown, uint32_t nodes);

/* Two jobs from now on, on @nodes nodes in all, until the first ends: the one
 * period cancels, so their lengths do not matter. */
double cs_gain_pair(const struct cs_gain_job *a, const struct cs_gain_job *b,
		    uint32_t nodes);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Utilisation gain of a group; the theory is in gain.c. */
#ifndef CS_PROFILE_GAIN_H
#define CS_PROFILE_GAIN_H

#include <stddef.h>
#include <stdint.h>

/* One job of a group over one period without changes. */
struct cs_gain_job {
	uint32_t procs;	 /* S_i */
	double slowdown; /* SL_i: self times coscheduling, > 0 */
};

/* The two sums of equation 6; {0}: no period yet.  The unit of time cancels. */
struct cs_gain {
	double work; /* sum_q (t_q * sum_i S_i / SL_i) */
	double used; /* sum_q t_q * nodes */
};

/* A period of @t (>= 0) in which the @n jobs of @job run, the primary one included, and
 * the group holds @nodes nodes.  O(n). */
void cs_gain_add(struct cs_gain *g, double t, const struct cs_gain_job *job,
		 size_t n, uint32_t nodes);

/* Equation 6: work / used - 1 over the periods added; 0 if no time passed. */
double cs_gain(const struct cs_gain *g);

/* A job alone on its @nodes nodes (cases 4 and 5): S / SL / nodes - 1. */
double cs_gain_alone(uint32_t procs, double slowdown, uint32_t nodes);

/* Two jobs from now on, on @nodes nodes in all, until the first ends: the one
 * period cancels, so its length does not matter. */
double cs_gain_pair(const struct cs_gain_job *a, const struct cs_gain_job *b,
		    uint32_t nodes);

#endif

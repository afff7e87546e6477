/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The change between the means of pairs (a_i, b_i), and its error: two standard errors
 * of the differences.
 *
 *	change = 100 * (A - B) / B	A, B means over n pairs
 *	error = 100 * 2 * s / sqrt(n) / B	s^2 the variance of a_i - b_i
 *
 * The variance is updated pair by pair from the running mean (Welford, 1962).
 */
#ifndef CS_COSCHED_COMPARE_PAIRS_H
#define CS_COSCHED_COMPARE_PAIRS_H

#include <math.h>

struct cs_pairs {
	double a, b, n;	      /* sums */
	double mean, squares; /* of the differences */
};

static inline void cs_pairs_add(struct cs_pairs *s, double a, double b)
{
	double d = a - b, from = d - s->mean;

	s->a += a;
	s->b += b;
	s->n++;
	s->mean += from / s->n;
	s->squares += from * (d - s->mean);
}

/* NAN: no pairs, or B is 0; *ret_error: NAN with one pair. */
static inline double cs_pairs_change(const struct cs_pairs *s,
				     double *ret_error)
{
	*ret_error = NAN;
	if (s->n < 1 || fabs(s->b) <= 0)
		return NAN;
	if (s->n > 1)
		*ret_error = 200 * sqrt(s->squares / (s->n - 1) / s->n) /
			     (s->b / s->n);
	return 100 * s->mean / (s->b / s->n);
}

#endif

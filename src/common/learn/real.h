/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logarithm, exponential and square root with the same result everywhere.
 *
 * What is learned decides which jobs may share, and libm differs in the last bit
 * between distributions: a log replayed elsewhere would decide otherwise.  These
 * functions use only additions, multiplications and divisions.
 */
#ifndef CS_LEARN_REAL_H
#define CS_LEARN_REAL_H

#include <stddef.h>

/* ln(@x) for finite @x > 0, to about 1e-15; -1e300 for anything else. */
double cs_real_ln(double x);
/* e^@x, to a relative 1e-14; @x is clipped to -600 to 600, NaN is taken as 0. */
double cs_real_exp(double x);
/* The square root of @x > 0, to a relative 1e-15; else 0. */
double cs_real_root(double x);

/* |@a - @b| */
static inline double cs_real_distance(double a, double b)
{
	return a > b ? a - b : b - a;
}

/* Each of @x [n] becomes its logarithm, exponential or root, to the last bit as above,
 * in about a fifth of the time: their divisions overlap. */
void cs_real_ln_all(double *x, size_t n);
void cs_real_exp_all(double *x, size_t n);
void cs_real_root_all(double *x, size_t n);

#endif

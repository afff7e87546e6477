/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logarithm, exponential and root that are the same everywhere.
 *
 * What is learned decides who may share, and libm differs in the last bit between
 * distributions: a log that is replayed elsewhere would decide otherwise.  These use
 * additions, multiplications and divisions alone.
 */
#ifndef CS_LEARN_REAL_H
#define CS_LEARN_REAL_H

/* ln(@x) for finite @x > 0, to some 1e-15; -1e300 for anything else. */
double cs_real_ln(double x);
/* e^@x, to a relative 1e-14; @x is taken as -600 to 600, NaN as 0. */
double cs_real_exp(double x);
/* The square root of @x, to a relative 1e-15; 0 for what has none. */
double cs_real_root(double x);

#endif

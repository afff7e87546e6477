/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How well a mean of measured times is known, and a quotient of two such means.
 */
#ifndef CS_COSCHED_MEASURE_STATISTICS_H
#define CS_COSCHED_MEASURE_STATISTICS_H

#include <stddef.h>

#define CS_MEASURE_LEAST 3 /* runs without which no interval is given */

/* A sample of times. */
struct cs_measure_mean {
	size_t n;
	double mean; /* s; 0 if n is 0 */
	double sd;   /* s, with n - 1 degrees of freedom; 0 if n is below 2 */
};

/* A value, and the half of its interval of 95 % confidence. */
struct cs_measure_interval {
	double value; /* 0: not known */
	double half;  /* INFINITY: below CS_MEASURE_LEAST runs */
};

struct cs_measure_mean cs_measure_mean(const double *x, size_t n);

/* The .975 quantile of Student's t with @df (> 0) degrees of freedom, to 1e-9. */
double cs_measure_t(double df);

/* The interval of a mean: t(n - 1) * sd / sqrt(n). */
struct cs_measure_interval cs_measure_mean_interval(struct cs_measure_mean a);

/* The interval of the quotient of two means; theory in statistics.c. */
struct cs_measure_interval cs_measure_quotient(struct cs_measure_mean a,
					       struct cs_measure_mean b);

/* The half of the interval as a part of its value. */
double cs_measure_part(struct cs_measure_interval i);

#endif

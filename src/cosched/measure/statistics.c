/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problem.  A slowdown is the mean time of a program beside another one over its mean
 * time alone.  Both means come from a few runs, and the table must say how far the
 * quotient may be off.
 *
 * Symbols	C name		unit
 *   m_a, m_b	mean		s, of the two samples
 *   s_a, s_b	sd		s
 *   v_a	variance	1, relative variance of the mean: s_a^2 / (n_a m_a^2)
 *   f		df		1, degrees of freedom
 *
 * Rules.
 *  1. The quotient R = m_a / m_b has, to first order, the relative variance
 *
 *	v = v_a + v_b							(1)
 *
 *  2. Its degrees of freedom are those of Welch and Satterthwaite:
 *
 *	f = v^2 / (v_a^2 / (n_a - 1) + v_b^2 / (n_b - 1))		(2)
 *
 *  3. The interval is R (1 +- t(f) sqrt(v)), with the .975 quantile of Student's t.
 *
 * Source: Welch, The generalization of "Student's" problem when several different
 * population variances are involved, Biometrika 1947, for (2); (1) is the delta method.
 *
 * Differs: the number of runs is not chosen before; plan.c, rule 1, has what that costs.
 *
 * Example: a 11, 12, 13 s, b 10, 10, 10 s.  v_a = 1 / 432, v_b = 0, f = 2,
 * R = 1.2 +- 1.2 * 4.3027 * .04811 = 1.2 +- .2484.
 */
#include "measure/statistics.h"

#include <float.h>
#include <math.h>

#define FRACTION_TERMS 300 /* of the continued fraction; 20 are usual */
#define BISECTIONS 200
#define T_MAX 1e9

struct cs_measure_mean cs_measure_mean(const double *x, size_t n)
{
	struct cs_measure_mean m = { .n = n };
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		m.mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - m.mean) * (x[i] - m.mean);
	if (n > 1)
		m.sd = sqrt(squares / (double)(n - 1));
	return m;
}

/* ---- Student's t ----------------------------------------------------------- */

static double not_zero(double x)
{
	return fabs(x) < DBL_MIN / DBL_EPSILON ? DBL_MIN / DBL_EPSILON : x;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), h = d;

	for (int i = 1; i < FRACTION_TERMS; i++) {
		double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
		double odd = -(a + i) * (a + b + i) * x /
			     ((a + 2 * i) * (a + 2 * i + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		h *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 4 * DBL_EPSILON)
			break;
	}
	return h;
}

/* The regularized incomplete beta function. */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	return x < (a + 1) / (a + b + 2)
		       ? front * beta_fraction(a, b, x) / a
		       : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double cs_measure_t(double df)
{
	double low = 0, high = 2;

	/* 5 % of the values are outside -t to t */
	while (high < T_MAX && beta(df / 2, .5, df / (df + high * high)) > .05)
		high *= 2;
	for (int i = 0; i < BISECTIONS && high - low > high * 1e-12; i++) {
		double t = (low + high) / 2;

		if (beta(df / 2, .5, df / (df + t * t)) > .05)
			low = t;
		else
			high = t;
	}
	return (low + high) / 2;
}

/* ---- intervals --------------------------------------------------------------- */

struct cs_measure_interval cs_measure_mean_interval(struct cs_measure_mean a)
{
	struct cs_measure_interval i = { .value = a.mean, .half = INFINITY };

	if (a.n >= CS_MEASURE_LEAST)
		i.half = cs_measure_t((double)a.n - 1) * a.sd /
			 sqrt((double)a.n);
	return i;
}

static double variance(struct cs_measure_mean a)
{
	return a.sd * a.sd / ((double)a.n * a.mean * a.mean);
}

struct cs_measure_interval cs_measure_quotient(struct cs_measure_mean a,
					       struct cs_measure_mean b)
{
	struct cs_measure_interval i = { .half = INFINITY };
	double va, vb, v, df;

	if (!a.n || !b.n || a.mean <= 0 || b.mean <= 0)
		return i;
	i.value = a.mean / b.mean;
	if (a.n < CS_MEASURE_LEAST || b.n < CS_MEASURE_LEAST)
		return i;
	va = variance(a);
	vb = variance(b);
	v = va + vb;
	i.half = 0;
	if (v <= 0)
		return i;
	df = v * v /
	     (va * va / ((double)a.n - 1) + vb * vb / ((double)b.n - 1));
	i.half = i.value * cs_measure_t(df) * sqrt(v);
	return i;
}

double cs_measure_part(struct cs_measure_interval i)
{
	return i.value > 0 ? i.half / i.value : INFINITY;
}

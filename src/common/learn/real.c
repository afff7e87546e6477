/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules.
 *  1. ln x = k ln 2 + 2 artanh((m - 1) / (m + 1)), x = m 2^k, m within sqrt(1/2) and
 *     sqrt(2), so that the series in t^2 <= .0295 converges fast.
 *  2. e^x = 2^k e^r, |r| <= ln(2) / 2, by Taylor's series.
 *  3. The root by Newton's rule from a start within a factor of two.
 *
 * Example: ln 1.5: m = 1.5 > sqrt(2), so .75 and k = 1: .693147 + 2 artanh(-1/7) =
 * .693147 - .287682 = .405465.
 */
#include "learn/real.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LN2_HIGH 6.93147180369123816490e-01 /* its last 32 bits are 0 */
#define LN2_LOW 1.90821492927058770002e-10
#define SQRT2 1.4142135623730951
#define HUGE_X 600.
#define LN_TERMS 21  /* the highest power of the series */
#define EXP_TERMS 17 /* the same */
#define ROOT_STEPS 8
#define LANES 8 /* numbers at a time: enough to hide a division's latency */

/* 2^@k for -1022 <= @k <= 1023. */
static double power2(int k)
{
	uint64_t bits = (uint64_t)(k + 1023) << 52;
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* @x = m * 2^*ret_k, 1 <= m < 2; @x > 0 and normal. */
static double split(double x, int *ret_k)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	*ret_k = (int)(bits >> 52 & 0x7ff) - 1023;
	return x * power2(-*ret_k);
}

/* Rule 1: @x = m 2^*ret_k; returns (m - 1) / (m + 1). */
static double begin_ln(double x, int *ret_k)
{
	double m = split(x, ret_k);

	if (m > SQRT2) {
		m /= 2;
		++*ret_k;
	}
	return (m - 1) / (m + 1);
}

static double end_ln(double t, double sum, int k)
{
	return k * LN2_HIGH + (2 * t * sum + k * LN2_LOW);
}

/* Rule 2: returns r; e^@x = e^r *ret_scale. */
static double begin_exp(double x, double *ret_scale)
{
	int k;

	if (!(x > -HUGE_X))
		x = x != x ? 0 : -HUGE_X;
	if (x > HUGE_X)
		x = HUGE_X;
	k = (int)(x / .6931471805599453 + (x < 0 ? -.5 : .5));
	*ret_scale = power2(k);
	return (x - k * LN2_HIGH) - k * LN2_LOW;
}

/* Rule 3: where Newton's rule starts. */
static double begin_root(double x)
{
	int k;

	split(x, &k);
	return power2(k / 2);
}

static bool has_ln(double x)
{
	return x > 1e-300 && x < 1e300;
}

double cs_real_ln(double x)
{
	double t, square, sum = 0;
	int k;

	if (!has_ln(x))
		return -1e300;
	t = begin_ln(x, &k);
	square = t * t;
	for (int i = LN_TERMS; i > 0; i -= 2)
		sum = sum * square + 1. / i;
	return end_ln(t, sum, k);
}

double cs_real_exp(double x)
{
	double scale, r = begin_exp(x, &scale), sum = 1;

	for (int i = EXP_TERMS; i > 0; i--)
		sum = 1 + r * sum / i;
	return sum * scale;
}

double cs_real_root(double x)
{
	double y;

	if (!has_ln(x))
		return 0;
	y = begin_root(x);
	for (int i = 0; i < ROOT_STEPS; i++)
		y = (y + x / y) / 2;
	return y;
}

/* ---- many at once ---------------------------------------------------------- */

void cs_real_ln_all(double *x, size_t n)
{
	for (size_t at = 0; at < n; at += LANES) {
		double t[LANES], square[LANES], sum[LANES] = { 0 };
		size_t m = n - at < LANES ? n - at : LANES;
		int k[LANES];

		for (size_t j = 0; j < LANES; j++) {
			bool ok = j < m && has_ln(x[at + j]);

			t[j] = begin_ln(ok ? x[at + j] : 1, &k[j]);
			square[j] = t[j] * t[j];
		}
		for (int i = LN_TERMS; i > 0; i -= 2) {
			double term = 1. / i;

			for (size_t j = 0; j < LANES; j++)
				sum[j] = sum[j] * square[j] + term;
		}
		for (size_t j = 0; j < m; j++)
			x[at + j] = has_ln(x[at + j])
					    ? end_ln(t[j], sum[j], k[j])
					    : -1e300;
	}
}

/* Rule 2: a step of Horner's.  By a power of two a division and a multiplication have the same
 * last bit, and the latter is faster. */
static inline void add_term(const double *r, double *sum, int i)
{
	double part = 1. / i;

	if (i & (i - 1))
		for (size_t j = 0; j < LANES; j++)
			sum[j] = 1 + r[j] * sum[j] / i;
	else
		for (size_t j = 0; j < LANES; j++)
			sum[j] = 1 + r[j] * sum[j] * part;
}

void cs_real_exp_all(double *x, size_t n)
{
	for (size_t at = 0; at < n; at += LANES) {
		double r[LANES], sum[LANES], scale[LANES];
		size_t m = n - at < LANES ? n - at : LANES;

		for (size_t j = 0; j < LANES; j++) {
			r[j] = begin_exp(j < m ? x[at + j] : 0, &scale[j]);
			sum[j] = 1;
		}
		for (int i = EXP_TERMS; i > 0; i--)
			add_term(r, sum, i);
		for (size_t j = 0; j < m; j++)
			x[at + j] = sum[j] * scale[j];
	}
}

void cs_real_root_all(double *x, size_t n)
{
	for (size_t at = 0; at < n; at += LANES) {
		double a[LANES], y[LANES];
		size_t m = n - at < LANES ? n - at : LANES;

		for (size_t j = 0; j < LANES; j++) {
			a[j] = j < m && has_ln(x[at + j]) ? x[at + j] : 1;
			y[j] = begin_root(a[j]);
		}
		for (int i = 0; i < ROOT_STEPS; i++)
			for (size_t j = 0; j < LANES; j++)
				y[j] = (y[j] + a[j] / y[j]) / 2;
		for (size_t j = 0; j < m; j++)
			x[at + j] = has_ln(x[at + j]) ? y[j] : 0;
	}
}

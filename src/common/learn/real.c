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

#include <stdint.h>
#include <string.h>

#define LN2_HIGH 6.93147180369123816490e-01 /* its last 32 bits are 0 */
#define LN2_LOW 1.90821492927058770002e-10
#define SQRT2 1.4142135623730951
#define HUGE_X 600.

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

double cs_real_ln(double x)
{
	double m, t, square, sum = 0;
	int k;

	if (!(x > 1e-300 && x < 1e300))
		return -1e300;
	m = split(x, &k);
	if (m > SQRT2) {
		m /= 2;
		k++;
	}
	t = (m - 1) / (m + 1);
	square = t * t;
	for (int i = 21; i > 0; i -= 2)
		sum = sum * square + 1. / i;
	return k * LN2_HIGH + (2 * t * sum + k * LN2_LOW);
}

double cs_real_exp(double x)
{
	double r, sum = 1;
	int k;

	if (!(x > -HUGE_X))
		x = x != x ? 0 : -HUGE_X;
	if (x > HUGE_X)
		x = HUGE_X;
	k = (int)(x / .6931471805599453 + (x < 0 ? -.5 : .5));
	r = (x - k * LN2_HIGH) - k * LN2_LOW;
	for (int i = 17; i > 0; i--)
		sum = 1 + r * sum / i;
	return sum * power2(k);
}

double cs_real_root(double x)
{
	double y;
	int k;

	if (!(x > 1e-300 && x < 1e300))
		return 0;
	split(x, &k);
	y = power2(k / 2);
	for (int i = 0; i < 8; i++)
		y = (y + x / y) / 2;
	return y;
}

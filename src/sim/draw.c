/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source.
 *  normal: the polar method (Marsaglia and Bray, SIAM Review 6(3), 1964); one
 *	of the two numbers is thrown away: nothing is kept between calls.
 *  gamma: Marsaglia and Tsang, A Simple Method for Generating Gamma Variables,
 *	ACM TOMS 26(3), 2000: exact, by rejection; below shape 1 by their
 *	section 6.
 *  distribution function: the power series below x = shape + 1, the continued
 *	fraction above (Abramowitz and Stegun, 6.5.29 and 6.5.31), to 1e-15.
 */
#include "draw.h"

#include <math.h>

double cs_draw_uniform(struct cs_rng *r, double low, double high)
{
	return low + (high - low) * cs_rng_unit(r);
}

double cs_draw_uniformlog(struct cs_rng *r, double low, double high)
{
	return exp(cs_draw_uniform(r, log(low), log(high)));
}

double cs_draw_exponential(struct cs_rng *r, double mean)
{
	return -mean * log(1 - cs_rng_unit(r));
}

double cs_draw_normal(struct cs_rng *r)
{
	double x, y, s;

	do {
		x = 2 * cs_rng_unit(r) - 1;
		y = 2 * cs_rng_unit(r) - 1;
		s = x * x + y * y;
	} while (s >= 1 || s <= 0);
	return x * sqrt(-2 * log(s) / s);
}

/* For shapes from 1 on, scale 1. */
static double marsaglia_tsang(struct cs_rng *r, double shape)
{
	double d = shape - 1. / 3, c = 1 / sqrt(9 * d);

	for (;;) {
		double x = cs_draw_normal(r), v = 1 + c * x, u;

		if (v <= 0)
			continue;
		v = v * v * v;
		u = 1 - cs_rng_unit(r);
		if (log(u) < x * x / 2 + d * (1 - v + log(v)))
			return d * v;
	}
}

double cs_draw_gamma(struct cs_rng *r, double shape, double scale)
{
	double u = 1;

	if (shape < 1) {
		u = pow(1 - cs_rng_unit(r), 1 / shape);
		shape++;
	}
	return scale * u * marsaglia_tsang(r, shape);
}

static double series(double x, double a)
{
	double term = 1 / a, sum = term;

	for (double n = a + 1; term > sum * 1e-16; n++) {
		term *= x / n;
		sum += term;
	}
	return sum * exp(a * log(x) - x - lgamma(a));
}

/* The rest to 1, by Lentz's method. */
static double fraction(double x, double a)
{
	double b = x + 1 - a, c = 1e300, d = 1 / b, h = d, step = 0;

	for (int i = 1; i < 10000 && fabs(step - 1) > 1e-16; i++) {
		double n = i * (a - i);

		b += 2;
		d = 1 / (n * d + b);
		c = b + n / c;
		step = c * d;
		h *= step;
	}
	return h * exp(a * log(x) - x - lgamma(a));
}

double cs_draw_gamma_cdf(double x, double shape, double scale)
{
	x /= scale;
	if (x <= 0)
		return 0;
	return x < shape + 1 ? series(x, shape) : 1 - fraction(x, shape);
}

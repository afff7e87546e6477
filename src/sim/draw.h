/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws from distributions, for workload generators.  They use libm, which may
 * differ in the last bit between systems: nothing that decides may use them.
 */
#ifndef CS_DRAW_H
#define CS_DRAW_H

#include "common/base/rng.h"

/* Uniform, @low <= x <= @high. */
double cs_draw_uniform(struct cs_rng *r, double low, double high);

/* exp() of a uniform number: every factor is as likely as any other. */
double cs_draw_uniformlog(struct cs_rng *r, double low, double high);

/* Exponential, with that mean. */
double cs_draw_exponential(struct cs_rng *r, double mean);

/* Normal, mean 0 and variance 1. */
double cs_draw_normal(struct cs_rng *r);

/* Gamma: mean shape * scale, variance shape * scale^2; both > 0. */
double cs_draw_gamma(struct cs_rng *r, double shape, double scale);

/* Its distribution function at @x. */
double cs_draw_gamma_cdf(double x, double shape, double scale);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bound.  Rule 7 of fit.c. */
#include "learn/fit_parts.h"

#include <stdlib.h>

#include "learn/real.h"

#define SHARE_MIN \
	.25	 /* share beside the neighbour from which on a run counts */
#define LEAST .1 /* least rate beside another, against noise */
#define TAIL 1.5 /* scale of the tail of z */

/* Guess the runs of fold @fold by a fit without them. */
static void guess_fold(struct cs_fit *f, uint32_t fold)
{
	cs_fit_settle(f, fold, ROUNDS_FOLD, false);
	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_run *r = &f->run[i];
		const struct cs_fit_line *l = &f->line[i];
		uint32_t k = l->main;
		double p[CS_FIT_PARTS], rate, there, weight = r->weight;
		struct cs_fit_pair *x;

		if (l->fold != fold || k == CS_FIT_PARTS || weight <= 0 ||
		    r->part[k].share < SHARE_MIN)
			continue;
		/* equation (1), solved for the pair's rate */
		rate = cs_real_exp(-cs_fit_predict(f, i, p));
		there = cs_real_exp(f->u[r->code] - r->log_time);
		for (uint32_t j = 0; j < r->n_part; j++)
			if (r->part[j].other == CS_FIT_DENSE)
				there -= r->part[j].share;
			else if (j != k)
				there -= p[j] * rate;
		if (there < LEAST * r->part[k].share)
			there = LEAST * r->part[k].share;
		p[k] = there * cs_real_exp(r->log_time - f->u[r->code]);
		x = &f->pair[l->pair[k]];
		x->late += weight * (cs_real_ln(r->part[k].share / there) -
				     cs_fit_mean(f, r->code, r->part[k].other));
		x->noise += weight * weight * f->code[r->code].noise /
			    (p[k] * p[k]);
		x->model = cs_fit_variance(f, r->code, r->part[k].other,
					   f->var_e) +
			   f->code[r->code].base;
		x->weight += weight;
	}
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* The factor (squared) by which variances of guesses are too small, as far as it shows
 * through the noise. */
static double widen(const struct cs_fit *f)
{
	double over = PRIOR_N, n = PRIOR_N;

	for (size_t k = 0; k < f->n_pair; k++) {
		const struct cs_fit_pair *x = &f->pair[k];
		double w = x->weight, late, noise, g;

		if (w <= 0)
			continue;
		late = x->late / w;
		noise = x->noise / (w * w);
		g = x->model / (x->model + noise);
		over += g * g * (late * late - noise) / x->model;
		n += g * g;
	}
	return over / n > 1 ? over / n : 1;
}

void cs_fit_find_bound(struct cs_fit *f, double level)
{
	size_t n = 0, place, rank;

	for (size_t k = 0; k < f->n_pair; k++)
		f->pair[k].late = f->pair[k].noise = f->pair[k].weight = 0;
	for (uint32_t fold = 0; fold < FOLDS; fold++)
		guess_fold(f, fold);
	f->scale = cs_real_root(widen(f));
	for (size_t k = 0; k < f->n_pair; k++) {
		const struct cs_fit_pair *x = &f->pair[k];
		double w = x->weight;

		if (w > 0)
			f->z[n++] =
				x->late / w /
				cs_real_root(f->scale * f->scale * x->model +
					     x->noise / (w * w));
	}
	if (n)
		qsort(f->z, n, sizeof(*f->z), by_size);
	place = (size_t)((double)(n + 1) * level);
	place += (double)place < (double)(n + 1) * level;
	f->q = (struct cs_fit_quantile){ NO_BOUND, n };
	if (n < CS_FIT_PAIRS_MIN || !place)
		return;
	rank = place < n ? place : n;
	f->q.q = f->z[rank - 1] > Q_MIN ? f->z[rank - 1] : Q_MIN;
	if (place > n)
		f->q.q +=
			TAIL * cs_real_ln(1 / ((1 - level) * (double)(n + 1)));
}

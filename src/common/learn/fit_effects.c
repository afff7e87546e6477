/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The effects.  Rules 1 to 6 and 9 of fit.c. */
#include "learn/fit_parts.h"

#include <string.h>

#include "learn/real.h"

#define SWEEPS 12 /* over all effects, each round */
#define HUBER 2.
#define PRIOR_MEAN .04	 /* variance of m */
#define PRIOR_NOBODY .04 /* variance of w of nobody */

uint32_t cs_fit_main_part(const struct cs_fit *f, const struct cs_fit_run *r)
{
	uint32_t best = CS_FIT_PARTS;

	for (uint32_t k = 0; k < r->n_part; k++)
		if (r->part[k].other < f->n_code &&
		    (best == CS_FIT_PARTS ||
		     r->part[k].share > r->part[best].share))
			best = k;
	return best;
}

/* ---- lines --------------------------------------------------------------- */

double cs_fit_mean(const struct cs_fit *f, uint32_t of, uint32_t beside)
{
	return f->mean + f->v[of] + (1 + f->s[of]) * f->w[beside];
}

/* Equation (1) without its noise. */
double cs_fit_predict(const struct cs_fit *f, size_t i, double *p)
{
	const struct cs_fit_run *r = &f->run[i];
	double rate = 0;

	for (uint32_t k = 0; k < r->n_part; k++) {
		uint32_t other = r->part[k].other;

		p[k] = r->part[k].share;
		if (other != CS_FIT_DENSE)
			p[k] *= cs_real_exp(-cs_fit_mean(f, r->code, other) -
					    f->pair[f->line[i].pair[k]].e);
		rate += p[k];
	}
	for (uint32_t k = 0; k < r->n_part; k++)
		p[k] = r->part[k].other == CS_FIT_DENSE ? 0 : p[k] / rate;
	return -cs_real_ln(rate);
}

static bool counts(const struct cs_fit *f, size_t i, uint32_t without)
{
	return f->line[i].fold != without && f->run[i].weight > 0;
}

static double weight_of(const struct cs_fit *f, size_t i)
{
	return f->run[i].weight * f->line[i].robust;
}

/* Rules 2 and 3: linearise at the present effects. */
static void draw_lines(struct cs_fit *f, uint32_t without)
{
	for (size_t k = 0; k < f->n_pair; k++)
		f->pair[k].count = 0;
	for (size_t i = 0; i < f->n_run; i++)
		for (uint32_t k = 0; k < f->run[i].n_part; k++)
			if (f->run[i].part[k].other != CS_FIT_DENSE &&
			    counts(f, i, without))
				f->pair[f->line[i].pair[k]].count +=
					weight_of(f, i) *
					f->run[i].part[k].share;
	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_run *r = &f->run[i];
		struct cs_fit_line *l = &f->line[i];
		double at = cs_fit_predict(f, i, l->p);

		l->sum = 0;
		l->var = f->code[r->code].noise;
		l->target = r->log_time - at;
		for (uint32_t k = 0; k < r->n_part; k++) {
			double c = 1;

			if (l->p[k] <= 0)
				continue;
			if (f->pair[l->pair[k]].count > 1)
				c = f->pair[l->pair[k]].count;
			l->sum += l->p[k];
			l->var += l->p[k] * l->p[k] * c * f->var_e;
			l->target += l->p[k] * (cs_fit_mean(f, r->code,
							    r->part[k].other) +
						f->pair[l->pair[k]].e);
		}
	}
}

/* The residual of line @i. */
static double left_over(const struct cs_fit *f, size_t i)
{
	const struct cs_fit_run *r = &f->run[i];
	const struct cs_fit_line *l = &f->line[i];
	double left =
		l->target - f->u[r->code] - l->sum * (f->mean + f->v[r->code]);

	for (uint32_t k = 0; k < r->n_part; k++)
		if (l->p[k] > 0)
			left -= l->p[k] * (1 + f->s[r->code]) *
				f->w[r->part[k].other];
	return left;
}

/* ---- effects ------------------------------------------------------------- */

double cs_fit_prior_w(const struct cs_fit *f, size_t k)
{
	return k < f->n_code ? f->var_w : PRIOR_NOBODY;
}

static void clear_sums(struct cs_fit *f)
{
	memset(f->info, 0, (f->n_code + 1) * sizeof(*f->info));
	memset(f->push, 0, (f->n_code + 1) * sizeof(*f->push));
}

/* Rule 9: what is known of the means of those alike; with @push, the means. */
static void find_means(struct cs_fit *f, const double *push, double prior)
{
	double within = f->differ * prior;

	memset(f->like_sum, 0, f->n_code * sizeof(*f->like_sum));
	memset(f->like_mean, 0, f->n_code * sizeof(*f->like_mean));
	for (size_t a = 0; a < f->n_code; a++) {
		double g = 1 / (within + 1 / f->info[a]);

		if (!(f->info[a] > 0))
			continue;
		f->like_sum[f->like[a]] += g;
		if (push)
			f->like_mean[f->like[a]] += g * push[a] / f->info[a];
	}
	for (size_t a = 0; a < f->n_code; a++) {
		f->like_sum[a] += 1 / ((1 - f->differ) * prior);
		f->like_mean[a] /= f->like_sum[a];
	}
}

static bool is_alone(const struct cs_fit *f, size_t a)
{
	return f->alike[f->like[a]] < 2;
}

/* An effect of @a after find_means(). */
static double shrunk(const struct cs_fit *f, size_t a, double prior)
{
	double within = f->differ * prior;

	if (is_alone(f, a))
		return f->push[a] / (f->info[a] + 1 / prior);
	return (f->push[a] + f->like_mean[f->like[a]] / within) /
	       (f->info[a] + 1 / within);
}

/* Its remaining variance, and, where it is not NULL, that of its difference from the mean
 * of those alike. */
static double left_of(const struct cs_fit *f, size_t a, double prior,
		      double *ret_differ)
{
	double within = f->differ * prior, own, pull, mean;

	if (is_alone(f, a))
		return 1 / (1 / prior + f->info[a]);
	own = 1 / (1 / within + f->info[a]);
	pull = own / within;
	mean = 1 / f->like_sum[f->like[a]];
	if (ret_differ)
		*ret_differ = own + (1 - pull) * (1 - pull) * mean;
	return own + pull * pull * mean;
}

/* Rule 9: @x is an effect of @a, @mean that of those alike. */
static void note_difference(struct cs_fit *f, size_t a, double x, double mean,
			    double left, double prior)
{
	if (is_alone(f, a) || !(f->info[a] > 0))
		return;
	f->differ_sum += ((x - mean) * (x - mean) + left) / prior;
	f->differ_n++;
}

static void step_mean(struct cs_fit *f, uint32_t without)
{
	double info = 0, push = 0;

	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_line *l = &f->line[i];
		double g = weight_of(f, i) / l->var;

		if (!counts(f, i, without))
			continue;
		info += g * l->sum * l->sum;
		push += g * l->sum * (left_over(f, i) + l->sum * f->mean);
	}
	f->mean = push / (info + 1 / PRIOR_MEAN);
}

/* What the neighbours of run @i inflict, weighted. */
static double met(const struct cs_fit *f, size_t i)
{
	const struct cs_fit_line *l = &f->line[i];
	double sum = 0;

	for (uint32_t k = 0; k < f->run[i].n_part; k++)
		if (l->p[k] > 0)
			sum += l->p[k] * f->w[f->run[i].part[k].other];
	return sum;
}

/* All v, u and s at once: no line has those of two codes. */
static void step_codes(struct cs_fit *f, uint32_t without)
{
	for (int turn = 0; turn < 3; turn++) {
		double *x = turn > 1 ? f->s : turn ? f->u : f->v;

		clear_sums(f);
		for (size_t i = 0; i < f->n_run; i++) {
			const struct cs_fit_line *l = &f->line[i];
			uint32_t a = f->run[i].code;
			double c = turn > 1 ? met(f, i) : turn ? 1 : l->sum;
			double g = weight_of(f, i) / l->var;

			if (!counts(f, i, without))
				continue;
			f->info[a] += g * c * c;
			f->push[a] += g * c * (left_over(f, i) + c * x[a]);
		}
		if (turn != 1)
			find_means(f, f->push, turn ? PRIOR_S : f->var_v);
		for (size_t a = 0; a < f->n_code; a++) {
			double base = f->code[a].base;

			if (turn == 1)
				x[a] = base > 0 ? f->push[a] / (f->info[a] +
								1 / base)
						: 0;
			else
				x[a] = shrunk(f, a, turn ? PRIOR_S : f->var_v);
		}
		if (!turn)
			memcpy(f->like_v, f->like_mean,
			       f->n_code * sizeof(*f->like_v));
	}
}

/* All w at once, each given the previous values of the others; damped, since a line may
 * have several. */
static void step_neighbours(struct cs_fit *f, uint32_t without)
{
	clear_sums(f);
	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_run *r = &f->run[i];
		const struct cs_fit_line *l = &f->line[i];
		double g = weight_of(f, i) / l->var, left;

		if (!counts(f, i, without))
			continue;
		left = left_over(f, i);
		for (uint32_t k = 0; k < r->n_part; k++) {
			uint32_t b = r->part[k].other;
			double c = l->p[k] * (1 + f->s[r->code]);

			if (l->p[k] <= 0)
				continue;
			f->info[b] += g * c * c;
			f->push[b] += g * c * (left + c * f->w[b]);
		}
	}
	find_means(f, f->push, f->var_w);
	memcpy(f->like_w, f->like_mean, f->n_code * sizeof(*f->like_w));
	for (size_t b = 0; b <= f->n_code; b++) {
		double x = shrunk(f, b, cs_fit_prior_w(f, b));

		f->w[b] += .7 * (x - f->w[b]);
	}
}

/* Rule 3: each pair's deviation from its effects. */
static void step_pairs(struct cs_fit *f, uint32_t without)
{
	for (size_t k = 0; k < f->n_pair; k++) {
		f->pair[k].e = 0;
		f->pair[k].var_e = 0;
	}
	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_run *r = &f->run[i];
		const struct cs_fit_line *l = &f->line[i];
		double left = left_over(f, i);

		for (uint32_t k = 0; counts(f, i, without) && k < r->n_part;
		     k++) {
			struct cs_fit_pair *x = &f->pair[l->pair[k]];
			double other = 0, g;

			if (l->p[k] <= 0)
				continue;
			for (uint32_t j = 0; j < r->n_part; j++)
				if (j != k && l->p[j] > 0)
					other += l->p[j] * l->p[j] * f->var_e;
			g = weight_of(f, i) * l->p[k] /
			    (f->code[r->code].noise + other);
			x->e += g * left;
			x->var_e += g * l->p[k];
		}
	}
	for (size_t k = 0; k < f->n_pair; k++) {
		struct cs_fit_pair *x = &f->pair[k];

		x->var_e = 1 / (x->var_e + 1 / f->var_e);
		x->e *= x->var_e;
	}
}

/* Rule 4. */
static void weigh(struct cs_fit *f, uint32_t without)
{
	for (size_t i = 0; i < f->n_run; i++) {
		struct cs_fit_line *l = &f->line[i];
		double z = left_over(f, i);

		if (!counts(f, i, without))
			continue;
		z /= cs_real_root(l->var + f->left_v[f->run[i].code]);
		z = z < 0 ? -z : z;
		l->robust = z > HUBER ? HUBER / z : 1;
	}
}

/* Variance of the effect of @beside on @of, from the remaining variances of both. */
static double spread_of(const struct cs_fit *f, uint32_t of, uint32_t beside)
{
	double c = 1 + f->s[of], w = f->w[beside];

	return c * c * f->left_w[beside] +
	       f->left_s[of] * (w * w + f->left_w[beside]);
}

/* Variance of run @i's line from its neighbours' effects. */
static double spread_beside(const struct cs_fit *f, size_t i)
{
	const struct cs_fit_run *r = &f->run[i];
	const struct cs_fit_line *l = &f->line[i];
	double var = 0;

	for (uint32_t k = 0; k < r->n_part; k++)
		if (l->p[k] > 0)
			var += l->p[k] * l->p[k] *
			       spread_of(f, r->code, r->part[k].other);
	return var;
}

/* Rule 6, for m, v and s. */
static void leave_codes(struct cs_fit *f, uint32_t without)
{
	double info = 1 / PRIOR_MEAN;

	clear_sums(f);
	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_line *l = &f->line[i];
		uint32_t a = f->run[i].code;
		double square = l->sum * l->sum, var, beside;

		if (!counts(f, i, without))
			continue;
		beside = met(f, i);
		var = l->var + spread_beside(f, i);
		f->push[a] += weight_of(f, i) * beside * beside /
			      (var + f->left_v[a]);
		f->info[a] += weight_of(f, i) * square / var;
		info += weight_of(f, i) * square / (var + f->left_v[a]);
	}
	for (size_t a = 0; a < f->n_code; a++)
		f->info[a] = f->info[a] > 0
				     ? 1 / (1 / f->info[a] + f->code[a].base)
				     : 0;
	find_means(f, NULL, f->var_v);
	for (size_t a = 0; a < f->n_code; a++) {
		double differ = 0;

		f->left_v[a] = left_of(f, a, f->var_v, &differ);
		note_difference(f, a, f->v[a], f->like_v[f->like[a]], differ,
				f->var_v);
	}
	memcpy(f->info, f->push, f->n_code * sizeof(*f->info));
	find_means(f, NULL, PRIOR_S);
	for (size_t a = 0; a < f->n_code; a++)
		f->left_s[a] = left_of(f, a, PRIOR_S, NULL);
	f->var_mean = 1 / info;
}

/* Rule 6, for w. */
static void leave_neighbours(struct cs_fit *f, uint32_t without)
{
	clear_sums(f);
	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_run *r = &f->run[i];
		const struct cs_fit_line *l = &f->line[i];
		double all;

		if (!counts(f, i, without))
			continue;
		all = l->var + f->code[r->code].base +
		      l->sum * l->sum * f->left_v[r->code] +
		      spread_beside(f, i);
		for (uint32_t k = 0; k < r->n_part; k++) {
			uint32_t b = r->part[k].other;
			double c = l->p[k] * (1 + f->s[r->code]);
			double square = c * c;

			if (square > 0)
				f->info[b] += weight_of(f, i) * square /
					      (all - square * f->left_w[b]);
		}
	}
	find_means(f, NULL, f->var_w);
	for (size_t b = 0; b <= f->n_code; b++) {
		double differ = 0;

		f->left_w[b] = left_of(f, b, cs_fit_prior_w(f, b), &differ);
		note_difference(f, b, f->w[b], f->like_w[f->like[b]], differ,
				f->var_w);
	}
}

/* Rule 5, from effects of which anything is known. */
static void spread(struct cs_fit *f)
{
	double v = PRIOR_N * PRIOR_V, n_v = PRIOR_N, w = PRIOR_N * PRIOR_W;
	double n_w = PRIOR_N, e = PRIOR_N * PRIOR_E, n_e = PRIOR_N;

	for (size_t a = 0; a < f->n_code; a++) {
		if (f->left_v[a] < .999 * f->var_v) {
			v += f->v[a] * f->v[a] + f->left_v[a];
			n_v++;
		}
		if (f->left_w[a] < .999 * f->var_w) {
			w += f->w[a] * f->w[a] + f->left_w[a];
			n_w++;
		}
	}
	for (size_t k = 0; k < f->n_pair; k++) {
		const struct cs_fit_pair *x = &f->pair[k];

		if (x->beside == f->n_code || x->var_e > .999 * f->var_e)
			continue;
		e += x->e * x->e + x->var_e;
		n_e++;
	}
	f->var_v = v / n_v;
	f->var_w = w / n_w;
	f->var_e = e / n_e;
	f->differ =
		(PRIOR_N * PRIOR_D + f->differ_sum) / (PRIOR_N + f->differ_n);
	if (f->differ < DIFFER_MIN)
		f->differ = DIFFER_MIN;
	if (f->differ > 1 - DIFFER_MIN)
		f->differ = 1 - DIFFER_MIN;
}

void cs_fit_settle(struct cs_fit *f, uint32_t without, int rounds, bool vary)
{
	for (int round = 0; round < rounds; round++) {
		draw_lines(f, without);
		for (int sweep = 0; sweep < SWEEPS; sweep++) {
			step_mean(f, without);
			step_codes(f, without);
			step_neighbours(f, without);
		}
		f->differ_sum = f->differ_n = 0;
		leave_codes(f, without);
		leave_neighbours(f, without);
		weigh(f, without);
		step_pairs(f, without);
		if (vary)
			spread(f);
	}
}

double cs_fit_variance(const struct cs_fit *f, uint32_t of, uint32_t beside,
		       double e)
{
	return f->var_mean + f->left_v[of] + spread_of(f, of, beside) + e;
}

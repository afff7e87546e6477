/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The effects.  Rules 1 to 6 and 9 of fit.c. */
#include "learn/fit_parts.h"

#include <string.h>

#include "learn/real.h"

#define SWEEPS 12 /* over all effects, each round */
#define HUBER 2.
#define PRIOR_MEAN .04	 /* variance of m */
#define PRIOR_NOBODY .04 /* variance of w of nobody */

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

/* Is it a part on which a run depends on a neighbour, or on having none? */
static bool is_beside(const struct cs_fit_part *p)
{
	return p->other != CS_FIT_DENSE && p->share > 0;
}

/* Where row @i is. */
static struct cs_fit_block *block_of(const struct cs_fit *f, size_t i,
				     size_t *ret_lane)
{
	*ret_lane = i % CS_FIT_LANES;
	return &f->block[i / CS_FIT_LANES];
}

static size_t n_block(const struct cs_fit *f)
{
	return (f->n_row + CS_FIT_LANES - 1) / CS_FIT_LANES;
}

/* All is 0, but that each neighbour is n_code: there is none. */
static void clear_block(const struct cs_fit *f, struct cs_fit_block *b)
{
	memset(b, 0, sizeof(*b));
	for (int k = 0; k < CS_FIT_PARTS; k++)
		for (int j = 0; j < CS_FIT_LANES; j++)
			b->other[k][j] = (uint32_t)f->n_code;
}

/* The rows of a fit: the runs that count, without those of fold @without. */
static void choose_rows(struct cs_fit *f, uint32_t without)
{
	f->n_row = 0;
	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_run *r = &f->run[i];
		struct cs_fit_block *b;
		uint32_t n = 0;
		size_t j;

		if (f->line[i].fold == without || !(r->weight > 0))
			continue;
		b = block_of(f, f->n_row++, &j);
		if (!j)
			clear_block(f, b);
		b->run[j] = (uint32_t)i;
		b->code[j] = r->code;
		for (uint32_t k = 0; k < r->n_part; k++) {
			if (!is_beside(&r->part[k]))
				continue;
			b->other[n][j] = r->part[k].other;
			b->pair[n++][j] = f->line[i].pair[k];
		}
		b->parts[j] = n;
		b->n = b->n > n ? b->n : n;
	}
}

/* Count the runs of each pair, and find the exponents of (1) for all parts. */
static size_t find_exponents(struct cs_fit *f)
{
	size_t m = 0, j;

	for (size_t k = 0; k < f->n_pair; k++)
		f->pair[k].count = 0;
	for (size_t i = 0; i < f->n_row; i++) {
		struct cs_fit_block *b = block_of(f, i, &j);
		const struct cs_fit_run *r = &f->run[b->run[j]];
		uint32_t n = 0;

		b->weight[j] = r->weight * f->line[b->run[j]].robust;
		for (uint32_t k = 0; k < r->n_part; k++) {
			struct cs_fit_pair *x;

			if (!is_beside(&r->part[k]))
				continue;
			x = &f->pair[b->pair[n][j]];
			x->count += b->weight[j] * r->part[k].share;
			f->many[m++] =
				-cs_fit_mean(f, b->code[j], b->other[n][j]) -
				x->e;
			n++;
		}
	}
	return m;
}

/* Equation (1): p of each part, and the logarithm of each row's rate into f->z. */
static void find_rates(struct cs_fit *f)
{
	const double *power = f->many;
	size_t j;

	for (size_t i = 0; i < f->n_row; i++) {
		struct cs_fit_block *b = block_of(f, i, &j);
		const struct cs_fit_run *r = &f->run[b->run[j]];
		double rate = 0;
		uint32_t n = 0;

		for (uint32_t k = 0; k < r->n_part; k++) {
			double share = r->part[k].share;

			if (is_beside(&r->part[k]))
				share = b->p[n++][j] = share * *power++;
			rate += share;
		}
		for (uint32_t k = 0; k < n; k++)
			b->p[k][j] /= rate;
		f->z[i] = rate;
	}
	cs_real_ln_all(f->z, f->n_row);
}

/* Rules 2 and 3: linearise at the present effects. */
static void draw_lines(struct cs_fit *f)
{
	size_t j;

	cs_real_exp_all(f->many, find_exponents(f));
	find_rates(f);
	f->info_mean = 0;
	memset(f->info_v, 0, (f->n_code + 1) * sizeof(*f->info_v));
	memset(f->info_u, 0, (f->n_code + 1) * sizeof(*f->info_u));
	for (size_t i = 0; i < f->n_row; i++) {
		struct cs_fit_block *b = block_of(f, i, &j);
		uint32_t a = b->code[j];
		double suffers = 1 + f->s[a], sum = 0;
		double var = f->code[a].noise;
		double target = f->run[b->run[j]].log_time + f->z[i];

		for (uint32_t k = 0; k < b->parts[j]; k++) {
			const struct cs_fit_pair *x = &f->pair[b->pair[k][j]];
			double c = x->count > 1 ? x->count : 1, p = b->p[k][j];

			sum += p;
			var += p * p * c * f->var_e;
			target +=
				p * (cs_fit_mean(f, a, b->other[k][j]) + x->e);
			b->does[k][j] = p * suffers;
		}
		b->sum[j] = sum;
		b->var[j] = var;
		b->target[j] = target;
		b->gain[j] = b->weight[j] / var;
		b->push[j] = b->gain[j] * sum;
		f->info_mean += b->push[j] * sum;
		f->info_v[a] += b->push[j] * sum;
		f->info_u[a] += b->gain[j];
	}
}

/* Two lanes: a register of any processor, so that sums over parts stay in one. */
typedef double cs_fit_two
	__attribute__((vector_size(16), aligned(8), may_alias));

static inline cs_fit_two two_at(const double *x)
{
	return *(const cs_fit_two *)x;
}

/* Of the codes of lanes @at[0] and @at[1]. */
static inline cs_fit_two two_of(const double *x, const uint32_t *at)
{
	return (cs_fit_two){ x[at[0]], x[at[1]] };
}

/* What the neighbours add changes with w. */
static inline void add_neighbours(const struct cs_fit *f,
				  struct cs_fit_block *b)
{
	for (uint32_t k = 0; k < b->n; k++)
		for (int j = 0; j < CS_FIT_LANES; j += 2)
			*(cs_fit_two *)&b->adds[k][j] =
				two_at(&b->does[k][j]) *
				two_of(f->w, &b->other[k][j]);
}

/* The residuals of a block's rows. */
static inline void left_over(const struct cs_fit *f,
			     const struct cs_fit_block *b, double *left)
{
	for (int j = 0; j < CS_FIT_LANES; j += 2) {
		cs_fit_two v = f->mean + two_of(f->v, &b->code[j]);
		cs_fit_two x = two_at(&b->target[j]) -
			       two_of(f->u, &b->code[j]) -
			       two_at(&b->sum[j]) * v;

		for (uint32_t k = 0; k < b->n; k++)
			x -= two_at(&b->adds[k][j]);
		*(cs_fit_two *)&left[j] = x;
	}
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

	if (!f->any_alike)
		return; /* nor does anything read them */
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

static void step_mean(struct cs_fit *f)
{
	double left[CS_FIT_LANES], push = 0;

	for (size_t i = 0; i < n_block(f); i++) {
		struct cs_fit_block *b = &f->block[i];

		add_neighbours(f, b);
		left_over(f, b, left);
		for (int j = 0; j < CS_FIT_LANES; j++)
			left[j] = b->push[j] * (left[j] + b->sum[j] * f->mean);
		for (int j = 0; j < CS_FIT_LANES; j++)
			push += left[j];
	}
	f->mean = push / (f->info_mean + 1 / PRIOR_MEAN);
}

/* What the neighbours of a block's rows inflict, weighted. */
static inline void met(const struct cs_fit *f, const struct cs_fit_block *b,
		       double *sum)
{
	for (int j = 0; j < CS_FIT_LANES; j += 2) {
		cs_fit_two x = { 0, 0 };

		for (uint32_t k = 0; k < b->n; k++)
			x += two_at(&b->p[k][j]) *
			     two_of(f->w, &b->other[k][j]);
		*(cs_fit_two *)&sum[j] = x;
	}
}

/* Add @x to the sums of the codes of a block's rows, in their order. */
static inline void add_up(double *sums, const struct cs_fit_block *b,
			  const double *x)
{
	for (int j = 0; j < CS_FIT_LANES; j++)
		sums[b->code[j]] += x[j];
}

/* All v at once: no line has those of two codes; so with u and s. */
static void step_v(struct cs_fit *f)
{
	double left[CS_FIT_LANES];

	clear_sums(f);
	memcpy(f->info, f->info_v, f->n_code * sizeof(*f->info));
	for (size_t i = 0; i < n_block(f); i++) {
		const struct cs_fit_block *b = &f->block[i];

		left_over(f, b, left);
		for (int j = 0; j < CS_FIT_LANES; j++)
			left[j] = b->push[j] *
				  (left[j] + b->sum[j] * f->v[b->code[j]]);
		add_up(f->push, b, left);
	}
	find_means(f, f->push, f->var_v);
	for (size_t a = 0; a < f->n_code; a++)
		f->v[a] = shrunk(f, a, f->var_v);
	memcpy(f->like_v, f->like_mean, f->n_code * sizeof(*f->like_v));
}

static void step_u(struct cs_fit *f)
{
	double left[CS_FIT_LANES];

	clear_sums(f);
	for (size_t i = 0; i < n_block(f); i++) {
		const struct cs_fit_block *b = &f->block[i];

		left_over(f, b, left);
		for (int j = 0; j < CS_FIT_LANES; j++)
			left[j] = b->gain[j] * (left[j] + f->u[b->code[j]]);
		add_up(f->push, b, left);
	}
	for (size_t a = 0; a < f->n_code; a++) {
		double base = f->code[a].base;

		f->u[a] = base > 0 ? f->push[a] / (f->info_u[a] + 1 / base) : 0;
	}
}

static void step_s(struct cs_fit *f)
{
	double left[CS_FIT_LANES], c[CS_FIT_LANES], g[CS_FIT_LANES];

	clear_sums(f);
	for (size_t i = 0; i < n_block(f); i++) {
		const struct cs_fit_block *b = &f->block[i];

		met(f, b, c);
		left_over(f, b, left);
		for (int j = 0; j < CS_FIT_LANES; j++) {
			g[j] = b->gain[j] * c[j];
			left[j] = g[j] * (left[j] + c[j] * f->s[b->code[j]]);
			g[j] = g[j] * c[j];
		}
		add_up(f->info, b, g);
		add_up(f->push, b, left);
	}
	find_means(f, f->push, PRIOR_S);
	for (size_t a = 0; a < f->n_code; a++)
		f->s[a] = shrunk(f, a, PRIOR_S);
}

/* All w at once, each given the previous values of the others; damped, since a line may
 * have several. */
static void step_neighbours(struct cs_fit *f)
{
	double left[CS_FIT_LANES], suffers[CS_FIT_LANES];

	clear_sums(f);
	for (size_t i = 0; i < n_block(f); i++) {
		struct cs_fit_block *b = &f->block[i];

		for (int j = 0; j < CS_FIT_LANES; j++)
			suffers[j] = 1 + f->s[b->code[j]];
		for (uint32_t k = 0; k < b->n; k++)
			for (int j = 0; j < CS_FIT_LANES; j++)
				b->does[k][j] = b->p[k][j] * suffers[j];
		add_neighbours(f, b);
		left_over(f, b, left);
		for (int j = 0; j < CS_FIT_LANES; j++)
			for (uint32_t k = 0; k < b->parts[j]; k++) {
				uint32_t other = b->other[k][j];
				double c = b->does[k][j], g = b->gain[j] * c;

				f->info[other] += g * c;
				f->push[other] += g * (left[j] + b->adds[k][j]);
			}
	}
	find_means(f, f->push, f->var_w);
	memcpy(f->like_w, f->like_mean, f->n_code * sizeof(*f->like_w));
	for (size_t b = 0; b <= f->n_code; b++) {
		double x = shrunk(f, b, cs_fit_prior_w(f, b));

		f->w[b] += .7 * (x - f->w[b]);
	}
}

/* Rule 4; leaves the residuals in f->many. */
static void weigh(struct cs_fit *f)
{
	double left[CS_FIT_LANES];
	size_t j;

	for (size_t i = 0; i < f->n_row; i++) {
		struct cs_fit_block *b = block_of(f, i, &j);

		if (!j) {
			add_neighbours(f, b);
			left_over(f, b, left);
		}
		f->many[i] = left[j];
		f->z[i] = b->var[j] + f->left_v[b->code[j]];
	}
	cs_real_root_all(f->z, f->n_row);
	for (size_t i = 0; i < f->n_row; i++) {
		struct cs_fit_block *b = block_of(f, i, &j);
		struct cs_fit_line *line = &f->line[b->run[j]];
		double z = f->many[i] / f->z[i];

		z = z < 0 ? -z : z;
		line->robust = z > HUBER ? HUBER / z : 1;
		b->weight[j] = f->run[b->run[j]].weight * line->robust;
	}
}

/* Rule 3: each pair's deviation from its effects, from the residuals of weigh(). */
static void step_pairs(struct cs_fit *f)
{
	size_t j;

	for (size_t k = 0; k < f->n_pair; k++) {
		f->pair[k].e = 0;
		f->pair[k].var_e = 0;
	}
	for (size_t i = 0; i < f->n_row; i++) {
		const struct cs_fit_block *b = block_of(f, i, &j);

		for (uint32_t k = 0; k < b->parts[j]; k++) {
			struct cs_fit_pair *x = &f->pair[b->pair[k][j]];
			double other = 0, g;

			for (uint32_t h = 0; h < b->parts[j]; h++)
				if (h != k)
					other += b->p[h][j] * b->p[h][j] *
						 f->var_e;
			g = b->weight[j] * b->p[k][j] /
			    (f->code[b->code[j]].noise + other);
			x->e += g * f->many[i];
			x->var_e += g * b->p[k][j];
		}
	}
	for (size_t k = 0; k < f->n_pair; k++) {
		struct cs_fit_pair *x = &f->pair[k];

		x->var_e = 1 / (x->var_e + 1 / f->var_e);
		x->e *= x->var_e;
	}
}

/* Variance of the effect of @beside on @of, from the remaining variances of both. */
static double spread_of(const struct cs_fit *f, uint32_t of, uint32_t beside)
{
	double c = 1 + f->s[of], w = f->w[beside];

	return c * c * f->left_w[beside] +
	       f->left_s[of] * (w * w + f->left_w[beside]);
}

/* Variance of row @j of a block from its neighbours' effects. */
static double spread_beside(const struct cs_fit *f,
			    const struct cs_fit_block *b, size_t j)
{
	double var = 0;

	for (uint32_t k = 0; k < b->parts[j]; k++)
		var += b->p[k][j] * b->p[k][j] *
		       spread_of(f, b->code[j], b->other[k][j]);
	return var;
}

/* Rule 6, for m, v and s. */
static void leave_codes(struct cs_fit *f)
{
	double info = 1 / PRIOR_MEAN, beside[CS_FIT_LANES];
	size_t j;

	clear_sums(f);
	for (size_t i = 0; i < f->n_row; i++) {
		const struct cs_fit_block *b = block_of(f, i, &j);
		uint32_t a = b->code[j];
		double square = b->sum[j] * b->sum[j], w = b->weight[j], var;

		if (!j)
			met(f, b, beside);
		var = b->var[j] + spread_beside(f, b, j);
		f->push[a] += w * beside[j] * beside[j] / (var + f->left_v[a]);
		f->info[a] += w * square / var;
		info += w * square / (var + f->left_v[a]);
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
static void leave_neighbours(struct cs_fit *f)
{
	size_t j;

	clear_sums(f);
	for (size_t i = 0; i < f->n_row; i++) {
		const struct cs_fit_block *b = block_of(f, i, &j);
		uint32_t a = b->code[j];
		double all = b->var[j] + f->code[a].base +
			     b->sum[j] * b->sum[j] * f->left_v[a] +
			     spread_beside(f, b, j);

		for (uint32_t k = 0; k < b->parts[j]; k++) {
			uint32_t other = b->other[k][j];
			double square = b->does[k][j] * b->does[k][j];

			if (square > 0)
				f->info[other] +=
					b->weight[j] * square /
					(all - square * f->left_w[other]);
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
	choose_rows(f, without);
	for (int round = 0; round < rounds; round++) {
		draw_lines(f);
		for (int sweep = 0; sweep < SWEEPS; sweep++) {
			step_mean(f);
			step_v(f);
			step_u(f);
			step_s(f);
			step_neighbours(f);
		}
		f->differ_sum = f->differ_n = 0;
		leave_codes(f);
		leave_neighbours(f);
		weigh(f);
		step_pairs(f);
		if (vary)
			spread(f);
	}
}

double cs_fit_variance(const struct cs_fit *f, uint32_t of, uint32_t beside,
		       double e)
{
	return f->var_mean + f->left_v[of] + spread_of(f, of, beside) + e;
}

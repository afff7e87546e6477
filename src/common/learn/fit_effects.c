/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The effects.  Rules 2 to 6 and 9 of fit.c. */
#include "learn/fit_lanes.h"

#include <string.h>

#include "learn/real.h"

#define SWEEPS 12 /* over all effects, each round */
#define HUBER 2.
#define PRIOR_MEAN .04	 /* variance of m */
#define PRIOR_NOBODY .04 /* variance of w of nobody */

double cs_fit_mean(const struct cs_fit *f, uint32_t of, uint32_t beside)
{
	return f->mean + f->v[of] + (1 + f->s[of]) * f->w[beside];
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

/* @x less what the neighbours of a block's rows add. */
static inline struct cs_fit_lanes less_added(const struct cs_fit_block *b,
					     struct cs_fit_lanes x)
{
	for (uint32_t k = 0; k < b->n; k++)
		x = cs_fit_lanes_less(x, cs_fit_lanes_at(b->adds[k]));
	return x;
}

/* What the neighbours add changes with w.  Returns the residuals. */
static inline struct cs_fit_lanes add_neighbours(const struct cs_fit *f,
						 struct cs_fit_block *b)
{
	struct cs_fit_lanes left = cs_fit_lanes_at(b->base);

	for (uint32_t k = 0; k < b->n; k++) {
		struct cs_fit_lanes w = cs_fit_lanes_of(f->w, b->other[k]);
		struct cs_fit_lanes adds =
			cs_fit_lanes_times(cs_fit_lanes_at(b->does[k]), w);

		cs_fit_lanes_put(b->w[k], w);
		cs_fit_lanes_put(b->adds[k], adds);
		left = cs_fit_lanes_less(left, adds);
	}
	return left;
}

static void step_mean(struct cs_fit *f)
{
	double push = 0;

	for (size_t i = 0; i < f->n_block; i++) {
		struct cs_fit_block *b = &f->block[i];
		struct cs_fit_lanes left = add_neighbours(f, b);
		struct cs_fit_lanes own = cs_fit_lanes_times(
			cs_fit_lanes_at(b->sum), cs_fit_lanes_all(f->mean));

		cs_fit_lanes_put(
			f->many + i * CS_FIT_LANES,
			cs_fit_lanes_times(cs_fit_lanes_at(b->push),
					   cs_fit_lanes_plus(left, own)));
	}
	for (size_t i = 0; i < f->n_row; i++)
		push += f->many[f->place[i]];
	f->mean = push / (f->info_mean + 1 / PRIOR_MEAN);
}

/* What the neighbours of a block's rows inflict, weighted; @w: theirs. */
static inline struct cs_fit_lanes met(const struct cs_fit_block *b,
				      double (*w)[CS_FIT_LANES])
{
	struct cs_fit_lanes x = cs_fit_lanes_all(0);

	for (uint32_t k = 0; k < b->n; k++)
		x = cs_fit_lanes_plus(
			x, cs_fit_lanes_times(cs_fit_lanes_at(b->p[k]),
					      cs_fit_lanes_at(w[k])));
	return x;
}

/* Sums over the rows of each code, of f->many by slots, into f->push. */
static void add_up(struct cs_fit *f)
{
	for (size_t a = 0; a < f->n_code; a++) {
		const double *x = f->many + f->row_slot[a];
		const double *end = f->many + f->row_slot[a + 1];
		double sum = 0;

		while (x < end)
			sum += *x++;
		f->push[a] = sum;
	}
}

/* What was said of each code and nobody, of f->said by @slot, into f->info and f->push. */
static void add_said(struct cs_fit *f, const uint32_t *slot)
{
	for (size_t a = 0; a <= f->n_code; a++) {
		const struct cs_fit_said *x = f->said + slot[a];
		const struct cs_fit_said *end = f->said + slot[a + 1];
		cs_fit_two sum = { 0, 0 };

		for (; x < end; x++)
			sum += *(const cs_fit_two *)(const void *)x;
		f->info[a] = sum[0];
		f->push[a] = sum[1];
	}
}

/* All v at once: no line has those of two codes; so with u and s. */
static void step_v(struct cs_fit *f)
{
	memcpy(f->info, f->info_v, f->n_code * sizeof(*f->info));
	for (size_t i = 0; i < f->n_block; i++) {
		const struct cs_fit_block *b = &f->block[i];
		struct cs_fit_lanes v = cs_fit_lanes_of(f->v, b->code);
		struct cs_fit_lanes sum = cs_fit_lanes_at(b->sum);
		struct cs_fit_lanes own = cs_fit_lanes_times(
			sum, cs_fit_lanes_plus(cs_fit_lanes_all(f->mean), v));
		struct cs_fit_lanes left = less_added(
			b, cs_fit_lanes_less(cs_fit_lanes_at(b->rest), own));

		cs_fit_lanes_deal(
			f->many, b->slot,
			cs_fit_lanes_times(
				cs_fit_lanes_at(b->push),
				cs_fit_lanes_plus(left,
						  cs_fit_lanes_times(sum, v))));
	}
	add_up(f);
	find_means(f, f->push, f->var_v);
	for (size_t a = 0; a < f->n_code; a++)
		f->v[a] = shrunk(f, a, f->var_v);
	memcpy(f->like_v, f->like_mean, f->n_code * sizeof(*f->like_v));
}

static void step_u(struct cs_fit *f)
{
	for (size_t i = 0; i < f->n_block; i++) {
		struct cs_fit_block *b = &f->block[i];
		struct cs_fit_lanes u = cs_fit_lanes_of(f->u, b->code);
		struct cs_fit_lanes own = cs_fit_lanes_times(
			cs_fit_lanes_at(b->sum),
			cs_fit_lanes_plus(cs_fit_lanes_all(f->mean),
					  cs_fit_lanes_of(f->v, b->code)));
		struct cs_fit_lanes left = less_added(
			b, cs_fit_lanes_less(cs_fit_lanes_at(b->rest), own));

		cs_fit_lanes_put(b->own, own);
		cs_fit_lanes_deal(
			f->many, b->slot,
			cs_fit_lanes_times(cs_fit_lanes_at(b->gain),
					   cs_fit_lanes_plus(left, u)));
	}
	add_up(f);
	for (size_t a = 0; a < f->n_code; a++) {
		double base = f->code[a].base;

		f->u[a] = base > 0 ? f->push[a] / (f->info_u[a] + 1 / base) : 0;
	}
}

static void step_s(struct cs_fit *f)
{
	for (size_t i = 0; i < f->n_block; i++) {
		struct cs_fit_block *b = &f->block[i];
		struct cs_fit_lanes rest =
			cs_fit_lanes_less(cs_fit_lanes_at(b->target),
					  cs_fit_lanes_of(f->u, b->code));
		struct cs_fit_lanes base =
			cs_fit_lanes_less(rest, cs_fit_lanes_at(b->own));
		struct cs_fit_lanes left = less_added(b, base);
		struct cs_fit_lanes c = met(b, b->w);
		struct cs_fit_lanes g =
			cs_fit_lanes_times(cs_fit_lanes_at(b->gain), c);
		struct cs_fit_lanes own =
			cs_fit_lanes_times(c, cs_fit_lanes_of(f->s, b->code));

		cs_fit_lanes_put(b->rest, rest);
		cs_fit_lanes_put(b->base, base);
		cs_fit_lanes_tell(
			f->said, b->slot, cs_fit_lanes_times(g, c),
			cs_fit_lanes_times(g, cs_fit_lanes_plus(left, own)));
	}
	add_said(f, f->row_slot);
	find_means(f, f->push, PRIOR_S);
	for (size_t a = 0; a < f->n_code; a++)
		f->s[a] = shrunk(f, a, PRIOR_S);
}

/* What the parts of a block's rows say of their neighbours' w. */
static inline void tell_neighbours(struct cs_fit *f, struct cs_fit_block *b)
{
	struct cs_fit_lanes suffers = cs_fit_lanes_plus(
		cs_fit_lanes_all(1), cs_fit_lanes_of(f->s, b->code));
	struct cs_fit_lanes left = cs_fit_lanes_at(b->base);
	struct cs_fit_lanes gain = cs_fit_lanes_at(b->gain);

	for (uint32_t k = 0; k < b->n; k++) {
		struct cs_fit_lanes does =
			cs_fit_lanes_times(cs_fit_lanes_at(b->p[k]), suffers);

		cs_fit_lanes_put(b->does[k], does);
		left = cs_fit_lanes_less(
			left,
			cs_fit_lanes_times(does, cs_fit_lanes_at(b->w[k])));
	}
	for (uint32_t k = 0; k < b->n; k++) {
		struct cs_fit_lanes does = cs_fit_lanes_at(b->does[k]);
		struct cs_fit_lanes adds =
			cs_fit_lanes_times(does, cs_fit_lanes_at(b->w[k]));
		struct cs_fit_lanes g = cs_fit_lanes_times(gain, does);

		cs_fit_lanes_tell(
			f->said, b->part_slot[k], cs_fit_lanes_times(g, does),
			cs_fit_lanes_times(g, cs_fit_lanes_plus(left, adds)));
	}
}

/* All w at once, each given the previous values of the others; damped, since a line may
 * have several. */
static void step_neighbours(struct cs_fit *f)
{
	for (size_t i = 0; i < f->n_block; i++)
		tell_neighbours(f, &f->block[i]);
	add_said(f, f->part_slot);
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
	size_t j;

	for (size_t i = 0; i < f->n_block; i++)
		cs_fit_lanes_put(f->many + i * CS_FIT_LANES,
				 add_neighbours(f, &f->block[i]));
	for (size_t i = 0; i < f->n_row; i++) {
		const struct cs_fit_block *b = cs_fit_block_of(f, i, &j);

		f->z[i] = b->var[j] + f->left_v[b->code[j]];
	}
	cs_real_root_all(f->z, f->n_row);
	for (size_t i = 0; i < f->n_row; i++) {
		struct cs_fit_block *b = cs_fit_block_of(f, i, &j);
		struct cs_fit_line *line = &f->line[b->run[j]];
		double z = f->many[f->place[i]] / f->z[i];

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
		const struct cs_fit_block *b = cs_fit_block_of(f, i, &j);

		for (uint32_t k = 0; k < b->n; k++) {
			struct cs_fit_pair *x = &f->pair[b->pair[k][j]];
			double other = 0, g;

			for (uint32_t h = 0; h < b->n; h++)
				if (h != k)
					other += b->p[h][j] * b->p[h][j] *
						 f->var_e;
			g = b->weight[j] * b->p[k][j] /
			    (f->code[b->code[j]].noise + other);
			x->e += g * f->many[f->place[i]];
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

	for (uint32_t k = 0; k < b->n; k++)
		var += b->p[k][j] * b->p[k][j] *
		       spread_of(f, b->code[j], b->other[k][j]);
	return var;
}

/* Rule 6, for m, v and s. */
static void leave_codes(struct cs_fit *f)
{
	double info = 1 / PRIOR_MEAN, w[CS_FIT_PARTS][CS_FIT_LANES];
	size_t j;

	for (size_t i = 0; i < f->n_block; i++) {
		const struct cs_fit_block *b = &f->block[i];

		for (uint32_t k = 0; k < b->n; k++)
			cs_fit_lanes_put(w[k],
					 cs_fit_lanes_of(f->w, b->other[k]));
		cs_fit_lanes_put(f->many + i * CS_FIT_LANES, met(b, w));
	}
	clear_sums(f);
	for (size_t i = 0; i < f->n_row; i++) {
		const struct cs_fit_block *b = cs_fit_block_of(f, i, &j);
		uint32_t a = b->code[j];
		double square = b->sum[j] * b->sum[j], weight = b->weight[j];
		double var = b->var[j] + spread_beside(f, b, j);
		double beside = f->many[f->place[i]];

		f->push[a] += weight * beside * beside / (var + f->left_v[a]);
		f->info[a] += weight * square / var;
		info += weight * square / (var + f->left_v[a]);
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
		const struct cs_fit_block *b = cs_fit_block_of(f, i, &j);
		uint32_t a = b->code[j];
		double all = b->var[j] + f->code[a].base +
			     b->sum[j] * b->sum[j] * f->left_v[a] +
			     spread_beside(f, b, j);

		for (uint32_t k = 0; k < b->n; k++) {
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
	cs_fit_choose_rows(f, without);
	for (int round = 0; round < rounds; round++) {
		cs_fit_draw_lines(f);
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

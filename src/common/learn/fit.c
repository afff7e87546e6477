/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fit, and its bound.
 *
 * Problem.  Which jobs share a node is not designed: most pairs of codes have never
 * met, runs vary by themselves, and partners overlap for only a part of a run.  A pair
 * should be admitted if it almost surely keeps its promise, and not refused for lack of
 * a measurement of that very pair.
 *
 * Symbols	C name		unit
 *   t_i	log_time	1, ln of the run's time over its code's time dense alone
 *   f_ik	share		1, part of the run's time beside neighbour k
 *   m		mean		1
 *   v_a, w_k	v, w		1, effects of the code and of its neighbour
 *   s_a	s		1, by how much more than average a suffers from w
 *   u_a	u		1, error of the code's time alone
 *   e_ak	pair.e		1, the pair's deviation from its effects
 *   p_ik	p		1, part of the run's work done beside neighbour k
 *   s_x^2	var_v, ...	1, variance of an effect among all codes
 *   d		differ		1, part of it among codes that may be alike
 *   n_a, b_a	noise, base	1, variance of a run, and of the known time alone
 *
 * Rules.
 *  1. A run of a works at the rate 1 / r_ak while beside k, so
 *
 *	t_i = -ln sum_k f_ik exp(-ln r_ak) + u_a + noise		(1)
 *	ln r_ak = m + v_a + (1 + s_a) w_k + e_ak;  on full nodes alone 0	(2)
 *
 *  2. Linearised at the present estimate, d t_i / d ln r_ak = p_ik = f_ik / r_ak /
 *     sum_k f_ik / r_ak.  Effects are the maximum a posteriori estimates under normal
 *     effects and noise; (1) is linearised again each round, and the effects are found
 *     by coordinate steps (each is set to its mean given the others).  So effects of
 *     which little is known shrink to 0.
 *  3. e_ak is not fitted with the others: the line of a run has the variance n_a +
 *     sum_k p_ik^2 c_ak s_e^2, c_ak counting the runs of the pair (so many runs of one
 *     pair say no more about others than the pair as a whole).  Then e_ak is the shrunk
 *     residual of the pair's runs.
 *  4. Robust: a line whose residual is z > HUBER standard deviations has the weight
 *     HUBER / z.
 *  5. s_v, s_w and s_e are estimated from the effects found, to which a prior adds
 *     PRIOR_N codes of the usual spread.  Those of m, s_a and nobody's w are fixed.
 *  6. The variance of a guess is the sum of the remaining variances of m, v_a, w_b and
 *     e_ab, each computed with the variances of the other effects in its lines.
 *  7. Bound (split conformal, one-sided).  Pairs are dealt into FOLDS; each fold's
 *     pairs, in both directions, are guessed by a fit without them.  z of a pair says
 *     by how many standard deviations (of guess and noise) its runs took longer than
 *     guessed.  First the standard deviations of guesses are multiplied by c >= 1, the
 *     factor by which residuals, less noise, exceed them.  With q the ceil((n + 1)
 *     level)-th smallest of n values of z,
 *
 *	ln r_ab <= guess + max(q, Q_MIN) * c * its standard deviation	(3)
 *
 *     holds for the fraction `level` of such pairs, whatever the distribution, if
 *     future pairs resemble past ones.
 *  8. Fewer than level / (1 - level) pairs have no such place: of n the largest z is
 *     exceeded by one in n + 1.  From there on the tail is taken for exponential, of
 *     scale TAIL, which is heavier than the normal one:
 *
 *	q = max(z_n, Q_MIN) + TAIL ln(1 / ((1 - level) (n + 1)))		(4)
 *
 *     With fewer pairs than CS_FIT_PAIRS_MIN there is no bound.
 *
 *  9. Codes that may be alike (jobs of one name, of several users) share what is known
 *     of them: v_a = V + v'_a, V the mean of those like a, and v' has the part d of
 *     s_v^2; w and s in the same way.  Of a code with few runs the others' are taken,
 *     with many its own.  d is estimated like the variances (rule 5): where equal names
 *     mean nothing, it grows and the mean loses its weight.  Pairs, their e and z stay
 *     those of codes.
 *
 * Why (3) and not the normal quantile: slowdowns have heavy tails.  Why Q_MIN: if noise
 * is most of z, z says little about the guess.
 *
 * Why TAIL: with eight codes of the ARIS table (200 draws, 2 and 5 % noise) 0.7 to 1.9 %
 * of pairs are above (4) with 8 to 10 ways met and 2.4 to 5.9 % with 12 to 18; those
 * that it admits break a promise of 1.10 as often as those of (3) with 20.
 *
 * Why PRIOR_D: with few runs d stays near it.  At .02 a site where all jobs had one name
 * lost half of what it gained without rule 9 (91 days, load .65); at .2 nothing, and
 * names that mean something gain as much.
 *
 * Why s_a: without it the pairs that broke their promise were codes limited by memory
 * bandwidth (cg) beside codes that use all of it (mg, sp).  On the ARIS table it
 * reduces the standard deviation of e from .058 to .037.
 *
 * Source: the additive model and the conformal bound were tried on three measured
 * tables; conformal prediction: Vovk, Gammerman and Shafer, Algorithmic Learning in a
 * Random World, 2005; Lei et al., Distribution-free predictive inference for
 * regression, JASA 2018.  Robust weights: Huber, Annals of Mathematical Statistics
 * 1964.
 *
 * Differs: the scale of z and of (3) is the model's own, and noise is left out of (3),
 * since the promise concerns the pair and not one run.
 *
 * Known weakness: rule 6 ignores covariances of effects; the quantile compensates on
 * average.  The bound holds over all pairs, not over those that it admits, and with
 * few, noisy runs 6 to 8 pairs in a hundred exceed it instead of 5
 * (doc/results/learning.md).  Future codes may differ from past ones.
 */
#include "learn/fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "learn/fit_parts.h"
#include "learn/real.h"

#define GUESSES 64 /* at a time */

/* ---- life ---------------------------------------------------------------- */

static size_t hash_size(size_t runs)
{
	size_t n = 64;

	while (n < 2 * runs * CS_FIT_PARTS)
		n *= 2;
	return n;
}

#define REALS 15 /* tables of codes in one piece of memory */

/* At most: of each number of parts one is not full. */
static size_t blocks(size_t runs)
{
	return runs / CS_FIT_LANES + CS_FIT_PARTS + 1;
}

/* At most, of a number for each part or place of a row, and one for unused lanes. */
static size_t places(size_t runs)
{
	size_t parts = runs * CS_FIT_PARTS + 1;

	return parts > blocks(runs) * CS_FIT_LANES
		       ? parts
		       : blocks(runs) * CS_FIT_LANES;
}

size_t cs_fit_bytes(size_t codes, size_t runs)
{
	return sizeof(struct cs_fit) + REALS * (codes + 1) * sizeof(double) +
	       2 * (codes + 1) * sizeof(uint32_t) +
	       runs * sizeof(struct cs_fit_line) +
	       blocks(runs) * sizeof(struct cs_fit_block) +
	       (runs + 2 * (codes + 2)) * sizeof(uint32_t) +
	       places(runs) * (sizeof(struct cs_fit_said) + sizeof(double)) +
	       runs * CS_FIT_PARTS *
		       (sizeof(struct cs_fit_pair) + sizeof(double)) +
	       hash_size(runs) * sizeof(uint32_t);
}

static void place_reals(struct cs_fit *f, double *reals, size_t n)
{
	double **at[] = { &f->v,	 &f->w,	     &f->u,	 &f->s,
			  &f->left_v,	 &f->left_w, &f->left_s, &f->info,
			  &f->push,	 &f->like_v, &f->like_w, &f->like_sum,
			  &f->like_mean, &f->info_v, &f->info_u };

	_Static_assert(sizeof(at) / sizeof(at[0]) == REALS, "all of them");
	for (size_t i = 0; i < REALS; i++)
		*at[i] = reals + i * n;
}

struct cs_fit *cs_fit_create(size_t codes, size_t runs)
{
	struct cs_fit *f = calloc(1, sizeof(*f));
	double *reals = calloc(REALS * (codes + 1), sizeof(*reals));
	size_t parts = runs * CS_FIT_PARTS;

	if (!f || !reals) {
		free(f);
		free(reals);
		return NULL;
	}
	f->cap_code = codes;
	f->cap_run = runs;
	f->cap_hash = hash_size(runs);
	place_reals(f, reals, codes + 1);
	f->like = calloc(codes + 1, sizeof(*f->like));
	f->alike = calloc(codes + 1, sizeof(*f->alike));
	f->line = calloc(runs + 1, sizeof(*f->line));
	f->block = calloc(blocks(runs), sizeof(*f->block));
	f->place = calloc(runs + 1, sizeof(*f->place));
	f->row_slot = calloc(codes + 2, sizeof(*f->row_slot));
	f->part_slot = calloc(codes + 2, sizeof(*f->part_slot));
	f->said = calloc(places(runs), sizeof(*f->said));
	f->many = calloc(places(runs), sizeof(*f->many));
	f->pair = calloc(parts + 1, sizeof(*f->pair));
	f->z = calloc(parts + 1, sizeof(*f->z));
	f->hash = calloc(f->cap_hash, sizeof(*f->hash));
	f->q.q = NO_BOUND;
	if (f->like && f->alike && f->line && f->block && f->place &&
	    f->row_slot && f->part_slot && f->said && f->many && f->pair &&
	    f->z && f->hash)
		return f;
	cs_fit_free(f);
	return NULL;
}

void cs_fit_free(struct cs_fit *f)
{
	if (!f)
		return;
	free(f->v);
	free(f->like);
	free(f->alike);
	free(f->line);
	free(f->block);
	free(f->place);
	free(f->row_slot);
	free(f->part_slot);
	free(f->said);
	free(f->many);
	free(f->pair);
	free(f->z);
	free(f->hash);
	free(f);
}

/* ---- pairs --------------------------------------------------------------- */

/* The pair's slot in the hash: its own, or a free one. */
static uint32_t *slot_of(const struct cs_fit *f, uint32_t of, uint32_t beside)
{
	size_t at = (size_t)cs_rng_hash(of, beside) & (f->cap_hash - 1);

	while (f->hash[at] && (f->pair[f->hash[at] - 1].of != of ||
			       f->pair[f->hash[at] - 1].beside != beside))
		at = (at + 1) & (f->cap_hash - 1);
	return &f->hash[at];
}

static const struct cs_fit_pair *find_pair(const struct cs_fit *f, uint32_t of,
					   uint32_t beside)
{
	uint32_t at = *slot_of(f, of, beside);

	return at ? &f->pair[at - 1] : NULL;
}

static uint32_t pair_of(struct cs_fit *f, uint32_t of, uint32_t beside)
{
	uint32_t *slot = slot_of(f, of, beside);

	if (!*slot) {
		f->pair[f->n_pair] =
			(struct cs_fit_pair){ .of = of, .beside = beside };
		*slot = (uint32_t)++f->n_pair;
	}
	return *slot - 1;
}

/* Rule 9: who is like whom.  O(codes^2). */
static void index_codes(struct cs_fit *f)
{
	memset(f->alike, 0, (f->n_code + 1) * sizeof(*f->alike));
	f->any_alike = false;
	for (uint32_t a = 0; a <= f->n_code; a++) {
		uint32_t k = 0;

		while (k < a && (a == f->n_code || !f->code[a].like ||
				 f->code[k].like != f->code[a].like))
			k++;
		f->like[a] = k;
		f->alike[k]++;
		f->any_alike |= k < a;
	}
}

/* The part of @r with its main neighbour; CS_FIT_PARTS: it had none. */
static uint32_t main_part(const struct cs_fit *f, const struct cs_fit_run *r)
{
	uint32_t best = CS_FIT_PARTS;

	for (uint32_t k = 0; k < r->n_part; k++)
		if (r->part[k].other < f->n_code &&
		    (best == CS_FIT_PARTS ||
		     r->part[k].share > r->part[best].share))
			best = k;
	return best;
}

static void index_runs(struct cs_fit *f)
{
	f->n_pair = 0;
	memset(f->hash, 0, f->cap_hash * sizeof(*f->hash));
	for (size_t i = 0; i < f->n_run; i++) {
		const struct cs_fit_run *r = &f->run[i];
		struct cs_fit_line *l = &f->line[i];
		uint32_t k, other;

		for (k = 0; k < r->n_part; k++)
			if (r->part[k].other != CS_FIT_DENSE)
				l->pair[k] =
					pair_of(f, r->code, r->part[k].other);
		k = l->main = main_part(f, r);
		other = k < CS_FIT_PARTS ? r->part[k].other : r->code;
		/* both directions are in one fold */
		l->fold =
			(uint32_t)(cs_rng_hash(
					   r->code < other ? r->code : other,
					   r->code < other ? other : r->code) %
				   FOLDS);
		l->robust = 1;
	}
}

/* ---- queries ------------------------------------------------------------- */

void cs_fit_make(struct cs_fit *f, const struct cs_fit_code *code,
		 size_t n_code, const struct cs_fit_run *run, size_t n_run,
		 double level)
{
	f->code = code;
	f->run = run;
	f->n_code = n_code;
	f->n_run = n_run;
	f->mean = 0;
	f->var_v = PRIOR_V;
	f->var_w = PRIOR_W;
	f->var_e = PRIOR_E;
	memset(f->v, 0, (f->cap_code + 1) * 4 * sizeof(*f->v));
	for (size_t k = 0; k <= n_code; k++) {
		f->left_v[k] = f->var_v;
		f->left_w[k] = cs_fit_prior_w(f, k);
		f->left_s[k] = PRIOR_S;
	}
	f->differ = PRIOR_D;
	memset(f->like_v, 0, (f->cap_code + 1) * 2 * sizeof(*f->like_v));
	index_codes(f);
	index_runs(f);
	cs_fit_settle(f, FOLDS, ROUNDS, true);
	cs_fit_find_bound(f, level);
	cs_fit_settle(f, FOLDS, ROUNDS_FOLD, false);
}

/* The mean, and the variance in the place of sd. */
static struct cs_fit_guess begin_guess(const struct cs_fit *f, uint32_t of,
				       uint32_t beside)
{
	const struct cs_fit_pair *x = find_pair(f, of, beside);
	struct cs_fit_guess g = { .mean = cs_fit_mean(f, of, beside) };

	g.sd = cs_fit_variance(f, of, beside, x ? x->var_e : f->var_e);
	g.mean += x ? x->e : 0;
	g.runs = x ? (uint32_t)(x->count + .5) : 0;
	return g;
}

static void end_guess(const struct cs_fit *f, struct cs_fit_guess *g, double sd)
{
	g->sd = sd;
	g->upper = f->q.q < NO_BOUND ? g->mean + f->q.q * f->scale * g->sd
				     : NO_BOUND;
	g->normal = g->mean + Q_MIN * g->sd;
}

struct cs_fit_guess cs_fit_guess(const struct cs_fit *f, uint32_t of,
				 uint32_t beside)
{
	struct cs_fit_guess g = begin_guess(f, of, beside);

	end_guess(f, &g, cs_real_root(g.sd));
	return g;
}

void cs_fit_guess_all(const struct cs_fit *f, uint32_t of,
		      struct cs_fit_guess *ret)
{
	double sd[GUESSES];

	for (uint32_t at = 0; at <= f->n_code; at += GUESSES) {
		size_t m = f->n_code + 1 - at < GUESSES ? f->n_code + 1 - at
							: GUESSES;

		for (uint32_t k = 0; k < m; k++) {
			ret[at + k] = begin_guess(f, of, at + k);
			sd[k] = ret[at + k].sd;
		}
		cs_real_root_all(sd, m);
		for (uint32_t k = 0; k < m; k++)
			end_guess(f, &ret[at + k], sd[k]);
	}
}

struct cs_fit_quantile cs_fit_quantile(const struct cs_fit *f)
{
	return f->q;
}

struct cs_fit_effect cs_fit_effect(const struct cs_fit *f, uint32_t code)
{
	struct cs_fit_effect r = { f->v[code], f->w[code], 0 };

	for (size_t k = 0; k < f->n_pair; k++)
		r.partners += f->pair[k].of == code &&
			      f->pair[k].beside < f->n_code &&
			      f->pair[k].count > 0;
	return r;
}

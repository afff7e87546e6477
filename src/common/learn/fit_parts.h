/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the fit; symbols and rules are in fit.c. */
#ifndef CS_LEARN_FIT_PARTS_H
#define CS_LEARN_FIT_PARTS_H

#include "learn/fit.h"

#define ROUNDS 6      /* of lines, weights and variances */
#define ROUNDS_FOLD 3 /* with fixed variances */
#define FOLDS 10
#define PRIOR_N 8.
#define PRIOR_V .0144
#define PRIOR_W .0064
#define PRIOR_E .0014
#define PRIOR_S .3 /* variance of s */
#define PRIOR_D .2 /* d of rule 9 */
#define DIFFER_MIN .005
#define Q_MIN 1.6449 /* the normal quantile of .95 */
#define NO_BOUND 1e300

struct cs_fit_pair {
	uint32_t of, beside; /* beside == n_code: nobody */
	double count;	     /* its runs, weighted */
	double e, var_e;
	double late, noise, model, weight; /* rule 7: sums */
};

struct cs_fit_line { /* of a run */
	double robust;
	uint32_t pair[CS_FIT_PARTS];
	uint32_t main; /* the part with its main neighbour; CS_FIT_PARTS: none */
	uint32_t fold;
};

/*
 * Rows: lines of runs that count in the present fit, in the order of runs.  The parts of a
 * row are those on which its run is beside a neighbour, or spread alone.
 *
 * A block has CS_FIT_LANES rows of equally many parts, so that a processor computes several
 * at once; where there are fewer such rows the rest is 0.  Sums over rows depend in their last
 * bit on the order, which is that of rows: what blocks say is put where it is added up, of
 * each code together.
 */
#define CS_FIT_LANES 8
struct cs_fit_block {
	double target[CS_FIT_LANES]; /* what the effects must add up to, ... */
	double rest[CS_FIT_LANES];   /* less u, ... */
	double own[CS_FIT_LANES];    /* sum (m + v) */
	double base[CS_FIT_LANES];   /* ... less own */
	double sum[CS_FIT_LANES];    /* of p */
	double gain[CS_FIT_LANES];   /* weight / var */
	double push[CS_FIT_LANES];   /* gain * sum */
	uint32_t code[CS_FIT_LANES];
	uint32_t slot[CS_FIT_LANES]; /* of a row in many[] and said[], by code */
	uint32_t n;		     /* parts of each row */
	uint32_t other[CS_FIT_PARTS][CS_FIT_LANES];
	uint32_t part_slot[CS_FIT_PARTS][CS_FIT_LANES]; /* in said[], by other */
	double p[CS_FIT_PARTS][CS_FIT_LANES];
	double does[CS_FIT_PARTS][CS_FIT_LANES]; /* p (1 + s) */
	double w[CS_FIT_PARTS][CS_FIT_LANES];	 /* of other */
	double adds[CS_FIT_PARTS][CS_FIT_LANES]; /* does times w */
	/* not read by sweeps */
	double weight[CS_FIT_LANES]; /* by age and rule 4 */
	double var[CS_FIT_LANES];    /* rule 3 */
	uint32_t pair[CS_FIT_PARTS][CS_FIT_LANES];
	uint32_t run[CS_FIT_LANES];
};

/* What a row, or a part of one, says of an effect: its variance is 1 / info, its mean push /
 * info. */
struct cs_fit_said {
	double info, push;
};

struct cs_fit {
	size_t cap_code, cap_run, cap_hash;
	const struct cs_fit_code *code;
	const struct cs_fit_run *run;
	size_t n_code, n_run, n_pair;
	double mean, var_mean;
	double var_v, var_w, var_e;
	double *v, *w, *u, *s; /* [n_code + 1] */
	/* [n_code + 1] remaining variances */
	double *left_v, *left_w, *left_s;
	double *info, *push; /* [n_code + 1] scratch */
	/* [n_code] what lines say of v and u, and of the mean: constant in a round */
	double *info_v, *info_u, info_mean;
	uint32_t *like;	 /* [n_code + 1] the first code that it is like */
	uint32_t *alike; /* [n_code + 1] of the first: how many are */
	bool any_alike;	 /* are two codes like each other? */
	double *like_v,
		*like_w; /* [n_code + 1] of the first: their mean, rule 9 */
	double *like_sum, *like_mean; /* [n_code + 1] scratch */
	double differ;		      /* d of rule 9 */
	double differ_sum, differ_n;
	struct cs_fit_line *line;   /* [n_run] */
	struct cs_fit_block *block; /* [n_block] */
	uint32_t *place; /* [n_row] of each row: its block * CS_FIT_LANES + lane */
	size_t n_block, n_row;
	/* Slots of a code begin at [code]; those of unused lanes are behind all. */
	uint32_t *row_slot, *part_slot; /* [n_code + 2] */
	struct cs_fit_said *said;	/* by slots */
	/* scratch: exponentials of parts; of rows, by places or by slots */
	double *many;
	struct cs_fit_pair *pair; /* [n_pair] of cap_run * CS_FIT_PARTS */
	uint32_t *hash;		  /* [cap_hash] pair + 1 */
	double *z;		  /* [n_pair] scratch */
	struct cs_fit_quantile q;
	double scale; /* c of rule 7 */
};

/* The rows of a fit: the runs that count, without those of fold @without. */
void cs_fit_choose_rows(struct cs_fit *f, uint32_t without);
/* Rules 2 and 3: linearise at the present effects. */
void cs_fit_draw_lines(struct cs_fit *f);
/* Where row @i is. */
static inline struct cs_fit_block *cs_fit_block_of(const struct cs_fit *f,
						   size_t i, size_t *ret_lane)
{
	*ret_lane = f->place[i] % CS_FIT_LANES;
	return &f->block[f->place[i] / CS_FIT_LANES];
}

/* ln r_ak without e_ak. */
double cs_fit_mean(const struct cs_fit *f, uint32_t of, uint32_t beside);
/* Equation (1) without its noise; p_ik of each part into @p. */
double cs_fit_predict(const struct cs_fit *f, size_t i, double *p);
/* Prior variance of w of code @k, or of nobody. */
double cs_fit_prior_w(const struct cs_fit *f, size_t k);
/* Rule 6; @e: the variance of e_ab. */
double cs_fit_variance(const struct cs_fit *f, uint32_t of, uint32_t beside,
		       double e);
/* Rules 2 to 6, without the runs of fold @without (FOLDS: with all); @vary: rule 5. */
void cs_fit_settle(struct cs_fit *f, uint32_t without, int rounds, bool vary);
/* Rule 7: sets f->q and f->scale, and leaves the effects as fitted for the last
 * fold. */
void cs_fit_find_bound(struct cs_fit *f, double level);

#endif

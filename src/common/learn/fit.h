/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of what codes cost each other, fitted to their runs.
 *
 * A code is a kind of job that can be distinguished.  With r_ab the time of a, spread
 * (on half of the cores of each node) beside b, over its time dense and alone,
 *
 *	ln r_ab = m + v_a + (1 + s_a) w_b + e_ab
 *
 * v_a is what a suffers beside any neighbour, w_b what b inflicts on any neighbour, s_a
 * by how much more than average a suffers from that, e_ab what is particular to the
 * pair; "nobody" is a neighbour too, for the time that a is spread and alone.  Theory
 * in fit.c.  Memory is allocated once; results depend on the arguments alone.
 */
#ifndef CS_LEARN_FIT_H
#define CS_LEARN_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CS_FIT_PARTS 6		/* of a run, each with one neighbour */
#define CS_FIT_DENSE UINT32_MAX /* neighbour: none, dense */
#define CS_FIT_PAIRS_MIN 8	/* that a bound takes */

struct cs_fit_part {
	uint32_t other; /* code; n_code: nobody; CS_FIT_DENSE */
	double share;	/* of the run's time; they sum to 1 */
};

struct cs_fit_run {
	uint32_t code;
	uint32_t n_part;
	struct cs_fit_part part[CS_FIT_PARTS];
	double log_time; /* ln of its time over its code's, dense and alone */
	double weight;	 /* 0 to 1, by age */
};

struct cs_fit_code {
	double noise; /* variance of ln time from run to run */
	double base;  /* variance of the known time alone */
	/* Codes of the same number may be alike, as jobs of one name are; 0: it is
	 * like no other. */
	uint64_t like;
};

struct cs_fit;

/* For up to @codes codes and @runs runs.  NULL: no memory. */
struct cs_fit *cs_fit_create(size_t codes, size_t runs);
void cs_fit_free(struct cs_fit *f);
/* The memory that it takes, in bytes. */
size_t cs_fit_bytes(size_t codes, size_t runs);

/*
 * Fit to @run [n_run] of @code [n_code], at most as many as created for; both are
 * borrowed until the next call.  @level (0 to 1): the fraction of pairs not yet seen
 * that shall be within the bound.  O((folds + 1) * sweeps * parts of all runs).
 */
void cs_fit_make(struct cs_fit *f, const struct cs_fit_code *code,
		 size_t n_code, const struct cs_fit_run *run, size_t n_run,
		 double level);

/* What is known of @of beside @beside (a code, or n_code for nobody). */
struct cs_fit_guess {
	double mean, sd; /* of ln r */
	double upper;	 /* bound of ln r at the level; 1e300: none */
	double normal;	 /* the normal theory's bound, for comparison */
	uint32_t runs;	 /* runs of this very pair, weighted */
};
struct cs_fit_guess cs_fit_guess(const struct cs_fit *f, uint32_t of,
				 uint32_t beside);
/* The same of @of beside each code and nobody, into @ret [n_code + 1]. */
void cs_fit_guess_all(const struct cs_fit *f, uint32_t of,
		      struct cs_fit_guess *ret);

/* How many standard deviations the bound is above the mean, and how many pairs
 * determined it; q is 1e300 if they were too few. */
struct cs_fit_quantile {
	double q;
	size_t pairs;
};
struct cs_fit_quantile cs_fit_quantile(const struct cs_fit *f);

/* v and w of a code, and the number of different neighbours it ran beside. */
struct cs_fit_effect {
	double suffers, does;
	uint32_t partners;
};
struct cs_fit_effect cs_fit_effect(const struct cs_fit *f, uint32_t code);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched-learning TABLE ALONE: which pairs of codes would be admitted after a few
 * runs, and which of them should not have been.
 *
 * The table of measured co-runs is the truth of a site (sim/corun.h).  Each code ran
 * alone ALONE_RUNS times.  Then pairs meet as they come, any two codes of which both
 * ratios were measured, until each code has seen so many partners on average; each
 * meeting is one run of both, or five, beside each other for a part of the time, drawn
 * evenly from a quarter to all of it, and spread and alone for the rest (which takes
 * what the kindest partner leaves).  Every run takes a normal factor longer or shorter,
 * also the alone ones, of which each code's time is the median.
 *
 * Then every pair that has not met is put to the bound: it is admitted where both
 * ways are at most the promise.  A line is the sum over the worlds:
 *
 *	partners  on average, of a code
 *	runs      a meeting
 *	noise     standard deviation of a run, per cent
 *	bound     conformal, normal (theory, the same model), oracle (knows)
 *	pairs     that had not met; within: truly within the promise both ways
 *	admitted, broken: of the admitted, beyond the promise one way or both
 *	share     per cent of the pairs within that were admitted
 *	broke     per cent of the admitted that broke it
 *	way_share, way_broke	the same of each way by itself
 *	exceeded  per cent of the ways whose ratio was above its bound
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/learn/fit.h"
#include "common/learn/real.h"
#include "sim/corun.h"
#include "sim/draw.h"

#define ALONE_RUNS 10
#define LEVEL .95
#define RUNS_MAX 20000

enum bound { CONFORMAL, NORMAL, ORACLE, BOUNDS };
static const char *const bound_name[] = { "conformal", "normal", "oracle" };

struct tally {
	uint64_t pairs, within, admitted, right, broken; /* both ways */
	uint64_t ways, way_within, way_admitted, way_right, exceeded;
};

struct world {
	const struct cs_corun *c;
	struct cs_rng rng;
	double noise;
	double *alone; /* [n] ln of what its time alone is taken for */
	struct cs_fit_code *code; /* [n] */
	struct cs_fit_run *run;	  /* [n_run] */
	size_t n_run;
	bool *met; /* [n][n] */
};

static double factor(struct world *w)
{
	double x = 1 + w->noise * cs_draw_normal(&w->rng);

	return x < .1 ? .1 : x;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* Times alone: their medians, and what they say of the noise. */
static void run_alone(struct world *w)
{
	double squares = 0, var;

	for (size_t a = 0; a < w->c->n; a++) {
		double x[ALONE_RUNS], mean = 0;

		for (int i = 0; i < ALONE_RUNS; i++)
			mean += (x[i] = cs_real_ln(factor(w))) / ALONE_RUNS;
		for (int i = 0; i < ALONE_RUNS; i++)
			squares += (x[i] - mean) * (x[i] - mean);
		qsort(x, ALONE_RUNS, sizeof(*x), by_size);
		w->alone[a] = (x[ALONE_RUNS / 2] + x[(ALONE_RUNS - 1) / 2]) / 2;
	}
	var = squares / (double)(w->c->n * (ALONE_RUNS - 1));
	for (size_t a = 0; a < w->c->n; a++)
		w->code[a] =
			(struct cs_fit_code){ .noise = var,
					      .base = 1.57 * var / ALONE_RUNS };
}

static double ratio(const struct cs_corun *c, size_t a, size_t b)
{
	return c->ratio[a * c->n + b];
}

/* A run of @a, @share of its time beside @b. */
static void run_beside(struct world *w, size_t a, size_t b, double share)
{
	double rate = share / ratio(w->c, a, b) + (1 - share) * w->c->dense[a];

	w->run[w->n_run++] = (struct cs_fit_run){
		.code = (uint32_t)a,
		.n_part = 2,
		.part = { { (uint32_t)b, share },
			  { (uint32_t)w->c->n, 1 - share } },
		.log_time = cs_real_ln(factor(w) / rate) - w->alone[a],
		.weight = 1,
	};
}

/* Meetings until each code has seen @partners on average. */
static void meet(struct world *w, double partners, int runs)
{
	size_t n = w->c->n, seen = 0;

	memset(w->met, 0, n * n * sizeof(*w->met));
	w->n_run = 0;
	while ((double)seen < partners * (double)n &&
	       w->n_run + 10 <= RUNS_MAX) {
		size_t a = (size_t)(cs_rng_unit(&w->rng) * (double)n);
		size_t b = (size_t)(cs_rng_unit(&w->rng) * (double)n);

		if (ratio(w->c, a, b) <= 0 || ratio(w->c, b, a) <= 0)
			continue;
		seen += w->met[a * n + b] ? 0 : a == b ? 1 : 2;
		w->met[a * n + b] = w->met[b * n + a] = true;
		for (int i = 0; i < runs; i++) {
			run_beside(w, a, b, cs_draw_uniform(&w->rng, .25, 1));
			if (a != b)
				run_beside(w, b, a,
					   cs_draw_uniform(&w->rng, .25, 1));
		}
	}
}

static void judge(const struct world *w, const struct cs_fit *f, double promise,
		  struct tally tally[BOUNDS])
{
	size_t n = w->c->n;

	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b <= a; b++) {
			double r[2] = { ratio(w->c, a, b), ratio(w->c, b, a) };
			struct cs_fit_guess g[2] = {
				cs_fit_guess(f, (uint32_t)a, (uint32_t)b),
				cs_fit_guess(f, (uint32_t)b, (uint32_t)a)
			};
			bool within = r[0] <= promise && r[1] <= promise;

			if (r[0] <= 0 || r[1] <= 0 || w->met[a * n + b])
				continue;
			for (int k = 0; k < BOUNDS; k++) {
				struct tally *t = &tally[k];
				bool in = true;

				for (int i = 0; i < 2; i++) {
					double up = k == ORACLE	  ? log(r[i])
						    : k == NORMAL ? g[i].normal
								  : g[i].upper;

					bool way = up <= log(promise) + 1e-12;

					in &= way;
					t->ways++;
					t->way_within += r[i] <= promise;
					t->way_admitted += way;
					t->way_right += way && r[i] <= promise;
					t->exceeded += log(r[i]) > up + 1e-12;
				}
				t->pairs++;
				t->within += within;
				t->admitted += in;
				t->right += in && within;
				t->broken += in && !within;
			}
		}
}

static double part(uint64_t of, uint64_t all)
{
	return all ? 100. * (double)of / (double)all : 0;
}

static void print_line(double partners, int runs, double noise, int bound,
		       const struct tally *t)
{
	printf("%g\t%d\t%g\t%s\t%llu\t%llu\t%llu\t%llu"
	       "\t%.1f\t%.2f\t%.1f\t%.2f\t%.1f\n",
	       partners, runs, noise, bound_name[bound],
	       (unsigned long long)t->pairs, (unsigned long long)t->within,
	       (unsigned long long)t->admitted, (unsigned long long)t->broken,
	       part(t->right, t->within), part(t->broken, t->admitted),
	       part(t->way_right, t->way_within),
	       part(t->way_admitted - t->way_right, t->way_admitted),
	       part(t->exceeded, t->ways));
}

int main(int argc, char **argv)
{
	static const double partners[] = { 1, 2, 4, 8 };
	static const double noise[] = { .02, .05, .10 };
	static const int runs[] = { 1, 5 };
	uint64_t worlds = argc > 3 ? strtoull(argv[3], NULL, 10) : 20;
	double promise = argc > 4 ? strtod(argv[4], NULL) : 1.10;
	struct cs_err err = { "" };
	struct cs_corun c;
	struct world w = { .c = &c };
	struct cs_fit *f;

	if (argc < 3 || argc > 5 || !worlds ||
	    !(promise >= 1 && promise < 10)) {
		fputs("Usage: cosched-learning TABLE ALONE [WORLDS [PROMISE]]\n",
		      stderr);
		return 2;
	}
	if (cs_corun_read(&c, argv[1], argv[2], &err)) {
		fprintf(stderr, "cosched-learning: %s\n", err.text);
		return 2;
	}
	w.alone = calloc(c.n, sizeof(*w.alone));
	w.code = calloc(c.n, sizeof(*w.code));
	w.run = calloc(RUNS_MAX, sizeof(*w.run));
	w.met = calloc(c.n * c.n, sizeof(*w.met));
	f = cs_fit_create(c.n, RUNS_MAX);
	if (!w.alone || !w.code || !w.run || !w.met || !f) {
		fputs("cosched-learning: no memory\n", stderr);
		return 2;
	}
	puts("# partners\truns\tnoise\tbound\tpairs\twithin\tadmitted\tbroken"
	     "\tshare\tbroke\tway_share\tway_broke\texceeded");
	for (size_t i = 0; i < 4 * 2 * 3; i++) {
		struct tally t[BOUNDS] = { 0 };
		size_t p = i / 6, m = i / 3 % 2, s = i % 3;

		w.noise = noise[s];
		for (uint64_t k = 0; k < worlds; k++) {
			cs_rng_init(&w.rng, k + 1, i + 1);
			run_alone(&w);
			meet(&w, partners[p], runs[m]);
			cs_fit_make(f, w.code, c.n, w.run, w.n_run, LEVEL);
			judge(&w, f, promise, t);
		}
		for (int k = 0; k < BOUNDS; k++)
			print_line(partners[p], runs[m], 100 * noise[s], k,
				   &t[k]);
	}
	cs_fit_free(f);
	free(w.alone);
	free(w.code);
	free(w.run);
	free(w.met);
	cs_corun_done(&c);
	return 0;
}

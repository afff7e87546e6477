/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Lublin-Feitelson model of a parallel machine's workload.
 *
 * Problem.  Jobs like those of real logs, for a machine of any size: few sizes
 * that are no powers of two, large jobs a little longer than small ones, and
 * more of them by day than by night.
 *
 * Rules.  Gamma(a, b) has shape a and scale b; the numbers stand in `columns`.
 *  1. Size: u uniform in [0, 1).  u <= SerialProb: 1.  Else 2^x, rounded, where
 *     x is uniform in [ULow, UMed] with probability UProb, else in [UMed, UHi];
 *     u <= SerialProb + Pow2Prob: x is rounded first.
 *  2. Runtime: e^g, whole seconds, g from Gamma(a1, b1) with probability
 *     p = pa * size + pb (within 0 and 1), else from Gamma(a2, b2); drawn again
 *     above 12 (45 hours).
 *  3. Arrivals: each job brings e^g / 1800 of credit, g from Gamma(aarr * ARAR,
 *     barr), drawn again above 13.  Each of the 48 buckets of a day takes up as
 *     much credit as its weight; time goes on by what has been taken up.  The
 *     weights follow the density of Gamma(anum, bnum) over the buckets from 11
 *     on, and have the mean 1.  The first day starts at midnight.
 *  4. Machine of P nodes: UHi = log2 P, and UMed stays as far below it as it is
 *     for 128 nodes (2.5).
 *  5. Types: batch and interactive jobs have columns and arrivals of their own,
 *     and the next job is the one that comes first; without types there is one
 *     column, "both".
 *
 * Source: Lublin and Feitelson, The Workload on Parallel Supercomputers:
 * Modeling the Characteristics of Rigid Jobs, JPDC 63(11), 2003, and the
 * authors' program, whose constants these are.
 *
 * Differs.
 *  1. Interactive jobs' UHi is 1.5 below log2 P, as it is for 128 nodes; the
 *     program leaves it to its user.
 *  2. A size that is rounded to a power of two above P, which happens where P
 *     is none, becomes the next lower one.
 *  3. Sizes and runtimes have a stream of random numbers of their own: another
 *     alpha gives the same jobs at other times.
 *
 * Used by Zeng09 (slowdown.h), section 5.1, without types: `alpha` there is aarr
 * of the column "both", and ARAR still multiplies it.
 *
 * Cost: some ten draws a job.
 */
#include "lublin.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "draw.h"

#define BUCKETS 48 /* of a day */
#define BUCKET_S 1800.
#define DAY_START 11	  /* bucket at which the cycle begins */
#define RUNTIME_LN_MAX 12 /* g of rule 2 */
#define ARRIVE_LN_MAX 13  /* g of rule 3 */
#define P_LOG2 7	  /* the columns' machine: 128 nodes */

struct column {
	double serial_prob, pow2_prob, u_low, u_med, u_hi, u_prob;
	double a1, b1, a2, b2, pa, pb;
	double aarr, barr, anum, bnum, arar;
};

enum { BATCH, INTERACTIVE, BOTH };

static const struct column columns[] = {
	[BATCH] = { .2927, .6686, 1.2, 5, 7, .875, 6.57, .823, 639.1, .0156,
		    -.003, .6986, 6.0415, .8531, 6.1271, 5.2740, 1.0519 },
	[INTERACTIVE] = { .1541, .625, 1, 3, 5.5, .705, 3.8351, .6605, 7.073,
			  .6856, -.0118, .9156, 6.5510, .6621, 8.9186, 3.6680,
			  .9797 },
	[BOTH] = { .244, .576, .8, 4.5, 7, .86, 4.2, .94, 312, .03, -.0054, .78,
		   10.2303, .4871, 8.1737, 3.9631, 1.0225 },
};

/* ----------------------------------------------------------------- arrivals */

struct arrivals {
	struct cs_rng rng;
	double shape, scale;	/* of the inter-arrival times' logarithm */
	double weight[BUCKETS]; /* mean 1 */
	int bucket;
	double credit, part; /* part: of the bucket that has been taken up */
	double now_s;	     /* the last arrival */
};

static void arrivals_init(struct arrivals *a, const struct column *c,
			  double alpha, uint64_t seed, uint64_t stream)
{
	double sum = 0;

	*a = (struct arrivals){ .shape =
					(alpha > 0 ? alpha : c->aarr) * c->arar,
				.scale = c->barr };
	cs_rng_init(&a->rng, seed, stream);
	for (int i = DAY_START; i < DAY_START + BUCKETS; i++) {
		double w = cs_draw_gamma_cdf(i + .5, c->anum, c->bnum) -
			   cs_draw_gamma_cdf(i - .5, c->anum, c->bnum);

		a->weight[(i - 1) % BUCKETS] = w;
		sum += w;
	}
	for (int i = 0; i < BUCKETS; i++)
		a->weight[i] *= BUCKETS / sum;
}

/* Rule 3: on to the next arrival. */
static void arrivals_next(struct arrivals *a)
{
	double g, part;

	do
		g = cs_draw_gamma(&a->rng, a->shape, a->scale);
	while (g > ARRIVE_LN_MAX);
	a->credit += exp(g) / BUCKET_S;
	while (a->credit > a->weight[a->bucket]) {
		a->credit -= a->weight[a->bucket];
		a->bucket = (a->bucket + 1) % BUCKETS;
		a->now_s += BUCKET_S;
	}
	part = a->credit / a->weight[a->bucket];
	a->now_s += BUCKET_S * (part - a->part);
	a->part = part;
}

/* --------------------------------------------------------------------- jobs */

struct machine {
	uint32_t nodes;
	double log2; /* of them */
};

/* Rule 1. */
static uint32_t size(struct cs_rng *r, const struct column *c,
		     const struct machine *m)
{
	double high = c->u_hi + m->log2 - P_LOG2;
	double low = c->u_low < high ? c->u_low : high;
	double med = c->u_med + m->log2 - P_LOG2;
	double u = cs_rng_unit(r), x;

	if (u <= c->serial_prob || m->nodes == 1)
		return 1;
	if (med < low)
		med = low;
	if (cs_rng_unit(r) <= c->u_prob)
		x = cs_draw_uniform(r, low, med);
	else
		x = cs_draw_uniform(r, med, high);
	if (u <= c->serial_prob + c->pow2_prob) {
		x = floor(x + .5);
		if (x > m->log2)
			x--;
	}
	return (uint32_t)floor(exp2(x) + .5);
}

/* Rule 2. */
static int64_t runtime_s(struct cs_rng *r, const struct column *c, uint32_t n)
{
	double p = c->pa * n + c->pb, g;

	p = p < 0 ? 0 : p > 1 ? 1 : p;
	do
		g = cs_rng_unit(r) < p ? cs_draw_gamma(r, c->a1, c->b1)
				       : cs_draw_gamma(r, c->a2, c->b2);
	while (g > RUNTIME_LN_MAX);
	return (int64_t)exp(g);
}

static void job(struct cs_trace_job *j, struct cs_rng *r,
		const struct column *c, const struct machine *m, double now_s)
{
	*j = (struct cs_trace_job){ .user = -1,
				    .group = -1,
				    .exe = -1,
				    .queue = -1,
				    .partition = -1,
				    .wait_us = -1 };
	j->procs = size(r, c, m);
	j->runtime_us = runtime_s(r, c, j->procs) * 1000000;
	j->estimate_us = j->runtime_us;
	j->submit_us = (int64_t)now_s * 1000000;
}

static int check(const struct cs_lublin *m, struct cs_err *err)
{
	if (!m->nodes || !m->jobs)
		return cs_err_set(err, -EINVAL,
				  "no nodes or no jobs, expected 1 at least");
	if (m->alpha && m->types)
		return cs_err_set(err, -EINVAL,
				  "alpha with types, expected one of them: "
				  "each type has an alpha of its own");
	/* above, hardly a g would be below ARRIVE_LN_MAX */
	if (m->alpha && !(m->alpha >= .1 && m->alpha <= CS_LUBLIN_ALPHA_MAX))
		return cs_err_set(err, -EINVAL,
				  "alpha is %g, expected 0.1 to %d", m->alpha,
				  CS_LUBLIN_ALPHA_MAX);
	return 0;
}

int cs_lublin_generate(struct cs_trace *ret, const struct cs_lublin *m,
		       struct cs_err *err)
{
	const struct machine machine = { m->nodes, log2(m->nodes) };
	int n = m->types ? 2 : 1, first = m->types ? BATCH : BOTH;
	struct arrivals a[2];
	struct cs_trace t = { 0 };
	struct cs_rng r;
	int rc = check(m, err);

	if (rc)
		return rc;
	t.job = calloc(m->jobs, sizeof(*t.job));
	if (!t.job)
		return cs_err_set(err, -ENOMEM, "no memory for %u jobs",
				  m->jobs);
	cs_rng_init(&r, m->seed, 1);
	for (int i = 0; i < n; i++) {
		arrivals_init(&a[i], &columns[first + i], m->alpha, m->seed,
			      2 + (uint64_t)i);
		arrivals_next(&a[i]);
	}
	while (t.n < m->jobs) {
		int next = n > 1 && a[1].now_s < a[0].now_s;
		struct cs_trace_job *j = &t.job[t.n++];

		job(j, &r, &columns[first + next], &machine, a[next].now_s);
		j->id = (uint32_t)t.n;
		if (m->types)
			j->queue = next == 0; /* batch */
		arrivals_next(&a[next]);
	}
	*ret = t;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What planning one waiting job costs: find and add on lines of 50, 1,000 and
 * 40,000 steps, on timeline.c and on an array of all steps; then whole passes.
 *
 * The load: jobs that run hold the whole machine, a node or some in one class
 * each, and end within a day.  A waiting job asks for 1 to 256 nodes (its
 * logarithm uniform) of every other class, for a minute to a day.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "naive_line.h"
#include "common/base/rng.h"
#include "common/backfill/timeline.h"

#define MAX_CLASSES 8
#define MINUTE INT64_C(60000000)
#define DAY (24 * 60 * MINUTE)

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t draw(struct cs_rng *r, uint64_t n)
{
	return cs_rng_next(r) % n;
}

struct waiting {
	int64_t len_us;
	uint32_t need, n_class, class[MAX_CLASSES];
};

static struct waiting draw_job(struct cs_rng *r, uint32_t classes)
{
	struct waiting j = { 0 };
	int64_t len_us = MINUTE << draw(r, 11);

	j.len_us = len_us / 2 + (int64_t)draw(r, (uint64_t)len_us);
	j.need = 1 + (uint32_t)draw(r, UINT64_C(1) << draw(r, 9));
	while (j.n_class == 0)
		for (uint32_t c = 0; c < classes; c++)
			if (classes == 1 || draw(r, 2))
				j.class[j.n_class++] = c;
	return j;
}

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_timeline: %s\n", what);
	exit(1);
}

/* ------------------------------------------------------- on the two lines */

static void by_class(const struct waiting *j, const int32_t *take, int32_t *n)
{
	memset(n, 0, MAX_CLASSES * sizeof(*n));
	for (uint32_t k = 0; k < j->n_class; k++)
		n[j->class[k]] = -take[k];
}

static int64_t plan(struct cs_timeline *t, const struct waiting *j)
{
	int32_t take[MAX_CLASSES], n[MAX_CLASSES];
	int64_t at = cs_timeline_find(t, 0, j->len_us, j->need, j->class, NULL,
				      j->n_class, take);

	must(at != CS_TIME_NONE, "a job fits nowhere");
	by_class(j, take, n);
	must(!cs_timeline_add(t, at, at + j->len_us, n), "no memory");
	return at;
}

static int64_t plan_naive(struct naive_line *l, const struct waiting *j)
{
	int32_t take[MAX_CLASSES], n[MAX_CLASSES];
	int64_t at = naive_find(l, 0, j->len_us, j->need, j->class, j->n_class,
				take);

	by_class(j, take, n);
	naive_add(l, at, at + j->len_us, n);
	return at;
}

/* @running jobs hold all nodes; returns the number of nodes of each class. */
static void fill(struct cs_timeline *t, struct cs_rng *r, uint32_t classes,
		 size_t running)
{
	static const int32_t none[MAX_CLASSES];

	cs_timeline_reset(t, 0, none);
	for (size_t i = 0; i < running; i++) {
		int32_t n[MAX_CLASSES] = { 0 };

		n[i % classes] = 1 + (int32_t)draw(r, 4);
		must(!cs_timeline_add(t, (int64_t)draw(r, (uint64_t)DAY),
				      CS_TIME_NONE, n),
		     "no memory");
	}
	for (uint32_t c = 0; c < classes; c++) {
		int32_t n[MAX_CLASSES] = { 0 };

		n[c] = 256; /* in the end there is room for any job */
		must(!cs_timeline_add(t, DAY, CS_TIME_NONE, n), "no memory");
	}
}

static void naive_of(struct naive_line *l, const struct cs_timeline *t)
{
	int32_t n[MAX_CLASSES];
	int64_t at = cs_timeline_step(t, 0, n);

	naive_reset(l, at, n);
	for (size_t i = 1; i < cs_timeline_steps(t); i++) {
		at = cs_timeline_step(t, i, n);
		naive_insert(l, i, at, n);
	}
}

/* --------------------------------------------------------------- figures */

/* A line of somewhat less than @steps, as a pass would leave it. */
static void grow(struct cs_timeline *t, struct cs_rng *r, uint32_t classes,
		 size_t steps)
{
	fill(t, r, classes, steps / 4);
	while (cs_timeline_steps(t) < steps - steps / 10) {
		struct waiting j = draw_job(r, classes);

		plan(t, &j);
	}
}

static double ns_once(struct cs_timeline *t, uint32_t classes, size_t steps)
{
	double spent = 0;
	long n = 0;

	for (uint64_t seed = 1; spent < .05; seed++) {
		struct waiting job[64];
		struct cs_rng r;
		double from;

		cs_rng_init(&r, seed, 0);
		grow(t, &r, classes, steps);
		while (cs_timeline_steps(t) < steps) {
			size_t k = steps / 50 < 64 ? steps / 50 + 1 : 64;

			for (size_t i = 0; i < k; i++)
				job[i] = draw_job(&r, classes);
			from = now_s();
			for (size_t i = 0; i < k; i++)
				plan(t, &job[i]);
			spent += now_s() - from;
			n += (long)k;
		}
	}
	return 1e9 * spent / (double)n;
}

/* The best of five: others use the machine too. */
static double ns_of(struct cs_timeline *t, uint32_t classes, size_t steps)
{
	double best = ns_once(t, classes, steps);

	for (int i = 1; i < 5; i++) {
		double ns = ns_once(t, classes, steps);

		best = ns < best ? ns : best;
	}
	return best;
}

/* The same on the naive line, for at most about a second; both must agree. */
static double ns_of_naive(struct cs_timeline *t, uint32_t classes, size_t steps)
{
	static const int32_t none[MAX_CLASSES];
	struct naive_line l;
	double spent = 0;
	long n = 0;

	naive_init(&l, classes, 0, none);
	for (uint64_t seed = 1; spent < 1; seed++) {
		struct cs_rng r;

		cs_rng_init(&r, seed, 0);
		grow(t, &r, classes, steps);
		naive_of(&l, t);
		while (cs_timeline_steps(t) < steps && spent < 1) {
			struct waiting j = draw_job(&r, classes);
			double from = now_s();
			int64_t at = plan_naive(&l, &j);

			spent += now_s() - from;
			n++;
			must(plan(t, &j) == at, "the two lines differ");
		}
	}
	naive_done(&l);
	return 1e9 * spent / (double)n;
}

/* Seconds for the ends of 10,000 running jobs, and for 10,000 waiting ones. */
static void pass_once(struct cs_timeline *t, uint32_t classes, double *ret_s)
{
	struct cs_rng r;
	double from;

	cs_rng_init(&r, 1, 0);
	from = now_s();
	fill(t, &r, classes, 10000);
	ret_s[0] = now_s() - from;
	from = now_s();
	for (int i = 0; i < 10000; i++) {
		struct waiting j = draw_job(&r, classes);

		plan(t, &j);
	}
	ret_s[1] = now_s() - from;
}

static void whole_pass(struct cs_timeline *t, uint32_t classes)
{
	double s[2], best[2] = { 1e9, 1e9 };

	for (int i = 0; i < 5; i++) {
		pass_once(t, classes, s);
		for (int k = 0; k < 2; k++)
			best[k] = s[k] < best[k] ? s[k] : best[k];
	}
	printf("whole pass: ends of 10000 jobs %.4f s, 10000 waiting jobs "
	       "%.4f s, %zu steps\n",
	       best[0], best[1], cs_timeline_steps(t));
}

int main(void)
{
	static const size_t steps[] = { 50, 1000, 40000 };

	printf("%7s %7s %14s %14s %9s\n", "classes", "steps", "ns/find+add",
	       "naive", "ratio");
	for (uint32_t classes = 1; classes <= MAX_CLASSES; classes += 7) {
		struct cs_timeline *t = cs_timeline_create(classes);

		must(t != NULL, "no memory");
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			double ns = ns_of(t, classes, steps[i]);
			double naive = ns_of_naive(t, classes, steps[i]);

			printf("%7" PRIu32 " %7zu %14.0f %14.0f %9.1f\n",
			       classes, steps[i], ns, naive, naive / ns);
		}
		whole_pass(t, classes);
		cs_timeline_free(t);
	}
	return 0;
}

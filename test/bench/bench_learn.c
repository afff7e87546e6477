/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Learning: a table of which kinds of jobs may share, from a full history, and a run
 * that is noted.  Once with kinds of names of their own, once with all of one name
 * (learn/fit.c, rule 9).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/rng.h"
#include "learn/admission.h"

#define REPEATS 20
#define S INT64_C(1000000)

static double clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void draw_kinds(struct cs_kin *kin, bool one_name)
{
	char user[16], name[16];

	for (int k = 0; k < CS_ADMISSION_KINDS; k++) {
		snprintf(user, sizeof(user), "user%d", k / 4);
		snprintf(name, sizeof(name), "code%d", one_name ? 0 : k);
		if (one_name)
			snprintf(user, sizeof(user), "user%d", k);
		cs_kin_make(&kin[k], user, name, "batch", 16, 3600 * S);
	}
}

static void note(struct cs_past *h, const struct cs_ended *r)
{
	if (!cs_past_ended(h, r)) {
		fputs("bench_learn: a run was refused\n", stderr);
		exit(1);
	}
}

/* A run of @of beside @n_part others, one after another. */
static void run_beside(struct cs_past *h, struct cs_rng *rng,
		       const struct cs_kin *kin, int of, uint32_t n_part,
		       int64_t t_us)
{
	struct cs_ended r = { .kin = &kin[of], .t_us = t_us, .n_part = n_part };

	for (uint32_t k = 0; k < n_part; k++) {
		uint64_t at = cs_rng_next(rng) % CS_ADMISSION_KINDS;

		r.part[k].beside = kin[at].kind;
		r.part[k].us = (int64_t)(1e9 * (1 + cs_rng_unit(rng)) / n_part);
		r.ran_us += r.part[k].us;
	}
	note(h, &r);
}

/* A history as full as it gets, of runs with @most neighbours or fewer. */
static void fill(struct cs_past *h, struct cs_rng *rng,
		 const struct cs_kin *kin, uint32_t most)
{
	struct cs_ended alone = { .n_part = 1, .ran_us = 1000 * S };

	alone.part[0].beside = CS_BESIDE_FULL;
	alone.part[0].us = alone.ran_us;
	for (int i = 0; i < 3 * CS_ADMISSION_KINDS; i++) {
		alone.kin = &kin[i % CS_ADMISSION_KINDS];
		alone.t_us = i * S;
		note(h, &alone);
	}
	for (int i = 0; i < 2 * CS_PAST_RUNS; i++)
		run_beside(h, rng, kin, i % CS_ADMISSION_KINDS,
			   1 + (uint32_t)(cs_rng_next(rng) % most),
			   (1000 + i) * S);
}

static void measure(bool one_name, uint32_t most)
{
	struct cs_past *h = cs_past_create(1, 90 * 86400 * S);
	struct cs_admission *a = cs_admission_create(CS_ADMISSION_LEVEL);
	struct cs_kin kin[CS_ADMISSION_KINDS];
	double best_s = 1e9, from_s;
	struct cs_rng rng;

	if (!h || !a) {
		fputs("bench_learn: no memory\n", stderr);
		exit(1);
	}
	cs_rng_init(&rng, 1, 1);
	draw_kinds(kin, one_name);
	fill(h, &rng, kin, most);
	for (int i = 0; i < REPEATS; i++) {
		from_s = clock_s();
		cs_admission_make(a, h, 4000 * S);
		from_s = clock_s() - from_s;
		best_s = from_s < best_s ? from_s : best_s;
	}
	from_s = clock_s();
	for (int i = 0; i < CS_PAST_RUNS; i++)
		run_beside(h, &rng, kin, i % CS_ADMISSION_KINDS, most,
			   (4000 + i) * S);
	from_s = clock_s() - from_s;
	printf("%5s  %10" PRIu32 "  %4zu  %5d  %8.1f  %11.1f\n",
	       one_name ? "one" : "own", most, h->n_run,
	       cs_admission_table(a)->n, 1e3 * best_s,
	       1e6 * from_s / CS_PAST_RUNS);
	cs_admission_free(a);
	cs_past_free(h);
}

int main(void)
{
	printf("names  neighbours  runs  kinds  table ms  run noted us\n");
	for (uint32_t most = 1; most <= CS_PAST_PARTS; most++)
		measure(false, most);
	measure(true, 3);
	return 0;
}

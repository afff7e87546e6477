/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest expansion factor first (expansion.c). */
#include "cs_test.h"
#include "rig.h"

#include "common/explain/explain.h"

#define JOBS 40

/* One node of four cores, taken by job 1 until second 1000. */
static void open_taken(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 1, 2, 2, 0);
	rig_add(r, 1, 4, 1000, NULL);
	rig_decide(r);
	assert_true(rig_runs(r, 1));
}

static uint32_t place(struct rig *r, uint32_t id)
{
	uint32_t before, all;

	assert_int_equal(cs_explain_place(r->engine, id, &before, &all), 0);
	return before + 1;
}

/* At second 500: 500/1000 * 4, 400/500 * 4, 100/40 * 1, and 100/40 * 4. */
static void short_ones_pass_and_wide_ones_first(void **state)
{
	struct rig r;

	(void)state;
	open_taken(&r, "policy=easy,order=expansion");
	rig_add(&r, 2, 4, 1000, NULL);
	rig_at(&r, 100);
	rig_add(&r, 3, 4, 500, NULL);
	rig_at(&r, 400);
	rig_add(&r, 4, 1, 40, NULL);
	rig_add(&r, 5, 4, 40, NULL);
	rig_at(&r, 500);
	assert_int_equal(place(&r, 5), 1);
	assert_int_equal(place(&r, 3), 2);
	assert_int_equal(place(&r, 4), 3);
	assert_int_equal(place(&r, 2), 4);
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 5));
	rig_close(&r);
}

static void a_higher_tier_is_first(void **state)
{
	struct rig r;
	struct cs_job_partition o;
	struct cs_job j;

	(void)state;
	open_taken(&r, "policy=easy,order=expansion");
	rig_add(&r, 2, 4, 10, NULL);
	o = (struct cs_job_partition){ .nodeset = r.all,
				       .tier = 2,
				       .limit_max_us = CS_TIME_NONE };
	j = rig_job(&r, 3, 1, 100000, NULL);
	j.option = &o;
	rig_submit(&r, &j);
	rig_at(&r, 900);
	assert_int_equal(place(&r, 3), 1);
	assert_int_equal(place(&r, 2), 2);
	rig_close(&r);
}

static void add_named(struct rig *r, uint32_t id, int64_t estimate_s,
		      const char *name)
{
	struct cs_job j = rig_job(r, id, 4, estimate_s, NULL);

	j.user = "alice";
	j.name = name;
	rig_submit(r, &j);
}

/* Three runs of its group took 100 of the 1000 seconds that it asks for; of another,
 * which asks for 500, nothing is known. */
static void a_known_group_counts_as_it_runs(void **state)
{
	static const char *const learn[] = { "use", "propose" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char params[80];
		struct rig r;

		snprintf(params, sizeof(params),
			 "policy=easy,order=expansion,learn=%s", learn[i]);
		rig_open(&r, params, NULL, 1, 2, 2, 0);
		for (uint32_t id = 1; id <= 3; id++) {
			add_named(&r, id, 1000, "ocean");
			rig_decide(&r);
			rig_at(&r, 100 * id);
			rig_finish(&r, id);
		}
		add_named(&r, 4, 1000, "taken");
		rig_decide(&r);
		assert_true(rig_runs(&r, 4));
		add_named(&r, 5, 1000, "ocean");
		add_named(&r, 6, 500, "ice");
		rig_at(&r, 400);
		assert_int_equal(place(&r, 5), i ? 2 : 1);
		assert_int_equal(place(&r, 6), i ? 1 : 2);
		rig_close(&r);
	}
}

struct wait {
	uint32_t id;
	double x;
};

static int larger(const void *va, const void *vb)
{
	const struct wait *a = va, *b = vb;

	if (a->x != b->x)
		return a->x > b->x ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Whatever comes, and when: the queue is as equation (1) sorts it. */
static void the_queue_is_as_the_equation_says(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(200);

	(void)state;
	for (uint64_t k = 0; k < worlds; k++) {
		struct wait wait[JOBS];
		int64_t came[JOBS], estimate[JOBS], now_s = 1;
		uint32_t procs[JOBS];
		uint64_t rng = seed + k;
		struct rig r;

		open_taken(&r, "policy=fcfs,order=expansion");
		for (uint32_t i = 0; i < JOBS; i++) {
			now_s += (int64_t)cs_test_draw(&rng, 20);
			rig_at(&r, now_s);
			came[i] = now_s;
			procs[i] = 1 + (uint32_t)cs_test_draw(&rng, 4);
			estimate[i] = 1 + (int64_t)cs_test_draw(&rng, 300);
			rig_add(&r, i + 2, procs[i], estimate[i], NULL);
		}
		now_s += 1 + (int64_t)cs_test_draw(&rng, 50);
		rig_at(&r, now_s);
		for (uint32_t i = 0; i < JOBS; i++)
			wait[i] = (struct wait){ i + 2,
						 (double)(now_s - came[i]) /
							 (double)estimate[i] *
							 procs[i] };
		qsort(wait, JOBS, sizeof(*wait), larger);
		for (uint32_t i = 0; i < JOBS; i++)
			if (place(&r, wait[i].id) != i + 1)
				fail_msg("seed %llu: job %u is not number %u",
					 (unsigned long long)(seed + k),
					 wait[i].id, i + 1);
		rig_close(&r);
	}
}

/* A job of an hour beside a stream of minutes that would fill the machine for ever:
 * first when it has waited an hour for each minute that a short one waits. */
static void a_stream_of_short_ones_starves_nobody(void **state)
{
	struct rig r;
	uint32_t id = 2;
	uint64_t rng = 1;
	int64_t s = 0;

	(void)state;
	rig_open(&r, "policy=fcfs,order=expansion", NULL, 1, 2, 2, 0);
	rig_add(&r, 1, 4, 60, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 4, 3600, NULL);
	for (; s < 40 * 3600 && !rig_runs(&r, 2); s += 60) {
		rig_add(&r, ++id, 4, 60, NULL); /* two wait at any time */
		if (id == 3)
			rig_add(&r, ++id, 4, 60, NULL);
		rig_at(&r, s + 60);
		rig_finish(&r, rig_some_running(&r, &rng));
		rig_decide(&r);
		r.n_log = 0; /* it has no room for all */
	}
	assert_true(rig_runs(&r, 2));
	assert_in_range(s, 3600, 3 * 3600);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_ones_pass_and_wide_ones_first),
		cmocka_unit_test(a_higher_tier_is_first),
		cmocka_unit_test(a_known_group_counts_as_it_runs),
		cmocka_unit_test(the_queue_is_as_the_equation_says),
		cmocka_unit_test(a_stream_of_short_ones_starves_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

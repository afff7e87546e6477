/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Early who asks for much work, or for little time (work.c). */
#include "cs_test.h"
#include "rig.h"

#include "common/explain/explain.h"

#define JOBS 40
#define HOUR 3600

/* One node of four cores, taken by job 1 for a year. */
static void open_taken(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 1, 2, 2, 0);
	rig_add(r, 1, 4, 8760 * HOUR, NULL);
	rig_decide(r);
	assert_true(rig_runs(r, 1));
}

static uint32_t place(struct rig *r, uint32_t id)
{
	uint32_t before, all;

	assert_int_equal(cs_explain_place(r->engine, id, &before, &all), 0);
	return before + 1;
}

/* The example of work.c: turns at -8, -9 and -22 h. */
static void much_work_goes_first_and_short_ones_before_the_rest(void **state)
{
	struct rig r;

	(void)state;
	open_taken(&r, "policy=easy,order=work");
	rig_add(&r, 2, 1, 2 * HOUR, NULL);
	rig_at(&r, 7 * HOUR);
	rig_add(&r, 3, 1, HOUR, NULL);
	rig_at(&r, 10 * HOUR);
	rig_add(&r, 4, 4, 2 * HOUR, NULL);
	rig_decide(&r);
	assert_int_equal(place(&r, 4), 1);
	assert_int_equal(place(&r, 3), 2);
	assert_int_equal(place(&r, 2), 3);
	rig_finish(&r, 1);
	rig_decide(&r);
	assert_true(rig_runs(&r, 4));
	assert_false(rig_runs(&r, 3));
	rig_close(&r);
}

/* An hour is short, a second more is not. */
static void short_is_an_hour_at_most(void **state)
{
	struct rig r;

	(void)state;
	open_taken(&r, "policy=easy,order=work");
	rig_add(&r, 2, 1, HOUR + 1, NULL);
	rig_at(&r, 12 * HOUR - 60);
	rig_add(&r, 3, 1, HOUR, NULL);
	rig_decide(&r);
	assert_int_equal(place(&r, 3), 1);
	rig_at(&r, 12 * HOUR + 60);
	rig_add(&r, 4, 1, HOUR, NULL);
	rig_decide(&r);
	assert_int_equal(place(&r, 3), 1);
	assert_int_equal(place(&r, 2), 2);
	assert_int_equal(place(&r, 4), 3);
	rig_close(&r);
}

static void a_higher_tier_is_first(void **state)
{
	struct rig r;
	struct cs_job_partition o;
	struct cs_job j;

	(void)state;
	open_taken(&r, "policy=easy,order=work");
	rig_add(&r, 2, 4, 1000 * HOUR, NULL);
	o = (struct cs_job_partition){ .nodeset = r.all,
				       .tier = 2,
				       .limit_max_us = CS_TIME_NONE };
	j = rig_job(&r, 3, 1, 2 * HOUR, NULL);
	j.option = &o;
	rig_submit(&r, &j);
	rig_at(&r, 900);
	rig_decide(&r);
	assert_int_equal(place(&r, 3), 1);
	assert_int_equal(place(&r, 2), 2);
	rig_close(&r);
}

struct turn {
	uint32_t id;
	double s;
};

static int earlier(const void *va, const void *vb)
{
	const struct turn *a = va, *b = vb;

	if (a->s != b->s)
		return a->s < b->s ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Whatever comes, and when: the queue is as equation (1) sorts it. */
static void the_queue_is_as_the_equation_says(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(200);

	(void)state;
	for (uint64_t k = 0; k < worlds; k++) {
		struct turn turn[JOBS];
		int64_t now_s = 1;
		uint64_t rng = seed + k;
		struct rig r;

		open_taken(&r, "policy=fcfs,order=work");
		for (uint32_t i = 0; i < JOBS; i++) {
			int64_t s = 1 + (int64_t)cs_test_draw(&rng, 2 * HOUR);
			uint32_t procs = 1 + (uint32_t)cs_test_draw(&rng, 4);

			now_s += (int64_t)cs_test_draw(&rng, 2 * HOUR);
			rig_at(&r, now_s);
			rig_add(&r, i + 2, procs, s, NULL);
			if (!cs_test_draw(&rng, 3))
				rig_decide(&r);
			turn[i].id = i + 2;
			turn[i].s = (double)now_s - 4. * (double)s * procs -
				    (s <= HOUR ? 12 * HOUR : 0);
		}
		rig_decide(&r);
		qsort(turn, JOBS, sizeof(*turn), earlier);
		for (uint32_t i = 0; i < JOBS; i++)
			if (place(&r, turn[i].id) != i + 1)
				fail_msg("seed %llu: job %u is not number %u",
					 (unsigned long long)(seed + k),
					 turn[i].id, i + 1);
		rig_close(&r);
	}
}

/* A small job beside a stream of large ones that would fill the machine for ever: its
 * turn comes when those come that have come 16 times their time after it. */
static void a_stream_of_large_ones_starves_nobody(void **state)
{
	struct rig r;
	uint32_t id = 2;
	uint64_t rng = 1;
	int64_t s = 0;

	(void)state;
	rig_open(&r, "policy=fcfs,order=work", NULL, 1, 2, 2, 0);
	rig_add(&r, 1, 4, 2 * HOUR, NULL);
	rig_decide(&r);
	rig_add(&r, 2, 1, 2 * HOUR, NULL);
	for (; s < 400 * HOUR && !rig_runs(&r, 2); s += 2 * HOUR) {
		rig_add(&r, ++id, 4, 2 * HOUR, NULL); /* two wait at any time */
		if (id == 3)
			rig_add(&r, ++id, 4, 2 * HOUR, NULL);
		rig_at(&r, s + 2 * HOUR);
		rig_finish(&r, rig_some_running(&r, &rng));
		rig_decide(&r);
		r.n_log = 0; /* it has no room for all */
	}
	assert_true(rig_runs(&r, 2));
	/* 16 * 2 h less its own 8 h, and what waits before it */
	assert_in_range(s, 24 * HOUR, 34 * HOUR);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			much_work_goes_first_and_short_ones_before_the_rest),
		cmocka_unit_test(short_is_an_hour_at_most),
		cmocka_unit_test(a_higher_tier_is_first),
		cmocka_unit_test(the_queue_is_as_the_equation_says),
		cmocka_unit_test(a_stream_of_large_ones_starves_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

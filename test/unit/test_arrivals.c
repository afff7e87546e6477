/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs of earlier weeks, as arrivals of later ones. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "common/estimate/arrivals.h"

#define DAY (INT64_C(86400) * 1000000)
#define WEEK (7 * DAY)

static const struct cs_job_partition option = { .limit_max_us = 1 };

static int add(struct cs_arrivals *a, uint32_t id, int64_t at_us)
{
	char user[] = "alice"; /* the description is copied */
	const struct cs_job j = { .id = id,
				  .tasks = 1,
				  .user = user,
				  .procs = id,
				  .option = &option,
				  .n_option = 1 };
	int rc = cs_arrivals_add(a, &j, at_us);

	memset(user, 'x', 5);
	return rc;
}

/* The next arrival is @id at @at_us. */
static void assert_next(struct cs_arrivals_walk *w, uint32_t id, int64_t at_us)
{
	int64_t at;
	const struct cs_arrival *x = cs_arrivals_next(w, &at);

	assert_non_null(x);
	assert_int_equal(x->job.id, id);
	assert_string_equal(x->job.user, "alice");
	assert_int_equal(at, at_us);
	cs_arrivals_pass(w);
}

static void weeks_come_again_and_again(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(100);
	struct cs_arrivals_walk w;
	int64_t at;

	(void)state;
	w = cs_arrivals_begin(a, 0, 1);
	assert_null(cs_arrivals_next(&w, &at));
	assert_int_equal(cs_arrivals_weeks(a, WEEK), 0);
	assert_int_equal(add(a, 1, 0), 0);
	assert_int_equal(add(a, 2, 5 * DAY), 0);
	assert_int_equal(add(a, 3, 9 * DAY), 0);
	assert_int_equal(add(a, 4, 15 * DAY), 0);
	assert_int_equal(cs_arrivals_weeks(a, WEEK - 1), 0);
	assert_int_equal(cs_arrivals_weeks(a, 16 * DAY), 2);
	w = cs_arrivals_begin(a, 16 * DAY, 0);
	assert_null(cs_arrivals_next(&w, &at));
	w = cs_arrivals_begin(a, 16 * DAY, 1); /* from day 9 on, without it */
	for (int k = 1; k < 4; k++)
		assert_next(&w, 4, 15 * DAY + k * WEEK);
	w = cs_arrivals_begin(a, 16 * DAY, 2); /* from day 2 on */
	for (int k = 1; k < 4; k++) {
		assert_next(&w, 2, 5 * DAY + k * 2 * WEEK);
		assert_next(&w, 3, 9 * DAY + k * 2 * WEEK);
		assert_next(&w, 4, 15 * DAY + k * 2 * WEEK);
	}
	cs_arrivals_free(a);
}

static void runs_are_kept_with_the_last_job_of_an_id(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(100);
	struct cs_arrivals_walk w;
	int64_t at;

	(void)state;
	assert_int_equal(add(a, 1, 1), 0);
	cs_arrivals_ended(a, 1, 77);
	cs_arrivals_ended(a, 2, 78); /* of no job that is kept */
	assert_int_equal(add(a, 1, 2), 0);
	cs_arrivals_ended(a, 1, 0);
	w = cs_arrivals_begin(a, WEEK, 1);
	assert_int_equal(cs_arrivals_next(&w, &at)->ran_us, 77);
	cs_arrivals_pass(&w);
	assert_int_equal(cs_arrivals_next(&w, &at)->ran_us, 1);
	cs_arrivals_free(a);
}

/* Eight weeks, and @most jobs of them. */
static void what_is_old_goes(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(50);
	uint64_t seed = cs_test_seed();
	struct cs_arrivals_walk w;
	int64_t at, now = 0;
	uint32_t id = 0;

	(void)state;
	for (int round = 0; round < 400; round++) {
		/* slow, then fast */
		now += round < 200 ? WEEK / 4 : DAY / 24;
		assert_int_equal(add(a, ++id, now), 0);
		if (cs_test_draw(&seed, 2))
			cs_arrivals_ended(a, id, id);
		if (round == 199) { /* 32 in eight weeks */
			assert_int_equal(cs_arrivals_weeks(a, now), 8);
			w = cs_arrivals_begin(a, now, 8);
			assert_next(&w, id - 31, now + WEEK / 4);
		}
		if (round < 200 && round >= 32) {
			w = cs_arrivals_begin(a, now, 8);
			assert_int_equal(cs_arrivals_next(&w, &at)->job.id,
					 id - 31);
		}
	}
	assert_int_equal(cs_arrivals_weeks(a, now), 0); /* 50 hours */
	w = cs_arrivals_begin(a, now, 1);
	assert_next(&w, id - 49, now - 49 * DAY / 24 + WEEK);
	cs_arrivals_free(a);
}

static void without_memory_a_job_is_not_kept(void **state)
{
	(void)state;
	for (long n = 0; n < 60; n++) {
		struct cs_arrivals *a;
		uint32_t kept = 0;
		struct cs_arrivals_walk w;
		int64_t at;

		cs_test_fail_after(n);
		a = cs_arrivals_create(40);
		for (uint32_t id = 1; a && id <= 40; id++)
			kept += !add(a, id, id);
		assert_int_equal(kept, !a ? 0 : cs_test_failed() ? 39 : 40);
		if (!a)
			continue;
		w = cs_arrivals_begin(a, 41, 1);
		for (uint32_t k = 0; k < kept; k++) {
			assert_true(cs_arrivals_next(&w, &at)->job.id > k);
			cs_arrivals_pass(&w);
		}
		cs_arrivals_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weeks_come_again_and_again),
		cmocka_unit_test(runs_are_kept_with_the_last_job_of_an_id),
		cmocka_unit_test(what_is_old_goes),
		cmocka_unit_test(without_memory_a_job_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

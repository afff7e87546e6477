/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predicted runtimes: the example and the rules of runtimes.c. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "common/estimate/runtimes.h"

#define S INT64_C(1000000)

static struct cs_runtime_of job(const char *user, uint32_t procs,
				int64_t limit_s)
{
	const struct cs_job j = { .user = user,
				  .procs = procs,
				  .cpus_per_proc = 1,
				  .estimate_us = limit_s * S };

	return cs_runtime_of(&j);
}

static void ran(struct cs_runtimes *r, struct cs_runtime_of of, int64_t ran_s)
{
	assert_int_equal(cs_runtimes_add(r, &of, ran_s * S), 0);
}

static void assert_draws(const struct cs_runtimes *r, struct cs_runtime_of of,
			 int64_t elapsed_s, double unit, int64_t want_s)
{
	assert_int_equal(cs_runtimes_draw(r, &of, elapsed_s * S, unit),
			 want_s * S);
}

static void newer_runs_are_likelier(void **state)
{
	struct cs_runtimes *r = cs_runtimes_create(100);
	struct cs_runtime_of of = job("alice", 4, 400);

	(void)state;
	ran(r, of, 300);
	ran(r, of, 100);
	assert_draws(r, of, 0, 0, 100);
	assert_draws(r, of, 0, 1 / 1.7 - .0001, 100);
	assert_draws(r, of, 0, 1 / 1.7 + .0001, 300);
	assert_draws(r, of, 0, .999999, 300);
	cs_runtimes_free(r);
}

static void a_run_that_has_passed_is_not_drawn(void **state)
{
	struct cs_runtimes *r = cs_runtimes_create(100);
	struct cs_runtime_of of = job("alice", 4, 400);

	(void)state;
	ran(r, of, 100);
	ran(r, of, 300);
	ran(r, of, 350);
	for (double u = 0; u < 1; u += .01)
		assert_true(cs_runtimes_draw(r, &of, 200 * S, u) >= 300 * S);
	/* one run of the group is left: the ratios say .75 and .875 of 400 s */
	assert_draws(r, of, 320, .2, 350);
	assert_draws(r, of, 320, .9, 350);
	/* nothing is left but the limit, and that may have passed, too */
	assert_draws(r, of, 350, .5, 400);
	assert_draws(r, of, 500, .5, 400);
	cs_runtimes_free(r);
}

/* The first group with two runs counts. */
static void it_backs_off_from_the_request_to_the_user_to_all(void **state)
{
	struct cs_runtimes *r = cs_runtimes_create(100);

	(void)state;
	assert_draws(r, job("alice", 4, 400), 0, .3, 400);
	ran(r, job("alice", 1, 100), 10);
	ran(r, job("alice", 1, 100), 10);
	assert_draws(r, job("alice", 4, 400), 0, .3, 10); /* her other jobs */
	ran(r, job("alice", 2, 400), 20);
	ran(r, job("alice", 3, 400), 20);
	assert_draws(r, job("alice", 4, 400), 0, .3, 20); /* of this limit */
	ran(r, job("alice", 4, 400), 30);
	assert_draws(r, job("alice", 4, 400), 0, .3, 30); /* the newest of it */
	ran(r, job("alice", 4, 400), 30);
	assert_draws(r, job("alice", 4, 400), 0, .99, 30); /* of this request */
	assert_draws(r, job("alice", 4, 15), 0, .3, 15); /* cut at the limit */
	/* bob has none: ratios of all, .1, .1, .05, .05, .075, .075 */
	assert_draws(r, job("bob", 4, 1000), 0, .01, 100);
	assert_draws(r, job("bob", 4, 1000), 0, .5, 50);
	assert_draws(r, job("bob", 4, 1000), 0, .99, 75);
	assert_int_equal(cs_runtimes_median(
				 r, &(struct cs_runtime_of){ 0, 1, 1000 * S }),
			 75 * S);
	cs_runtimes_free(r);
}

static void the_median_is_the_lower_one(void **state)
{
	struct cs_runtimes *r = cs_runtimes_create(100);
	struct cs_runtime_of of = job("alice", 4, 400);

	(void)state;
	assert_int_equal(cs_runtimes_median(r, &of), 400 * S);
	for (int64_t s = 50; s <= 500; s += 50)
		ran(r, of, s);
	assert_int_equal(cs_runtimes_median(r, &of), 250 * S);
	of.limit_us = 200 * S;
	assert_int_equal(cs_runtimes_median(r, &of), 200 * S);
	cs_runtimes_free(r);
}

/* Twenty runs count, and a run of nothing is a run. */
static void old_runs_are_forgotten(void **state)
{
	struct cs_runtimes *r = cs_runtimes_create(100);
	struct cs_runtime_of of = job("alice", 4, 400);

	(void)state;
	ran(r, of, 399);
	for (int i = 0; i < 20; i++)
		ran(r, of, 0);
	for (double u = 0; u < 1; u += .01)
		assert_int_equal(cs_runtimes_draw(r, &of, 0, u), 1);
	cs_runtimes_free(r);
}

/* Rule 5: three groups a job; the user to whom no run was added for longest is gone. */
static void groups_are_bounded(void **state)
{
	struct cs_runtimes *r = cs_runtimes_create(6);
	char name[16];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "u%d", i);
		ran(r, job(name, 1, 10000), 100 + i);
		ran(r, job(name, 1, 10000), 100 + i);
		assert_draws(r, job(name, 1, 10000), 0, .5, 100 + i);
		if (!i)
			continue;
		snprintf(name, sizeof(name), "u%d", i - 1);
		assert_draws(r, job(name, 1, 20000), 0, .5, 99 + i);
		if (i <
		    60) /* ratios alone: of the jobs before, times 2,000 s */
			continue;
		snprintf(name, sizeof(name), "u%d", i - 2);
		assert_true(cs_runtimes_draw(r,
					     &(struct cs_runtime_of){
						     job(name, 1, 1).user, 1,
						     20000 * S },
					     0, .5) >= 2 * (51 + i) * S);
	}
	cs_runtimes_free(r);
}

/* Without memory a run is not remembered, and nothing breaks. */
static void without_memory_runs_are_lost(void **state)
{
	(void)state;
	for (long n = 0; n < 8; n++) {
		struct cs_runtimes *r;
		struct cs_runtime_of of = job("alice", 4, 400);
		int rc = 0;

		cs_test_fail_after(n);
		r = cs_runtimes_create(1000);
		for (int i = 0; r && i < 20; i++) {
			of.limit_us = (400 + i) * S;
			rc = rc ?: cs_runtimes_add(r, &of, 100 * S);
		}
		assert_int_equal(r ? rc : -ENOMEM,
				 cs_test_failed() ? -ENOMEM : 0);
		if (r && !rc)
			assert_draws(r, job("alice", 1, 1600), 0, .5, 100);
		cs_runtimes_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newer_runs_are_likelier),
		cmocka_unit_test(a_run_that_has_passed_is_not_drawn),
		cmocka_unit_test(
			it_backs_off_from_the_request_to_the_user_to_all),
		cmocka_unit_test(the_median_is_the_lower_one),
		cmocka_unit_test(old_runs_are_forgotten),
		cmocka_unit_test(groups_are_bounded),
		cmocka_unit_test(without_memory_runs_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calibrated intervals: the example and the rules of calibration.c. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "common/estimate/calibration.h"

static void waited(struct cs_calibration *c, double wait_s)
{
	struct cs_calibrated x =
		cs_calibration_say(c, 0, (struct cs_interval){ 0, 0 });

	cs_calibration_ended(c, &x, wait_s);
}

static void quantiles_of_ten_waits(void **state)
{
	struct cs_calibration c;
	struct cs_calibrated x;

	(void)state;
	assert_int_equal(cs_calibration_init(&c), 0);
	for (int i = 0; i < 10; i++)
		waited(&c, 100 * ((i * 7) % 10));
	x = cs_calibration_say(&c, 0, (struct cs_interval){ 0, 0 });
	assert_close(x.said.low_s, 0, 0);
	assert_close(x.said.high_s, 900, 0);
	/* (300 + 300) 4 - 300, and outward to whole seconds */
	x = cs_calibration_say(&c, 0, (struct cs_interval){ 100.5, 300 });
	assert_close(x.said.low_s, 100, 0);
	assert_close(x.said.high_s, 2100, 0);
	/* another class has not learned anything */
	x = cs_calibration_say(&c, 1, (struct cs_interval){ 100.5, 300.5 });
	assert_close(x.said.low_s, 100, 0);
	assert_close(x.said.high_s, 301, 0);
	cs_calibration_done(&c);
}

static void classes_are_of_the_estimated_wait(void **state)
{
	static const double hour_s = 3600;

	(void)state;
	assert_int_equal(cs_calibration_class(0), 0);
	assert_int_equal(cs_calibration_class(900), 0);
	assert_int_equal(cs_calibration_class(901), 1);
	assert_int_equal(cs_calibration_class(hour_s), 1);
	assert_int_equal(cs_calibration_class(4 * hour_s), 2);
	assert_int_equal(cs_calibration_class(12 * hour_s), 3);
	assert_int_equal(cs_calibration_class(36 * hour_s), 4);
	assert_int_equal(cs_calibration_class(36 * hour_s + 1), 5);
	assert_int_equal(cs_calibration_class(1e12), 5);
}

static void
a_wait_that_passes_the_interval_counts_at_once_and_once(void **state)
{
	struct cs_calibration c;
	struct cs_calibrated x;
	double level;

	(void)state;
	assert_int_equal(cs_calibration_init(&c), 0);
	level = c.class[2].high_level;
	x = cs_calibration_say(&c, 2, (struct cs_interval){ 10, 20 });
	cs_calibration_passed(&c, &x);
	assert_close(c.class[2].high_level, level - .001 * .95, 1e-12);
	cs_calibration_passed(&c, &x);
	cs_calibration_ended(&c, &x, 5000);
	assert_close(c.class[2].high_level, level - .001 * .95, 1e-12);
	assert_close(c.class[2].low_level, level + .001 * .05, 1e-12);
	x = cs_calibration_say(&c, 2, (struct cs_interval){ 10, 20 });
	cs_calibration_ended(&c, &x, 0);
	assert_close(c.class[2].low_level, level + .001 * .1 - .001, 1e-12);
	cs_calibration_done(&c);
}

/* Whatever the raw interval, and after a change: nine times in ten. */
static void it_holds_nine_times_in_ten(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int raw = 0; raw < 3; raw++) {
		struct cs_calibration c;
		unsigned int below = 0, above = 0, all = 0;

		assert_int_equal(cs_calibration_init(&c), 0);
		for (int i = 0; i < 12000; i++) {
			double most_s = i < 6000 ? 1000 : 4000;
			double wait_s = most_s * cs_test_unit(&seed);
			struct cs_calibrated x = cs_calibration_say(
				&c, 0,
				(struct cs_interval){ 40 * raw, 500 * raw });

			cs_calibration_ended(&c, &x, wait_s);
			if ((i >= 1000 && i < 6000) || i >= 9000) {
				below += wait_s < x.said.low_s;
				above += wait_s > x.said.high_s;
				all++;
			}
		}
		assert_in_range(below, all * 4 / 100, all * 6 / 100);
		assert_in_range(above, all * 4 / 100, all * 6 / 100);
		cs_calibration_done(&c);
	}
}

static void without_memory_there_is_none(void **state)
{
	struct cs_calibration c;
	int rc;

	(void)state;
	CS_TEST_EACH_ALLOC(rc = cs_calibration_init(&c);
			   if (!rc) cs_calibration_done(&c), rc == -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_of_ten_waits),
		cmocka_unit_test(classes_are_of_the_estimated_wait),
		cmocka_unit_test(
			a_wait_that_passes_the_interval_counts_at_once_and_once),
		cmocka_unit_test(it_holds_nine_times_in_ten),
		cmocka_unit_test(without_memory_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cs_test.h"

#include <math.h>

#include "common/base/duration.h"

static void sums_do_not_pass_never(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	assert_true(cs_later_us(5, 7) == 12);
	assert_true(cs_later_us(0, CS_TIME_NONE) == CS_TIME_NONE);
	assert_true(cs_later_us(CS_TIME_NONE, 0) == CS_TIME_NONE);
	assert_true(cs_later_us(CS_TIME_NONE - 1, 0) == CS_TIME_NONE - 1);
	for (uint64_t k = cs_test_worlds(1000); k; k--) {
		int64_t a = (int64_t)cs_test_draw(&seed, INT64_MAX);
		int64_t b = (int64_t)cs_test_draw(&seed, INT64_MAX);
		uint64_t sum = (uint64_t)a + (uint64_t)b;

		assert_true((uint64_t)cs_later_us(a, b) ==
			    (sum < INT64_MAX ? sum : INT64_MAX));
	}
}

static void stretched_times_are_rounded_up(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	assert_true(cs_stretch_us(10, 1.25) == 13);
	assert_true(cs_stretch_us(10, .5) == 5);
	assert_true(cs_stretch_us(0, 3) == 0);
	assert_true(cs_stretch_us(CS_TIME_NONE, 1) == CS_TIME_NONE);
	assert_true(cs_stretch_us(INT64_C(1) << 62, 2) == CS_TIME_NONE);
	for (uint64_t k = cs_test_worlds(1000); k; k--) {
		int64_t us = (int64_t)cs_test_draw(&seed, 1 << 30);
		int64_t eighths = (int64_t)cs_test_draw(&seed, 100);

		/* eighths are exact */
		assert_true(cs_stretch_us(us, (double)eighths / 8) ==
			    (us * eighths + 7) / 8);
		assert_true(cs_stretch_us(us << 23, 1) == us << 23);
	}
}

/* ... as ceil() does, also where doubles have no fractions any more. */
static void stretched_times_are_those_of_ceil(void **state)
{
	static const double factors[] = { 0,	1e-300, .1,	   1 / 3.,
					  .999, 1,	1 + 1e-15, 1.1,
					  2.5,	1e9,	INFINITY,  NAN };
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t k = cs_test_worlds(1000); k; k--) {
		int64_t us = (int64_t)(cs_test_draw(&seed, INT64_MAX) >>
				       cs_test_draw(&seed, 63));

		for (size_t f = 0; f < sizeof(factors) / sizeof(*factors);
		     f++) {
			double t = ceil((double)us * factors[f]);
			int64_t want = t < 9e18 ? (int64_t)t : CS_TIME_NONE;

			if (factors[f] == 1 && us < INT64_C(1) << 53)
				want = us;
			assert_true(cs_stretch_us(us, factors[f]) == want);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_do_not_pass_never),
		cmocka_unit_test(stretched_times_are_rounded_up),
		cmocka_unit_test(stretched_times_are_those_of_ceil),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine's clock when slurmctld's jumps (feed/clock.c). */
#include "cs_test.h"

#include "sched/feed/clock.h"

#define S INT64_C(1000000)
#define T0 (1000000 * S)

static void time_goes_on_after_either_jump(void **state)
{
	struct cs_clock c = { 0 };

	(void)state;
	assert_true(cs_clock_bring(&c, T0, 5 * S) == T0);
	assert_true(cs_clock_bring(&c, T0 + 2 * S, 7 * S) == T0 + 2 * S);
	/* an hour forward and, ten seconds later, back */
	assert_true(cs_clock_bring(&c, T0 + 3602 * S, 7 * S) == T0 + 3602 * S);
	assert_true(cs_clock_bring(&c, T0 + 3612 * S, 17 * S) == T0 + 3612 * S);
	assert_true(cs_clock_bring(&c, T0 + 12 * S, 17 * S) == T0 + 3612 * S);
	assert_true(cs_clock_bring(&c, T0 + 32 * S, 37 * S) == T0 + 3622 * S);
	/* step by step, and together again after two hours */
	for (int64_t us = 37 * S, was = c.now_us; us < 10000 * S;
	     us += 333333) {
		assert_true(cs_clock_bring(&c, T0 - 5 * S + us, us) >= was);
		was = c.now_us;
		if (us > 7220 * S)
			assert_true(c.now_us == T0 - 5 * S + us);
		else if (us < 7215 * S)
			assert_true(c.now_us > T0 - 5 * S + us);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_goes_on_after_either_jump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

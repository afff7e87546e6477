/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pauses between failures (run/pause.c). */
#include "cs_test.h"

#include "sched/run/pause.h"

#define S INT64_C(1000000)
#define T0 (1000000 * S)

/* 1, 2, 4 ... 64, 64 s; the first of a row may be said. */
static void pauses_between_failures_grow(void **state)
{
	struct cs_pause p = { 0 };
	int64_t now_us = T0;

	(void)state;
	assert_false(cs_pause_holds(&p, now_us));
	for (int row = 0; row < 2; row++) {
		int64_t s = 1;

		for (int i = 0; i < 9; i++, s = s < 64 ? 2 * s : s) {
			assert_int_equal(cs_pause_failed(&p, now_us), !i);
			assert_true(cs_pause_holds(&p, now_us + s * S - 1));
			now_us += s * S;
			assert_false(cs_pause_holds(&p, now_us));
		}
		cs_pause_over(&p);
		assert_false(cs_pause_holds(&p, now_us - 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pauses_between_failures_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A window against a sorted copy of the last values. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "common/base/window.h"

#define MOST 40

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void it_holds_the_last_values_sorted(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint32_t cap = 1; cap <= MOST; cap += 13) {
		struct cs_window w;
		double all[300];

		assert_int_equal(cs_window_init(&w, cap), 0);
		assert_close(cs_window_median(&w), 0, 0);
		for (uint32_t i = 0; i < 300; i++) {
			uint32_t n = i + 1 < cap ? i + 1 : cap;
			double last[MOST + 1];

			all[i] = (double)cs_test_draw(&seed, 20) - 10;
			cs_window_add(&w, all[i]);
			memcpy(last, all + i + 1 - n, n * sizeof(*last));
			qsort(last, n, sizeof(*last), by_size);
			assert_int_equal(w.n, n);
			assert_memory_equal(w.sorted, last, n * sizeof(*last));
			assert_close(cs_window_median(&w), last[(n - 1) / 2],
				     0);
		}
		cs_window_done(&w);
	}
}

static void one_of_no_room_holds_nothing(void **state)
{
	struct cs_window w = { 0 };

	(void)state;
	cs_window_add(&w, 1);
	assert_int_equal(w.n, 0);
	for (long n = 0; n < 2; n++) {
		cs_test_fail_after(n);
		assert_int_equal(cs_window_init(&w, 3), -ENOMEM);
		assert_true(cs_test_failed());
		assert_int_equal(w.cap, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_holds_the_last_values_sorted),
		cmocka_unit_test(one_of_no_room_holds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

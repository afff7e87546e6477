/* SPDX-License-Identifier: GPL-2.0-or-later */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include "common/base/array.h"

static void arrays_grow_and_keep_what_they_have(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t k = cs_test_worlds(200); k; k--) {
		uint64_t *large = NULL;
		uint16_t *small = NULL;
		size_t cap = 0, n = 0;
		uint32_t cap32 = 0;

		for (int step = 0; step < 20; step++) {
			size_t more = cs_test_draw(&seed, 30);

			assert_int_equal(cs_array_room(&large, &cap, n + more),
					 0);
			assert_int_equal(
				cs_array_room(&small, &cap32, n + more), 0);
			assert_true(cap >= n + more && cap == cap32);
			assert_true(cap <= 2 * (n + more) ||
				    cap <= CS_ARRAY_FIRST);
			for (; more; more--, n++) {
				large[n] = n << 40;
				small[n] = (uint16_t)n;
			}
			for (size_t i = 0; i < n; i++)
				assert_true(large[i] == i << 40 &&
					    small[i] == (uint16_t)i);
		}
		free(large);
		free(small);
	}
}

static void without_memory_they_stay_as_they_are(void **state)
{
	char *p = NULL, *was;
	uint32_t cap = 0;
	size_t huge = 0;
	uint64_t *q = NULL;

	(void)state;
	assert_int_equal(cs_array_room(&p, &cap, 3), 0);
	memcpy(p, "abc", 3);
	was = p;
	cs_test_fail_after(0);
	assert_int_equal(cs_array_room(&p, &cap, 100), -ENOMEM);
	assert_true(cs_test_failed());
	assert_int_equal(cs_array_room(&p, &cap, UINT32_MAX), -ENOMEM);
	assert_int_equal(cs_array_room(&q, &huge, SIZE_MAX), -ENOMEM);
	assert_int_equal(cs_array_room(&q, &huge, SIZE_MAX / 8), -ENOMEM);
	assert_null(q);
	assert_int_equal(huge, 0);
	assert_ptr_equal(p, was);
	assert_int_equal(cap, CS_ARRAY_FIRST);
	assert_memory_equal(p, "abc", 3);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_grow_and_keep_what_they_have),
		cmocka_unit_test(without_memory_they_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

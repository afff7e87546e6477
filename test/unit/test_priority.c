/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Priorities that follow an order (priority.h). */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/order/priority.h"
#include "common/base/rng.h"

#define MIDDLE ((CS_PRIORITY_LEAST + CS_PRIORITY_MOST) / 2)

static void falls(const uint32_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_in_range(p[i], CS_PRIORITY_LEAST, CS_PRIORITY_MOST);
		assert_true(!i || p[i] < p[i - 1]);
	}
}

static void first_ones(void **state)
{
	/* as priority/basic gives them, and held ones */
	uint32_t p[] = { 4294901758u, 0, 4294901757u };

	(void)state;
	assert_int_equal(cs_priority_follow(p, 3), 0);
	falls(p, 3);
	assert_in_range(p[1], MIDDLE - 100000, MIDDLE + 100000);
	assert_int_equal(cs_priority_follow(NULL, 0), 0);
}

static void what_can_stay_stays(void **state)
{
	static const struct {
		uint32_t before[6], after[6];
	} row[] = {
		/* in order: nothing changes; one left */
		{ { 5000000, 4000000, 3000000, 2000000, 1500000, 1200000 },
		  { 5000000, 4000000, 3000000, 2000000, 1500000, 1200000 } },
		/* the last came to the front */
		{ { 1200000, 5000000, 4000000, 3000000, 2000000, 1500000 },
		  { 5010000, 5000000, 4000000, 3000000, 2000000, 1500000 } },
		/* the first went behind; two new between others */
		{ { 4000000, 0, 0, 3000000, 2000000, 5000000 },
		  { 4000000, 3666667, 3333334, 3000000, 2000000, 1990000 } },
		/* no room below, then at the top */
		{ { 5000000, CS_PRIORITY_LEAST + 6, 0, 0, 0, 0 },
		  { 5000000, CS_PRIORITY_LEAST + 6, CS_PRIORITY_LEAST + 5,
		    CS_PRIORITY_LEAST + 4, CS_PRIORITY_LEAST + 3,
		    CS_PRIORITY_LEAST + 2 } },
		{ { 0, CS_PRIORITY_MOST - 5, 3, 2, 1, 1100000 },
		  { CS_PRIORITY_MOST, CS_PRIORITY_MOST - 5, 0, 0, 0,
		    1100000 } },
	};
	uint32_t p[6];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		memcpy(p, row[i].before, sizeof(p));
		assert_int_equal(cs_priority_follow(p, 6), 0);
		falls(p, 6);
		for (int k = 0; k < 6; k++)
			if (row[i].after[k])
				assert_int_equal(p[k], row[i].after[k]);
	}
}

static void narrow_gaps_are_widened(void **state)
{
	uint32_t p[] = { 3000001, 0, 3000000 };

	(void)state;
	assert_int_equal(cs_priority_follow(p, 3), 0);
	falls(p, 3);
	assert_true(p[0] - p[1] >= 10000 && p[1] - p[2] >= 10000);
}

/* Most that can stay: the longest falling subsequence, O(n^2). */
static size_t most(const uint32_t *p, size_t n)
{
	size_t len[64], best = 0;

	for (size_t i = 0; i < n; i++) {
		len[i] = p[i] != 0;
		for (size_t k = 0; k < i && p[i]; k++)
			if (p[k] > p[i] && len[k] + 1 > len[i])
				len[i] = len[k] + 1;
		best = len[i] > best ? len[i] : best;
	}
	return best;
}

static void random_orders(void **state)
{
	struct cs_rng rng;
	uint32_t p[64], was[64];

	(void)state;
	cs_rng_init(&rng, 7, 0);
	for (int round = 0; round < 2000; round++) {
		size_t n = cs_rng_next(&rng) % 64, same = 0;

		for (size_t i = 0; i < n; i++)
			was[i] = p[i] =
				cs_rng_next(&rng) % 4
					? CS_PRIORITY_LEAST + 1000000 +
						  1000 * (uint32_t)(cs_rng_next(
									    &rng) %
								    900000)
					: 0;
		assert_int_equal(cs_priority_follow(p, n), 0);
		falls(p, n);
		for (size_t i = 0; i < n; i++)
			same += p[i] == was[i];
		assert_int_equal(same, most(was, n));
	}
}

static void no_memory(void **state)
{
	const uint32_t was[] = { 2000000, 3000000, 0 };
	uint32_t p[3];

	(void)state;
	for (long n = 0; n < 2; n++) {
		memcpy(p, was, sizeof(p));
		cs_test_left = n;
		assert_int_equal(cs_priority_follow(p, 3), -ENOMEM);
		cs_test_left = -1;
		assert_memory_equal(p, was, sizeof(p));
	}
}

static void many(void **state)
{
	size_t n = 200000;
	uint32_t *p = calloc(n, sizeof(*p));

	(void)state;
	assert_non_null(p);
	assert_int_equal(cs_priority_follow(p, n), 0);
	falls(p, n);
	free(p);
}

static void who_comes_next_is_behind(void **state)
{
	(void)state;
	assert_int_equal(cs_priority_behind(0),
			 (CS_PRIORITY_LEAST + CS_PRIORITY_MOST) / 2);
	assert_int_equal(cs_priority_behind(500000000), 499990000);
	assert_int_equal(cs_priority_behind(CS_PRIORITY_LEAST + 5),
			 CS_PRIORITY_LEAST);
	assert_int_equal(cs_priority_behind(CS_PRIORITY_LEAST),
			 CS_PRIORITY_LEAST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_ones),
		cmocka_unit_test(what_can_stay_stays),
		cmocka_unit_test(narrow_gaps_are_widened),
		cmocka_unit_test(random_orders),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(many),
		cmocka_unit_test(who_comes_next_is_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

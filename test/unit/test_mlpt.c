/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Longest first where processors come free at different times (mlpt.h). */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/order/mlpt.h"

#define MOST 40

static void example(void **state)
{
	static const int64_t length[] = { 5, 4, 4 }, free_us[] = { 0, 3 };
	static const int64_t one[] = { 7 };
	int64_t start[3];

	(void)state;
	assert_int_equal(cs_mlpt_deal(length, 3, free_us, 2, start), 0);
	assert_int_equal(start[0], 3);
	assert_int_equal(start[1], 0);
	assert_int_equal(start[2], 4);
	assert_int_equal(cs_mlpt_deal(length, 3, one, 1, start), 0);
	assert_int_equal(start[0], 7);
	assert_int_equal(start[2], 16);
}

/* Where the exchange does harm. */
static void longest_first_where_it_ends_as_soon(void **state)
{
	static const int64_t length[] = { 10, 6, 5 }, free_us[] = { 1, 5, 6 };
	int64_t start[3];

	(void)state;
	assert_int_equal(cs_mlpt_deal(length, 3, free_us, 3, start), 0);
	assert_int_equal(start[0], 1);
	assert_int_equal(start[1], 5);
	assert_int_equal(start[2], 6);
}

/* Rules 1 to 3 as they are written, set by set. */
static size_t least_set(const int64_t *load, const int64_t *from, size_t m)
{
	size_t best = m;

	for (size_t s = 0; s < m; s++)
		if ((!from || from[s] < 0) &&
		    (best == m || load[s] < load[best]))
			best = s;
	return best;
}

static void dealt(const int64_t *length, size_t n, const int64_t *free_us,
		  size_t m, int64_t *start)
{
	int64_t load[MOST] = { 0 }, from[MOST];
	size_t of[MOST], left = m;

	memset(from, -1, sizeof(from));
	for (size_t i = 0; i < n || left;) {
		size_t to = least_set(load, NULL, m), job = n, set = to;
		int64_t r;

		if (!left || (i < n && length[i] >= free_us[left - 1])) {
			of[i] = to;
			load[to] += length[i++];
			continue;
		}
		r = free_us[--left];
		if (from[set] >= 0) {
			to = least_set(load, from, m);
			for (size_t k = 0; k < i; k++)
				if (of[k] == to)
					job = k;
		}
		if (job < n && load[set] + length[job] < load[to] + r) {
			of[job] = set;
			load[set] += length[job];
			load[to] -= length[job];
		}
		from[to] = r;
		load[to] += r;
	}
	for (size_t i = 0; i < n; i++) {
		start[i] = from[of[i]];
		from[of[i]] += length[i];
	}
}

static void longest_first(const int64_t *length, size_t n,
			  const int64_t *free_us, size_t m, int64_t *start)
{
	int64_t load[MOST];

	memcpy(load, free_us, m * sizeof(*load));
	for (size_t i = 0; i < n; i++) {
		size_t to = least_set(load, NULL, m);

		start[i] = load[to];
		load[to] += length[i];
	}
}

static int64_t last_end(const int64_t *length, const int64_t *start, size_t n)
{
	int64_t end = 0;

	for (size_t i = 0; i < n; i++)
		if (start[i] + length[i] > end)
			end = start[i] + length[i];
	return end;
}

static void naive(const int64_t *length, size_t n, const int64_t *free_us,
		  size_t m, int64_t *start)
{
	int64_t lpt[MOST];

	dealt(length, n, free_us, m, start);
	longest_first(length, n, free_us, m, lpt);
	if (last_end(length, lpt, n) <= last_end(length, start, n))
		memcpy(start, lpt, n * sizeof(*lpt));
}

static int down(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a > b ? -1 : a < b;
}

static int up(const void *x, const void *y)
{
	return down(y, x);
}

static void draw(uint64_t *seed, int64_t *v, size_t n, uint64_t most,
		 int (*cmp)(const void *, const void *))
{
	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)cs_test_draw(seed, most);
	qsort(v, n, sizeof(*v), cmp);
}

/* The least that is possible, by trial. */
static int64_t least(const int64_t *length, size_t n, int64_t *free_us,
		     size_t m)
{
	int64_t best = INT64_MAX;

	if (!n)
		return 0;
	for (size_t p = 0; p < m; p++) {
		int64_t end = free_us[p] + *length, rest;

		free_us[p] += *length;
		rest = least(length + 1, n - 1, free_us, m);
		free_us[p] -= *length;
		end = rest > end ? rest : end;
		best = end < best ? end : best;
	}
	return best;
}

static void as_written_and_near_the_least(void **state)
{
	uint64_t seed = cs_test_seed();
	int64_t length[MOST], from[MOST], start[MOST], want[MOST];
	uint64_t rounds = cs_test_worlds(3000);

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		bool small = round % 2;
		size_t n = 1 + cs_test_draw(&seed, small ? 7 : MOST);
		size_t m = 1 + cs_test_draw(&seed, small ? 3 : MOST);
		uint64_t most = 1 + cs_test_draw(&seed, 30);

		draw(&seed, length, n, most, down);
		draw(&seed, from, m, most, up);
		assert_int_equal(cs_mlpt_deal(length, n, from, m, start), 0);
		naive(length, n, from, m, want);
		assert_memory_equal(start, want, n * sizeof(*start));
		if (small)
			assert_true(3 * last_end(length, start, n) <=
				    4 * least(length, n, from, m));
	}
}

static void no_memory(void **state)
{
	static const int64_t length[] = { 5, 4 }, from[] = { 0, 1 };
	int64_t start[2];
	bool failed;

	(void)state;
	CS_TEST_EACH_ALLOC(failed = cs_mlpt_deal(length, 2, from, 2, start) ==
				    -ENOMEM,
			   failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example),
		cmocka_unit_test(longest_first_where_it_ends_as_soon),
		cmocka_unit_test(as_written_and_near_the_least),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests_name("mlpt", tests, NULL, NULL);
}

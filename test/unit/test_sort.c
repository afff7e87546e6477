/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting what mostly is in order, against a plain insertion sort. */
#include "cs_test.h"

#include "common/base/sort.h"

#define ITEMS 200

/* Items of two sizes, the second too large to be inserted. */
struct small {
	int key, was;
};
struct large {
	int key, was;
	char rest[CS_SORT_ITEM];
};

static size_t compared;

static int by_key(const void *x, const void *y)
{
	const int *a = x, *b = y;

	compared++;
	return *a < *b ? -1 : *a > *b;
}

/* @n keys in order, of which @moved are somewhere else. */
static void draw(int *key, size_t n, size_t moved, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++)
		key[i] = (int)(i / 2);
	for (size_t i = 0; n && i < moved; i++)
		key[cs_test_draw(seed, n)] = (int)cs_test_draw(seed, n);
}

static void sort_plainly(int *key, int *was, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = i;

		was[i] = (int)i;
		for (int x = key[i]; k && key[k - 1] > x; k--) {
			key[k] = key[k - 1];
			was[k] = was[k - 1];
			key[k - 1] = x;
			was[k - 1] = (int)i;
		}
	}
}

/* Few moved: equals stay as they were; else that is up to qsort(). */
static void check(size_t n, size_t moved, uint64_t *seed)
{
	struct small s[ITEMS];
	struct large l[ITEMS] = { { .key = 0 } };
	int key[ITEMS], was[ITEMS];

	draw(key, n, moved, seed);
	for (size_t i = 0; i < n; i++) {
		s[i] = (struct small){ key[i], (int)i };
		l[i] = (struct large){ .key = key[i], .was = (int)i };
		memset(l[i].rest, (int)i, sizeof(l[i].rest));
	}
	sort_plainly(key, was, n);
	cs_sort(s, n, sizeof(*s), by_key);
	cs_sort(l, n, sizeof(*l), by_key);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(s[i].key, key[i]);
		assert_true(moved > 3 || s[i].was == was[i]);
		assert_int_equal(l[i].key, key[i]);
		assert_int_equal(l[i].rest[CS_SORT_ITEM - 1], (char)l[i].was);
	}
}

static void sorted_as_plainly(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t k = cs_test_worlds(300); k; k--) {
		size_t n = cs_test_draw(&seed, ITEMS + 1);

		check(n, cs_test_draw(&seed, 4), &seed);
		check(n, cs_test_draw(&seed, n + 1), &seed);
	}
}

/* What the head of the file promises. */
static void few_comparisons(void **state)
{
	int key[ITEMS];

	(void)state;
	draw(key, ITEMS, 0, NULL);
	compared = 0;
	cs_sort(key, ITEMS, sizeof(*key), by_key);
	assert_int_equal(compared, ITEMS - 1);
	key[ITEMS - 1] = -1; /* the last is the first: it passes all others */
	compared = 0;
	cs_sort(key, ITEMS, sizeof(*key), by_key);
	assert_int_equal(key[0], -1);
	assert_in_range(compared, 2 * ITEMS - 3, 2 * ITEMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted_as_plainly),
		cmocka_unit_test(few_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

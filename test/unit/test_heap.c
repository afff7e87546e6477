/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A heap of two and of four ways against a search of all. */
#include "cs_test.h"

#include "common/base/heap.h"

#define ITEMS 60

struct heap {
	int *key;	     /* [ITEMS] */
	size_t item[ITEMS];  /* by place */
	size_t place[ITEMS]; /* by item; SIZE_MAX: not there */
	size_t n;
};

static size_t at(const struct heap *h, size_t i)
{
	return h->item[i];
}

static void put(struct heap *h, size_t i, size_t item)
{
	h->item[i] = item;
	h->place[item] = i;
}

static bool before(const struct heap *h, size_t a, size_t b)
{
	return h->key[a] != h->key[b] ? h->key[a] < h->key[b] : a < b;
}

CS_HEAP(two, struct heap, size_t, 2, at, put, before);
CS_HEAP(four, struct heap, size_t, 4, at, put, before);

static size_t least(const struct heap *h)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < ITEMS; i++)
		if (h->place[i] != SIZE_MAX &&
		    (best == SIZE_MAX || before(h, i, best)))
			best = i;
	return best;
}

/* Each item is where it thinks, and none comes before the one above it. */
static void check(const struct heap *h, size_t ways)
{
	size_t n = 0;

	for (size_t i = 0; i < ITEMS; i++)
		n += h->place[i] != SIZE_MAX;
	assert_int_equal(n, h->n);
	for (size_t i = 0; i < h->n; i++) {
		assert_int_equal(h->place[h->item[i]], i);
		assert_false(i && before(h, at(h, i), at(h, (i - 1) / ways)));
	}
	if (h->n)
		assert_int_equal(at(h, 0), least(h));
}

static void rounds(size_t ways, uint64_t *seed)
{
	int key[ITEMS];
	struct heap h = { .key = key };

	for (size_t i = 0; i < ITEMS; i++)
		h.place[i] = SIZE_MAX;
	for (int k = 0; k < 500; k++) {
		size_t item = cs_test_draw(seed, ITEMS);
		bool there = h.place[item] != SIZE_MAX;

		if (there && cs_test_draw(seed, 2)) {
			size_t i = h.place[item];

			h.place[item] = SIZE_MAX;
			h.n = ways == 2 ? two_drop(&h, h.n, i)
					: four_drop(&h, h.n, i);
		} else {
			key[item] = (int)cs_test_draw(seed, 20);
			if (!there)
				put(&h, h.n++, item);
			if (ways == 2)
				two_sift(&h, h.n, h.place[item]);
			else
				four_sift(&h, h.n, h.place[item]);
		}
		check(&h, ways);
	}
}

static void the_first_is_the_least(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t k = cs_test_worlds(20); k; k--) {
		rounds(2, &seed);
		rounds(4, &seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_the_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

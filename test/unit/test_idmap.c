/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map by number against an array of all numbers. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <string.h>

#include "common/base/idmap.h"

#define IDS 300

static char thing[IDS];

/* Numbers that crowd each other: few, or all on few places. */
static uint64_t id_of(uint32_t i, uint64_t spread)
{
	return i * spread;
}

static void check(const struct cs_idmap *m, const bool *there, uint64_t spread)
{
	size_t n = 0;

	for (uint32_t i = 0; i < IDS; i++) {
		n += there[i];
		assert_ptr_equal(cs_idmap_find(m, id_of(i, spread)),
				 there[i] ? &thing[i] : NULL);
	}
	assert_int_equal(m->n, n);
}

static void it_finds_what_is_there(void **state)
{
	static const uint64_t spreads[] = {
		1, 2, 64, 65536, 14000000, UINT64_C(1) << 40
	};
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t k = cs_test_worlds(30); k; k--) {
		uint64_t spread = spreads[k % 6];
		struct cs_idmap m = { 0 };
		bool there[IDS] = { false };

		check(&m, there, spread);
		assert_null(cs_idmap_remove(&m, id_of(1, spread)));
		for (int step = 0; step < 1000; step++) {
			/* few at first, so that it grows under way */
			uint32_t i = (uint32_t)cs_test_draw(
				&seed, step < 200 ? 40 : IDS);

			if (there[i] || !cs_test_draw(&seed, 8)) {
				assert_ptr_equal(
					cs_idmap_remove(&m, id_of(i, spread)),
					there[i] ? &thing[i] : NULL);
				there[i] = false;
			} else {
				assert_int_equal(cs_idmap_reserve(&m, m.n + 1),
						 0);
				cs_idmap_add(&m, id_of(i, spread), &thing[i]);
				there[i] = true;
			}
			if (!cs_test_draw(&seed, 400)) {
				size_t room = m.cap;

				cs_idmap_clear(&m);
				memset(there, 0, sizeof(there));
				assert_int_equal(m.cap, room);
			}
			if (step % 50 == 0)
				check(&m, there, spread);
		}
		check(&m, there, spread);
		cs_idmap_done(&m);
		assert_int_equal(m.n, 0);
	}
}

static void without_memory_it_stays_as_it_is(void **state)
{
	struct cs_idmap m = { 0 };
	bool there[IDS] = { false };

	(void)state;
	cs_test_fail_after(0);
	assert_int_equal(cs_idmap_reserve(&m, 1), -ENOMEM);
	assert_true(cs_test_failed());
	check(&m, there, 1);
	assert_int_equal(cs_idmap_reserve(&m, 20), 0);
	for (uint32_t i = 0; i < 20; i++) {
		cs_idmap_add(&m, i, &thing[i]);
		there[i] = true;
	}
	cs_test_fail_after(0);
	assert_int_equal(cs_idmap_reserve(&m, 10000), -ENOMEM);
	assert_true(cs_test_failed());
	check(&m, there, 1);
	cs_idmap_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_finds_what_is_there),
		cmocka_unit_test(without_memory_it_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of known jobs (feed/known.c). */
#include "feedrig.h"

static void the_table_of_known_jobs(void **state)
{
	struct cs_known k = { 0 };
	bool there[512] = { false };
	uint32_t seed = 1, n = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint32_t id;
		struct cs_known_job *j;

		seed = seed * 1664525 + 1013904223;
		id = 1 + (seed >> 10) % 511;
		j = cs_known_find(&k, id);
		assert_int_equal(j != NULL, there[id]);
		if (j)
			cs_known_remove(&k, j);
		else
			assert_non_null(cs_known_add(&k, id));
		there[id] = !there[id];
		n += there[id] ? 1 : -1u;
		assert_int_equal(k.n, n);
	}
	cs_known_done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_of_known_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

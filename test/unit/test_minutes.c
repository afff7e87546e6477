/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A raised limit in Slurm's full minutes (minutes.h). */
#include "cs_test.h"

#include "sched/apply/minutes.h"

static void a_limit_is_rounded_up_but_for_dust(void **state)
{
	static const struct {
		int64_t limit_us, minutes;
	} row[] = {
		{ 0, 1 },
		{ 1, 1 },
		{ CS_MINUTE_US, 1 },
		{ 10 * CS_MINUTE_US - 1, 10 },
		{ 10 * CS_MINUTE_US, 10 },
		{ 10 * CS_MINUTE_US + 1000, 10 }, /* dust */
		{ 10 * CS_MINUTE_US + 1001, 11 },
		{ 10 * CS_MINUTE_US + 7000,
		  11 }, /* its neighbours cost it 7 ms */
		{ 10 * CS_MINUTE_US + 100000, 11 },
		{ 11 * CS_MINUTE_US, 11 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(cs_apply_minutes(row[i].limit_us),
				 row[i].minutes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_is_rounded_up_but_for_dust),
	};

	return cmocka_run_group_tests_name("minutes", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dispatch table of Solaris, and its ready queue (ts.c). */
#include "cs_test.h"

#include "procsim/ts.h"

/* Rows of ts_dptbl(5), as printed by dispadmin -c TS -g. */
static void rows_of_the_table(void **state)
{
	static const struct {
		unsigned level, quantum_ms, tqexp, slpret, lwait;
	} want[] = {
		{ 0, 200, 0, 50, 50 },	 { 9, 200, 0, 50, 50 },
		{ 10, 160, 0, 51, 51 },	 { 19, 160, 9, 51, 51 },
		{ 20, 120, 10, 52, 52 }, { 29, 120, 19, 52, 52 },
		{ 30, 80, 20, 53, 53 },	 { 34, 80, 24, 53, 53 },
		{ 35, 80, 25, 54, 54 },	 { 39, 80, 29, 54, 54 },
		{ 40, 40, 30, 55, 55 },	 { 44, 40, 34, 55, 55 },
		{ 45, 40, 35, 56, 56 },	 { 46, 40, 36, 57, 57 },
		{ 47, 40, 37, 58, 58 },	 { 48, 40, 38, 58, 58 },
		{ 49, 40, 39, 58, 59 },	 { 50, 40, 40, 58, 59 },
		{ 58, 40, 48, 58, 59 },	 { 59, 20, 49, 59, 59 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct cs_ts_row r = cs_ts_row(want[i].level);

		assert_int_equal(r.quantum_ns, want[i].quantum_ms * 1000000);
		assert_int_equal(r.tqexp, want[i].tqexp);
		assert_int_equal(r.slpret, want[i].slpret);
		assert_int_equal(r.lwait, want[i].lwait);
	}
}

/* ts.c, example. */
static void a_process_that_computes_sinks(void **state)
{
	static const unsigned want[] = { 49, 39, 29, 19, 9, 0, 0 };
	unsigned level = CS_TS_TOP;

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		level = cs_ts_row(level).tqexp;
		assert_int_equal(level, want[i]);
	}
	assert_int_equal(cs_ts_row(level).slpret, 50);
}

static void the_first_of_the_highest_level(void **state)
{
	struct cs_ts_link a = { .level = 3 }, b = { .level = 3 };
	struct cs_ts_link c = { .level = CS_TS_TOP }, d = { .level = 3 };
	struct cs_ts_queue q;

	(void)state;
	cs_ts_init(&q);
	assert_null(cs_ts_first(&q));
	cs_ts_append(&q, &a);
	cs_ts_append(&q, &b);
	cs_ts_prepend(&q, &d);
	assert_ptr_equal(cs_ts_first(&q), &d);
	cs_ts_append(&q, &c);
	assert_ptr_equal(cs_ts_first(&q), &c);
	cs_ts_remove(&q, &c);
	cs_ts_remove(&q, &d);
	assert_ptr_equal(cs_ts_first(&q), &a);
	cs_ts_remove(&q, &a);
	assert_ptr_equal(cs_ts_first(&q), &b);
	cs_ts_remove(&q, &b);
	assert_null(cs_ts_first(&q));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_the_table),
		cmocka_unit_test(a_process_that_computes_sinks),
		cmocka_unit_test(the_first_of_the_highest_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is tried next behind a head (passing.c). */
#include "cs_test.h"
#include "rig.h"

#define HOUR 3600

/* Four nodes of one core: job 1 has two for 10 h, and job 2, the head, waits for all. */
static void open_head(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 4, 1, 1, 0);
	rig_add(r, 1, 2, 10 * HOUR, NULL);
	rig_decide(r);
	rig_add(r, 2, 4, HOUR, NULL);
	rig_decide(r);
	assert_true(rig_runs(r, 1));
	assert_false(rig_runs(r, 2));
}

/* Of two that fit one may run: the first, the shorter, the one with the larger P. */
static void who_passes_is_as_the_key_says(void **state)
{
	static const struct {
		const char *params;
		uint32_t passes;
	} cases[] = {
		{ "policy=easy", 3 },
		{ "policy=easy,passing=shortest", 4 },
		{ "policy=easy,passing=expansion,passing_lead=60", 4 },
		/* 6 h over 3 h, 0 over 1 h */
		{ "policy=easy,passing=expansion", 3 },
		/* 12 h over 3 h, 6 h over 1 h */
		{ "policy=easy,passing=expansion,passing_lead=21600", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t wait_s = i < 3 ? 0 : 6 * HOUR;
		struct rig r;

		open_head(&r, cases[i].params);
		/* on the two free nodes until the third comes */
		rig_add(&r, 5, 2, wait_s + 1, NULL);
		rig_decide(&r);
		assert_true(rig_runs(&r, 5));
		rig_add(&r, 3, 2, i < 3 ? 9 * HOUR : 3 * HOUR, NULL);
		rig_at(&r, wait_s + 1);
		rig_add(&r, 4, 2, HOUR, NULL);
		rig_finish(&r, 5);
		rig_decide(&r);
		if (rig_runs(&r, 3) != (cases[i].passes == 3))
			fail_msg("%s: job 3 %s", cases[i].params,
				 rig_runs(&r, 3) ? "passes" : "does not pass");
		assert_int_equal(rig_runs(&r, 4), cases[i].passes == 4);
		rig_close(&r);
	}
}

/* Two jobs fit and would delay the head; a third may pass it, once a walk gets there. */
static void the_next_walk_goes_on_behind_the_last_try(void **state)
{
	(void)state;
	for (uint32_t tries = 1; tries <= 3; tries++) {
		char params[128];
		struct rig r;

		snprintf(params, sizeof(params),
			 "policy=easy,passing=expansion,passing_tries=%u",
			 tries);
		open_head(&r, params);
		rig_add(&r, 3, 2, 20 * HOUR, NULL);
		rig_add(&r, 4, 2, 30 * HOUR, NULL);
		rig_at(&r, HOUR);
		assert_false(rig_runs(&r, 3) || rig_runs(&r, 4));
		rig_add(&r, 5, 2, HOUR, NULL);
		rig_decide(&r);
		/* of one try each, the walk at 1 h tries job 3, this one job 4 */
		assert_int_equal(rig_runs(&r, 5), tries > 1);
		rig_decide(&r);
		assert_true(rig_runs(&r, 5));
		assert_false(rig_runs(&r, 3) || rig_runs(&r, 4));
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_passes_is_as_the_key_says),
		cmocka_unit_test(the_next_walk_goes_on_behind_the_last_try),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
